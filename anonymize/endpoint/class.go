package endpoint

// Class is what a path segment looks like.
type Class uint8

// The classes. Word is all that looks like a name in a route; only words can be literal.
const (
	Word      Class = iota
	Int             // decimal digits
	UUID            // 8-4-4-4-12 hex digits
	Hex             // six or more hex digits, at least one of them a letter and one a digit
	Mail            // local part @ domain with a dot
	Date            // 2006-01-02, also with . or _
	IP              // IPv4 dotted quad, or what looks like IPv6
	Token           // anything opaque: mixed runs, long runs, bytes that no route word has
	PrefixInt       // letters, perhaps a separator, digits: user-123
	Any             // in a given file: {id} or another free name, any one segment
	Rest            // everything after the 12th segment
)

var classNames = [...]string{"word", "int", "uuid", "hex", "mail", "date", "ip", "token", "prefix-int", "any", "rest"}

// String is the name that stands in a pattern's braces.
func (c Class) String() string { return classNames[c] }

// maxWord is the longest segment that can be a word, in bytes.
const maxWord = 64

// Kinds of bytes, for the one table pass.
const (
	kOther = iota
	kDigit
	kHexLower
	kLower
	kHexUpper
	kUpper
	kDash
	kDot
	kUnder
	kColon
	kAt
	kinds
)

var kindOf = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c >= '0' && c <= '9':
			t[c] = kDigit
		case c >= 'a' && c <= 'f':
			t[c] = kHexLower
		case c >= 'g' && c <= 'z':
			t[c] = kLower
		case c >= 'A' && c <= 'F':
			t[c] = kHexUpper
		case c >= 'G' && c <= 'Z':
			t[c] = kUpper
		}
	}
	t['-'], t['.'], t['_'], t['~'], t[':'], t['@'] = kDash, kDot, kUnder, kUnder, kColon, kAt
	return t
}()

// tally is what one pass over a segment counts.
type tally struct {
	n        [kinds]int
	run      int // longest letters-and-digits run that has both
	letters  int // longest run of letters alone
	humps    int // lower-case letters followed by an upper-case one
	trailing int // digits at the end
}

func (t *tally) digits() int  { return t.n[kDigit] }
func (t *tally) alphas() int  { return t.n[kHexLower] + t.n[kLower] + t.n[kHexUpper] + t.n[kUpper] }
func (t *tally) hexes() int   { return t.n[kHexLower] + t.n[kHexUpper] }
func (t *tally) uppers() int  { return t.n[kHexUpper] + t.n[kUpper] }
func (t *tally) lowers() int  { return t.n[kHexLower] + t.n[kLower] }
func (t *tally) seps() int    { return t.n[kDash] + t.n[kDot] + t.n[kUnder] }
func (t *tally) foreign() int { return t.n[kOther] + t.n[kColon] + t.n[kAt] }

func count(s []byte) (t tally) {
	var runDigits, runLetters, letters int
	prevLower := false
	for _, c := range s {
		k := kindOf[c]
		t.n[k]++
		switch {
		case k == kDigit:
			runDigits++
			letters = 0
			t.trailing++
		case k >= kHexLower && k <= kUpper:
			runLetters++
			letters++
			t.trailing = 0
			if prevLower && k >= kHexUpper {
				t.humps++
			}
		default:
			runDigits, runLetters, letters, t.trailing = 0, 0, 0, 0
		}
		if runDigits > 0 && runLetters > 0 {
			t.run = max(t.run, runDigits+runLetters)
		}
		t.letters = max(t.letters, letters)
		prevLower = k == kHexLower || k == kLower
	}
	return t
}

// Classify tells the class of a segment or value, which must be percent-decoded. It never allocates.
func Classify(s []byte) Class {
	t := count(s)
	n := len(s)
	switch {
	case n == 0:
		return Word
	case t.digits() == n:
		return Int
	case t.n[kAt] > 0 && isMail(s):
		return Mail
	case n == 36 && t.n[kDash] == 4 && t.digits()+t.hexes() == 32 && isUUID(s):
		return UUID
	case t.n[kColon] >= 2 && t.n[kColon] <= 7 && t.digits()+t.hexes()+t.n[kColon]+t.n[kDot] == n:
		return IP
	case t.foreign() > 0 || n > maxWord:
		return Token
	case t.alphas() == 0:
		return classifyDigits(s, &t)
	case t.digits() > 0 && t.digits()+t.hexes() == n && n >= 6:
		return Hex
	}
	return classifyWord(s, &t)
}

// classifyDigits decides about digits with separators.
func classifyDigits(s []byte, t *tally) Class {
	switch {
	case t.digits() == 0:
		return Word
	case isQuad(s):
		return IP
	case isDate(s):
		return Date
	case t.digits() <= 6 && t.n[kDot] == t.seps():
		return Word // a version, such as 1.7.1
	}
	return Token
}

// classifyWord decides about letters, digits and separators.
func classifyWord(s []byte, t *tally) Class {
	switch {
	case t.digits() > 0 && t.trailing == t.digits() && t.alphas()+t.seps() == len(s)-t.trailing:
		if isNumberedWord(s, t.trailing) {
			return Word
		}
		if t.trailing <= 18 && t.letters <= 24 {
			return PrefixInt
		}
		return Token
	case t.run >= 8, t.letters >= 24, t.letters >= 12 && t.humps*4 >= t.letters:
		return Token
	case t.digits() > 0 && t.uppers() > 0 && t.lowers() > 0 && t.run >= 6:
		return Token
	}
	return Word
}

// isNumberedWord knows the words of routes that end in a digit by their nature.
func isNumberedWord(s []byte, digits int) bool {
	if digits <= 2 && (s[0] == 'v' || s[0] == 'V') && len(s) == digits+1 {
		return true
	}
	switch string(s) {
	case "mp3", "mp4", "utf8", "utf-8", "css3", "html5", "oauth2", "ipv4", "ipv6", "md5", "sha1", "sha256", "base64", "web2", "s3", "h264", "rss2":
		return true
	}
	return false
}

func isMail(s []byte) bool {
	at, dot := -1, -1
	for i, c := range s {
		switch {
		case c == '@':
			if at >= 0 {
				return false
			}
			at = i
		case c == '.':
			dot = i
		case c <= ' ' || c == '/' || c == ':' || c == 0x7f:
			return false
		}
	}
	return at > 0 && dot > at+1 && dot < len(s)-1
}

func isUUID(s []byte) bool {
	return s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-'
}

func isQuad(s []byte) bool {
	part, width, parts := 0, 0, 1
	for _, c := range s {
		switch {
		case c == '.' && width > 0:
			part, width = 0, 0
			parts++
		case kindOf[c] == kDigit && width < 3:
			part = part*10 + int(c-'0')
			width++
			if part > 255 {
				return false
			}
		default:
			return false
		}
	}
	return parts == 4 && width > 0
}

func isDate(s []byte) bool {
	if len(s) != 10 || s[4] != s[7] || kindOf[s[4]] == kDigit {
		return false
	}
	for _, i := range [...]int{0, 1, 2, 3, 5, 6, 8, 9} {
		if kindOf[s[i]] != kDigit {
			return false
		}
	}
	month, day := (s[5]-'0')*10+s[6]-'0', (s[8]-'0')*10+s[9]-'0'
	return month >= 1 && month <= 12 && day >= 1 && day <= 31
}
