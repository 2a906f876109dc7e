package recordfile_test

import (
	"encoding/json"
	"math"
	"testing"
	"unicode/utf8"

	"reprise/anonymize/recordfile"

	"pgregory.net/rapid"
)

// encoding/json reads what the Append functions write.
func TestAppendAgainstJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.StringMatching(`["\\\x00-\x1f\x7fé→\x{1f600}\x{2028}]*`)).Draw(t, "string")
		raw := rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
		n := rapid.Int64().Draw(t, "int")
		x := rapid.Float64().Draw(t, "float")
		b := recordfile.AppendString(nil, "s", s)
		b = recordfile.AppendString(b, "raw", raw)
		b = recordfile.AppendInt(b, "n", n)
		b = append(recordfile.AppendFloat(b, "x", x), '}')
		var got struct {
			S   string
			Raw string
			N   int64
			X   float64
		}
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatalf("%v in %s", err, b)
		}
		var want string
		text, _ := json.Marshal(string(raw)) // which replaces wrong bytes in the same way
		json.Unmarshal(text, &want)
		if got.S != s || got.Raw != want || got.N != n || got.X != x {
			t.Fatalf("read back %+v from %s", got, b)
		}
		if !utf8.Valid(b) {
			t.Fatal("the line is no UTF-8")
		}
	})
}

// Object reads what encoding/json writes.
func TestObjectAgainstJSON(t *testing.T) {
	var o recordfile.Object
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.MapOf(rapid.String(), rapid.OneOf(
			rapid.Custom(func(t *rapid.T) any { return rapid.String().Draw(t, "s") }),
			rapid.Custom(func(t *rapid.T) any { return rapid.Int64().Draw(t, "n") }),
			rapid.Custom(func(t *rapid.T) any { return rapid.Float64().Draw(t, "x") }),
			rapid.Custom(func(t *rapid.T) any { return rapid.Bool().Draw(t, "b") }),
			rapid.Custom(func(t *rapid.T) any { return []any{rapid.String().Draw(t, "e"), 1.5} }),
		)).Draw(t, "object")
		line, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "indent") {
			line, _ = json.MarshalIndent(want, "", " \t")
		}
		o.Reset(line)
		n := 0
		for o.Next() {
			n++
			checkValue(t, want[string(o.Key)], o.Value)
		}
		if err := o.Err(); err != nil || n != len(want) {
			t.Fatalf("%d members of %d, error %v, in %s", n, len(want), err, line)
		}
	})
}

func checkValue(t *rapid.T, want any, v recordfile.Value) {
	switch w := want.(type) {
	case string:
		if !v.Quoted || string(v.Str) != w {
			t.Fatalf("string %q, want %q", v.Str, w)
		}
	case int64:
		if n, err := v.Int(); err != nil || n != w {
			t.Fatalf("int %d, %v, want %d", n, err, w)
		}
	case float64:
		if x, err := v.Float(); err != nil || x != w {
			t.Fatalf("float %v, %v, want %v", x, err, w)
		}
	case bool:
		if v.Quoted || string(v.Str) != map[bool]string{true: "true", false: "false"}[w] {
			t.Fatalf("bool %q, want %v", v.Str, w)
		}
	default:
		text, _ := json.Marshal(w)
		if len(v.Str) < len(text) || v.Str[0] != '[' || !json.Valid(v.Str) {
			t.Fatalf("nested %q, want %q", v.Str, text)
		}
	}
}

func TestObjectRefusesWhatIsNone(t *testing.T) {
	var o recordfile.Object
	for _, s := range []string{"", "{", "}", "[]", `"a"`, "{}x", `{"a"}`, `{"a":}`, `{"a":1`, `{"a":1,}x`, `{"a":1 "b":2}`, `{a:1}`, `{"a":"`, `{"a":"\`,
		`{"a":"\x"}`, `{"a":"\u12"}`, `{"a":"\u12g4"}`, `{"a":[1}`, `{"a":{"b":1}`, `{,}`, `{"a":"b"c"}`, `{"a":1}{"b":2}`} {
		o.Reset([]byte(s))
		for o.Next() {
		}
		if o.Err() == nil {
			t.Errorf("%s was taken for an object", s)
		}
	}
}

func TestIntBounds(t *testing.T) {
	f := func(s string, want int64, ok bool) {
		t.Helper()
		n, err := recordfile.Value{Str: []byte(s)}.Int()
		if (err == nil) != ok || n != want {
			t.Errorf("%s: %d, %v", s, n, err)
		}
	}
	f("0", 0, true)
	f("9223372036854775807", math.MaxInt64, true)
	f("-9223372036854775808", math.MinInt64, true)
	f("9223372036854775808", 0, false)
	f("-9223372036854775809", 0, false)
	f("99999999999999999999", 0, false)
	f("", 0, false)
	f("-", 0, false)
	f("1.5", 0, false)
	f("true", 0, false)
	if _, err := (recordfile.Value{Str: []byte("1"), Quoted: true}).Int(); err == nil {
		t.Error("a string was taken for a number")
	}
}

// What encoding/json takes for an object, Object takes too, with the same strings; and it never panics.
func FuzzObject(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":"b\n\u00e9\ud83d\ude00","n":-1.5e3,"x":[{"y":"]"}],"t":true}`, `{"a":"\ud800x"}`, ` { "a" : null } `, `{"a":"`} {
		f.Add([]byte(s))
	}
	var o recordfile.Object
	f.Fuzz(func(t *testing.T, line []byte) {
		o.Reset(line)
		got := make(map[string]recordfile.Value)
		for o.Next() {
			got[string(o.Key)] = recordfile.Value{Str: append([]byte(nil), o.Value.Str...), Quoted: o.Value.Quoted}
		}
		var want map[string]any
		if !utf8.Valid(line) || json.Unmarshal(line, &want) != nil || want == nil {
			return
		}
		if o.Err() != nil {
			t.Fatalf("encoding/json reads %q, Object does not", line)
		}
		for key, w := range want {
			v, ok := got[key]
			if s, isString := w.(string); !ok || isString && (!v.Quoted || string(v.Str) != s) {
				t.Fatalf("member %q is %q, want %q", key, v.Str, w)
			}
		}
	})
}

func TestCodecAllocatesNothing(t *testing.T) {
	line := []byte(`{"t":1331829283000000,"client":"250.57.211.220","target":"/p/8813?page=2","text":"a\"b"}`)
	var o recordfile.Object
	buf := make([]byte, 0, 256)
	if n := testing.AllocsPerRun(100, func() {
		o.Reset(line)
		for o.Next() {
		}
		buf = recordfile.AppendInt(buf[:0], "n", 12)
		buf = recordfile.AppendString(buf, "s", "é\n")
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
