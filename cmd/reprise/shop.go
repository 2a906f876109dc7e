package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"

	"github.com/urfave/cli/v2"

	"reprise/replay/shop"
)

func (s *shell) shopCommand() *cli.Command {
	return &cli.Command{
		Name:  "shop",
		Usage: "serve the reference environment: a shop that can be reset, with faults to switch on",
		Description: `Serves the shop until a signal ends it. It has no passwords and listens on loopback only.

   reprise shop --listen 127.0.0.1:8080
   curl 127.0.0.1:8080/products/1
   curl -X POST 127.0.0.1:8080/reset
   curl -X POST 127.0.0.1:8080/faults -d '{"stall":{"after":"10s","for":"2s"}}'`,
		OnUsageError: usageError,
		Flags: []cli.Flag{
			text("listen", "127.0.0.1:8080", "address to serve on"),
			text("db", "", "SQLite file to use; default: a temporary one"),
			seedFlag(),
			whole("products", shop.DefaultProducts, "rows to seed"),
			whole("users", shop.DefaultUsers, "rows to seed"),
			whole("orders", shop.DefaultOrders, "rows to seed"),
			text("faults", "", "faults to start with, as JSON or @FILE"),
		},
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return noArgs(c)
			}
			if err := positive(c, "products", "users", "orders"); err != nil {
				return err
			}
			return s.shop(c)
		},
	}
}

func (s *shell) shop(c *cli.Context) error {
	o := shop.Options{Path: c.String("db"), Seed: c.Uint64("seed"), Products: c.Int("products"), Users: c.Int("users"), Orders: c.Int("orders")}
	if err := parseFaults(c.String("faults"), &o.Faults); err != nil {
		return err
	}
	sh, err := shop.Open(c.Context, o)
	if err != nil {
		if c.Context.Err() != nil {
			return context.Cause(c.Context)
		}
		return usage("SHOP", err.Error(), "reprise help shop")
	}
	defer sh.Close()
	server, err := shop.Listen(c.Context, c.String("listen"), sh.Handler(), shop.ListenOptions{})
	var refused *net.OpError
	if err != nil && !errors.As(err, &refused) {
		return usage("LISTEN", err.Error(), "reprise shop --listen 127.0.0.1:8080")
	}
	if err != nil {
		return &failure{code: "LISTEN", exit: exitEnvironment, what: err.Error(), fix: "reprise shop --listen 127.0.0.1:0 takes a free port"}
	}
	fmt.Fprintln(s.out, server.URL)
	fmt.Fprintf(s.err, "serving %d products, %d users, %d orders; stop with Ctrl-C\n", o.Products, o.Users, o.Orders)
	<-c.Context.Done()
	return server.Close()
}

// parseFaults reads a FaultSpec from JSON, or from a file named by @FILE.
func parseFaults(spec string, into *shop.FaultSpec) error {
	if spec == "" {
		return nil
	}
	data := []byte(spec)
	if spec[0] == '@' {
		var err error
		if data, err = readWhole(spec[1:]); err != nil {
			return usage("FAULTS", err.Error(), "--faults @faults.json")
		}
	}
	if err := json.Unmarshal(data, into); err != nil {
		return usage("FAULTS", fmt.Sprintf("--faults: %v", err), `--faults '{"stall":{"after":"10s","for":"2s"}}'`)
	}
	return nil
}
