package sample

import (
	"errors"
	"maps"
	"slices"

	"reprise/arrival"
)

// Allocation says what became of one stratum.
type Allocation struct {
	Stratum
	Population int64   // records in the trace
	Sample     int64   // records kept; 0 = the stratum is lost
	Weight     float64 // Population / Sample; 0 when lost
}

// Lost reports whether nothing in the sample stands for the stratum.
func (a Allocation) Lost() bool { return a.Sample == 0 }

// Endpoint is the number of requests of one endpoint in the whole trace.
type Endpoint struct {
	Template string
	Requests int64
}

// Table is what a sample tells about its trace.
type Table struct {
	Strata    []Allocation    // in order of hour, endpoint, method and status class
	Endpoints []Endpoint      // in order of their templates
	Profile   *arrival.Series // requests of the whole trace in every second
}

// Totals sum up a Table; they are the details of a sample file's trailer.
type Totals struct {
	Population int64 `json:"population"`
	Sample     int64 `json:"sample"`
	Strata     int   `json:"strata"`
	Lost       int   `json:"lost"` // strata without a record in the sample
	// LostShare is the part of the population in lost strata.
	LostShare float64 `json:"lost_share"`
	// MaxShareError is the largest difference between a stratum's share of the sample, unweighted,
	// and its share of the population. Weights undo it, except for lost strata.
	MaxShareError float64 `json:"max_share_error"`
	// ChiSquare is the sum over strata of (sample - expected)^2 / expected, where expected is the
	// stratum's share of the population times the sample: about Strata - 1 when single requests are
	// drawn in proportion, larger for whole users, and large by intent for a number per stratum.
	ChiSquare float64 `json:"chi_square"`
}

// Totals sums up the table.
func (t *Table) Totals() Totals {
	v := Totals{Strata: len(t.Strata)}
	for _, a := range t.Strata {
		v.Population += a.Population
		v.Sample += a.Sample
	}
	lost := int64(0)
	for _, a := range t.Strata {
		if a.Lost() {
			v.Lost++
			lost += a.Population
		}
		v.MaxShareError = max(v.MaxShareError, a.ShareError(v), -a.ShareError(v))
		if expected := float64(a.Share(v) * float64(v.Sample)); expected > 0 {
			d := float64(a.Sample) - expected
			v.ChiSquare += float64(d * d / expected)
		}
	}
	if v.Population > 0 {
		v.LostShare = float64(lost) / float64(v.Population)
	}
	return v
}

// Share is the stratum's share of the population.
func (a Allocation) Share(t Totals) float64 {
	if t.Population == 0 {
		return 0
	}
	return float64(a.Population) / float64(t.Population)
}

// ShareError is the stratum's share of the sample, unweighted, less its share of the population.
func (a Allocation) ShareError(t Totals) float64 {
	if t.Sample == 0 {
		return -a.Share(t)
	}
	return float64(a.Sample)/float64(t.Sample) - a.Share(t)
}

// Selection is a finished sample. Close gives up its lines.
type Selection struct {
	Table
	// Anonymous counts the records of the trace that told nothing about their user, where the unit is
	// the user: each of them was a unit of its own.
	Anonymous int64
	options   Options
	cells     []*cell
	position  []int32 // index in Strata by index in cells
	kept      spool
}

// ErrNothingKept says that a fraction kept no record at all.
var ErrNothingKept = errors.New("the sample is empty: raise --fraction, or use --per-stratum")

// ErrEmptyTrace says that there was no record to choose from.
var ErrEmptyTrace = errors.New("the trace has no record")

// ErrOrder says that the records did not come in start order.
var ErrOrder = errors.New("records are not in start order: write the trace again with reprise anonymize")

// ErrLimit says that the trace has more strata, or the strata more keys, than the Options allow.
var ErrLimit = errors.New("over a limit of the sample")

// Finish ends the sampling. The Sampler must not be used afterwards, except for Close.
func (s *Sampler) Finish() (*Selection, error) {
	if s.total == 0 {
		return nil, ErrEmptyTrace
	}
	v := &Selection{options: s.options, Anonymous: s.anonymous, cells: s.cells, position: make([]int32, len(s.cells)), kept: s.kept}
	v.Profile = s.profile
	for _, template := range slices.Sorted(maps.Keys(s.endpoints)) {
		v.Endpoints = append(v.Endpoints, Endpoint{template, *s.endpoints[template]})
	}
	sorted := slices.Clone(s.cells)
	slices.SortFunc(sorted, func(a, b *cell) int { return a.stratum.compare(b.stratum) })
	kept := int64(0)
	for i, c := range sorted {
		v.position[c.index] = int32(i)
		a := Allocation{Stratum: c.stratum, Population: c.population, Sample: c.sample + int64(len(c.kept))}
		if a.Sample > 0 {
			a.Weight = float64(a.Population) / float64(a.Sample)
		}
		kept += a.Sample
		v.Strata = append(v.Strata, a)
	}
	s.kept = spool{}
	if kept == 0 {
		return nil, errors.Join(ErrNothingKept, v.Close())
	}
	return v, nil
}

// Close gives up what a Sampler that is not finished has kept.
func (s *Sampler) Close() error { return s.kept.close() }

// Close gives up the kept lines.
func (v *Selection) Close() error { return v.kept.close() }

// each yields the chosen lines in start order, each still open for more members, and their strata.
func (v *Selection) each(do func(line []byte, stratum int32) error) error {
	// A stratum's heap has the largest key on top. A line above it was kept once and pushed out later.
	return v.kept.each(func(e entry) error {
		if c := v.cells[e.cell]; len(c.kept) > 0 && e.key > c.kept[0] {
			return nil
		}
		return do(e.line, v.position[e.cell])
	})
}
