//go:build !race

package pseudonym_test

// How far the long counts go. They compute on one goroutine and look for equal results.
const (
	samples   = 1_000_000
	wholeInts = 6 // digits of the numbers that are all tried
)
