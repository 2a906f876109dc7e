package trace_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"reprise/anonymize/recordfile"
	"reprise/anonymize/trace"
)

func written(t testing.TB, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := trace.NewWriter(&b, recordfile.Header{Tool: "reprise test", KeyID: "01020304"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := w.Write(numbered(int64(i), i, 10)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(recordfile.Trailer{Details: []byte(`{"lines":{}}`)}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestFileRoundTrip(t *testing.T) {
	const n = 20_000
	r, err := trace.NewReader(bytes.NewReader(written(t, n)))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if h := r.Header(); h.Kind != trace.Kind || h.Version != recordfile.Version || h.KeyID != "01020304" {
		t.Errorf("header is %+v", h)
	}
	i := 0
	for rec, err := range r.Records(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		if want := numbered(int64(i), i, 10); rec.Start != want.Start || string(rec.Target) != string(want.Target) {
			t.Fatalf("record %d is %+v", i, rec)
		}
		i++
	}
	if i != n || r.Trailer().Records != n || string(r.Trailer().Details) != `{"lines":{}}` {
		t.Errorf("%d records, trailer %+v", i, r.Trailer())
	}
}

// After a cut the records before it come, and then one error.
func TestFileCut(t *testing.T) {
	b := written(t, recordfile.FrameLines)
	r, err := trace.NewReader(bytes.NewReader(b[:bytes.LastIndex(b, []byte{0x28, 0xb5, 0x2f, 0xfd})]))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	errs := 0
	for _, err := range r.Records(context.Background()) {
		if err != nil {
			errs++
			if !errors.Is(err, recordfile.ErrTruncated) {
				t.Errorf("error is %v", err)
			}
		}
	}
	if errs != 1 {
		t.Errorf("%d errors", errs)
	}
}

func TestFileWithForeignRecord(t *testing.T) {
	var b bytes.Buffer
	w, err := recordfile.NewWriter(&b, recordfile.Header{Kind: trace.Kind, Version: recordfile.Version})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.WriteLine([]byte(`{"t":"secret-value"}`)), w.Close(recordfile.Trailer{})); err != nil {
		t.Fatal(err)
	}
	r, err := trace.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, err := range r.Records(context.Background()) {
		if err == nil || !strings.HasPrefix(err.Error(), `line 2: member "t"`) || strings.Contains(err.Error(), "secret") {
			t.Errorf("error is %v", err)
		}
	}
}

func TestFileOfAnotherKind(t *testing.T) {
	var b bytes.Buffer
	w, err := recordfile.NewWriter(&b, recordfile.Header{Kind: "plan", Version: recordfile.Version})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(recordfile.Trailer{}); err != nil {
		t.Fatal(err)
	}
	_, err = trace.NewReader(&b)
	var kind *recordfile.KindError
	if !errors.As(err, &kind) || kind.Got != "plan" {
		t.Errorf("error is %v", err)
	}
}
