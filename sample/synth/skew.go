package synth

import (
	"math"

	"reprise/arrival"
)

// catalogue draws products by the two-block skew.
type catalogue struct {
	ids     []int32 // 1..Products, shuffled; the hot block comes first
	hot     int
	queries float64 // part of the draws that goes to the hot block
}

func newCatalogue(seed uint64, products int, s Skew) *catalogue {
	c := &catalogue{ids: make([]int32, products), queries: s.Queries}
	for i := range c.ids {
		c.ids[i] = int32(i + 1)
	}
	shuffle := arrival.NewStream(seed, "synth/hot products")
	for i := len(c.ids) - 1; i > 0; i-- {
		j := shuffle.Below(i + 1)
		c.ids[i], c.ids[j] = c.ids[j], c.ids[i]
	}
	c.hot = min(max(int(math.Round(s.SKUs*float64(products))), 1), products)
	return c
}

// draw is a product id. With every product in the hot block, or none queried outside of it, the other block
// is never drawn from.
func (c *catalogue) draw(s *arrival.Stream) int64 {
	if c.hot == len(c.ids) || s.Float64() < c.queries {
		return int64(c.ids[s.Below(c.hot)])
	}
	return int64(c.ids[c.hot+s.Below(len(c.ids)-c.hot)])
}
