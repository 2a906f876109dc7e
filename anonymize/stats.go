package anonymize

// Refusal is the reason why a record has no clean form. It is an error.
type Refusal uint8

// The refusals.
const (
	RefusedMethod Refusal = iota + 1 // the method is no token of RFC 9110, or missing
	RefusedTarget                    // the target is missing or longer than MaxTarget
	RefusedStatus                    // the status is no number from 0 to 999
	refusals
)

var refusalNames = [refusals]string{"", "method", "target", "status"}

func (r Refusal) Error() string { return "record refused: " + r.String() }

// String is the reason in one word.
func (r Refusal) String() string {
	if r < refusals {
		return refusalNames[r]
	}
	return "unknown"
}

// kind says what a value was taken for when it was replaced.
type kind uint8

const (
	kindNone kind = iota
	kindInt
	kindUUID
	kindMail
	kindAddress
	kindDate
	kindNumbered
	kindText
	kindPhone
	kindCard
	kindResident
	kindAccount
	kindDegrees
	kindJWT
	kindJSON
	kindBase64
	kindList
	kindPair
	kindWords
	kindMails
	kindSecret
	kindKey
	kindFragment
	kindHost
	kinds
)

var kindNames = [kinds]string{"", "int", "uuid", "mail", "address", "date", "prefix-int", "text", "phone", "card", "resident_id",
	"iban", "degrees", "jwt", "json", "base64", "list", "pair", "words", "mails", "secret", "query_key",
	"fragment", "host"}

// headerFate says what became of a header.
type headerFate uint8

const (
	headerKept headerFate = iota
	headerReplaced
	headerCookie
	headerReferer
	headerDropped
	headerFates
)

var headerNames = [headerFates]string{"kept", "replaced", "cookie", "referer", "dropped"}

// counts are the counters of one worker.
type counts struct {
	records, unmatched, literals int64
	refused                      [refusals]int64
	replaced                     [kinds]int64
	headers                      [headerFates]int64
	kept                         []int64          // by slot of the policy
	misfit                       [][misfits]int64 // the same
}

func newCounts(slots int) counts {
	return counts{kept: make([]int64, slots), misfit: make([][misfits]int64, slots)}
}

func (c *counts) add(o *counts) {
	c.records += o.records
	c.unmatched += o.unmatched
	c.literals += o.literals
	for i, n := range o.refused {
		c.refused[i] += n
	}
	for i, n := range o.replaced {
		c.replaced[i] += n
	}
	for i, n := range o.headers {
		c.headers[i] += n
	}
	for i, n := range o.kept {
		c.kept[i] += n
		for j, m := range o.misfit[i] {
			c.misfit[i][j] += m
		}
	}
}

// Stats says what became of the records. The records given are Records plus all of Refused.
type Stats struct {
	Records   int64            `json:"records"`   // clean records
	Unmatched int64            `json:"unmatched"` // of Records, those whose path has no template
	Literals  int64            `json:"literals"`  // path segments that stayed as vocabulary
	Refused   map[string]int64 `json:"refused"`   // records, by reason
	Replaced  map[string]int64 `json:"replaced"`  // parts of targets, by what they looked like
	Kept      map[string]int64 `json:"kept"`      // query values that passed, by rule, such as page: int<=4
	// Misfit counts the query values of an allowed key that had another shape and were replaced: by rule, and by what
	// they were made of.
	Misfit  map[string]map[string]int64 `json:"misfit,omitempty"`
	Headers map[string]int64            `json:"headers,omitempty"` // request headers and cookies, by what became of them
}

func (c *counts) stats(slots []string) Stats {
	misfit := make(map[string]map[string]int64)
	for i, name := range slots {
		if shapes := named(misfitNames[:], c.misfit[i][:]); len(shapes) > 0 {
			misfit[name] = shapes
		}
	}
	return Stats{Records: c.records, Unmatched: c.unmatched, Literals: c.literals, Refused: named(refusalNames[:], c.refused[:]),
		Replaced: named(kindNames[:], c.replaced[:]), Kept: named(slots, c.kept),
		Misfit: misfit, Headers: named(headerNames[:], c.headers[:])}
}

func named(names []string, n []int64) map[string]int64 {
	m := make(map[string]int64)
	for i, name := range names {
		if n[i] > 0 {
			m[name] = n[i]
		}
	}
	return m
}
