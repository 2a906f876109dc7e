package ingest_test

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"reprise/ingest"
)

// at writes an instant in one of package time's layouts.
func at(b []byte, ns int64, layout string) []byte {
	return time.Unix(0, ns).UTC().AppendFormat(b, layout)
}

const (
	clfTime = "02/Jan/2006:15:04:05 -0700"
	isoMs   = "2006-01-02T15:04:05.000Z"
	isoUs   = "2006-01-02T15:04:05.000000Z"
)

// or returns s, or what a server writes in place of nothing.
func or(s []byte, absent string) []byte {
	if len(s) == 0 {
		return []byte(absent)
	}
	return s
}

// hex writes s with every byte outside printable ASCII, and every one of special, as prefix and two digits.
func hex(s []byte, prefix, special string) []byte {
	var b []byte
	for _, c := range s {
		if c < ' ' || c >= 0x7f || strings.IndexByte(special, c) >= 0 {
			b = fmt.Appendf(b, "%s%02X", prefix, c)
			continue
		}
		b = append(b, c)
	}
	return b
}

// nginx escapes as nginx's default log_format does.
func nginx(s []byte) []byte { return hex(s, `\x`, `"\`) }

// requestLine writes the request with its own line's escapes.
func requestLine(r *ingest.Record, escape func([]byte) []byte) []byte {
	return fmt.Appendf(nil, "%s %s %s", r.Method, escape(r.Target), r.Protocol)
}

func endpointOf(client []byte, port string) string {
	if bytes.IndexByte(client, ':') >= 0 {
		return "[" + string(client) + "]:" + port
	}
	return string(client) + ":" + port
}

// isOrigin tells whether a target is a path, which is all that servers log that write URLs.
func isOrigin(r *ingest.Record) bool { return r.Target[0] == '/' }

func combinedText(b []byte, r *ingest.Record, clock int64) []byte {
	b = fmt.Appendf(b, "%s - %s [", r.Client, or(nginx(r.User), "-"))
	b = at(b, clock, clfTime)
	return fmt.Appendf(b, `] "%s" %03d %d "%s" "%s"`, requestLine(r, nginx), r.Status, r.Bytes, or(nginx(r.Referer), "-"), or(nginx(r.Agent), "-"))
}

// clfConverters are the formats that begin like the common log format.
var clfConverters = []converter{
	{name: "combined", unit: 1, lacks: "host duration", write: func(b []byte, r *ingest.Record) []byte {
		return combinedText(b, r, r.Start)
	}},
	{name: "main", unit: 1, lacks: "host duration", write: func(b []byte, r *ingest.Record) []byte {
		return append(combinedText(b, r, r.Start), ` "198.51.100.1, 10.0.0.2"`...)
	}},
	{name: "vhost_combined", unit: 1, lacks: "duration", write: func(b []byte, r *ingest.Record) []byte {
		return combinedText(fmt.Appendf(b, "%s:443 ", r.Host), r, r.Start)
	}},
	{name: "ingress", unit: 1e9, lacks: "host", write: func(b []byte, r *ingest.Record) []byte {
		s := float64(r.Duration) / 1e9
		return fmt.Appendf(combinedText(b, r, r.Start+r.Duration), " 331 %.3f [ns-web-80] [] 10.0.0.5:80, 10.0.0.6:80 0, %d 0.000, %.3f 502, %d 3f9c", s, r.Bytes, s, r.Status)
	}},
	// Traefik escapes nothing, so that a quote ends a column unless what follows cannot be one.
	{name: "traefik", unit: 1e6, lacks: "host", write: func(b []byte, r *ingest.Record) []byte {
		b = at(fmt.Appendf(b, "%s - %s [", r.Client, or(r.User, "-")), r.Start, clfTime)
		return fmt.Appendf(b, `] "%s" %d %d "%s" "%s" 17 "web@docker" "http://10.0.0.5:80" %dms`, requestLine(r, bytes.Clone), r.Status, r.Bytes, or(r.Referer, "-"), or(r.Agent, "-"), r.Duration/1e6)
	}, holds: func(r *ingest.Record) bool { return !hasByte(r.Target, '"') && !hasByte(r.Referer, '"') }},
}

func hasByte(s []byte, c byte) bool { return bytes.IndexByte(s, c) >= 0 }

// proxyConverters are the text formats of HAProxy and Envoy.
var proxyConverters = []converter{
	{name: "haproxy", unit: 1e6, lacks: "host user referer agent", write: func(b []byte, r *ingest.Record) []byte {
		b = fmt.Appendf(b, "%s:5123 [", r.Client) // IPv6 without brackets
		b = at(b, r.Start, "02/Jan/2006:15:04:05.000")
		status := r.Status
		if status == 0 {
			status = -1
		}
		request := requestLine(r, func(s []byte) []byte { return hex(s, "#", `"#`) })
		return fmt.Appendf(b, `] https~ be/s1 0/0/1/%d/%d %d %d - - ---- 1/1/0/0/0 0/0 "%s"`, r.Duration/1e6, r.Duration/1e6, status, r.Bytes, request)
	}},
	// Envoy escapes nothing either.
	{name: "envoy", unit: 1e6, lacks: "user referer", write: func(b []byte, r *ingest.Record) []byte {
		b = at(append(b, '['), r.Start, isoMs)
		return fmt.Appendf(b, `] "%s" %d - 120 %d %d %d "%s" "%s" "9c5f-4a1b" "%s" "10.0.0.5:8080"`, requestLine(r, bytes.Clone), r.Status, r.Bytes, r.Duration/1e6, r.Duration/1e6, r.Client, or(r.Agent, "-"), r.Host)
	}, holds: func(r *ingest.Record) bool { return !hasByte(r.Target, '"') && !hasByte(r.Agent, '"') }},
}

func dash(status int) string {
	if status == 0 {
		return "-"
	}
	return fmt.Sprint(status)
}

// awsURL writes the request with the absolute URL that load balancers log.
func awsURL(r *ingest.Record) []byte {
	return fmt.Appendf(nil, "%s https://%s:443%s %s", r.Method, r.Host, nginx(r.Target), r.Protocol)
}

// awsConverters are the formats of ALB, of the classic load balancer, and of S3.
var awsConverters = []converter{
	{name: "alb", unit: 1e3, lacks: "user referer", holds: isOrigin, write: func(b []byte, r *ingest.Record) []byte {
		b = at(append(b, "h2 "...), r.Start+r.Duration, isoUs)
		b = fmt.Appendf(b, ` app/lb/50dc %s 10.0.0.5:80 0.000 %.6f 0.000 %s %d 34 %d "%s" "%s" TLS_AES_128_GCM_SHA256 TLSv1.3 arn:aws:x "Root=1-58" "ex.example" "arn:aws:y" 0 `,
			endpointOf(r.Client, "5123"), float64(r.Duration)/1e9, dash(r.Status), r.Status, r.Bytes, awsURL(r), or(nginx(r.Agent), "-"))
		return append(at(b, r.Start, isoUs), ` "forward" "-" "-" "10.0.0.5:80" "200" "-" "-" TID_37ac "-" "-" "-"`...)
	}},
	{name: "elb", unit: 1e3, lacks: "user referer", holds: isOrigin, write: func(b []byte, r *ingest.Record) []byte {
		b = at(b, r.Start, isoUs)
		return fmt.Appendf(b, ` my-lb %s 10.0.0.5:80 0.000000 %.6f 0.000000 %s %d 34 %d "%s" "%s" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2`,
			endpointOf(r.Client, "5123"), float64(r.Duration)/1e9, dash(r.Status), r.Status, r.Bytes, awsURL(r), or(nginx(r.Agent), "-"))
	}},
	{name: "s3", unit: 1e6, write: func(b []byte, r *ingest.Record) []byte {
		b = at(append(b, "79a5 bkt ["...), r.Start, clfTime)
		user := bytes.ReplaceAll(or(r.User, "-"), []byte(" "), []byte("%20"))
		return fmt.Appendf(b, `] %s %s 3E57 REST.GET.OBJECT a%%2520b.png "%s" %s - %d 512 %d 16 "%s" "%s" - hid= SigV4 - - %s - - -`,
			r.Client, user, requestLine(r, bytes.Clone), dash(r.Status), r.Bytes, r.Duration/1e6, or(r.Referer, "-"), or(r.Agent, "-"), r.Host)
	}, holds: func(r *ingest.Record) bool {
		return !hasByte(r.Target, '"') && !hasByte(r.Referer, '"') && !hasByte(r.User, ' ') // no escapes: the agent has the last quotes
	}},
}
