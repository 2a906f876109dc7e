package endpoint

import "github.com/goccy/go-yaml/ast"

// parameters reads a list of parameters and keeps those of the query.
func (d *openAPI) parameters(list ast.Node) error {
	items, err := itemsOf(list, "parameters")
	if err != nil {
		return err
	}
	for _, item := range items {
		if err := d.parameter(item); err != nil {
			return err
		}
	}
	return nil
}

func (d *openAPI) parameter(n ast.Node) error {
	in, err := d.member(n, "in")
	if err != nil || in == nil {
		return err
	}
	name, err := d.member(n, "name")
	if err != nil || name == nil {
		return err
	}
	place, err := textOf(in, "in")
	if err != nil || place != "query" {
		return err
	}
	key, err := textOf(name, "name")
	if err != nil || !isGivenKey(key) {
		return err
	}
	if d.keys[key] = true; len(d.keys) > KeyLimit {
		return failAt(name, "more than %d query parameters", KeyLimit)
	}
	if err := d.listed(key, n); err != nil { // Swagger 2
		return err
	}
	schema, err := d.member(n, "schema")
	if err != nil || schema == nil {
		return err
	}
	return d.listed(key, schema)
}

// listed keeps the values that a schema, or the schema of its items, lists.
func (d *openAPI) listed(key string, schema ast.Node) error {
	items, err := d.member(schema, "items")
	if err != nil {
		return err
	}
	for _, s := range []ast.Node{schema, items} {
		if s == nil {
			continue
		}
		enum, err := d.member(s, "enum")
		if err != nil {
			return err
		}
		values, err := itemsOf(enum, "enum")
		if err != nil {
			return err
		}
		lower := string(appendLower(nil, []byte(key)))
		for _, v := range values {
			text, err := textOf(v, "a value of enum")
			if err != nil || !isGivenValue(text) { // null, and what no query can have
				continue
			}
			if d.values[lower] == nil {
				d.values[lower] = make(map[string]bool)
			}
			if d.values[lower][text] = true; len(d.values[lower]) > maxListed {
				return failAt(v, "more than %d values of one query parameter", maxListed)
			}
		}
	}
	return nil
}
