// Package compare sets run against run and traffic shape against traffic shape.
//
// Two runs are comparable when everything that shapes a latency is equal except the one factor that the
// caller declares with [Options].Vary: the contract. [Runs] checks it first; what differs without being
// declared makes the pair NOT COMPARABLE, and an INVALID run is refused too. Only then are numbers put side
// by side: percentiles on both clocks, where the requests ended, how the traffic was shaped, endpoint by
// endpoint.
//
// The unit of evidence is the run, not the request: requests inside a run share queues, so treating
// them as independent finds differences between identical servers. From five pairs on the verdict is the
// paired t-interval on ln(B/A); below that it is INCONCLUSIVE. The package does no I/O and has no clock.
package compare
