package ingest

// ingressFormat is the default log-format-upstream of ingress-nginx, up to the columns that are read.
const ingressFormat = `$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent ` +
	`"$http_referer" "$http_user_agent" $request_length $request_time [$proxy_upstream_name]`

func openIngress(o FormatOptions) Format {
	p, err := compile("ingress", ingressFormat, o)
	if err != nil {
		panic("ingest: a known format does not compile: " + err.Error())
	}
	return &ingress{p}
}

// ingress is the default format of ingress-nginx, whose controller writes to the same stream.
type ingress struct{ *program }

// Parse implements Format.
func (f *ingress) Parse(line []byte, r *Record) Verdict {
	v := f.program.Parse(line, r)
	if v.Rejected() && isServerMessage(line) {
		return Verdict{Reason: Skip}
	}
	return v
}
