package plan

import (
	"cmp"
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"reprise/arrival"
	"reprise/sample"
)

// Drawing gives every arrival of a schedule its request: drawn from the sample's records of the same hour,
// each as often as its weight says and close to its own time of day.
//
// A record of weight w stands for w requests of its hour. Its copies are spread evenly over its hour,
// starting at its own instant, so that a heavy record does not come in clumps; the copies inside the
// window are then dealt to the arrivals in time order by systematic sampling. With the whole log as the
// sample (every weight 1) and the measured schedule this gives back the log: every request once, in order.
type Drawing struct {
	Schedule *arrival.Schedule
	// Records opens the sample's records in start order; it is called again when the window repeats.
	Records func() iter.Seq2[*sample.Record, error]
	Seed    uint64
	// From and To bound the window in Unix seconds, as in the schedule.
	From, To int64
	// LogFrom and LogTo bound the whole log in Unix seconds: copies are spread over the part of an hour that
	// the log covers. Zero means whole hours.
	LogFrom, LogTo int64
	// AllowWrites lets methods with side effects be sent.
	AllowWrites bool

	stats DrawStats
}

// DrawStats counts what a drawing could not do as asked.
type DrawStats struct {
	Arrivals int64              `json:"arrivals"`
	Withheld map[Withheld]int64 `json:"withheld"`
	Borrowed int64              `json:"borrowed"` // arrivals of an hour without a sampled record, filled from the nearest hour
}

// Stats is what the last complete iteration counted.
func (d *Drawing) Stats() DrawStats { return d.stats }

const (
	hour      = 3600
	micro     = 1_000_000
	maxCopies = 64 // copies of one record within its hour; beyond, copies carry more weight each
)

// block is a stretch of arrivals of one source hour, within one repetition of the window.
type block struct {
	hour     int64 // Unix hours
	arrivals int64
}

// Arrivals yields the plan's arrivals, each borrowed until the next; an error is fatal and last. It can be
// ranged over again and yields the same.
func (d *Drawing) Arrivals() iter.Seq2[*Arrival, error] {
	return func(yield func(*Arrival, error) bool) {
		d.stats = DrawStats{Withheld: make(map[Withheld]int64)}
		dealer := dealer{drawing: d, blocks: d.blocks()}
		defer dealer.close()
		var a Arrival
		for offset := range d.Schedule.Offsets(d.Seed) {
			r, err := dealer.next()
			if err != nil {
				yield(nil, err)
				return
			}
			a.At = offset
			a.fill(&r.Record, d.AllowWrites)
			d.stats.Arrivals++
			if a.Withheld != Sent {
				d.stats.Withheld[a.Withheld]++
			}
			if !yield(&a, nil) {
				return
			}
		}
	}
}

// blocks counts the arrivals of every source hour in schedule order.
func (d *Drawing) blocks() []block {
	var blocks []block
	cycle := int64(-1)
	for _, source := range d.Schedule.Sources(d.Seed) {
		h := floorDiv(source.Second, hour)
		if n := len(blocks); n == 0 || blocks[n-1].hour != h || source.Cycle != cycle {
			blocks = append(blocks, block{hour: h})
		}
		blocks[len(blocks)-1].arrivals++
		cycle = source.Cycle
	}
	return blocks
}

// dealer hands out one record after another, hour by hour.
type dealer struct {
	drawing *Drawing
	blocks  []block
	left    int64 // arrivals of the current block still to be served
	hour    int64
	stream  *stream
	records []sample.Record // of the hour at hand
	copies  []dealt
	at      int     // index into copies
	sum     float64 // mass of copies[:at+1]
	pos     float64 // of the next arrival
	served  int64
	start   float64
	step    float64
}

// dealt is one copy of a record at its virtual instant within the hour.
type dealt struct {
	us     int64 // microseconds since the Unix epoch
	record int
	mass   float64
}

func (d *dealer) next() (*sample.Record, error) {
	if d.left == 0 {
		if len(d.blocks) == 0 {
			return nil, errors.New("the schedule yields more arrivals than it did before")
		}
		b := d.blocks[0]
		d.blocks = d.blocks[1:]
		if err := d.open(b); err != nil {
			return nil, err
		}
	}
	// The product is rounded before the sum, so that no processor fuses the two.
	d.pos = d.start + float64(float64(d.served)*d.step)
	for d.pos >= d.sum && d.at < len(d.copies)-1 {
		d.at++
		d.sum += d.copies[d.at].mass
	}
	d.left--
	d.served++
	return &d.records[d.copies[d.at].record], nil
}

// open loads the records of the block's hour and lays out their copies.
func (d *dealer) open(b block) error {
	if d.stream == nil || b.hour < d.hour || (b.hour == d.hour && d.served > 0) {
		d.close()
		d.stream = newStream(d.drawing.Records())
		d.records = d.records[:0]
	}
	d.hour = b.hour
	kept, err := d.stream.load(b.hour, d.records)
	d.records = kept
	if err != nil {
		return err
	}
	if len(d.records) == 0 {
		return errors.New("the sample holds no record for this window; sample more, or widen --window")
	}
	own := floorDiv(d.records[0].Start, hour*micro)
	if own != b.hour {
		d.drawing.stats.Borrowed += b.arrivals
	}
	d.lay(own, own == b.hour)
	var mass float64
	for i := range d.copies {
		mass += d.copies[i].mass
	}
	d.left, d.served, d.at, d.sum = b.arrivals, 0, 0, d.copies[0].mass
	d.step = mass / float64(b.arrivals)
	// An offset of 20 bits keeps start + k exact for all k, so weights of 1 give every record once.
	rng := rand.New(rand.NewPCG(d.drawing.Seed, arrival.Seed(uint64(b.hour), "plan/draw")))
	d.start = float64(float64(rng.IntN(1<<20))/(1<<20)+1.0/(1<<21)) * d.step
	return nil
}

// lay makes the copies of the hour's records that fall inside the window; all of them when none does.
func (d *dealer) lay(h int64, cut bool) {
	from, to := h*hour*micro, (h+1)*hour*micro
	if d.drawing.LogTo > d.drawing.LogFrom {
		from, to = max(from, d.drawing.LogFrom*micro), min(to, d.drawing.LogTo*micro)
	}
	lo, hi := from, to
	if cut && d.drawing.To > d.drawing.From {
		lo, hi = max(from, d.drawing.From*micro), min(to, d.drawing.To*micro)
	}
	d.copies = d.copies[:0]
	for i := range d.records {
		r := &d.records[i]
		n := min(maxCopies, max(1, int(math.Ceil(r.Weight-1e-9))))
		for k := range n {
			us := from + (r.Start-from+int64(k)*(to-from)/int64(n))%(to-from)
			if us >= lo && us < hi {
				d.copies = append(d.copies, dealt{us: us, record: i, mass: r.Weight / float64(n)})
			}
		}
	}
	if len(d.copies) == 0 && cut {
		d.lay(h, false)
		return
	}
	slices.SortStableFunc(d.copies, func(a, b dealt) int { return cmp.Compare(a.us, b.us) })
}

func (d *dealer) close() {
	if d.stream != nil {
		d.stream.stop()
	}
}

// stream reads the sample hour by hour.
type stream struct {
	next func() (*sample.Record, error, bool)
	stop func()
	head *sample.Record // read, and of a later hour than those loaded; nil at the end
	open bool
}

func newStream(seq iter.Seq2[*sample.Record, error]) *stream {
	next, stop := iter.Pull2(seq)
	return &stream{next: next, stop: stop, open: true}
}

// load returns the records of hour h. When it has none, the nearest hour's before stay, else the nearest
// after are taken.
func (s *stream) load(h int64, have []sample.Record) ([]sample.Record, error) {
	for {
		r, err := s.peek()
		if err != nil || r == nil {
			return have, err
		}
		own := floorDiv(r.Start, hour*micro)
		if len(have) > 0 && floorDiv(have[0].Start, hour*micro) != own {
			if own > h {
				return have, nil
			}
			have = have[:0]
		}
		have = append(have, *r)
		s.head = nil
	}
}

// peek returns the next record, owned, nil at the end.
func (s *stream) peek() (*sample.Record, error) {
	if s.head != nil || !s.open {
		return s.head, nil
	}
	r, err, ok := s.next()
	if !ok || err != nil {
		s.open = false
		return nil, err
	}
	c := *r
	c.Record = *r.Clone()
	s.head = &c
	return s.head, nil
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
