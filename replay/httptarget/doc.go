// Package httptarget sends shots to an HTTP server: HTTP/1.1 in clear text over connections of its own,
// and TLS and HTTP/2 through net/http.
//
// The fast path: the dispatcher itself writes the serialised request to an idle connection with one
// system call that never waits; one goroutine per connection reads the answer with a parser that keeps
// only what a replay needs, and finishes the shot. A connection has one owner at a time: the dispatcher takes it from
// the idle ones, from then on its reader decides how the exchange ended. There is no retry of any kind,
// and no redirect is followed: what is sent is counted, what is counted was sent.
//
// net/http would send a request again when a kept connection ended or a stream was refused. Here it may not: the
// request is lost, as an error(reset). What remains of it is that a request of which nothing was written moves to
// another connection, and that a refused second attempt may open a connection, or end an idle one, in vain.
//
// What ends at or after its deadline has timed out, whether the answer, an error or the watchdog came first.
//
// Every address that is dialled was resolved once, by the Guard, when the Target was made; neither a log
// nor an answer can steer traffic to another host.
package httptarget
