package audit

import (
	"math/big"
	"strconv"
	"strings"
	"time"
)

func onlyDigits(s []byte) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(s) > 0
}

// luhn tells whether the last digit is the check digit of the others (ISO/IEC 7812-1, annex B).
func luhn(digits []byte) bool {
	sum := 0
	for i := range digits {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			d = d*2/10 + d*2%10
		}
		sum += d
	}
	return sum%10 == 0
}

// cardPrefixes are the leading digits of payment cards, and testPrefixes those that are nobody's.
var (
	cardPrefixes = map[int][]string{
		14: {"300", "301", "302", "303", "304", "305", "36", "38", "39"}, 15: {"34", "37"},
		16: {"4", "51", "52", "53", "54", "55", "2221", "2222", "2223", "2224", "2225", "2226", "2227", "2228", "2229", "223", "224", "225", "226", "227", "228", "229", "23", "24", "25", "26", "270", "271", "2720",
			"6011", "644", "645", "646", "647", "648", "649", "65", "62", "3528", "3529", "353", "354", "355", "356", "357", "358", "6759", "6760", "6761", "6762", "6763", "2200", "2201", "2202", "2203", "2204"},
		17: {"62", "3528", "3529", "353", "354", "355", "356", "357", "358"}, 18: {"62", "3528", "3529", "353", "354", "355", "356", "357", "358"}, 19: {"4", "62", "3528", "3529", "353", "354", "355", "356", "357", "358", "6011", "65", "6759", "6760", "6761", "6762", "6763", "2200", "2201", "2202", "2203", "2204"},
	}
	testPrefixes = []string{"400000", "411111", "555555", "378282", "601111", "620000", "356600", "305693", "362272", "385200", "675964", "220000"}
)

// isCard tells whether digits are a payment card number: issuer, length and check digit.
func isCard(digits []byte) bool {
	if !luhn(digits) {
		return false
	}
	for _, p := range cardPrefixes[len(digits)] {
		if strings.HasPrefix(string(digits), p) {
			return true
		}
	}
	return false
}

func isTestCard(digits []byte) bool {
	for _, p := range testPrefixes {
		if strings.HasPrefix(string(digits), p) {
			return true
		}
	}
	return false
}

// isPerson tells whether s is a Chinese resident id: region, a date of birth, order and check digit (GB 11643).
func isPerson(s []byte) bool {
	if len(s) != 18 || !onlyDigits(s[:17]) {
		return false
	}
	born, err := time.Parse("20060102", string(s[6:14]))
	if err != nil || born.Year() < 1850 || born.Year() > 2100 {
		return false
	}
	sum := 0
	for i, w := range [17]int{7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2} {
		sum += w * int(s[i]-'0')
	}
	return strings.ToUpper(string(s[17:])) == string("10X98765432"[sum%11])
}

// isIBAN tells whether s is an IBAN without spaces: country, check digits by modulus 97 (ISO 13616).
func isIBAN(s []byte) bool {
	if len(s) < 15 || len(s) > 34 || !onlyDigits(s[2:4]) {
		return false
	}
	var b strings.Builder
	for _, c := range strings.ToUpper(string(s[4:]) + string(s[:4])) {
		switch {
		case c >= '0' && c <= '9':
			b.WriteRune(c)
		case c >= 'A' && c <= 'Z':
			b.WriteString(strconv.Itoa(int(c-'A') + 10))
		default:
			return false
		}
	}
	letter := func(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
	n, ok := new(big.Int).SetString(b.String(), 10)
	return ok && letter(s[0]) && letter(s[1]) && new(big.Int).Mod(n, big.NewInt(97)).Int64() == 1
}

// phoneIn finds an international phone number, alone in a text: + or 00, then 7 to 15 digits (ITU-T E.164) with separators.
// It returns the digits after the country code, and the power of ten of what a pseudonym can be.
func phoneIn(text []byte) (national []byte, size int) {
	s := string(text)
	switch {
	case strings.HasPrefix(s, "+"), strings.HasPrefix(s, " "):
		s = s[1:]
	case strings.HasPrefix(s, "00"):
		s = s[2:]
	default:
		return nil, 0
	}
	var digits []byte
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits = append(digits, c)
		case !strings.ContainsRune(" +-./()", rune(c)):
			return nil, 0
		}
	}
	if len(digits) < 7 || len(digits) > 15 || digits[0] == '0' {
		return nil, 0
	}
	n := codeLength(digits)
	return digits[n:], len(digits) - n - 1
}

// codeLength is the number of digits of the country code (ITU-T E.164, zones 1 to 9).
func codeLength(digits []byte) int {
	two := "20 27 28 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98"
	switch {
	case digits[0] == '1' || digits[0] == '7':
		return 1
	case strings.Contains(two, string(digits[:2])):
		return 2
	}
	return 3
}
