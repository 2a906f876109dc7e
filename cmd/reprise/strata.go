package main

import (
	"cmp"
	"slices"

	"reprise/sample"
)

// topStrata lists the n strata with the most records, ties in the table's order.
func topStrata(all []sample.Allocation, n int) []sample.Allocation {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b sample.Allocation) int { return cmp.Compare(b.Population, a.Population) })
	return sorted[:min(max(n, 0), len(sorted))]
}
