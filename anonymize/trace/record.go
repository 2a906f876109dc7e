package trace

import (
	"encoding/hex"
	"errors"
	"fmt"

	"reprise/anonymize/recordfile"
)

// Kind names trace files in their header record.
const Kind = "trace"

// Unknown stands in Bytes and Duration where the log did not tell.
const Unknown = -1

// Pseudonym is the identity of a user: keyed, stable for one key, and no address or name.
// The zero value means that the log told nothing to tell users apart by.
type Pseudonym [16]byte

// String is the pseudonym as 32 hex digits, empty for the zero value.
func (p Pseudonym) String() string {
	if p == (Pseudonym{}) {
		return ""
	}
	return hex.EncodeToString(p[:])
}

// AppendMember appends the pseudonym as a member of a record line, and nothing for the zero value.
func (p *Pseudonym) AppendMember(b []byte, key string) []byte {
	if *p == (Pseudonym{}) {
		return b
	}
	b = append(recordfile.AppendKey(b, key), '"')
	return append(hex.AppendEncode(b, p[:]), '"')
}

// Decode reads the 32 hex digits of a record file.
func (p *Pseudonym) Decode(v recordfile.Value) error {
	if !v.Quoted || len(v.Str) != 2*len(p) {
		return errField
	}
	if _, err := hex.Decode(p[:], v.Str); err != nil {
		return errField
	}
	return nil
}

// Record is one pseudonymised request. A Record that a reader yields is borrowed: its slices are valid
// until the next one is read; Clone keeps it. The strings come from small closed sets and are interned.
type Record struct {
	Start    int64     // microseconds since the Unix epoch
	User     Pseudonym // who: user field, else client and user agent
	Client   []byte    // client address or name, pseudonymised in its own format
	Method   string    // RFC 9110 token, as logged
	Target   []byte    // request target, pseudonymised; printable ASCII
	Endpoint string    // path template such as /p/{int}
	Host     string    // virtual host, pseudonymised; empty when the log names none
	Status   uint16    // 0 = no response logged
	Bytes    int64     // response bytes, or Unknown
	Duration int64     // microseconds, or Unknown
	Agent    string    // family and major version of the user agent; empty when unknown
	Coarse   uint8     // resolution of Start as a power of ten in microseconds: 6 = seconds, 3 = ms, 0 = us
	Header   []byte    // header lines "Name: value\r\n" that the rules keep, pseudonymised; nil for none
}

// Clone returns a Record that owns its slices.
func (r *Record) Clone() *Record {
	c := *r
	c.Client = append([]byte(nil), r.Client...)
	c.Target = append([]byte(nil), r.Target...)
	c.Header = append([]byte(nil), r.Header...)
	return &c
}

// AppendMembers appends the record as the members of a JSON object that AppendEnd closes, in the fixed
// order of FORMAT.md; members with the default value are left out.
func (r *Record) AppendMembers(b []byte) []byte {
	b = recordfile.AppendInt(b, "t", r.Start)
	b = r.User.AppendMember(b, "user")
	b = recordfile.AppendOptional(b, "client", r.Client)
	b = recordfile.AppendString(b, "method", r.Method)
	b = recordfile.AppendString(b, "target", r.Target)
	b = recordfile.AppendString(b, "endpoint", r.Endpoint)
	b = recordfile.AppendOptional(b, "host", r.Host)
	b = recordfile.AppendInt(b, "status", int64(r.Status))
	if r.Bytes != Unknown {
		b = recordfile.AppendInt(b, "bytes", r.Bytes)
	}
	if r.Duration != Unknown {
		b = recordfile.AppendInt(b, "dur", r.Duration)
	}
	b = recordfile.AppendOptional(b, "agent", r.Agent)
	if r.Coarse != 6 {
		b = recordfile.AppendInt(b, "coarse", int64(r.Coarse))
	}
	return recordfile.AppendOptional(b, "header", r.Header)
}

// AppendJSON appends the whole record line without a newline.
func (r *Record) AppendJSON(b []byte) []byte {
	return append(r.AppendMembers(b), '}')
}

// Decoder decodes record lines. It interns the strings of Method, Endpoint, Host and Agent, so that a
// record costs no allocation once its words were seen. The zero value is ready to use.
type Decoder struct {
	object recordfile.Object
	words  recordfile.Words
}

var errField = errors.New("wrong value")

// Decode reads line into r. Members that a trace record does not have go to extra, which may be nil.
func (d *Decoder) Decode(line []byte, r *Record, extra func(key []byte, v recordfile.Value) error) error {
	*r = Record{Bytes: Unknown, Duration: Unknown, Coarse: 6}
	o := &d.object
	o.Reset(line)
	for o.Next() {
		known, err := d.member(r, o)
		if !known && extra != nil {
			err = extra(o.Key, o.Value)
		}
		if err != nil {
			return fmt.Errorf("member %q: %w", o.Key, err)
		}
	}
	if err := o.Err(); err != nil {
		return err
	}
	if len(r.Target) == 0 || r.Method == "" || r.Endpoint == "" {
		return errors.New("method, target or endpoint is missing")
	}
	return nil
}

func (d *Decoder) member(r *Record, o *recordfile.Object) (known bool, err error) {
	switch v := o.Value; string(o.Key) {
	case "t":
		r.Start, err = v.Int()
	case "user":
		err = r.User.Decode(v)
	case "client":
		r.Client, err = v.Text()
	case "method":
		r.Method, err = d.words.Intern(v)
	case "target":
		r.Target, err = v.Text()
	case "endpoint":
		r.Endpoint, err = d.words.Intern(v)
	case "host":
		r.Host, err = d.words.Intern(v)
	case "status":
		r.Status, err = small[uint16](v, 65535)
	case "bytes":
		r.Bytes, err = v.Int()
	case "dur":
		r.Duration, err = v.Int()
	case "agent":
		r.Agent, err = d.words.Intern(v)
	case "coarse":
		r.Coarse, err = small[uint8](v, 6)
	case "header":
		r.Header, err = v.Text()
	default:
		return false, nil
	}
	return true, err
}

func small[T uint8 | uint16](v recordfile.Value, limit int64) (T, error) {
	n, err := v.Int()
	if err != nil || n < 0 || n > limit {
		return 0, errField
	}
	return T(n), nil
}
