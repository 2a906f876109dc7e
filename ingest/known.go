package ingest

import "slices"

// known is a format that has a name.
type known struct {
	name  string
	title string // as people call it
	stamp Stamp  // which moment its server writes; StampAuto = the format leaves that open
	open  func(FormatOptions) Format
}

// knownFormats lists the known formats, most specific first: where several fit a file, the first one counts.
var knownFormats = slices.Concat(awsFormats, w3cFormats, proxyFormats, jsonFormats, combinedFamily)

// Names lists the known formats, most specific first.
func Names() []string {
	names := make([]string, len(knownFormats))
	for i := range knownFormats {
		names[i] = knownFormats[i].name
	}
	return names
}
