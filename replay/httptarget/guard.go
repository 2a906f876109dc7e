package httptarget

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// Guard decides which hosts may receive traffic. The zero value allows loopback only.
type Guard struct {
	// Allowed lists host names or addresses, without port, from the configuration.
	Allowed []string
	// Confirmed is the host name that the user typed again for this run.
	Confirmed string
}

// GuardError says that a host may not receive traffic.
type GuardError struct{ Host string }

func (e *GuardError) Error() string {
	return fmt.Sprintf("host %q is not loopback and is neither listed in targets nor confirmed", e.Host)
}

// Check resolves host and returns the addresses that may be dialled. A name that is not listed passes only
// when every address it resolves to is loopback, so that a name such as localhost cannot lead elsewhere.
func (g Guard) Check(ctx context.Context, host string) ([]netip.Addr, error) {
	addrs, err := resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	if g.lists(host) {
		return addrs, nil
	}
	for _, a := range addrs {
		if !a.IsLoopback() {
			return nil, &GuardError{host}
		}
	}
	return addrs, nil
}

func (g Guard) lists(host string) bool {
	same := func(s string) bool { return s != "" && plainName(s) == plainName(host) }
	return same(g.Confirmed) || slices.ContainsFunc(g.Allowed, same)
}

func plainName(s string) string { return strings.ToLower(strings.TrimSuffix(s, ".")) }

func resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a.Unmap()}, nil
	}
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, fmt.Errorf("resolve target: %w", err)
	}
	for i := range addrs {
		addrs[i] = addrs[i].Unmap()
	}
	return addrs, nil
}
