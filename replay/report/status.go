package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"reprise/replay/compare"
	"reprise/replay/result"
)

// answers is what the statuses of a run's whole responses say.
type answers struct {
	counts []statusCount // most frequent first
	whole  int64
	failed int64  // 4xx and 5xx that the run does not count as rejected
	worst  string // the most frequent status among those
	known  int64  // answers whose status in production is known
	same   int64  // those of them that had it
}

type statusCount struct {
	status string
	n      int64
}

func answered(s *result.Summary) answers {
	var a answers
	rejected := compare.RejectStatuses(s)
	for _, status := range slices.Sorted(maps.Keys(s.Status)) {
		if n := s.Status[status]; n > 0 {
			a.counts = append(a.counts, statusCount{status, n})
			a.whole += n
		}
	}
	slices.SortStableFunc(a.counts, func(x, y statusCount) int { return int(max(-1, min(1, y.n-x.n))) })
	for _, c := range a.counts {
		if code, err := strconv.Atoi(c.status); err != nil || code < 400 || code > 599 || slices.Contains(rejected, c.status) {
			continue
		}
		if a.failed += c.n; a.worst == "" {
			a.worst = clean(c.status)
		}
	}
	m := &s.StatusMatch
	a.same, a.known = m.Same, m.Same+m.SameClass+m.Other
	return a
}

// failing reports whether more than one answer in ten is an error that production is not known to have given too.
func (a *answers) failing() bool {
	return a.failed*10 > a.whole && a.same*10 < a.whole*9
}

// clause is the headline's remark on the answers, empty when nothing is known of them.
func (a *answers) clause() string {
	text := ""
	switch {
	case !a.failing():
		if a.known > 0 {
			text = ", " + a.alike() + " as production did"
		}
		return text
	case a.failed == a.whole && len(a.counts) == 1:
		text = ", but every answer was an error (" + a.worst + ")"
	case a.failed == a.whole:
		text = ", but every answer was an error (mostly " + a.worst + ")"
	default:
		text = fmt.Sprintf(", but %s of the answers were errors (mostly %s)", share(a.failed, a.whole), a.worst)
	}
	if a.known > 0 {
		text += ", " + a.alike() + " as in production"
	}
	return text
}

func (a *answers) alike() string {
	if a.same == a.known {
		return "all"
	}
	return share(a.same, a.known)
}

// production says how many answers had the status that production logged; empty when that is not known.
func (a *answers) production() string {
	if a.known <= 0 {
		return ""
	}
	return fmt.Sprintf("%s of %s answers had the status that production logged", share(a.same, a.known), grouped(a.known))
}

// token is the share of the same statuses for the summary line, rounded down so that 100.0 means all.
func (a *answers) token() string {
	if a.known <= 0 {
		return ""
	}
	tenths := int64(1000 * (float64(a.same) / float64(a.known)))
	return fmt.Sprintf(" status_same=%d.%d%%", tenths/10, tenths%10)
}

// textStatuses is the status line of the table at the end of a run.
func textStatuses(b *strings.Builder, s *result.Summary) {
	const most = 5
	a := answered(s)
	if len(a.counts) == 0 {
		return
	}
	var parts []string
	for _, c := range a.counts[:min(most, len(a.counts))] {
		parts = append(parts, fmt.Sprintf("%s %d", clean(c.status), c.n))
	}
	if n := len(a.counts) - most; n > 0 {
		parts = append(parts, fmt.Sprintf("%d more", n))
	}
	fmt.Fprintf(b, "status  %s\n", strings.Join(parts, ", "))
	if p := a.production(); p != "" {
		fmt.Fprintf(b, "        %s\n", p)
	}
}

// warnings are the run's own and one that the statuses give; the latter is left out where the run has it itself.
func warnings(s *result.Summary) []string {
	own := slices.ContainsFunc(s.Warnings, func(w string) bool { return strings.Contains(w, "--bind") })
	a := answered(s)
	// A target that rejects under load answers otherwise than production did without any id being wrong.
	if own || a.known == 0 || (a.same+s.Rejected)*10 >= a.known*9 {
		return s.Warnings
	}
	text := "only " + a.production()
	if a.worst != "" {
		text += ", and here it was " + a.worst + " for " + grouped(s.Status[a.worst])
	}
	return append(slices.Clone(s.Warnings), text+": the log's ids may not exist in the target's data; reprise schedule --bind FILE puts in ids that do")
}
