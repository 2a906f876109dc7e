package serverconf_test

import (
	"testing"

	"reprise/ingest/serverconf"
)

func TestCopiedDirectives(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		got, ok, err := serverconf.Directive(text)
		if err != nil || !ok || got.Text != want {
			t.Errorf("%s\nis %q (%v, %v), want %q", text, got.Text, ok, err, want)
		}
	}
	f("log_format main '$remote_addr '\n    '\"$request\"';", `$remote_addr "$request"`)
	f("  log_format main escape=json '{\"a\":\"$msec\"}'", `escape=json {"a":"$msec"}`)
	f(`LogFormat "%h \"%r\"" combined`, `%h "%r"`)
	f(`LogFormat "%h \"%r\""`, `%h "%r"`)
	f(`CustomLog logs/x "%t \"%r\"" env=!dont`, `%t "%r"`)
	for _, text := range []string{"log_format main", "log_format main 'x", "LogFormat", "CustomLog logs/x combined", "LogFormat combined", "log_format a b; }", "log_format a b; include x;"} {
		if _, ok, err := serverconf.Directive(text); !ok || err == nil {
			t.Errorf("%s: %v, %v, want an error", text, ok, err)
		}
	}
	for _, text := range []string{"combined", "$remote_addr", "%h", "", "log_formatter x y"} {
		if _, ok, _ := serverconf.Directive(text); ok {
			t.Errorf("%s was taken for a directive", text)
		}
	}
}
