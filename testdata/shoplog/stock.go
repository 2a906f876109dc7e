package main

const (
	productCount = 600
	deletedCount = 30
	hotCount     = 6
)

var categories = []string{"books", "garden", "kitchen", "lamps", "music", "office", "outdoor", "tools", "toys", "travel"}

// searches are what people look for, percent-encoded as browsers send it.
var searches = []string{
	"kettle", "desk+lamp", "garden+chair", "notebook", "copper+kettle", "lantern", "travel+pillow", "wooden+toys", "drum",
	"tripod", "oak+table", "hammer", "globe", "satchel", "ladle", "cast%20iron%20pan", "gift+for+dad", "k%C3%BCchenmesser",
	"caf%C3%A9+cup", "lampe+de+bureau", "%E6%B0%B4%E5%A3%B6", "%E7%BA%A2%E8%89%B2+%E5%8F%B0%E7%81%AF",
	"%E6%97%85%E8%A1%8C%E6%9E%95%E5%A4%B4", "%E7%AC%94%E8%AE%B0%E6%9C%AC", "black+friday", "flash+sale", "size+42", "15%25+off",
}

// stock is the products by popularity. Their ids are 7 digits, scattered, and none of the shop's fixture.
type stock struct {
	d       *draws
	ids     []int // hottest first
	deleted []int // gone: 404 for everybody, always
	rank    zipf
}

func newStock() *stock {
	s := &stock{d: stream("stock"), rank: newZipf(productCount)}
	next := 3_100_000
	all := make([]int, 0, productCount+deletedCount)
	for range productCount + deletedCount {
		next += s.d.between(1, 9000)
		all = append(all, next)
	}
	for i := len(all) - 1; i > 0; i-- {
		j := s.d.below(i + 1)
		all[i], all[j] = all[j], all[i]
	}
	s.ids, s.deleted = all[:productCount], all[productCount:]
	return s
}

// product draws a product as people are drawn to it. In the sale most look at the few that are on sale.
func (s *stock) product(d *draws, sale bool) int {
	if sale && d.percent(55) {
		return s.ids[100+d.below(hotCount)]
	}
	return s.ids[s.rank.draw(d)]
}
