package bind

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
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
// id and one other member that names the owner. Ids are numbers or strings.
func ReadCatalogue(r io.Reader) (Catalogue, error) {
	var lists map[string][]entry
	d := json.NewDecoder(io.LimitReader(r, maxCatalogue))
	if err := d.Decode(&lists); err != nil {
		return nil, fmt.Errorf("catalogue: %w", err)
	}
	c := make(Catalogue, len(lists))
	for name, list := range lists {
		items := make([]Item, len(list))
		for i, e := range list {
			items[i] = Item(e)
		}
		c[name] = items
	}
	return c, nil
}

type entry Item

// UnmarshalJSON reads a number, a string, or an object with an id and an owner.
func (e *entry) UnmarshalJSON(b []byte) error {
	if len(b) == 0 || b[0] != '{' {
		id, err := scalar(b)
		e.ID = id
		return err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(b, &members); err != nil {
		return err
	}
	for key, raw := range members {
		v, err := scalar(raw)
		if err != nil {
			return err
		}
		if key == "id" {
			e.ID = v
		} else if e.Owner == "" && len(members) == 2 {
			e.Owner = v
		}
	}
	if e.ID == "" {
		return fmt.Errorf("an object of a list has no id")
	}
	return nil
}

// scalar is the text of a JSON number or string; it must be safe to stand in a request target.
func scalar(b []byte) (string, error) {
	var n json.Number
	if err := json.Unmarshal(b, &n); err == nil && len(b) > 0 && b[0] != '"' {
		return n.String(), nil
	}
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return "", fmt.Errorf("an id is neither a number nor a string")
	}
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || c == '?' || c == '#' || c == '/' || c == '&' {
			return "", fmt.Errorf("an id holds a byte that cannot stand in a request target")
		}
	}
	return s, nil
}

// absent returns an id that the list does not have, the k-th of its kind, counted from 0.
func absent(list []Item, k int) string {
	var top int64
	for _, it := range list {
		if n, err := strconv.ParseInt(it.ID, 10, 64); err == nil && n > top {
			top = n
		}
	}
	return strconv.FormatInt(top+1+int64(k), 10)
}
