package shop

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// Fingerprint tells two states of the data apart: it changes with any row, any table or index and any
// sequence, and with nothing else. It does not depend on the order of the rows or on the machine.
type Fingerprint struct {
	// Sum is "sha256:" and the hex digest of everything below.
	Sum string `json:"fingerprint"`
	// Schema is the hex XXH64 of the table and index definitions, in order of their names.
	Schema string `json:"schema"`
	// Tables holds every table of the database by name.
	Tables map[string]TableFingerprint `json:"tables"`
	// Sequences holds, by table, the last number that the table's sequence gave out.
	Sequences map[string]int64 `json:"sequences"`
}

// TableFingerprint is the content of one table.
type TableFingerprint struct {
	Rows int64 `json:"rows"`
	// Hash is the hex sum, modulo 2^64, of the XXH64 of each row.
	Hash string `json:"hash"`
}

// Fingerprint reads all data in one transaction, at some millions of values a second.
func (s *Shop) Fingerprint(ctx context.Context) (f Fingerprint, err error) {
	err = s.view(func(st *store) error {
		tx, err := st.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
		if err != nil {
			return err
		}
		defer tx.Rollback()
		f, err = fingerprint(ctx, tx)
		return err
	})
	if err != nil {
		return Fingerprint{}, fmt.Errorf("shop: taking the fingerprint: %w", err)
	}
	return f, nil
}

func fingerprint(ctx context.Context, tx *sql.Tx) (Fingerprint, error) {
	f := Fingerprint{Tables: map[string]TableFingerprint{}, Sequences: map[string]int64{}}
	definitions, err := tableHash(ctx, tx, `SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL`)
	if err != nil {
		return f, err
	}
	f.Schema = definitions.Hash
	names, err := tableNames(ctx, tx)
	if err != nil {
		return f, err
	}
	for _, name := range names {
		// The names come from the database itself; a quoted identifier doubles its quotes.
		if f.Tables[name], err = tableHash(ctx, tx, `SELECT * FROM "`+doubleQuotes(name)+`"`); err != nil {
			return f, err
		}
	}
	rows, err := tx.QueryContext(ctx, `SELECT name, seq FROM sqlite_sequence`)
	if err != nil {
		return f, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var last int64
		if err := rows.Scan(&name, &last); err != nil {
			return f, err
		}
		f.Sequences[name] = last
	}
	f.Sum = f.sum()
	return f, rows.Err()
}

// sum digests the parts, each text behind its length so that no two states give the same bytes.
func (f *Fingerprint) sum() string {
	var b []byte
	text := func(s string) { b = append(binary.BigEndian.AppendUint32(b, uint32(len(s))), s...) }
	text(f.Schema)
	for _, name := range slices.Sorted(maps.Keys(f.Tables)) {
		text(name)
		b = binary.BigEndian.AppendUint64(b, uint64(f.Tables[name].Rows))
		text(f.Tables[name].Hash)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Sequences)) {
		text(name)
		b = binary.BigEndian.AppendUint64(b, uint64(f.Sequences[name]))
	}
	digest := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(digest[:])
}

func tableNames(ctx context.Context, tx *sql.Tx) ([]string, error) {
	rows, err := tx.QueryContext(ctx, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\'`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}

// tableHash sums the hashes of the rows of query. A sum of hashes is free of order and, unlike their
// exclusive or, does not cancel two equal rows.
func tableHash(ctx context.Context, tx *sql.Tx, query string) (TableFingerprint, error) {
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return TableFingerprint{}, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return TableFingerprint{}, err
	}
	values := make([]sql.RawBytes, len(columns))
	targets := make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	var count int64
	var sum uint64
	var row []byte
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return TableFingerprint{}, err
		}
		row = row[:0]
		for _, v := range values {
			if v == nil { // NULL is not the empty text
				row = append(row, 0)
				continue
			}
			row = binary.AppendUvarint(append(row, 1), uint64(len(v)))
			row = append(row, v...)
		}
		sum += xxhash.Sum64(row)
		count++
	}
	return TableFingerprint{Rows: count, Hash: fmt.Sprintf("%016x", sum)}, rows.Err()
}

func doubleQuotes(name string) string {
	var b []byte
	for i := range len(name) {
		if name[i] == '"' {
			b = append(b, '"')
		}
		b = append(b, name[i])
	}
	return string(b)
}
