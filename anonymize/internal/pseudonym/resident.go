package pseudonym

import "time"

// residentDigits is the length of a Chinese resident identity number (GB 11643-1999): six digits of the region, the date
// of birth, three digits of sequence and a check character.
const residentDigits = 18

// IsResident tells whether s is a Chinese resident identity number: the date of birth exists and is of the years 1900 to
// 2099, and the check character, a digit or X, is that of ISO 7064 MOD 11-2. Numbers of 15 digits from before 1999 have no
// check character and are decimal numbers.
func IsResident(s []byte) bool {
	if len(s) != residentDigits || s[0] == '0' || !onlyDigits(s[:residentDigits-1]) {
		return false
	}
	year, month, day := int(decimal(s[6:10])), int(decimal(s[10:12])), int(decimal(s[12:14]))
	if year < 1900 || year > 2099 || !dayExists(year, month, day) {
		return false
	}
	check := s[residentDigits-1]
	if check == 'x' {
		check = 'X'
	}
	return check == mod11(s[:residentDigits-1])
}

// mod11 is the check character after digits: 2^i times the digits, i counted from the end, is 1 modulo 11 with it.
func mod11(digits []byte) byte {
	p := 0
	for _, c := range digits {
		p = (p + int(c-'0')) * 2 % 11
	}
	return "10X98765432"[p]
}

// Dates of birth of pseudonyms are of a hundred years from 1930.
var firstBirth = time.Date(1930, 1, 1, 0, 0, 0, 0, time.UTC).Unix() / secondsOfDay

const birthDays = 36525

// AppendResident appends the pseudonym of a number that IsResident knows: region 99 and four digits, which is nowhere, a
// date of birth from 1930 to 2029, sequence and check character, all from the HMAC. A check digit stays a digit, and an X
// an X in its case. Two of n become the same with a probability of n*n/7e11, of n with an X with n*n/7e10.
func (m *Mapper) AppendResident(dst, s []byte) []byte {
	last := s[residentDigits-1]
	m.start(labelResident, s[:residentDigits-1])
	for start := len(dst); ; dst = dst[:start] {
		dst = appendPadded(append(dst, "99"...), m.draw(10_000), 4)
		day := firstBirth + int64(m.draw(birthDays))
		dst = time.Unix(day*secondsOfDay, 0).UTC().AppendFormat(dst, "20060102")
		dst = appendPadded(dst, uint64(m.pick(1000)), 3)
		switch check := mod11(dst[start:]); {
		case check != 'X' && kindOf(last) == hasDigit:
			return append(dst, check)
		case check == 'X' && kindOf(last) != hasDigit:
			return append(dst, last)
		}
	}
}
