package sample_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"math"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reprise/anonymize/recordfile"
	"reprise/anonymize/trace"
	"reprise/sample"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestGoldenFile(t *testing.T) {
	got := plain(t, write(t, choose(t, shopTrace(60), sample.Options{PerStratum: 2, Seed: 7})))
	const name = "testdata/small.jsonl"
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the file differs from %s; if that is meant, the format version may have to rise\n%s", name, got)
	}
}

func TestBytesDependOnTraceSeedAndOptionsAlone(t *testing.T) {
	records := shopTrace(20_000)
	for _, o := range []sample.Options{{Fraction: .3, Seed: 9}, {PerStratum: 40, Seed: 9}, {Fraction: 1, Unit: sample.Request}} {
		first := write(t, choose(t, records, o))
		if !bytes.Equal(first, write(t, choose(t, records, o))) {
			t.Errorf("%+v: two runs differ", o)
		}
		spilled := o
		spilled.Memory, spilled.Tmp = 20_000, t.TempDir()
		if !bytes.Equal(first, write(t, choose(t, records, spilled))) {
			t.Errorf("%+v: the file differs when lines go to disk", o)
		}
		if left, err := os.ReadDir(spilled.Tmp); err != nil || len(left) > 0 {
			t.Errorf("%d temporary files are left, %v", len(left), err)
		}
		if o.Seed++; o.Fraction != 1 && bytes.Equal(first, write(t, choose(t, records, o))) {
			t.Errorf("%+v: another seed chooses the same", o)
		}
	}
}

func TestFileTellsTheTable(t *testing.T) {
	v := choose(t, shopTrace(5000), sample.Options{Fraction: .1, Seed: 4})
	table, totals := v.Table, v.Totals()
	file := write(t, v)
	c := mustRead(t, file)
	same := func(what string, got, want any) {
		t.Helper()
		a, errA := json.Marshal(got)
		b, errB := json.Marshal(want)
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: %s, want %s (%v %v)", what, a, b, errA, errB)
		}
	}
	same("strata", c.table.Strata, table.Strata)
	same("endpoints", c.table.Endpoints, table.Endpoints)
	same("profile", c.table.Profile, table.Profile)
	same("details", c.trailer.Details, totals)
	h := c.header
	same("options", h.Options, map[string]any{"by": []string{"hour", "endpoint"}, "fraction": .1, "unit": "user"})
	same("lineage", h.Lineage, []recordfile.Stage{{Stage: "anonymize", In: 9}, {Stage: "sample", In: 5000, Out: totals.Sample}})
	if h.Kind != "sample" || h.Version != recordfile.Version || h.Seed != 4 || h.KeyID != "k1" || h.Tool != "reprise test" {
		t.Errorf("header %+v", h)
	}
	for line := range strings.Lines(string(plain(t, file))) {
		if !json.Valid([]byte(line)) {
			t.Fatalf("line is no JSON: %s", line)
		}
	}
}

func TestReaderRefuses(t *testing.T) {
	file := write(t, choose(t, shopTrace(500), sample.Options{PerStratum: 3}))
	if _, err := read(file[:len(file)-20]); err == nil {
		t.Error("a cut file is read")
	}
	var other bytes.Buffer
	w, err := trace.NewWriter(&other, recordfile.Header{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(recordfile.Trailer{}); err != nil {
		t.Fatal(err)
	}
	var kind *recordfile.KindError
	if _, err := read(other.Bytes()); !errors.As(err, &kind) {
		t.Errorf("a trace file: %v", err)
	}
	const stratum = `{"stratum":0,"endpoint":"/a","population":2,"sample":1,"weight":2}`
	const record = `{"t":1,"method":"GET","target":"/a","endpoint":"/a","status":200,"stratum":0,"weight":2}`
	f := func(line int64, lines ...string) {
		t.Helper()
		_, err := read(lined(t, lines...))
		var at *recordfile.LineError
		switch {
		case line == 0 && err != nil:
			t.Errorf("%q: %v", lines, err)
		case line != 0 && (!errors.As(err, &at) || at.Line != line):
			t.Errorf("%q: %v, want an error on line %d", lines, err, line)
		}
	}
	f(0, stratum, record)
	f(0, stratum)
	f(2, `{"what":1}`)
	f(2, `nothing`)
	f(2, record)
	f(3, stratum, stratum)
	f(3, stratum, strings.Replace(record, `"weight":2`, `"weight":3`, 1))
	f(3, stratum, strings.Replace(record, `"stratum":0`, `"stratum":1`, 1))
	f(3, stratum, strings.Replace(record, `,"weight":2`, ``, 1))
	f(4, stratum, record, stratum)
	f(2, strings.Replace(stratum, `"sample":1`, `"sample":3`, 1))
	f(2, strings.Replace(stratum, `"weight":2`, `"weight":"2"`, 1))
	f(2, `{"profile":"all","start":1,"counts":[-1]}`)
	f(2, `{"profile":"all","start":1,"counts":"x"}`)
	f(2, `{"requests":0,"endpoint":"/a"}`)
	f(2, `{"requests":1,"endpoint":5}`)
}

// lined makes a sample file of lines as they are.
func lined(t failer, lines ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := recordfile.NewWriter(&b, recordfile.Header{Kind: sample.Kind, Version: recordfile.Version})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		if err := w.WriteLine([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(recordfile.Trailer{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// oracle has the members of FORMAT.md; encoding/json knows how to read and write them.
type oracle struct {
	T        int64   `json:"t"`
	User     string  `json:"user,omitempty"`
	Client   string  `json:"client,omitempty"`
	Method   string  `json:"method"`
	Target   string  `json:"target"`
	Endpoint string  `json:"endpoint"`
	Status   uint16  `json:"status"`
	Stratum  int32   `json:"stratum"`
	Weight   float64 `json:"weight"`
}

func TestCodecAgreesWithEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := sample.Record{Record: *anyTrace(t)[0], Stratum: rapid.Int32Range(0, math.MaxInt32).Draw(t, "stratum"),
			Weight: rapid.Float64Range(1e-3, 1e12).Draw(t, "weight")}
		line := r.AppendJSON(nil)
		want := oracle{r.Start, r.User.String(), string(r.Client), r.Method, string(r.Target), r.Endpoint, r.Status, r.Stratum, r.Weight}
		var got oracle
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&got); err != nil || got != want {
			t.Fatalf("%s is read as %+v (%v), want %+v", line, got, err, want)
		}
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var dec sample.Decoder
		var back sample.Record
		if err := dec.Decode(text, &back); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if again := back.AppendJSON(nil); !bytes.Equal(again, line) {
			t.Fatalf("%s came back as %s", line, again)
		}
	})
}

func FuzzDecoder(f *testing.F) {
	f.Add([]byte(`{"t":1,"method":"GET","target":"/a","endpoint":"/a","status":200,"stratum":0,"weight":2}`))
	f.Add([]byte(`{"t":-1,"user":"` + hex.EncodeToString(make([]byte, 16)) + `","method":"\u0041","target":"\\","endpoint":"e","stratum":7,"weight":1e3,"more":[1]}`))
	f.Add([]byte(`{"weight":-1,"stratum":9999999999}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var d sample.Decoder
		var r, back sample.Record
		if d.Decode(line, &r) != nil {
			return
		}
		text := r.AppendJSON(nil)
		if err := d.Decode(text, &back); err != nil {
			t.Fatalf("%q was written as %q: %v", line, text, err)
		}
		if !bytes.Equal(back.AppendJSON(nil), text) {
			t.Fatalf("%q is not stable: %q", text, back.AppendJSON(nil))
		}
	})
}
