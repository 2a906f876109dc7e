package rules

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

var (
	modeNames    = []string{"pfx", "flat", "docs"}
	formatNames  = []string{"auto", "int", "text"}
	cookieNames  = []string{"drop", "pseudonym"}
	refererNames = []string{"drop", "origin", "same-rules"}
)

// YAML is the normal form: a rules file that says the same, every key written out, without comments. What has no
// order is sorted.
func (r *Rules) YAML() []byte {
	var b strings.Builder
	b.WriteString("anonymize:\n  mode: deny\n")
	keep := make([]string, 0, len(r.IP.Keep))
	for _, p := range r.IP.Keep {
		keep = append(keep, p.String())
	}
	fmt.Fprintf(&b, "  ip: {mode: %s, keep: [%s]}\n", modeNames[r.IP.Mode], quotedList(keep, true))
	shift := "none"
	switch {
	case r.Shift.FromKey:
		shift = "key"
	case r.Shift.Weeks != 0:
		shift = strconv.Itoa(r.Shift.Weeks)
	}
	fmt.Fprintf(&b, "  time: {shift: %s}\n", shift)
	if len(r.Entities) == 0 {
		b.WriteString("  entities: {}\n")
	} else {
		b.WriteString("  entities:\n")
	}
	for _, e := range r.Entities {
		places := make([]string, 0, len(e.At))
		for _, p := range e.At {
			places = append(places, p.String())
		}
		fmt.Fprintf(&b, "    %q: {at: [%s], format: %s}\n", e.Name, quotedList(places, false), formatNames[e.Format])
	}
	r.printAllow(&b)
	fmt.Fprintf(&b, "  text: {keys: [%s]}\n  headers: {keep: [%s]}\n", quotedList(r.Text, true), quotedList(r.Headers, true))
	fmt.Fprintf(&b, "  cookies: %s\n  referer: %s\n", cookieNames[r.Cookies], refererNames[r.Referer])
	fmt.Fprintf(&b, "  secrets: {words: [%s]}\n", quotedList(r.Secrets, true))
	return []byte(b.String())
}

func (r *Rules) printAllow(b *strings.Builder) {
	if len(r.Allow) == 0 {
		b.WriteString("  allow: []\n")
		return
	}
	b.WriteString("  allow:\n")
	for i := range r.Allow {
		a := &r.Allow[i]
		fmt.Fprintf(b, "    - on: %q\n      query:\n", a.on())
		for _, key := range slices.Sorted(maps.Keys(a.Query)) {
			fmt.Fprintf(b, "        %q: %q\n", key, a.Query[key].String())
		}
	}
}

// on is where the rule holds, as the rules file has it.
func (a *Allow) on() string {
	pattern := a.Pattern
	if pattern == "" {
		pattern = "*"
	}
	if a.Method == "" {
		return pattern
	}
	return a.Method + " " + pattern
}

// quotedList joins texts as a flow list of YAML. They hold ASCII without quotes and backslashes.
func quotedList(texts []string, sorted bool) string {
	if sorted {
		texts = slices.Sorted(slices.Values(texts))
	}
	var b strings.Builder
	for i, t := range texts {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Quote(t))
	}
	return b.String()
}

// finish makes what is derived from the rules.
func (r *Rules) finish() {
	slices.SortFunc(r.Entities, func(a, b Entity) int { return strings.Compare(a.Name, b.Name) })
	sum := sha256.Sum256(r.YAML())
	r.digest = hex.EncodeToString(sum[:])
}
