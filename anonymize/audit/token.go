package audit

import (
	"bytes"
	"hash/maphash"
	"math"
	"net/netip"
	"regexp"
	"unicode"
	"unicode/utf8"
)

// token is a hash of a part of a value, with the part's class in its low bits.
type token uint64

func (t token) class() class { return class(t & (1<<classBits - 1)) }

// tokenizer cuts values into tokens. It is not safe for concurrent use.
type tokenizer struct {
	seed  maphash.Seed
	yield func(token)
	keeps func(key []byte) bool // tells whether a key is vocabulary
	stays func(netip.Addr) bool // tells whether the rules let an address stay
	fold  []byte
}

var (
	mailForm = regexp.MustCompile(`[\pL\pN._%+'-]+[@＠][\pL\pN-]+(?:\.[\pL\pN-]+)+`)
	uuidForm = regexp.MustCompile(`(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`)
	dateForm = regexp.MustCompile(`^[0-9]{4}[-._/][0-9]{2}[-._/][0-9]{2}$`)
	listForm = regexp.MustCompile(`[,;| ]+`)
)

// reserved is the domain of all mail pseudonyms.
const reserved = "example.com"

// value yields the tokens of a value whose encodings were not undone.
func (t *tokenizer) value(raw []byte) {
	text := unpublic(unjson(unpercent(raw)), t.keeps)
	t.text(text)
	hidden(text, func(inner []byte) { t.text(unpublic(unjson(unpercent(inner)), t.keeps)) })
}

// text yields the tokens of a decoded value: of the whole, of its list elements and of its runs.
func (t *tokenizer) text(text []byte) {
	if len(text) == 0 {
		return
	}
	if t.special(text) {
		return
	}
	rest := t.found(text)
	if bytes.ContainsAny(rest, ",;| ") {
		for _, p := range listForm.Split(string(rest), -1) {
			if !t.special([]byte(p)) {
				t.whole([]byte(p))
			}
		}
	}
	t.whole(rest)
	t.runs(rest)
}

// special yields what is one thing as a whole: an address, a date, a phone or card number. It tells whether nothing of it
// is to be looked at any closer.
func (t *tokenizer) special(text []byte) bool {
	if a, ok := addressIn(text); ok {
		t.address(a)
		return true
	}
	if len(text) == 10 && dateForm.Match(text) {
		t.emit(newClass(ofDate, 10), text)
		return true
	}
	if national, size := phoneIn(text); national != nil {
		t.emit(newClass(ofPhone, size), national)
		return true
	}
	return false
}

// addressIn reads an address with brackets, port or zone.
func addressIn(text []byte) (netip.Addr, bool) {
	s := string(bytes.TrimSpace(text))
	if len(s) < 2 || len(s) > 80 {
		return netip.Addr{}, false
	}
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return ap.Addr().Unmap().WithZone(""), true
	}
	if s[0] == '[' && s[len(s)-1] == ']' {
		s = s[1 : len(s)-1]
	}
	a, err := netip.ParseAddr(s)
	return a.Unmap().WithZone(""), err == nil
}

func (t *tokenizer) address(a netip.Addr) {
	if c, ok := classOf(a); ok && !t.stays(a) {
		b := a.As16()
		t.emit(c, b[:])
	}
}

// found yields mail addresses and UUIDs, and returns the rest of the text.
func (t *tokenizer) found(text []byte) []byte {
	cut := func(form *regexp.Regexp, k tokenKind) {
		text = form.ReplaceAllFunc(text, func(m []byte) []byte {
			t.emit(newClass(k, 0), m)
			if k == ofUUID {
				return []byte{' '}
			}
			if local, domain, _ := bytes.Cut(m, []byte{'@'}); string(domain) == reserved {
				return local
			}
			return m
		})
	}
	if bytes.ContainsAny(text, "@＠") {
		cut(mailForm, ofMail)
	}
	if len(text) >= 36 && bytes.Count(text, []byte{'-'}) >= 4 {
		cut(uuidForm, ofUUID)
	}
	return text
}

// runs yields the runs of letters and digits.
func (t *tokenizer) runs(text []byte) {
	for len(text) > 0 {
		run, rest := cutRun(text)
		if len(run) > 0 {
			t.run(run)
		}
		text = rest
	}
}

// cutRun returns the first run of letters and digits, of any script, and what follows it.
func cutRun(text []byte) (run, rest []byte) {
	start := 0
	for start < len(text) {
		if n := inRun(text[start:]); n > 0 {
			break
		}
		_, n := utf8.DecodeRune(text[start:])
		start += n
	}
	end := start
	for end < len(text) {
		n := inRun(text[end:])
		if n == 0 {
			break
		}
		end += n
	}
	return text[start:end], text[end:]
}

// inRun is the length of the letter or digit at the start of s, 0 if there is none.
func inRun(s []byte) int {
	r, n := utf8.DecodeRune(s)
	if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
		return n
	}
	return 0
}

// run yields one run.
func (t *tokenizer) run(run []byte) {
	digits, letters, hexes, foreign := 0, 0, 0, 0
	for _, c := range run {
		switch low := c | 0x20; {
		case c >= '0' && c <= '9':
			digits++
		case low >= 'a' && low <= 'f':
			hexes++
			letters++
		case low >= 'g' && low <= 'z':
			letters++
		default:
			foreign++
		}
	}
	n := len(run)
	switch {
	case foreign > 0:
		t.emit(newClass(ofParts, int(power(run))), run)
	case letters == 0 && isCard(run):
		t.emit(newClass(ofCard, n), run)
	case letters == 0:
		t.emit(newClass(ofDigits, n), run)
	case digits == 0:
		t.emit(newClass(ofLetters, n), run)
	case isPerson(run):
		t.emit(newClass(ofPerson, n), run)
	case isIBAN(run):
		t.emit(newClass(ofIBAN, n), run)
	case digits+hexes == n && n >= 6:
		t.emit(newClass(ofHex, n), run)
	default:
		t.emit(newClass(ofMixed, n), run)
	}
}

// longestWhole is the longest value that is also compared as a whole, in bytes.
const longestWhole = 512

// whole yields a value of several runs as one token, in lower case and without what stands between the runs.
func (t *tokenizer) whole(text []byte) {
	if len(text) > longestWhole {
		return
	}
	size, runs, joined := freedom(text)
	if runs < 2 || t.holdsStaying(text) {
		return
	}
	digits := onlyDigits(joined)
	switch {
	case digits && isCard(joined):
		t.emit(newClass(ofCard, len(joined)), joined)
	case isIBAN(joined):
		t.emit(newClass(ofIBAN, len(joined)), joined)
	default:
		t.emit(newClass(ofParts, int(size)), joined)
	}
}

// holdsStaying tells whether an IPv4 address stands in a text that pseudonyms let stay, or the rules do.
func (t *tokenizer) holdsStaying(text []byte) bool {
	if bytes.Count(text, []byte{'.'}) < 3 {
		return false
	}
	for _, quad := range quadForm.FindAll(text, -1) {
		if a, ok := addressIn(quad); ok {
			if _, moves := classOf(a); !moves || t.stays(a) {
				return true
			}
		}
	}
	return false
}

// freedom is the power of ten of the values that the runs of a text can have, with their number and the runs themselves. A
// run that repeats the one before it adds none: its pseudonym repeats as well.
func freedom(text []byte) (size float64, runs int, joined []byte) {
	var last []byte
	for len(text) > 0 {
		var run []byte
		if run, text = cutRun(text); len(run) == 0 {
			continue
		}
		if !bytes.Equal(run, last) {
			size += power(run)
		}
		runs++
		joined, last = append(joined, run...), run
	}
	return size, runs, joined
}

// power is the power of ten of the number of values that a run's layout has, rather too small.
func power(run []byte) float64 {
	digits, letters, foreign := 0, 0, 0
	for i := 0; i < len(run); {
		r, n := utf8.DecodeRune(run[i:])
		i += n
		switch {
		case r >= '0' && r <= '9':
			digits++
		case r < utf8.RuneSelf:
			letters++
		default:
			foreign++
		}
	}
	switch {
	case letters+foreign == 0:
		return float64(digits - 1)
	case digits > 0 && foreign == 0:
		return float64(digits+letters) * math.Log10(16) // it may be hex
	}
	return float64(digits) + float64(letters)*math.Log10(26) + float64(foreign)*math.Log10(64)
}

// emit yields the token of a text, which is folded to lower case.
func (t *tokenizer) emit(c class, text []byte) {
	t.fold = append(t.fold[:0], text...)
	if c.kind() != ofV4 && c.kind() != ofV6 {
		t.fold = bytes.ToLower(t.fold)
	}
	h := maphash.Bytes(t.seed, t.fold)
	h = h&^(1<<classBits-1) | uint64(c)
	if h == 0 {
		h = 1 << classBits
	}
	t.yield(token(h))
}
