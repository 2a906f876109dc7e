package audit

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"reprise/anonymize/recordfile"
	"reprise/anonymize/rules"
)

// use is what one rule of the allow-list let stay in the trace.
type use struct {
	values int64
	shapes map[string]int64
}

// useKey names what let a value stay: a rule, its key and its shape, which are words of the rules.
type useKey struct {
	rule       int // index in the allow-list
	key, shape string
}

const (
	maxShapes  = 256 // layouts that are told apart for one rule
	shownUses  = 8
	shownForms = 5
)

// allowed counts what the rules let stay.
type allowed struct {
	rules *rules.Rules
	uses  map[useKey]*use
}

// kept is told a value that stays.
func (a *allowed) kept(rule int, shape *rules.Shape, name, text []byte) {
	key := useKey{rule, strings.ToLower(string(name)), shape.Kind().String()}
	if a.rules.Allow[rule].Query[key.key] != shape {
		key.key = rules.AnyKey
	}
	u := a.uses[key]
	if u == nil {
		u = &use{shapes: make(map[string]int64)}
		a.uses[key] = u
	}
	u.values++
	s := masked(text)
	if _, ok := u.shapes[s]; ok || len(u.shapes) < maxShapes {
		u.shapes[s]++
	}
}

// masked is the layout of a value: digits as 9, letters as a or A, others as they are if they are ASCII signs.
func masked(text []byte) string {
	var b strings.Builder
	for i, c := range text {
		switch {
		case i == 24:
			b.WriteString("...")
			return b.String()
		case c >= '0' && c <= '9':
			b.WriteByte('9')
		case c >= 'a' && c <= 'z':
			b.WriteByte('a')
		case c >= 'A' && c <= 'Z':
			b.WriteByte('A')
		case c > ' ' && c < 0x7f:
			b.WriteByte(c)
		default:
			b.WriteByte('.')
		}
	}
	return b.String()
}

// check lists the rules by use.
func (a *allowed) check(t recordfile.Trailer) Check {
	c := Check{Name: "allow-list", Status: Note}
	keys := slices.SortedFunc(maps.Keys(a.uses), func(x, y useKey) int {
		if d := a.uses[y].values - a.uses[x].values; d != 0 {
			return int(max(min(d, 1), -1))
		}
		return strings.Compare(fmt.Sprint(x), fmt.Sprint(y))
	})
	var all int64
	for i, k := range keys {
		u := a.uses[k]
		all += u.values
		if i >= shownUses {
			continue
		}
		where := "built-in"
		if line := a.rules.Allow[k.rule].Line; line > 0 {
			where = fmt.Sprintf("line %d", line)
		}
		c.detail("%s: %d values of shape %s (rule %d, %s): %s", k.key, u.values, k.shape, k.rule+1, where, strings.Join(topShapes(u.shapes), " "))
	}
	if len(a.rules.Headers) > 0 {
		c.detail("headers that stay as they are, unread by the audit: %s", strings.Join(a.rules.Headers, ", "))
	}
	for _, p := range a.rules.IP.Keep {
		c.detail("addresses that stay as they are: those of %s", p)
	}
	c.number("values", all)
	c.Summary = fmt.Sprintf("%d query values stay, by %d entries of the allow-list", all, len(keys))
	var details struct {
		Replaced struct {
			Misfit map[string]map[string]int64 `json:"misfit"`
		} `json:"replaced"`
	}
	if json.Unmarshal(t.Details, &details) == nil {
		var misfits int64
		for _, shapes := range details.Replaced.Misfit {
			for _, n := range shapes {
				misfits += n
			}
		}
		if misfits > 0 {
			c.detail("%d values of allowed keys had another shape and were replaced", misfits)
			c.number("misfits", misfits)
		}
	}
	return c
}

func topShapes(shapes map[string]int64) (top []string) {
	names := slices.SortedFunc(maps.Keys(shapes), func(x, y string) int {
		if shapes[x] != shapes[y] {
			return int(max(min(shapes[y]-shapes[x], 1), -1))
		}
		return strings.Compare(x, y)
	})
	for _, n := range names[:min(len(names), shownForms)] {
		top = append(top, fmt.Sprintf("%s x%d", n, shapes[n]))
	}
	return top
}
