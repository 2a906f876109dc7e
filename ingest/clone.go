package ingest

// Clone returns a copy of r that owns its bytes.
func (r *Record) Clone() *Record {
	c := *r
	c.Headers = append([]Header(nil), r.Headers...)
	c.own(make([]byte, 0, r.size()))
	return &c
}

// Batch holds copies of records in two blocks of memory, so that a consumer in another goroutine gets many
// records for no allocation each. The zero value is ready. It is not safe for concurrent use.
type Batch struct {
	records []Record
	headers []Header
	bytes   []byte
}

// Add copies r into the batch.
func (b *Batch) Add(r *Record) {
	b.records = append(b.records, *r)
	if n := len(r.Headers); n > 0 {
		at := len(b.headers) // records added before keep pointing into an old block
		b.headers = append(b.headers, r.Headers...)
		b.records[len(b.records)-1].Headers = b.headers[at : at+n : at+n]
	}
	if size := r.size(); cap(b.bytes)-len(b.bytes) < size {
		// Records added before keep pointing into the old block.
		b.bytes = make([]byte, 0, max(2*cap(b.bytes), size, 64<<10))
	}
	b.bytes = b.records[len(b.records)-1].own(b.bytes)
}

// Records returns the copies in the order of Add, valid until Reset.
func (b *Batch) Records() []Record { return b.records }

// Reset empties the batch and keeps its memory for the next records.
func (b *Batch) Reset() {
	b.records, b.headers, b.bytes = b.records[:0], b.headers[:0], b.bytes[:0]
}

// texts lists the record's byte fields.
func (r *Record) texts() [11]*[]byte {
	return [...]*[]byte{&r.Client, &r.Forwarded, &r.User, &r.Host, &r.Method, &r.Target, &r.Protocol, &r.Referer, &r.Agent, &r.RequestID, &r.Upstream}
}

func (r *Record) size() int {
	n := len(r.Client) + len(r.Forwarded) + len(r.User) + len(r.Host) + len(r.Method) + len(r.Target) +
		len(r.Protocol) + len(r.Referer) + len(r.Agent) + len(r.RequestID) + len(r.Upstream)
	for i := range r.Headers {
		n += len(r.Headers[i].Value)
	}
	return n
}

// own moves r's bytes behind those of buf, which has room for them, and returns the longer buf.
func (r *Record) own(buf []byte) []byte {
	for _, t := range r.texts() {
		if *t == nil {
			continue
		}
		from := len(buf)
		buf = append(buf, *t...)
		*t = buf[from:len(buf):len(buf)]
	}
	for i := range r.Headers {
		from := len(buf)
		buf = append(buf, r.Headers[i].Value...)
		r.Headers[i].Value = buf[from:len(buf):len(buf)]
	}
	return buf
}
