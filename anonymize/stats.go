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
	kindList
	kindSecret
	kindKey
	kindFragment
	kindHost
	kinds
)

var kindNames = [kinds]string{"", "int", "uuid", "mail", "address", "date", "prefix-int", "text", "list", "secret", "query_key",
	"fragment", "host"}

// allowed says which rule let a query value pass.
type allowed uint8

const (
	allowNot allowed = iota
	allowEmpty
	allowBoolean
	allowSmall
	allowOrder
	allowLocale
	allowFormat
	allowVersion
	allowRules
)

var allowNames = [allowRules]string{"", "empty", "boolean", "small_int", "order", "locale", "format", "version"}

// counts are the counters of one worker.
type counts struct {
	records, unmatched, literals int64
	refused                      [refusals]int64
	replaced                     [kinds]int64
	kept                         [allowRules]int64
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
	for i, n := range o.kept {
		c.kept[i] += n
	}
}

// Stats says what became of the records. The records given are Records plus all of Refused.
type Stats struct {
	Records   int64            `json:"records"`   // clean records
	Unmatched int64            `json:"unmatched"` // of Records, those whose path has no template
	Literals  int64            `json:"literals"`  // path segments that stayed as vocabulary
	Refused   map[string]int64 `json:"refused"`   // records, by reason
	Replaced  map[string]int64 `json:"replaced"`  // parts of targets, by what they looked like
	Kept      map[string]int64 `json:"kept"`      // query values that passed, by rule
}

func (c *counts) stats() Stats {
	return Stats{Records: c.records, Unmatched: c.unmatched, Literals: c.literals, Refused: named(refusalNames[:], c.refused[:]),
		Replaced: named(kindNames[:], c.replaced[:]), Kept: named(allowNames[:], c.kept[:])}
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
