package audit_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reprise/anonymize/audit"
	"reprise/anonymize/rules"
	"reprise/anonymize/trace"
	"reprise/ingest"
)

var checkNames = []string{"inputs", "contract", "survivors", "residual", "canaries", "secrets", "k-anonymity", "allow-list", "drift", "reproduction", "collisions"}

func TestTraceOfTheAnonymizerIsGreen(t *testing.T) {
	s := shop(t)
	report := s.audit(t, nil)
	if failed := report.Failed(); failed != nil || !report.Green {
		t.Errorf("red: %v", failed)
		_ = report.WriteText(os.Stderr)
	}
	for i, name := range checkNames {
		if i >= len(report.Checks) || report.Checks[i].Name != name {
			t.Fatalf("the checks are not those of %v", checkNames)
		}
		if c := report.Checks[i]; (c.Status == audit.Skipped) != (name == "canaries") || c.Summary == "" {
			t.Errorf("check %s is %q: %s", name, c.Status, c.Summary)
		}
	}
	if report.Records != 601 || report.Check("survivors").Numbers["raw"] < 1000 || report.Check("collisions").Numbers["values"] < 500 {
		t.Errorf("the checks saw too little: %d records, %v, %v", report.Records, report.Check("survivors").Numbers, report.Check("collisions").Numbers)
	}
	if n := report.Check("allow-list").Numbers["misfits"]; n < 10 { // versions of four digits
		t.Errorf("%d values of another shape than their rule's, want some", n)
	}
}

func TestChecksThatNeedMoreSayWhat(t *testing.T) {
	s := shop(t)
	report := s.audit(t, func(o *audit.Options) { o.Logs, o.Endpoints, o.Key = nil, nil, nil })
	for _, name := range []string{"inputs", "survivors", "secrets", "drift", "reproduction", "collisions"} {
		if c := report.Check(name); c.Status != audit.Skipped || !strings.Contains(c.Summary, "--against") {
			t.Errorf("check %s without logs is %q: %s", name, c.Status, c.Summary)
		}
	}
	if !report.Green {
		t.Errorf("red without logs: %v", report.Failed())
	}
	data, err := json.Marshal(report)
	if err != nil || !bytes.Contains(data, []byte(`"name":"survivors","status":"skipped"`)) {
		t.Errorf("JSON: %s, %v", data, err)
	}
}

// query appends a pair to the target of a record.
func query(pair string) func(*trace.Record) {
	return func(r *trace.Record) {
		sep := "?"
		if bytes.IndexByte(r.Target, '?') >= 0 {
			sep = "&"
		}
		r.Target = append(r.Target, sep+pair...)
	}
}

func TestEachLeakIsRed(t *testing.T) {
	s := shop(t)
	const token = "9f8Kq2LmX7vTzR4w"
	for _, c := range []struct {
		name   string
		leak   func(*trace.Record)
		checks string // those that must be red, without the key
	}{
		{"a mail address", query("q=annika.svensson@nordmail.de"), "survivors residual"},
		{"a mail address, encoded twice", query("q=annika.svensson%2540nordmail.de"), "survivors residual"},
		{"a phone number, percent-encoded", query("q=%2b4917612345678"), "survivors"},
		{"a phone number in another form", query("q=0049+176+1234+5678"), "survivors"},
		{"a phone number, all digits encoded", query("q=%34%39%31%37%36%31%32%33%34%35%36%37%38"), ""},
		{"a card number", query("q=4539-5787-6362-1486"), "survivors residual"},
		{"an id in base64", query("data=" + base64.StdEncoding.EncodeToString([]byte("annika.svensson"))), "survivors"},
		{"a user as the algorithm of a token", query("q=" + base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"annika.svensson"}`)) + ".eyJzdWIiOiJ4In0.c2ln"), "survivors"},
		{"a token in hex", query("data=" + hex.EncodeToString([]byte(token))), "survivors secrets"},
		{"a UUID", query("q=7C1F0A1B-2D3E-4F50-8A61-B7C8D9E0F1A2"), "survivors"},
		{"a UUID in a path", func(r *trace.Record) { r.Target = []byte("/7c1f0a1b-2d3e-4f50-8a61-b7c8d9e0f1a2/x") }, "survivors"},
		{"a token of a session", query("x=" + token), "survivors secrets"},
		{"a word of an address", query("q=Leverkusen"), "survivors"},
		{"a client", func(r *trace.Record) { r.Client = []byte("85.214.132.117") }, ""},
		{"a host of a referer", func(r *trace.Record) { r.Header = []byte("Referer: https://www.svenssonova.de/\r\n") }, "survivors"},
		{"a serial number of a user agent", func(r *trace.Record) { r.Agent = "8Q3TTY21K9" }, "survivors"},
		{"a user as a host", func(r *trace.Record) { r.Host = "annika.svensson" }, "survivors"},
		{"a name of a parameter", query("svenssonova=1"), "survivors"},
		{"a fragment", func(r *trace.Record) { r.Target = append(r.Target, "#svenssonova"...) }, "survivors"},
		{"a user in an absolute target", func(r *trace.Record) { r.Target = []byte("http://annika.svensson@x.example/") }, "survivors"},
		{"a password in an address", query("q=https%3A%2F%2Fbo:pw7x@h.test%2F"), "residual"},
		{"credentials of basic authentication", func(r *trace.Record) {
			r.Header = []byte("X-A: Basic " + base64.StdEncoding.EncodeToString([]byte("annika.svensson:x")) + "\r\n")
		}, "survivors residual"},
		{"a word in a pattern", func(r *trace.Record) { r.Endpoint, r.Target = "/svenssonova", []byte("/svenssonova") }, "contract"},
	} {
		t.Run(c.name, func(t *testing.T) {
			leaky := s.leakOne(c.leak)
			report := leaky.audit(t, func(o *audit.Options) { o.Key = nil })
			for _, name := range strings.Fields(c.checks) {
				if report.Check(name).Status != audit.Red {
					t.Errorf("%s is %q: %s", name, report.Check(name).Status, report.Check(name).Summary)
				}
			}
			report = leaky.audit(t, nil)
			if report.Check("reproduction").Status != audit.Red {
				t.Errorf("with the key, the trace passes for the one that the log gives")
			}
		})
	}
}

func TestClientsThatStayAreRed(t *testing.T) {
	s := shop(t)
	var clients [][]byte
	s.each(t, func(r *ingest.Record) { clients = append(clients, append([]byte(nil), r.Client...)) })
	i := 0
	leaky := s.leak(func(r *trace.Record) { r.Client = clients[i]; i++ })
	if c := leaky.audit(t, func(o *audit.Options) { o.Key = nil }).Check("survivors"); c.Status != audit.Red {
		t.Errorf("all clients stay, and the check is %q: %s", c.Status, c.Summary)
	}
}

func TestIdsThatStayAreRed(t *testing.T) {
	s := shop(t)
	i := 0
	var targets [][]byte
	s.each(t, func(r *ingest.Record) { targets = append(targets, append([]byte(nil), r.Target...)) })
	leaky := s.leak(func(r *trace.Record) {
		if bytes.HasPrefix(targets[i], []byte("/users/")) {
			r.Target = targets[i]
		}
		i++
	})
	if c := leaky.audit(t, func(o *audit.Options) { o.Key = nil }).Check("survivors"); c.Status != audit.Red {
		t.Errorf("ids of six and eight digits stay, and the check is %q: %s", c.Status, c.Summary)
	}
}

func TestWrongKeyLogRulesAndTemplatesAreRed(t *testing.T) {
	s := shop(t)
	other := newSubject(t, t.TempDir(), shopLog(2, 500), rules.Default())
	for _, c := range []struct {
		name, check string
		change      func(*audit.Options)
	}{
		{"key", "reproduction", func(o *audit.Options) { o.Key = key(t, 2) }},
		{"log", "inputs", func(o *audit.Options) { o.Logs = other.open }},
		{"templates", "contract", func(o *audit.Options) { o.Endpoints = other.set }},
		{"rules", "contract", func(o *audit.Options) {
			r, err := rules.Parse([]byte("anonymize:\n  allow:\n  - {on: \"*\", query: {page: int<=2}}\n"))
			if err != nil {
				t.Fatal(err)
			}
			o.Rules = r
		}},
	} {
		if got := s.audit(t, c.change).Check(c.check); got.Status != audit.Red || got.Fix == "" {
			t.Errorf("another %s: %s is %q: %s", c.name, c.check, got.Status, got.Summary)
		}
	}
}

func TestSmallGroupsAreRedOnlyWhenAsked(t *testing.T) {
	s := shop(t)
	if c := s.audit(t, nil).Check("k-anonymity"); c.Status != audit.Note {
		t.Errorf("small groups are %q", c.Status)
	}
	if c := s.audit(t, func(o *audit.Options) { o.K = 5 }).Check("k-anonymity"); c.Status != audit.Red || c.Numbers["network records below k"] == 0 {
		t.Errorf("small groups are %q with a k: %v", c.Status, c.Numbers)
	}
}

func TestCanaryInAnyFormIsRed(t *testing.T) {
	s := shop(t)
	const canary = "Zoltan Kiraly 4711-0815-42"
	file := canary + "\n\n+49 30 9018 2733\n"
	for _, form := range []string{canary, strings.ToUpper(canary), url.QueryEscape(canary), url.PathEscape(canary), url.QueryEscape(url.QueryEscape(url.QueryEscape(canary))),
		base64.StdEncoding.EncodeToString([]byte(canary)), base64.URLEncoding.EncodeToString([]byte("a" + canary + "b")), base64.StdEncoding.EncodeToString([]byte("ab" + canary)),
		hex.EncodeToString([]byte(canary)), "x-zoltan-y", "471108154200", "493090182733", "49/30/90182733"} {
		canaries, err := audit.ReadCanaries(strings.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		run := func(s *subject) *audit.Check {
			return s.audit(t, func(o *audit.Options) { o.Canaries, o.Logs, o.Endpoints, o.Key = canaries, nil, nil, nil }).Check("canaries")
		}
		if c := run(s); c.Status != audit.OK {
			t.Fatalf("without a leak: %q", c.Status)
		}
		leaky := s.leakOne(func(r *trace.Record) { r.Target = append(r.Target, "/a"+strings.ReplaceAll(form, " ", "+")+"."...) })
		if form == "x-zoltan-y" {
			leaky = s.leakOne(func(r *trace.Record) { r.Target = append(r.Target, "/"+form...) })
		}
		if c := run(leaky); c.Status != audit.Red || c.Numbers["found"] != 1 {
			t.Errorf("%q is %q: %s", form, c.Status, c.Summary)
		}
	}
}

func TestFilesOfCanariesAreChecked(t *testing.T) {
	for text, want := range map[string]string{"": "no canary", "\n \n": "no canary", "abcdef\nab\n": "line 2", strings.Repeat("x", 5000): "4096", strings.Repeat("canary\n", 1001): "line 1001"} {
		if _, err := audit.ReadCanaries(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.10q: %v, want %q", text, err, want)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	s := shop(t)
	for name, change := range map[string]func(*audit.Options){
		"trace": func(o *audit.Options) { o.Trace = nil }, "rules": func(o *audit.Options) { o.Rules = nil },
		"endpoints": func(o *audit.Options) { o.Endpoints = nil }, "k": func(o *audit.Options) { o.K = 1 },
		"negative k": func(o *audit.Options) { o.K = -1 }, "file": func(o *audit.Options) {
			o.Trace = func() (io.Reader, error) { return strings.NewReader("no trace"), nil }
		},
	} {
		o := s.options(t)
		change(&o)
		if _, err := audit.Run(context.Background(), o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := audit.Run(ctx, s.options(t)); err == nil {
		t.Error("a cancelled audit ends without an error")
	}
}

// Twenty logs of other shops under other rules: none of their traces is red by chance.
func TestNoFalseAlarm(t *testing.T) {
	dir := t.TempDir()
	all := []*rules.Rules{rules.Default()}
	for _, text := range []string{
		"  referer: same-rules\n  cookies: pseudonym\n  entities:\n    user: {at: [\"path:/users/{user}\", query:uid], format: int}\n",
		"  ip: {mode: flat, keep: [245.4.0.0/16, 246.5.0.0/16]}\n  referer: origin\n  time: {shift: key}\n",
		"  ip: {mode: docs}\n  text: {keys: [q]}\n",
	} {
		r, err := rules.Parse([]byte("anonymize:\n" + text))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	runs := 0
	rapid.Check(t, func(r *rapid.T) {
		if runs++; runs > 20 {
			return
		}
		which := rapid.SampledFrom(all).Draw(r, "rules")
		s := newSubject(r, dir, shopLog(rapid.Uint64().Draw(r, "seed"), rapid.IntRange(1, 2000).Draw(r, "lines")), which)
		if report := s.audit(r, nil); !report.Green {
			var text strings.Builder
			_ = report.WriteText(&text)
			r.Fatal(text.String())
		}
	})
}
