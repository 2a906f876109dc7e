package ingest_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	_ "time/tzdata" // tests in named zones run everywhere

	"go.uber.org/goleak"

	"reprise/ingest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func writeFile(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// readText reads a log given as text and returns the targets of its records and the account.
func readText(t testing.TB, text string, o ingest.Options) ([]string, ingest.FileReport) {
	t.Helper()
	o.Stdin = strings.NewReader(text)
	r, err := ingest.Open(t.Context(), []string{"-"}, o)
	if err != nil {
		t.Fatal(err)
	}
	var targets []string
	for record, err := range r.Records(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		targets = append(targets, string(record.Target))
	}
	rep := r.Report().Files[0]
	checkBalance(t, rep)
	return targets, rep
}

func line(target string) string { return head + `"GET ` + target + ` HTTP/1.1" 200 1 "-" "a"` }

func TestTrap13FilesInOrderOfTime(t *testing.T) {
	dir := t.TempDir()
	at := func(day int) string {
		return strings.Replace(line(fmt.Sprintf("/day/%d", day)), "12/Mar", fmt.Sprintf("%02d/Mar", day), 1) + "\n"
	}
	for name, day := range map[string]int{"access.log": 12, "access.log.2": 10, "access.log.10": 2} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(at(day)+at(day+1)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	for _, name := range []string{"access.log", "access.log.10", "access.log.2"} {
		names = append(names, filepath.Join(dir, name))
	}
	r, err := ingest.Open(t.Context(), names, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // files can be read again
		var got []string
		for record, err := range r.Records(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(record.Target))
		}
		equal(t, "order", strings.Join(got, " "), "/day/2 /day/3 /day/10 /day/11 /day/12 /day/13")
		total := r.Report().Total()
		equal(t, "lines", total.Lines, 6)
	}
	_, rep := readText(t, at(12)+at(10)+at(11)+at(13), ingest.Options{})
	equal(t, "late", rep.Late, 2)
	equal(t, "max", rep.MaxLate, 2*86400)
}

func TestTrap17ZeroBytes(t *testing.T) {
	hole := strings.Repeat("\x00", 3<<20) // longer than any line may be, and than the sample
	targets, rep := readText(t, hole+line("/1")+"\n"+hole+line("/2")+"\n"+hole, ingest.Options{})
	equal(t, "targets", strings.Join(targets, " "), "/1 /2")
	equal(t, "lines", rep.Lines, 2)
	equal(t, "warnings", len(rep.Warnings), 1)
}

func TestTrap18LongLines(t *testing.T) {
	long := line("/" + strings.Repeat("x", 100_000))
	tooLong := line("/" + strings.Repeat("y", ingest.MaxLine))
	var rejects []ingest.Reject
	targets, rep := readText(t, line("/1")+"\n"+long+"\n"+tooLong+"\n"+line("/2")+"\n"+strings.Repeat("z", 3*ingest.MaxLine), ingest.Options{
		Format: "combined",
		Reject: func(r ingest.Reject) error { rejects = append(rejects, r); return nil },
	})
	equal(t, "records", len(targets), 3)
	equal(t, "length", len(targets[1]), 100_001)
	equal(t, "after", targets[2], "/2")
	equal(t, "too long", rep.Reasons["too_long"], 2)
	equal(t, "rejects", len(rejects), 2)
	equal(t, "position", rejects[0], ingest.Reject{Pos: ingest.Pos{File: "-", Line: 3, Byte: int64(len(line("/1")+long) + 2)}, Reason: ingest.TooLong, Column: ingest.MaxLine + 1})
}

// A file may begin with lines that are too long: its format is that of the lines after them.
func TestTrap18LongLinesAtTheBeginning(t *testing.T) {
	f := func(sizes ...int) {
		t.Helper()
		text, long := "", 0
		for _, size := range sizes {
			text += strings.Repeat("x", size) + "\n"
			if size > ingest.MaxLine {
				long++
			}
		}
		at := int64(len(text) + len(line("/1")) + 1)
		text += line("/1") + "\nbad\n" + manyLines(100, common)
		for _, name := range []string{"-", writeFile(t, "log", []byte(text))} {
			var last ingest.Reject
			r, err := ingest.Open(t.Context(), []string{name}, ingest.Options{Stdin: strings.NewReader(text), Reject: func(r ingest.Reject) error { last = r; return nil }})
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range r.Records(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
			}
			rep := r.Report().Files[0]
			checkBalance(t, rep)
			equal(t, "records", rep.Records, 101)
			equal(t, "too long", rep.Reasons["too_long"], int64(long))
			equal(t, "position", last.Pos, ingest.Pos{File: name, Line: int64(len(sizes)) + 2, Byte: at})
		}
	}
	f(ingest.MaxLine + 1)
	f(ingest.MaxLine+2, 0)
	f(3*ingest.MaxLine, ingest.MaxLine+1, 5*ingest.MaxLine)
}

func TestTrap19LineEnds(t *testing.T) {
	f := func(text, want string, lines, skipped int64) {
		t.Helper()
		targets, rep := readText(t, text, ingest.Options{})
		equal(t, "targets", strings.Join(targets, " "), want)
		equal(t, "lines", rep.Lines, lines)
		equal(t, "skipped", rep.Skipped, skipped)
	}
	f(line("/1")+"\r\n"+line("/2")+"\r\n", "/1 /2", 2, 0)
	f(line("/1")+"\r"+line("/2")+"\r", "/1 /2", 2, 0)
	f(line("/1")+"\n"+line("/2"), "/1 /2", 2, 0)
	f("\xef\xbb\xbf"+line("/1")+"\n", "/1", 1, 0)
	f("\n"+line("/1")+"\n\r\n\n#Software: x\n"+line("/2")+"\n", "/1 /2", 6, 4)
	wide := []byte{0xff, 0xfe}
	for _, c := range []byte(line("/1") + "\r\n") {
		wide = append(wide, c, 0)
	}
	f(string(wide), "/1", 1, 0)
}

func TestTrap20DamagedGzip(t *testing.T) {
	pack := func(text string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	one, two := pack(line("/1")+"\n"), pack(line("/2")+"\n")
	f := func(data []byte, records int64, warnings int) {
		t.Helper()
		rep := readAll(t, ingest.Options{}, writeFile(t, "access.log", data)).Files[0]
		equal(t, "records", rep.Records, records)
		equal(t, "warnings", len(rep.Warnings), warnings)
	}
	f(append(bytes.Clone(one), two...), 2, 0)
	f(append(bytes.Clone(one), make([]byte, 512)...), 1, 1)
	f(append(append(bytes.Clone(one), two...), "garbage"...), 2, 1)
	f(append(bytes.Clone(one), two[:len(two)-6]...), 2, 0)
}

func TestDetection(t *testing.T) {
	f := func(want string, lines ...string) {
		t.Helper()
		_, rep := readText(t, strings.Join(lines, "\n")+"\n", ingest.Options{})
		equal(t, "format", rep.Format, want)
	}
	common := head + `"GET / HTTP/1.1" 200 1`
	f("common", common)
	f("common", common, line("/"))
	f("combined", line("/"))
	f("combined", strings.Repeat(head+`"-" 400 0 "-" "-"`+"\n", 2000))
	f("main", line("/")+` "-"`)
	f("traefik", line("/")+` 17 "web@docker" "http://10.0.0.5:80" 3ms`)
	f("vhost_combined", "shop.example:443 "+line("/"))
	f("vhost_common", "shop.example:443 "+common)
	f("ingress", line("/")+` 331 0.043 [ns-web-80] [] 10.0.0.5:80, 10.0.0.6:80 0, 5 0.040, 0.002 502, 200 3f9c`)
}

func TestUnknownFormat(t *testing.T) {
	f := func(data string) *ingest.UnknownFormatError {
		t.Helper()
		_, err := ingest.Open(t.Context(), []string{"-"}, ingest.Options{Stdin: strings.NewReader(data)})
		e, ok := errors.AsType[*ingest.UnknownFormatError](err)
		if !ok {
			t.Fatalf("got %v", err)
		}
		return e
	}
	e := f(line("/") + "\n" + strings.Repeat(`secret-user 198.51.100.9 paid 4711 EUR at /private/path on [2025-03-12T00:00:00Z]`+"\n", 3))
	equal(t, "line", e.Line, 2)
	equal(t, "share", e.Guesses[0].Share, 0.25)
	equal(t, "excerpt", e.Excerpt, "<text> <address> <word> <number> <word> <word> <path> <word> [<time>]")
	equal(t, "mark after the end of the line", e.Mark, len(e.Excerpt)+1)
	status := f(strings.Repeat(`192.0.2.1 - - [12/Mar/2025:00:00:00 +0000] "GET / HTTP/1.1" 2x0 5`+"\n", 3))
	equal(t, "mark", status.Excerpt[status.Mark-1:], "<text> <number>")
	far := f(strings.Repeat(`192.0.2.1 - - [12/Mar/2025:00:00:00 +0000] "GET /`+strings.Repeat("x", 300)+` HTTP/1.1" x`+"\n", 3))
	equal(t, "no mark behind what is shown", far.Mark, 0)
	for _, secret := range []string{"secret", "198.51", "4711", "private", "2025"} {
		if strings.Contains(e.Error(), secret) {
			t.Errorf("the error repeats %q: %s", secret, e)
		}
	}
	noise := rand.NewChaCha8([32]byte{1})
	image := make([]byte, 200_000)
	if _, err := noise.Read(image); err != nil {
		t.Fatal(err)
	}
	equal(t, "excerpt", f("\xff\xd8\xff\xe0"+string(image)).Excerpt, "<binary>")
}

// What the shape of the lines suggests fits them, and repeats no value.
func TestUnknownFormatSuggests(t *testing.T) {
	f := func(want, line string) {
		t.Helper()
		text := strings.Repeat(line+"\n", 3)
		_, err := ingest.Open(t.Context(), []string{"-"}, ingest.Options{Stdin: strings.NewReader(text)})
		e, ok := errors.AsType[*ingest.UnknownFormatError](err)
		if !ok {
			t.Fatalf("got %v", err)
		}
		equal(t, "suggestion", e.Suggestion, want)
		if want != "" {
			_, rep := readText(t, text, ingest.Options{Format: want})
			equal(t, "records", rep.Records, 3)
		}
	}
	f(`[$time_iso8601] $remote_addr "$request" $status $body_bytes_sent $request_time`,
		`[2025-03-12T09:14:03+01:00] 203.0.113.7 "GET /a?b=1 HTTP/1.1" 200 512 0.043`)
	f(`$time_local|$remote_addr|$request_method|$request_uri|$status|$body_bytes_sent|$skip1`,
		`12/Mar/2025:09:14:03 +0100|203.0.113.7|GET|/a?b=1|200|512|cache-hit`)
	f(`t=$msec ip=$remote_addr req="$request" st=$status len=$body_bytes_sent ref="$http_referer" ua="$http_user_agent"`,
		`t=1741767243.510 ip=203.0.113.7 req="GET / HTTP/1.1" st=200 len=5 ref="-" ua="Mozilla/5.0 (X11)"`)
	f(``, `it was a dark and stormy night, and 203.0.113.7 was down`)
	f(`[$time_iso8601] $remote_addr $skip1 $skip2 "$request" $status`,
		`[2025-03-12T09:14:03+01:00] 203.0.113.7 100% $5 "GET /a?b=1 HTTP/1.1" 200`)
}

func TestEmptyInputs(t *testing.T) {
	empty, full := writeFile(t, "a", nil), writeFile(t, "b", []byte(line("/")+"\n"))
	_, err := ingest.Open(t.Context(), []string{empty}, ingest.Options{})
	equal(t, "empty", errors.Is(err, ingest.ErrEmpty), true)
	_, err = ingest.Open(t.Context(), []string{empty}, ingest.Options{Format: "common"})
	equal(t, "empty, format given", errors.Is(err, ingest.ErrEmpty), true)
	_, err = ingest.Open(t.Context(), nil, ingest.Options{})
	equal(t, "none", errors.Is(err, ingest.ErrEmpty), true)
	equal(t, "lines", readAll(t, ingest.Options{}, empty, full).Total().Lines, 1)
	missing := filepath.Join(t.TempDir(), "missing")
	_, err = ingest.Open(t.Context(), []string{missing, missing}, ingest.Options{})
	equal(t, "missing", errors.Is(err, os.ErrNotExist), true)
}

func TestRecordsStops(t *testing.T) {
	text := strings.Repeat(line("/")+"\n", 10_000)
	stop := errors.New("stop")
	r, err := ingest.Open(t.Context(), []string{"-"}, ingest.Options{
		Stdin: strings.NewReader(text + "broken\n"), Reject: func(ingest.Reject) error { return stop },
	})
	if err != nil {
		t.Fatal(err)
	}
	var last error
	for _, last = range r.Records(t.Context()) {
	}
	equal(t, "error of the hook", errors.Is(last, stop), true)
	for _, last = range r.Records(t.Context()) {
	}
	equal(t, "second read", errors.Is(last, ingest.ErrConsumed), true)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err = ingest.Open(ctx, []string{writeFile(t, "log", []byte(text))}, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, last = range r.Records(ctx) {
		if n++; n == 5000 {
			cancel()
		}
	}
	equal(t, "cancelled", errors.Is(last, context.Canceled), true)
	for range r.Records(t.Context()) {
		break // must join the read-ahead, which TestMain checks
	}
}

func TestReadErrorIsFatal(t *testing.T) {
	broken := errors.New("disk on fire")
	r, err := ingest.Open(t.Context(), []string{"-"}, ingest.Options{
		Stdin: iotest.TimeoutReader(strings.NewReader(strings.Repeat(line("/")+"\n", 20_000))),
	})
	if err == nil {
		for _, err = range r.Records(t.Context()) {
		}
	}
	equal(t, "timeout", errors.Is(err, iotest.ErrTimeout), true)
	_, err = ingest.Open(t.Context(), []string{"-"}, ingest.Options{Stdin: iotest.ErrReader(broken)})
	equal(t, "at once", errors.Is(err, broken), true)
}

// The lines do not depend on how the input is cut into reads, and a kept record does not change.
func TestReadsOfAnySize(t *testing.T) {
	var text strings.Builder
	for i := range 500 {
		fmt.Fprintf(&text, "%s\n", line(fmt.Sprintf("/%d?q=%s", i, strings.Repeat("x", i))))
	}
	want, _ := readText(t, text.String(), ingest.Options{})
	r, err := ingest.Open(t.Context(), []string{"-"}, ingest.Options{Stdin: iotest.OneByteReader(strings.NewReader(text.String()))})
	if err != nil {
		t.Fatal(err)
	}
	var kept []*ingest.Record
	var batch ingest.Batch
	for record, err := range r.Records(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, record.Clone())
		batch.Add(record)
	}
	equal(t, "records", len(kept), len(want))
	for i, target := range want {
		equal(t, "clone", string(kept[i].Target), target)
		equal(t, "batch", string(batch.Records()[i].Target), target)
		equal(t, "line", batch.Records()[i].Pos.Line, int64(i+1))
	}
	one := kept[0]
	batch.Reset()
	if n := testing.AllocsPerRun(100, func() { batch.Reset(); batch.Add(one) }); n != 0 {
		t.Errorf("a batch in use allocates %g times for a record", n)
	}
}
