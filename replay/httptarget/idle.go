package httptarget

// idles holds the idle connections of a bounded pool: those of a user, the most recently used on top, and all of
// them in the order of their last use. Every operation takes constant time. Its owner guards it.
type idles struct {
	users          map[[16]byte]*conn // the most recently used one of each
	newest, oldest *conn
	n              int
}

// links are the neighbours of an idle connection.
type links struct {
	listed       bool
	newer, older *conn // among all
	above, below *conn // among its user's
}

// add makes c the most recently used one.
func (l *idles) add(c *conn) {
	if l.users == nil {
		l.users = make(map[[16]byte]*conn)
	}
	k := links{listed: true, older: l.newest, below: l.users[c.user]}
	if k.older == nil {
		l.oldest = c
	} else {
		k.older.idle.newer = c
	}
	if k.below != nil {
		k.below.idle.above = c
	}
	c.idle, l.newest, l.users[c.user] = k, c, c
	l.n++
}

// remove does nothing when c is not listed.
func (l *idles) remove(c *conn) {
	k := c.idle
	if !k.listed {
		return
	}
	if k.newer == nil {
		l.newest = k.older
	} else {
		k.newer.idle.older = k.older
	}
	if k.older == nil {
		l.oldest = k.newer
	} else {
		k.older.idle.newer = k.newer
	}
	switch {
	case k.above != nil:
		k.above.idle.below = k.below
	case k.below != nil:
		l.users[c.user] = k.below
	default:
		delete(l.users, c.user)
	}
	if k.below != nil {
		k.below.idle.above = k.above
	}
	c.idle = links{}
	l.n--
}
