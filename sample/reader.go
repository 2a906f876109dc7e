package sample

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"reprise/anonymize/recordfile"
	"reprise/arrival"
)

// Reader reads a sample file. It is not safe for concurrent use.
type Reader struct {
	file  *recordfile.Reader
	table Table
	dec   Decoder
	rec   Record
	first []byte // the first record line, read with the table; nil when there is none
}

// NewReader reads the header and the table. It refuses files of another kind or major version. Close
// releases the decoder; it does not close r.
func NewReader(r io.Reader) (*Reader, error) {
	file, err := recordfile.NewReader(r, Kind)
	if err != nil {
		return nil, err
	}
	v := &Reader{file: file, table: Table{Profile: new(arrival.Series)}}
	if err := v.readTable(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return v, nil
}

func (r *Reader) readTable() error {
	var o recordfile.Object
	for {
		line, err := r.file.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if bytes.HasPrefix(line, []byte(recordStart)) {
			r.first = bytes.Clone(line)
			return nil
		}
		if err := r.tableLine(&o, line); err != nil {
			return &recordfile.LineError{Line: r.file.Line(), Err: err}
		}
	}
}

// tableLine reads one line before the records.
func (r *Reader) tableLine(o *recordfile.Object, line []byte) error {
	o.Reset(line)
	if !o.Next() {
		return recordfile.ErrSyntax
	}
	switch string(o.Key) {
	case profileKey:
		var b arrival.Block
		if err := json.Unmarshal(line, &b); err != nil {
			return fmt.Errorf("profile: %w", recordfile.ErrSyntax)
		}
		return r.table.Profile.AddBlock(b)
	case endpointKey:
		n, err := o.Value.Int()
		if err != nil || n < 1 || !o.Next() || string(o.Key) != "endpoint" || !o.Value.Quoted {
			return errors.New("endpoint: wrong value")
		}
		r.table.Endpoints = append(r.table.Endpoints, Endpoint{string(o.Value.Str), n})
		return nil
	case stratumKey:
		if i, err := o.Value.Int(); err != nil || i != int64(len(r.table.Strata)) {
			return errors.New("strata are not numbered from 0 on")
		}
		a, err := decodeStratum(o)
		r.table.Strata = append(r.table.Strata, a)
		return err
	}
	return errors.New("neither profile, endpoint, stratum nor record")
}

// Header is the file's header record.
func (r *Reader) Header() recordfile.Header { return r.file.Header() }

// Table is what the sample tells about its trace.
func (r *Reader) Table() *Table { return &r.table }

// Trailer is the file's trailer; it is zero until Records has come to its end without an error.
func (r *Reader) Trailer() recordfile.Trailer { return r.file.Trailer() }

// Close releases the decoder; it does not close the underlying reader.
func (r *Reader) Close() error { return r.file.Close() }

// Records yields the records in start order, each borrowed until the next. An error is fatal and last.
// The file can be ranged over once.
func (r *Reader) Records(ctx context.Context) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		for n := 0; ; n++ {
			if n%1024 == 0 && ctx.Err() != nil {
				yield(nil, context.Cause(ctx))
				return
			}
			err := r.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(&r.rec, nil) {
				return
			}
		}
	}
}

// next decodes one record into r.rec.
func (r *Reader) next() error {
	line := r.first
	r.first = nil
	if line == nil {
		var err error
		if line, err = r.file.Next(); err != nil {
			return err
		}
	}
	err := r.dec.Decode(line, &r.rec)
	if err == nil {
		if i := int(r.rec.Stratum); i >= len(r.table.Strata) || r.rec.Weight != r.table.Strata[i].Weight {
			err = errors.New("stratum and weight do not fit the table")
		}
	}
	if err != nil {
		return &recordfile.LineError{Line: r.file.Line(), Err: err}
	}
	return nil
}
