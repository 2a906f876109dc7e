package ingest_test

import (
	"fmt"
	"strings"
	"testing"

	"reprise/ingest"
)

// caddyLine is a line of Caddy's JSON log.
func caddyLine(second int, target string) string {
	return fmt.Sprintf(`{"level":"info","ts":%d.5,"logger":"http.log.access.log0","msg":"handled request","request":{"remote_ip":"203.0.113.7",`+
		`"remote_port":"5123","client_ip":"203.0.113.7","proto":"HTTP/2.0","method":"GET","host":"ex.example","uri":"%s","headers":{"User-Agent":["curl/8.5"]}},`+
		`"bytes_read":0,"user_id":"","duration":0.0021,"size":512,"status":200,"resp_headers":{}}`+"\n", start/1e9+int64(second), target)
}

// manyLines repeats what f makes of the numbers up to n.
func manyLines(n int, f func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(f(i))
	}
	return b.String()
}

func common(i int) string { return atSecond(i, fmt.Sprintf("/%d", i)) }

func caddy(i int) string { return caddyLine(i, fmt.Sprintf("/%d", i)) }

func uses(rep ingest.FileReport) string { return fmt.Sprint(rep.Formats) }

// The server, or its log format, was changed in the middle of a file.
func TestTrap21FormatChanges(t *testing.T) {
	f := func(text string, records int, want string) ingest.FileReport {
		t.Helper()
		targets, rep := readText(t, text, ingest.Options{})
		equal(t, "records", len(targets), records)
		equal(t, "formats", uses(rep), want)
		for i, target := range targets {
			if target != fmt.Sprintf("/%d", i) {
				t.Fatalf("%d is %s", i, target)
			}
		}
		return rep
	}
	rep := f(manyLines(2000, common)+manyLines(3000, func(i int) string { return caddy(i + 2000) }), 5000, "[{common 1} {caddy 2001}]")
	equal(t, "format", rep.Format, "common")
	equal(t, "warnings", len(rep.Warnings), 1)
	equal(t, "rejected", rep.Rejected, 0)
	// There and back again: known formats are not looked for twice.
	f(manyLines(2000, common)+manyLines(150, func(i int) string { return caddy(i + 2000) })+manyLines(10, func(i int) string { return common(i + 2150) })+
		manyLines(1, func(i int) string { return caddy(i + 2160) }), 2161, "[{common 1} {caddy 2001}]")
	// Three lines are enough at the end of the file, two are not.
	f(manyLines(2000, common)+manyLines(3, func(i int) string { return caddy(i + 2000) }), 2003, "[{common 1} {caddy 2001}]")
	rep = f(manyLines(2000, common)+manyLines(2, func(i int) string { return caddy(i + 2000) }), 2000, "[{common 1}]")
	equal(t, "rejected", rep.Rejected, 2)
	// In the sample itself: 15 of 19 lines.
	f(manyLines(15, common)+manyLines(4, func(i int) string { return caddy(i + 15) }), 19, "[{common 1} {caddy 1}]")
	// A few lines of the other kind among many, from the sample on.
	f(manyLines(900, func(i int) string {
		if i%40 == 39 {
			return caddy(i)
		}
		return common(i)
	}), 900, "[{common 1} {caddy 1}]")
	// A table of its own begins in the middle.
	f(manyLines(2000, common)+"#Fields: date time c-ip cs-method cs-uri-stem sc-status\n"+
		manyLines(50, func(i int) string { return fmt.Sprintf("2025-03-12 10:00:00 203.0.113.7 GET /%d 200\n", 2000+i) }), 2050,
		"[{common 1} {w3c 2002}]")
}

// Lines in frames know of no "#Fields:", so one that stands after them describes lines of its own.
func TestTrap21FieldsAfterFrames(t *testing.T) {
	fields := "#Fields: date time c-ip cs-method cs-uri-stem sc-status\n"
	bare := manyLines(5, func(i int) string { return fmt.Sprintf("2025-03-12 09:14:%02d 203.0.113.7 GET /w%d 200\n", i, i) })
	for framedLines, want := range map[int]string{200: "[{compose+common 1} {compose+w3c 202}]", 2000: "[{compose+common 1} {compose+w3c 2002}]"} { // in the sample, and after it
		framed := manyLines(framedLines, func(i int) string { return "web-1  | " + common(i) })
		targets, rep := readText(t, framed+fields+bare, ingest.Options{})
		equal(t, "records", len(targets), framedLines+5)
		equal(t, "formats", uses(rep), want)
		equal(t, "skipped", rep.Skipped, 1)
	}
	// A line that names columns, and lines that have others.
	targets, rep := readText(t, fields+manyLines(20, common), ingest.Options{})
	equal(t, "records", len(targets), 20)
	equal(t, "formats", uses(rep), "[{common 1}]")
}

// What one format has undone of a line, the next one must not find undone.
func TestTrap21EscapesInTwoFormats(t *testing.T) {
	text := manyLines(2000, func(i int) string { return line("/") + "\n" }) +
		manyLines(200, func(i int) string { return fmt.Sprintf("%s\"GET /\\\"%d\\\\\\x41 HTTP/1.1\" 200 5\n", head, i) })
	targets, rep := readText(t, text, ingest.Options{})
	equal(t, "formats", uses(rep), "[{combined 1} {common 2001}]")
	for i, target := range targets[2000:] {
		equal(t, "target", target, fmt.Sprintf(`/"%d\A`, i))
	}
	equal(t, "records", len(targets), 2200)
}

// A format that the user gave is the file's only one.
// A part of a line that one format took is no beginning of a line of another.
func TestTrap21PartsInTwoFormats(t *testing.T) {
	var b strings.Builder
	frame := func(tag, text string) {
		b.WriteString("2025-03-12T09:14:03.5Z stdout " + tag + " " + strings.TrimSuffix(text, "\n") + "\n")
	}
	for i := range 200 {
		frame("F", common(i))
	}
	for i := range 200 {
		frame("F", caddy(i))
	}
	whole := caddy(200)
	frame("P", whole[:40])
	frame("F", whole[40:])
	frame("F", common(201))
	frame("P", common(202)[:40])
	frame("F", common(202)[40:])
	frame("F", caddy(203))
	o := ingest.Options{Reject: func(r ingest.Reject) error { t.Error(r); return nil }}
	r, err := ingest.Open(t.Context(), writeFiles(t, b.String()), o)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for record, err := range r.Records(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "client", string(record.Client), "203.0.113.7")
		n++
	}
	equal(t, "records", n, 404)
}

func TestGivenFormatStays(t *testing.T) {
	_, rep := readText(t, manyLines(200, common)+manyLines(200, caddy), ingest.Options{Format: "common"})
	equal(t, "records", rep.Records, 200)
	equal(t, "rejected", rep.Rejected, 200)
	equal(t, "formats", uses(rep), "[{common 1}]")
}

// Garbage is told in the order of its lines, and is not looked at again and again.
func TestGarbageInTheMiddle(t *testing.T) {
	text := manyLines(2000, common) + manyLines(30_000, func(i int) string {
		if i%1000 == 999 {
			return common(i)
		}
		return fmt.Sprintf("panic: %d at %x\n", i, i)
	})
	var lines []int64
	_, rep := readText(t, text, ingest.Options{Reject: func(r ingest.Reject) error {
		if n := len(lines); n > 0 && lines[n-1] >= r.Pos.Line {
			t.Fatalf("line %d comes after line %d", r.Pos.Line, lines[n-1])
		}
		equal(t, "shape", r.Shape, "<text> <number> <word> "+shapeOf(fmt.Sprintf("%x", r.Pos.Line-2001)))
		lines = append(lines, r.Pos.Line)
		return nil
	}})
	equal(t, "rejects", len(lines), 29_970)
	equal(t, "rejected", rep.Rejected, 29_970)
	equal(t, "records", rep.Records, 2030)
	// After the garbage another format is still found.
	targets, rep := readText(t, manyLines(2000, common)+manyLines(300, func(i int) string { return "panic\n" })+manyLines(3000, caddy), ingest.Options{})
	if len(targets) < 4000 || len(rep.Formats) != 2 {
		t.Errorf("%d records, formats %s", len(targets), uses(rep))
	}
	// However much garbage there was, about as many lines as are skipped between two looks are lost.
	targets, rep = readText(t, manyLines(2000, common)+manyLines(50_000, func(i int) string { return "panic\n" })+manyLines(3000, caddy), ingest.Options{})
	if len(targets) < 3800 || len(rep.Formats) != 2 {
		t.Errorf("%d records, formats %s", len(targets), uses(rep))
	}
}

// shapeOf is the type of a word of hexadecimal digits, as a shape shows it.
func shapeOf(word string) string {
	digits, letters := 0, 0
	for _, c := range word {
		if c <= '9' {
			digits++
		} else {
			letters++
		}
	}
	switch {
	case letters == 0:
		return "<number>"
	case digits == 0:
		return "<word>"
	}
	return "<text>"
}

// A rotation tore a line in two.
func TestTrap16TornByRotation(t *testing.T) {
	whole := strings.TrimSuffix(atSecond(100, "/torn/MOSAIC.gif"), "\n")
	before, after := manyLines(50, common), manyLines(50, func(i int) string { return common(i + 101) })
	f := func(a, b string, records int64, rejected, skipped [2]int64) {
		t.Helper()
		var want string
		for _, merged := range []bool{true, false} {
			for _, swapped := range []bool{false, true} {
				names := writeFiles(t, before+a, b+after)
				if swapped {
					names[0], names[1] = names[1], names[0]
				}
				var rejects, targets []string
				r, err := ingest.Open(t.Context(), names, ingest.Options{Reject: func(r ingest.Reject) error {
					rejects = append(rejects, fmt.Sprintf("%s:%d %s %s", r.Pos.File[len(r.Pos.File)-1:], r.Pos.Line, r.Reason, r.Shape))
					return nil
				}})
				if err != nil {
					t.Fatal(err)
				}
				add := func(r *ingest.Record) error { targets = append(targets, string(r.Target)); return nil }
				if merged {
					for r, err := range r.Records(t.Context()) {
						if err != nil {
							t.Fatal(err)
						}
						_ = add(r)
					}
				} else if err = r.Each(t.Context(), 1, func(int) func(*ingest.Record) error { return add }, nil); err != nil {
					t.Fatal(err)
				}
				rep := r.Report()
				for i, file := range rep.Files {
					checkBalance(t, file)
					equal(t, "rejected", file.Rejected, rejected[i])
					equal(t, "skipped", file.Skipped, skipped[i])
				}
				equal(t, "records", rep.Total().Records, records)
				equal(t, "yielded", int64(len(targets)), records)
				equal(t, "told", int64(len(rejects)), rejected[0]+rejected[1])
				got := fmt.Sprint(rejects, targets)
				if want == "" {
					want = got
				}
				equal(t, "the same either way", got, want)
			}
		}
	}
	cut := strings.Index(whole, "MOSAIC") + 1
	f(whole[:cut], whole[cut:]+"\n", 101, [2]int64{0, 0}, [2]int64{0, 1})
	f(whole[:20], whole[20:]+"\n", 101, [2]int64{0, 0}, [2]int64{0, 1})
	f(whole[:20], whole[40:]+"\n", 100, [2]int64{1, 1}, [2]int64{0, 0})        // something is missing
	f(whole[:cut]+"\n", whole[cut:]+"\n", 100, [2]int64{1, 1}, [2]int64{0, 0}) // the line was ended
	f(whole[:cut], "", 100, [2]int64{1, 0}, [2]int64{0, 0})
	f("", whole[cut:]+"\n", 100, [2]int64{0, 1}, [2]int64{0, 0})
	f(whole, "", 101, [2]int64{0, 0}, [2]int64{0, 0})
}

// Two writers tore each other's lines: what is whole is read.
func TestTrap16InterleavedWritersAreReread(t *testing.T) {
	broken := "203.0.113.7 - - [12/Mar/203.0.113.8 - - [12/Mar/2025:09:14:03 +0100] \"GET /x\n"
	targets, rep := readText(t, manyLines(20, common)+broken+common(20), ingest.Options{})
	equal(t, "records", len(targets), 21)
	equal(t, "rejected", rep.Rejected, 1)
}

// BenchmarkGarbage compares lines that fit the file's format with lines that fit nothing, as a log that another
// program writes into holds: looking for formats must not cost more than parsing does.
func BenchmarkGarbage(b *testing.B) {
	clean := manyLines(100_000, common)
	for name, text := range map[string]string{
		"clean":   clean,
		"garbage": manyLines(2000, common) + manyLines(98_000, func(i int) string { return "203.0.113.7 - - [12/Mar/2025 09:14:03] GET / 200 and more\n" }),
		"runs of garbage": manyLines(100_000, func(i int) string {
			if i > 2000 && i%150 < 120 {
				return fmt.Sprintf("203.0.113.7 - - [12/Mar/2025 09:14:03] GET /%d 200 and more\n", i)
			}
			return common(i)
		}),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r, err := ingest.Open(b.Context(), []string{"-"}, ingest.Options{Stdin: strings.NewReader(text), SkipHash: true})
				if err != nil {
					b.Fatal(err)
				}
				for _, err := range r.Records(b.Context()) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
