// Package inspect says what a log can and cannot replay: its span and resolution, its disorder, its peaks,
// what its requests are, and what is missing in them.
//
//	summary, err := inspect.Read(ctx, reader, inspect.Options{}, nil)
//	summary.WriteText(os.Stdout)
//
// Each file has an Inspection of its own, so that several are read at a time, and Merge does not depend on the order: a
// Summary is the same for any number of processors and any order of the files. Counts, shares, the busiest second of the
// clock, gaps, clients and endpoints are those of all records together. The sliding peak is told as bounds: whole-second
// stamps, tenths of a second, and files of the same time leave some room.
//
// Memory is bounded whatever the log holds, about 8 MiB for each Inspection. Beyond the bounds the number of clients
// becomes an estimate, rare words of paths count as {word}, seconds are counted by two, four and so on, and rare status
// codes together; the Summary says which.
//
// A Summary holds counts, file names, methods and path templates. It holds no client, no query, no header
// value, and of paths only the words that package endpoint takes for the service's own.
package inspect
