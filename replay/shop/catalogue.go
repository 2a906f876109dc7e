package shop

import (
	"context"
	"database/sql"
	"fmt"
)

// Catalogue lists the ids that requests can be bound to, each list in ascending order.
type Catalogue struct {
	Products []int64          `json:"products"`
	Users    []int64          `json:"users"`
	Orders   []CatalogueOrder `json:"orders"`
}

// CatalogueOrder is an order with its owner, who alone may read it.
type CatalogueOrder struct {
	ID   int64 `json:"id"`
	User int64 `json:"user"`
}

// Catalogue returns the ids in the data as they stand, in one transaction.
func (s *Shop) Catalogue(ctx context.Context) (c Catalogue, err error) {
	err = s.view(func(st *store) error {
		tx, err := st.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
		if err != nil {
			return err
		}
		defer tx.Rollback()
		if c.Products, err = ids(ctx, tx, `SELECT id FROM products ORDER BY id`); err != nil {
			return err
		}
		if c.Users, err = ids(ctx, tx, `SELECT id FROM users ORDER BY id`); err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, `SELECT id, user_id FROM orders ORDER BY id`)
		if err != nil {
			return err
		}
		defer rows.Close()
		c.Orders = []CatalogueOrder{}
		for rows.Next() {
			var o CatalogueOrder
			if err := rows.Scan(&o.ID, &o.User); err != nil {
				return err
			}
			c.Orders = append(c.Orders, o)
		}
		return rows.Err()
	})
	if err != nil {
		return Catalogue{}, fmt.Errorf("shop: listing the catalogue: %w", err)
	}
	return c, nil
}

func ids(ctx context.Context, tx *sql.Tx, query string) ([]int64, error) {
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	list := []int64{}
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		list = append(list, id)
	}
	return list, rows.Err()
}
