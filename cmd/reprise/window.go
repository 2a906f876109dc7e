package main

import (
	"fmt"
	"strings"
	"time"

	"reprise/arrival"
)

const windowHelp = "--window 2012-03-29T01:00:00-07:00+1h, --window FROM/TO, or --window peak:5m"

// parseWindow reads a --window: FROM/TO or FROM+LENGTH with RFC 3339 times, or peak:LENGTH, the stretch of
// that length with the most requests. It returns Unix seconds [from, to); 0, 0 for an empty text.
func parseWindow(text string, profile *arrival.Series) (from, to int64, err error) {
	if text == "" {
		return 0, 0, nil
	}
	if length, ok := strings.CutPrefix(text, "peak:"); ok {
		d, err := time.ParseDuration(length)
		if err != nil || d < time.Second || d > 366*24*time.Hour {
			return 0, 0, usage("WINDOW", fmt.Sprintf("%q is no length of at least a second", length), windowHelp)
		}
		from = peakStart(profile, int64(d/time.Second))
		return from, from + int64(d/time.Second), nil
	}
	first, rest, slash := strings.Cut(text, "/")
	var length time.Duration
	if !slash {
		// The zone may hold a plus too, so the last one splits.
		i := strings.LastIndexByte(text, '+')
		if i < 0 {
			return 0, 0, usage("WINDOW", fmt.Sprintf("%q has no end", text), windowHelp)
		}
		first = text[:i]
		if length, err = time.ParseDuration(text[i+1:]); err != nil {
			return 0, 0, usage("WINDOW", fmt.Sprintf("%q is no length such as 1h", text[i+1:]), windowHelp)
		}
	}
	start, err := time.Parse(time.RFC3339, first)
	if err != nil {
		return 0, 0, usage("WINDOW", fmt.Sprintf("%q is no time with its zone", first), windowHelp)
	}
	end := start.Add(length)
	if slash {
		if end, err = time.Parse(time.RFC3339, rest); err != nil {
			return 0, 0, usage("WINDOW", fmt.Sprintf("%q is no time with its zone", rest), windowHelp)
		}
	}
	if end.Unix() <= start.Unix() {
		return 0, 0, usage("WINDOW", "the window ends before it begins", windowHelp)
	}
	return start.Unix(), end.Unix(), nil
}

// peakStart is the first second of the stretch of the given length with the most requests, the earliest of
// equals. It looks at stretches that begin with a request: no other can hold more.
func peakStart(profile *arrival.Series, length int64) int64 {
	type second struct{ at, n int64 }
	var window []second
	var sum, best, start int64
	for at, n := range profile.Each() {
		window = append(window, second{at, n})
		sum += n
		for window[0].at <= at-length {
			sum -= window[0].n
			window = window[1:]
		}
		if sum > best {
			best, start = sum, window[0].at
		}
	}
	return start
}
