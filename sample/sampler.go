package sample

import (
	"encoding/binary"
	"fmt"

	"github.com/cespare/xxhash/v2"

	"reprise/anonymize/trace"
	"reprise/arrival"
)

// Sampler chooses records as they pass by. It is not safe for concurrent use.
type Sampler struct {
	options Options
	strata  strata
	limit   uint64 // key below which Fraction keeps a unit
	all     bool   // Fraction keeps every unit

	cells     []*cell
	index     map[Stratum]*cell
	endpoints map[string]*int64
	profile   *arrival.Series
	total     int64
	anonymous int64

	start int64             // of the last record
	seen  map[uint64]uint64 // records of that start so far, by the hash of their lines
	line  []byte
	hash  xxhash.Digest
	kept  spool
	keys  int // bytes of all cells' keys, with the room for more
}

// manySeen is the size from which a map is not worth clearing: that takes as long as its largest size ever.
const manySeen = 1024

// cell is the state of one stratum.
type cell struct {
	stratum    Stratum
	index      uint32
	population int64
	kept       bottom // PerStratum
	sample     int64  // Fraction
}

// New returns a Sampler. An error names the flag that is wrong.
func New(o Options) (*Sampler, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	s := &Sampler{options: o, strata: newStrata(o.By), index: make(map[Stratum]*cell),
		endpoints: make(map[string]*int64), profile: new(arrival.Series), seen: make(map[uint64]uint64),
		kept: spool{limit: o.Memory, dir: o.Tmp}}
	if o.Fraction != 0 {
		s.limit, s.all = o.threshold()
	}
	return s, nil
}

// Add counts a record and keeps it if it is chosen; the record is borrowed. Records must come in start
// order, as a trace file has them: only so can equal records be told apart in bounded memory.
func (s *Sampler) Add(r *trace.Record) error {
	if s.total > 0 && r.Start < s.start {
		return ErrOrder
	}
	c, err := s.cell(r)
	if err != nil {
		return err
	}
	second := r.Start / 1_000_000
	if r.Start%1_000_000 < 0 {
		second--
	}
	if err := s.profile.Add(second, 1); err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	if s.total == 0 || r.Start != s.start {
		if len(s.seen) > manySeen {
			s.seen = make(map[uint64]uint64)
		}
		clear(s.seen)
		s.start = r.Start
	}
	s.total++
	c.population++
	s.count(r.Endpoint)

	s.line = r.AppendMembers(s.line[:0])
	key := s.key(r)
	if s.options.PerStratum > 0 {
		if err := s.reserve(c); err != nil {
			return err
		}
		if !c.kept.offer(key, s.options.PerStratum) {
			return nil
		}
	} else {
		if !s.all && key >= s.limit {
			return nil
		}
		c.sample++
	}
	return s.kept.put(c.index, key, s.line)
}

// reserve makes room for one more key of the cell, out of the memory of the lines.
func (s *Sampler) reserve(c *cell) error {
	n := c.kept.room(s.options.PerStratum)
	if n == 0 {
		return nil
	}
	if s.keys+n*keyBytes > s.options.Memory {
		return fmt.Errorf("%w: the keys of --per-stratum take more than the %d bytes for records; lower it, raise --memory, or use --fraction",
			ErrLimit, s.options.Memory)
	}
	c.kept.grow(n)
	s.keys += n * keyBytes
	s.kept.limit = s.options.Memory - s.keys
	return nil
}

// cell finds or makes the cell of r's stratum.
func (s *Sampler) cell(r *trace.Record) (*cell, error) {
	v := s.strata.of(r)
	c := s.index[v]
	if c == nil {
		if len(s.cells) >= s.options.MaxStrata {
			return nil, fmt.Errorf("%w: more than %d strata; use --by hourofday,endpoint or fewer dimensions", ErrLimit, s.options.MaxStrata)
		}
		c = &cell{stratum: v, index: uint32(len(s.cells))}
		s.cells = append(s.cells, c)
		s.index[v] = c
	}
	return c, nil
}

func (s *Sampler) count(endpoint string) {
	n := s.endpoints[endpoint]
	if n == nil {
		n = new(int64)
		s.endpoints[endpoint] = n
	}
	*n++
}

// key is the sampling key of r, whose line is in s.line.
func (s *Sampler) key(r *trace.Record) uint64 {
	s.hash.ResetWithSeed(s.options.Seed)
	if s.options.Unit == User {
		switch {
		case r.User != trace.Pseudonym{}:
			s.feed(r.User[:])
			return s.hash.Sum64()
		case len(r.Client) > 0:
			// The zero byte keeps client "a" with agent "bc" apart from "ab" with "c".
			s.feed(r.Client)
			s.feed([]byte{0})
			_, _ = s.hash.WriteString(r.Agent)
			return s.hash.Sum64()
		}
		s.anonymous++
	}
	s.feed(s.line)
	line := s.hash.Sum64()
	var ordinal [8]byte
	binary.LittleEndian.PutUint64(ordinal[:], s.seen[line])
	s.seen[line]++
	s.feed(ordinal[:])
	return s.hash.Sum64()
}

// feed hashes b; a Digest's Write has no errors to give.
func (s *Sampler) feed(b []byte) { _, _ = s.hash.Write(b) }
