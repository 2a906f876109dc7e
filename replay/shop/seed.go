package shop

import (
	"context"
	"database/sql"
	"fmt"

	"reprise/arrival"
	"reprise/sample/synth"
)

// seedEpoch is the stamp of the first seeded order: 2024-01-01T00:00:00Z.
const seedEpoch = 1704067200

// buildBase writes a new database with the seeded rows to path, which must not exist. When it returns,
// the whole content is in that one file and its header says WAL, so that a copy needs no conversion.
func buildBase(ctx context.Context, path string, o Options) (err error) {
	db, err := sql.Open("sqlite", dsn(path, "_pragma=journal_mode(OFF)", "_pragma=synchronous(OFF)"))
	if err != nil {
		return fmt.Errorf("shop: opening the base: %w", err)
	}
	defer func() {
		if e := db.Close(); err == nil && e != nil {
			err = fmt.Errorf("shop: closing the base: %w", e)
		}
	}()
	db.SetMaxOpenConns(1)
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("shop: seeding: %w", err)
	}
	defer tx.Rollback()
	if _, err = tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d; %s", applicationID, schema)); err != nil {
		return fmt.Errorf("shop: creating the tables: %w", err)
	}
	for _, fill := range []func(context.Context, *sql.Tx, Options) error{seedProducts, seedUsers, seedOrders} {
		if err = fill(ctx, tx, o); err != nil {
			return fmt.Errorf("shop: seeding: %w", err)
		}
	}
	if err = tx.Commit(); err != nil {
		return fmt.Errorf("shop: seeding: %w", err)
	}
	if _, err = db.ExecContext(ctx, "PRAGMA journal_mode = WAL"); err != nil {
		return fmt.Errorf("shop: switching the base to WAL: %w", err)
	}
	return nil
}

func seedProducts(ctx context.Context, tx *sql.Tx, o Options) error {
	insert, err := tx.PrepareContext(ctx, "INSERT INTO products VALUES (?, ?, ?, ?, ?)")
	if err != nil {
		return err
	}
	defer insert.Close()
	for p := range synth.DataProducts(o.Seed, o.Products) {
		if _, err := insert.ExecContext(ctx, p.ID, p.Name, p.Category, p.Description, p.PriceCents); err != nil {
			return err
		}
	}
	return nil
}

func seedUsers(ctx context.Context, tx *sql.Tx, o Options) error {
	insert, err := tx.PrepareContext(ctx, "INSERT INTO users VALUES (?, ?, ?, ?)")
	if err != nil {
		return err
	}
	defer insert.Close()
	for u := range synth.DataUsers(o.Seed, o.Users) {
		if _, err := insert.ExecContext(ctx, u.ID, u.Name, u.Email, u.City); err != nil {
			return err
		}
	}
	return nil
}

func seedOrders(ctx context.Context, tx *sql.Tx, o Options) error {
	insert, err := tx.PrepareContext(ctx, "INSERT INTO orders VALUES (?, ?, ?, 0)")
	if err != nil {
		return err
	}
	defer insert.Close()
	item, err := tx.PrepareContext(ctx, `INSERT INTO order_items
		SELECT ?, ?, id, ?, price_cents FROM products WHERE id = ?`)
	if err != nil {
		return err
	}
	defer item.Close()
	d := arrival.NewStream(o.Seed, "orders")
	for id := 1; id <= o.Orders; id++ {
		if _, err := insert.ExecContext(ctx, id, 1+d.Below(o.Users), seedEpoch+60*id+d.Below(60)); err != nil {
			return err
		}
		for line, lines := 1, 1+d.Below(4); line <= lines; line++ {
			if _, err := item.ExecContext(ctx, id, line, 1+d.Below(3), 1+d.Below(o.Products)); err != nil {
				return err
			}
		}
	}
	_, err = tx.ExecContext(ctx, `UPDATE orders SET total_cents =
		(SELECT sum(quantity * price_cents) FROM order_items WHERE order_id = orders.id)`)
	return err
}
