// Package synth makes the synthetic loads that a replay is compared with: the scenarios P1 and P2, and the
// data set that their requests refer to.
//
// P1 sends a constant 250 requests per second for 60 s: 90 % product details, 8 % product lists and 2 %
// orders. 20 % of the products take 80 % of the product queries: the products are shuffled by the seed, the
// first fifth is the hot block, and within a block all are equally likely. Two blocks give the rule
// exactly for any number of products; a Zipf law would meet it for one exponent per catalogue size only, and
// put weight on a hottest product that the rule says nothing about.
//
// P2 sends P1's mix at three times the rate for 30 s, and then 30 s at the plain rate, to see how long the
// target needs to recover.
//
// The requests are those of the reference shop: GET /products/{id}, GET /products?page=N and POST /orders
// with a JSON body and the header X-User. Product ids run from 1 to Products, user ids from 1 to Users.
//
// Everything follows from the scenario and the seed, on any machine: content is drawn from
// [arrival.Stream]s derived by name, instants come from the models of package arrival. The content of the k-th request does not
// depend on the arrival model or the rate.
package synth
