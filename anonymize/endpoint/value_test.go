package endpoint_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"reprise/anonymize/endpoint"
)

// watching is a learner that watches the keys cat and sort.
func watching() *endpoint.Learner {
	l := endpoint.NewLearner()
	l.WatchValues(map[string]int{"Cat": 3, "sort": 64})
	return l
}

// Values stay when many clients asked for them, at most so many, and only those that look like words.
func TestValues(t *testing.T) {
	l := watching()
	add := func(clients, times int, query string) {
		for client := range uint64(clients) {
			for range times {
				l.AddTarget([]byte("/x?"+query), client, 200)
			}
		}
	}
	add(100, 1, "cat=shoes&CAT=hats&x=1&cat=%73ocks&cat=books")
	add(90, 9, "cat=books#cat=tail")
	add(80, 1, "cat=coats") // one of five, and the rarest
	add(15, 90, "sort=few-clients")
	add(100, 1, "sort=price&sort=2024&sort=Price")
	add(100, 1, "sort=13912345&sort=a%40b.example&sort=eyJhbGciOiJIUzI1NiJ9&sort=two+words&sort=user-123&sort=2020-11-02&sort&sort=&color=red")
	for client := range uint64(100) {
		l.AddTarget([]byte("/x?sort=scanned"), client, 404)
		l.AddTarget([]byte("/x?sort="+name(int(client))), client, 200)
	}
	s := l.Set()
	want := map[string][]string{"cat": {"books", "hats", "shoes"}, "sort": {"2024", "Price", "price"}}
	if got := s.Values(); !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("values are %v, want %v", got, want)
	}
	f := func(want bool, key, value string) {
		t.Helper()
		if s.KeepsValue([]byte(key), []byte(value)) != want {
			t.Errorf("%s=%s is kept: %v", key, value, !want)
		}
	}
	f(true, "cat", "shoes")
	f(true, "CAT", "hats")
	f(false, "cat", "Shoes")
	f(false, "cat", "price")
	f(false, "color", "red")
	f(false, "cat", "")
	f(false, "", "shoes")
	f(false, strings.Repeat("c", 300), "shoes")
	key, value := []byte("Cat"), []byte("shoes")
	if n := testing.AllocsPerRun(100, func() { s.KeepsValue(key, value) }); n != 0 {
		t.Errorf("%v allocations", n)
	}

	var b bytes.Buffer
	if err := s.WriteYAML(&b); err != nil {
		t.Fatal(err)
	}
	read, _, err := endpoint.Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	if read.Digest() != s.Digest() || !maps.EqualFunc(read.Values(), want, slices.Equal) {
		t.Errorf("read back %v", read.Values())
	}
	bare := endpoint.NewLearner()
	bare.Merge(l)
	if bare.Set().Digest() == s.Digest() {
		t.Error("values are not part of the digest")
	}
}

// Values that YAML has other names for are read back as texts.
func TestValuesThatLookLikeOtherThings(t *testing.T) {
	l := watching()
	values := []string{"true", "no", "null", "1", "007", "1e3", "1.7.1", "-", ".", "..", "--", "y", "0o7"}
	for client := range uint64(100) {
		for _, v := range values {
			l.AddTarget([]byte("/?sort="+v), client, 200)
		}
	}
	var b bytes.Buffer
	if err := l.Set().WriteYAML(&b); err != nil {
		t.Fatal(err)
	}
	read, _, err := endpoint.Read(&b)
	slices.Sort(values)
	if err != nil || !slices.Equal(read.Values()["sort"], values) {
		t.Errorf("%v: read back %q, want %q", err, read.Values()["sort"], values)
	}
}

// Beyond the limit, too, the values depend on the set of requests alone.
func TestValuesAreOrderFree(t *testing.T) {
	n := endpoint.ValueLimit * 13 / 10
	value := func(i int) string {
		return fmt.Sprintf("%c%c%c%c", 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26, 'a'+i/17576%26)
	}
	add := func(l *endpoint.Learner, i int) {
		for client := range uint64(2) {
			l.AddTarget([]byte("/?sort="+value(i)), client, 200)
		}
		if i%997 == 0 {
			l.AddTarget([]byte("/?sort="+value(i)), 1, 200)
		}
	}
	forward, left, right := watching(), watching(), watching()
	for i := range n {
		add(forward, i)
		if back := n - 1 - i; back%3 == 0 {
			add(left, back)
		} else {
			add(right, back)
		}
	}
	left.Merge(right)
	a, b := forward.Set(), left.Set()
	if len(a.Values()["sort"]) != 64 || a.Digest() != b.Digest() {
		t.Errorf("%d values; the order changed the digest: %v", len(a.Values()["sort"]), a.Digest() != b.Digest())
	}
}

func BenchmarkAddTarget(b *testing.B) {
	targets := [][]byte{[]byte("/api/v1/users/7654321/orders/99?page=2&sort=price&filter=new"), []byte("/p/4711"), []byte("/search?q=red+shoes&cat=books")}
	run := func(b *testing.B, l *endpoint.Learner) {
		size := 0
		for _, t := range targets {
			size += len(t)
		}
		b.SetBytes(int64(size))
		b.ReportAllocs()
		for b.Loop() {
			for i, t := range targets {
				l.AddTarget(t, uint64(i), 200)
			}
		}
	}
	b.Run("paths", func(b *testing.B) { run(b, endpoint.NewLearner()) })
	b.Run("values", func(b *testing.B) { run(b, watching()) })
}
