package main

import (
	"strconv"
	"strings"
	"unicode"
)

// plain makes a text safe for a terminal: names of files and hosts, and whatever a target answers, may
// hold control bytes. Line breaks and tabs stay.
func plain(s string) string {
	bad := func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }
	if strings.IndexFunc(s, bad) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if bad(r) {
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
