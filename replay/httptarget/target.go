package httptarget

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"reprise/replay"
	"reprise/replay/plan"
	"reprise/replay/result"
)

// Target is an HTTP server under load.
type Target struct {
	o       Options
	host    string   // Host header of the target itself
	addrs   []string // where it may be dialled
	best    atomic.Int32
	base    time.Time // what the deadlines of connections count from
	rejects rejects

	free     stack
	dialling dialling
	bounded  *bounded
	web      *web // https
	roll     roll
	dials    atomic.Pointer[span] // replaced by an abort
	open     atomic.Int64         // shots not finished
	opened   atomic.Int64         // connections
	reused   atomic.Int64         // exchanges on a connection that had carried one
	slow     atomic.Int64         // dials that took slowDial or longer
	aborting atomic.Bool
	quit     chan struct{}
	wait     sync.WaitGroup
	once     sync.Once
}

var (
	_ replay.Target    = (*Target)(nil)
	_ replay.Preparer  = (*Target)(nil)
	_ replay.Aborter   = (*Target)(nil)
	_ replay.Connector = (*Target)(nil)
)

// New resolves the target, asks the guard and makes the pool. Nothing is sent. The error of a host that
// is not allowed is a *GuardError. ctx bounds the resolution only.
func New(ctx context.Context, o Options) (*Target, error) {
	o, u, err := o.validate()
	if err != nil {
		return nil, err
	}
	addrs, err := o.Guard.Check(ctx, u.Hostname())
	if err != nil {
		return nil, err
	}
	t := &Target{o: o, host: u.Host, base: time.Now(), quit: make(chan struct{})}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	t.addrs = endpoints(addrs, port)
	for _, s := range o.RejectStatus {
		t.rejects[s] = true
	}
	t.dialling.free = &t.free
	t.dials.Store(newSpan())
	if u.Scheme == "https" {
		if t.web, err = newWeb(t, u.Hostname()); err != nil {
			t.dials.Load().cancel()
			return nil, err
		}
	}
	if o.MaxConns > 0 || o.Policy == PolicyUser {
		t.bounded = &bounded{limit: o.MaxConns, user: o.Policy == PolicyUser}
	}
	t.wait.Go(t.watch)
	return t, nil
}

func endpoints(addrs []netip.Addr, port string) []string {
	var all []string
	for _, a := range addrs {
		all = append(all, net.JoinHostPort(a.String(), port))
	}
	return all
}

// Prepare serialises the request into the shot.
func (t *Target) Prepare(a *plan.Arrival, s *replay.Shot) error {
	host := t.host
	if t.o.HostHeader == HostLogged && a.Host != "" {
		host = a.Host
	}
	if t.web != nil {
		return t.web.prepare(a, s, host)
	}
	var err error
	s.Wire, err = AppendRequest(s.Wire[:0], a, host, t.o.Agent)
	return err
}

// Start sends the shot on an idle connection, dials one, or queues it where the connections are limited.
func (t *Target) Start(s *replay.Shot) bool {
	t.open.Add(1)
	switch {
	case t.web != nil:
		ctx := t.dials.Load().ctx
		t.wait.Go(func() { t.web.exchange(ctx, s) })
		return true
	case t.bounded != nil:
		t.follow(s, t.bounded.ask(s))
		return true
	}
	if c := t.free.take(s, s.Outcome.Dispatched); c != nil {
		c.send(s)
		return true
	}
	if t.o.Policy == PolicyNew {
		t.dial(s)
		return true
	}
	if c := t.dialling.add(s); c != nil {
		c.send(s)
		return true
	}
	t.dialMore()
	return true
}

// follow acts on a grant of the bounded pool.
func (t *Target) follow(s *replay.Shot, g grant) {
	if g.evict != nil {
		_ = g.evict.nc.Close()
	}
	switch {
	case g.conn != nil:
		g.conn.send(s)
	case g.dial:
		t.dial(s)
	}
}

// dialMore dials for a waiting shot without a dial, unless enough dials are under way.
func (t *Target) dialMore() {
	deadline, ok := t.dialling.orphan()
	if !ok {
		return
	}
	c := &conn{target: t}
	c.deadline.Store(never)
	ctx := t.dials.Load().ctx
	t.wait.Go(func() { c.serveShared(ctx, deadline) })
}

// dial connects for the shot alone.
func (t *Target) dial(s *replay.Shot) {
	c := &conn{target: t}
	if t.bounded != nil {
		c.user = t.bounded.owner(s)
	}
	c.deadline.Store(never)
	ctx := t.dials.Load().ctx
	t.wait.Go(func() { c.serve(ctx, s) })
}

// idle takes back a connection whose exchange is over. It is called by the connection's reader.
func (t *Target) idle(c *conn) {
	if t.bounded != nil {
		t.follow(t.bounded.put(c))
		return
	}
	for !t.free.push(c) {
		if s := t.dialling.take(); s != nil {
			c.attach(s, s.Now()) // its own reader calls: nobody else can take it
			c.send(s)
			return
		}
	}
}

// ended drops a connection whose exchange was its last, or whose dial failed.
func (t *Target) ended(c *conn) {
	if t.bounded != nil {
		t.follow(t.bounded.leave(c))
	}
}

// lost drops a connection that ended while it was idle.
func (t *Target) lost(c *conn) {
	_ = c.nc.Close()
	if t.bounded == nil {
		t.free.dead.Add(1)
		return
	}
	t.ended(c)
}

func (t *Target) count(reused bool) {
	if reused {
		t.reused.Add(1)
	}
}

func (t *Target) finish(s *replay.Shot) {
	s.Finish()
	t.open.Add(-1)
}

// Connections counts the connections opened so far and the exchanges on kept ones. A dial may end when its shot
// has found another connection, so some connections may never carry an exchange.
func (t *Target) Connections() result.Connections {
	return result.Connections{Policy: string(t.o.Policy), Max: t.o.MaxConns, New: t.opened.Load(), Reused: t.reused.Load(), Slow: t.slow.Load()}
}

// Close closes all connections and returns when no goroutine of the target is left. Shots must not be
// open; those that are end as aborted.
func (t *Target) Close() error {
	t.once.Do(func() {
		t.Abort()
		close(t.quit)
		t.dials.Load().cancel()
		t.roll.close()
		if t.web != nil {
			t.web.transport.CloseIdleConnections()
		}
	})
	t.wait.Wait()
	return nil
}
