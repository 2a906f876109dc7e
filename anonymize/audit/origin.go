package audit

import (
	"fmt"
	"sort"

	"reprise/anonymize/recordfile"
	"reprise/ingest"
)

// inputsCheck compares the logs given with those that the trace was made of.
func inputsCheck(h recordfile.Header, logs ingest.Report) Check {
	c := Check{Name: "inputs", Status: OK}
	want, got := make([]string, 0, len(h.Inputs)), make([]string, 0, len(logs.Files))
	for _, i := range h.Inputs {
		want = append(want, i.SHA256)
	}
	for _, f := range logs.Files {
		got = append(got, f.SHA256)
	}
	sort.Strings(want)
	sort.Strings(got)
	missing, foreign := 0, 0
	for i, j := 0, 0; i < len(want) || j < len(got); {
		switch {
		case j == len(got) || i < len(want) && want[i] < got[j]:
			missing++
			i++
		case i == len(want) || got[j] < want[i]:
			foreign++
			j++
		default:
			i++
			j++
		}
	}
	c.number("inputs", int64(len(want)))
	c.number("missing", int64(missing))
	c.number("foreign", int64(foreign))
	c.Summary = fmt.Sprintf("the trace was made of these %d logs (SHA-256)", len(want))
	if missing+foreign > 0 {
		c.red("name the logs of the trace with --against; its header lists them", "the trace was not made of these logs: %d of its %d are missing, %d are others", missing, len(want), foreign)
	}
	return c
}

// contract compares the templates and the rules at hand with those of the trace, and each pattern with the templates.
func (a *auditor) contract() Check {
	c := Check{Name: "contract", Status: OK, Summary: "rules and templates are those of the trace"}
	compare := func(what, got, fix string) {
		want, ok := a.header.Options[what].(string)
		switch {
		case !ok:
			c.detail("the trace does not name its %s", what)
		case want != got:
			c.red(fix, "the %s at hand are not those of the trace", what)
		}
	}
	compare("rules", a.o.Rules.Digest(), "give the rules of the trace with --rules")
	if a.o.Endpoints == nil {
		c.detail("whether the words in its paths are those of the templates needs --against LOG")
		return c
	}
	compare("endpoints", a.o.Endpoints.Digest(), "give the templates of the trace with --endpoints, or all its logs with the same flags")
	c.number("foreign_patterns", a.foreign)
	if a.foreign > 0 {
		c.red("make the trace again; its words were not learned from these logs", "%d records have a pattern that is none of the templates", a.foreign)
	}
	return c
}
