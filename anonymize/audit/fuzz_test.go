package audit_test

import (
	"bytes"
	"context"
	"io"
	"testing"

	"reprise/anonymize/audit"
	"reprise/anonymize/recordfile"
	"reprise/anonymize/rules"
	"reprise/anonymize/trace"
)

// FuzzTarget puts any target and header into a trace: the audit comes to an end and finds the canary where it stands.
func FuzzTarget(f *testing.F) {
	f.Add("/p/%41%2542?a=%7b%22alg%22:1}", "Cookie: a=b; c\r\nForwarded: for=x;proto=y\r\n")
	f.Add("http://u:p@h:1/x;y=z#eyJhbGciOiJIUzI1NiJ9.e30.x", "Referer: //\r\nX")
	f.Add("[::1]:80", "X-Forwarded-For: , ,\r\n")
	f.Fuzz(func(t *testing.T, target, header string) {
		if target == "" {
			return
		}
		canaries, err := audit.ReadCanaries(bytes.NewReader([]byte("Kiralyhegyi 4711\n")))
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		w, err := trace.NewWriter(&b, recordfile.Header{Tool: "reprise test"})
		if err != nil {
			t.Fatal(err)
		}
		r := trace.Record{Method: "GET", Target: []byte(target + "/kiralyhegyi%204711"), Endpoint: "{unmatched}", Header: []byte(header), Bytes: trace.Unknown, Duration: trace.Unknown}
		if err := w.Write(&r); err != nil {
			t.Skip() // the container refuses what is no text
		}
		if err := w.Close(recordfile.Trailer{}); err != nil {
			t.Fatal(err)
		}
		report, err := audit.Run(context.Background(), audit.Options{Trace: func() (io.Reader, error) { return bytes.NewReader(b.Bytes()), nil }, Rules: rules.Default(), Canaries: canaries})
		if err != nil {
			t.Fatal(err)
		}
		if report.Check("canaries").Status != audit.Red {
			t.Errorf("the canary was not found behind %q", target)
		}
	})
}
