// Command shoplog writes the bundled access log of a made-up web shop: 26 hours of customers, crowds,
// robots and accidents, in nginx's combined format. The bytes are the same on any machine.
//
// The requests are those of the reference shop (reprise/replay/shop) and have the statuses that it would
// answer to the person who sent them; the ids, the people and the secrets are of this log alone.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	// The standard library's compressor may change with the Go version, this one is pinned by go.sum.
	"github.com/klauspost/compress/gzip"
)

func main() {
	out := flag.String("o", "shop-access.log.gz", "write the log here")
	list := flag.String("planted", "shop-planted.txt", "write the values that must not survive here")
	flag.Parse()
	if err := write(*out, *list); err != nil {
		fmt.Fprintln(os.Stderr, "shoplog:", err)
		os.Exit(1)
	}
}

func write(out, list string) error {
	text, planted := generate()
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	if err := w.Close(); err != nil { // the header has no name and no time
		return err
	}
	if err := os.WriteFile(out, packed.Bytes(), 0o644); err != nil {
		return err
	}
	return os.WriteFile(list, []byte(strings.Join(planted, "\n")+"\n"), 0o644)
}

// generate makes the log and the list of what must not survive its anonymisation.
func generate() (text []byte, planted []string) {
	l := &log{d: stream("log")}
	p := newPeople()
	for _, a := range p.accounts {
		if len(a.orders) > 0 {
			l.owners = append(l.owners, a)
		}
	}
	m := &market{d: stream("market"), log: l, stock: newStock(), orders: make(map[int]bool)}
	for _, v := range visits() {
		m.browse(v, p.arrive(v))
	}
	l.monitor(p.address(0))
	m.crawl(p.address(0))
	l.scan(p.address(0), 3*hour+41*60*second)
	l.scan(p.address(100), sale+380*second)
	l.breakage(func() string { return p.address(20) })
	m.plant(p)
	slices.Sort(l.planted)
	return l.text(), slices.Compact(l.planted)
}
