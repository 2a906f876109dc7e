package anonymize_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reprise/anonymize"
	"reprise/anonymize/rules"
	"reprise/ingest"
)

func TestSurvey(t *testing.T) {
	s := anonymize.NewSurvey(shop(t))
	for i := range 100 {
		r := get(fmt.Sprintf("/u/%d?page=%d&uid=%d&q=red+shoes&annika.svensson=1&flag#uid=x", 1000+i, i%3, 7000000+i))
		r.Headers = []ingest.Header{{Name: "Cookie", Value: []byte("session_id=0a1b2c3d-1111-4222-8046-1234567ea002; annika=1; broken")}, {Name: "X-User-Id", Value: []byte("alice@corp.example")},
			{Name: "Cookie", Cookie: "kc", Value: []byte("true")}}
		if i < 10 {
			r.User, r.Referer = []byte("annika"), []byte("http://x.example/")
		}
		s.Add(r)
	}
	s.Add(get("*"))
	f := s.Findings()
	if f.Requests != 101 || f.Users != 10 || f.Referers != 10 || f.Others != 200 {
		t.Errorf("%d requests, %d with a user, %d with a referer, %d others", f.Requests, f.Users, f.Referers, f.Others)
	}
	want := []string{
		"0 /u/{int} 1 100 [int<=4 100%] true",
		"1 page 0 100 [int<=1 100%] false",
		"1 q 0 100 [text of up to 16 bytes 100%] false",
		"1 uid 0 100 [int<=7 100%] true",
		"2 kc 0 100 [bool 100%] false",
		"2 session_id 0 100 [uuid 100%] true",
		"3 X-User-Id 0 100 [mail 100%] true",
	}
	if len(f.Places) != len(want) {
		t.Errorf("%d places, want %d: %v", len(f.Places), len(want), f.Places)
	}
	for i, p := range f.Places[:min(len(want), len(f.Places))] {
		if got := fmt.Sprintln(p.Kind, p.Name, p.Segment, p.Requests, p.Shapes, p.IDs); strings.TrimSpace(got) != want[i] {
			t.Errorf("place %d is %swant %s", i, got, want[i])
		}
	}
}

func TestSurveyIsBounded(t *testing.T) {
	s := anonymize.NewSurvey(shop(t))
	for i := range 5000 {
		r := get("/")
		r.Headers = []ingest.Header{{Name: fmt.Sprintf("X-%d", i), Value: []byte("1")}}
		s.Add(r)
	}
	if f := s.Findings(); len(f.Places) != 2000 || f.Others != 3000 {
		t.Errorf("%d places and %d others", len(f.Places), f.Others)
	}
}

// No value and no name of a person comes out of a survey.
func TestSurveyTellsNoValues(t *testing.T) {
	name := filepath.Join(t.TempDir(), "canary.log")
	if err := os.WriteFile(name, canaryLog(), 0o600); err != nil {
		t.Fatal(err)
	}
	s := anonymize.NewSurvey(templates(t, name))
	for r, err := range rawRecords(t, name) {
		if err != nil {
			t.Fatal(err)
		}
		s.Add(r)
	}
	text := fmt.Sprintf("%+v", s.Findings())
	for _, c := range canaries {
		if strings.Contains(strings.ToLower(text), strings.ToLower(c)) {
			t.Errorf("%q is told", c)
		}
	}
	if !strings.Contains(text, "{Kind:"+fmt.Sprint(rules.Query)+" Name:q ") {
		t.Errorf("the key q is not told: %s", text)
	}
}

func BenchmarkSurvey(b *testing.B) {
	s, r := anonymize.NewSurvey(shop(b)), get("/u/1000?page=2&uid=7000000&q=red+shoes")
	b.SetBytes(int64(len(r.Target)))
	b.ReportAllocs()
	for b.Loop() {
		s.Add(r)
	}
}

func TestSurveyAllocatesNothing(t *testing.T) {
	s, r := anonymize.NewSurvey(shop(t)), get("/u/1000?page=2&uid=7000000&q=red+shoes")
	r.Headers = []ingest.Header{{Name: "Cookie", Value: []byte("uid=1; page=2")}}
	s.Add(r)
	if n := testing.AllocsPerRun(100, func() { s.Add(r) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
