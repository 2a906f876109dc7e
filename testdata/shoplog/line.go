package main

import (
	"fmt"
	"sort"
	"strconv"
	"time"
)

// request is one line of the log in the making.
type request struct {
	at      int // milliseconds after begin
	client  string
	user    string // "" for nobody
	line    string // method, target and protocol
	status  int
	bytes   int
	referer string // "" for none
	agent   string // "" for none
	late    int    // milliseconds by which the line is written later than others of its instant
	raw     string // the whole line in the place of all else, for what is no request
}

// log collects the lines of all visitors.
type log struct {
	d        *draws
	requests []request
	planted  []string
	owners   []*account // who have orders
}

// add takes a request. A few lines get into the file late, as they do with buffered and with many
// workers' logs.
func (l *log) add(r request) {
	if r.at >= end {
		return
	}
	if l.d.percent(3) {
		r.late = l.d.between(200, 1900)
	}
	l.requests = append(l.requests, r)
}

// text is the whole log in nginx's combined format, in the order in which the lines reached the file.
func (l *log) text() []byte {
	sort.SliceStable(l.requests, func(i, j int) bool {
		a, b := &l.requests[i], &l.requests[j]
		return a.at+a.late < b.at+b.late
	})
	var b []byte
	for i := range l.requests {
		b = append(l.requests[i].append(b), '\n')
	}
	return b
}

func (r *request) append(b []byte) []byte {
	if r.line == "" {
		return append(b, r.raw...)
	}
	b = append(append(b, r.client...), " - "...)
	b = append(append(b, dash(r.user)...), " ["...)
	b = append(append(b, stamp(r.at)...), `] "`...)
	b = append(append(b, r.line...), `" `...)
	b = append(strconv.AppendInt(b, int64(r.status), 10), ' ')
	b = strconv.AppendInt(b, int64(r.bytes), 10)
	b = append(append(b, ` "`...), dash(r.referer)...)
	b = append(append(b, `" "`...), dash(r.agent)...)
	return append(b, '"')
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// stamp is the local time of an instant.
func stamp(at int) string {
	return time.Unix(int64(begin+offset+at/second), 0).UTC().Format("02/Jan/2006:15:04:05 ") + zone
}

// get is the request line of a GET.
func get(format string, args ...any) string {
	return "GET " + fmt.Sprintf(format, args...) + " HTTP/1.1"
}
