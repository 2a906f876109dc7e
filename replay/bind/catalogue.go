package bind

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxCatalogue bounds the catalogue's JSON in bytes.
const maxCatalogue = 256 << 20

// Catalogue is what the fixture data set offers, by list name.
type Catalogue map[string][]Item

// Item is one id of the fixture. Owner is set for what only its owner may read.
type Item struct {
	ID    string
	Owner string
}

// ReadCatalogue reads {"products":[1,2],"orders":[{"id":7,"user":3}]}: lists of ids, or of objects with an
// id and at most one other member, which names the owner. Ids are numbers or strings, unique within their
// list, and can stand in a request target as they are.
func ReadCatalogue(r io.Reader) (Catalogue, error) {
	var lists map[string][]entry
	limited := &io.LimitedReader{R: r, N: maxCatalogue}
	d := json.NewDecoder(limited)
	err := d.Decode(&lists)
	if limited.N == 0 {
		return nil, fmt.Errorf("catalogue: is larger than %d bytes", maxCatalogue)
	}
	if err != nil {
		return nil, fmt.Errorf("catalogue: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("catalogue: more follows after the lists")
	}
	c := make(Catalogue, len(lists))
	for name, list := range lists {
		items := make([]Item, len(list))
		seen := make(map[string]bool, len(list))
		for i, e := range list {
			if seen[e.ID] {
				return nil, fmt.Errorf("catalogue: %s[%d]: the id is in the list already", name, i)
			}
			seen[e.ID], items[i] = true, Item(e)
		}
		c[name] = items
	}
	return c, nil
}

type entry Item

// UnmarshalJSON reads a number, a string, or an object with an id and an owner.
func (e *entry) UnmarshalJSON(b []byte) (err error) {
	if len(b) == 0 || b[0] != '{' {
		e.ID, err = scalar(b)
		return err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(b, &members); err != nil {
		return err
	}
	if len(members) > 2 || members["id"] == nil {
		return errors.New("an object of a list must have an id, and beside it at most its owner")
	}
	for key, raw := range members {
		v, err := scalar(raw)
		if err != nil {
			return err
		}
		if key == "id" {
			e.ID = v
		} else {
			e.Owner = v
		}
	}
	return nil
}

// pathBytes are the bytes that a segment and a query value can hold as they are (RFC 3986, section 3.3),
// without those that have a meaning of their own in a query, a matrix parameter or a JSON string.
const pathBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$()*,:@"

// scalar is the text of a JSON number or string that can be an id.
func scalar(b []byte) (string, error) {
	var v any
	d := json.NewDecoder(strings.NewReader(string(b)))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return "", err
	}
	switch v := v.(type) {
	case json.Number:
		if strings.Trim(v.String(), "-0123456789") != "" {
			return "", errors.New("an id that is a number must be a whole one")
		}
		return v.String(), nil
	case string:
		if v == "" || strings.Trim(v, pathBytes) != "" || strings.Trim(v, ".") == "" {
			return "", errors.New("an id is empty or holds what cannot stand in a request target")
		}
		return v, nil
	}
	return "", errors.New("an id is neither a number nor a string")
}

// highest is the largest whole number among the ids, 0 when there is none.
func highest(list []Item) (top uint64) {
	for _, it := range list {
		if n, err := strconv.ParseUint(it.ID, 10, 63); err == nil {
			top = max(top, n)
		}
	}
	return top
}
