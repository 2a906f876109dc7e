package inspect

import (
	"math"
	"math/bits"

	"github.com/cespare/xxhash/v2"
)

// distinct counts different values by their 64-bit hashes: exactly up to limit, then by HyperLogLog
// (Flajolet, Fusy, Gandouet, Meunier 2007) with 2^14 registers, standard error 0.8 %. With 64-bit hashes
// the large-range correction of the paper is not needed.
type distinct struct {
	limit     int
	exact     map[uint64]struct{}
	registers []uint8 // nil while exact
}

const registerBits = 14

func newDistinct(limit int) *distinct {
	return &distinct{limit: limit, exact: make(map[uint64]struct{})}
}

func (d *distinct) add(value []byte) {
	h := xxhash.Sum64(value)
	if d.registers != nil {
		d.estimate(h)
		return
	}
	if _, known := d.exact[h]; known {
		return
	}
	if len(d.exact) < d.limit {
		d.exact[h] = struct{}{}
		return
	}
	d.registers = make([]uint8, 1<<registerBits)
	for old := range d.exact {
		d.estimate(old)
	}
	d.exact = nil
	d.estimate(h)
}

func (d *distinct) estimate(h uint64) {
	i := h >> (64 - registerBits)
	rank := uint8(bits.LeadingZeros64(h<<registerBits|1<<(registerBits-1))) + 1
	d.registers[i] = max(d.registers[i], rank)
}

// count returns the number of different values and whether it is exact.
func (d *distinct) count() (n int64, exact bool) {
	if d.registers == nil {
		return int64(len(d.exact)), true
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
