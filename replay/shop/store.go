package shop

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite", without cgo
)

// store is one generation of the data: the pools on the live file and their prepared statements.
//
// Readers and the one writer have pools of their own. With a single writing connection writers queue
// in Go, in order, instead of polling SQLite's lock, whose back-off would show as latency of the shop.
//
// The queries take no context: each is bounded work of well under a millisecond, and a context that can
// be cancelled costs database/sql a goroutine per query.
type store struct {
	read, write *sql.DB
	now         func() time.Time

	product, productPrice, list, listCategory, search, home *sql.Stmt // on read
	user, userExists, cart, order, orderItems               *sql.Stmt // on read
	cartAdd, cartTake, cartClear, orderAdd, itemAdd         *sql.Stmt // on write
}

// dsn names the database at path with the given driver parameters.
func dsn(path string, params ...string) string {
	return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: strings.Join(params, "&")}).String()
}

// openStore opens the live file at path. On failure nothing stays open.
func openStore(path string, now func() time.Time) (_ *store, err error) {
	st := &store{now: now}
	defer func() {
		if err != nil {
			err = errors.Join(err, st.close())
		}
	}()
	// synchronous(OFF): after a power cut the data are rebuilt from the seed, and a commit that waits
	// for the disk would make the shop's latency depend on whatever else the machine writes.
	common := []string{"_pragma=busy_timeout(5000)", "_pragma=synchronous(OFF)", "_pragma=foreign_keys(1)"}
	if st.read, err = sql.Open("sqlite", dsn(path, append(common, "_pragma=query_only(1)")...)); err != nil {
		return nil, fmt.Errorf("shop: opening the data: %w", err)
	}
	if st.write, err = sql.Open("sqlite", dsn(path, append(common, "_pragma=journal_mode(WAL)", "_txlock=immediate")...)); err != nil {
		return nil, fmt.Errorf("shop: opening the data: %w", err)
	}
	readers := max(4, 2*runtime.GOMAXPROCS(0))
	st.read.SetMaxOpenConns(readers)
	st.read.SetMaxIdleConns(readers)
	st.write.SetMaxOpenConns(1)
	if err = st.prepare(); err != nil {
		return nil, fmt.Errorf("shop: preparing the queries: %w", err)
	}
	return st, nil
}

// prepare compiles every query once; database/sql repeats that for each further connection it opens.
func (st *store) prepare() error {
	for _, p := range []struct {
		stmt **sql.Stmt
		db   *sql.DB
		text string
	}{
		{&st.cartAdd, st.write, `INSERT INTO cart_items VALUES (?, ?, ?)
			ON CONFLICT DO UPDATE SET quantity = min(quantity + excluded.quantity, 99)`},
		{&st.cartTake, st.write, `SELECT product_id, quantity FROM cart_items WHERE user_id = ? ORDER BY product_id LIMIT 100`},
		{&st.cartClear, st.write, `DELETE FROM cart_items WHERE user_id = ?`},
		{&st.orderAdd, st.write, `INSERT INTO orders (user_id, created_at, total_cents) VALUES (?, ?, ?)`},
		{&st.itemAdd, st.write, `INSERT INTO order_items VALUES (?, ?, ?, ?, ?)`},
		{&st.product, st.read, `SELECT id, name, category, description, price_cents FROM products WHERE id = ?`},
		{&st.productPrice, st.read, `SELECT price_cents FROM products WHERE id = ?`},
		{&st.home, st.read, `SELECT id, name, price_cents FROM products ORDER BY id LIMIT 8`},
		{&st.list, st.read, `SELECT id, name, price_cents FROM products ORDER BY id LIMIT ? OFFSET ?`},
		{&st.listCategory, st.read, `SELECT id, name, price_cents FROM products WHERE category = ?
			ORDER BY id LIMIT ? OFFSET ?`},
		// instr instead of LIKE: a search text has no wildcards to escape.
		{&st.search, st.read, `SELECT id, name, price_cents FROM products WHERE instr(name, lower(?)) > 0
			ORDER BY id LIMIT 20`},
		{&st.user, st.read, `SELECT id, name, email, city FROM users WHERE id = ?`},
		{&st.userExists, st.read, `SELECT 1 FROM users WHERE id = ?`},
		{&st.cart, st.read, `SELECT c.product_id, p.name, c.quantity, p.price_cents FROM cart_items c
			JOIN products p ON p.id = c.product_id WHERE c.user_id = ? ORDER BY c.product_id`},
		{&st.order, st.read, `SELECT user_id, created_at, total_cents FROM orders WHERE id = ?`},
		{&st.orderItems, st.read, `SELECT i.product_id, p.name, i.quantity, i.price_cents FROM order_items i
			JOIN products p ON p.id = i.product_id WHERE i.order_id = ? ORDER BY i.line`},
	} {
		stmt, err := p.db.Prepare(p.text)
		if err != nil {
			return err
		}
		*p.stmt = stmt
	}
	return nil
}

// close closes the pools; database/sql closes their statements with them.
func (st *store) close() error {
	var errs []error
	for _, db := range []*sql.DB{st.read, st.write} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}
