package anonymize_test

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"reprise/anonymize"
	"reprise/anonymize/trace"
	"reprise/ingest"
)

// everything switches all rules on that let anything into a trace.
var everything = []string{entities, "cookies: pseudonym", "referer: same-rules", "headers: {keep: [Accept, Accept-Language]}", "text: {keys: [q, keyword]}",
	"time: {shift: key}"}

// soaked is a record with a value in every field and header that can hold one.
func soaked(value string) []*ingest.Record {
	in := with(get("/u/"+value+"/orders/"+value+";uid="+value+"?uid="+value+"&q=a+"+value+"&page="+value+"&"+value+"=1#"+value),
		"Cookie", "uid="+value+"; "+value+"=1; sid=\""+value+"\"", "X-User-Id", value, "X-Other", value, value, value,
		"Authorization", "Bearer "+value, "Forwarded", "for="+value+";host="+value)
	in.Headers = append(in.Headers, ingest.Header{Name: "Cookie", Cookie: value, Value: []byte(value)})
	in.User, in.Agent, in.Host, in.Client, in.Forwarded = []byte(value), []byte("curl/7 "+value), []byte(value), []byte(value), []byte(value+", "+value)
	in.Referer = []byte("https://" + value + "/u/" + value + "?q=" + value)
	claims := get("/search?token=" + token(`{"sub":"`+value+`","name":"`+value+`"}`))
	own := get("/")
	own.Host, own.Referer = []byte("www.shop.test"), []byte("https://u:"+value+"@www.shop.test/u/"+value+"?uid="+value+"&keyword="+value+"#"+value)
	return []*ingest.Record{in, claims, own}
}

// whole is all text of a clean record.
func whole(r *trace.Record) string {
	return strings.Join([]string{string(r.Client), r.Method, string(r.Target), r.Endpoint, r.Host, r.Agent, string(r.Header)}, "\n")
}

// Property 9: planted values are gone from every field, whatever the rules let in.
func TestNothingPlantedSurvivesTheRules(t *testing.T) {
	a := ruled(t, 1, everything...)
	for _, value := range canaries {
		for i, in := range soaked(value) {
			out := clean(t, a, in)
			if got := whole(out); strings.Contains(got, value) {
				t.Errorf("record %d: %s is in %q", i, value, got)
			}
			if s := string(out.Header); i == 0 && (!strings.Contains(s, "Cookie: uid=") || !strings.Contains(s, "X-User-Id: ") || !strings.Contains(s, "Referer: https://")) {
				t.Errorf("the rules let too little in: %q", s)
			}
		}
	}
}

// Property 2: another key changes every header, and nothing that is replaced stays.
func TestAnotherKeyChangesHeaders(t *testing.T) {
	a, b := ruled(t, 1, everything...), ruled(t, 2, everything...)
	for _, in := range soaked("annika.svensson-7654321") {
		x, y := clean(t, a, in), clean(t, b, in)
		lines := strings.Split(string(y.Header), "\r\n")
		for i, line := range strings.Split(string(x.Header), "\r\n") {
			if line != "" && line == lines[i] {
				t.Errorf("with both keys: %s", line)
			}
		}
		if string(x.Target) == string(y.Target) && len(x.Target) > 1 || x.Start == y.Start {
			t.Errorf("with both keys: %s at %d", x.Target, x.Start)
		}
	}
	x, y := clean(t, a, full()), clean(t, b, full())
	if !strings.HasPrefix(string(x.Header), "Accept: text/html;q=0.9\r\nAccept-Language: sv-SE\r\nX-User-Id: ") || x.User == y.User {
		t.Errorf("headers are %q and %q", x.Header, y.Header)
	}
}

// Property 1: trace and statistics do not depend on the number of workers, with all rules on.
func TestRulesAreTheSameForAnyWorkers(t *testing.T) {
	in := func(yield func(*ingest.Record, error) bool) {
		for i := range 3000 {
			r := soaked(fmt.Sprint(canaries[i%len(canaries)], i%97))[i%3]
			if !yield(r, nil) {
				return
			}
		}
	}
	var want []byte
	var stats anonymize.Stats
	for _, workers := range []int{1, 2, 7} {
		a := ruled(t, 1, everything...)
		got, _, err := lines(t, a, in, workers)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want, stats = got, a.Stats()
		}
		if !bytes.Equal(got, want) || !reflect.DeepEqual(a.Stats(), stats) {
			t.Errorf("%d workers: other bytes or statistics", workers)
		}
	}
	if len(stats.Misfit) == 0 || stats.Headers["cookie"] == 0 || stats.Records != 3000 {
		t.Errorf("statistics are %+v", stats)
	}
}

// Without a worker that remembers, the same comes out: the user of a token in particular.
func TestRulesRememberNothing(t *testing.T) {
	used := ruled(t, 1, everything...)
	for round := range 2 {
		for i, value := range append(canaries, "1", "7654321") {
			for j, in := range soaked(value) {
				if got, want := clean(t, used, in), clean(t, ruled(t, 1, everything...), in); !reflect.DeepEqual(got, want) {
					t.Fatalf("round %d, value %d, record %d: %+v, want %+v", round, i, j, got, want)
				}
			}
		}
	}
}

// FuzzHeaders says that any header comes out as whole lines of printable ASCII, and that nothing planted stays in it.
func FuzzHeaders(f *testing.F) {
	for _, s := range []string{"a=b; c", "uid=\"", "for=\"[::1]:1\";by=_x,", "Bearer eyJ.eyJ.", "https://a@b@c/%25%", "http://[", "1, ,;=", "\"\"", "%0d%0aX: y", "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0."} {
		f.Add([]byte(s))
	}
	a := ruled(f, 1, append(everything[1:], `entities: {user: {at: [cookie:uid, header:X-User-Id, header:Authorization, jwt:sub]}, proxy: {at: [header:Forwarded, header:X-Forwarded-For]}}`)...)
	const canary = "Qx7vK2mW9pLz"
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, planted := range []string{"", canary} {
			value := append([]byte(planted), in...)
			r := get("/")
			r.Forwarded, r.Referer, r.User, r.Host = value, append([]byte("https://"), value...), value, value
			for _, name := range []string{"Cookie", "X-User-Id", "Authorization", "Forwarded", "X-Other"} {
				r.Headers = append(r.Headers, ingest.Header{Name: name, Value: value})
			}
			r.Headers = append(r.Headers, ingest.Header{Name: "Cookie", Cookie: string(value), Value: value}, ingest.Header{Name: string(value), Value: value})
			var out trace.Record
			if err := a.Record(r, &out); err != nil {
				t.Fatal(err)
			}
			text := string(out.Header)
			for line := range strings.SplitAfterSeq(text, "\r\n") {
				name, rest, ok := strings.Cut(line, ": ")
				if line != "" && (!ok || !strings.HasSuffix(rest, "\r\n") || strings.ContainsFunc(name+strings.TrimSuffix(rest, "\r\n"), func(r rune) bool { return r < ' ' || r > '~' })) {
					t.Fatalf("line %q", line)
				}
			}
			if planted != "" && strings.Contains(text, planted) {
				t.Fatalf("the canary is in %q", text)
			}
		}
	})
}
