package ingest_test

import (
	"strings"
	"testing"

	"reprise/ingest"
)

// A duration behind the columns of the combined family is not read without a word: what would read it is said.
func TestUnreadDurationSuggests(t *testing.T) {
	const combined = `$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"`
	f := func(want, tail string, duration int64) {
		t.Helper()
		for _, frame := range []string{"", "docker+"} {
			l := line("/a?b=1") + tail
			if frame != "" {
				l = inDocker(l+"\n", "stdout")
			}
			text := strings.Repeat(l+"\n", 5)
			_, rep := readText(t, text, ingest.Options{})
			if want == "" {
				equal(t, "suggestion for "+tail, rep.Suggestion, "")
				continue
			}
			equal(t, "suggestion for "+tail, rep.Suggestion, frame+want)
			equal(t, "duration", mustParse(t, rep.Suggestion, l).Duration, duration)
			_, rep = readText(t, text, ingest.Options{Format: rep.Suggestion})
			equal(t, "records", rep.Records, 5)
			equal(t, "suggestion for what is given", rep.Suggestion, "")
		}
	}
	f(combined+` $request_time`, ` 0.043`, 43e6)
	f(combined+` $request_time $upstream_response_time $skip1`, ` 0.043 0.041 .`, 43e6)
	f(combined+` "$http_x_forwarded_for" $request_time`, ` "-" 0.043`, 43e6)
	f(combined+` rt=$request_time uct="$skip1" uht="$skip2" urt="$upstream_response_time"`, ` rt=0.043 uct="0.000" uht="0.040" urt="0.041"`, 43e6)
	const apache = `%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"`
	f(apache+` %D`, ` 43211`, 43211e3)
	f(apache+` %T/%D`, ` 0/43211`, 43211e3)
	f(``, ``, 0)
	f(``, ` "-"`, 0)
	f(``, ` "shop.example" kong_request_id: "9c5f"`, 0)
}

// The columns of the common log format and of a virtual host's come before the duration as they stand.
func TestUnreadDurationOfApache(t *testing.T) {
	f := func(want, l string) {
		t.Helper()
		_, rep := readText(t, strings.Repeat(l+"\n", 5), ingest.Options{})
		equal(t, "suggestion", rep.Suggestion, want)
		r := mustParse(t, want, l)
		equal(t, "duration", r.Duration, 43211e3)
		equal(t, "start", r.Start, start)
	}
	const common = head + `"GET / HTTP/1.1" 200 1`
	f(`%h %l %u %t "%r" %>s %b %D`, common+" 43211")
	f(`%v:%p %h %l %u %t "%r" %>s %b %D`, "shop.example:443 "+common+" 43211")
	f(`%v:%p %h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i" %D`, "shop.example:443 "+line("/")+" 43211")
}
