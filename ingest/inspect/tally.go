package inspect

import "strconv"

// tally counts by name, up to a number of names; the others are counted together.
type tally struct {
	limit  int
	counts map[string]*int64
	others int64
}

func newTally(limit int) *tally { return &tally{limit: limit, counts: map[string]*int64{}} }

// add counts name. It allocates only for a name that is new and within the limit.
func (t *tally) add(name []byte) {
	if n := t.counts[string(name)]; n != nil {
		*n++
		return
	}
	if len(t.counts) >= t.limit {
		t.others++
		return
	}
	t.counts[string(name)] = new(int64(1))
}

// result returns the counts, with the rest under "others".
func (t *tally) result() map[string]int64 {
	m := make(map[string]int64, len(t.counts)+1)
	for name, n := range t.counts {
		m[name] = *n
	}
	if t.others > 0 {
		m["others"] = t.others
	}
	return m
}

// statuses counts the usual status codes in an array and the rest by name.
type statuses struct {
	usual [600]int64
	rare  *tally
}

func (s *statuses) add(code int) {
	if code >= 0 && code < len(s.usual) {
		s.usual[code]++
		return
	}
	s.rare.add(strconv.AppendInt(nil, int64(code), 10))
}

func (s *statuses) result() map[string]int64 {
	m := s.rare.result()
	for code, n := range s.usual {
		if n > 0 {
			m[strconv.Itoa(code)] = n
		}
	}
	return m
}
