package endpoint_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"reprise/anonymize/endpoint"
)

// A bounded learner loses no request, whatever the order, and says how many of the paths it looked at one by one.
func TestBoundedLearner(t *testing.T) {
	const paths, limit = 20_000, 500
	add := func(l *endpoint.Learner, from, to int) {
		for k := from; k < to; k++ {
			for client := range uint64(2) {
				l.Add(fmt.Appendf(nil, "/wiki/page%c%c%c%c", 'a'+k%26, 'a'+k/26%26, 'a'+k/676%26, 'a'+k/17576), client, 200)
			}
		}
	}
	whole, first, second := endpoint.NewBoundedLearner(limit, 1<<20), endpoint.NewBoundedLearner(limit, 1<<20), endpoint.NewBoundedLearner(limit, 1<<20)
	add(whole, 0, paths)
	add(first, 0, paths/2)
	add(second, paths/2, paths)
	second.Merge(first)
	if got, want := second.Traffic(), whole.Traffic(); !slices.Equal(got, want) {
		t.Errorf("merged %d templates, want %d", len(got), len(want))
	}
	sum := func(l *endpoint.Learner) (n int64) {
		for _, e := range l.Traffic() {
			n += e.Requests
		}
		return n
	}
	if n := sum(whole); n != 2*paths {
		t.Errorf("%d requests, want all %d", n, 2*paths)
	}
	if share := whole.Kept(); math.Abs(share/(float64(limit)/paths)-1) > 0.15 || share != second.Kept() {
		t.Errorf("kept %g and %g, want about %g", share, second.Kept(), float64(limit)/paths)
	}
	byBytes := endpoint.NewBoundedLearner(paths, 100*len("/wiki/pageabcd"))
	add(byBytes, 0, paths)
	if share := byBytes.Kept(); math.Abs(share/(100.0/paths)-1) > 0.3 || sum(byBytes) != 2*paths {
		t.Errorf("kept %g of the paths within room for 100 of %d; %d requests", share, paths, sum(byBytes))
	}
}

// Traffic names the templates of Set, with their counts.
func TestTrafficIsThatOfTheSet(t *testing.T) {
	l := endpoint.NewLearner()
	for k := range 3000 {
		l.Add(fmt.Appendf(nil, "/%c/item%d/%c%c", 'a'+k%7, k%3, 'a'+k%26, 'a'+k/26%26), uint64(k%90), 200+k%200)
	}
	want := map[string]int64{}
	for _, tpl := range l.Set().Templates() {
		want[tpl.Pattern] = tpl.Count
	}
	got := map[string]int64{}
	for _, e := range l.Traffic() {
		got[e.Pattern] = e.Requests
	}
	if len(want) < 10 || !maps.Equal(got, want) || l.Kept() != 1 {
		t.Errorf("got %d, want %d; kept %g", len(got), len(want), l.Kept())
	}
}

func TestOutline(t *testing.T) {
	for path, want := range map[string]string{
		"/blog/wp-cron.php":     "/blog/wp-cron.php",
		"/users/evelyn/orders/": "/users/{word}/orders/",
		"/item17/kim.png":       "/{prefix-int}/{word}.png",
		"/":                     "/",
		"*":                     "/{token}",
	} {
		if got := endpoint.Outline([]byte(path)); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
