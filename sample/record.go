package sample

import (
	"errors"
	"fmt"
	"math"

	"reprise/anonymize/recordfile"
	"reprise/anonymize/trace"
)

// Record is a sampled request. One that a Reader yields is borrowed until the next; see trace.Record.
type Record struct {
	trace.Record
	Stratum int32   // index into Table.Strata
	Weight  float64 // requests of the trace that it stands for
}

// AppendJSON appends the record line without a newline: the members of a trace record, then stratum and
// weight.
func (r *Record) AppendJSON(b []byte) []byte {
	return appendWeight(r.AppendMembers(b), r.Stratum, r.Weight)
}

// appendWeight closes a record line that so far has the members of a trace record.
func appendWeight(b []byte, stratum int32, weight float64) []byte {
	b = recordfile.AppendInt(b, "stratum", int64(stratum))
	return append(recordfile.AppendFloat(b, "weight", weight), '}')
}

// Decoder decodes record lines; see trace.Decoder. The zero value is ready to use.
type Decoder struct {
	trace   trace.Decoder
	stratum int64
	weight  float64
	extra   func(key []byte, v recordfile.Value) error // made once: a closure per record would cost an allocation
}

var errWeight = errors.New("wrong value")

// Decode reads a record line into r.
func (d *Decoder) Decode(line []byte, r *Record) error {
	if d.extra == nil {
		d.extra = d.member
	}
	d.stratum, d.weight = -1, 0
	if err := d.trace.Decode(line, &r.Record, d.extra); err != nil {
		return err
	}
	if d.stratum < 0 || d.weight == 0 {
		return errors.New("stratum or weight is missing")
	}
	r.Stratum, r.Weight = int32(d.stratum), d.weight
	return nil
}

// member takes the members that a trace record does not have; unknown ones are left to later versions.
func (d *Decoder) member(key []byte, v recordfile.Value) (err error) {
	switch string(key) {
	case "stratum":
		d.stratum, err = v.Int()
		if err == nil && (d.stratum < 0 || d.stratum > math.MaxInt32) {
			err = errWeight
		}
	case "weight":
		d.weight, err = v.Float()
		if err == nil && !(d.weight > 0 && d.weight <= math.MaxInt64) {
			err = errWeight
		}
	}
	return err
}

// Lines before the records. The first member of a line says what it is.
const (
	profileKey  = "profile"
	endpointKey = "requests"
	stratumKey  = "stratum"
	recordStart = `{"t":`
	profileAll  = "all"
)

func appendStratum(b []byte, i int, a Allocation) []byte {
	b = recordfile.AppendInt(b, stratumKey, int64(i))
	if a.Hour != NoHour {
		b = recordfile.AppendInt(b, "hour", a.Hour)
	}
	b = recordfile.AppendOptional(b, "endpoint", a.Endpoint)
	b = recordfile.AppendOptional(b, "method", a.Method)
	if a.Class != 0 {
		b = recordfile.AppendInt(b, "class", int64(a.Class))
	}
	b = recordfile.AppendInt(b, "population", a.Population)
	b = recordfile.AppendInt(b, "sample", a.Sample)
	return append(recordfile.AppendFloat(b, "weight", a.Weight), '}')
}

// decodeStratum reads the members after the first.
func decodeStratum(o *recordfile.Object) (a Allocation, err error) {
	a.Hour = NoHour
	for o.Next() && err == nil {
		switch v := o.Value; string(o.Key) {
		case "hour":
			a.Hour, err = v.Int()
		case "endpoint":
			a.Endpoint, err = text(v)
		case "method":
			a.Method, err = text(v)
		case "class":
			var class int64
			if class, err = v.Int(); err == nil && (class < 0 || class > 9) {
				err = recordfile.ErrSyntax
			}
			a.Class = uint8(class)
		case "population":
			a.Population, err = v.Int()
		case "sample":
			a.Sample, err = v.Int()
		case "weight":
			a.Weight, err = v.Float()
		}
		if err != nil {
			return a, fmt.Errorf("member %q: %w", o.Key, err)
		}
	}
	if a.Sample < 0 || a.Population < max(a.Sample, 1) {
		return a, errors.New("population and sample do not fit")
	}
	return a, o.Err()
}

func text(v recordfile.Value) (string, error) {
	if !v.Quoted {
		return "", recordfile.ErrSyntax
	}
	return string(v.Str), nil
}
