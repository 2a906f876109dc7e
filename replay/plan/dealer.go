package plan

import (
	"errors"
	"iter"
	"math/rand/v2"

	"reprise/anonymize/trace"
	"reprise/arrival"
)

// dealer hands out one request after another, hour by hour.
type dealer struct {
	drawing *Drawing
	ahead   ahead
	reader  reader
	tape    tape
	decks   map[deckKey]*deck
	merge   merge
	live    bool // the hour at hand is read from the sample as it goes, and not from a deck
	span    span // of the hour at hand

	left   int64 // arrivals of the block at hand still to be served
	served int64
	copies int64   // of the hour still to be dealt
	sum    float64 // mass of the copies dealt so far
	start  float64 // place of the first arrival in that mass
	step   float64 // between arrivals
}

// deckKey names the records of an hour: those of the whole hour or those in the window.
type deckKey struct {
	hour int64
	cut  bool
}

// maxDecks bounds the hours that are put aside at once.
const maxDecks = 4096

func (d *Drawing) dealer() (*dealer, error) {
	if d.known == nil {
		known, err := d.survey()
		if err != nil {
			return nil, err
		}
		d.known = known
	}
	limit := d.Memory
	if limit == 0 {
		limit = DefaultMemory
	}
	t := &dealer{drawing: d, tape: tape{limit: limit, dir: d.Tmp}, decks: make(map[deckKey]*deck), reader: reader{open: d.Records}}
	t.merge.tape = &t.tape
	t.ahead.next, t.ahead.stop = iter.Pull2(d.Schedule.Sources(d.Seed))
	return t, nil
}

func (d *dealer) close() {
	d.ahead.stop()
	d.reader.close()
	d.tape.close()
}

// next is the request of the next arrival, borrowed until the one after.
func (d *dealer) next() (*trace.Record, error) {
	for d.left == 0 {
		b, ok := d.ahead.block()
		if !ok {
			return nil, errors.New("the schedule yields more arrivals than it did before")
		}
		if err := d.open(b); err != nil {
			return nil, err
		}
	}
	// The product is rounded before the sum, so that no processor fuses the two.
	pos := d.start + float64(float64(d.served)*d.step)
	for pos >= d.sum && d.copies > 0 {
		mass, err := d.turn()
		if err != nil {
			return nil, err
		}
		d.sum += mass
		d.copies--
	}
	d.left--
	d.served++
	if d.live {
		return &d.reader.head.Record, nil
	}
	return d.merge.request()
}

// turn goes to the next copy and returns its mass.
func (d *dealer) turn() (float64, error) {
	if !d.live {
		return d.merge.next()
	}
	r, err := d.reader.next(d.span.hi)
	if err != nil {
		return 0, err
	}
	if r == nil {
		return 0, errChanged
	}
	return r.Weight, nil
}

// open prepares the copies for the block.
func (d *dealer) open(b block) error {
	h := d.drawing.known.nearest(b.hour)
	// A window that holds no copy of its own hour gets those of the rest of the hour.
	t, cut := h.window, h.hour == b.hour && h.window.copies > 0
	if !cut {
		t = h.whole
	}
	if h.hour != b.hour {
		d.drawing.stats.Borrowed += b.arrivals
	}
	d.span = d.drawing.span(h.hour, cut)
	if d.live = t.most == 1 && !d.again(h.hour); d.live {
		if err := d.reader.seek(d.span.lo); err != nil {
			return err
		}
	} else {
		k, err := d.deck(deckKey{h.hour, cut})
		if err == nil {
			err = d.merge.begin(k)
		}
		if err != nil {
			return err
		}
	}
	d.left, d.served, d.copies, d.sum = b.arrivals, 0, t.copies, 0
	d.step = t.mass / float64(b.arrivals)
	// An offset of 20 bits keeps start + k exact for all k, so weights of 1 give every record once.
	bits := rand.NewPCG(d.drawing.Seed, arrival.Seed(uint64(b.hour), "plan/draw")).Uint64() >> 44
	d.start = float64(float64(bits)/(1<<20)+1.0/(1<<21)) * d.step
	return nil
}

// again reports whether the records of hour h may be wanted by more than one block.
func (d *dealer) again(h int64) bool {
	if d.drawing.Schedule.Terms().Fill == arrival.Repeated || d.drawing.To <= d.drawing.From {
		return true
	}
	first, last := floorDiv(d.drawing.From, hour), floorDiv(d.drawing.To-1, hour)
	return h > first && !d.drawing.known.has(h-1) || h < last && !d.drawing.known.has(h+1) || h < first || h > last
}

// deck puts the records of an hour aside, unless they are.
func (d *dealer) deck(key deckKey) (*deck, error) {
	if k := d.decks[key]; k != nil {
		return k, nil
	}
	if d.drawing.Schedule.Terms().Fill != arrival.Repeated || len(d.decks) >= maxDecks {
		clear(d.decks)
		d.tape.reset()
	}
	k := &deck{span: d.span}
	if err := d.reader.seek(d.span.from); err != nil {
		return nil, err
	}
	var line []byte
	for {
		r, err := d.reader.next(d.span.to)
		if err != nil {
			return nil, err
		}
		if r == nil {
			break
		}
		if line, err = k.add(&d.tape, r, line); err != nil {
			return nil, err
		}
	}
	d.decks[key] = k
	return k, k.end(&d.tape)
}

// block is a stretch of arrivals of one source hour, within one repetition of the window.
type block struct {
	hour     int64 // Unix hours
	cycle    int64
	arrivals int64
}

// ahead runs through the schedule before the arrivals, to count those of each block.
type ahead struct {
	next func() (int64, arrival.Source, bool)
	stop func()
	head arrival.Source // of the block to come
	has  bool
}

// block counts the next block; it is not ok at the end.
func (a *ahead) block() (b block, ok bool) {
	if !a.has {
		if _, a.head, a.has = a.next(); !a.has {
			return b, false
		}
	}
	b = block{hour: floorDiv(a.head.Second, hour), cycle: a.head.Cycle}
	for a.has && b.hour == floorDiv(a.head.Second, hour) && b.cycle == a.head.Cycle {
		b.arrivals++
		_, a.head, a.has = a.next()
	}
	return b, true
}
