package shop

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Reset puts the seeded data back, sequences included, and restarts the request count that the faults
// draw from, so that two runs meet the same faults. The faults in force stay.
//
// The copy is made while the shop serves; then requests wait while the queries in service end and the
// files are swapped, typically for a few milliseconds. ctx is honoured up to the swap, which is never
// left half-way for a cancelled context. If the swap itself fails, the shop answers 503 until a later
// Reset succeeds.
func (s *Shop) Reset(ctx context.Context) error {
	if err := s.swap(ctx); err != nil {
		return err
	}
	s.metrics.resets.Add(1)
	return nil
}

// swap copies the base and makes the copy the live file.
func (s *Shop) swap(ctx context.Context) error {
	s.resetting.Lock()
	defer s.resetting.Unlock()
	if s.isClosed() {
		return ErrClosed
	}
	if err := copyFile(ctx, s.base(), s.next()); err != nil {
		return fmt.Errorf("shop: copying the base: %w", err)
	}
	s.gate.Lock()
	defer s.gate.Unlock()
	if s.store != nil {
		old := s.store
		s.store = nil
		if err := old.close(); err != nil {
			return fmt.Errorf("shop: closing the old data: %w", err)
		}
	}
	// A write-ahead log that outlived its database would be replayed into the new one.
	if err := removeFiles(s.path+"-wal", s.path+"-shm"); err != nil {
		return fmt.Errorf("shop: removing the old log: %w", err)
	}
	if err := os.Rename(s.next(), s.path); err != nil {
		return fmt.Errorf("shop: swapping the files: %w", err)
	}
	st, err := openStore(s.path, s.opts.Now)
	if err != nil {
		return err
	}
	s.store = st
	s.faults.Restart()
	return nil
}

func (s *Shop) isClosed() bool {
	s.gate.RLock()
	defer s.gate.RUnlock()
	return s.closed
}

// claim makes path free: nothing happens when there is no file, a shop's file is removed with its
// write-ahead log, and any other file is refused.
func claim(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return removeFiles(path+"-wal", path+"-shm")
	}
	if err != nil {
		return fmt.Errorf("shop: %w", err)
	}
	head := make([]byte, 100) // the database header, https://www.sqlite.org/fileformat.html section 1.3
	n, err := io.ReadFull(f, head)
	f.Close()
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("shop: %w", err)
	}
	if n > 0 && (!bytes.HasPrefix(head, []byte("SQLite format 3\x00")) || binary.BigEndian.Uint32(head[68:]) != applicationID) {
		return fmt.Errorf("shop: %s exists and is not a shop's database", path)
	}
	return removeFiles(path, path+"-wal", path+"-shm")
}

// copyFile writes the bytes of from to a new file to, replacing it.
func copyFile(ctx context.Context, from, to string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	for err == nil {
		if err = ctx.Err(); err == nil {
			_, err = io.CopyN(out, in, 8<<20) // in pieces, so that a cancel is seen
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, out.Close())
}

// removeFiles removes those of paths that exist.
func removeFiles(paths ...string) error {
	var errs []error
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
