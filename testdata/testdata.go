// Package testdata is the bundled access log of the demo: 26 hours of a made-up shop whose flash sale at
// 20:00 is the peak to rehearse, with the rules that bind its ids to the reference shop.
//
// Everything in it is made by shoplog from fixed seeds. Nobody in it exists: addresses are of 240/4 and
// 2001:db8::/32, domains and telephone numbers are reserved for documentation.
package testdata

import (
	_ "embed"
	"strings"
)

//go:generate go run ./shoplog -o shop-access.log.gz -planted shop-planted.txt

// ShopLog is the access log, gzip of nginx's combined format with the zone +0100.
//
//go:embed shop-access.log.gz
var ShopLog []byte

// ShopBind is the bind.yaml that ties the log's ids to those of the reference shop.
//
//go:embed shop-bind.yaml
var ShopBind []byte

//go:embed shop-planted.txt
var planted string

// Planted are values of the log that must not survive its anonymisation anywhere: addresses and names of
// some clients and users, and what they sent: e-mail addresses, telephone and card numbers, tokens,
// sessions and text. Each is as the log has it, or a part that no encoding changes.
var Planted = strings.Fields(planted)

// The peak: ten minutes of the flash sale, in Unix seconds, PeakTo excluded. It has some 4,100 requests,
// 6.9 a second on average and 37 in its highest second.
const (
	PeakFrom = 1764356400 // 28 November 2025, 20:00:00 +0100
	PeakTo   = PeakFrom + 600
)
