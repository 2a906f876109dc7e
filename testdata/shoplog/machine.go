package main

import (
	"fmt"
	"strings"
)

// monitor asks every 10 seconds whether the shop is there.
func (l *log) monitor(client string) {
	for at := 3 * second; at < end; at += 10 * second {
		l.add(request{at: at + l.d.below(60), client: client, line: "GET /healthz HTTP/1.1", status: 200, bytes: 3, agent: "uptime-check/1.4"})
	}
}

// crawl walks through products and lists all day long, and finds what is gone.
func (m *market) crawl(client string) {
	const agent = "Mozilla/5.0 (compatible; ExampleBot/2.1; +https://bot.example.org/)"
	m.log.add(request{at: 7 * 60 * second, client: client, line: get("/robots.txt"), status: 404, bytes: 19, agent: agent})
	for at := 7*60*second + 900; at < end; at += 4*second + m.d.exponential(58_000) {
		r := request{at: at, client: client, status: 200, bytes: m.d.between(210, 480), agent: agent}
		switch n := m.d.below(100); {
		case n < 70:
			r.line = get("/products/%d", pick(m.d, m.stock.ids))
		case n < 80:
			r.line, r.status, r.bytes = get("/products/%d", pick(m.d, m.stock.deleted)), 404, 28
		case n < 84:
			r.line, r.bytes = fmt.Sprintf("HEAD /products/%d HTTP/1.1", pick(m.d, m.stock.ids)), 0
		default:
			r.line, r.bytes = get("/products?page=%d", m.d.between(1, 30)), m.d.between(900, 1500)
		}
		m.log.add(r)
	}
}

// probes are what scanners look for in a shop that has none of it.
var probes = strings.Fields(`/wp-login.php /wp-admin/ /xmlrpc.php /.env /.git/config /phpmyadmin/ /admin/ /config.php /backup.zip
	/server-status /actuator/health /api/v1/users /vendor/phpunit/phpunit/src/Util/PHP/eval-stdin.php /boaform/admin/formLogin
	/cgi-bin/luci /owa/auth/logon.aspx /solr/admin/info/system /.aws/credentials /debug/default/view /telescope/requests
	/_ignition/execute-solution /HNAP1 /remote/login /shell?cd+/tmp;rm+-rf+* /index.php?s=/Index/think/invokefunction`)

// scan probes for holes: all 404, and two requests that ask for another server and get nothing either.
func (l *log) scan(client string, at int) {
	const agent = "Mozilla/5.0 zgrab/0.x"
	for range 3 {
		for _, p := range probes {
			l.add(request{at: at, client: client, line: get("%s", p), status: 404, bytes: 19, agent: agent})
			at += l.d.between(90, 1400)
		}
	}
	l.add(request{at: at, client: client, line: get("http://probe.example.net/azenv.php"), status: 404, bytes: 19, agent: agent})
	l.add(request{at: at + 400, client: client, line: "CONNECT probe.example.net:443 HTTP/1.1", status: 400, bytes: 157})
}

// breakage is what is in every real log beside requests: handshakes on the wrong port, connections that
// never said anything, and lines that a full disk or a careless tool has spoilt.
func (l *log) breakage(address func() string) {
	d := stream("breakage")
	for range 14 {
		r := request{at: d.below(end), client: address(), status: 400}
		switch d.below(3) {
		case 0: // TLS on the plain port
			r.line, r.bytes = `\x16\x03\x01\x02\x00\x01\x00\x01\xFC\x03\x03`+escaped(d, 24), 157
		case 1:
			r.line = "-"
		default:
			r.line, r.status = "-", 408
		}
		l.add(r)
	}
	quoted := request{at: 9*hour + 1234, client: address(), line: get("/"), status: 200, bytes: 2380,
		agent: `Mozilla/5.0 (compatible; \x22QuoteBot\x22/1.0)`}
	l.add(quoted)
	torn := request{at: 11 * hour, client: address(), line: get("/products?page=2"), status: 200, bytes: 1170, agent: agents[0]}
	whole := string(torn.append(nil))
	l.add(request{at: 11 * hour, raw: whole[:len(whole)-60]})
	l.add(request{at: 14*hour + 500}) // an empty line
	long := request{at: 16 * hour, client: address(), line: get("/search?q=%s", strings.Repeat("A", 1<<20)), status: 414, bytes: 170, agent: agents[4]}
	l.add(request{at: long.at, raw: string(long.append(nil))})
}

// escaped is n random bytes as nginx writes those that are not printable.
func escaped(d *draws, n int) string {
	var b strings.Builder
	for range n {
		if c := d.below(256); c > ' ' && c < 0x7f && c != '"' && c != '\\' {
			b.WriteByte(byte(c))
		} else {
			fmt.Fprintf(&b, `\x%02X`, c)
		}
	}
	return b.String()
}
