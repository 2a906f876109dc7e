package plan

import (
	"encoding/binary"
	"math"

	"reprise/anonymize/recordfile"
	"reprise/anonymize/trace"
)

// merge deals the copies of a deck in time order, those of one instant in the order of their records.
type merge struct {
	tape   *tape
	walks  []walk // all of them: their pages are used again
	heap   []*walk
	begun  bool
	words  recordfile.Words
	line   []byte
	record trace.Record
	ready  bool // record is that of the copy at hand
}

// walk is the copies k of the records of one lane, one after another.
type walk struct {
	lane  *lane
	parts []part // not begun; the one at hand is done when a record starts at its end
	part  part
	at    int64 // offset in the lane of the next byte
	page  []byte
	buf   []byte // for a page that is not in memory
	left  int    // bytes of the request at hand that are not read yet
	// The copy at hand:
	us     int64 // within the span
	number uint64
	mass   float64
}

// begin makes the merge start with the first copy of the deck.
func (m *merge) begin(d *deck) error {
	m.heap, m.begun, m.ready = m.heap[:0], false, false
	count := 0
	for _, l := range d.lanes {
		if l != nil {
			count += l.walks()
		}
	}
	for len(m.walks) < count {
		m.walks = append(m.walks, walk{})
	}
	count = 0
	for n, l := range d.lanes {
		for k := range n {
			if l == nil {
				break
			}
			w := &m.walks[count]
			if !w.begin(l, int64(k)) {
				continue
			}
			count++
			more, err := w.next(m.tape)
			if err != nil {
				return err
			}
			if more {
				m.heap = append(m.heap, w)
			}
		}
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.sink(i)
	}
	return nil
}

// next goes to the next copy and returns its mass.
func (m *merge) next() (float64, error) {
	m.ready = false
	if m.begun {
		more, err := m.heap[0].next(m.tape)
		if err != nil {
			return 0, err
		}
		if !more {
			last := len(m.heap) - 1
			m.heap[0], m.heap = m.heap[last], m.heap[:last]
		}
		m.sink(0)
	}
	m.begun = true
	if len(m.heap) == 0 {
		return 0, errChanged
	}
	return m.heap[0].mass, nil
}

// request is that of the copy at hand, borrowed until next.
func (m *merge) request() (*trace.Record, error) {
	if m.ready {
		return &m.record, nil
	}
	w := m.heap[0]
	if cap(m.line) < w.left {
		m.line = make([]byte, 2*w.left)
	}
	m.line = m.line[:w.left]
	w.left = 0
	if err := w.read(m.tape, m.line); err != nil {
		return nil, err
	}
	m.ready = true
	return &m.record, decodeRequest(m.line, &m.words, &m.record)
}

// sink restores the heap below i.
func (m *merge) sink(i int) {
	h := m.heap
	for {
		least := 2*i + 1
		if least >= len(h) {
			return
		}
		if least+1 < len(h) && h[least+1].before(h[least]) {
			least++
		}
		if !h[least].before(h[i]) {
			return
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}

func (w *walk) before(o *walk) bool {
	return w.us < o.us || w.us == o.us && w.number < o.number
}

// walks is how many copies have a part.
func (l *lane) walks() int {
	n := int64(0)
	for _, p := range l.parts {
		n = max(n, p.k+1)
	}
	return int(n)
}

// begin starts the walk of copy k, unless nothing of it is dealt.
func (w *walk) begin(l *lane, k int64) bool {
	*w = walk{lane: l, parts: w.parts[:0], buf: w.buf}
	// The wrapped part comes last by start and first by time.
	for i := len(l.parts) - 1; i >= 0; i-- {
		if l.parts[i].k == k {
			w.parts = append(w.parts, l.parts[i])
		}
	}
	return len(w.parts) > 0
}

// next goes to the next copy of the walk.
func (w *walk) next(t *tape) (bool, error) {
	w.skip(int64(w.left))
	w.left = 0
	for {
		if w.at < w.lane.size && w.part.from < w.part.to {
			start, err := w.head(t)
			if err != nil || start < w.part.to {
				w.us = start + w.part.shift
				return err == nil, err
			}
		}
		if len(w.parts) == 0 {
			return false, nil
		}
		w.part, w.parts = w.parts[0], w.parts[1:]
		w.page = nil
		w.at = w.part.offset
	}
}

// head reads the head of an entry and returns the record's start within the span.
func (w *walk) head(t *tape) (int64, error) {
	var b [entryHead]byte
	if err := w.read(t, b[:]); err != nil {
		return 0, err
	}
	w.number = binary.LittleEndian.Uint64(b[4:])
	w.mass = math.Float64frombits(binary.LittleEndian.Uint64(b[12:]))
	w.left = int(binary.LittleEndian.Uint32(b[20:]))
	return int64(binary.LittleEndian.Uint32(b[:])), nil
}

// read fills b with the next bytes of the lane.
func (w *walk) read(t *tape, b []byte) error {
	for len(b) > 0 {
		if w.at >= w.lane.size {
			return errTape
		}
		if w.page == nil {
			if err := w.turn(t); err != nil {
				return err
			}
		}
		from := int(w.at % pageBytes)
		if from >= len(w.page) {
			return errTape
		}
		n := copy(b, w.page[from:])
		b = b[n:]
		w.skip(int64(n))
	}
	return nil
}

// skip leaves out n bytes.
func (w *walk) skip(n int64) {
	if (w.at+n)/pageBytes != w.at/pageBytes {
		w.page = nil
	}
	w.at += n
}

// turn gets the page with the next byte.
func (w *walk) turn(t *tape) (err error) {
	i := w.lane.pages[w.at/pageBytes]
	if i >= len(t.held) && w.buf == nil {
		w.buf = make([]byte, pageBytes)
	}
	w.page, err = t.page(i, w.buf)
	return err
}
