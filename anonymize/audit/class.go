package audit

import (
	"fmt"
	"math"
)

// class is the layout of a token: a kind in the upper bits, and a size whose meaning depends on the kind.
type class uint16

// sizeBits is the room of the size within a class, classBits that of a class.
const (
	sizeBits  = 6
	maxSize   = 1<<sizeBits - 1
	kindBits  = 4
	classBits = kindBits + sizeBits
)

// tokenKind is what a token is.
type tokenKind uint8

// The kinds of tokens. Sizes are lengths in bytes, but for composites, whose size is the power of ten of their domain.
const (
	ofDigits tokenKind = iota
	ofLetters
	ofHex    // six or more hex digits, letters and digits
	ofMixed  // letters and digits
	ofParts  // a whole value of several runs, or with letters beyond ASCII
	ofPhone  // international number; the size is the power of ten of what follows the country code
	ofCard   // payment card number
	ofPerson // Chinese resident id
	ofDate
	ofMail
	ofUUID
	ofV4 // the size is the index of a special block, or firstPublic and the bits that are kept
	ofV6
	ofIBAN
)

var kindWords = [...]string{"digits", "letters", "hex digits", "letters and digits", "whole values", "phone numbers", "card numbers", "Chinese ids",
	"dates", "mail addresses", "UUIDs", "IPv4 addresses", "IPv6 addresses", "IBANs"}

func newClass(k tokenKind, size int) class {
	return class(k)<<sizeBits | class(min(max(size, 0), maxSize))
}

func (c class) kind() tokenKind { return tokenKind(c >> sizeBits) }
func (c class) size() int       { return int(c & maxSize) }

// String says the class in words, such as "8 digits".
func (c class) String() string {
	switch k := c.kind(); k {
	case ofParts, ofPhone:
		return fmt.Sprintf("%s of 10^%d", kindWords[k], c.size())
	case ofDigits, ofLetters, ofHex, ofMixed:
		return fmt.Sprintf("%d %s", c.size(), kindWords[k])
	default:
		return kindWords[k]
	}
}

// short is the domain below which chance findings say nothing.
const short = 1e4

// domain is the number of values that a pseudonym of the class can have, never more than there are: what is kept of a
// value, such as a first digit that is no zero or a card's prefix, makes it smaller.
func (c class) domain() float64 {
	n := float64(c.size())
	switch c.kind() {
	case ofDigits:
		return 0.7 * math.Pow(10, n-1) // 0.7: mobile numbers among those of eleven digits
	case ofLetters:
		return math.Pow(26, n)
	case ofHex:
		return math.Pow(16, n)
	case ofMixed:
		return math.Pow(31, n) // a letter of either case is met with 2/62
	case ofParts, ofPhone:
		return math.Pow(10, n)
	case ofCard:
		return math.Pow(10, max(n-7, 1)) // test prefix and check digit are given
	case ofPerson:
		return 36525 * 1000
	case ofDate:
		return 36525
	case ofV4:
		return domain4(c.size())
	case ofV6:
		return blocks6[min(c.size(), len(blocks6)-1)].domain
	case ofIBAN:
		return 1e8
	}
	return math.Pow(2, 80)
}

// tail is the probability that a Poisson variable of mean lambda is n or more.
func tail(n int64, lambda float64) float64 {
	switch {
	case n <= 0:
		return 1
	case lambda <= 0:
		return 0
	case float64(n) > lambda: // from the upper end, where the terms fall
		g, _ := math.Lgamma(float64(n) + 1)
		term := math.Exp(float64(n)*math.Log(lambda) - lambda - g)
		sum := 0.0
		for k := float64(n); term > 0 && term > sum*1e-15; k++ {
			sum += term
			term *= lambda / (k + 1)
		}
		return min(sum, 1)
	}
	return 1 // n is not above the mean: no finding
}
