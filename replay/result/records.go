package result

import (
	"encoding/json"
	"fmt"
	"io"

	"reprise/anonymize/recordfile"
)

// Kinds of the record files of an archive, as their header records name them.
const (
	TimelineKind = "timeline"
	RequestsKind = "requests"
)

// WriteTimeline writes timeline.jsonl.zst: one record per second of the run.
func WriteTimeline(w io.Writer, h recordfile.Header, t *Timeline) error {
	h.Kind, h.Version = TimelineKind, recordfile.Version
	f, err := recordfile.NewWriter(w, h)
	if err != nil {
		return fmt.Errorf("write timeline: %w", err)
	}
	var line []byte
	for i := range t.Planned {
		b := recordfile.AppendInt(line[:0], "second", int64(i))
		for _, v := range []struct {
			key string
			n   int64
		}{
			{"planned", t.Planned[i]}, {"started", t.Started[i]}, {"completed", t.Completed[i]},
			{"timed_out", t.TimedOut[i]}, {"rejected", t.Rejected[i]}, {"errors", t.Errors[i]},
			{"dropped", t.Dropped[i]}, {"ended", t.Ended[i]}, {"in_flight_max", t.InFlightMax[i]},
		} {
			b = recordfile.AppendInt(b, v.key, v.n)
		}
		b = recordfile.AppendFloat(b, "p50_ms", t.P50[i])
		b = recordfile.AppendFloat(b, "p99_ms", t.P99[i])
		b = recordfile.AppendFloat(b, "lag_p99_ms", t.LagP99[i])
		line = append(b, '}')
		if err := f.WriteLine(line); err != nil {
			return fmt.Errorf("write timeline: %w", err)
		}
	}
	if err := f.Close(recordfile.Trailer{}); err != nil {
		return fmt.Errorf("write timeline: %w", err)
	}
	return nil
}

// RequestWriter writes requests.jsonl.zst: every outcome, in the order in which they ended. It is an
// observer of the engine.
type RequestWriter struct {
	file *recordfile.Writer
	line []byte
}

// NewRequestWriter writes the header.
func NewRequestWriter(w io.Writer, h recordfile.Header) (*RequestWriter, error) {
	h.Kind, h.Version = RequestsKind, recordfile.Version
	f, err := recordfile.NewWriter(w, h)
	if err != nil {
		return nil, fmt.Errorf("write requests: %w", err)
	}
	return &RequestWriter{file: f}, nil
}

// Observe writes one outcome; instants are nanoseconds after t0 and left out where the request never got there.
func (w *RequestWriter) Observe(o *Outcome) error {
	b := recordfile.AppendInt(w.line[:0], "seq", o.Seq)
	b = recordfile.AppendInt(b, "endpoint", int64(o.Endpoint))
	b = recordfile.AppendString(b, "kind", o.Kind.String())
	b = recordfile.AppendOptional(b, "cause", o.Cause.String())
	b = appendSet(b, "status", int64(o.Status), 0)
	b = appendSet(b, "logged", int64(o.Logged), 0)
	b = recordfile.AppendInt(b, "intended", o.Intended)
	b = appendSet(b, "dispatched", o.Dispatched, Unset)
	b = appendSet(b, "sent", o.SentAt, Unset)
	b = appendSet(b, "first_byte", o.FirstByte, Unset)
	b = appendSet(b, "done", o.Done, Unset)
	b = appendSet(b, "bytes_in", o.BytesIn, 0)
	if o.Written {
		b = append(recordfile.AppendKey(b, "written"), "true"...)
	}
	if o.Reused {
		b = append(recordfile.AppendKey(b, "reused"), "true"...)
	}
	w.line = append(b, '}')
	if err := w.file.WriteLine(w.line); err != nil {
		return fmt.Errorf("write requests: %w", err)
	}
	return nil
}

func appendSet(b []byte, key string, v, unset int64) []byte {
	if v == unset {
		return b
	}
	return recordfile.AppendInt(b, key, v)
}

// Close writes the trailer, whose details name the endpoints by their index; it does not close the
// underlying writer.
func (w *RequestWriter) Close(endpoints []string) error {
	details, err := json.Marshal(map[string]any{"endpoints": endpoints})
	if err != nil {
		return fmt.Errorf("write requests: %w", err)
	}
	if err := w.file.Close(recordfile.Trailer{Details: details}); err != nil {
		return fmt.Errorf("write requests: %w", err)
	}
	return nil
}
