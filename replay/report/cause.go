package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"reprise/replay/result"
)

// causes says why a run is INVALID, each in one clause, first what happened first. It reads the figures and not only the
// reasons, which are sentences for people.
func causes(s *result.Summary) []string {
	var out []string
	if s.Offered == 0 && s.Unsent == 0 && !interrupted(s) {
		return []string{"nothing was offered"}
	}
	if interrupted(s) {
		text := "the run was cut before its end"
		if s.Unsent > 0 {
			text += fmt.Sprintf(", %s of %s requests were never sent", grouped(s.Unsent), grouped(s.Offered))
		}
		out = append(out, text)
	}
	if failed := s.Errors.Total - own(s); failed*10 > s.Started && s.Started > 0 {
		out = append(out, fmt.Sprintf("%s of the requests got no whole answer%s", share(failed, s.Started), reasons(s.Errors.ByKind)))
	}
	if len(out) == 0 || starved(s) {
		out = append(out, "the generator set the pace, not the target")
	}
	return out
}

func interrupted(s *result.Summary) bool {
	return s.Unsent > 0 || slices.ContainsFunc(s.InvalidReasons, func(r string) bool { return strings.HasPrefix(r, "interrupted") })
}

// starved reports whether the generator was late, dropped too much or ran out of its own means.
func starved(s *result.Summary) bool {
	due := s.Offered - s.Unsent
	return s.LagMS.N > 0 && s.LagMS.P99 > lagLimit(s) || own(s) > 0 ||
		s.Mode != "closed" && float64(s.Started) < minStarted(s)*float64(due)
}

// own counts the errors that are the generator's.
func own(s *result.Summary) (n int64) {
	for _, kind := range slices.Sorted(maps.Keys(s.Errors.ByKind)) {
		if strings.HasPrefix(kind, "client.") {
			n += s.Errors.ByKind[kind]
		}
	}
	return n
}
