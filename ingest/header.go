package ingest

import "net/textproto"

// headerName is what a column or a path of a format says of the header that it holds.
type headerName struct{ header, cookie string }

const cookieHeader = "Cookie"

// newHeaderName returns the name of a header, false for what is none (RFC 9110 section 5.1).
func newHeaderName(name string) (headerName, bool) {
	return headerName{header: textproto.CanonicalMIMEHeaderKey(name)}, isToken([]byte(name))
}

// newCookieName returns the name of one cookie, false for what is none (RFC 6265 section 4.1.1).
func newCookieName(name string) (headerName, bool) {
	return headerName{cookieHeader, name}, isToken([]byte(name))
}

// addHeader adds a header unless its value is absent.
func (r *Record) addHeader(name headerName, value []byte) {
	if len(value) > 0 {
		r.Headers = append(r.Headers, Header{Name: name.header, Cookie: name.cookie, Value: value})
	}
}
