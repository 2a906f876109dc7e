package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"reprise/anonymize/audit"
)

// planted are values that must be gone: what people and machines put into addresses, headers and cookies.
var planted = []string{"+4917612345678", "13912345678", "0049 30 9018 2733", "Hauptstrasse 47 51373 Leverkusen", "北京市朝阳区建国路88号", "東京都千代田区丸の内一丁目",
	"4539578763621486", "5105 1051 0510 5100", "annika.svenssonova@corp-nord.se", "Annika.Svenssonova+shop@corp-nord.se", "11010519491231002X", "DE89370400440532013000",
	"7c1f0a1b-2d3e-4f50-8a61-b7c8d9e0f1a2", "9f8Kq2LmX7vTzR4wBn6Y", "Zoltan Kiralyhegyi", "QW5uaWthIFN2ZW5zc29ub3Zh", "2a02:810a:8c1:77aa::4788", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0NzExMDgxNSJ9.c2lnbmF0dXJlLW9mLW5vYm9keQ",
	"52.520006599,13.404953999", "Müllerová-Østergård"}

// plantings are the places of a request, with how a value is written there.
type planting struct {
	place string
	write func(value string) string
}

var plantings = []planting{
	{"path", func(v string) string { return "/u/" + url.PathEscape(v) + "/view" }},
	{"path", func(v string) string { return "/x/" + strings.ToLower(url.QueryEscape(url.QueryEscape(v))) + ".html" }},
	{"query", func(v string) string {
		return "/find?q=" + url.QueryEscape(v) + "&token=" + url.QueryEscape(v) + "&" + url.QueryEscape(v) + "=1"
	}},
	{"referer", func(v string) string {
		return "https://www.corp-nord.se/" + url.PathEscape(v) + "?u=" + url.QueryEscape(v)
	}},
	{"agent", func(v string) string { return "Mozilla/5.0 (" + url.PathEscape(v) + ") Chrome/99.0" }},
	{"user", url.QueryEscape},
	{"cookie", func(v string) string { return "sid=" + url.QueryEscape(v) + "; uid=" + url.QueryEscape(v) }},
}

// planter puts a written value into a copy of a line. It returns "" where the format has no such place.
type planter func(line, place, value string) string

var commonLine = regexp.MustCompile(`^("?(?:\S+:\d+ )?\S+ \S+) (\S+) (\[[^\]]+\]) "(?:GET|POST|HEAD) (\S+) (HTTP/[\d.]+)" (\d+) (\S+)(?: "([^"]*)" "([^"]*)")?(.*)$`)

// commonPlanter knows the common and combined formats with whatever stands before and after.
func commonPlanter(line, place, value string) string {
	m := commonLine.FindStringSubmatch(line)
	if m == nil {
		return ""
	}
	user, target, referer, agent, rest := m[2], m[4], m[8], m[9], m[10]
	headers := strings.Contains(line, `" "`)
	switch place {
	case "path", "query":
		target = value
	case "user":
		user = value
	case "referer":
		referer = value
	case "agent":
		agent = value
	case "cookie":
		if !strings.HasSuffix(rest, ` "cookies"`) {
			return ""
		}
		rest = strings.TrimSuffix(rest, `"cookies"`) + `"` + value + `"`
	}
	line = fmt.Sprintf(`%s %s %s "GET %s %s" 200 %s`, m[1], user, m[3], target, m[5], m[7])
	if !headers {
		if place == "referer" || place == "agent" {
			return ""
		}
		return line + rest
	}
	return fmt.Sprintf(`%s "%s" "%s"%s`, line, referer, agent, rest)
}

var requestPart = regexp.MustCompile(`"(?:GET|POST|HEAD) \S+ HTTP`)

// requestPlanter knows formats of which only the request line takes values, such as that of HAProxy.
func requestPlanter(line, place, value string) string {
	if place != "path" && place != "query" || !requestPart.MatchString(line) {
		return ""
	}
	return requestPart.ReplaceAllLiteralString(line, `"GET `+value+" HTTP")
}

// w3cPlanter knows the columns of a W3C log.
func w3cPlanter(fields []string, separator string) planter {
	columns := map[string]string{"user": "cs-username", "agent": "cs(User-Agent)", "referer": "cs(Referer)", "cookie": "cs(Cookie)"}
	return func(line, place, value string) string {
		cells := strings.Split(strings.TrimRight(line, "\r"), separator)
		end := line[len(strings.TrimRight(line, "\r")):]
		found := false
		set := func(column, value string) {
			for i, f := range fields {
				if f == column && i < len(cells) {
					cells[i] = strings.ReplaceAll(value, " ", "+")
					found = true
				}
			}
		}
		switch path, query, _ := strings.Cut(value, "?"); place {
		case "path":
			set("cs-uri-stem", value)
		case "query":
			set("cs-uri-stem", path)
			set("cs-uri-query", query)
		default:
			set(columns[place], value)
		}
		if !found {
			return ""
		}
		return strings.Join(cells, separator) + end
	}
}

// jsonPlanter knows the members of Caddy and Cloudflare.
func jsonPlanter(line, place, value string) string {
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	forms := map[string][]string{"path": {`"uri":"[^"]*"`, `"ClientRequestURI":"[^"]*"`}, "query": {`"uri":"[^"]*"`, `"ClientRequestURI":"[^"]*"`},
		"user": {`"user_id":"[^"]*"`}, "agent": {`"User-Agent":\["[^"]*"\]`, `"ClientRequestUserAgent":"[^"]*"`}, "referer": {`"ClientRequestReferer":"[^"]*"`, `"headers":\{`},
		"cookie": {`"headers":\{`}}
	for _, f := range forms[place] {
		form := regexp.MustCompile(f)
		name, _, _ := strings.Cut(f, ":")
		with := name + ":" + string(text)
		switch {
		case !form.MatchString(line) || !strings.Contains(line, `"uri"`) && !strings.Contains(line, "ClientRequestURI"):
			continue
		case strings.HasSuffix(f, `\{`):
			with = `"headers":{"` + map[string]string{"referer": "Referer", "cookie": "Cookie"}[place] + `":[` + string(text) + "],"
		case strings.HasSuffix(f, `\]`):
			with = name + ":[" + string(text) + "]"
		}
		at := form.FindStringIndex(line)
		return line[:at[0]] + with + line[at[1]:]
	}
	return ""
}

// plant copies a log with the planted values: each once at each place that the format has, after the first line that takes one.
func plant(t *testing.T, text []byte) (log []byte, places map[string]bool) {
	t.Helper()
	var out bytes.Buffer
	places = make(map[string]bool)
	common := planter(commonPlanter)
	done := false
	for line := range strings.Lines(string(text)) {
		out.WriteString(line)
		if rest, ok := strings.CutPrefix(line, "#Fields: "); ok {
			separator := " "
			if bytes.Contains(text, []byte(".png\t")) {
				separator = "\t"
			}
			common = w3cPlanter(strings.Fields(rest), separator)
		}
		if done || strings.HasPrefix(line, "#") {
			continue
		}
		bare := strings.TrimSuffix(line, "\n")
		for _, p := range []planter{common, requestPlanter, jsonPlanter} {
			if p(bare, "path", "/") == "" {
				continue
			}
			if !strings.HasSuffix(line, "\n") {
				out.WriteByte('\n')
			}
			for _, where := range plantings {
				for _, value := range planted {
					if l := p(bare, where.place, where.write(value)); l != "" {
						out.WriteString(l + "\n")
						places[where.place] = true
					}
				}
			}
			done = true
			break
		}
	}
	if !places["path"] || !places["query"] {
		t.Fatalf("the planted values have only the places %v", places)
	}
	return out.Bytes(), places
}

// realLogs are the shared logs, or the test is skipped.
func realLogs(t *testing.T) []string {
	t.Helper()
	dir := os.Getenv("REPRISE_LOGS")
	if dir == "" {
		t.Skip("REPRISE_LOGS is not set: no real logs")
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.log.gz"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	return names
}

// auditPlanted anonymizes a log with planted values, and audits the trace against it.
func auditPlanted(t *testing.T, text []byte, withKey bool, flags ...string) {
	t.Helper()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, data := range map[string][]byte{"access.log": text, "planted.txt": []byte(strings.Join(planted, "\n") + "\n")} {
		if err := os.WriteFile(at(name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) ([]byte, error) {
		c := built(t, args...) // megabytes of logs: the race detector has smaller ones in package audit
		var out, stderr bytes.Buffer
		c.Stdout, c.Stderr = &out, &stderr
		err := c.Run()
		if err != nil {
			t.Logf("%s: %v\n%s", args[0], err, stderr.Bytes())
		}
		return out.Bytes(), err
	}
	if _, err := run("keygen", "-o", at("key")); err != nil {
		t.Fatal(err)
	}
	flags = append(flags, "--max-reject", "1")
	if _, err := run(append([]string{"anonymize", at("access.log"), "--key-file", at("key"), "-o", at("t.trace.zst")}, flags...)...); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"audit", at("t.trace.zst"), "--against", at("access.log"), "--canary", at("planted.txt"), "--json"}, flags...)
	if withKey {
		args = append(args, "--key-file", at("key"))
	}
	out, err := run(args...)
	var report audit.Report
	if jsonErr := json.Unmarshal(out, &report); jsonErr != nil {
		t.Fatalf("%v: %s", jsonErr, out)
	}
	for _, c := range report.Checks {
		if c.Status == audit.Red || c.Status == audit.Skipped && withKey {
			t.Errorf("%s is %s: %s\n%s", c.Name, c.Status, c.Summary, strings.Join(c.Details, "\n"))
		}
	}
	if err != nil || !report.Green || report.Records < int64(3*len(planted)) || report.Check("canaries").Numbers["canaries"] != int64(len(planted)) {
		t.Errorf("%v, green %v, %d records", err, report.Green, report.Records)
	}
}

// maxRepeated is the size of the logs, in bytes, whose trace is also made again: of larger ones one pass is looked at.
const maxRepeated = 8 << 20

// The traces of real logs with twenty planted values in every place that their formats have are green.
func TestAuditOfRealLogsIsGreen(t *testing.T) {
	for _, name := range realLogs(t) {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".log.gz"), func(t *testing.T) {
			text, places := plant(t, unzipped(t, name))
			t.Logf("planted in %v", places)
			auditPlanted(t, text, len(text) < maxRepeated)
		})
	}
}

// The pieces that logrotate leaves are one log.
func TestAuditOfRotatedLogIsGreen(t *testing.T) {
	pieces, err := filepath.Glob(filepath.Join(filepath.Dir(realLogs(t)[0]), "nginx-blog-rotated", "*"))
	if err != nil || len(pieces) == 0 {
		t.Fatal(pieces, err)
	}
	var all []byte
	for _, name := range pieces {
		if filepath.Ext(name) == ".gz" {
			all = append(all, unzipped(t, name)...)
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, text...)
	}
	text, _ := plant(t, all)
	auditPlanted(t, text, true)
}

// Logs with cookies, which an own format tells, and traces with referers and cookies, are green too.
func TestAuditOfRealLogsWithHeadersIsGreen(t *testing.T) {
	const combined = `$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"`
	formats := map[string]string{"apache-combined-2015": combined, "nginx-shop-2019": combined + ` "$http_x_forwarded_for"`}
	rules := filepath.Join(t.TempDir(), "reprise.yaml")
	if err := os.WriteFile(rules, []byte("anonymize:\n  referer: same-rules\n  cookies: pseudonym\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range realLogs(t) {
		base := strings.TrimSuffix(filepath.Base(name), ".log.gz")
		format, ok := formats[base]
		if !ok {
			continue
		}
		t.Run(base, func(t *testing.T) {
			raw := bytes.ReplaceAll(bytes.TrimRight(unzipped(t, name), "\n"), []byte("\n"), []byte(" \"cookies\"\n"))
			text, places := plant(t, append(raw, " \"cookies\"\n"...))
			if len(places) != 6 {
				t.Fatalf("the planted values have only the places %v", places)
			}
			for _, flags := range [][]string{nil, {"--rules", rules}} {
				auditPlanted(t, text, true, append(flags, "--log-format", format+` "$http_cookie"`)...)
			}
		})
	}
}
