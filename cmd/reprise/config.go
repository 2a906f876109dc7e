package main

import (
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/goccy/go-yaml"
	"github.com/urfave/cli/v2"
)

// runSection is the part of reprise.yaml that gives flags of reprise run; the rest is the environment.
type runSection struct {
	Run map[string]any `yaml:"run"`
}

// applyConfig sets the flags under run: that neither the command line nor the environment variables have
// set: flag > REPRISE_* > file > default.
func applyConfig(c *cli.Context, name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return usage("CONFIG", err.Error(), "")
	}
	var section runSection
	if err := yaml.Unmarshal(text, &section); err != nil {
		return usage("CONFIG", fmt.Sprintf("%s: %s", name, yaml.FormatError(err, false, false)), "")
	}
	for _, key := range slices.Sorted(maps.Keys(section.Run)) {
		if key == "config" || !known(c.Command.Flags, key) {
			return usage("CONFIG", fmt.Sprintf("%s: run.%s is no flag of reprise run", name, key), "reprise help run")
		}
		if c.IsSet(key) {
			continue
		}
		if err := c.Set(key, fmt.Sprint(section.Run[key])); err != nil {
			return usage("CONFIG", fmt.Sprintf("%s: run.%s: %v", name, key, err), "reprise help run")
		}
	}
	return nil
}

func known(flags []cli.Flag, name string) bool {
	return slices.ContainsFunc(flags, func(f cli.Flag) bool { return f.Names()[0] == name })
}
