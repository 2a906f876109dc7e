package endpoint_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"reprise/anonymize/endpoint"

	"pgregory.net/rapid"
)

// asked is one request with a query.
type asked struct {
	target string
	client uint64
	status int
}

func drawAsked(rng *rand.Rand, n int) []asked {
	requests := make([]asked, n)
	for i := range requests {
		path := fmt.Sprintf("/%s/%s/%d", name(rng.IntN(4)), name(rng.IntN(90)), rng.IntN(1000))
		path = path[:1+rng.IntN(len(path))]
		requests[i] = asked{fmt.Sprintf("%s?%s_key=%d&cat=%s&Sort=%s", path, name(rng.IntN(9)), i, name(rng.IntN(40)), name(rng.IntN(5))),
			rng.Uint64N(70), 200 + 100*rng.IntN(4)}
	}
	return requests
}

// dealt gives the requests, shuffled, to so many learners and merges them in some order, as workers do.
func dealt(rng *rand.Rand, requests []asked, workers int, fresh func() *endpoint.Learner) *endpoint.Learner {
	requests = slices.Clone(requests)
	rng.Shuffle(len(requests), func(i, j int) { requests[i], requests[j] = requests[j], requests[i] })
	learners := make([]*endpoint.Learner, workers)
	for i := range learners {
		learners[i] = fresh()
	}
	for _, r := range requests {
		learners[rng.IntN(workers)].AddTarget([]byte(r.target), r.client, r.status)
	}
	for len(learners) > 1 {
		i := 1 + rng.IntN(len(learners)-1)
		j := rng.IntN(i)
		learners[j].Merge(learners[i])
		learners = slices.Delete(learners, i, i+1)
	}
	return learners[0]
}

// One worker or many, in any order: one file, with the values.
func TestWorkersDoNotMatter(t *testing.T) {
	fresh := func() *endpoint.Learner {
		l := endpoint.NewLearner()
		l.WatchValues(map[string]int{"cat": 7, "sort": 2})
		return l
	}
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 3))
		requests := drawAsked(rng, rapid.IntRange(0, 3000).Draw(rt, "requests"))
		var one, many bytes.Buffer
		a, b := dealt(rng, requests, 1, fresh).Set(), dealt(rng, requests, rapid.IntRange(2, 7).Draw(rt, "workers"), fresh).Set()
		if err := a.WriteYAML(&one); err != nil {
			rt.Fatal(err)
		}
		if err := b.WriteYAML(&many); err != nil {
			rt.Fatal(err)
		}
		if a.Digest() != b.Digest() || !bytes.Equal(one.Bytes(), many.Bytes()) {
			rt.Fatalf("one worker learns\n%s\nmany learn\n%s", one.Bytes(), many.Bytes())
		}
	})
}

// So it is beyond the limits, of paths or of their bytes.
func TestWorkersDoNotMatterBeyondTheLimits(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 4))
		requests := drawAsked(rng, rapid.IntRange(0, 2000).Draw(rt, "requests"))
		limit, room := rapid.IntRange(0, 60).Draw(rt, "limit"), rapid.IntRange(0, 900).Draw(rt, "room")
		fresh := func() *endpoint.Learner { return endpoint.NewBoundedLearner(limit, room) }
		one, many := dealt(rng, requests, 1, fresh), dealt(rng, requests, rapid.IntRange(2, 7).Draw(rt, "workers"), fresh)
		if a, b := one.Traffic(), many.Traffic(); !slices.Equal(a, b) || one.Kept() != many.Kept() {
			rt.Fatalf("one worker keeps %g:\n%v\nmany keep %g:\n%v", one.Kept(), a, many.Kept(), b)
		}
	})
}
