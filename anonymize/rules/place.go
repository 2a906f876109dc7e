package rules

import (
	"net/textproto"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Limits of entities.
const (
	maxPlaces   = 64  // of one entity
	maxName     = 128 // bytes of a cookie, header or claim
	maxSegments = 12  // of a path pattern, as of an endpoint template
)

var placeKinds = []string{"path", "query", "cookie", "header", "jwt"}

// String is the place as the rules file has it.
func (p Place) String() string { return placeKinds[p.Kind] + ":" + p.Name }

// parsePlace reads kind:name.
func parsePlace(c cursor) (p Place, err error) {
	kind, name, err := c.place()
	if err != nil {
		return p, err
	}
	i := 0
	for i < len(placeKinds) && placeKinds[i] != kind {
		i++
	}
	if i == len(placeKinds) {
		return p, c.fail("is no place%s; places are path:/users/{user}, query:uid, cookie:uid, header:X-User-Id and jwt:sub", near(kind, placeKinds))
	}
	p.Kind, p.Name = PlaceKind(i), strings.TrimSpace(name)
	switch p.Kind {
	case Path:
		return p, p.segments(c)
	case Query:
		p.Name, err = queryKey(c, p.Name)
	case Header:
		if p.Name, err = headerName(c, p.Name); err == nil {
			switch p.Name {
			case "Cookie", "Cookie2", "Set-Cookie", "Set-Cookie2":
				err = c.fail("is a header with many values: name one, as in cookie:uid")
			case "Referer", "User-Agent", "Host":
				err = c.fail("is a header that is always replaced in its own way: remove the place")
			}
		}
	case Cookie:
		if !isToken(p.Name) || len(p.Name) > maxName {
			err = c.fail("names no cookie: a name is a token of RFC 6265, such as uid")
		}
	case Claim:
		if !isClaim(p.Name) {
			err = c.fail("names no claim: a name has from 1 to %d visible ASCII characters, no quotes and no \\", maxName)
		}
	}
	return p, err
}

// place splits kind:name. Inside brackets the YAML library takes the text for a mapping, which means the same.
func (c cursor) place() (kind, name string, err error) {
	if _, ok := c.node.(*ast.MappingNode); !ok {
		text, err := c.text()
		kind, name, _ = strings.Cut(text, ":")
		return kind, name, err
	}
	fields, err := c.fields()
	switch {
	case err != nil:
		return "", "", err
	case len(fields) != 1:
		return "", "", c.wrong("a text, such as query:uid")
	case !fields[0].value.isNothing():
		name, err = fields[0].value.text()
	}
	return fields[0].name, name, err
}

// segments splits the pattern of a path.
func (p *Place) segments(c cursor) error {
	rest, ok := strings.CutPrefix(p.Name, "/")
	if !ok || rest == "" {
		return c.fail("a path begins with /, as in path:/users/{user}")
	}
	p.Index = -1
	for _, s := range strings.Split(rest, "/") {
		switch {
		case s == "" || s == "." || s == "..":
			return c.fail("the path has an empty segment, . or ..: write path:/users/{user}")
		case s == "*":
			s = ""
		case s[0] == '{' && s[len(s)-1] == '}' && isName(s[1:len(s)-1]):
			if p.Index >= 0 {
				return c.fail("the path has two variables: keep the one that is the entity's, and write * for the other")
			}
			p.Index, s = len(p.Segments), ""
		case !isLiteral(s):
			return c.fail("a segment of the path is no word, * or {name}: letters, digits and _ - . ~ are taken, without encoding")
		}
		p.Segments = append(p.Segments, s)
	}
	switch {
	case p.Index < 0:
		return c.fail("the path has no variable: write {name} for the segment that is the entity's, as in path:/users/{user}")
	case len(p.Segments) > maxSegments:
		return c.fail("the path has more than %d segments", maxSegments)
	}
	return nil
}

// overlaps tells whether one segment of one path can belong to both.
func (p Place) overlaps(o Place) bool {
	if p.Kind != o.Kind {
		return false
	}
	if p.Kind != Path {
		return p.Name == o.Name
	}
	if p.Index != o.Index {
		return false
	}
	for i := range min(len(p.Segments), len(o.Segments)) {
		if a, b := p.Segments[i], o.Segments[i]; a != b && a != "" && b != "" {
			return false
		}
	}
	return true
}

// queryKey checks a query key and puts it into lower case: keys are compared so.
func queryKey(c cursor, key string) (string, error) {
	key = strings.ToLower(key)
	if len(key) == 0 || len(key) > MaxKey {
		return "", c.fail("a query key has from 1 to %d bytes", MaxKey)
	}
	for i := range len(key) {
		if key[i] <= ' ' || key[i] > '~' || strings.IndexByte("=&#?%+,*\"'\\", key[i]) >= 0 {
			return "", c.fail("a query key has visible ASCII characters only, decoded, none of = & # ? %% + , * \" ' \\")
		}
	}
	return key, nil
}

// headerName checks the name of a header and makes it canonical.
func headerName(c cursor, name string) (string, error) {
	if !isToken(name) || len(name) > maxName {
		return "", c.fail("names no header: a name is a token of RFC 9110, such as Accept-Language")
	}
	return textproto.CanonicalMIMEHeaderKey(name), nil
}

// isToken tells whether s is a token of RFC 9110, section 5.6.2.
func isToken(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && (c < '0' || c > '9') && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}

// isClaim is wider than isToken: names of claims can be addresses (RFC 7519, section 4.2).
func isClaim(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return s != "" && len(s) <= maxName
}

// isName tells whether s can name an entity or a variable.
func isName(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && (i == 0 || (c < '0' || c > '9') && c != '_' && c != '-') {
			return false
		}
	}
	return s != "" && len(s) <= MaxKey
}

func isLiteral(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && (c < '0' || c > '9') && strings.IndexByte("_-.~", c) < 0 {
			return false
		}
	}
	return len(s) <= maxName
}

// placesOf reads the places of an entity.
func (b *builder) placesOf(entity string, c cursor) ([]Place, error) {
	items, err := c.items()
	if err != nil {
		return nil, err
	}
	if len(items) > maxPlaces {
		return nil, c.fail("has more than %d places", maxPlaces)
	}
	var all []Place
	for _, item := range items {
		p, err := parsePlace(item)
		if err != nil {
			return nil, err
		}
		for _, o := range b.owners {
			switch {
			case !o.place.overlaps(p):
			case o.entity == entity:
				return nil, item.fail("is a place of this entity already (%s): remove one", o.place.String())
			default:
				return nil, item.fail("is a place of entity %s already (%s): one place has one entity", o.entity, o.place.String())
			}
		}
		b.owners = append(b.owners, owned{p, entity})
		all = append(all, p)
	}
	return all, nil
}
