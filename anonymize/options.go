package anonymize

// Version is that of the pseudonyms: equal for equal pseudonyms under one key and equal rules.
const Version = 2

// Described says how records are made clean, as the header of a trace holds it: the version of the pseudonyms, the digests
// of rules and path templates, and whether instants are shifted. It does not tell by how much: with an event of a known
// date that would undo the shift for all.
func (a *Anonymizer) Described() map[string]any {
	d := map[string]any{"pseudonyms": Version, "rules": a.options.Rules.Digest(), "endpoints": a.set.Digest()}
	if a.shift != 0 {
		d["time_shift"] = true
	}
	return d
}
