package main

import "sort"

// The day of the log: 26 hours from midnight in a zone one hour ahead of UTC, so that it crosses midnight
// UTC twice. Instants are milliseconds after its begin.
const (
	begin  = 1764284400 // Unix seconds: 28 November 2025, 00:00:00 +0100
	zone   = "+0100"
	offset = 3600
	second = 1000
	hour   = 3600 * second
	end    = 26 * hour

	// The flash sale opens at 20:00 and is what the demo replays: ten minutes of it.
	sale    = 20 * hour
	saleEnd = sale + 600*second
)

// sessionsPerHour is how many visits begin in the hour from each full hour on, were it not for the sale;
// between the hours the rate moves in a straight line.
var sessionsPerHour = [...]int{
	70, 40, 25, 18, 18, 30, 70, 120, 170, 200, 220, 230, 240, 230, 220, 220, 230, 260, 300, 360, 420, 350, 250, 150, 80, 45, 25,
}

// waves are the parts of the sale: each newsletter, push message and post brings a cluster of visits.
var waves = []struct{ after, visits int }{
	{0, 95}, {34, 26}, {71, 42}, {118, 62}, {167, 24}, {221, 74}, {262, 30}, {318, 52}, {377, 38}, {441, 46}, {498, 28}, {547, 16},
}

// visit is when a visit begins and whether the sale brought it.
type visit struct {
	at   int
	sale bool
}

// visits draws the begin of all visits: a Poisson process of the daily curve, and Poisson clusters.
func visits() []visit {
	var all []visit
	d := stream("visits")
	const tick = 10 // ms; two visits in one tick are too rare to matter
	for at := 0; at < end; at += tick {
		h, into := at/hour, at%hour
		rate := (sessionsPerHour[h]*(hour-into) + sessionsPerHour[h+1]*into) / second // per hour, times 3600
		if d.below(3600*hour/tick) < rate {
			all = append(all, visit{at: at + d.below(tick)})
		}
	}
	for _, w := range waves {
		for range w.visits {
			all = append(all, visit{at: sale + w.after*second + d.exponential(2600), sale: true})
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].at < all[j].at })
	return all
}
