package ingest_test

import (
	"bytes"
	"fmt"
	"strings"

	"reprise/ingest"
)

// w3cTarget splits a target into the columns cs-uri-stem and cs-uri-query.
func w3cTarget(target []byte) (stem, query []byte) {
	stem, query, _ = bytes.Cut(target, []byte("?"))
	return or(stem, "-"), or(query, "-")
}

// holdsW3C tells targets that two columns can hold: a space would be written as a plus sign, and a question
// mark without a query is not written.
func holdsW3C(r *ingest.Record) bool {
	q := bytes.IndexByte(r.Target, '?')
	return !bytes.ContainsAny(r.Target, " \t") && q != 0 && q != len(r.Target)-1
}

// cloudFront encodes a header as CloudFront does: once more than the client did.
func cloudFront(s []byte) []byte { return hex(s, "%", ` %"#<>[]\^{|}~'`+"`") }

// w3cConverters name their columns in the file.
var w3cConverters = []converter{
	{name: "w3c", unit: 1e9,
		head: "#Software: Microsoft Internet Information Services 10.0\n#Version: 1.0\n#Date: 2025-03-12 09:14:03\n" +
			"#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs-version cs(User-Agent) cs(Referer) cs-host sc-status sc-substatus sc-win32-status sc-bytes cs-bytes time-taken\n",
		write: func(b []byte, r *ingest.Record) []byte {
			plus := func(s []byte) []byte { return bytes.ReplaceAll(or(s, "-"), []byte(" "), []byte("+")) }
			stem, query := w3cTarget(r.Target)
			b = at(b, r.Start+r.Duration, "2006-01-02 15:04:05")
			return fmt.Appendf(b, " 10.0.0.4 %s %s %s 443 %s %s %s %s %s %s %d 0 0 %d 120 %d", r.Method, stem, query, plus(r.User), r.Client, r.Protocol,
				plus(r.Agent), plus(r.Referer), r.Host, r.Status, r.Bytes, r.Duration/1e6)
		},
		holds: holdsW3C,
		reads: func(r *ingest.Record) { // which plus signs were spaces is lost: agents have spaces, referers should not
			r.Agent = bytes.ReplaceAll(r.Agent, []byte("+"), []byte(" "))
			r.User = bytes.ReplaceAll(r.User, []byte("+"), []byte(" "))
			r.Referer = bytes.ReplaceAll(r.Referer, []byte(" "), []byte("+"))
		}},
	{name: "cloudfront", unit: 1e9, lacks: "user",
		head: "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) " +
			"x-edge-result-type x-edge-request-id x-host-header cs-protocol cs-bytes time-taken x-forwarded-for ssl-protocol ssl-cipher x-edge-response-result-type cs-protocol-version " +
			"fle-status fle-encrypted-fields c-port time-to-first-byte x-edge-detailed-result-type sc-content-type sc-content-len sc-range-start sc-range-end\n",
		write: func(b []byte, r *ingest.Record) []byte {
			stem, query := w3cTarget(cloudFront(r.Target))
			seconds := float64(r.Duration) / 1e9
			columns := fmt.Sprintf(" FRA56-C1 %d %s %s d1.cloudfront.example %s %03d %s %s %s - Miss SOX4xwn4XV6Q4rgb7XiVGOHms_BGlTAC4KyHmureZmBNrjGdRLiNIQ== "+
				"%s https 23 %.3f - TLSv1.3 TLS_AES_128_GCM_SHA256 Miss %s - - 11040 %.3f Miss text/html 78 - -",
				r.Bytes, r.Client, r.Method, stem, r.Status, or(cloudFront(r.Referer), "-"), or(cloudFront(r.Agent), "-"), query, r.Host, seconds, r.Protocol, seconds)
			return append(at(b, r.Start+r.Duration, "2006-01-02\t15:04:05"), strings.ReplaceAll(columns, " ", "\t")...)
		},
		holds: func(r *ingest.Record) bool {
			return holdsW3C(r) && bytes.Equal(r.Target, hex(r.Target, "%", "#")) // else the client may have encoded the byte itself
		}},
}
