// Package inspect says what a log can and cannot replay: its span and resolution, its disorder, its peaks,
// what its requests are, and what is missing in them.
//
//	i := inspect.New(inspect.Options{})
//	for r, err := range reader.Records(ctx) { ...; i.Add(r) }
//	i.Finish(reader.Report()).WriteText(os.Stdout)
//
// A Summary holds counts, file names, methods and path templates. It holds no client, no query, no header
// value, and of paths only the words that package endpoint takes for the service's own. Memory is bounded whatever the log holds: beyond the limits, counts
// of distinct things become estimates and rare names are counted together, and the Summary says which.
package inspect
