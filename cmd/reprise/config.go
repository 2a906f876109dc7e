package main

import (
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/goccy/go-yaml"
	"github.com/urfave/cli/v2"
)

// maxConfig bounds a configuration in bytes, as package environment does for its part of the file.
const maxConfig = 256 << 10

// runSection is the part of reprise.yaml that gives flags of reprise run; the rest is the environment.
type runSection struct {
	Run map[string]any `yaml:"run"`
}

// applyConfig sets the flags under run: that neither the command line nor the environment variables have
// set: flag > REPRISE_* > file > default.
func applyConfig(c *cli.Context, name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return usage("CONFIG", err.Error(), "--config reprise.yaml")
	}
	section, err := parseConfig(text)
	if err != nil {
		return usage("CONFIG", fmt.Sprintf("%s: %v", name, err), "correct "+name)
	}
	for _, key := range slices.Sorted(maps.Keys(section.Run)) {
		if key == "config" || !known(c.Command.Flags, key) {
			return usage("CONFIG", fmt.Sprintf("%s: run.%s is no flag of reprise run", name, key), "reprise help run")
		}
		switch section.Run[key].(type) {
		case string, bool, int, int64, uint64, float64:
		default:
			return usage("CONFIG", fmt.Sprintf("%s: run.%s is no single value", name, key), "reprise help run")
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

// parseConfig reads run: of a configuration. The YAML library panics on some malformed tags, which for the
// user is a mistake in the file like any other; its own messages quote the file, which may hold secrets.
func parseConfig(text []byte) (s runSection, err error) {
	if len(text) > maxConfig {
		return s, fmt.Errorf("is larger than %d bytes", maxConfig)
	}
	defer func() {
		if recover() != nil {
			err = fmt.Errorf("is no YAML that can be read")
		}
	}()
	err = yaml.Unmarshal(text, &s)
	if err != nil {
		err = fmt.Errorf("%s", yaml.FormatError(err, false, false))
	}
	return s, err
}

func known(flags []cli.Flag, name string) bool {
	return slices.ContainsFunc(flags, func(f cli.Flag) bool { return f.Names()[0] == name })
}
