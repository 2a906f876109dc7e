// Package shop is the reference environment: a small web shop with a known data set, a reset that
// takes milliseconds, a fingerprint that proves it, and faults of known size to switch on.
//
// It exists so that the measuring chain can be tested against a known truth: the demo and the tests
// replay against it, and whoever writes a reset step can copy its shape.
//
// The data live in one SQLite file in WAL mode. Open builds a base file from the seed and copies it to
// the live path; Reset copies it again, waits for the queries in service, and swaps the files by
// rename. A request sees the data before the swap or after it, never between. The same seed and sizes
// give the same rows, the same next order number and hence the same fingerprint on any machine.
//
//	shop:    GET /  /products?page=&cat=  /products/{id}  /search?q=  /cart  /orders/{id}  /users/{id}  /healthz
//	         POST /cart/items  /orders
//	control: GET /fingerprint  /metrics  /catalogue  /faults   POST /reset  /faults
//
// The user of a request is the number in the X-User header, or else in the cookie "user"; there is no
// password, because the shop is for loopback. Faults act on the shop's plane only, so that a stalled
// shop can still be asked, reset and thawed.
package shop
