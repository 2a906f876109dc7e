// Package httptarget sends shots to an HTTP server: HTTP/1.1 in clear text over connections of its own,
// and TLS and HTTP/2 through net/http.
//
// The fast path: the dispatcher itself writes the serialised request to an idle connection with one
// system call that never waits; one goroutine per connection reads the answer with a parser that keeps
// only what a replay needs, and finishes the shot. A connection has one owner at a time: the dispatcher takes it from
// the idle ones, from then on its reader decides how the exchange ended. There is no retry of any kind,
// and no redirect is followed: what is sent is counted, what is counted was sent.
//
// Every address that is dialled was resolved once, by the Guard, when the Target was made; neither a log
// nor an answer can steer traffic to another host.
package httptarget
