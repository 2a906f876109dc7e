// Package latency turns outcomes into distributions: HDR histograms for the whole run, per endpoint and
// per intended second.
//
// A Recorder is an observer of the engine. It belongs to one goroutine, takes no lock and, once the
// words of a run were seen, allocates nothing. Histograms hold microseconds from 1 us to 1 h with three
// significant digits; they are merged by adding counts and never by averaging percentiles. A quantile is
// the nearest rank, ceil(p n), over the counts. Nothing is ever "corrected" for coordinated omission:
// the intended instant already tells the truth.
package latency
