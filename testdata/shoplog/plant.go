package main

// secrets are values that no artefact made from this log may hold. None is anybody's: the domains and
// the numbers are reserved (RFC 2606; 555-01xx; the test number of a card brand), the rest is made up.
var secrets = []struct{ target, secret string }{
	{"/search?q=hildegard.sommerfeld%40example.com", "hildegard.sommerfeld"},
	{"/?utm_source=mail&email=quirin.achternbusch@example.org", "quirin.achternbusch"},
	{"/products?page=1&contact=rosalinde.vogelsang%2540example.net", "rosalinde.vogelsang"},
	{"/search?q=Zacharias+Winterhalter+Lindenweg+17", "Winterhalter"},
	{"/search?q=Eulalia%20Morgenstern", "Morgenstern"},
	{"/search?q=%E5%BC%A0%E5%B0%8F%E6%98%8E+%E5%9C%B0%E5%9D%80", "%E5%BC%A0%E5%B0%8F%E6%98%8E"},
	{"/products?page=2&phone=%2B12025550143", "12025550143"},
	{"/?tel=202-555-0178", "202-555-0178"},
	{"/search?q=4111+1111+1111+1111", "4111+1111+1111+1111"},
	{"/search?q=4111111111111111", "4111111111111111"},
	{"/?token=Vq3XkT9bZr7LmN2pWc8YdF5gHs1JtQ6u", "Vq3XkT9bZr7LmN2pWc8YdF5gHs1JtQ6u"},
	{"/cart?access_token=eyJhbGciOiJub25lIn0.eyJzdWIiOiJub2JvZHkifQ.c2lnbmF0dXJl", "eyJzdWIiOiJub2JvZHkifQ"},
	{"/?session=5f0c9a41b7e2d8364c1fa07be95d2683", "5f0c9a41b7e2d8364c1fa07be95d2683"},
	{"/products?page=1&PHPSESSID=k9v2m4q8r1t6w3x7z5", "k9v2m4q8r1t6w3x7z5"},
	{"/?ref=7c9e6679-7425-40de-944b-e07fc1f90ae7", "7c9e6679-7425-40de-944b-e07fc1f90ae7"},
	{"/?password=Correct-Horse-Battery-9", "Correct-Horse-Battery-9"},
	{"/?reset=rosalinde&sig=3b1c5d7e9f2a4c6e8b0d", "3b1c5d7e9f2a4c6e8b0d"},
}

// plant puts every secret into the day and twice into the sale, and lists beside them what identifies the
// people who sent them and some of those who bought.
func (m *market) plant(p *people) {
	d := stream("plants")
	for i, s := range secrets {
		times := []int{d.between(6*hour, 23*hour), d.between(sale, saleEnd), d.between(sale, saleEnd)}
		for k, at := range times {
			a := p.accounts[(i*3+k)*5%customers]
			who := visitor{client: a.client, agent: a.agent, account: a}
			b := &browser{market: m, visitor: who, at: at}
			b.send("GET", s.target, 200, d.between(15, 2380))
			if k == 1 {
				m.log.planted = append(m.log.planted, s.secret, a.name, a.client)
			}
		}
	}
}
