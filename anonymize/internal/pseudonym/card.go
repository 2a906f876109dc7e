package pseudonym

// issuer is a range of card numbers: those whose first digits lie between two prefixes of one width (ISO/IEC 7812).
type issuer struct {
	from, to uint64 // prefixes
	width    int    // of the prefixes
	lengths  uint32 // a bit for each length in digits
	test     string // what numbers of this issuer for tests begin with
}

func ofLengths(lengths ...int) (set uint32) {
	for _, n := range lengths {
		set |= 1 << n
	}
	return set
}

// issuers are the ranges of the brands, as payment processors publish them; the first that fits counts. Ranges of local
// brands, and Visa's old ones of 13 digits, which would make cards of many article numbers (EAN), are left out: they
// are permuted like ids.
var issuers = []issuer{
	{4, 4, 1, ofLengths(16, 19), "400000"},               // Visa
	{51, 55, 2, ofLengths(16), "555555"},                 // Mastercard
	{2221, 2720, 4, ofLengths(16), "555555"},             // Mastercard, second series
	{34, 34, 2, ofLengths(15), "378282"},                 // American Express
	{37, 37, 2, ofLengths(15), "378282"},                 // American Express
	{6011, 6011, 4, ofLengths(16, 19), "601111"},         // Discover
	{644, 659, 3, ofLengths(16, 19), "601111"},           // Discover
	{62, 62, 2, ofLengths(16, 17, 18, 19), "620000"},     // UnionPay
	{3528, 3589, 4, ofLengths(16, 17, 18, 19), "356600"}, // JCB
	{300, 305, 3, ofLengths(14), "305693"},               // Diners Club
	{36, 36, 2, ofLengths(14), "362272"},                 // Diners Club
	{38, 39, 2, ofLengths(14), "385200"},                 // Diners Club
	{6759, 6763, 4, ofLengths(16, 19), "675964"},         // Maestro
	{2200, 2204, 4, ofLengths(16, 19), "220000"},         // Mir
}

const (
	minCard = 14
	maxCard = 19
)

// IsCard tells whether s is a payment card number: 14 to 19 digits, perhaps in groups that single spaces, dashes or + separate,
// with the prefix and the length of an issuer and the check digit of Luhn (ISO/IEC 7812-1, annex B). Milliseconds since 1970
// have 13 digits and are none.
func IsCard(s []byte) bool {
	var buf [maxCard]byte
	number := cardDigits(buf[:0], s)
	return number != nil && issuerOf(number) != nil && luhn(number[:len(number)-1]) == number[len(number)-1]
}

// cardDigits are the digits of s, nil if s has other things than groups of three to eight digits with one kind of separator,
// or no groups.
func cardDigits(number, s []byte) []byte {
	if len(s) < minCard || len(s) > maxCard+5 {
		return nil
	}
	separator, group := byte(0), 0
	for _, c := range s {
		switch {
		case kindOf(c) == hasDigit:
			if len(number) == maxCard {
				return nil
			}
			number = append(number, c)
			group++
		case (c == ' ' || c == '-' || c == '+') && group >= 3 && group <= 8 && (separator == 0 || separator == c):
			separator, group = c, 0
		default:
			return nil
		}
	}
	if len(number) < minCard || separator != 0 && group < 1 {
		return nil
	}
	return number
}

func issuerOf(number []byte) *issuer {
	for i := range issuers {
		n := &issuers[i]
		if prefix := decimal(number[:n.width]); prefix >= n.from && prefix <= n.to && n.lengths>>len(number)&1 == 1 {
			return n
		}
	}
	return nil
}

// luhn is the check digit that follows digits.
func luhn(digits []byte) byte {
	sum := 0
	for i, c := range digits {
		d := int(c - '0')
		if (len(digits)-i)%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return '0' + byte((10-sum%10)%10)
}

// AppendCard appends the pseudonym of a card number that IsCard knows: the prefix that numbers for tests of its brand have,
// digits of the HMAC and a check digit, in the length and the groups of the number. Two of n cards of 16 digits become the
// same with a probability of n*n/2e9.
func (m *Mapper) AppendCard(dst, s []byte) []byte {
	var out [maxCard]byte
	m.lower = cardDigits(m.lower[:0], s)
	number := m.lower
	m.start(labelCard, number)
	card := append(out[:0], issuerOf(number).test...)
	for len(card) < len(number)-1 {
		card = append(card, '0'+byte(m.pick(10)))
	}
	card = append(card, luhn(card))
	return appendLike(dst, s, card)
}
