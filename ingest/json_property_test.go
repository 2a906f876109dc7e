package ingest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reprise/ingest"
)

// jsonLeaf is a value of a drawn object and its path in the mapping language.
type jsonLeaf struct {
	path  string
	value any // string or int64
}

// drawJSON draws an object and adds the leaves that a mapping can reach to leaves.
func drawJSON(t *rapid.T, path string, depth int, leaves *[]jsonLeaf) map[string]any {
	object := map[string]any{}
	for _, key := range rapid.SliceOfNDistinct(rapid.StringN(1, 6, -1), 0, 6, strings.ToLower).Draw(t, "keys") {
		escaped := strings.NewReplacer(`\`, `\\`, `.`, `\.`, `,`, `\,`, `:`, `\:`, `[`, `\[`).Replace(key)
		object[key] = drawJSONValue(t, path+"."+escaped, depth, leaves)
	}
	return object
}

func drawJSONValue(t *rapid.T, path string, depth int, leaves *[]jsonLeaf) any {
	kind := rapid.IntRange(0, 6).Draw(t, "kind")
	switch {
	case kind == 0 && depth > 0:
		return drawJSON(t, path, depth-1, leaves)
	case kind == 1 && depth > 0:
		list := []any{}
		for i := range rapid.IntRange(0, 3).Draw(t, "elements") {
			var others []jsonLeaf
			value := drawJSONValue(t, path+"[0]", depth-1, &others)
			if _, nested := value.([]any); i == 0 && !nested {
				*leaves = append(*leaves, others...)
			}
			list = append(list, value)
		}
		return list
	case kind == 2:
		return rapid.SampledFrom([]any{nil, true, false, 0.25, -1e300}).Draw(t, "literal")
	case kind == 3:
		n := rapid.Int64Min(0).Draw(t, "number")
		*leaves = append(*leaves, jsonLeaf{path, n})
		return n
	}
	s := rapid.String().Draw(t, "string")
	*leaves = append(*leaves, jsonLeaf{path, s})
	return s
}

// The scanner finds what encoding/json wrote, wherever it stands.
func TestJSONFindsWhatEncodingJSONWrote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var leaves []jsonLeaf
		object := drawJSON(t, "x", 4, &leaves)
		var line bytes.Buffer
		encoder := json.NewEncoder(&line)
		encoder.SetEscapeHTML(rapid.Bool().Draw(t, "html"))
		if err := encoder.Encode(map[string]any{"t": 1741767243, "r": "GET / HTTP/1.1", "x": object}); err != nil {
			t.Fatal(err)
		}
		text := bytes.TrimSuffix(line.Bytes(), []byte("\n"))
		if rapid.Bool().Draw(t, "indent") {
			var spaced bytes.Buffer
			if err := json.Indent(&spaced, text, " ", "\t"); err != nil {
				t.Fatal(err)
			}
			text = bytes.ReplaceAll(spaced.Bytes(), []byte("\n"), []byte("\r")) // a line may hold any white space but its end
		}
		for _, leaf := range leaves {
			field := "agent"
			if _, number := leaf.value.(int64); number {
				field = "bytes"
			}
			f, err := ingest.NewFormat("json:time=t,request=r,"+field+"="+leaf.path, ingest.FormatOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var r ingest.Record
			if v := f.Parse(bytes.Clone(text), &r); !v.OK() {
				t.Fatalf("%s at column %d of %s", v.Reason, v.Column, text)
			}
			switch want := leaf.value.(type) {
			case int64:
				if r.Bytes != want {
					t.Fatalf("%s: %d, want %d in %s", leaf.path, r.Bytes, want, text)
				}
			case string:
				if want == "-" || want == `""` {
					want = ""
				}
				if string(r.Agent) != want {
					t.Fatalf("%s: %q, want %q in %s", leaf.path, r.Agent, want, text)
				}
			}
		}
	})
}

func parseDrawn(t *rapid.T, spec, line string) (r ingest.Record) {
	f, err := ingest.NewFormat(spec, ingest.FormatOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if v := f.Parse([]byte(line), &r); !v.OK() {
		t.Fatalf("%s: %s at column %d of %s", spec, v.Reason, v.Column, line)
	}
	return r
}

// Decimal text gives the integer that exact arithmetic gives.
func TestJSONNumbersAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ns := rapid.Int64Range(0, time.Date(2261, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()).Draw(t, "ns")
		for kind, unit := range map[string]int64{"unix": 1e9, "unixms": 1e6, "unixus": 1e3, "unixns": 1} {
			places := len(strconv.FormatInt(unit, 10)) - 1
			text := strconv.FormatInt(ns/unit, 10)
			if places > 0 {
				text += fmt.Sprintf(".%0*d", places, ns%unit)
			}
			if len(text) < 19 {
				continue // so short that it may be the text of a float, which is rounded
			}
			r := parseDrawn(t, "json:start=t:"+kind+",request=r", `{"t":`+text+`,"r":"GET / HTTP/1.1"}`)
			if r.Start != ns {
				t.Fatalf("%s %s: %d, want %d", kind, text, r.Start, ns)
			}
		}
		d := time.Duration(ns % (50 * 365 * 86400 * 1e9)) // longer than that is no duration
		r := parseDrawn(t, "json:time=t,request=r,duration=d", jsonLine(`,"d":"`+d.String()+`"`))
		if r.Duration != int64(d) {
			t.Fatalf("%s: %d, want %d", d, r.Duration, d)
		}
		seconds := float64(rapid.Int64Range(0, 4e9).Draw(t, "us")) / 1e6
		for _, format := range []byte("feg") {
			text := strconv.FormatFloat(seconds, format, -1, 64)
			r := parseDrawn(t, "json:time=t,request=r,duration=d", jsonLine(`,"d":`+text))
			if want := time.Duration(seconds*1e6+0.5) * time.Microsecond; r.Duration != int64(want) {
				t.Fatalf("%s: %d, want %d", text, r.Duration, want)
			}
		}
	})
}

// The order of members, and whatever stands between them, changes nothing, also where path and query are joined.
func TestJSONMembersInAnyOrder(t *testing.T) {
	members := []string{`"t":1741767243.5`, `"m":"GET"`, `"p":"/caf\u00e9"`, `"q":"b=1&c=2"`, `"h":"ex.example"`, `"a":"curl/8.5"`, `"s":200`, `"d":12`, `"x":{"y":[1,"}"]}`, `"z":"q"`}
	format, err := ingest.NewFormat("json:time=t,method=m,path=p,query=q,host=h,agent=a,status=s,duration=d:ms,client=x.c,id=z", ingest.FormatOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		shuffled := rapid.Permutation(slices.Clone(members)).Draw(t, "order")
		line := "{" + strings.Join(shuffled, rapid.SampledFrom([]string{",", " , "}).Draw(t, "comma")) + "}"
		var r ingest.Record
		v := format.Parse([]byte(line), &r)
		got := fmt.Sprintf("%v %d %s %s %s %s %d %d %s %d", v, r.Start, r.Method, r.Target, r.Host, r.Agent, r.Status, r.Duration, r.RequestID, r.Flags)
		want := fmt.Sprintf("{accepted 0} %d GET /café?b=1&c=2 ex.example curl/8.5 200 12000000 q %d", start+488e6, ingest.FlagDecoded)
		if got != want {
			t.Fatalf("%s: got\n%s, want\n%s", line, got, want)
		}
	})
}

func FuzzJSON(f *testing.F) {
	for _, line := range jsonExamples {
		f.Add([]byte(line))
	}
	for _, line := range []string{
		`{"q":"b","t":"12/Mar/2025:09:14:03 +0100","m":"GET","p":"\/a","d":"1m2.5s"}`, `escape=json{"t":1,"u":"GET /\u0000 HTTP/1.1"}`,
		`[{"t":1e9,"m":"G","u":"http://u@h?x"}]`, `{"t":"2025/03/12 08:14:03 +0000 UTC","m":"CONNECT","h":"h:1","u":"\ud83d\xC3"}`,
	} {
		f.Add([]byte(line))
	}
	var formats []ingest.Format
	specs := append(ingest.Names(), "json:time=t,method=m,path=p,query=q,duration=d,url=u,host=h", "json:start=t:float,end=e,request=u,path=p,query=p,client=q[0],client=p.q")
	for _, spec := range specs {
		if _, known := jsonExamples[spec]; !known && !strings.HasPrefix(spec, "json:") {
			continue
		}
		format, err := ingest.NewFormat(spec, ingest.FormatOptions{})
		if err != nil {
			f.Fatal(err)
		}
		formats = append(formats, format)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, format := range formats {
			changed := bytes.Clone(line)
			var r ingest.Record
			v := format.Parse(changed, &r)
			checkRecord(t, line, &r, v)
			for _, s := range [][]byte{r.Client, r.Forwarded, r.User, r.Host, r.Method, r.Target, r.Referer, r.Agent, r.RequestID, r.Upstream} {
				if v.Reason <= ingest.NoRequest && len(s) > 0 && !within(s, changed) {
					t.Fatalf("%s: %q is not in the line", format.Name(), s)
				}
			}
			if v.OK() && strings.ContainsFunc(string(r.Target), func(c rune) bool { return c < ' ' || c == 0x7f }) {
				t.Fatalf("target %q", r.Target)
			}
		}
	})
}

// within tells whether s is a part of line: both then end their capacity at the same place.
func within(s, line []byte) bool {
	at := cap(line) - cap(s)
	return at >= 0 && at+len(s) <= len(line) && &line[at] == &s[0]
}

func FuzzJSONMapping(f *testing.F) {
	for _, spec := range []string{
		"time=ts:unix,dur=duration:s,target=request.uri,method=m,ua=request.headers.User-Agent[0]", `time=a\.b.c,request=r,path=p,query=p`,
		"start=t,end=t,url=t", "time=t:float,request=t,bytes=t:total,duration=t:float,status=t", `time=\`, "request=a[0].b[0],time=a",
	} {
		f.Add(spec, `{"t":"1741767243","a":[{"b":"GET / HTTP/1.1"}],"r":"GET / HTTP/1.1","request":{"uri":"/","headers":{"user-agent":["x"]}},"m":"GET"}`)
	}
	f.Fuzz(func(t *testing.T, spec, line string) {
		format, err := ingest.NewFormat("json:"+spec, ingest.FormatOptions{})
		if err != nil {
			if e, ok := errors.AsType[*ingest.FormatError](err); !ok || e.Column < 1 || e.Column > len("json:"+spec)+1 {
				t.Fatalf("%q: %v", spec, err)
			}
			return
		}
		var r ingest.Record
		v := format.Parse([]byte(line), &r)
		checkRecord(t, []byte(line), &r, v)
	})
}
