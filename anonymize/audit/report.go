package audit

import (
	"fmt"
	"io"
	"strings"
)

// Status is the result of one check.
type Status string

// The results. A trace is green when no check is Red.
const (
	OK      Status = "ok"
	Red     Status = "red"
	Note    Status = "note"    // numbers to look at, which are no failure by themselves
	Skipped Status = "skipped" // could not be checked; the summary says what is needed
)

// Check is one check and what it found. It holds no value of a log or of a trace.
type Check struct {
	Name    string           `json:"name"`
	Status  Status           `json:"status"`
	Summary string           `json:"summary"`           // in one line
	Details []string         `json:"details,omitempty"` // positions, counts, layouts
	Fix     string           `json:"fix,omitempty"`     // of a red check
	Numbers map[string]int64 `json:"numbers,omitempty"`
}

// maxDetails is the number of lines that a check gives beside its summary.
const maxDetails = 12

func (c *Check) detail(format string, args ...any) {
	if len(c.Details) < maxDetails {
		c.Details = append(c.Details, fmt.Sprintf(format, args...))
	}
}

func (c *Check) number(name string, n int64) {
	if c.Numbers == nil {
		c.Numbers = make(map[string]int64)
	}
	c.Numbers[name] = n
}

// red makes the check red. The first reason is the summary, later ones are details.
func (c *Check) red(fix, format string, args ...any) {
	if c.Status == Red {
		c.detail(format, args...)
		return
	}
	c.Status, c.Fix, c.Summary = Red, fix, fmt.Sprintf(format, args...)
}

// Report is the result of an audit: every check, in a fixed order.
type Report struct {
	Records int64   `json:"records"` // of the trace
	Green   bool    `json:"green"`   // no check is red
	Checks  []Check `json:"checks"`
}

// Failed are the names of the red checks.
func (r *Report) Failed() []string { return r.named(Red) }

// named are the names of the checks with a status.
func (r *Report) named(s Status) (names []string) {
	for _, c := range r.Checks {
		if c.Status == s {
			names = append(names, c.Name)
		}
	}
	return names
}

// Check is the check of a name, nil if there is none.
func (r *Report) Check(name string) *Check {
	for i := range r.Checks {
		if r.Checks[i].Name == name {
			return &r.Checks[i]
		}
	}
	return nil
}

var marks = map[Status]string{OK: "ok", Red: "RED", Note: "note", Skipped: "-"}

// WriteText writes the report for people: a line for each check, and under it what there is to know.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, c := range r.Checks {
		fmt.Fprintf(&b, "%-5s %-12s %s\n", marks[c.Status], c.Name, c.Summary)
		for _, d := range c.Details {
			fmt.Fprintf(&b, "%19s%s\n", "", d)
		}
		if c.Fix != "" {
			fmt.Fprintf(&b, "%19sfix: %s\n", "", c.Fix)
		}
	}
	failed := r.Failed()
	if len(failed) > 0 {
		fmt.Fprintf(&b, "RED: %s; %d records\n", strings.Join(failed, ", "), r.Records)
	} else {
		fmt.Fprintf(&b, "green: %d records. They are pseudonymised personal data, not anonymous.\n", r.Records)
		if open := r.named(Skipped); len(open) > 0 {
			fmt.Fprintf(&b, "not checked: %s; do not sign off without them\n", strings.Join(open, ", "))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
