package rules

import (
	"maps"
	"slices"
	"strings"
)

// only reads a mapping of one key that holds a list.
func only(c cursor, name string) ([]cursor, error) {
	fields, err := c.fields()
	if err == nil {
		err = known(fields, name)
	}
	if err != nil || len(fields) == 0 {
		return nil, err
	}
	return fields[0].value.items()
}

// secrets reads the words beside the built-in ones. Keys are split at signs, so words are letters; a pair that a sign
// joins is one word, as in api_key.
func (b *builder) secrets(c cursor) error {
	items, err := only(c, "words")
	if err != nil {
		return err
	}
	r := b.rules
	r.secrets = make(map[string]bool)
	for _, item := range items {
		text, err := item.text()
		if err != nil {
			return err
		}
		parts := strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return c == '_' || c == '-' || c == '.' })
		word := strings.Join(parts, "")
		if len(parts) == 0 || len(parts) > 2 || len(word) > MaxKey || strings.ContainsFunc(word, func(c rune) bool { return c < 'a' || c > 'z' }) {
			return item.fail("is no word: letters a to z are taken, or two words joined by _ - or ., as in customer_key")
		}
		if r.secrets[word] {
			return item.fail("stands here twice: remove one")
		}
		r.secrets[word] = true
	}
	r.Secrets = slices.Sorted(maps.Keys(r.secrets))
	return nil
}

// text reads the keys of free text.
func (b *builder) text(c cursor) error {
	items, err := only(c, "keys")
	if err != nil {
		return err
	}
	for _, item := range items {
		key, err := item.text()
		if err == nil {
			key, err = queryKey(item, key)
		}
		if err == nil {
			err = b.notSecret(item, key)
		}
		if err == nil {
			err = b.claim(item, Place{Kind: Query, Name: key}, "a key of text")
		}
		if err != nil {
			return err
		}
		b.rules.Text = append(b.rules.Text, key)
	}
	slices.Sort(b.rules.Text)
	return nil
}

// personal headers say who the client is, or have rules of their own.
var personal = map[string]string{
	"Cookie": "cookies", "Cookie2": "cookies", "Set-Cookie": "cookies", "Set-Cookie2": "cookies", "Referer": "referer",
	"User-Agent": "", "X-Forwarded-For": "", "Forwarded": "", "X-Real-Ip": "", "X-Client-Ip": "", "Cf-Connecting-Ip": "", "True-Client-Ip": "",
	"X-Original-Forwarded-For": "", "X-Cluster-Client-Ip": "", "Fastly-Client-Ip": "", "Via": "", "From": "", "Host": "", "X-Forwarded-Host": "",
	"X-Original-Url": "", "X-Rewrite-Url": "", "X-Request-Id": "", "Traceparent": "", "Tracestate": "", "Baggage": "", "Etag": "", "If-None-Match": "",
}

// naming are words in the names of headers whose values say who somebody is.
var naming = set(`user uid userid username account customer client member subscriber email mail phone mobile login name person
	session device visitor tenant id ids uuid guid ip addr address`)

// namesSomeone tells whether the name of a header, canonical, says that its value is somebody's.
func namesSomeone(name string) bool {
	for word := range strings.SplitSeq(strings.ToLower(name), "-") {
		if naming[word] {
			return true
		}
	}
	return false
}

// headers reads the names of headers that stay.
func (b *builder) headers(c cursor) error {
	items, err := only(c, "keep")
	if err != nil {
		return err
	}
	for _, item := range items {
		name, err := item.text()
		if err != nil {
			return err
		}
		if name == "*" {
			return item.fail("would keep all headers: name those that name nobody, such as Accept")
		}
		if name, err = headerName(item, name); err != nil {
			return err
		}
		if own, ok := personal[name]; ok {
			fix := "remove the line, or make it a place of an entity (header:" + name + ")"
			if own != "" {
				fix = "remove the line; " + own + ": says what becomes of it"
			}
			return item.fail("keeps %s, which names a person or a session: %s", name, fix)
		}
		if err := b.notSecret(item, name); err != nil {
			return err
		}
		if err := b.claim(item, Place{Kind: Header, Name: name}, "a header that stays"); err != nil {
			return err
		}
		if namesSomeone(name) {
			return item.fail("keeps %s, which names a person or a session: remove the line, or make it a place of an entity (header:%s)", name, name)
		}
		b.rules.Headers = append(b.rules.Headers, name)
	}
	slices.Sort(b.rules.Headers)
	return nil
}

// notSecret refuses the name of a secret where values stay or are kept readable.
func (b *builder) notSecret(c cursor, name string) error {
	if b.rules.IsSecret([]byte(name)) {
		return c.fail("names a secret (%q); a secret never stays: remove the line", name)
	}
	return nil
}

// claim takes a place for one purpose, and refuses it when an entity or another purpose has it.
func (b *builder) claim(c cursor, p Place, purpose string) error {
	for _, o := range b.owners {
		if o.place.overlaps(p) {
			return c.fail("is a place of entity %s already (%s): one place has one rule", o.entity, o.place.String())
		}
	}
	key := p.String()
	if other, ok := b.places[key]; ok {
		if other == purpose {
			return c.fail("stands here twice: remove one")
		}
		return c.fail("is %s already: one place has one rule", other)
	}
	b.places[key] = purpose
	return nil
}

// entities reads what belongs together.
func (b *builder) entities(c cursor) error {
	fields, err := c.fields()
	if err != nil {
		return err
	}
	if len(fields) > MaxEntities {
		return c.fail("has more than %d entities", MaxEntities)
	}
	for _, f := range fields {
		switch {
		case !isName(f.name) || f.name != strings.ToLower(f.name):
			return f.key.fail("names no entity: a name has lower-case letters, digits, _ and -, a letter first")
		case f.name == "id":
			return f.key.fail("is the name of all values without an entity: choose another")
		}
		e, err := b.entity(f.name, f.value)
		if err != nil {
			return err
		}
		b.rules.Entities = append(b.rules.Entities, e)
	}
	return nil
}

func (b *builder) entity(name string, c cursor) (Entity, error) {
	e := Entity{Name: name}
	fields, err := c.fields()
	if err == nil {
		err = known(fields, "at", "format")
	}
	for _, f := range fields {
		switch {
		case err != nil:
		case f.name == "at":
			e.At, err = b.placesOf(name, f.value)
		case f.name == "format":
			var i int
			i, err = f.value.choice(formatNames...)
			e.Format = Format(max(i, 0))
		}
	}
	if err == nil && len(e.At) == 0 {
		err = c.fail("has no place: write where its values stand, as in at: [query:uid]")
	}
	return e, err
}

// allow reads the allow-list.
func (b *builder) allow(c cursor) error {
	b.allowed = true
	items, err := c.items()
	if err != nil {
		return err
	}
	if len(items) == 0 && c.isNothing() {
		return c.fail("is empty: write [] to let nothing stay, or remove the key for the built-in list")
	}
	seen := make(map[string]int)
	for _, item := range items {
		a, err := b.allowItem(item, seen)
		if err != nil {
			return err
		}
		b.rules.Allow = append(b.rules.Allow, a)
	}
	return nil
}

func (b *builder) allowItem(c cursor, seen map[string]int) (a Allow, err error) {
	a.Line = c.line
	a.Query = make(map[string]*Shape)
	fields, err := c.fields()
	if err == nil {
		err = known(fields, "on", "query")
	}
	if err != nil {
		return a, err
	}
	on := slices.IndexFunc(fields, func(f field) bool { return f.name == "on" })
	query := slices.IndexFunc(fields, func(f field) bool { return f.name == "query" })
	switch {
	case on < 0:
		return a, c.fail(`lacks on: write on: "*" for all endpoints, or on: "GET /search"`)
	case query < 0:
		return a, c.fail("lacks query: write query: {page: int<=4}")
	}
	if err = a.parseOn(fields[on].value); err != nil {
		return a, err
	}
	keys, err := fields[query].value.fields()
	if err != nil {
		return a, err
	}
	if len(keys) == 0 {
		return a, fields[query].value.fail("has no key: write query: {page: int<=4}")
	}
	for _, f := range keys {
		if err := b.allowKeys(&a, f, seen); err != nil {
			return a, err
		}
	}
	return a, nil
}

// allowKeys reads one line: a key, or several with commas, and the shape of their values.
func (b *builder) allowKeys(a *Allow, f field, seen map[string]int) error {
	text, err := f.value.text()
	if err != nil {
		return err
	}
	shape, err := parseShape(text)
	if err != nil {
		return f.value.fail("%v", err)
	}
	for name := range strings.SplitSeq(f.name, ",") {
		key := f.key
		name = strings.TrimSpace(name)
		key.key = strings.TrimSuffix(f.key.key, quoted(f.name)) + quoted(name)
		if name == AnyKey {
			if shape.kind != Bool {
				return key.fail("lets values of any key stay: only the shape bool is taken here; name the key")
			}
		} else {
			if name, err = queryKey(key, name); err != nil {
				return err
			}
			if err := b.mayStay(key, name); err != nil {
				return err
			}
		}
		id := a.on() + " " + name
		if line, ok := seen[id]; ok {
			return key.fail("has a rule for this endpoint in line %d already: remove one", line)
		}
		seen[id] = key.line
		a.Query[name] = shape
	}
	return nil
}

// mayStay refuses keys whose values have another rule.
func (b *builder) mayStay(c cursor, name string) error {
	if err := b.notSecret(c, name); err != nil {
		return err
	}
	p := Place{Kind: Query, Name: name}
	for _, o := range b.owners {
		if o.place.overlaps(p) {
			return c.fail("is a place of entity %s, whose values are replaced: remove one of the two lines", o.entity)
		}
	}
	if purpose, ok := b.places[p.String()]; ok {
		return c.fail("is %s, whose words are replaced: remove one of the two lines", purpose)
	}
	return nil
}

// parseOn reads where a rule holds: *, a template, or a method and one of these.
func (a *Allow) parseOn(c cursor) error {
	text, err := c.text()
	if err != nil {
		return err
	}
	words := strings.Fields(text)
	const bad = `is no endpoint: write "*", a template such as /users/{int}, or "GET /search"`
	if len(words) == 0 || len(words) > 2 {
		return c.fail(bad)
	}
	if len(words) == 2 {
		a.Method = words[0]
		if strings.ContainsFunc(a.Method, func(c rune) bool { return c < 'A' || c > 'Z' }) || len(a.Method) > maxWord {
			return c.fail("begins with no method: methods are in capitals, such as GET")
		}
	}
	a.Pattern = words[len(words)-1]
	if a.Pattern == "*" {
		a.Pattern = ""
		return nil
	}
	if a.Pattern != "{unmatched}" && a.Pattern[0] != '/' || len(a.Pattern) > maxPattern || strings.ContainsFunc(a.Pattern, func(c rune) bool { return c <= ' ' || c > '~' || strings.ContainsRune(`?#"\`, c) }) {
		return c.fail(bad)
	}
	return nil
}

// maxPattern bounds the template of an endpoint in bytes.
const maxPattern = 512
