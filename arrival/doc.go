// Package arrival decides when requests are sent: pure maths over counts and offsets.
//
// A [Series] holds how many requests a log saw in every second. A [Schedule] turns it into instants:
// whole microseconds since the start of the run (t0), absolute and never decreasing, which no target
// can move. [Fit] says what a log's traffic looks like, and [Meter] says the same of a schedule.
//
//	fit, err := arrival.Fit(profile)             // "Poisson at this mean would peak at 138/s; ..."
//	s, err := arrival.New(arrival.Measured, profile, arrival.Options{Speed: 2})
//	for offset := range s.Offsets(seed) { ... }  // microseconds
//
// # Models
//
// measured keeps the exact count of every second and places the requests uniformly inside it. Given
// their number, the instants of a Poisson process within an interval are sorted uniforms, so the
// model is exact wherever traffic is Poisson within one second, and keeps the peak, the trend and the
// bursts of one second and above everywhere else. poisson keeps the mean alone, constant not even the
// variation, logged keeps every stamp and is meaningless below their resolution.
//
// A raw count is never used as the rate of a Poisson draw: it would add the Poisson noise a second
// time (an index of dispersion I becomes I+1). Where a random rate is wanted it is shrunk first, see
// [Options.Scale].
//
// # Determinism
//
// A schedule depends on its inputs and the seed only. Randomness is PCG-DXSM of math/rand/v2, whose
// output Go fixes, and each second draws from a generator of its own, seeded by the seed, the model's
// name, the second and the repetition (see [Seed]); so a second does not depend on its neighbours.
// Floating point is limited to operations that IEEE 754 rounds exactly, and products are converted
// explicitly, which forbids fused multiply-add: other processors give the same microseconds.
package arrival
