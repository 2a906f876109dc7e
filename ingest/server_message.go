package ingest

import "bytes"

// isServerMessage tells whether a line is one that nginx, Apache or what starts them in a container write about
// themselves, to the error log or to the same stream as the access lines:
//
//	2025/03/12 09:14:03 [error] 31#31: *1 open() ...              nginx (ngx_log.c), OpenResty, Kong
//	[Wed Mar 12 09:14:03.123456 2025] [core:notice] [pid 1] ...   Apache (core.c, default ErrorLogFormat)
//	AH00558: httpd: ...                                           Apache before its error log is open
//	I0312 09:14:03.123456       7 controller.go:190] ...          ingress-nginx's controller (klog)
//	/docker-entrypoint.sh: ..., 10-listen-on-ipv6.sh: ...         the start of nginx's image
func isServerMessage(line []byte) bool {
	if len(line) < 8 {
		return false
	}
	switch c := line[0]; {
	case c == '/':
		return bytes.HasPrefix(line, []byte("/docker-entrypoint.sh: "))
	case c == '[':
		return len(line) > 30 && line[4] == ' ' && line[8] == ' ' && monthNumber(line[5:8]) > 0 && isClock(line[12:]) && bytes.Contains(line, []byte("] ["))
	case c == 'A':
		return line[1] == 'H' && isDigits(line[2:7]) && line[7] == ':'
	case c == 'I' || c == 'W' || c == 'E' || c == 'F':
		return len(line) > 15 && isDigits(line[1:5]) && line[5] == ' ' && isClock(line[6:]) && line[14] == '.'
	case isDigit(c) && isDigit(line[1]) && line[2] == '-':
		name, _, ok := bytes.Cut(line, []byte(": "))
		return ok && bytes.HasSuffix(name, []byte(".sh")) && bytes.IndexByte(name, ' ') < 0
	case isDigit(c):
		return len(line) > 21 && isDigits(line[:4]) && line[4] == '/' && isDigits(line[5:7]) && line[7] == '/' && isDigits(line[8:10]) &&
			line[10] == ' ' && isClock(line[11:]) && line[19] == ' ' && line[20] == '['
	}
	return false
}

// isClock tells whether a time of day such as 09:14:03 starts s, which is long enough.
func isClock(s []byte) bool {
	return isDigits(s[:2]) && s[2] == ':' && isDigits(s[3:5]) && s[5] == ':' && isDigits(s[6:8])
}
