package anonymize

import (
	"fmt"
	"strings"

	"reprise/anonymize/endpoint"
	"reprise/anonymize/rules"
)

// keyRule is all that the rules say of one query key.
type keyRule struct {
	place  place // of an entity, if placed
	placed bool
	secret bool
	text   bool // free text
	allow  []allowed
}

// allowed lets values of one shape stay at the endpoints that fit.
type allowed struct {
	method, pattern string // "" = any
	shape           *rules.Shape
	slot            int // of the counters
}

// slotEmpty counts the empty values. It is the first slot.
const slotEmpty = 0

// policy is what the rules say, ready to be looked up by query key. It is read-only and shared by all workers.
type policy struct {
	rules   *rules.Rules
	keys    map[string]*keyRule // in lower case
	any     []allowed           // of all keys
	learned rules.Learned       // values for shapes top(N)
	slots   []string            // the rules as counters name them
}

// signedKeys are the parameters of signed URLs that are no secrets by their words, in lower case: they tell the account
// or what may be done. Without them the rest of the signature is worth nothing.
var signedKeys = set(`policy key-pair-id awsaccesskeyid googleaccessid ossaccesskeyid x-amz-credential x-amz-security-token x-amz-signature
	x-goog-credential x-goog-signature x-oss-credential x-oss-signature`)

// newPolicy compiles the rules and the places of their entities.
func newPolicy(r *rules.Rules, p *places, set *endpoint.Set) *policy {
	c := &policy{rules: r, keys: make(map[string]*keyRule), learned: set, slots: []string{"empty"}}
	for key, at := range p.query {
		k := c.key(key)
		k.place, k.placed = at, true
	}
	for _, key := range r.Text {
		c.key(strings.ToLower(key)).text = true
	}
	for key := range signedKeys {
		c.key(key).secret = true
	}
	slots := make(map[string]int)
	for i := range r.Allow {
		a := &r.Allow[i]
		for key, shape := range a.Query {
			rule := allowed{method: a.Method, pattern: a.Pattern, shape: shape}
			name := ruleName(key, shape)
			if _, known := slots[name]; !known {
				slots[name] = len(c.slots)
				c.slots = append(c.slots, name)
			}
			if rule.slot = slots[name]; key == rules.AnyKey {
				c.any = append(c.any, rule)
			} else {
				k := c.key(key)
				k.allow = append(k.allow, rule)
			}
		}
	}
	return c
}

func (c *policy) key(key string) *keyRule {
	k := c.keys[key]
	if k == nil {
		k = &keyRule{secret: c.rules.IsSecret([]byte(key))}
		c.keys[key] = k
	}
	return k
}

// maxRuleName is the longest shape, in bytes, that a counter writes out.
const maxRuleName = 48

// ruleName is a rule as counters have it, such as page: int<=4.
func ruleName(key string, shape *rules.Shape) string {
	text := shape.String()
	if len(text) > maxRuleName {
		text = fmt.Sprintf("%s of %d", shape.Kind(), strings.Count(text, "|")+1)
	}
	return key + ": " + text
}

// find looks a decoded key up, nil when the rules do not name it.
func (c *policy) find(key []byte) *keyRule {
	if len(key) > rules.MaxKey {
		return nil
	}
	var buf [rules.MaxKey]byte
	return c.keys[string(rules.AppendLower(buf[:0], key))]
}

// isSecret tells whether a key, which has the rule k, names a secret.
func (c *policy) isSecret(k *keyRule, key []byte) bool {
	if k != nil {
		return k.secret
	}
	return c.rules.IsSecret(key)
}

// keeps tells whether a rule lets a decoded value that is not empty stay, and counts it. k is that of the key.
func (a *Anonymizer) keeps(k *keyRule, key, value []byte) bool {
	if k != nil {
		for i := range k.allow {
			rule := &k.allow[i]
			if !rule.fits(a.method, a.template) {
				continue
			}
			if rule.shape.Match(value) || rule.shape.Kind() == rules.Top && a.policy.learned.KeepsValue(key, value) {
				a.counts.kept[rule.slot]++
				return true
			}
			if !a.keepsAny(value) {
				a.counts.misfit[rule.slot][misfitOf(value)]++
				return false
			}
			return true
		}
	}
	return a.keepsAny(value)
}

func (a *Anonymizer) keepsAny(value []byte) bool {
	for i := range a.policy.any {
		if rule := &a.policy.any[i]; rule.shape.Match(value) && rule.fits(a.method, a.template) {
			a.counts.kept[rule.slot]++
			return true
		}
	}
	return false
}

func (r *allowed) fits(method string, t *endpoint.Template) bool {
	return (r.method == "" || r.method == method) && (r.pattern == "" || r.pattern == t.Pattern)
}

// misfit says roughly what a value looked like that had not the shape of its key, so that nothing of it is told.
type misfit uint8

const (
	misfitDigits misfit = iota
	misfitLetters
	misfitMixed // letters and digits
	misfitSigns // the same with - _ . and the like, as in ids and names
	misfitOther
	misfits
)

var misfitNames = [misfits]string{"digits", "letters", "letters and digits", "with signs", "other"}

func misfitOf(value []byte) misfit {
	digits, letters, signs := 0, 0, 0
	for _, c := range value {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			letters++
		case c == '-' || c == '_' || c == '.' || c == ',' || c == ':' || c == ' ':
			signs++
		default:
			return misfitOther
		}
	}
	switch {
	case signs > 0:
		return misfitSigns
	case letters == 0:
		return misfitDigits
	case digits == 0:
		return misfitLetters
	}
	return misfitMixed
}
