package trace_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"reprise/anonymize/recordfile"
	"reprise/anonymize/trace"

	"pgregory.net/rapid"
)

// oracle is the record as encoding/json knows it; FORMAT.md fixes the order.
type oracle struct {
	T        int64  `json:"t"`
	User     string `json:"user,omitempty"`
	Client   string `json:"client,omitempty"`
	Method   string `json:"method"`
	Target   string `json:"target"`
	Endpoint string `json:"endpoint"`
	Host     string `json:"host,omitempty"`
	Status   uint16 `json:"status"`
	Bytes    *int64 `json:"bytes,omitempty"`
	Dur      *int64 `json:"dur,omitempty"`
	Agent    string `json:"agent,omitempty"`
	Coarse   *uint8 `json:"coarse,omitempty"`
	Header   string `json:"header,omitempty"`
}

func asOracle(r *trace.Record) oracle {
	o := oracle{T: r.Start, User: r.User.String(), Client: string(r.Client), Method: r.Method, Target: string(r.Target), Endpoint: r.Endpoint,
		Host: r.Host, Status: r.Status, Agent: r.Agent, Header: string(r.Header)}
	if r.Bytes != trace.Unknown {
		o.Bytes = &r.Bytes
	}
	if r.Duration != trace.Unknown {
		o.Dur = &r.Duration
	}
	if r.Coarse != 6 {
		o.Coarse = &r.Coarse
	}
	return o
}

// record draws any record that can be written.
func record(t *rapid.T) *trace.Record {
	text := rapid.OneOf(rapid.StringMatching(`[ -~]{1,30}`), rapid.String().Filter(func(s string) bool { return s != "" }))
	r := &trace.Record{
		Start:    rapid.Int64().Draw(t, "start"),
		Method:   text.Draw(t, "method"),
		Target:   []byte(text.Draw(t, "target")),
		Endpoint: text.Draw(t, "endpoint"),
		Status:   rapid.Uint16().Draw(t, "status"),
		Bytes:    rapid.Int64Range(-1, 1<<62).Draw(t, "bytes"),
		Duration: rapid.Int64Range(-1, 1<<62).Draw(t, "duration"),
		Coarse:   rapid.SampledFrom([]uint8{0, 3, 6}).Draw(t, "coarse"),
	}
	if rapid.Bool().Draw(t, "more") {
		r.User = [16]byte(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "user"))
		r.Client = []byte(text.Draw(t, "client"))
		r.Host, r.Agent = text.Draw(t, "host"), text.Draw(t, "agent")
		r.Header = []byte("Accept: " + text.Draw(t, "accept") + "\r\n")
	}
	return r
}

func TestCodecAgainstJSON(t *testing.T) {
	var d trace.Decoder
	rapid.Check(t, func(t *rapid.T) {
		r := record(t)
		line := r.AppendJSON(nil)
		var read oracle
		if err := json.Unmarshal(line, &read); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if !reflect.DeepEqual(read, asOracle(r)) {
			t.Fatalf("encoding/json reads %+v from %s", read, line)
		}
		theirs, err := json.Marshal(asOracle(r))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range [][]byte{line, theirs} {
			var got trace.Record
			if err := d.Decode(line, &got, nil); err != nil {
				t.Fatalf("%v in %s", err, line)
			}
			if !reflect.DeepEqual(asOracle(&got), asOracle(r)) {
				t.Fatalf("got %+v from %s", got, line)
			}
		}
	})
}

// The order of members and the defaults are part of the format.
func TestFormatIsFixed(t *testing.T) {
	r := trace.Record{Start: 1331829283000000, Client: []byte("250.57.211.220"), Method: "GET", Target: []byte("/p/8813?page=2"), Endpoint: "/p/{int}",
		Status: 200, Bytes: 5120, Duration: 1500, Agent: "chrome/17", Host: "h.example", Coarse: 3}
	r.User[0], r.User[15] = 0x5f, 0x99
	want := `{"t":1331829283000000,"user":"5f000000000000000000000000000099","client":"250.57.211.220","method":"GET","target":"/p/8813?page=2",` +
		`"endpoint":"/p/{int}","host":"h.example","status":200,"bytes":5120,"dur":1500,"agent":"chrome/17","coarse":3}`
	if got := string(r.AppendJSON(nil)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	least := trace.Record{Method: "GET", Target: []byte("/"), Endpoint: "/", Bytes: trace.Unknown, Duration: trace.Unknown, Coarse: 6}
	if got, want := string(least.AppendJSON(nil)), `{"t":0,"method":"GET","target":"/","endpoint":"/","status":0}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDecodeRefuses(t *testing.T) {
	var d trace.Decoder
	const ok = `{"t":1,"method":"GET","target":"/","endpoint":"/","status":200}`
	f := func(old, new string) {
		t.Helper()
		line := strings.Replace(ok, old, new, 1)
		var r trace.Record
		if err := d.Decode([]byte(line), &r, nil); err == nil {
			t.Errorf("%s was taken", line)
		}
	}
	f(`"GET"`, `""`)
	f(`"method":"GET",`, ``)
	f(`"target":"/",`, ``)
	f(`"target":"/"`, `"target":7`)
	f(`"endpoint":"/",`, ``)
	f(`200`, `"200"`)
	f(`200`, `65536`)
	f(`200`, `-1`)
	f(`"t":1`, `"t":1.5`)
	f(`"t":1`, `"t":1,"user":"5f"`)
	f(`"t":1`, `"t":1,"user":"zz000000000000000000000000000099"`)
	f(`"t":1`, `"t":1,"coarse":7`)
	f(`}`, ``)
}

func TestDecodeHandsOverForeignMembers(t *testing.T) {
	var d trace.Decoder
	var r trace.Record
	line := []byte(`{"weight":1.5,"t":1,"method":"GET","target":"/","endpoint":"/","status":200,"stratum":7}`)
	var got []string
	err := d.Decode(line, &r, func(key []byte, v recordfile.Value) error {
		got = append(got, fmt.Sprintf("%s=%s", key, v.Str))
		return nil
	})
	if err != nil || strings.Join(got, " ") != "weight=1.5 stratum=7" {
		t.Errorf("got %v, %v", got, err)
	}
	if err := d.Decode(line, &r, nil); err != nil {
		t.Errorf("unknown members must be skipped: %v", err)
	}
}

func TestCloneOwnsItsBytes(t *testing.T) {
	r := trace.Record{Client: []byte("c"), Target: []byte("/t")}
	c := r.Clone()
	r.Client[0], r.Target[1] = 'x', 'x'
	if string(c.Client) != "c" || string(c.Target) != "/t" {
		t.Error("Clone shares memory")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"t":1,"user":"5f000000000000000000000000000099","method":"GET","target":"/\u00e9","endpoint":"/","status":200,"bytes":-1,"coarse":0}`))
	f.Add([]byte(`{"t":-9223372036854775808,"method":"G","target":"/","endpoint":"/"}`))
	var d trace.Decoder
	f.Fuzz(func(t *testing.T, line []byte) {
		var r, again trace.Record
		if d.Decode(line, &r, nil) != nil {
			return
		}
		first := r.AppendJSON(nil)
		if err := d.Decode(first, &again, nil); err != nil {
			t.Fatalf("own line not read back: %v", err)
		}
		if second := again.AppendJSON(nil); string(second) != string(first) {
			t.Fatalf("%s became %s", first, second)
		}
	})
}

func TestDecodeAllocatesNothing(t *testing.T) {
	r := trace.Record{Start: 1331829283000000, Client: []byte("250.57.211.220"), Method: "GET", Target: []byte("/p/8813?page=2"), Endpoint: "/p/{int}",
		Status: 200, Bytes: 5120, Duration: 1500, Agent: "chrome/17", Host: "h.example"}
	line := r.AppendJSON(nil)
	var d trace.Decoder
	var got trace.Record
	buf := make([]byte, 0, 2*len(line))
	if n := testing.AllocsPerRun(100, func() {
		if err := d.Decode(line, &got, nil); err != nil {
			t.Fatal(err)
		}
		buf = got.AppendJSON(buf[:0])
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkDecode(b *testing.B) {
	r := trace.Record{Start: 1331829283000000, Client: []byte("250.57.211.220"), Method: "GET", Target: []byte("/p/8813?page=2"), Endpoint: "/p/{int}",
		Status: 200, Bytes: 5120, Duration: 1500, Agent: "chrome/17"}
	line := r.AppendJSON(nil)
	var d trace.Decoder
	b.ReportAllocs()
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		if err := d.Decode(line, &r, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	r := trace.Record{Start: 1331829283000000, Client: []byte("250.57.211.220"), Method: "GET", Target: []byte("/p/8813?page=2"), Endpoint: "/p/{int}",
		Status: 200, Bytes: 5120, Duration: 1500, Agent: "chrome/17"}
	var line []byte
	b.ReportAllocs()
	b.SetBytes(int64(len(r.AppendJSON(nil))))
	for b.Loop() {
		line = r.AppendJSON(line[:0])
	}
}
