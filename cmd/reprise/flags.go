package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

// twin is the environment variable of a flag.
func twin(name string) []string {
	return []string{"REPRISE_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))}
}

func text(name, value, usage string) *cli.StringFlag {
	return &cli.StringFlag{Name: name, Value: value, Usage: usage, EnvVars: twin(name)}
}

func whole(name string, value int, usage string) *cli.IntFlag {
	return &cli.IntFlag{Name: name, Value: value, Usage: usage, EnvVars: twin(name)}
}

func number(name string, value float64, usage string) *cli.Float64Flag {
	return &cli.Float64Flag{Name: name, Value: value, Usage: usage, EnvVars: twin(name)}
}

func seedFlag() *cli.Uint64Flag {
	return &cli.Uint64Flag{Name: "seed", Value: 1, Usage: "fixes every random choice", EnvVars: twin("seed")}
}

func yes(name, usage string) *cli.BoolFlag {
	return &cli.BoolFlag{Name: name, Usage: usage, EnvVars: twin(name)}
}

func outFlag(what string) *cli.StringFlag {
	return &cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write " + what, EnvVars: twin("output")}
}

func forceFlag() *cli.BoolFlag {
	return &cli.BoolFlag{Name: "force", Usage: "replace an output that exists"}
}

// noArgs refuses the arguments of a command that takes none.
func noArgs(c *cli.Context) error {
	return usage("USAGE", fmt.Sprintf("%s takes no argument, got %q", c.Command.Name, c.Args().First()), "reprise help "+c.Command.Name)
}

// oneArg is the command's only argument.
func oneArg(c *cli.Context, what string) (string, error) {
	if c.NArg() != 1 {
		return "", usage("USAGE", fmt.Sprintf("%s takes one %s, got %d", c.Command.Name, what, c.NArg()), "reprise help "+c.Command.Name)
	}
	return c.Args().First(), nil
}

// positive refuses whole numbers below 1. A zero default means that the flag was left out, which stays
// allowed.
func positive(c *cli.Context, names ...string) error {
	for _, name := range names {
		if n := c.Int(name); c.IsSet(name) && n < 1 {
			return usage("USAGE", fmt.Sprintf("--%s: %d is not above 0", name, n), "reprise help "+c.Command.Name)
		}
	}
	return nil
}
