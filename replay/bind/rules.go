package bind

import (
	"slices"
	"strings"

	"reprise/replay/plan"
)

// Rules say where ids stand in requests and what the fixture offers for them (bind.yaml).
type Rules struct {
	// Catalogue is a file or a URL with the fixture's ids; opening it is the caller's business.
	Catalogue string            `yaml:"catalogue"`
	Entities  map[string]Entity `yaml:"entities"`
	Bodies    []Body            `yaml:"bodies"`
}

// Entity is one kind of id.
type Entity struct {
	// IDs names a list of the catalogue.
	IDs string `yaml:"ids"`
	// At lists places: "/products/{id}" for a path segment, "?sku" or "/cart?sku" for a query value.
	// Another name in braces stands for any one segment: "/users/{user}/orders/{id}". The path must match
	// as a whole, a trailing slash included. No two entities share a place; where two of them meet in one
	// value ("?sku" and "/cart?sku"), the entity that comes first by its name has it.
	At []string `yaml:"at"`
	// Identity makes every user of the plan one of these; at most one entity is.
	Identity bool `yaml:"identity"`
	// Header carries the id of the request's user; only with Identity. Empty sends none.
	Header string `yaml:"header"`
	// Owner names the identity entity when only the owner gets a 200. With the owner's own list of ids,
	// the id is the owner's.
	Owner string `yaml:"owner"`
}

// Body gives a request its body: {entity} stands for the id that the same user touched last, or, before
// the first, for the first of the fixture's ids.
type Body struct {
	On   string `yaml:"on"`   // method and path, such as "POST /cart/items"; a name in braces is any segment
	Type string `yaml:"type"` // Content-Type; application/json when empty
	Body string `yaml:"body"`
}

// defaultType is the Content-Type of a Body without one.
const defaultType = "application/json"

// validate reports the first fault, as a *fault.
func (r *Rules) validate() error {
	if len(r.Entities) == 0 {
		return blame("none are given, so there is nothing to bind", "entities")
	}
	identity := ""
	places := make(map[string]string)
	for _, name := range r.names() {
		e := r.Entities[name]
		if err := e.validate(name); err != nil {
			return err
		}
		for i, at := range e.At {
			if other, ok := places[at]; ok {
				return blame("is a place of "+other+" already", "entities", name, "at", i)
			}
			places[at] = name
		}
		if e.Identity && identity != "" {
			return blame("entity "+identity+" is the identity already", "entities", name, "identity")
		}
		if e.Identity {
			identity = name
		}
	}
	for _, name := range r.names() {
		if o := r.Entities[name].Owner; o != "" && (o != identity || o == name) {
			return blame("must name another entity, the one with identity: true", "entities", name, "owner")
		}
	}
	for i := range r.Bodies {
		if err := r.Bodies[i].validate(i, r.Entities); err != nil {
			return err
		}
	}
	return nil
}

func (e *Entity) validate(name string) error {
	if e.IDs == "" {
		return blame("names no list of the catalogue", "entities", name, "ids")
	}
	if len(e.At) == 0 && !e.Identity {
		return blame("no place is given", "entities", name, "at")
	}
	if e.Header != "" && !e.Identity {
		return blame("only goes with identity: true", "entities", name, "header")
	}
	if e.Header != "" && (!plan.IsToken(e.Header) || plan.IsReserved(e.Header)) {
		return blame("is no name of a header that a rule may set", "entities", name, "header")
	}
	for i, at := range e.At {
		if _, err := parsePlace(at); err != nil {
			return blame(err.Error(), "entities", name, "at", i)
		}
	}
	return nil
}

func (b *Body) validate(i int, entities map[string]Entity) error {
	method, path, _ := strings.Cut(b.On, " ")
	if !plan.IsToken(method) || !strings.HasPrefix(path, "/") || strings.ContainsAny(path, "?# ") {
		return blame(`must be a method and a path, like "POST /orders"`, "bodies", i, "on")
	}
	if _, err := parsePath(path); err != nil {
		return blame(err.Error(), "bodies", i, "on")
	}
	for _, c := range b.Type {
		if c < ' ' || c > '~' {
			return blame("must be printable ASCII", "bodies", i, "type")
		}
	}
	if mark, ok := unknownMark(b.Body, entities); ok {
		return blame("{"+mark+"} is no entity", "bodies", i, "body")
	}
	return nil
}

// names lists the entities in a fixed order: maps have none.
func (r *Rules) names() []string {
	names := make([]string, 0, len(r.Entities))
	for n := range r.Entities {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}
