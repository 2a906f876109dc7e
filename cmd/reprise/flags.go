package main

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// twin is the environment variable of a flag.
func twin(name string) []string {
	return []string{"REPRISE_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))}
}

func text(name, value, usage string, aliases ...string) *cli.StringFlag {
	return &cli.StringFlag{Name: name, Aliases: aliases, Value: value, Usage: usage, EnvVars: twin(name)}
}

func texts(name, usage string) *cli.StringSliceFlag {
	return &cli.StringSliceFlag{Name: name, Usage: usage, EnvVars: twin(name)}
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
