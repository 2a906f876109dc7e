// Package rules holds what may stay in a trace, what belongs together and how the rest is replaced: the section
// anonymize: of reprise.yaml, read strictly. It knows nothing of records; package anonymize applies the rules.
package rules

import "net/netip"

// Rules are a checked set of rules. They are read-only and safe for concurrent use.
type Rules struct {
	IP       IP
	Shift    Shift
	Entities []Entity // in the order of their names
	Allow    []Allow  // the first that fits decides
	Text     []string // query keys whose values are free text, replaced word by word
	Headers  []string // names of request headers that stay as they are, canonical (Accept-Language)
	Cookies  Cookies
	Referer  Referer
	Secrets  []string // words of keys whose values turn to noise, beside the built-in ones; lower case
	secrets  map[string]bool
	digest   string
}

// MaxEntities is the number of entities that rules can have.
const MaxEntities = 200

// Digest names the rules: SHA-256, in hex, of their normal form. Comments, order of entities and layout do not count.
func (r *Rules) Digest() string { return r.digest }

// IPMode says how addresses are replaced.
type IPMode uint8

// The modes of addresses.
const (
	Pfx  IPMode = iota // prefix-preserving permutation; special blocks stay special
	Flat               // permutation without subnets; special blocks stay special
	Docs               // into 240.0.0.0/4 and 2001:db8::/32; addresses can merge
)

// IP are the rules of addresses.
type IP struct {
	Mode IPMode
	Keep []netip.Prefix // addresses that stay as they are
}

// Shift moves all instants by whole weeks, so that hours and weekdays stay.
type Shift struct {
	FromKey bool // a number of weeks that the key decides
	Weeks   int  // else this many, from -5200 to 5200
}

// Format forces the form of an entity's values.
type Format uint8

// The formats. Auto decides by the shape of each value.
const (
	Auto Format = iota
	Int         // digits are an id, whatever else they could be: no card, no phone number
	Text        // any value is text of its own layout
)

// Entity is a kind of thing that values name: one value of one entity has one pseudonym, wherever it stands. The
// entity named user is the identity of who sent the request.
type Entity struct {
	Name   string
	At     []Place
	Format Format
}

// PlaceKind says where in a request a value stands.
type PlaceKind uint8

// The places.
const (
	Path   PlaceKind = iota // a segment of the path
	Query                   // the value of a query key, or of a matrix parameter
	Cookie                  // the value of a cookie
	Header                  // the value of a request header
	Claim                   // a claim of a JSON Web Token, wherever the token stands
)

// Place is one place where the values of an entity stand.
type Place struct {
	Kind PlaceKind
	Name string // query key, cookie, canonical header, claim; the pattern as written for a path
	// Segments are those of a path pattern, Segments[Index] being the entity's: a literal word, or "" for any segment.
	// The pattern fits every path that begins with it.
	Segments []string
	Index    int
}

// Allow lets query values of known shape stay.
type Allow struct {
	Method  string            // "" = any
	Pattern string            // endpoint template, such as /search; "" = any
	Query   map[string]*Shape // by key, lower case; AnyKey = whatever its key, beside the key's own shape
	Line    int               // in the file, for reports
}

// AnyKey stands for all keys in an Allow. Its shape is Bool: any other would let too much stay.
const AnyKey = "*"

// Learned knows the values of a query key that many clients asked for.
type Learned interface {
	// KeepsValue tells whether a decoded value of a decoded key is one of them.
	KeepsValue(key, value []byte) bool
}

// TopKeys are the query keys with a shape top(N), in lower case, with the greatest N of each: what must be learned.
func (r *Rules) TopKeys() map[string]int {
	keys := make(map[string]int)
	for i := range r.Allow {
		for key, s := range r.Allow[i].Query {
			if n := s.Top(); n > keys[key] {
				keys[key] = n
			}
		}
	}
	return keys
}

// Cookies says what becomes of the Cookie header.
type Cookies uint8

// What becomes of cookies.
const (
	DropCookies    Cookies = iota
	ReplaceCookies         // values become pseudonyms, names stay where they are vocabulary
)

// Referer says what becomes of the Referer header.
type Referer uint8

// What becomes of the referer.
const (
	DropReferer   Referer = iota
	OriginReferer         // scheme and host, pseudonymised
	SameRules             // the service's own pages by the rules of targets, others as OriginReferer
)
