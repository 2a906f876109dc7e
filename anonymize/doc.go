// Package anonymize turns raw log records into clean ones: ingest.Record to trace.Record.
//
// The policy is deny by default. A value stays only where it is proven harmless: a path segment that its
// template says is the service's own word, a query value whose endpoint, key and shape are on the allow-list of
// the rules, a known method, the family of a user agent. Everything else becomes a pseudonym of its own shape, keyed, so that
// users stay users and a number stays a number, or the record is refused with a reason. The shape decides
// what a replacement looks like, never whether there is one.
//
//	key, err := anonymize.LoadKey("k.key")
//	a, err := anonymize.New(key, templates, anonymize.Options{})
//	for lines, err := range a.Stream(ctx, reader.Records(ctx), 2) { ... }
//
// What comes out is pseudonymised personal data, not anonymous data: who has the key can link it, and
// behaviour itself can single a person out.
//
// Equal values have equal pseudonyms wherever they stand, after percent-encoding (three rounds) and, in
// queries, + are undone; the pseudonym is written with the same encoding. The result for a record depends on
// the key, the rules, the templates and the record, and on nothing else. Rules (package anonymize/rules) name entities:
// a value at a place of one has a pseudonym of its own there, which is the same in path, query, cookie, header and the
// claims of a token. The entity user tells who sent a request. Headers, cookies and the referer stay out of the trace
// unless the rules want them; a session's cookie then still tells what belongs together, and opens nothing.
package anonymize
