package pseudonym

// ibanLengths are the lengths of the account numbers of countries (ISO 13616, registry of SWIFT), by the two letters.
var ibanLengths = func() map[[2]byte]int {
	m := make(map[[2]byte]int)
	for length, countries := range map[int]string{
		15: "NO", 16: "BE", 18: "DK FI FK FO GL NL SD", 19: "MK SI", 20: "AT BA EE KZ LT LU MN XK", 21: "CH HR LI LV",
		22: "BG BH CR DE GB GE IE ME RS VA", 23: "AE GI IL IQ OM SO TL", 24: "AD CZ ES MD PK RO SA SE SK TN VG", 25: "LY PT ST",
		26: "IS TR", 27: "BI DJ FR GR IT MC MR SM", 28: "AL AZ BY CY DO GT HN HU LB NI PL SV", 29: "BR EG PS QA UA",
		30: "JO KW MU YE", 31: "MT SC", 32: "LC", 33: "RU",
	} {
		for i := 0; i < len(countries); i += 3 {
			m[[2]byte{countries[i], countries[i+1]}] = length
		}
	}
	return m
}()

// An IBAN is two letters, two check digits and the account number (BBAN).
const (
	ibanHead = 4
	minIBAN  = 15
	maxIBAN  = 33
)

// IsIBAN tells whether s is an international bank account number: letters of a country in the registry, its length, and
// check digits (ISO 7064 MOD 97-10). Case does not count, and single spaces may stand between its characters.
func IsIBAN(s []byte) bool {
	var buf [maxIBAN]byte
	number := compactIBAN(buf[:0], s)
	return number != nil && ibanLengths[[2]byte(number[:2])] == len(number) && mod97(number) == 1
}

// compactIBAN is s in upper case without spaces, nil if it cannot be an IBAN.
func compactIBAN(number, s []byte) []byte {
	if len(s) < minIBAN || len(s) > maxIBAN+maxIBAN/2 || kindOf(s[0])&^hasDigit == 0 || kindOf(s[2]) != hasDigit {
		return nil
	}
	gap := false
	for _, c := range s {
		switch kindOf(c) {
		case 0:
			if c != ' ' || gap {
				return nil
			}
			gap = true
			continue
		case hasLower:
			c &^= 0x20
		}
		if gap = false; len(number) == maxIBAN {
			return nil
		}
		number = append(number, c)
	}
	if gap || len(number) < minIBAN || kindOf(number[1]) != hasUpper || kindOf(number[3]) != hasDigit {
		return nil
	}
	return number
}

// mod97 is the remainder of the number that an IBAN is when its head goes to the end and letters count from 10.
func mod97(number []byte) int {
	v := 0
	for i := range number {
		c := number[(i+ibanHead)%len(number)]
		if kindOf(c) == hasDigit {
			v = (v*10 + int(c-'0')) % 97
		} else {
			v = (v*100 + int(c-'A') + 10) % 97
		}
	}
	return v
}

// AppendIBAN appends the pseudonym of a number that IsIBAN knows: country, length, spaces and case stay, each digit of the
// account becomes a digit and each letter a letter, and the check digits are new. Accounts of one country and one layout never
// become the same as far as they can be counted in 62 bits; the HMAC draws the others.
func (m *Mapper) AppendIBAN(dst, s []byte) []byte {
	var out [maxIBAN]byte
	m.lower = compactIBAN(m.lower[:0], s)
	number := m.lower
	account := number[ibanHead:]
	m.layout = m.layout[:0]
	for _, c := range account {
		m.layout = append(m.layout, runAlphabets[kindOf(c)])
	}
	mapped := append(out[:0], number[0], number[1], '0', '0')
	if v, size := m.count(account); size > 0 {
		mapped = m.appendNumber(mapped, account, m.perm("iban", size).Apply(v), size)
	} else {
		m.start(labelIBAN, number)
		for _, set := range m.layout {
			mapped = set.append(mapped, uint64(m.pick(set.size)))
		}
	}
	check := 98 - mod97(mapped)
	mapped[2], mapped[3] = '0'+byte(check/10), '0'+byte(check%10)
	start := len(dst)
	dst = appendLike(dst, s, mapped)
	for i, c := range s {
		if kindOf(c) == hasLower {
			dst[start+i] |= 0x20
		}
	}
	return dst
}
