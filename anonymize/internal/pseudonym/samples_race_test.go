//go:build race

package pseudonym_test

// The race detector makes the long counts five times as long and finds nothing in them: fewer do, and .ci/run counts
// on without it.
const (
	samples   = 100_000
	wholeInts = 5
)
