// Package result holds what a run produced: outcome kinds, the ledger that must add up, summary.json
// (SCHEMA.md and summary.schema.json), the manifest and the run archive folder.
package result
