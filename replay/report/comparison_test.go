package report_test

import (
	"bytes"
	"testing"

	"reprise/replay/compare"
	"reprise/replay/report"
	"reprise/replay/result"
)

func compared(t testing.TB, a, b []*result.Summary, o compare.Options) *compare.Comparison {
	t.Helper()
	c, err := compare.Runs(a, b, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// repeats are runs of one seed each on a target with the given median service time.
func repeats(t testing.TB, n int, serviceMS float64, version string) []*result.Summary {
	var out []*result.Summary
	for i := range n {
		s := (&queue{mode: "open", scenario: "shop-replay", source: "trace", seconds: 120, rate: bursty(90), slots: 8, serviceMS: serviceMS,
			timeout: 2, endpoints: 6, lagMS: 0.3, seed: uint64(20 + i), targetEnv: "sha256:9c11", sha: "aa01", warmup: 10}).summary(t)
		s.TargetVersion, s.Rate = version, 90
		out = append(out, s)
	}
	return out
}

var comparisons = map[string]func(testing.TB) *compare.Comparison{
	"against-p1": func(t testing.TB) *compare.Comparison {
		return compared(t, []*result.Summary{replayed(t)}, []*result.Summary{synthetic(t)}, compare.Options{Vary: compare.Traffic})
	},
	"against-closed": func(t testing.TB) *compare.Comparison {
		return compared(t, []*result.Summary{replayed(t)}, []*result.Summary{closedLoop(t)}, compare.Options{Vary: compare.Mode})
	},
	"slower-build": func(t testing.TB) *compare.Comparison {
		return compared(t, repeats(t, 5, 18, "1.4.2"), repeats(t, 5, 21, "1.4.3"), compare.Options{Vary: compare.Target})
	},
	"not-comparable": func(t testing.TB) *compare.Comparison {
		return compared(t, []*result.Summary{replayed(t)}, []*result.Summary{overloaded(t)}, compare.Options{Vary: compare.Arrivals})
	},
	"forced": func(t testing.TB) *compare.Comparison {
		return compared(t, []*result.Summary{replayed(t)}, []*result.Summary{starved(t)}, compare.Options{Force: true})
	},
}

func TestComparisonGolden(t *testing.T) {
	for name, fixture := range comparisons {
		c := fixture(t)
		golden(t, name+".txt", render(t, func(w *bytes.Buffer) error { return report.CompareText(w, c) }))
		golden(t, name+".md", render(t, func(w *bytes.Buffer) error { return report.CompareMarkdown(w, c) }))
	}
}
