// Package sample keeps a small part of a trace that still has its mix: every hour and every endpoint in
// proportion, or with a fixed number of requests each, and a weight that says how many requests of the
// trace each one stands for. Beside it stands the profile of the whole trace, the number of requests in
// every second, so that sampling never thins the bursts.
//
//	s, err := sample.New(sample.Options{Fraction: 0.1})
//	for r := range trace { err = s.Add(r) }   // in start order, as a trace file has them
//	selection, err := s.Finish()
//	defer selection.Close()
//	err = selection.Write(w, header)          // the sample file, see FORMAT.md
//
// # Selection
//
// Each record has the key xxhash64(seed, record line, ordinal), where the ordinal tells apart records that
// are equal to the last byte; in the unit user the key is xxhash64(seed, user) instead, so that a user
// stays whole. A fraction F keeps the keys below F 2^64, a number per stratum keeps the smallest keys of
// the stratum ("bottom-k"). Neither depends on the order of records within an instant or on what else was
// read: two parts sampled apart and joined give the sample of the whole.
//
// # Weight
//
// The weight of a record is its stratum's population over the stratum's sample, so the weights of a
// stratum add up to its population. A stratum whose records were all left out is lost: its share is in the
// allocation, and nothing in the sample stands for it.
package sample
