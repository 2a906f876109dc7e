package plan

import (
	"iter"

	"reprise/arrival"
	"reprise/sample"
)

// Drawing gives every arrival of a schedule its request: drawn from the sample's records of the same hour,
// each as often as its weight says and close to its own time of day.
//
// A record of weight w stands for w requests of its hour. Its copies are spread evenly over its hour,
// starting at its own instant, so that a heavy record does not come in clumps; the copies inside the
// window are then dealt to the arrivals in time order by systematic sampling. With the whole log as the
// sample (every weight 1) and the measured or logged schedule this gives back the log: every request once,
// in order.
//
// The sample is read once to know its hours and then while the arrivals pass by. Records that come more than
// once are put aside: up to Memory, and over it in a file.
type Drawing struct {
	Schedule *arrival.Schedule
	// Records opens the sample's records in start order; it is called more than once.
	Records func() iter.Seq2[*sample.Record, error]
	Seed    uint64
	// From and To bound the window in Unix seconds, as in the schedule.
	From, To int64
	// LogFrom and LogTo bound the whole log in Unix seconds: copies are spread over the part of an hour that
	// the log covers, and a record outside is an error. Zero means whole hours.
	LogFrom, LogTo int64
	// AllowWrites lets methods with side effects be sent.
	AllowWrites bool
	// Memory bounds the records in memory, in bytes. Zero means DefaultMemory.
	Memory int
	// Tmp is the folder for the records over it; empty means the system's. The file has no name there while
	// it is used, where the system allows that.
	Tmp string

	known hours // by the first reading
	stats DrawStats
}

// DefaultMemory bounds the records in memory where Drawing leaves it at zero: 24 MiB.
const DefaultMemory = 24 << 20

// DrawStats counts what a drawing could not do as asked.
type DrawStats struct {
	Arrivals int64              `json:"arrivals"`
	Withheld map[Withheld]int64 `json:"withheld"`
	Borrowed int64              `json:"borrowed"` // arrivals of an hour without a sampled record, filled from the nearest hour
}

// Stats is what the last complete iteration counted.
func (d *Drawing) Stats() DrawStats { return d.stats }

// Arrivals yields the plan's arrivals, each borrowed until the next; an error is fatal and last. It can be
// ranged over again and yields the same.
func (d *Drawing) Arrivals() iter.Seq2[*Arrival, error] {
	return func(yield func(*Arrival, error) bool) {
		d.stats = DrawStats{Withheld: make(map[Withheld]int64)}
		dealer, err := d.dealer()
		if err != nil {
			yield(nil, err)
			return
		}
		defer dealer.close()
		var a Arrival
		for offset := range d.Schedule.Offsets(d.Seed) {
			r, err := dealer.next()
			if err != nil {
				yield(nil, err)
				return
			}
			a.At = offset
			a.fill(r, d.AllowWrites)
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
