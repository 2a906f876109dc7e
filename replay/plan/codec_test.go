package plan_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reprise/anonymize/recordfile"
	"reprise/anonymize/trace"
	"reprise/replay/plan"
)

// row is an arrival line as encoding/json reads and writes it: the oracle of the hand-written codec.
type row struct {
	At       int64  `json:"at"`
	Method   string `json:"method"`
	Target   string `json:"target"`
	Endpoint string `json:"endpoint"`
	Host     string `json:"host,omitempty"`
	User     string `json:"user,omitempty"`
	Status   uint16 `json:"status,omitempty"`
	Header   string `json:"header,omitempty"`
	Type     string `json:"type,omitempty"`
	Body     string `json:"body,omitempty"`
	Withheld string `json:"withheld,omitempty"`
}

func rowOf(a *plan.Arrival) row {
	return row{a.At, a.Method, string(a.Target), a.Endpoint, a.Host, a.User.String(), a.Status, string(a.Header),
		a.Type, string(a.Body), string(a.Withheld)}
}

func drawArrival(t *rapid.T, least int64) plan.Arrival {
	a := plan.Arrival{
		At:       least + rapid.Int64Range(0, 1<<40).Draw(t, "gap"),
		Method:   rapid.SampledFrom([]string{"GET", "HEAD", "POST", "PATCH", "X-OWN"}).Draw(t, "method"),
		Target:   []byte("/" + rapid.StringMatching(`[!-~]{0,30}`).Draw(t, "target")),
		Endpoint: rapid.String().Draw(t, "endpoint"),
		Host:     rapid.StringMatching(`([!-"$-+--.0->A-[\]-~]{1,12})?`).Draw(t, "host"),
		Status:   rapid.Uint16().Draw(t, "status"),
		Type:     rapid.SampledFrom([]string{"", "application/json", "text/plain; charset=utf-8"}).Draw(t, "type"),
		Body:     []byte(rapid.String().Draw(t, "body")),
		Withheld: rapid.SampledFrom([]plan.Withheld{plan.Sent, plan.Sent, plan.Write, plan.Unbound, plan.Unreplayable}).Draw(t, "withheld"),
	}
	for range rapid.IntRange(0, 2).Draw(t, "lines") {
		a.Header = append(a.Header, rapid.StringMatching(`X-[A-Za-z-]{0,9}: [\t -~é]{0,20}`).Draw(t, "line")+"\r\n"...)
	}
	if a.Withheld != plan.Sent {
		a.Target = append(a.Target, rapid.String().Draw(t, "any text")...)
	}
	if rapid.Bool().Draw(t, "known user") {
		copy(a.User[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "user"))
	}
	return a
}

// TestCodecAgainstOracle holds the codec against encoding/json in both directions.
func TestCodecAgainstOracle(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(rt, "arrivals")
		var arrivals []plan.Arrival
		var lines []string
		least := int64(0)
		for range n {
			a := drawArrival(rt, least)
			least = a.At
			arrivals = append(arrivals, a)
			line := a.AppendJSON(nil)
			var got row
			d := json.NewDecoder(bytes.NewReader(line))
			d.DisallowUnknownFields()
			if err := d.Decode(&got); err != nil || got != rowOf(&a) {
				rt.Fatalf("encoding/json reads %s as %+v (%v), want %+v", line, got, err, rowOf(&a))
			}
			oracle, err := json.Marshal(rowOf(&a))
			if err != nil {
				rt.Fatal(err)
			}
			lines = append(lines, string(oracle))
		}
		check := func(name string, file []byte, whole bool) {
			got, _, err := read(file)
			if whole && err != nil || len(got) != n {
				rt.Fatalf("%s: %d of %d arrivals, error %v", name, len(got), n, err)
			}
			for i := range got {
				if rowOf(&got[i]) != rowOf(&arrivals[i]) {
					rt.Fatalf("%s: arrival %d is %+v, want %+v", name, i, rowOf(&got[i]), rowOf(&arrivals[i]))
				}
			}
		}
		file, _ := write(t, recordfile.Header{}, arrivals...)
		check("own file", file, true)
		check("oracle's file", container(t, plan.Kind, "", lines...), false) // it has no plan_sha256
	})
}

// TestLinesAsDocumented pins the bytes: FORMAT.md promises the order and the defaults.
func TestLinesAsDocumented(t *testing.T) {
	f := func(a plan.Arrival, want string) {
		t.Helper()
		if got := string(a.AppendJSON(nil)); got != want {
			t.Errorf("line %s, want %s", got, want)
		}
	}
	f(plan.Arrival{Method: "GET", Target: []byte("/")}, `{"at":0,"method":"GET","target":"/","endpoint":""}`)
	f(plan.Arrival{At: 812500, Method: "POST", Target: []byte("/orders"), Endpoint: "/orders", Host: "h", User: trace.Pseudonym{0x9f},
		Status: 201, Header: []byte("X-User: 4\r\n"), Type: "application/json", Body: []byte(`{"a":"é"}`), Withheld: plan.Write},
		`{"at":812500,"method":"POST","target":"/orders","endpoint":"/orders","host":"h","user":"9f000000000000000000000000000000",`+
			`"status":201,"header":"X-User: 4\r\n","type":"application/json","body":"{\"a\":\"é\"}","withheld":"write"}`)
}

// full is an arrival with every member, so that nothing in the decoder is left out.
func full() plan.Arrival {
	return plan.Arrival{Method: "POST", Target: []byte("/cart/items?x=%41"), Endpoint: "/cart/items", Host: "shop.test",
		User: trace.Pseudonym{1, 2, 3}, Status: 201, Header: []byte("X-User: 17\r\n"), Type: "application/json",
		Body: []byte(`{"product_id": 4711, "quantity": 1}`)}
}

func fullFile(t testing.TB, n int) []byte {
	arrivals := make([]plan.Arrival, n)
	for i := range arrivals {
		arrivals[i] = full()
		arrivals[i].At = int64(i)
	}
	file, _ := write(t, recordfile.Header{}, arrivals...)
	return file
}

// TestDecodeDoesNotAllocate measures the second half of a file, when all words are known and all buffers
// have grown. An iteration costs a few allocations itself, whatever its length.
func TestDecodeDoesNotAllocate(t *testing.T) {
	const n = 2 * recordfile.FrameLines
	r, err := plan.NewReader(bytes.NewReader(fullFile(t, n)))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	take := func(left int) {
		for _, err := range r.Arrivals(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			if left--; left == 0 {
				return
			}
		}
		t.Fatal("the file is too short for this test")
	}
	take(n/2 + 1000)
	const part = 2000
	// AllocsPerRun warms up with one run of its own.
	if allocs := testing.AllocsPerRun(1, func() { take(part) }); allocs > 5 {
		t.Errorf("%v allocations for %d arrivals, want none per arrival", allocs, part)
	}
}

func BenchmarkRead(b *testing.B) {
	const n = 4 * recordfile.FrameLines
	file := fullFile(b, n)
	b.SetBytes(int64(n * len(mustLine())))
	b.ReportAllocs()
	for b.Loop() {
		r, err := plan.NewReader(bytes.NewReader(file))
		if err != nil {
			b.Fatal(err)
		}
		count := 0
		for _, err := range r.Arrivals(context.Background()) {
			if err != nil {
				b.Fatal(err)
			}
			count++
		}
		r.Close()
		if count != n {
			b.Fatalf("%d arrivals", count)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/arrival")
}

func BenchmarkWrite(b *testing.B) {
	w, err := plan.NewWriter(io.Discard, recordfile.Header{})
	if err != nil {
		b.Fatal(err)
	}
	a := full()
	b.SetBytes(int64(len(mustLine())))
	b.ReportAllocs()
	for b.Loop() {
		if err := w.Write(&a); err != nil {
			b.Fatal(err)
		}
		a.At++
	}
}

func mustLine() []byte {
	a := full()
	return a.AppendJSON(nil)
}

// FuzzArrival feeds lines to the reader: it must not panic, and what it accepts must survive a round trip.
func FuzzArrival(f *testing.F) {
	a := full()
	f.Add(string(a.AppendJSON(nil)))
	f.Add(`{"at":0,"method":"GET","target":"/","endpoint":""}`)
	f.Add(`{"at":1,"method":"CONNECT","target":"a:1","endpoint":"","withheld":"unreplayable"}`)
	f.Add(`{"at":0,"at":2,"method":"G\u0045T","target":"\u002f\ud83d","x":{"y":[1,"]"]}}`)
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsAny(line, "\n") || strings.HasPrefix(line, `{"records":`) || len(line) > 1<<16 {
			t.Skip()
		}
		got, _, _ := read(container(t, plan.Kind, "", line))
		if len(got) == 0 {
			return
		}
		var out bytes.Buffer
		w, err := plan.NewWriter(&out, recordfile.Header{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(&got[0]); err != nil {
			return // not UTF-8: the reader takes what JSON leaves open, the writer never makes it
		}
		if _, err := w.Close(recordfile.Trailer{}); err != nil {
			t.Fatal(err)
		}
		again, _, err := read(out.Bytes())
		if err != nil || len(again) != 1 || !reflect.DeepEqual(rowOf(&again[0]), rowOf(&got[0])) {
			t.Errorf("read %+v, then %+v (%v)", got, again, err)
		}
	})
}
