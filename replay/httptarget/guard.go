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
	// Confirmed is the host name that the user typed again for this run. Where it is given it must be the
	// target's, even if that one would be allowed without.
	Confirmed string
}

// GuardError says that a host may not receive traffic.
type GuardError struct {
	Host      string
	Confirmed string // another host that was confirmed instead, or empty
}

func (e *GuardError) Error() string {
	if e.Confirmed != "" {
		return fmt.Sprintf("host %q is not the host that was confirmed, %q", e.Host, e.Confirmed)
	}
	return fmt.Sprintf("host %q is not loopback and is neither listed in targets nor confirmed", e.Host)
}

// Check returns the addresses of host that may be dialled. A name that is not listed must look like loopback, as
// localhost does, and passes only when every address it resolves to is loopback, so that it cannot lead elsewhere. All
// other names are refused before anybody is asked for their addresses. The error of a host that is not allowed is
// a *GuardError.
func (g Guard) Check(ctx context.Context, host string) ([]netip.Addr, error) {
	if g.Confirmed != "" && plainName(g.Confirmed) != plainName(host) {
		return nil, &GuardError{host, g.Confirmed}
	}
	listed := g.lists(host)
	if _, err := netip.ParseAddr(host); err != nil && !listed && !looksLocal(host) {
		return nil, &GuardError{Host: host}
	}
	addrs, err := resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	for _, a := range addrs {
		if !listed && !a.IsLoopback() {
			return nil, &GuardError{Host: host}
		}
	}
	return addrs, nil
}

func (g Guard) lists(host string) bool {
	same := func(s string) bool { return s != "" && plainName(s) == plainName(host) }
	return same(g.Confirmed) || slices.ContainsFunc(g.Allowed, same)
}

func plainName(s string) string { return strings.ToLower(strings.TrimSuffix(s, ".")) }

// looksLocal says whether a name is one that hosts files and RFC 6761, 6.3 reserve for loopback: localhost, also
// as the last or the first of several labels, and the names for one address family.
func looksLocal(host string) bool {
	name := plainName(host)
	switch name {
	case "localhost", "localhost4", "localhost6", "ip6-localhost", "ip6-loopback":
		return true
	}
	return strings.HasSuffix(name, ".localhost") || strings.HasPrefix(name, "localhost.")
}

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
