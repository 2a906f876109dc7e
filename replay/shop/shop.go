package shop

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
)

// ErrClosed is returned by the methods of a Shop after Close.
var ErrClosed = errors.New("shop: closed")

// errDown answers requests after a reset that failed half-way: better no answer than a wrong one.
var errDown = errors.New("shop: the last reset failed")

// Shop is an open shop. It is safe for concurrent use.
type Shop struct {
	opts    Options
	path    string // the live database
	folder  string // temporary folder to remove on Close, or ""
	faults  *Faults
	metrics *metrics
	handler http.Handler

	resetting sync.Mutex // one reset at a time; held before gate

	// gate is held shared by each request while it queries, and exclusively by Reset while it swaps the
	// files. Reading a body and writing a response happen outside it, so that no slow client can hold up
	// a reset.
	gate   sync.RWMutex
	store  *store // nil after Close or a failed reset
	closed bool
}

// Open builds the seeded data and opens the shop on it. The caller closes it.
//
// It fails when an option is out of range, when the file system refuses, or when Path names a file that
// no shop wrote.
func Open(ctx context.Context, o Options) (_ *Shop, err error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	s := &Shop{opts: o, path: o.Path}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.remove())
		}
	}()
	if s.path == "" {
		if s.folder, err = os.MkdirTemp("", "reprise-shop-"); err != nil {
			return nil, fmt.Errorf("shop: making a temporary folder: %w", err)
		}
		s.path = filepath.Join(s.folder, "shop.db")
	}
	if s.faults, err = NewFaults(o.Faults); err != nil {
		return nil, err
	}
	if err := errors.Join(claim(s.path), claim(s.base())); err != nil {
		s.path = "" // not ours: nothing beside it may be removed either
		return nil, err
	}
	if err := buildBase(ctx, s.base(), o); err != nil {
		return nil, err
	}
	s.routes()
	if err := s.swap(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// Path returns the live database file. Tests and tools may open it beside the shop.
func (s *Shop) Path() string { return s.path }

// Faults returns the faults in force, to be changed while the shop serves.
func (s *Shop) Faults() *Faults { return s.faults }

// Handler returns the shop's HTTP interface. Every call returns the same handler.
func (s *Shop) Handler() http.Handler { return s.handler }

// Close waits for the queries in service, closes the database and removes the base and, if Open made
// one, the temporary folder. A live file at Options.Path stays. Further calls return ErrClosed.
func (s *Shop) Close() error {
	s.resetting.Lock()
	defer s.resetting.Unlock()
	s.gate.Lock()
	defer s.gate.Unlock()
	if s.closed {
		return ErrClosed
	}
	s.closed = true
	var err error
	if s.store != nil {
		err = s.store.close()
		s.store = nil
	}
	return errors.Join(err, s.remove())
}

func (s *Shop) base() string { return s.path + ".base" }
func (s *Shop) next() string { return s.path + ".next" }

// remove deletes what Open made, except the live file at a path that the caller chose.
func (s *Shop) remove() error {
	if s.folder != "" {
		return os.RemoveAll(s.folder)
	}
	if s.path == "" {
		return nil
	}
	return removeFiles(s.base(), s.next())
}

// view runs query on the current data. Reset waits for it, so it must not wait for a client.
func (s *Shop) view(query func(*store) error) error {
	s.gate.RLock()
	defer s.gate.RUnlock()
	switch {
	case s.closed:
		return ErrClosed
	case s.store == nil:
		return errDown
	}
	return query(s.store)
}
