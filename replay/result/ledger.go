package result

import "fmt"

// Ledger counts every arrival of a plan into exactly one bucket.
type Ledger struct {
	Arrivals int64
	Withheld map[string]int64 // by reason: write, unbound, unreplayable
	Offered  int64
	Started  int64
	Kinds    [kinds]int64         // by Kind
	Causes   [kinds][causes]int64 // by Kind and Cause
	Written  int64                // requests handed to the kernel whole
	Statuses map[uint16]int64     // whole responses by status, rejected ones included
	Matches  StatusMatch          // against production's status
}

// StatusMatch compares the statuses of whole responses with those that production logged.
type StatusMatch struct {
	Same, SameClass, Other, Unknown int64 // equal; equal hundreds only; different; production's is not known
}

// Add counts one outcome. Offered and Started follow from its kind.
func (l *Ledger) Add(o *Outcome) {
	l.Offered++
	l.Kinds[o.Kind]++
	l.Causes[o.Kind][o.Cause]++
	if o.Kind != Dropped && o.Kind != Unsent {
		l.Started++
	}
	if o.Written {
		l.Written++
	}
	if o.Kind != Completed && o.Kind != Rejected {
		return
	}
	if l.Statuses == nil {
		l.Statuses = make(map[uint16]int64)
	}
	l.Statuses[o.Status]++
	switch {
	case o.Logged == 0:
		l.Matches.Unknown++
	case o.Logged == o.Status:
		l.Matches.Same++
	case o.Logged/100 == o.Status/100:
		l.Matches.SameClass++
	default:
		l.Matches.Other++
	}
}

// Withhold counts an arrival that is never sent.
func (l *Ledger) Withhold(reason string) {
	if l.Withheld == nil {
		l.Withheld = make(map[string]int64)
	}
	l.Withheld[reason]++
}

// WithheldTotal is the number of arrivals that keep their slot and are never sent.
func (l *Ledger) WithheldTotal() int64 {
	var n int64
	for _, v := range l.Withheld {
		n += v
	}
	return n
}

// Finished is the number of started requests that came to an end.
func (l *Ledger) Finished() int64 {
	return l.Kinds[Completed] + l.Kinds[Rejected] + l.Kinds[TimedOut] + l.Kinds[Failed]
}

// Check returns an error when the ledger does not add up, which is a bug of ours.
func (l *Ledger) Check() error {
	if l.Arrivals != l.Offered+l.WithheldTotal() {
		return fmt.Errorf("ledger: arrivals %d != offered %d + withheld %d", l.Arrivals, l.Offered, l.WithheldTotal())
	}
	if l.Offered != l.Started+l.Kinds[Dropped]+l.Kinds[Unsent] {
		return fmt.Errorf("ledger: offered %d != started %d + dropped %d + unsent %d", l.Offered, l.Started, l.Kinds[Dropped], l.Kinds[Unsent])
	}
	if l.Started != l.Finished()+l.Kinds[InFlight] {
		return fmt.Errorf("ledger: started %d != finished %d + in flight %d", l.Started, l.Finished(), l.Kinds[InFlight])
	}
	if l.Written > l.Started {
		return fmt.Errorf("ledger: written %d > started %d", l.Written, l.Started)
	}
	return nil
}
