package main

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/urfave/cli/v2"
)

func (s *shell) versionCommand() *cli.Command {
	return &cli.Command{
		Name:         "version",
		Usage:        "print the version and the commit it was built from",
		OnUsageError: usageError,
		Action: func(*cli.Context) error {
			_, err := fmt.Fprintln(s.out, version())
			return err
		},
	}
}

// release is the version of this tree; a build from a checkout adds its commit.
const release = "0.1.0"

// version is the release with the commit it was built from, as the build recorded it.
func version() string {
	return strings.TrimSuffix(release+"+"+commit(), "+")
}

// commit is the short commit of the build, with a mark when the tree had changes; empty when the build
// recorded none.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	rev, dirty := "", ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			rev = s.Value[:min(12, len(s.Value))]
		case "vcs.modified":
			if s.Value == "true" {
				dirty = ".dirty"
			}
		}
	}
	if rev == "" {
		return ""
	}
	return rev + dirty
}

// tool names the program in the files it writes. It leaves the commit out: equal inputs must give equal
// bytes from every build of one release.
func tool() string { return "reprise " + release }
