package sample_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"reprise/anonymize/recordfile"
	"reprise/anonymize/trace"
	"reprise/sample"
)

// failer is what testing.T and rapid.T have in common.
type failer interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

const hour = 3_600_000_000

// shopTrace is a small deterministic trace: users with sessions over a few hours.
func shopTrace(n int) []*trace.Record {
	rng := rand.New(rand.NewPCG(5, 8))
	endpoints := []string{"/", "/p/{int}", "/p/{int}", "/p/{int}", "/cart", "/search"}
	records := make([]*trace.Record, n)
	start := int64(370_277) * hour
	for i := range records {
		start += int64(rng.IntN(4)) * 1_000_000
		r := &trace.Record{Start: start, Method: "GET", Endpoint: endpoints[rng.IntN(len(endpoints))], Status: 200,
			Bytes: int64(rng.IntN(9000)), Duration: trace.Unknown, Coarse: 6, Agent: "Firefox 115"}
		r.Target = fmt.Appendf(nil, "%s?n=%d", r.Endpoint, rng.IntN(50))
		r.Client = fmt.Appendf(nil, "240.0.0.%d", rng.IntN(200))
		r.User[0], r.User[15] = byte(rng.IntN(200)), 1
		if rng.IntN(20) == 0 {
			r.Method, r.Status, r.Endpoint = "POST", 503, "/orders"
		}
		records[i] = r
	}
	return records
}

// choose runs a Sampler over the records.
func choose(t failer, records []*trace.Record, o sample.Options) *sample.Selection {
	t.Helper()
	s, err := sample.New(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := s.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	v, err := s.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// write returns the bytes of the sample file and closes the selection.
func write(t failer, v *sample.Selection) []byte {
	t.Helper()
	var b bytes.Buffer
	h := recordfile.Header{Tool: "reprise test", KeyID: "k1", Lineage: []recordfile.Stage{{Stage: "anonymize", In: 9}}}
	if err := v.Write(&b, h); err != nil {
		t.Fatal(err)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// content is a sample file read back, with owned records.
type content struct {
	header  recordfile.Header
	table   sample.Table
	trailer recordfile.Trailer
	records []*sample.Record
}

func read(file []byte) (content, error) {
	r, err := sample.NewReader(bytes.NewReader(file))
	if err != nil {
		return content{}, err
	}
	defer r.Close()
	c := content{header: r.Header(), table: *r.Table()}
	for rec, err := range r.Records(context.Background()) {
		if err != nil {
			return c, err
		}
		own := *rec
		own.Record = *rec.Clone()
		c.records = append(c.records, &own)
	}
	c.trailer = r.Trailer()
	return c, nil
}

func mustRead(t failer, file []byte) content {
	t.Helper()
	c, err := read(file)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// plain is the uncompressed text of a record file.
func plain(t testing.TB, file []byte) []byte {
	t.Helper()
	d, err := zstd.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	text, err := io.ReadAll(d)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// anyTrace draws records in start order, with many equal ones and equal instants.
func anyTrace(t *rapid.T) []*trace.Record {
	n := rapid.IntRange(1, 120).Draw(t, "records")
	start := rapid.Int64Range(-5*hour, 400_000*hour).Draw(t, "start")
	records := make([]*trace.Record, n)
	for i := range records {
		start += rapid.SampledFrom([]int64{0, 0, 0, 1, 1_000_000, hour}).Draw(t, "gap")
		r := &trace.Record{Start: start, Method: rapid.SampledFrom([]string{"GET", "POST"}).Draw(t, "method"),
			Endpoint: rapid.SampledFrom([]string{"/a", "/b/{int}", "/c"}).Draw(t, "endpoint"),
			Status:   rapid.SampledFrom([]uint16{0, 200, 204, 404, 503, 999, 65535}).Draw(t, "status"),
			Bytes:    trace.Unknown, Duration: trace.Unknown, Coarse: 6}
		r.Target = []byte(rapid.SampledFrom([]string{"/a", `/b/1?q="\`, "/c"}).Draw(t, "target"))
		r.User[3] = byte(rapid.IntRange(0, 5).Draw(t, "user"))
		if rapid.Bool().Draw(t, "has client") {
			r.Client = []byte(rapid.SampledFrom([]string{"240.0.0.1", "host-ab"}).Draw(t, "client"))
		}
		records[i] = r
	}
	return records
}
