package compare

import (
	"maps"
	"slices"
	"strconv"

	"reprise/replay/result"
)

// Vary names the one factor that two runs are meant to differ in.
type Vary string

// What --vary can declare. The zero value declares nothing: everything must be equal.
const (
	Nothing  Vary = ""
	Traffic  Vary = "traffic"  // other requests at other instants: replay against a synthetic scenario
	Arrivals Vary = "arrivals" // the same requests, other instants
	Target   Vary = "target"   // another build or environment of the target
	Mode     Vary = "mode"     // open loop against closed loop
)

// varies lists the factors that a declaration covers. A closed loop has workers in place of a rate, an
// arrival model and an in-flight cap, so those follow from the mode.
var varies = map[Vary][]string{
	Nothing:  nil,
	Traffic:  {"scenario", "rate", "arrivals_model", "plan_sha256"},
	Arrivals: {"arrivals_model", "plan_sha256"},
	Target:   {"target_environment", "target_version"},
	Mode:     {"mode", "workers", "rate", "arrivals_model", "max_in_flight"},
}

// State says what a factor means for the comparison.
type State string

// The states of a factor. Only Blocks stops a comparison.
const (
	Equal    State = "equal"
	Declared State = "declared" // differs, and --vary says so
	Blocks   State = "BLOCKS"   // differs, and nothing says so
	Noted    State = "noted"    // differs, worth knowing, changes no latency by definition
	Unproven State = "unproven" // neither side recorded it
)

// Factor is one line of the contract: what both sides say about it.
type Factor struct {
	Name  string
	A, B  string
	State State
	Why   string // why a difference matters; empty when it does not differ
}

// known orders the factors and says why a difference of each one blocks.
var known = []struct{ name, why string }{
	{"valid", "the numbers of an INVALID run measure the generator, not the target"},
	{"mode", "a closed loop slows down with the target and so measures something else"},
	{"workers", "more workers put more load on the target"},
	{"scenario", "another scenario sends other requests"},
	{"rate", "queues grow faster than the rate"},
	{"arrivals_model", "bursts make queues, so another arrival model gives other tails"},
	{"plan_sha256", "the runs did not replay the same plan"},
	{"data_set", "another data set has other hot keys and cache hits"},
	{"duration_seconds", "longer runs see more rare events and deeper queues"},
	{"warmup_seconds", "a colder target answers slower"},
	{"timeout_ms", "tails are cut elsewhere"},
	{"connections", "handshakes and limits on connections are part of the latency"},
	{"connections_policy", "new connections pay for handshakes"},
	{"connections_max", "a limit on connections queues requests before they are sent"},
	{"max_in_flight", "a cap drops requests before they are sent"},
	{"reject_status", "other statuses are left out of the latencies"},
	{"latency_def", "latency is not measured from and to the same instants"},
	{"target_environment", "the targets do not have the same fingerprint"},
	{"target_version", "the targets are not the same build"},
}

// noted are the factors whose difference is shown and blocks nothing.
var noted = []string{"generator", "tool_version"}

// contract is the run's Contract completed by the fields of the summary that carry the same facts.
func contract(s *result.Summary) map[string]string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	m := map[string]string{
		"valid":              strconv.FormatBool(s.Valid),
		"mode":               s.Mode,
		"scenario":           s.Scenario,
		"rate":               number(s.Rate),
		"arrivals_model":     s.Arrivals.Model,
		"plan_sha256":        s.Arrivals.PlanSHA256,
		"duration_seconds":   number(s.DurationSeconds),
		"warmup_seconds":     number(s.Warmup.Seconds),
		"timeout_ms":         number(s.TimeoutMS),
		"connections_policy": s.Connections.Policy,
		"connections_max":    strconv.Itoa(s.Connections.Max),
		"target_environment": s.TargetEnvironment,
		"target_version":     s.TargetVersion,
		"generator":          s.Environment,
		"tool_version":       s.ToolVersion,
	}
	for name, value := range s.Contract {
		if name != "valid" {
			m[name] = value
		}
	}
	if _, ok := m["connections"]; ok {
		delete(m, "connections_policy")
		delete(m, "connections_max")
	}
	return m
}

// factors compares the contracts pair by pair, and every side with itself.
func factors(a, b []*result.Summary, vary Vary) []Factor {
	as, bs := contracts(a), contracts(b)
	names := make(map[string]bool)
	for _, m := range slices.Concat(as, bs) {
		for name := range m {
			names[name] = true
		}
	}
	var out []Factor
	for _, k := range known {
		if names[k.name] {
			out = append(out, factor(k.name, k.why, as, bs, vary))
			delete(names, k.name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		out = append(out, factor(name, "part of the runs' contract", as, bs, vary))
	}
	return out
}

func contracts(runs []*result.Summary) []map[string]string {
	out := make([]map[string]string, len(runs))
	for i, s := range runs {
		out[i] = contract(s)
	}
	return out
}

func factor(name, why string, as, bs []map[string]string, vary Vary) Factor {
	f := Factor{Name: name, A: shown(name, as), B: shown(name, bs), State: Equal}
	apart := false
	for i := range min(len(as), len(bs)) {
		apart = apart || !same(as[i][name], bs[i][name])
	}
	// Repeats of one side may use one plan each, as long as A and B use the same one in each pair.
	mixed := name != "plan_sha256" && (!alike(name, as) || !alike(name, bs))
	switch {
	case name == "valid" && (!allTrue(as) || !allTrue(bs)):
		f.State, f.Why = Blocks, why
	case slices.Contains(noted, name) && (apart || mixed):
		f.State, f.Why = Noted, "not part of the contract, but it can matter"
	case mixed && !slices.Contains(varies[vary], name):
		f.State, f.Why = Blocks, "the runs of one side differ among themselves"
	case apart && slices.Contains(varies[vary], name):
		f.State, f.Why = Declared, "as --vary "+string(vary)+" says"
	case apart:
		f.State, f.Why = Blocks, why
	case unknown(as[0][name]):
		f.State, f.Why = Unproven, "neither run recorded it, so nothing proves that it was equal"
	}
	return f
}

// shown is the value of a side, or how many values it has.
func shown(name string, runs []map[string]string) string {
	first := runs[0][name]
	switch {
	case name == "workers" && unknown(first) && runs[0]["mode"] == "open":
		first = "-" // an open loop has none, so there is nothing that could be known
	case unknown(first):
		first = "unknown"
	}
	if alike(name, runs) {
		return first
	}
	distinct := make(map[string]bool)
	for _, m := range runs {
		distinct[m[name]] = true
	}
	return first + " and " + strconv.Itoa(len(distinct)-1) + " more"
}

func alike(name string, runs []map[string]string) bool {
	for _, m := range runs[1:] {
		if !same(m[name], runs[0][name]) {
			return false
		}
	}
	return true
}

func allTrue(runs []map[string]string) bool {
	return !slices.ContainsFunc(runs, func(m map[string]string) bool { return m["valid"] != "true" })
}

func unknown(v string) bool { return v == "" || v == "unknown" }

// same treats "500" and "500.0" as one number and every spelling of unknown as one.
func same(a, b string) bool {
	if a == b || unknown(a) && unknown(b) {
		return true
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && x == y
}

// fix says what to do about the factors that block.
func fix(fs []Factor) string {
	var blocking []string
	for _, f := range fs {
		if f.State == Blocks {
			blocking = append(blocking, f.Name)
		}
	}
	switch {
	case len(blocking) == 0:
		return ""
	case slices.Contains(blocking, "valid"):
		return "run the INVALID side again: reprise report RUN lists the causes and what to do about them"
	}
	for _, v := range []Vary{Target, Arrivals, Traffic, Mode} {
		if !slices.ContainsFunc(blocking, func(n string) bool { return !slices.Contains(varies[v], n) }) {
			return "if the difference is what you want to measure: reprise compare A B --vary " + string(v)
		}
	}
	return "run B again with A's " + list(blocking) + " (A's command.txt has the command)"
}

// list joins names as a sentence does.
func list(names []string) string {
	out := names[0]
	for i, n := range names[1:] {
		if i == len(names)-2 {
			out += " and " + n
		} else {
			out += ", " + n
		}
	}
	return out
}

// Contract is the contract of one run, in the order of a comparison: every factor with A and B equal.
func Contract(s *result.Summary) []Factor {
	return factors([]*result.Summary{s}, []*result.Summary{s}, Nothing)
}
