package bind

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
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
	At []string `yaml:"at"`
	// Identity makes every user of the plan one of these; at most one entity is.
	Identity bool `yaml:"identity"`
	// Header carries the id of the request's user; only with Identity.
	Header string `yaml:"header"`
	// Owner names the identity entity when only the owner gets a 200. With the owner's own list of ids,
	// the id is the owner's.
	Owner string `yaml:"owner"`
}

// Body gives a request its body: {entity} stands for the id that the same user touched last.
type Body struct {
	On   string `yaml:"on"`   // method and path, such as "POST /cart/items"
	Type string `yaml:"type"` // Content-Type; application/json when empty
	Body string `yaml:"body"`
}

// Parse reads bind.yaml strictly; errors name the file, line and column.
func Parse(r io.Reader, name string) (*Rules, error) {
	var rules Rules
	if err := yaml.NewDecoder(r, yaml.Strict()).Decode(&rules); err != nil {
		return nil, fmt.Errorf("%s: %s", name, strings.TrimSpace(yaml.FormatError(err, false, false)))
	}
	if err := rules.validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &rules, nil
}

func (r *Rules) validate() error {
	if len(r.Entities) == 0 {
		return errors.New("entities: none are given, so there is nothing to bind")
	}
	identity := ""
	for _, name := range r.names() {
		e := r.Entities[name]
		if err := e.validate(name); err != nil {
			return err
		}
		if e.Identity {
			if identity != "" {
				return fmt.Errorf("entities: %s and %s both have identity: true", identity, name)
			}
			identity = name
		}
	}
	for _, name := range r.names() {
		if o := r.Entities[name].Owner; o != "" && o != identity {
			return fmt.Errorf("entities.%s.owner: %q is not the entity with identity: true", name, o)
		}
	}
	for i := range r.Bodies {
		if err := r.Bodies[i].validate(r.Entities); err != nil {
			return fmt.Errorf("bodies[%d]: %w", i, err)
		}
	}
	return nil
}

func (e *Entity) validate(name string) error {
	if e.IDs == "" {
		return fmt.Errorf("entities.%s.ids: names no list of the catalogue", name)
	}
	if len(e.At) == 0 && !e.Identity {
		return fmt.Errorf("entities.%s.at: no place is given", name)
	}
	if e.Header != "" && (!e.Identity || strings.ContainsAny(e.Header, ": \r\n\t")) {
		return fmt.Errorf("entities.%s.header: must be a header name, and only with identity: true", name)
	}
	for _, at := range e.At {
		if _, err := parsePlace(at); err != nil {
			return fmt.Errorf("entities.%s.at: %w", name, err)
		}
	}
	return nil
}

func (b *Body) validate(entities map[string]Entity) error {
	method, path, ok := strings.Cut(b.On, " ")
	if !ok || method == "" || !strings.HasPrefix(path, "/") {
		return fmt.Errorf("on: %q is not like \"POST /orders\"", b.On)
	}
	if strings.ContainsAny(b.Type, "\r\n") {
		return errors.New("type: holds a line break")
	}
	if b.Type == "" {
		b.Type = "application/json"
	}
	for _, part := range split(b.Body, entities) {
		if part.entity != "" && entities[part.entity].IDs == "" {
			return fmt.Errorf("body: {%s} is no entity", part.entity)
		}
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

// part is a piece of a body: text, or the id of an entity.
type part struct {
	text   string
	entity string
}

// split cuts a body at its {entity} marks; braces that name no entity are text, as JSON is full of them.
func split(body string, entities map[string]Entity) []part {
	var parts []part
	text := 0
	for i := 0; i < len(body); i++ {
		if body[i] != '{' {
			continue
		}
		end := strings.IndexByte(body[i:], '}')
		if end < 0 {
			break
		}
		name := body[i+1 : i+end]
		if _, ok := entities[name]; !ok {
			continue
		}
		parts = append(parts, part{text: body[text:i]}, part{entity: name})
		i += end
		text = i + 1
	}
	return append(parts, part{text: body[text:]})
}
