package pseudonym

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// base32 is a lower-case alphabet without look-alikes, as in RFC 4648 but for the case.
const base32 = "abcdefghijklmnopqrstuvwxyz234567"

// MailDomain is the domain of all pseudonymous addresses. RFC 2606 reserves it, and validators accept it.
const MailDomain = "example.com"

// notInMail are signs that RFC 5322 lets stand in an address, at least between quotes, and that tell it from what is around
// it in practice.
const notInMail = `/:<>()"=&?#`

// IsMail tells whether s is a mail address: something, the last @, and a domain with a dot inside. Full-width forms of
// ASCII characters (U+FF01 to U+FF5E) count as these. There are no spaces, control bytes, slashes, colons, brackets or signs of
// a query in it, and nothing but letters, digits, dashes, dots and underscores in the domain.
func IsMail(s []byte) bool {
	at, dot := -1, -1
	lastAt := max(bytes.LastIndexByte(s, '@'), bytes.LastIndex(s, []byte("\uff20")))
	for i := 0; i < len(s); {
		c, n := narrow(s[i:])
		switch {
		case c <= ' ' || c == 0x7f || strings.IndexByte(notInMail, c) >= 0:
			return false
		case c == '@':
			at, dot = i+n, -1
			if i == 0 {
				return false
			}
		case c == '.':
			if dot = i; i == at {
				return false
			}
		case c < utf8.RuneSelf && kindOf(c) == 0 && c != '-' && c != '_' && at > 0:
			if i > lastAt { // no domain has such a sign
				return false
			}
		}
		i += n
	}
	return at > 0 && dot > at && dot < len(s)-1 && s[len(s)-1] != '.'
}

// narrow is the ASCII character that s begins with, perhaps in its full-width form, and its length; else the first byte.
func narrow(s []byte) (c byte, n int) {
	if s[0] == 0xef && len(s) >= 3 && (s[1] == 0xbc && s[2] >= 0x81 && s[2] <= 0xbf || s[1] == 0xbd && s[2] >= 0x80 && s[2] <= 0x9e) {
		return (s[1]-0xbc)<<6 + s[2] - 0x60, 3 // U+FF01 is !
	}
	return s[0], 1
}

// AppendMail appends sixteen base-32 characters at MailDomain, from 80 bits of the HMAC of the lower-cased
// address, in which full-width forms are narrow.
func (m *Mapper) AppendMail(dst, mail []byte) []byte {
	m.lower = m.lower[:0]
	for i := 0; i < len(mail); {
		c, n := narrow(mail[i:])
		m.lower = append(m.lower, c)
		i += n
	}
	m.startLowered(labelMail)
	dst = m.appendBase32(dst, 16)
	return append(append(dst, '@'), MailDomain...)
}

// startLower fills the pool from the lower-cased value.
func (m *Mapper) startLower(value []byte, label byte) {
	m.lower = append(m.lower[:0], value...)
	m.startLowered(label)
}

// startLowered fills the pool from m.lower in lower case.
func (m *Mapper) startLowered(label byte) {
	for i, c := range m.lower {
		if c >= 'A' && c <= 'Z' {
			m.lower[i] = c | 0x20
		}
	}
	m.start(label, m.lower)
}

func (m *Mapper) appendBase32(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, base32[m.pick(32)])
	}
	return dst
}

// AppendUUID appends 122 bits of HMAC in the layout of a UUID (RFC 9562). Version and variant stay, and so
// does the case of the letters. The value has 36 bytes.
func (m *Mapper) AppendUUID(dst, uuid []byte) []byte {
	m.startLower(uuid, labelUUID)
	alphabet := hexAlphabets[hasDigit|hasLower].alphabet
	for _, c := range uuid {
		if c >= 'A' && c <= 'F' {
			alphabet = hexAlphabets[hasDigit|hasUpper].alphabet
		}
	}
	for i, c := range uuid {
		switch {
		case c == '-' || i == 14:
			dst = append(dst, c)
		case i == 19:
			dst = append(dst, m.variant(c, alphabet))
		default:
			dst = append(dst, alphabet[m.pick(16)])
		}
	}
	return dst
}

// variant keeps the leading bits of the variant digit that RFC 9562 fixes: 0xxx, 10xx, 110x, 111x.
func (m *Mapper) variant(c byte, alphabet string) byte {
	v := c - '0'
	if c > '9' {
		v = c&0xf - 1 + 10
	}
	free := byte(1)
	switch {
	case v < 8:
		free = 7
	case v < 12:
		free = 3
	}
	return alphabet[v&^free|byte(m.pick(16))&free]
}

// AppendName appends sixteen base-32 characters for a name of any form, such as a client's host name,
// from 80 bits of the HMAC of the lower-cased name.
func (m *Mapper) AppendName(dst, name []byte) []byte {
	m.startLower(name, labelName)
	return m.appendBase32(dst, 16)
}

// AppendHost appends a host name, label by label: a label depends on itself and on all to its right, so
// names under one domain stay under one. Labels in keep stay. The last two labels are taken together, and the
// name ends in .example, which RFC 2606 reserves: it can be nobody's.
func (m *Mapper) AppendHost(dst, host []byte, keep func(label []byte) bool) []byte {
	for len(host) > 0 && host[len(host)-1] == '.' {
		host = host[:len(host)-1]
	}
	for {
		end, dots := len(host), 0
		for i := len(host) - 1; i >= 0; i-- {
			if host[i] == '.' {
				end = i
				dots++
			}
		}
		label := host[:end]
		if dots >= 2 && keep(label) {
			dst = append(dst, label...)
		} else {
			m.startLower(host, labelHost)
			dst = m.appendBase32(dst, 10)
		}
		if dots < 2 {
			return append(dst, ".example"...)
		}
		dst = append(dst, '.')
		host = host[end+1:]
	}
}
