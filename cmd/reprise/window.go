package main

import (
	"fmt"
	"strings"
	"time"

	"reprise/arrival"
)

const windowHelp = "--window 2012-03-29T01:00:00-07:00+1h, --window FROM/TO, or --window peak:5m"

// window is a part of a log: a stretch in Unix seconds [from, to), or the busiest stretch of a length. The
// zero value is the whole log.
type window struct {
	from, to int64
	peak     int64 // seconds; 0 = from and to count
}

// parseWindow reads a --window: FROM/TO or FROM+LENGTH with RFC 3339 times, or peak:LENGTH.
func parseWindow(text string) (w window, err error) {
	if text == "" {
		return w, nil
	}
	if length, ok := strings.CutPrefix(text, "peak:"); ok {
		d, err := time.ParseDuration(length)
		if err != nil || d < time.Second || d > 366*24*time.Hour {
			return w, usage("WINDOW", fmt.Sprintf("%q is no length of at least a second", length), windowHelp)
		}
		return window{peak: int64(d / time.Second)}, nil
	}
	first, rest, slash := strings.Cut(text, "/")
	var length time.Duration
	if !slash {
		// The zone may hold a plus too, so the last one splits.
		i := strings.LastIndexByte(text, '+')
		if i < 0 {
			return w, usage("WINDOW", fmt.Sprintf("%q has no end", text), windowHelp)
		}
		first = text[:i]
		if length, err = time.ParseDuration(text[i+1:]); err != nil {
			return w, usage("WINDOW", fmt.Sprintf("%q is no length such as 1h", text[i+1:]), windowHelp)
		}
	}
	start, err := time.Parse(time.RFC3339, first)
	if err != nil {
		return w, usage("WINDOW", fmt.Sprintf("%q is no time with its zone", first), windowHelp)
	}
	end := start.Add(length)
	if slash {
		if end, err = time.Parse(time.RFC3339, rest); err != nil {
			return w, usage("WINDOW", fmt.Sprintf("%q is no time with its zone", rest), windowHelp)
		}
	}
	if end.Unix() <= start.Unix() {
		return w, usage("WINDOW", "the window ends before it begins", windowHelp)
	}
	return window{from: start.Unix(), to: end.Unix()}, nil
}

// resolve gives the stretch of the log that the window holds, and a note when the log does not cover all of
// it: a mean over time that was not logged would be wrong.
func (w window) resolve(profile *arrival.Series) (from, to int64, note string, err error) {
	if w == (window{}) {
		return 0, 0, "", nil
	}
	first, end := profile.Span()
	from, to = w.from, w.to
	if w.peak > 0 {
		from = peakStart(profile, w.peak)
		to = from + w.peak
	}
	length := to - from
	from, to = max(from, first), min(to, end)
	covers := fmt.Sprintf("the log covers %s to %s", clock(first), clock(end))
	if from >= to {
		return 0, 0, "", usage("WINDOW", "the log holds nothing of the window: "+covers, "--window peak:5m")
	}
	if to-from < length {
		note = fmt.Sprintf("%s of the window of %s: %s", seconds(to-from), seconds(length), covers)
	}
	return from, to, note, nil
}

func clock(unix int64) string { return time.Unix(unix, 0).UTC().Format(time.RFC3339) }

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }

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
