// Package report renders a run, or a comparison of runs, for people: the one-line result, the table at the
// end of a run, Markdown for a review, and one offline HTML file.
//
// Every renderer says first whether the run can be trusted (VALID or INVALID), then what the target did.
// Percentiles are printed only where enough requests stand behind them (n<368 in place of a p99), and
// as a lower bound (>=) where they lie among timed-out requests.
//
// All strings of a summary are hostile: they may come from a log, a target or another machine. Terminals
// get control bytes escaped, Markdown gets code spans that nothing can break out of, and HTML goes through the
// contextual escaping of html/template; the page has no script and forbids them with its own policy.
// Charts are SVG with presentation attributes, so that they survive a policy that blocks inline CSS too.
package report
