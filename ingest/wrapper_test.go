package ingest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"reprise/ingest"
)

// inDocker writes a line as Docker's json-file does.
func inDocker(line, stream string) string {
	b, err := json.Marshal(line)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"log":%s,"stream":%q,"time":"2025-03-12T09:14:03.655123456Z"}`, b, stream)
}

const criTime = "2025-03-12T09:14:03.655123456Z "

func TestTrap21Wrappers(t *testing.T) {
	f := func(wrapper, before, after string) {
		t.Helper()
		plain := mustParse(t, "combined", line("/a?b=1"))
		r := mustParse(t, wrapper+"+combined", before+line("/a?b=1")+after)
		equal(t, "record", fmt.Sprintf("%+v", r), fmt.Sprintf("%+v", plain))
	}
	f("syslog", "<134>Mar 12 09:14:03 lb1 nginx: ", "")
	f("syslog", "<134>Mar 12 09:14:03 nginx[71]: ", "")
	f("syslog", "Mar  2 09:14:03 203.0.113.9 nginx: ", "")
	f("syslog", "Mar 12 09:14:03 lb1 user.info nginx: ", "")
	f("syslog", "2025-03-12T09:14:03+0100 lb1 nginx[71]: ", "")
	f("syslog", "<190>2025-03-12T09:14:03.655123+01:00 lb1 nginx: ", "")
	f("syslog", "<134>1 2025-03-12T09:14:03.5Z lb1 nginx 71 - - ", "")
	f("syslog", "<134>1 - - - - - - \xef\xbb\xbf", "")
	f("syslog", `<134>1 2025-03-12T09:14:03.5Z lb1 nginx 71 ID47 [a@1 x="\"]" y="z"][b@1] `, "")
	f("cri", criTime+"stdout F ", "")
	f("cri", "2025-03-12T09:14:03+01:00 stderr F ", "")
	f("cri", criTime+"stdout F:x ", "")
	f("compose", "nginx-1  | ", "")
	f("compose", "nginx_1 |", "")
	f("compose", "\x1b[36mnginx-1  |\x1b[0m ", "")
	f("kubectl", "[pod/web-5d/nginx] ", "")
	f("timestamps", criTime, "")
	f("timestamps", "2025-03-12T09:14:03.6+01:00 ", "")
	f("compose+timestamps", "nginx-1  | "+criTime, "")
	f("compose+syslog", "lb-1  | <134>Mar 12 09:14:03 nginx: ", "")
	f("docker", "", "") // a line without the frame
	f("cri", "", "")
}

func TestTrap21DockerLines(t *testing.T) {
	plain := mustParse(t, "combined", head+`"GET /a?q=\x22\xC3\xA9 HTTP/1.1" 200 1 "-" "a\tb <&>"`)
	want := fmt.Sprintf("%+v", plain)
	text := head + `"GET /a?q=\x22\xC3\xA9 HTTP/1.1" 200 1 "-" "a\tb <&>"`
	for _, l := range []string{
		inDocker(text+"\n", "stdout"), inDocker(text+"\r\n", "stdout"), inDocker(text+"\n", "stderr"),
		inDocker(text, "stdout"), // the last words of a process
		strings.Replace(inDocker(text+"\n", "stdout"), `,"time"`, `,"attrs":{"a":"}","b":["x"]},"time"`, 1),
		strings.ReplaceAll(strings.Replace(inDocker(text+"\n", "stdout"), `{"log"`, `{ "id": 17, "log"`, 1), `","`, `", "`),
	} {
		equal(t, "record of "+l, fmt.Sprintf("%+v", mustParse(t, "docker+combined", l)), want)
	}
	for _, l := range []string{`{"log":"x\n"}`, `{"log":17,"stream":"stdout"}`, `{"log":"x\n","stream":"else"}`, `{"log":"x`, `{"log"`, `{"log":}`, `{}`} {
		wantVerdict(t, "docker+combined", l, ingest.BadTime)
	}
	_, v := parse(t, "docker+combined", inDocker("no access line\n", "stdout"))
	equal(t, "column", v.Column, len(`{"log":"`)+len("no access line")+1)
}

// Parts of a line are joined by stream; all but the last count as skipped.
func TestTrap21LinesInParts(t *testing.T) {
	long := line("/" + strings.Repeat("a", 40<<10))
	cri := described(t, "cri+combined", ingest.FormatOptions{})
	verdict(t, cri, criTime+"stdout P "+long[:20000], ingest.Skip, 0)
	verdict(t, cri, criTime+"stderr P "+line("/b")[:30], ingest.Skip, 0)
	verdict(t, cri, criTime+"stdout P "+long[20000:30000], ingest.Skip, 0)
	b := accepted(t, cri, criTime+"stderr F "+line("/b")[30:])
	equal(t, "target", string(b.Target), "/b")
	a := accepted(t, cri, criTime+"stdout F "+long[30000:])
	equal(t, "length of the target", len(a.Target), 40<<10+1)
	equal(t, "agent", string(a.Agent), "a")
	equal(t, "next line", string(accepted(t, cri, criTime+"stdout F "+line("/c")).Target), "/c")
	verdict(t, cri, criTime+"stdout F", ingest.Skip, 0)
	verdict(t, cri, criTime+"stdout P", ingest.Skip, 0)
	verdict(t, cri, criTime+"stdout F "+line("/d")[:30], ingest.BadTime, len(criTime)+len("stdout F ")+31)

	docker := described(t, "docker+combined", ingest.FormatOptions{})
	verdict(t, docker, inDocker(long[:16<<10], "stdout"), ingest.Skip, 0)
	verdict(t, docker, inDocker(long[16<<10:32<<10], "stdout"), ingest.Skip, 0)
	first := accepted(t, docker, inDocker(long[32<<10:]+"\n", "stdout"))
	equal(t, "length of the target", len(first.Target), 40<<10+1)
}

// A record of a joined line stays as it is when the next line is joined.
func TestTrap21JoinedRecordsStand(t *testing.T) {
	cri := described(t, "cri+combined", ingest.FormatOptions{})
	var r, other ingest.Record
	cri.Parse([]byte(criTime+"stdout P "+line("/first")[:60]), &r)
	cri.Parse([]byte(criTime+"stdout F "+line("/first")[60:]), &r)
	cri.Parse([]byte(criTime+"stdout P "+line("/other")[:60]), &other)
	cri.Parse([]byte(criTime+"stdout F "+line("/other")[60:]), &other)
	equal(t, "targets", string(r.Target)+string(other.Target), "/first/other")
}

func TestTrap18PartsOverTheLimit(t *testing.T) {
	cri := described(t, "cri+combined", ingest.FormatOptions{})
	for range ingest.MaxLine/(256<<10) + 2 {
		verdict(t, cri, criTime+"stdout P "+strings.Repeat("a", 256<<10), ingest.Skip, 0)
	}
	var r ingest.Record
	v := cri.Parse([]byte(criTime+"stdout F end"), &r)
	equal(t, "reason", v.Reason, ingest.TooLong)
	equal(t, "next line", string(accepted(t, cri, criTime+"stdout F "+line("/c")).Target), "/c")
}

// What comes on the standard error between access lines is the server's own. Where access lines come there
// too (Caddy), it is judged like all lines.
func TestTrap21MessagesOnStderr(t *testing.T) {
	format := described(t, "docker+combined", ingest.FormatOptions{})
	message := inDocker("09:14:03 worker 7 could not open a file\n", "stderr")
	at := strings.Index(message, "09:14:03") + len("09:14:03 worker 7 could not open a file") + 1
	verdict(t, format, message, ingest.BadTime, at)
	accepted(t, format, inDocker(line("/")+"\n", "stdout"))
	verdict(t, format, message, ingest.Skip, 0)
	verdict(t, format, strings.Replace(message, "stderr", "stdout", 1), ingest.BadTime, at)
	accepted(t, format, inDocker(line("/")+"\n", "stderr"))
	verdict(t, format, message, ingest.BadTime, at)
}

func TestTrap21Journal(t *testing.T) {
	const around = `"_PID":"71","__REALTIME_TIMESTAMP":"1741770843655123","MESSAGE":%s,"_HOSTNAME":"lb1"`
	text, err := json.Marshal(line(`/a?q=\x22`))
	if err != nil {
		t.Fatal(err)
	}
	r := mustParse(t, "journal+combined", fmt.Sprintf("{"+around+"}", text))
	equal(t, "target", string(r.Target), `/a?q="`)
	var list []string
	for _, c := range []byte(line("/caf\xe9")) {
		list = append(list, fmt.Sprint(c))
	}
	r = mustParse(t, "journal+combined", fmt.Sprintf("{"+around+"}", "["+strings.Join(list, ",")+"]"))
	equal(t, "target", string(r.Target), "/caf\xe9")
	for _, message := range []string{"null", "[300]", "[1,x]", "[[]]", "17"} {
		wantVerdict(t, "journal+combined", fmt.Sprintf("{"+around+"}", message), ingest.BadTime)
	}
	wantVerdict(t, "journal+combined", `{"MESSAGE":"x"}`, ingest.BadTime)
	wantVerdict(t, "journal+combined", fmt.Sprintf("{"+around+"}", "[]"), ingest.Skip)
}

// A file that describes itself does so in its frames.
func TestTrap21DirectivesInFrames(t *testing.T) {
	format := described(t, "cri+w3c", ingest.FormatOptions{}, criTime+"stdout F #Fields: date time c-ip cs-method cs-uri-stem sc-status")
	r := accepted(t, format, criTime+"stdout F 2025-03-12 09:14:03 203.0.113.7 GET /a 404")
	equal(t, "status", r.Status, 404)
	equal(t, "target", string(r.Target), "/a")
}

func TestWrapperNames(t *testing.T) {
	f, err := ingest.NewFormat("compose+syslog+haproxy", ingest.FormatOptions{})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "name", f.Name(), "compose+syslog+haproxy")
	for spec, column := range map[string]int{"docker+": 8, "docker+nothing": 8, "docker+syslog+nothing": 15, "docker": 1, "nothing+combined": 1, "docker+$nope$a": 8} {
		_, err := ingest.NewFormat(spec, ingest.FormatOptions{})
		e, ok := errors.AsType[*ingest.FormatError](err)
		if !ok || e.Column < column {
			t.Errorf("%s: %v", spec, err)
		}
	}
}

// The frame of a file is found by itself.
func TestTrap21WrappersDetected(t *testing.T) {
	f := func(want string, frame func(string) string) {
		t.Helper()
		var b bytes.Buffer
		for i := range 50 {
			b.WriteString(frame(line(fmt.Sprint("/", i))) + "\n")
		}
		b.WriteString(line("/without") + "\n") // 2 % without a frame
		rep := readAll(t, ingest.Options{Stdin: &b}, "-").Files[0]
		checkBalance(t, rep)
		equal(t, "format", rep.Format, want)
		equal(t, "records", rep.Records, 51)
	}
	f("docker+combined", func(l string) string { return inDocker(l+"\n", "stdout") })
	f("cri+combined", func(l string) string { return criTime + "stdout F " + l })
	f("syslog+combined", func(l string) string { return "<134>Mar 12 09:14:03 lb1 nginx: " + l })
	f("compose+combined", func(l string) string { return "nginx-1  | " + l })
	f("kubectl+combined", func(l string) string { return "[pod/web-5d/nginx] " + l })
	f("timestamps+combined", func(l string) string { return criTime + l })
	f("compose+syslog+combined", func(l string) string { return "lb-1  | <134>Mar 12 09:14:03 nginx: " + l })
	f("combined", func(l string) string { return l })
}

func TestTrap22CaddyConsole(t *testing.T) {
	const object = `{"request": {"remote_ip": "203.0.113.7", "client_ip": "203.0.113.7", "proto": "HTTP/2.0", "method": "GET", "host": "ex.example", "uri": "/a?b=1", ` +
		`"headers": {"User-Agent": ["curl/8.5"]}}, "bytes_read": 0, "user_id": "", "duration": 0.0021, "size": 512, "status": 200}`
	for _, before := range []string{
		"2025/03/12 09:14:03.824\tINFO\thttp.log.access.log0\thandled request\t",
		"2025/03/12 09:14:03.824\t\x1b[34mINFO\x1b[0m\thttp.log.access.log0\thandled request\t",
		"2025/03/12 09:14:03.824\tINFO\thandled request\t",
		"2025/03/12 09:14:03.824\tERROR\thttp.log.access\thandled request\t",
	} {
		r := mustParse(t, "caddy_console", before+object)
		equal(t, "end", r.Start+r.Duration, proxyStart+169e6)
		equal(t, "precision", r.Precision, ingest.PrecisionMillisecond)
		equal(t, "origin", r.Origin, ingest.OriginDerived)
		equal(t, "duration", r.Duration, 2.1e6)
		equal(t, "target", string(r.Target), "/a?b=1")
		equal(t, "host", string(r.Host), "ex.example")
		equal(t, "client", string(r.Client), "203.0.113.7")
		equal(t, "agent", string(r.Agent), "curl/8.5")
		equal(t, "bytes", r.Bytes, 512)
	}
	for _, own := range []string{"serving initial configuration", "admin\tadmin endpoint started\t{\"address\": \"localhost:2019\"}", "http.log.error\tEOF\t" + object} {
		wantVerdict(t, "caddy_console", "2025/03/12 09:14:03.824\tINFO\t"+own, ingest.Skip)
	}
	wantVerdict(t, "caddy_console", "2025/03/12 09:14:03 [error] 7#7: *1 open() failed", ingest.BadTime)
	wantVerdict(t, "caddy_console", "2025/13/12 09:14:03.824\tINFO\thandled request\t"+object, ingest.BadTime)
	wantVerdict(t, "caddy_console", "2025/03/12 09:14:03.824\tINFO\thandled request\t"+object[:60], ingest.BadQuote)
	wantVerdict(t, "caddy_console", "2025/03/12 09:14:03.824\thandled request\t{}", ingest.BadColumns)
}

// What a frame escapes is no mark of the server inside.
func TestTrap21StampsInFrames(t *testing.T) {
	f := func(want, inner string) {
		t.Helper()
		journal, err := json.Marshal(map[string]string{"__REALTIME_TIMESTAMP": "1741767243655123", "MESSAGE": inner})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range []string{inner, inDocker(inner+"\n", "stdout"), string(journal), "web-1  | " + inDocker(inner+"\n", "stdout")} {
			_, rep := readText(t, strings.Repeat(l+"\n", 3), ingest.Options{})
			equal(t, "stamp of "+l, rep.Stamp, want)
		}
	}
	f("unknown", line("/"))
	f("start", head+`"GET / HTTP/1.1" 200 1 "-" "a \"b\""`)
	f("end", head+`"GET / HTTP/1.1" 200 1 "-" "a \x22b\x22"`)
}
