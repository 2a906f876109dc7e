package ingest

import "sort"

// order holds the records of one file that wait for their turn, sorted by start; equal starts stay in the order
// of the lines. They stay in their batches, which are free again when all of their records were dropped.
type order struct {
	window  int64
	limit   int // records, and a thousand times as many bytes
	entries []entry
	head    int // of the first entry that waits
	bytes   int
	ended   bool // no more are added
	batches []*batch
	free    *[]*batch // takes what is free again
}

// entry is a record that waits. batch is nil where the record owns its bytes.
type entry struct {
	start  int64
	record *Record
	batch  *batch
}

func newOrder(window int64, free *[]*batch) order {
	return order{window: window, limit: mergeMost, free: free}
}

func (o *order) len() int { return len(o.entries) - o.head }

// start returns the earliest start that waits; front is its record.
func (o *order) start() int64   { return o.entries[o.head].start }
func (o *order) front() *Record { return o.entries[o.head].record }

// ready tells whether front can be given away: what the file holds further on is not expected to be earlier, or
// cannot be waited for any more. The file has come as far as half of what waits says: a few lines of a server whose
// clock is fast do not move it.
func (o *order) ready() bool {
	n := len(o.entries) - o.head
	return n > 0 && (o.entries[o.head+n/2].start-o.window >= o.entries[o.head].start || o.ended || n >= o.limit || o.bytes >= o.limit<<10)
}

// add takes a batch.
func (o *order) add(b *batch) {
	if len(b.records) == 0 {
		o.release(b)
		return
	}
	b.left = len(b.records)
	o.bytes += len(b.text)
	o.batches = append(o.batches, b)
	for i := range b.records {
		o.insert(entry{start: b.records[i].Start, record: &b.records[i], batch: b})
	}
	if len(o.batches) > max(8, 2*o.limit/batchRecords) {
		o.thin()
	}
}

func (o *order) insert(e entry) {
	n := len(o.entries)
	if n == o.head || o.entries[n-1].start <= e.start {
		o.push(e)
		return
	}
	i := o.head + sort.Search(n-o.head, func(i int) bool { return o.entries[o.head+i].start > e.start })
	if o.head > 0 && i-o.head < n-i {
		o.head--
		copy(o.entries[o.head:], o.entries[o.head+1:i])
		o.entries[i-1] = e
		return
	}
	i -= o.push(entry{})
	copy(o.entries[i+1:], o.entries[i:])
	o.entries[i] = e
}

// push appends an entry, and tells by how many places all others moved towards the front.
func (o *order) push(e entry) (moved int) {
	if len(o.entries) == cap(o.entries) && o.head > len(o.entries)/2 {
		moved = o.head
		n := copy(o.entries, o.entries[o.head:])
		clear(o.entries[n:])
		o.entries, o.head = o.entries[:n], 0
	}
	o.entries = append(o.entries, e)
	return moved
}

// drop forgets front.
func (o *order) drop() {
	e := o.entries[o.head]
	o.entries[o.head] = entry{}
	if o.head++; o.head == len(o.entries) {
		o.entries, o.head = o.entries[:0], 0
	}
	if e.batch == nil {
		o.bytes -= e.record.size()
		return
	}
	if e.batch.left--; e.batch.left == 0 {
		o.forget(e.batch)
	}
}

// thin frees the batch of which least is left: records that are far ahead of all others, such as those of a
// server whose clock is wrong, would otherwise keep a whole batch each.
func (o *order) thin() {
	least := o.batches[0]
	for _, b := range o.batches {
		if b.left < least.left {
			least = b
		}
	}
	for i := o.head; i < len(o.entries); i++ {
		if e := &o.entries[i]; e.batch == least {
			e.record, e.batch = e.record.Clone(), nil
			o.bytes += e.record.size()
		}
	}
	o.forget(least)
}

// forget gives back a batch that holds no waiting record.
func (o *order) forget(b *batch) {
	for i := range o.batches {
		if o.batches[i] == b {
			o.batches = append(o.batches[:i], o.batches[i+1:]...)
			break
		}
	}
	o.bytes -= len(b.text)
	o.release(b)
}

func (o *order) release(b *batch) { *o.free = append(*o.free, b) }
