package audit

import (
	"net/netip"
	"strings"

	"reprise/anonymize/rules"
)

// signedKeys are the parameters of signed addresses, in lower case: nobody must be able to use them again.
var signedKeys = words(`policy key-pair-id awsaccesskeyid googleaccessid ossaccesskeyid x-amz-credential x-amz-security-token x-amz-signature
	x-goog-credential x-goog-signature x-oss-credential x-oss-signature`)

// isSecret tells whether a key names a secret.
func (w *walker) isSecret(key []byte) bool {
	return w.rules.IsSecret(key) || signedKeys[strings.ToLower(string(key))]
}

// keeps tells which shape of the allow-list lets a decoded value stay, nil for none, and the index of its rule, -1 for an
// empty value. The first rule with the key decides; a shape for all keys can let stay what it refuses.
func (w *walker) keeps(method, pattern string, key, value []byte) (*rules.Shape, int) {
	name := strings.ToLower(string(key))
	decided := false
	for i := range w.rules.Allow {
		a := &w.rules.Allow[i]
		if a.Method != "" && a.Method != method || a.Pattern != "" && a.Pattern != pattern {
			continue
		}
		if s := a.Query[rules.AnyKey]; s != nil && s.Match(value) {
			return s, i
		}
		if s := a.Query[name]; s != nil && !decided {
			decided = true
			if s.Match(value) || s.Kind() == rules.Top && w.learned != nil && w.learned.KeepsValue(key, value) {
				return s, i
			}
		}
	}
	return nil, -1
}

// names notes the query keys that the rules name. They stay, and values at places of an entity do not.
func (w *walker) names() {
	w.named = make(map[string]bool)
	for key := range signedKeys {
		w.named[key] = false
	}
	for _, key := range w.rules.Text {
		w.named[strings.ToLower(key)] = false
	}
	for i := range w.rules.Allow {
		for key := range w.rules.Allow[i].Query {
			w.named[key] = false
		}
	}
	for _, e := range w.rules.Entities {
		for _, p := range e.At {
			if p.Kind == rules.Query {
				w.named[strings.ToLower(p.Name)] = true
			}
		}
	}
}

// keepsKey tells whether a query key is vocabulary.
func (w *walker) keepsKey(key []byte) bool {
	_, named := w.named[strings.ToLower(string(key))]
	return named || w.set.KeepsKey(key)
}

// stays tells whether the rules let an address stay.
func (w *walker) stays(a netip.Addr) bool {
	for _, p := range w.rules.IP.Keep {
		if p.Contains(a) {
			return true
		}
	}
	return false
}
