package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// hoist moves flags before arguments, because cli.v2 silently takes a flag that stands after an argument
// for an argument. "--" ends the flags, "-" is an argument.
func hoist(app *cli.App, args []string) []string {
	if len(args) < 2 || args[len(args)-1] == "--generate-bash-completion" { // a shell asks, and not a person
		return args
	}
	head, rest, flags := args[:1:1], args[1:], app.Flags
	commands := app.Commands
	for len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		c := find(commands, rest[0])
		if c == nil {
			break
		}
		head, rest = append(head, rest[0]), rest[1:]
		commands, flags = c.Subcommands, c.Flags
	}
	if slices.ContainsFunc(flags, func(f cli.Flag) bool { return f.Names()[0] == flagMapping }) {
		rest = mappingFlag(rest)
	}
	var front, back []string
	bare := false // the last flag lacks its value, which "--" must not become
	for i := 0; i < len(rest); i++ {
		arg := rest[i]
		if arg == "--" {
			back = append(back, rest[i+1:]...)
			break
		}
		if len(arg) < 2 || arg[0] != '-' {
			back = append(back, arg)
			continue
		}
		front = append(front, arg)
		if !takesValue(flags, arg) {
			continue
		}
		if bare = i+1 == len(rest); !bare {
			i++
			front = append(front, rest[i])
		}
	}
	if bare {
		return append(head, front...)
	}
	return append(append(append(head, front...), "--"), back...)
}

func find(commands []*cli.Command, name string) *cli.Command {
	for _, c := range commands {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

// takesValue reports whether the next argument belongs to the flag.
func takesValue(flags []cli.Flag, arg string) bool {
	name := strings.TrimLeft(arg, "-")
	if strings.Contains(name, "=") {
		return false
	}
	for _, f := range flags {
		for _, n := range f.Names() {
			if n == name {
				_, isBool := f.(*cli.BoolFlag)
				return !isBool
			}
		}
	}
	return false
}
