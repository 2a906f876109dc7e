package plan_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"reprise/anonymize/recordfile"
	"reprise/anonymize/trace"
	"reprise/replay/plan"
)

// write returns the file of the arrivals and its plan_sha256.
func write(t testing.TB, h recordfile.Header, arrivals ...plan.Arrival) (file []byte, sum string) {
	t.Helper()
	var out bytes.Buffer
	w, err := plan.NewWriter(&out, h)
	if err != nil {
		t.Fatal(err)
	}
	for i := range arrivals {
		if err := w.Write(&arrivals[i]); err != nil {
			t.Fatal(err)
		}
	}
	sum, err = w.Close(recordfile.Trailer{})
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), sum
}

// read returns clones of all arrivals up to the first error.
func read(file []byte) ([]plan.Arrival, recordfile.Trailer, error) {
	r, err := plan.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, recordfile.Trailer{}, err
	}
	defer r.Close()
	var all []plan.Arrival
	for a, err := range r.Arrivals(context.Background()) {
		if err != nil {
			return all, r.Trailer(), err
		}
		all = append(all, *a.Clone())
	}
	return all, r.Trailer(), nil
}

// container writes lines as they are, with the checksums that belong to them except for plan_sha256.
func container(t testing.TB, kind, planSum string, lines ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := recordfile.NewWriter(&out, recordfile.Header{Kind: kind, Version: recordfile.Version})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		if err := w.WriteLine([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(recordfile.Trailer{PlanSHA256: planSum}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func get(at int64, target string) plan.Arrival {
	return plan.Arrival{At: at, Method: "GET", Target: []byte(target), Endpoint: "/x"}
}

func TestWriterRefuses(t *testing.T) {
	w, err := plan.NewWriter(io.Discard, recordfile.Header{})
	if err != nil {
		t.Fatal(err)
	}
	first := get(10, "/first")
	if err := w.Write(&first); err != nil {
		t.Fatal(err)
	}
	f := func(change func(*plan.Arrival)) {
		t.Helper()
		a := get(10, "/x")
		change(&a)
		err := w.Write(&a)
		if err == nil {
			t.Errorf("%+v was written", a)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("the error quotes the request: %v", err)
		}
	}
	f(func(a *plan.Arrival) { a.At = 9 })
	f(func(a *plan.Arrival) { a.At = -1 })
	f(func(a *plan.Arrival) { a.Method = "" })
	f(func(a *plan.Arrival) { a.Method = "GET secret" })
	f(func(a *plan.Arrival) { a.Method = "CONNECT" })
	f(func(a *plan.Arrival) { a.Target = nil })
	f(func(a *plan.Arrival) { a.Target = []byte("/secret here") })
	f(func(a *plan.Arrival) { a.Target = []byte("/x HTTP/1.1\r\n\r\nGET /secret") })
	f(func(a *plan.Arrival) { a.Target = []byte("http://secret.example/") })
	f(func(a *plan.Arrival) { a.Target = []byte("*") })
	f(func(a *plan.Arrival) { a.Host = "secret\r\nX-Two: 2" })
	f(func(a *plan.Arrival) { a.Host = "secret host" })
	f(func(a *plan.Arrival) { a.Type = "text/secret\n" })
	f(func(a *plan.Arrival) { a.Header = []byte("secret") })
	f(func(a *plan.Arrival) { a.Header = []byte("Secret: 1") })
	f(func(a *plan.Arrival) { a.Header = []byte("Secret 1: 1\r\n") })
	f(func(a *plan.Arrival) { a.Header = []byte("X-User: 1\r\n\r\n") })
	f(func(a *plan.Arrival) { a.Header = []byte("X-User: 1\nSecret: 2\r\n") })
	f(func(a *plan.Arrival) { a.Body = []byte("secret\xff") })
	f(func(a *plan.Arrival) { a.Withheld, a.Target = plan.Unreplayable, []byte("secret\xff") })
	f(func(a *plan.Arrival) { a.Body = bytes.Repeat([]byte("x"), recordfile.MaxLine) })

	last := get(10, "/last")
	if err := w.Write(&last); err != nil {
		t.Fatalf("an arrival after refused ones: %v", err)
	}
	sum, err := w.Close(recordfile.Trailer{})
	if err != nil {
		t.Fatal(err)
	}
	if _, want := write(t, recordfile.Header{}, first, last); sum != want {
		t.Errorf("plan_sha256 %s, want %s: refused arrivals left a trace", sum, want)
	}
}

func TestWithheldMayHoldAnyText(t *testing.T) {
	a := plan.Arrival{Method: "CONNECT", Target: []byte("a b\r\n"), Withheld: plan.Unreplayable}
	file, _ := write(t, recordfile.Header{}, a)
	got, _, err := read(file)
	if err != nil || len(got) != 1 || string(got[0].Target) != "a b\r\n" || got[0].Withheld != plan.Unreplayable {
		t.Errorf("read back %+v, error %v", got, err)
	}
}

func TestPlanSumIsThatOfTheArrivals(t *testing.T) {
	arrivals := []plan.Arrival{get(0, "/a"), get(0, "/b"), get(5, "/c")}
	file, sum := write(t, recordfile.Header{Tool: "one", Seed: 1}, arrivals...)
	other, same := write(t, recordfile.Header{Tool: "two", Seed: 2, Options: map[string]any{"rate": 5}}, arrivals...)
	if sum != same {
		t.Errorf("plan_sha256 depends on the header: %s and %s", sum, same)
	}
	if bytes.Equal(file, other) {
		t.Error("the two files are equal, so the headers were not written")
	}
	for i := range arrivals {
		changed := append([]plan.Arrival(nil), arrivals...)
		changed[i].Status = 404
		if _, sum2 := write(t, recordfile.Header{}, changed...); sum2 == sum {
			t.Errorf("plan_sha256 does not see a change of arrival %d", i)
		}
	}
	_, trailer, err := read(file)
	if err != nil || trailer.PlanSHA256 != sum || trailer.Records != 3 {
		t.Errorf("trailer %+v, error %v", trailer, err)
	}
}

func TestReaderRefuses(t *testing.T) {
	good := `{"at":5,"method":"GET","target":"/x","endpoint":"/x"}`
	f := func(name, want string, file []byte) {
		t.Helper()
		_, _, err := read(file)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", name, err, want)
		}
	}
	f("foreign kind", "trace file, not a plan file", container(t, trace.Kind, "", good))
	f("no plan_sha256", "plan_sha256", container(t, plan.Kind, "", good))
	f("wrong plan_sha256", "plan_sha256", container(t, plan.Kind, strings.Repeat("0", 64), good))
	f("decreasing", "line 3: the instant lies before", container(t, plan.Kind, "", good, strings.Replace(good, "5", "4", 1)))
	f("negative", "line 2: ", container(t, plan.Kind, "", strings.Replace(good, "5", "-5", 1)))
	f("no method", "line 2: ", container(t, plan.Kind, "", `{"at":0,"target":"/","endpoint":"/"}`))
	f("no target", "line 2: ", container(t, plan.Kind, "", `{"at":0,"method":"GET","endpoint":"/"}`))
	f("smuggled", "line 2: ", container(t, plan.Kind, "", `{"at":0,"method":"GET","target":"/ HTTP/1.1\r\nA: b","endpoint":"/"}`))
	f("header", "line 2: ", container(t, plan.Kind, "", `{"at":0,"method":"GET","target":"/","endpoint":"/","header":"A: b\r\n\r\n"}`))
	for _, member := range []string{`"at":"5"`, `"at":1.5`, `"method":1`, `"target":true`, `"user":"xy"`, `"status":70000`,
		`"status":-1`, `"status":"200"`, `"header":7`, `"body":null`, `"withheld":1`, `"host":[]`, `"type":{}`} {
		name, _, _ := strings.Cut(member, ":")
		f(member, "line 2: member "+name, container(t, plan.Kind, "", strings.Replace(good, "{", "{"+member+",", 1)))
	}
	f("not JSON", "line 2: ", container(t, plan.Kind, "", "hello"))
	f("empty", "", nil)
}

func TestReaderSkipsUnknownMembers(t *testing.T) {
	file := container(t, plan.Kind, "", `{"at":5,"later":{"a":[1]},"method":"GET","target":"/x","endpoint":"/x","more":"\u00e9"}`)
	got, _, err := read(file)
	if len(got) != 1 || string(got[0].Target) != "/x" {
		t.Errorf("read %+v", got)
	}
	if !errors.Is(err, recordfile.ErrChecksum) {
		t.Errorf("error %v, want ErrChecksum for the missing plan_sha256", err)
	}
}

// TestTruncation cuts a small file at every byte, and one of two frames where the second begins and at some
// bytes within: each cut must be an error, never a panic, and never the end of the plan.
func TestTruncation(t *testing.T) {
	small, _ := write(t, recordfile.Header{Tool: "test"}, get(0, "/a"), get(1, "/b"), get(1, "/c"))
	for n := range small {
		cut(t, small, n)
	}
	arrivals := make([]plan.Arrival, recordfile.FrameLines+10)
	for i := range arrivals {
		arrivals[i] = get(int64(i/100), "/x")
	}
	large, _ := write(t, recordfile.Header{Tool: "test"}, arrivals...)
	second := bytes.LastIndex(large, []byte{0x28, 0xb5, 0x2f, 0xfd}) // the magic number of a zstd frame
	if second < 1 {
		t.Fatal("the file has one frame only")
	}
	for n := second; n < len(large); n += 29 {
		cut(t, large, n)
	}
	if got, _, err := read(large); err != nil || len(got) != len(arrivals) {
		t.Errorf("whole file: %d arrivals, error %v", len(got), err)
	}
}

func cut(t *testing.T, file []byte, n int) {
	t.Helper()
	if _, _, err := read(file[:n]); err == nil {
		t.Fatalf("a plan cut to %d of %d bytes was read without an error", n, len(file))
	}
}

func TestDamage(t *testing.T) {
	file, _ := write(t, recordfile.Header{}, get(0, "/a"), get(1, "/b"))
	for n := range file {
		damaged := bytes.Clone(file)
		damaged[n] ^= 0x10
		if got, _, err := read(damaged); err == nil && fmt.Sprint(got) != fmt.Sprint(must(read(file))) {
			t.Fatalf("a flipped bit in byte %d changed the plan unseen", n)
		}
	}
}

func must(a []plan.Arrival, _ recordfile.Trailer, err error) []plan.Arrival {
	if err != nil {
		panic(err)
	}
	return a
}

func TestArrivalsStopsAndGoesOn(t *testing.T) {
	file, _ := write(t, recordfile.Header{}, get(0, "/a"), get(7, "/b"), get(7, "/c"))
	r, err := plan.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var got []string
	for a := range r.Arrivals(context.Background()) {
		got = append(got, string(a.Target))
		break
	}
	for a, err := range r.Arrivals(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(a.Target))
	}
	if strings.Join(got, "") != "/a/b/c" {
		t.Errorf("read %v", got)
	}
}

func TestArrivalsEndsWithTheContext(t *testing.T) {
	file, _ := write(t, recordfile.Header{}, get(0, "/a"))
	r, err := plan.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	for a, err := range r.Arrivals(ctx) {
		if a != nil || !errors.Is(err, cause) {
			t.Errorf("yielded %v, %v", a, err)
		}
	}
}

func TestCloneOwnsItsSlices(t *testing.T) {
	a := plan.Arrival{Target: []byte("/a"), Header: []byte("h"), Body: []byte("b")}
	c := a.Clone()
	a.Target[1], a.Header[0], a.Body[0] = 'x', 'x', 'x'
	if string(c.Target)+string(c.Header)+string(c.Body) != "/ahb" {
		t.Errorf("the clone changed with its original: %+v", c)
	}
}
