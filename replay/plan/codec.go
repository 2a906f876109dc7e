package plan

import (
	"errors"
	"fmt"

	"reprise/anonymize/recordfile"
)

// AppendJSON appends the arrival as one record line without a newline, in the order of FORMAT.md;
// members with the default value are left out.
func (a *Arrival) AppendJSON(b []byte) []byte {
	b = recordfile.AppendInt(b, "at", a.At)
	b = recordfile.AppendString(b, "method", a.Method)
	b = recordfile.AppendString(b, "target", a.Target)
	b = recordfile.AppendString(b, "endpoint", a.Endpoint)
	b = recordfile.AppendOptional(b, "host", a.Host)
	b = a.User.AppendMember(b, "user")
	if a.Status != 0 {
		b = recordfile.AppendInt(b, "status", int64(a.Status))
	}
	b = recordfile.AppendOptional(b, "header", a.Header)
	b = recordfile.AppendOptional(b, "type", a.Type)
	b = recordfile.AppendOptional(b, "body", a.Body)
	b = recordfile.AppendOptional(b, "withheld", a.Withheld)
	return append(b, '}')
}

// Clone returns an Arrival that owns its slices.
func (a *Arrival) Clone() *Arrival {
	c := *a
	c.Target = append([]byte(nil), a.Target...)
	c.Header = append([]byte(nil), a.Header...)
	c.Body = append([]byte(nil), a.Body...)
	return &c
}

// decoder decodes arrival lines; an arrival costs no allocation once its words were seen.
type decoder struct {
	object recordfile.Object
	words  recordfile.Words
}

var (
	errField = errors.New("wrong value")
	errText  = errors.New("target, header or body is not UTF-8, which the plan file cannot hold")
)

func (d *decoder) decode(line []byte, a *Arrival) error {
	*a = Arrival{}
	o := &d.object
	o.Reset(line)
	for o.Next() {
		if err := d.member(a, o.Key, o.Value); err != nil {
			return fmt.Errorf("member %q: %w", o.Key, err)
		}
	}
	if err := o.Err(); err != nil {
		return err
	}
	return a.Check()
}

// member sets one member; unknown ones are skipped, since fields are only ever added to the format.
func (d *decoder) member(a *Arrival, key []byte, v recordfile.Value) (err error) {
	switch string(key) {
	case "at":
		a.At, err = v.Int()
	case "method":
		a.Method, err = d.words.Intern(v)
	case "target":
		a.Target, err = v.Text()
	case "endpoint":
		a.Endpoint, err = d.words.Intern(v)
	case "host":
		a.Host, err = d.words.Intern(v)
	case "user":
		err = a.User.Decode(v)
	case "status":
		var n int64
		if n, err = v.Int(); n < 0 || n > 65535 {
			return errField
		}
		a.Status = uint16(n)
	case "header":
		a.Header, err = v.Text()
	case "type":
		a.Type, err = d.words.Intern(v)
	case "body":
		a.Body, err = v.Text()
	case "withheld":
		var s string
		s, err = d.words.Intern(v)
		a.Withheld = Withheld(s)
	}
	return err
}
