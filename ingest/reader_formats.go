package ingest

import (
	"cmp"
	"slices"
	"strings"
)

// formats are the formats of one file, most specific first: a line that the first rejects is tried with the
// next one.
type formats struct {
	list    []Format
	specs   []string
	options FormatOptions
}

func newFormats(specs []string, o FormatOptions) (*formats, error) {
	f := &formats{options: o}
	for _, spec := range specs {
		if err := f.adopt(spec); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// adopt adds a format.
func (f *formats) adopt(spec string) error {
	format, err := NewFormat(spec, f.options)
	if err != nil {
		return err
	}
	at, _ := slices.BinarySearchFunc(f.specs, spec, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	f.specs, f.list = slices.Insert(f.specs, at, spec), slices.Insert(f.list, at, format)
	return nil
}

// rank is the place of a spec's format in the order from most to least specific.
func rank(spec string) int {
	of := knownOf(spec)
	return slices.IndexFunc(knownFormats, func(k known) bool { return of != nil && k.name == of.name })
}

// directive tells the formats that are described by "#" lines about one.
func (f *formats) directive(line []byte) {
	for _, format := range f.list {
		if about, ok := innermost(format).(framed); ok {
			about.directive(line)
		}
	}
}

// parse parses text, a copy of line, which may change, in the first format that takes it. The verdict is the one
// of the format that got furthest when none does.
func (f *formats) parse(text, line []byte, r *Record) Verdict {
	v := f.list[0].Parse(text, r)
	if len(f.list) == 1 {
		return v
	}
	if v.Reason <= NoRequest {
		f.taken(f.list[0])
		return v
	}
	for _, format := range f.list[1:] {
		copy(text, line)
		other := format.Parse(text, r)
		if other.Reason <= NoRequest {
			f.taken(format)
			return other
		}
		if v.Rejected() && (other.Reason == Skip || other.Column > v.Column) {
			v = other
		}
	}
	return v
}

// taken makes the others forget what they hold of a line that came in parts, now that one format took it.
func (f *formats) taken(by Format) {
	frame, ok := by.(*wrapped)
	if !ok {
		return
	}
	for _, format := range f.list {
		if other, ok := format.(*wrapped); ok && other != frame {
			other.parts[frame.stream] = partialLine{}
		}
	}
}

// described tells whether a format of the file is described by "#" lines.
func (f *formats) described() bool {
	for _, format := range f.list {
		if _, ok := innermost(format).(framed); ok {
			return true
		}
	}
	return false
}

// others lists the known formats that the file does not have yet, in the frame of its first one and without.
func (f *formats) others() []string {
	frame := ""
	if k := knownOf(f.specs[0]); k != nil {
		frame = strings.TrimSuffix(f.specs[0], k.name)
	}
	var specs []string
	for _, name := range Names() {
		if frame != "" {
			specs = append(specs, frame+name)
		}
		specs = append(specs, name)
	}
	return slices.DeleteFunc(specs, func(spec string) bool { return slices.Contains(f.specs, spec) })
}

// framedNames lists the known formats that are described by "#" lines.
func framedNames() []string {
	var names []string
	for i := range knownFormats {
		if _, ok := knownFormats[i].open(FormatOptions{}).(framed); ok {
			names = append(names, knownFormats[i].name)
		}
	}
	return names
}
