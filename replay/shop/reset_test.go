package shop_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"reprise/replay/shop"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func fingerprint(t testing.TB, s *shop.Shop) shop.Fingerprint {
	t.Helper()
	f, err := s.Fingerprint(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// alter runs statements on the live file from outside the shop.
func alter(t *testing.T, s *shop.Shop, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+s.Path()+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// TestFingerprintGolden holds the data of a seed to the byte, for every machine and version.
func TestFingerprintGolden(t *testing.T) {
	f := fingerprint(t, open(t, small))
	const want = "sha256:792d4b1bdb9648d730b8ba5bf6f10c48cd80fc6c1d69ddc2fd3b96fab2bf8631"
	if f.Sum != want {
		t.Errorf("fingerprint %s, want %s", f.Sum, want)
	}
	if f.Sequences["orders"] != 40 {
		t.Errorf("sequence of orders at %d, want 40", f.Sequences["orders"])
	}
	if rows := f.Tables["products"].Rows; rows != 60 {
		t.Errorf("%d products, want 60", rows)
	}
}

func TestSeedAndSizesChangeTheFingerprint(t *testing.T) {
	seen := map[string]string{}
	f := func(name string, change func(*shop.Options)) {
		t.Helper()
		o := small
		change(&o)
		sum := fingerprint(t, open(t, o)).Sum
		if other, ok := seen[sum]; ok {
			t.Errorf("%s and %s share the fingerprint %s", name, other, sum)
		}
		seen[sum] = name
	}
	f("the original", func(*shop.Options) {})
	f("another seed", func(o *shop.Options) { o.Seed++ })
	f("one product more", func(o *shop.Options) { o.Products++ })
	f("one user more", func(o *shop.Options) { o.Users++ })
	f("one order more", func(o *shop.Options) { o.Orders++ })
}

// TestResetRestores changes one thing at a time: the fingerprint must tell, and a reset must undo it.
func TestResetRestores(t *testing.T) {
	s := open(t, small)
	before := fingerprint(t, s)
	f := func(name string, change func()) {
		t.Helper()
		change()
		if fingerprint(t, s).Sum == before.Sum {
			t.Errorf("%s: the fingerprint did not change", name)
		}
		if err := s.Reset(context.Background()); err != nil {
			t.Fatal(err)
		}
		if after := fingerprint(t, s); after.Sum != before.Sum {
			t.Errorf("%s: fingerprint after the reset %+v, want %+v", name, after, before)
		}
	}
	h := s.Handler()
	f("a cart item", func() { ask(h, "POST", "/cart/items", "1", `{"product_id":3,"quantity":2}`) })
	f("an order", func() { ask(h, "POST", "/orders", "1", `{"items":[{"product_id":1,"quantity":1}]}`) })
	f("a changed row", func() { alter(t, s, `UPDATE products SET price_cents = price_cents + 1 WHERE id = 17`) })
	f("two rows swapped in one column", func() {
		alter(t, s, `UPDATE products SET price_cents = CASE id WHEN 1 THEN (SELECT price_cents FROM products WHERE id = 2)
			ELSE (SELECT price_cents FROM products WHERE id = 1) END WHERE id IN (1, 2)`)
	})
	f("a deleted row", func() { alter(t, s, `DELETE FROM order_items WHERE order_id = 5 AND line = 1`) })
	f("all rows deleted", func() { alter(t, s, `DELETE FROM order_items`, `DELETE FROM orders`) })
	f("a dropped index", func() { alter(t, s, `DROP INDEX products_by_category`) })
	f("a table more", func() { alter(t, s, `CREATE TABLE "odd "" name" (x)`) })
	f("only a consumed number", func() {
		var placed struct {
			ID int64 `json:"id"`
		}
		body := ask(h, "POST", "/orders", "1", `{"items":[{"product_id":1,"quantity":1}]}`).Body.Bytes()
		if err := json.Unmarshal(body, &placed); err != nil || placed.ID != 41 {
			t.Fatalf("order %d, want 41 after every reset (error %v)", placed.ID, err)
		}
		alter(t, s, `DELETE FROM order_items WHERE order_id = 41`, `DELETE FROM orders WHERE id = 41`)
		f := fingerprint(t, s)
		if f.Tables["orders"] != before.Tables["orders"] || f.Tables["order_items"] != before.Tables["order_items"] {
			t.Error("the rows differ, so this shows nothing about the sequence")
		}
	})
}

// TestRowOrderDoesNotMatter rewrites a table in reverse.
func TestRowOrderDoesNotMatter(t *testing.T) {
	s := open(t, small)
	before := fingerprint(t, s)
	alter(t, s, `DROP INDEX products_by_category`, `VACUUM`, `CREATE INDEX products_by_category ON products (category, id)`)
	if after := fingerprint(t, s); after.Sum != before.Sum {
		t.Errorf("fingerprint %+v after a rewrite of the file, want %+v", after, before)
	}
}

// TestResetUnderTraffic resets while clients read and write: every answer is whole, and every reader
// sees orders from before the reset or none.
func TestResetUnderTraffic(t *testing.T) {
	s := open(t, small)
	before := fingerprint(t, s)
	h := s.Handler()
	var stop atomic.Bool
	var bad, served atomic.Int64
	var clients sync.WaitGroup
	for client := range 4 {
		clients.Go(func() {
			user := strconv.Itoa(client + 1)
			for !stop.Load() {
				placed := ask(h, "POST", "/orders", user, `{"items":[{"product_id":1,"quantity":1},{"product_id":2,"quantity":1}]}`)
				if placed.Code != http.StatusCreated {
					bad.Add(1)
				}
				// The order exists with both its lines, or a reset took it, or gave its number to another.
				var order struct {
					ID    int64 `json:"id"`
					Items []any `json:"items"`
				}
				json.Unmarshal(placed.Body.Bytes(), &order)
				read := ask(h, "GET", "/orders/"+itoa(order.ID), user, "")
				json.Unmarshal(read.Body.Bytes(), &order)
				switch read.Code {
				case http.StatusOK:
					if len(order.Items) != 2 {
						bad.Add(1)
					}
				case http.StatusNotFound, http.StatusForbidden:
				default:
					bad.Add(1)
				}
				if ask(h, "GET", "/products/3", "", "").Code != http.StatusOK {
					bad.Add(1)
				}
				served.Add(1)
			}
		})
	}
	for range 20 {
		for mark := served.Load(); served.Load() < mark+8; {
			runtime.Gosched() // let every reset meet soiled data
		}
		if err := s.Reset(context.Background()); err != nil {
			t.Error(err)
		}
	}
	stop.Store(true)
	clients.Wait()
	if n := bad.Load(); n > 0 {
		t.Errorf("%d of %d rounds saw a half state or an error", n, served.Load())
	}
	if err := s.Reset(context.Background()); err != nil {
		t.Fatal(err)
	}
	if after := fingerprint(t, s); after.Sum != before.Sum {
		t.Errorf("fingerprint after the traffic %+v, want %+v", after, before)
	}
}

func TestResetCancelled(t *testing.T) {
	s := open(t, small)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Reset(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("reset with a cancelled context: %v, want it to say so", err)
	}
	if code := ask(s.Handler(), "GET", "/products/1", "", "").Code; code != 200 {
		t.Errorf("status %d after a cancelled reset, want 200", code)
	}
}

func TestOpenRefusesForeignFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mine.db")
	const content = "not a shop"
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	o := small
	o.Path = path
	if _, err := shop.Open(context.Background(), o); err == nil {
		t.Fatal("a foreign file was taken for a shop")
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != content {
		t.Errorf("the foreign file holds %q now (error %v)", got, err)
	}
	o.Path += ".2"
	db, err := sql.Open("sqlite", o.Path)
	if err == nil {
		_, err = db.Exec("CREATE TABLE precious (x)")
	}
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := shop.Open(context.Background(), o); err == nil {
		t.Error("a foreign SQLite database was taken for a shop")
	}
}

func TestReopenAtPath(t *testing.T) {
	o := small
	o.Path = filepath.Join(t.TempDir(), "a shop?#%.db") // a name that a careless DSN would cut
	first, err := shop.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	want := fingerprint(t, first).Sum
	ask(first.Handler(), "POST", "/orders", "1", `{"items":[{"product_id":1,"quantity":1}]}`)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); !errors.Is(err, shop.ErrClosed) {
		t.Errorf("second close: %v, want ErrClosed", err)
	}
	if err := first.Reset(context.Background()); !errors.Is(err, shop.ErrClosed) {
		t.Errorf("reset after close: %v, want ErrClosed", err)
	}
	if code := ask(first.Handler(), "GET", "/products/1", "", "").Code; code != 503 {
		t.Errorf("status %d after close, want 503", code)
	}
	if got := fingerprint(t, open(t, o)).Sum; got != want {
		t.Errorf("fingerprint %s after reopening, want %s", got, want)
	}
}

// TestCloseLeavesOnlyTheLiveFile counts what a shop leaves behind at a path of the caller's.
func TestCloseLeavesOnlyTheLiveFile(t *testing.T) {
	o := small
	o.Path = filepath.Join(t.TempDir(), "shop.db")
	s, err := shop.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Reset(context.Background()), s.Close()); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Dir(o.Path))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 || entries[0].Name() != "shop.db" {
		t.Errorf("left behind: %v, want shop.db alone", entries)
	}
}

func TestOpenRefusesOptions(t *testing.T) {
	f := func(o shop.Options) {
		t.Helper()
		if s, err := shop.Open(context.Background(), o); err == nil {
			s.Close()
			t.Errorf("%+v was accepted", o)
		}
	}
	f(shop.Options{Products: -1})
	f(shop.Options{Users: 1_000_001})
	f(shop.Options{Path: filepath.Join(os.TempDir(), "no", "such", "folder", "x.db")})
	f(shop.Options{Faults: shop.FaultSpec{Reset: &shop.Break{Share: 2}}})
}
