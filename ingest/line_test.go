package ingest

// In the package itself, because only lines shows where each byte of a stream went: a Reader shows what a format
// made of it.

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// cutting is what a lines made of a stream.
type cutting struct {
	lines []string
	long  int
}

// checkCut cuts text with small buffers, so that every line meets a refill, and checks that each byte is in a line,
// in one that was too long, or between lines, where only line ends, zeros and separators may be.
func checkCut(t testing.TB, l *lines, text string) cutting {
	t.Helper()
	between, within := "\x00\r\n", ""
	if l.elements != nil {
		between, within = "\x00 \t\r\n,[]", "\r\n"
	}
	var c cutting
	end := int64(0)
	dropped := false
	for {
		line, long, err := l.next()
		at := l.offset()
		if err == io.EOF {
			at = int64(len(text))
		} else if err != nil {
			t.Fatal(err)
		}
		if at < end || at > int64(len(text)) {
			t.Fatalf("line at %d, after one that ended at %d of %d", at, end, len(text))
		}
		if gap := text[end:at]; !dropped && strings.Trim(gap, between) != "" {
			t.Fatalf("bytes %q at %d are in no line", gap, end)
		}
		if err == io.EOF {
			break
		}
		if dropped = long; long {
			c.long++
			end = at
			continue
		}
		if at+int64(len(line)) > int64(len(text)) {
			t.Fatalf("line of %d bytes at %d of %d", len(line), at, len(text))
		}
		logged := text[at : at+int64(len(line))]
		for i := range line {
			if line[i] != logged[i] && (line[i] != ' ' || !strings.Contains(within, logged[i:i+1])) {
				t.Fatalf("line %q at %d, where the stream has %q", line, at, logged)
			}
		}
		c.lines = append(c.lines, string(line))
		end = at + int64(len(line))
	}
	if _, _, err := l.next(); err != io.EOF {
		t.Fatalf("after the end: %v", err)
	}
	return c
}

// handing hands over its text a few bytes at a time, each time in a new buffer, and spoils the one before.
type handing struct {
	text string
	last []byte
}

func (h *handing) Read([]byte) (int, error) { panic("ingest: read, not extended") }

func (h *handing) Extend(kept []byte) ([]byte, error) {
	n := min(len(h.text), 3)
	next := append(bytes.Clone(kept), h.text[:n]...)
	h.text = h.text[n:]
	for i := range h.last {
		h.last[i] = '!'
	}
	h.last = next
	if n == 0 {
		return next, io.EOF
	}
	return next, nil
}

// checkHanded checks that a stream that hands over its buffers is cut as any other.
func checkHanded(t testing.TB, open func(io.Reader) *lines, limit int, text string, want cutting) {
	t.Helper()
	l := open(&handing{text: text})
	l.limit = limit
	if c := checkCut(t, l, text); !slices.Equal(c.lines, want.lines) || c.long != want.long {
		t.Errorf("%q handed over: %q and %d too long, want %q and %d", text, c.lines, c.long, want.lines, want.long)
	}
}

func smallLines(text string, eol byte, limit int) *lines {
	l := newLines(iotest.HalfReader(strings.NewReader(text)), eol)
	l.buf, l.limit = make([]byte, 4), limit
	return l
}

func smallElements(text string, limit int) *lines {
	l := newElements(iotest.HalfReader(strings.NewReader(text)))
	l.buf, l.limit = make([]byte, 4), limit
	return l
}

func TestTrap17And19Lines(t *testing.T) {
	f := func(text string, eol byte, want ...string) {
		t.Helper()
		if c := checkCut(t, smallLines(text, eol, 8), text); !slices.Equal(c.lines, want) || c.long != 0 {
			t.Errorf("%q: %q and %d too long, want %q", text, c.lines, c.long, want)
		}
	}
	f("", '\n')
	f("\n\n", '\n', "", "")
	f("a\nb", '\n', "a", "b")
	f("a\r\nb\r\n", '\n', "a", "b")
	f("a\rb\r", '\r', "a", "b")
	f("a\r\rb", '\r', "a", "", "b")
	f("a\rb\n", '\n', "a\rb")
	f("12345678\n1", '\n', "12345678", "1")
	f("\x00\x00\x00a\n\x00\x00\nb\x00c\n\x00", '\n', "a", "", "b\x00c")
	f(strings.Repeat("\x00", 1000)+"a\r\n"+strings.Repeat("\x00", 1000), '\n', "a")
}

func TestTrap18LongLines(t *testing.T) {
	f := func(text string, long int, want ...string) {
		t.Helper()
		if c := checkCut(t, smallLines(text, '\n', 8), text); !slices.Equal(c.lines, want) || c.long != long {
			t.Errorf("%q: %q and %d too long, want %q and %d", text, c.lines, c.long, want, long)
		}
	}
	huge := strings.Repeat("x", 1000)
	f("123456789\nb\n", 1, "b")
	f("a\n"+huge+"\nb\n", 1, "a", "b")
	f("a\n"+huge, 1, "a")
	f(huge+"\n"+huge+"\n\nb", 2, "", "b")
}

func TestElements(t *testing.T) {
	f := func(text string, want ...string) {
		t.Helper()
		if c := checkCut(t, smallElements(text, 64), text); !slices.Equal(c.lines, want) || c.long != 0 {
			t.Errorf("%q: %q and %d too long, want %q", text, c.lines, c.long, want)
		}
	}
	f("")
	f("[]\n[ ]\n")
	f(`[{"a":1},{"b":[{},{}]}]`, `{"a":1}`, `{"b":[{},{}]}`)
	f("[{\"a\":1},{}]\n[]\n[{\"b\":2}]\r\n", `{"a":1}`, `{}`, `{"b":2}`)
	f("[\n  {\n    \"a\": {\n      \"b\": 1\n    }\n  },\r\n  {}\n]\n", `{     "a": {       "b": 1     }   }`, `{}`)
	f("[\n{\n\"a\": [\n{\n\"b\": 1\r\n}\n]\n}\n]", `{ "a": [ { "b": 1  } ] }`)
	f(`[{"a":"}]\"{[\\"},{"\\":"\""}]`, `{"a":"}]\"{[\\"}`, `{"\\":"\""}`)
	f(`{"a":1}`+"\x00\x00"+`{"b":2}`, `{"a":1}`, `{"b":2}`)
	f("[{}\nstarted\n,{}, null, {\"a\":1} ]", `{}`, `started`, `{}`, `null`, `{"a":1}`)
}

func TestBrokenElements(t *testing.T) {
	f := func(text string, long int, want ...string) {
		t.Helper()
		if c := checkCut(t, smallElements(text, 64), text); !slices.Equal(c.lines, want) || c.long != long {
			t.Errorf("%q: %q and %d too long, want %q and %d", text, c.lines, c.long, want, long)
		}
	}
	f("[{\"a\":1,\n \"b", 0, `{"a":1,  "b`) // the end of the file
	f("[{\"a\":\"x\n,{\"b\":2}]", 0, `{"a":"x`, `{"b":2}`)
	f("[{\"a\":\"x\\\n,{\"b\":2}]", 0, `{"a":"x\`, `{"b":2}`)
	f("[{\"a\":{\"b\":1\n,{\"c\":2}\n,{\"d\":3}\n]", 0, `{"a":{"b":1`, `{"c":2}`, `{"d":3}`)
	f("[{\"a\":{\"b\":1\n,{\"c\":2}\n", 0, `{"a":{"b":1`, `{"c":2}`)
	f("[{\"a\":[1}\n[{\"c\":2}]\n", 0, `{"a":[1}`, `{"c":2}`) // the next batch
	f("[\n  {\n    \"a\": \"x\n    {\n  },\n  {}\n]", 0, `{     "a": "x     {   }`, `{}`)
	f("[{\n \"a\": \"x\n}, {\n \"b\": 2\n}]", 0, "{  \"a\": \"x }", "{  \"b\": 2 }")
	f("[{}}\n,{\"a\":1}]", 0, `{}`, `}`, `{"a":1}`)
	deep := strings.Repeat(`{"a":`, 100)
	f(deep[:60]+"\n{\"b\":2}\n", 0, deep[:60], `{"b":2}`)
	f("["+deep+"\n,{\"b\":2}]", 1, `{"b":2}`)
	f("[{\"a\":\""+strings.Repeat("x", 100)+"\"}\n,{\"b\":2}]", 1, `{"b":2}`)
	f("["+strings.Repeat("x", 100)+"\n,{\"b\":2}]", 1, `{"b":2}`)
}

// A bracket that is never closed must not make the reader start over at every line: what was read as one broken
// element is read once more, and that is all.
func TestBrokenElementsAreReadTwiceAtMost(t *testing.T) {
	text := strings.Repeat("{\"a\":{\n{}\n", 100_000)
	l := newElements(strings.NewReader(text))
	n := 0
	for {
		if _, _, err := l.next(); err != nil {
			break
		}
		n++
	}
	if n != 200_000 {
		t.Errorf("%d lines", n)
	}
}

func TestIsJSONArray(t *testing.T) {
	f := func(text string, want bool) {
		t.Helper()
		if isJSONArray([]byte(text)) != want {
			t.Errorf("%q: not %v", text, want)
		}
	}
	f(`[{"a":1}]`, true)
	f(" \r\n[\n\t{", true)
	f("\x00\x00[{", true)
	f("[]\n[ ],\n[{", true)
	f("[[{", true)
	f("", false)
	f("[", false)
	f("[]", false)
	f("[]{", true)
	f(`{"a":[{}]}`, false)
	f("[2025-03-12T09:14:03Z] {", false)
	f("[1,{", false)
	f("203.0.113.7 - - [{", false)
}

// endless is an input whose size only a bounded reader survives.
type endless struct {
	block []byte
	left  int64
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(int64(len(p)), e.left)], e.block)
	e.left -= int64(n)
	return n, nil
}

func TestHugeLinesAreNeverHeld(t *testing.T) {
	f := func(l *lines, size int64, long int) {
		t.Helper()
		for got := 0; ; {
			_, isLong, err := l.next()
			if isLong {
				got++
			}
			if err == nil {
				continue
			}
			if err != io.EOF || got != long || len(l.buf) > 4*MaxLine || l.zeros+int64(long)*size != size {
				t.Errorf("%v, %d too long, %d zeros, buffer of %d bytes", err, got, l.zeros, len(l.buf))
			}
			return
		}
	}
	x, zero, open := bytes.Repeat([]byte("x"), 1<<20), make([]byte, 1<<20), bytes.Repeat([]byte("{"), 1<<20)
	f(newLines(&endless{x, 1 << 30}, '\n'), 1<<30, 1)
	f(newLines(&endless{zero, 10_000_000}, '\n'), 10_000_000, 0)
	f(newElements(&endless{x, 1 << 26}), 1<<26, 1)
	f(newElements(&endless{open, 1 << 26}), 1<<26, 1)
	f(newElements(&endless{zero, 10_000_000}), 10_000_000, 0)
}

// What a failing input delivered comes before its error.
func TestLinesBeforeAnError(t *testing.T) {
	broken := errors.New("broken")
	for _, l := range []*lines{newLines(failAfter("{}\n{", broken), '\n'), newElements(failAfter("{}\n{", broken))} {
		for _, want := range []string{"{}", "{"} {
			if line, _, err := l.next(); err != nil || string(line) != want {
				t.Errorf("%q, %v", line, err)
			}
		}
		for range 2 {
			if _, _, err := l.next(); err != broken {
				t.Error(err)
			}
		}
	}
}

func failAfter(text string, err error) io.Reader {
	return io.MultiReader(strings.NewReader(text), iotest.ErrReader(err))
}

func FuzzLines(f *testing.F) {
	f.Add("a\r\nb\n\x00\x00c", byte('\n'), uint8(8))
	f.Add("a\rb\r", byte('\r'), uint8(1))
	f.Add("[{\"a\":\"}\\\"\"},\n{\"b\":[{\n}]}]\n[{}]", byte('\n'), uint8(64))
	f.Add("[{\"a\":{\n{}\n,{\"b\":\"\n}, {", byte('\n'), uint8(4))
	f.Add(" {\"0000\n{}{00000\n,  {", byte('\n'), uint8(0)) // too long, whatever the reads are
	f.Fuzz(func(t *testing.T, text string, eol byte, limit uint8) {
		if eol != '\r' {
			eol = '\n'
		}
		c := checkCut(t, smallElements(text, int(limit)), text)
		checkHanded(t, newElements, int(limit), text, c)
		c = checkCut(t, smallLines(text, eol, int(limit)), text)
		checkHanded(t, func(r io.Reader) *lines { return newLines(r, eol) }, int(limit), text, c)
	})
}

func BenchmarkLines(b *testing.B) {
	line := "203.0.113.7 - - [12/Mar/2025:09:14:03 +0100] \"GET /products/7?page=2 HTTP/1.1\" 200 512 \"https://shop.example/list\" \"Mozilla/5.0\"\n"
	element := "{\"time\":1741767243.51,\"client\":\"203.0.113.7\",\"request\":{\"method\":\"GET\",\"uri\":\"/products/7?page=2\"},\"status\":200,\"size\":512},\n"
	f := func(name, line string, open func(io.Reader) *lines) {
		text := []byte(strings.Repeat(line, 100_000))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				l := open(bytes.NewReader(text))
				for {
					if _, _, err := l.next(); err != nil {
						break
					}
				}
			}
		})
	}
	f("lines", line, func(r io.Reader) *lines { return newLines(r, '\n') })
	f("elements", element, newElements)
}

func TestLinesDoNotAllocate(t *testing.T) {
	text := strings.Repeat("{\"a\":1}\n", 1000)
	for _, open := range []func(io.Reader) *lines{newElements, func(r io.Reader) *lines { return newLines(r, '\n') }} {
		l := open(strings.NewReader(text))
		if n := testing.AllocsPerRun(900, func() { l.next() }); n != 0 {
			t.Errorf("%g allocations per line", n)
		}
	}
}
