package inspect

import (
	"math"
	"math/bits"
)

// distinct counts different values by their 64-bit hashes: exactly up to limit, then by HyperLogLog
// (Flajolet, Fusy, Gandouet, Meunier 2007) with 2^14 registers, standard error 0.8 %. With 64-bit hashes
// the large-range correction of the paper is not needed. Either way it is a function of the set of values.
type distinct struct {
	limit     int
	slots     []uint64 // a hash set with linear probing, a power of two long; 0 = free
	used      int
	zero      bool       // the hash 0 was added
	registers []uint8    // nil while exact
	waiting   [64]uint64 // values that were added but not counted yet, the first waits of them
	waits     int
	touched   uint64 // keeps the loads of settle from being left out
}

const (
	registerBits = 14
	firstSlots   = 1 << 10
)

func newDistinct(limit int) *distinct {
	return &distinct{limit: limit, slots: make([]uint64, firstSlots)}
}

// add counts a value by its hash. Values wait until there are some, since many slots are loaded in the time of one.
func (d *distinct) add(h uint64) {
	d.waiting[d.waits] = h
	if d.waits++; d.waits == len(d.waiting) {
		d.settle()
	}
}

// settle counts the values that wait.
func (d *distinct) settle() {
	if d.registers == nil { // nothing depends on what is loaded, so the loads do not wait for each other
		touched := uint64(0)
		for _, h := range d.waiting[:d.waits] {
			touched ^= d.slots[h&uint64(len(d.slots)-1)]
		}
		d.touched = touched
	}
	for _, h := range d.waiting[:d.waits] {
		d.take(h)
	}
	d.waits = 0
}

// take counts one of them.
func (d *distinct) take(h uint64) {
	switch {
	case d.registers != nil:
		d.estimate(h)
		return
	case h == 0:
		d.used += boolToInt(!d.zero)
		d.zero = true
	case !d.insert(h):
		return
	}
	if d.used > d.limit {
		d.approximate()
	} else if d.used > len(d.slots)/4*3 {
		d.grow()
	}
}

// insert adds h to the set and tells whether it is new.
func (d *distinct) insert(h uint64) bool {
	for i := h; ; i++ {
		slot := &d.slots[i&uint64(len(d.slots)-1)]
		if *slot == h {
			return false
		}
		if *slot == 0 {
			*slot = h
			d.used++
			return true
		}
	}
}

func (d *distinct) grow() {
	old := d.slots
	d.slots, d.used = make([]uint64, 2*len(old)), boolToInt(d.zero)
	for _, h := range old {
		if h != 0 {
			d.insert(h)
		}
	}
}

// approximate goes over from the set to the registers.
func (d *distinct) approximate() {
	d.registers = make([]uint8, 1<<registerBits)
	d.each(d.estimate)
	d.slots = nil
}

// each calls f for every hash of the set.
func (d *distinct) each(f func(uint64)) {
	if d.zero {
		f(0)
	}
	for _, h := range d.slots {
		if h != 0 {
			f(h)
		}
	}
}

func (d *distinct) estimate(h uint64) {
	i := h >> (64 - registerBits)
	rank := uint8(bits.LeadingZeros64(h<<registerBits|1<<(registerBits-1))) + 1
	d.registers[i] = max(d.registers[i], rank)
}

// merge adds the values of o, which has the same limit.
func (d *distinct) merge(o *distinct) {
	d.settle()
	o.settle()
	if o.registers == nil {
		o.each(d.add)
		return
	}
	if d.registers == nil {
		d.approximate()
	}
	for i, r := range o.registers {
		d.registers[i] = max(d.registers[i], r)
	}
}

// count returns the number of different values and whether it is exact.
func (d *distinct) count() (n int64, exact bool) {
	d.settle()
	if d.registers == nil {
		return int64(d.used), true
	}
	m := float64(len(d.registers))
	sum, zeros := 0.0, 0
	for _, r := range d.registers {
		sum += math.Ldexp(1, -int(r))
		if r == 0 {
			zeros++
		}
	}
	e := 0.7213 / (1 + 1.079/m) * m * m / sum
	if e <= 2.5*m && zeros > 0 { // linear counting for small numbers
		e = m * math.Log(m/float64(zeros))
	}
	return int64(math.Round(e)), false
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
