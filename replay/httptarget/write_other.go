//go:build !unix

package httptarget

func (c *conn) bindWriter() {}

// directLimit is what an idle connection's send buffer takes in any case.
const directLimit = 4 << 10

// writeNow writes small requests, for which an idle connection has room, and leaves others to a goroutine.
func (c *conn) writeNow() (int, error) {
	if len(c.out) > directLimit {
		return 0, nil
	}
	return c.nc.Write(c.out)
}
