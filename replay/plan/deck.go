package plan

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"reprise/anonymize/recordfile"
	"reprise/anonymize/trace"
	"reprise/sample"
)

// deck is the records of an hour, put aside on a tape so that they can be dealt in the order of their copies,
// and dealt again.
//
// All records with n copies stand in one lane in start order. Copy k of each comes the same time after its
// record, so each k is one walk along the lane, and dealing is the merge of these walks: no copy is ever
// held.
type deck struct {
	span  span
	lanes [maxCopies + 1]*lane // by number of copies
	seen  uint64               // records so far, to order those of one instant
}

// lane is the records with one number of copies.
type lane struct {
	pages []int
	tail  []byte // what is not on a page yet
	size  int64  // bytes
	parts []part // by from
	next  int    // first of parts that no record has reached
}

// part is a stretch of the walk of copy k: of the records that start in [from, to), each copy comes shift
// later. A copy that would come after the end of the span is wrapped to its beginning, so its shift is
// negative.
type part struct {
	k, from, to, shift int64
	offset             int64 // in the lane, of the first record
}

// An entry of a lane is start within the span (4 bytes), number (8), mass of one copy (8), length of the
// request (4), request.
const entryHead = 4 + 8 + 8 + 4

func newLane(s span, n int) *lane {
	l := new(lane)
	length := s.to - s.from
	for k := range n {
		shift := s.shift(n, k)
		for _, p := range [...]part{
			{from: length - shift + s.lo - s.from, to: min(length, length-shift+s.hi-s.from), shift: shift - length},
			{from: max(0, s.lo-s.from-shift), to: min(length-shift, s.hi-s.from-shift), shift: shift},
		} {
			if p.k = int64(k); p.from < p.to {
				l.parts = append(l.parts, p)
			}
		}
	}
	slices.SortStableFunc(l.parts, func(a, b part) int { return cmp.Compare(a.from, b.from) })
	return l
}

// add puts a record aside; line is scratch space, returned for the next one.
func (d *deck) add(t *tape, r *sample.Record, line []byte) ([]byte, error) {
	d.seen++
	n := copiesOf(r.Weight)
	if d.span.count(r.Start, n) == 0 {
		return line, nil
	}
	if d.lanes[n] == nil {
		d.lanes[n] = newLane(d.span, n)
	}
	start := r.Start - d.span.from
	line = binary.LittleEndian.AppendUint32(line[:0], uint32(start)) // an hour is less than 2^32 us
	line = binary.LittleEndian.AppendUint64(line, d.seen)
	line = binary.LittleEndian.AppendUint64(line, math.Float64bits(r.Weight/float64(n)))
	line = appendRequest(append(line, 0, 0, 0, 0), &r.Record)
	binary.LittleEndian.PutUint32(line[entryHead-4:], uint32(len(line)-entryHead))
	return line, d.lanes[n].append(t, start, line)
}

func (l *lane) append(t *tape, start int64, entry []byte) error {
	for ; l.next < len(l.parts) && l.parts[l.next].from <= start; l.next++ {
		l.parts[l.next].offset = l.size
	}
	l.size += int64(len(entry))
	for len(entry) > 0 {
		if l.tail == nil {
			l.tail = make([]byte, 0, pageBytes)
		}
		n := min(len(entry), pageBytes-len(l.tail))
		l.tail, entry = append(l.tail, entry[:n]...), entry[n:]
		if len(l.tail) == pageBytes {
			if err := l.seal(t); err != nil {
				return err
			}
		}
	}
	return nil
}

// seal moves the last bytes to the tape.
func (l *lane) seal(t *tape) error {
	if len(l.tail) == 0 {
		return nil
	}
	page, err := t.add(l.tail)
	l.pages, l.tail = append(l.pages, page), l.tail[:0]
	return err
}

// end makes the deck ready to be dealt.
func (d *deck) end(t *tape) error {
	for _, l := range d.lanes {
		if l == nil {
			continue
		}
		if err := l.seal(t); err != nil {
			return err
		}
		l.tail = nil
		for ; l.next < len(l.parts); l.next++ {
			l.parts[l.next].offset = l.size // no record is that late
		}
	}
	return nil
}

// appendRequest appends what an arrival takes from a record: user, status, then method, endpoint, host,
// header and target, each after its length.
func appendRequest(b []byte, r *trace.Record) []byte {
	b = append(b, r.User[:]...)
	b = binary.LittleEndian.AppendUint16(b, r.Status)
	for _, s := range [...]string{r.Method, r.Endpoint, r.Host} {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	for _, s := range [...][]byte{r.Header, r.Target} {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	return b
}

var errTape = errors.New("temporary file: not what was written to it")

// decodeRequest is the inverse; header and target are parts of b.
func decodeRequest(b []byte, words *recordfile.Words, r *trace.Record) error {
	if len(b) < len(r.User)+2 {
		return errTape
	}
	b = b[copy(r.User[:], b):]
	r.Status = binary.LittleEndian.Uint16(b)
	b = b[2:]
	for _, s := range [...]*string{&r.Method, &r.Endpoint, &r.Host} {
		text, rest, err := cutText(b)
		if err != nil {
			return err
		}
		b = rest
		if *s, err = words.Intern(recordfile.Value{Str: text, Quoted: true}); err != nil {
			return err
		}
	}
	for _, s := range [...]*[]byte{&r.Header, &r.Target} {
		var err error
		if *s, b, err = cutText(b); err != nil {
			return err
		}
	}
	return nil
}

// cutText takes a text after its length off b.
func cutText(b []byte) (text, rest []byte, err error) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return nil, nil, errTape
	}
	end := size + int(n)
	return b[size:end:end], b[end:], nil
}
