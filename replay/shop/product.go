package shop

import (
	"database/sql"
	"net/http"
	"strconv"

	"reprise/sample/synth"
)

const (
	pageRows    = 20
	maxPage     = 1_000_000
	maxTextSize = 200 // bytes of a category or a search text
)

// product is the answer of GET /products/{id}.
type product struct {
	ID          int64  `json:"id"`
	Name        string `json:"name"`
	Category    string `json:"category"`
	Description string `json:"description"`
	PriceCents  int64  `json:"price_cents"`
}

// listing is a product in a list.
type listing struct {
	ID         int64  `json:"id"`
	Name       string `json:"name"`
	PriceCents int64  `json:"price_cents"`
}

func (s *Shop) getHome(*http.Request) (reply, error) {
	list, err := s.listings(func(st *store) (*sql.Rows, error) { return st.home.Query() })
	return reply{http.StatusOK, struct {
		Shop       string    `json:"shop"`
		Categories []string  `json:"categories"`
		Featured   []listing `json:"featured"`
	}{"reprise reference shop", synth.Categories(), list}}, err
}

func (s *Shop) getProducts(r *http.Request) (reply, error) {
	query := r.URL.Query()
	page, category := 1, query.Get("cat")
	if text := query.Get("page"); text != "" {
		var err error
		if page, err = strconv.Atoi(text); err != nil || page < 1 || page > maxPage {
			return reply{}, refuse(http.StatusBadRequest, "page must be a number from 1 to 1000000")
		}
	}
	if len(category) > maxTextSize {
		return reply{}, refuse(http.StatusBadRequest, "cat is too long")
	}
	list, err := s.listings(func(st *store) (*sql.Rows, error) {
		if category == "" {
			return st.list.Query(pageRows, (page-1)*pageRows)
		}
		return st.listCategory.Query(category, pageRows, (page-1)*pageRows)
	})
	return reply{http.StatusOK, struct {
		Page     int       `json:"page"`
		Products []listing `json:"products"`
	}{page, list}}, err
}

func (s *Shop) getSearch(r *http.Request) (reply, error) {
	text := r.URL.Query().Get("q")
	if len(text) > maxTextSize {
		return reply{}, refuse(http.StatusBadRequest, "q is too long")
	}
	list := []listing{}
	var err error
	if text != "" {
		list, err = s.listings(func(st *store) (*sql.Rows, error) { return st.search.Query(text) })
	}
	return reply{http.StatusOK, struct {
		Products []listing `json:"products"`
	}{list}}, err
}

func (s *Shop) getProduct(r *http.Request) (reply, error) {
	id, err := pathID(r)
	if err != nil {
		return reply{}, err
	}
	var p product
	err = s.view(func(st *store) error {
		return st.product.QueryRow(id).Scan(&p.ID, &p.Name, &p.Category, &p.Description, &p.PriceCents)
	})
	return reply{http.StatusOK, &p}, found(err, "no such product")
}

// listings collects the rows of a query for products; none is an empty list.
func (s *Shop) listings(query func(*store) (*sql.Rows, error)) ([]listing, error) {
	list := make([]listing, 0, pageRows)
	err := s.view(func(st *store) error {
		rows, err := query(st)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var l listing
			if err := rows.Scan(&l.ID, &l.Name, &l.PriceCents); err != nil {
				return err
			}
			list = append(list, l)
		}
		return rows.Err()
	})
	return list, err
}
