//go:build unix

package httptarget

import "syscall"

// bindWriter prepares writeNow, once per connection, so that a request costs no closure.
func (c *conn) bindWriter() {
	c.writer = func(fd uintptr) bool {
		for {
			c.wrote, c.err = syscall.Write(int(fd), c.out)
			if c.err != syscall.EINTR {
				return true // never wait for room
			}
		}
	}
}

// writeNow writes what the kernel takes without waiting.
func (c *conn) writeNow() (int, error) {
	if err := c.raw.Write(c.writer); err != nil {
		return 0, err
	}
	if c.err == syscall.EAGAIN {
		return 0, nil
	}
	return max(c.wrote, 0), c.err
}
