package pseudonym

// callingCodes are the country codes of E.164 that are assigned (ITU Operational Bulletin, list of E.164 codes). No code
// begins with another one.
var callingCodes = func() (assigned [1000]bool) {
	for _, c := range []int{1, 7, 20, 27, 30, 31, 32, 33, 34, 36, 39, 40, 41, 43, 44, 45, 46, 47, 48, 49, 51, 52, 53, 54, 55, 56, 57, 58, 60, 61,
		62, 63, 64, 65, 66, 81, 82, 84, 86, 90, 91, 92, 93, 94, 95, 98, 211, 212, 213, 216, 218, 800, 808, 850, 852, 853, 855, 856, 870, 878, 880,
		881, 882, 883, 886, 888, 970, 979, 998} {
		assigned[c] = true
	}
	for _, r := range [][2]int{{220, 258}, {260, 269}, {290, 291}, {297, 299}, {350, 359}, {370, 378}, {380, 383}, {385, 387}, {389, 389}, {420, 421},
		{423, 423}, {500, 509}, {590, 599}, {670, 670}, {672, 692}, {960, 968}, {971, 977}, {992, 996}} {
		for c := r[0]; c <= r[1]; c++ {
			assigned[c] = true
		}
	}
	return assigned
}()

// A number of E.164 has at most 15 digits with its country code. We ask for seven, the shortest in use.
const (
	minPhone = 7
	maxPhone = 15
	// minTrunk is asked for after 00, which ids padded with zeros have too.
	minTrunk = 10
)

// phone is where the digits of a phone number are.
type phone struct {
	national int // index of the first digit after the country code
	digits   int // after the country code
}

// IsPhone tells whether s is an international phone number: + or 00, an assigned country code, and 7 to 15 digits in all
// (ITU-T E.164), after the country code with spaces, dashes, dots, slashes and brackets between them. A space at the start
// stands for +, which is what form-decoding makes of it. After 00 there must be ten digits or more. An id of that form that
// was padded with two zeros is taken for a phone number, at the price of up to three of its leading digits, which stay.
//
// Numbers without + or 00 are decimal numbers for AppendInt, which gives them the same digits.
func IsPhone(s []byte) bool {
	_, ok := parsePhone(s)
	return ok
}

func parsePhone(s []byte) (p phone, ok bool) {
	var at int
	least := minPhone
	switch {
	case len(s) >= minPhone+1 && (s[0] == '+' || s[0] == ' '):
		at = 1
	case len(s) >= minTrunk+2 && s[0] == '0' && s[1] == '0':
		at, least = 2, minTrunk
	default:
		return p, false
	}
	start, code := at, 0
	for ; at < len(s) && at < start+3 && kindOf(s[at]) == hasDigit; at++ {
		if code = code*10 + int(s[at]-'0'); code == 0 {
			return p, false
		}
		if callingCodes[code] {
			p.national = at + 1
			break
		}
	}
	if p.national == 0 {
		return p, false
	}
	gap := 0 // separators since the last digit
	for _, c := range s[p.national:] {
		switch {
		case kindOf(c) == hasDigit:
			p.digits++
			gap = 0
		case c == ' ' || c == '-' || c == '.' || c == '/' || c == '(' || c == ')':
			if gap++; gap > 2 {
				return p, false
			}
		default:
			return p, false
		}
	}
	all := p.digits + p.national - start
	return p, all >= least && all <= maxPhone && (gap == 0 || s[len(s)-1] == ')')
}

// AppendPhone appends the pseudonym of a phone number that IsPhone knows: prefix, country code, separators and width stay,
// and the digits after the country code are those of AppendInt, so that a number has one pseudonym in all its forms, and one
// without its country code too.
func (m *Mapper) AppendPhone(dst, s []byte) []byte {
	p, _ := parsePhone(s)
	var mapped [maxPhone]byte
	m.lower = m.lower[:0]
	for _, c := range s[p.national:] {
		if kindOf(c) == hasDigit {
			m.lower = append(m.lower, c)
		}
	}
	return appendLike(append(dst, s[:p.national]...), s[p.national:], m.AppendInt(mapped[:0], m.lower))
}

// AppendE164 appends a phone number that IsPhone knows as + and digits, its one form (ITU-T E.164).
func AppendE164(dst, s []byte) []byte {
	if s[0] == '0' {
		s = s[2:] // 00
	}
	dst = append(dst, '+')
	for _, c := range s {
		if kindOf(c) == hasDigit {
			dst = append(dst, c)
		}
	}
	return dst
}

// appendLike appends s with its letters and digits replaced one after the other.
func appendLike(dst, s, by []byte) []byte {
	for _, c := range s {
		if kindOf(c) != 0 {
			c, by = by[0], by[1:]
		}
		dst = append(dst, c)
	}
	return dst
}
