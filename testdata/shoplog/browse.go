package main

import "fmt"

const site = "https://shop.example.com"

// market is the shop in production, as far as the log can tell: it answers by the rules of the reference
// shop, so that a replay against that one can get the same statuses.
type market struct {
	d      *draws
	log    *log
	stock  *stock
	orders map[int]bool // numbers given out during the log
}

// browser is one visit in progress.
type browser struct {
	*market
	visitor
	at      int
	sale    bool
	seen    int // product looked at last, 0 for none
	basket  int // items put into the cart in this visit
	page    string
	session string
}

func (m *market) browse(v visit, who visitor) {
	b := &browser{market: m, visitor: who, at: v.at, sale: v.sale}
	if who.account != nil && m.d.percent(20) {
		b.session = m.d.text(hexDigits, 32)
	}
	b.land()
	for m.d.percent(83) {
		b.think()
		b.step()
	}
	if b.account != nil && b.basket > 0 && m.d.percent(55) {
		b.think()
		b.order()
	}
}

// think waits as long as people look at a page; in the sale they hurry.
func (b *browser) think() {
	if b.sale {
		b.at += 500 + b.d.exponential(4200)
		return
	}
	b.at += 1200 + b.d.exponential(19_000)
}

// send logs a request that follows from the page at hand.
func (b *browser) send(method, target string, status, bytes int) {
	r := request{at: b.at, client: b.client, line: method + " " + target + " HTTP/1.1", status: status, bytes: bytes, agent: b.agent}
	if b.agent[0] == 'S' { // the app sends no referer
		r.line = method + " " + target + " HTTP/2.0"
	} else {
		r.referer = b.page
	}
	if b.account != nil {
		r.user = b.account.name
	}
	b.log.add(r)
	if method == "GET" && status == 200 {
		b.page = site + target
	}
}

// land opens the first page: from a search engine, a newsletter, a bookmark.
func (b *browser) land() {
	switch n := b.d.below(100); {
	case b.sale && n < 45:
		b.page = "https://mail.example.net/"
		b.product(fmt.Sprintf("?utm_source=mail&utm_campaign=flash&uid=%d", b.d.between(100_000, 999_999)))
	case b.sale && n < 80, n < 30:
		b.page = ""
		b.send("GET", "/", 200, 2380)
	case n < 55:
		b.page = "https://www.google.com/"
		b.product("")
	case n < 62:
		b.page = ""
		b.send("GET", fmt.Sprintf("/?utm_source=social&click=%s", b.d.text(alphanumeric, 22)), 200, 2380)
	case n < 64: // an old bookmark
		b.page = ""
		b.gone()
	case n < 80:
		b.page = "https://www.bing.com/"
		b.list()
	default:
		b.page = ""
		b.search()
	}
	if b.page == site+"/" && b.d.percent(12) && b.agent[0] == 'M' {
		b.at += b.d.between(40, 200)
		b.send("GET", "/favicon.ico", 404, 19)
	}
}

// step opens one more page.
func (b *browser) step() {
	n := b.d.below(100)
	if b.account != nil {
		b.memberStep(n)
		return
	}
	switch {
	case n < 56:
		b.product("")
	case n < 76:
		b.list()
	case n < 88:
		b.search()
	case n < 94:
		b.send("GET", "/", 200, 2380)
	case n < 95:
		b.gone()
	case n < 98: // a cart needs a customer
		b.send("GET", "/cart", 401, 71)
	case n < 99 && b.seen != 0:
		b.send("POST", "/cart/items", 401, 71)
	default:
		b.product("")
	}
}

func (b *browser) memberStep(n int) {
	a := b.account
	switch {
	case n < 42:
		b.product("")
	case n < 54:
		b.list()
	case n < 62:
		b.search()
	case n < 66:
		b.send("GET", "/", 200, 2380)
	case n < 81 && b.seen != 0:
		b.send("POST", "/cart/items", 201, 39)
		b.basket++
		b.at += b.d.between(60, 220)
		b.cart()
	case n < 86:
		b.cart()
	case n < 91:
		b.send("GET", fmt.Sprintf("/users/%d", a.id), 200, 92)
	case n < 99 && len(a.orders) > 0:
		b.send("GET", fmt.Sprintf("/orders/%d", pick(b.d, a.orders)), 200, b.d.between(190, 420))
	case n < 99:
		b.product("")
	case b.d.percent(60): // somebody tries the number of somebody else's order
		b.send("GET", fmt.Sprintf("/orders/%d", b.foreign()), 403, 49)
	default:
		b.send("GET", fmt.Sprintf("/orders/%d", 199_000_000+b.d.below(900_000)), 404, 26)
	}
}

// foreign is an order that is not the visitor's.
func (b *browser) foreign() int {
	for {
		a := pick(b.d, b.log.owners)
		if a != b.account {
			return pick(b.d, a.orders)
		}
	}
}

func (b *browser) product(query string) {
	b.seen = b.stock.product(b.d, b.sale)
	b.send("GET", fmt.Sprintf("/products/%d%s", b.seen, query), 200, b.d.between(210, 480))
	if b.d.percent(12) { // the page asks for what is related
		b.at += b.d.between(50, 160)
		page := b.page
		b.send("GET", "/products?cat="+pick(b.d, categories), 200, b.d.between(900, 1500))
		b.page = page
	}
}

func (b *browser) gone() {
	b.send("GET", fmt.Sprintf("/products/%d", pick(b.d, b.stock.deleted)), 404, 28)
}

func (b *browser) list() {
	target := fmt.Sprintf("/products?page=%d", 1+b.d.exponential(2))
	if b.d.percent(60) {
		target += "&cat=" + pick(b.d, categories)
	}
	b.send("GET", target, 200, b.d.between(900, 1500))
}

func (b *browser) search() {
	target := "/search?q=" + pick(b.d, searches)
	if b.session != "" {
		target += "&sid=" + b.session
	}
	b.send("GET", target, 200, b.d.between(15, 1400))
}

func (b *browser) cart() {
	b.send("GET", "/cart", 200, 26+92*b.basket)
}

// order buys what is in the cart and looks at the order.
func (b *browser) order() {
	b.send("POST", "/orders", 201, 51)
	number := 205_000_000 + b.at/100
	for b.orders[number] {
		number++
	}
	b.orders[number] = true
	b.at += b.d.between(150, 900)
	b.send("GET", fmt.Sprintf("/orders/%d", number), 200, b.d.between(190, 420))
	b.basket = 0
}
