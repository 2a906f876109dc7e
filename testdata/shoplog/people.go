package main

import (
	"fmt"
	"strings"
)

// account is a customer. Client and agent are those used most.
type account struct {
	name   string // as it stands in the user column
	id     int    // 8 digits
	client string
	agent  string
	orders []int // 9 digits, placed before the log begins
}

// The names are made up; the domains are reserved for documentation (RFC 2606).
var (
	givenNames = strings.Fields(`anna jonas lukas marta piotr ines yusuf elena tomas greta hanna oscar nadia pavel rosa
		simon tilda viktor wanda xenia milan livia karim judith ivan helge fatma erik daria bruno`)
	familyNames = strings.Fields(`keller weber novak santos lindqvist moreau kowalski demir petrov rossi jansen horvat
		fischer nielsen costa bauer vargas olsen schmid kovacs dubois ferrari larsen popescu wagner haddad`)
	domains = []string{"example.com", "example.net", "example.org"}
)

var agents = []string{
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0",
	"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15",
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0",
	"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
	"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36",
	"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36",
	"Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
	"Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
	"ShopApp/4.2.1 (Android 15; Pixel 8)",
	"ShopApp/4.2.0 (iOS 18.6; iPhone15,2)",
}

// people is everybody who visits the shop.
type people struct {
	d        *draws
	accounts []*account
	clients  []string // of visitors without an account
	shared   []string // addresses that many stand behind: offices and a mobile network
}

const (
	customers = 300
	strangers = 1700
)

func newPeople() *people {
	p := &people{d: stream("people")}
	for range 6 {
		p.shared = append(p.shared, p.address(0))
	}
	for range strangers {
		p.clients = append(p.clients, p.address(14))
	}
	taken := make(map[string]bool)
	for i := range customers {
		a := &account{name: p.name(i, taken), id: 40_000_000 + i*1237 + p.d.below(1200), client: p.address(14), agent: pick(p.d, agents)}
		if p.d.percent(12) {
			a.client = pick(p.d, p.shared)
		}
		if p.d.percent(65) {
			for range p.d.between(1, 4) {
				a.orders = append(a.orders, 204_000_000+len(taken)*2903+p.d.below(700)*4+len(a.orders))
			}
		}
		p.accounts = append(p.accounts, a)
	}
	return p
}

// name makes the user name of customer number i: an e-mail address or a plain one.
func (p *people) name(i int, taken map[string]bool) string {
	given, family := pick(p.d, givenNames), pick(p.d, familyNames)
	name := given + "_" + family
	switch {
	case p.d.percent(55):
		name = given + "." + family + "@" + pick(p.d, domains)
	case p.d.percent(30):
		name = given[:1] + family + fmt.Sprint(p.d.between(10, 99))
	}
	if taken[name] {
		name = fmt.Sprintf("%s%d", given+family, 1000+i)
	}
	taken[name] = true
	return name
}

// address makes an IPv4 address of the class E block 240/4, which is nobody's, or, for the given share
// in percent, an IPv6 address of the block for documentation (RFC 3849).
func (p *people) address(six int) string {
	if p.d.percent(six) {
		return fmt.Sprintf("2001:db8:%x:%x::%x", p.d.between(1, 0xffff), p.d.below(256)<<8|1, p.d.between(0x1000, 0xffff))
	}
	return fmt.Sprintf("%d.%d.%d.%d", p.d.between(240, 254), p.d.below(256), p.d.below(256), p.d.between(1, 254))
}

// visitor is one visit's person: where from, with what, and logged in as whom.
type visitor struct {
	client, agent string
	account       *account // nil when not logged in
}

// arrive draws the person of a visit. The sale's mail went to customers first of all.
func (p *people) arrive(v visit) visitor {
	loggedIn := 30
	if v.sale {
		loggedIn = 38
	}
	if p.d.percent(loggedIn) {
		a := pick(p.d, p.accounts)
		who := visitor{client: a.client, agent: a.agent, account: a}
		if p.d.percent(15) { // another device, elsewhere
			who.client, who.agent = pick(p.d, p.clients), pick(p.d, agents)
		}
		return who
	}
	if p.d.percent(12) {
		return visitor{client: pick(p.d, p.shared), agent: pick(p.d, agents)}
	}
	return visitor{client: pick(p.d, p.clients), agent: pick(p.d, agents)}
}
