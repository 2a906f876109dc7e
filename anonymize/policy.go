package anonymize

import (
	"bytes"
	"strings"
)

// maxKey is the longest query key that can be vocabulary, in bytes.
const maxKey = 40

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// The allow-list: a query value stays where its key is known to take such values and the value itself has the
// shape, or stands on the closed list, that goes with it.
var (
	smallKeys = set(`page paged page_no pageno pagenum page_num pageindex page_index pagesize page_size per_page perpage size limit
		offset start rows count skip top depth level width height w h quality cols columns step`)
	orderKeys  = set(`sort sort_by sortby sort_order sortorder order order_by orderby ordering dir direction sort_dir asc desc`)
	localeKeys = set(`lang language locale hl lc l10n culture ui_locales`)
	formatKeys = set(`format output alt fmt feed flav accept responsetype response_type dataformat`)
	versionKey = set(`v ver version rev api-version api_version _v`)

	orderWords = set(`asc desc ascending descending price date name title rating popularity popular newest oldest latest relevance score
		created updated modified published id random views likes comments sales bestseller time author size recent rank
		up down none default best hot new at on by menu_order`)
	formatWords = set(`json xml html csv rss rss2 rss20 atom txt text pdf yaml js jsonp geojson kml png jpg jpeg gif svg webp rdf ics`)

	// nameKeys are words that may stand in a query alone, without a value.
	nameKeys = set(`wsdl rss rss2 atom rdf json xml debug print nocache raw all none true false`)

	// secretWords name values that must not work any more, nor link anything.
	secretWords = set(`password passwd passwort pwd pass passphrase secret token auth authorization sig signature apikey otp pin
		cvv cvc session sessionid sid phpsessid jsessionid aspsessionid jwt bearer credential credentials hmac nonce csrf xsrf csrftoken
		ticket code accesskey privatekey secretkey sessionkey authkey authtoken accesstoken`)
)

// allows tells the rule that lets a decoded query value stay.
func allows(key, value []byte) allowed {
	if len(value) == 0 {
		return allowEmpty
	}
	if string(value) == "true" || string(value) == "false" {
		return allowBoolean
	}
	var buf [maxKey]byte
	k := lowered(buf[:0], key)
	switch {
	case smallKeys[string(k)] && len(value) <= 4 && onlyDigits(value):
		return allowSmall
	case orderKeys[string(k)] && ofWords(value, orderWords):
		return allowOrder
	case localeKeys[string(k)] && isLocale(value):
		return allowLocale
	case formatKeys[string(k)] && formatWords[string(value)]:
		return allowFormat
	case versionKey[string(k)] && isVersion(value):
		return allowVersion
	}
	return allowNot
}

// lowered appends s in lower case, cut to the room that b has.
func lowered(b, s []byte) []byte {
	for _, c := range s[:min(len(s), cap(b))] {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		b = append(b, c)
	}
	return b
}

func onlyDigits(s []byte) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(s) > 0
}

// ofWords tells whether s is words of the set, joined by _ - . : , or a space, perhaps after a sign.
func ofWords(s []byte, words map[string]bool) bool {
	if s[0] == '-' || s[0] == '+' {
		s = s[1:]
	}
	for {
		i := bytes.IndexAny(s, "_-.:, ")
		if i < 0 {
			i = len(s)
		}
		var buf [16]byte
		if i == 0 || i > len(buf) || !words[string(lowered(buf[:0], s[:i]))] {
			return false
		}
		if i == len(s) {
			return true
		}
		s = s[i+1:]
	}
}

// isVersion tells whether s is one to three numbers of up to three digits with dots, six digits in all. More could be
// a phone number or an address.
func isVersion(s []byte) bool {
	digits, parts, all := 0, 1, 0
	for _, c := range s {
		switch {
		case c >= '0' && c <= '9' && digits < 3 && all < 6:
			digits++
			all++
		case c == '.' && digits > 0 && parts < 3:
			digits = 0
			parts++
		default:
			return false
		}
	}
	return digits > 0
}

// isSecret tells whether a key names a secret. Words end at _ - . and other signs, and where the case rises, so that
// authToken has "token" and monkey does not have "key".
func isSecret(key []byte) bool {
	var pair [2 * maxKey]byte // the word before, and this one
	before, n := 0, 0
	for i := 0; i <= len(key); i++ {
		letter := i < len(key) && key[i]|0x20 >= 'a' && key[i]|0x20 <= 'z'
		rises := letter && key[i] < 'a' && i > 0 && key[i-1] >= 'a' && key[i-1] <= 'z'
		if (!letter || rises) && n > before {
			if secretWords[string(pair[before:n])] || secretWords[string(pair[:n])] {
				return true
			}
			copy(pair[:], pair[before:n])
			before, n = n-before, n-before
		}
		if letter && n < len(pair) {
			if n == before && before > maxKey {
				before, n = 0, 0
			}
			pair[n] = key[i] | 0x20
			n++
		}
	}
	return false
}
