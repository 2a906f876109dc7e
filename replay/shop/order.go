package shop

import (
	"database/sql"
	"net/http"
	"time"
)

// maxOrderLines bounds the lines of an order, in a body as well as from a cart.
const maxOrderLines = 100

// item is one product and how many of it, as a client sends it.
type item struct {
	Product  int64 `json:"product_id"`
	Quantity int   `json:"quantity"`
}

func (i item) validate() error {
	if i.Product < 1 || i.Quantity < 1 || i.Quantity > 99 {
		return refuse(http.StatusBadRequest, "product_id must be positive and quantity 1 to 99")
	}
	return nil
}

// line is an item as the shop shows it in a cart or an order.
type line struct {
	Product    int64  `json:"product_id"`
	Name       string `json:"name"`
	Quantity   int    `json:"quantity"`
	PriceCents int64  `json:"price_cents"`
}

func (s *Shop) getCart(r *http.Request) (reply, error) {
	id, err := caller(r)
	if err != nil {
		return reply{}, err
	}
	var lines []line
	err = s.view(func(st *store) error {
		if err := st.known(id); err != nil {
			return err
		}
		lines, err = scanLines(st.cart, id)
		return err
	})
	return reply{http.StatusOK, struct {
		User  int64  `json:"user"`
		Items []line `json:"items"`
	}{id, lines}}, err
}

func (s *Shop) postCartItem(r *http.Request) (reply, error) {
	id, err := caller(r)
	if err != nil {
		return reply{}, err
	}
	var it item
	if err := decode(r, &it); err != nil {
		return reply{}, err
	}
	if err := it.validate(); err != nil {
		return reply{}, err
	}
	err = s.view(func(st *store) error {
		if err := st.known(id); err != nil {
			return err
		}
		if _, err := st.price(it.Product); err != nil {
			return err
		}
		_, err := st.cartAdd.Exec(id, it.Product, it.Quantity)
		return err
	})
	return reply{http.StatusCreated, it}, err
}

// placed is the answer of POST /orders.
type placed struct {
	ID         int64 `json:"id"`
	User       int64 `json:"user"`
	TotalCents int64 `json:"total_cents"`
}

func (s *Shop) postOrder(r *http.Request) (reply, error) {
	id, err := caller(r)
	if err != nil {
		return reply{}, err
	}
	var body struct {
		Items []item `json:"items"`
	}
	if err := decode(r, &body); err != nil && err != errEmptyBody {
		return reply{}, err
	}
	if len(body.Items) > maxOrderLines {
		return reply{}, refuse(http.StatusBadRequest, "an order has at most 100 items")
	}
	for _, it := range body.Items {
		if err := it.validate(); err != nil {
			return reply{}, err
		}
	}
	var p placed
	err = s.view(func(st *store) error {
		if err := st.known(id); err != nil {
			return err
		}
		p, err = st.place(id, body.Items)
		return err
	})
	if err == nil {
		s.metrics.orders.Add(1)
	}
	return reply{http.StatusCreated, p}, err
}

func (s *Shop) getOrder(r *http.Request) (reply, error) {
	id, err := pathID(r)
	if err != nil {
		return reply{}, err
	}
	owner, err := caller(r)
	if err != nil {
		return reply{}, err
	}
	answer := struct {
		placed
		Created time.Time `json:"created_at"`
		Items   []line    `json:"items"`
	}{placed: placed{ID: id}}
	err = s.view(func(st *store) error {
		var created int64
		if err := st.order.QueryRow(id).Scan(&answer.User, &created, &answer.TotalCents); err != nil {
			return err
		}
		if answer.User != owner {
			return refuse(http.StatusForbidden, "the order belongs to another user")
		}
		answer.Created = time.Unix(created, 0).UTC()
		answer.Items, err = scanLines(st.orderItems, id)
		return err
	})
	return reply{http.StatusOK, &answer}, found(err, "no such order")
}

// price returns the price of a product and refuses with 404 when there is none of that id.
func (st *store) price(id int64) (cents int64, err error) {
	err = st.productPrice.QueryRow(id).Scan(&cents)
	return cents, found(err, "no such product")
}

// place writes an order of items, or of the user's cart, which it then empties, when items is empty.
func (st *store) place(user int64, items []item) (placed, error) {
	tx, err := st.write.Begin()
	if err != nil {
		return placed{}, err
	}
	defer tx.Rollback()
	if len(items) == 0 {
		if items, err = scanItems(tx.Stmt(st.cartTake), user); err != nil {
			return placed{}, err
		}
		if len(items) == 0 {
			return placed{}, refuse(http.StatusConflict, "no items given and the cart is empty")
		}
		if _, err := tx.Stmt(st.cartClear).Exec(user); err != nil {
			return placed{}, err
		}
	}
	prices := make([]int64, len(items))
	p := placed{User: user}
	for i, it := range items {
		if prices[i], err = st.price(it.Product); err != nil {
			return placed{}, err
		}
		p.TotalCents += prices[i] * int64(it.Quantity)
	}
	result, err := tx.Stmt(st.orderAdd).Exec(user, st.now().Unix(), p.TotalCents)
	if err != nil {
		return placed{}, err
	}
	if p.ID, err = result.LastInsertId(); err != nil {
		return placed{}, err
	}
	add := tx.Stmt(st.itemAdd)
	for i, it := range items {
		if _, err := add.Exec(p.ID, i+1, it.Product, it.Quantity, prices[i]); err != nil {
			return placed{}, err
		}
	}
	return p, tx.Commit()
}

func scanItems(stmt *sql.Stmt, user int64) ([]item, error) {
	rows, err := stmt.Query(user)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var items []item
	for rows.Next() {
		var it item
		if err := rows.Scan(&it.Product, &it.Quantity); err != nil {
			return nil, err
		}
		items = append(items, it)
	}
	return items, rows.Err()
}

func scanLines(stmt *sql.Stmt, id int64) ([]line, error) {
	rows, err := stmt.Query(id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	lines := []line{}
	for rows.Next() {
		var l line
		if err := rows.Scan(&l.Product, &l.Name, &l.Quantity, &l.PriceCents); err != nil {
			return nil, err
		}
		lines = append(lines, l)
	}
	return lines, rows.Err()
}
