package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/goccy/go-yaml"
	"github.com/urfave/cli/v2"
)

// maxConfig bounds a configuration in bytes, as package environment does for its part of the file.
const maxConfig = 256 << 10

// runSection is the part of reprise.yaml that gives flags of reprise run, and its logs; the rest is the
// environment.
type runSection struct {
	Run map[string]any `yaml:"run"`
}

// applyConfig sets the flags under run: that neither the command line nor the environment variables have
// set: flag > REPRISE_* > file > default. It returns the logs of the command line, else those of the file.
func applyConfig(c *cli.Context, name string) ([]string, error) {
	text, err := readWhole(name)
	if err != nil {
		return nil, usage("CONFIG", err.Error(), "--config reprise.yaml")
	}
	section, err := parseConfig(text)
	if err != nil {
		return nil, usage("CONFIG", fmt.Sprintf("%s: %v", name, err), "correct "+name)
	}
	logs, err := section.logs()
	if err == nil {
		err = section.apply(c)
	}
	if err != nil {
		return nil, usage("CONFIG", fmt.Sprintf("%s: %v", name, err), "reprise help run")
	}
	if c.NArg() > 0 {
		return c.Args().Slice(), nil
	}
	return logs, nil
}

// logs takes run.logs, a name or a list of them, out of the section.
func (s *runSection) logs() ([]string, error) {
	given, ok := s.Run["logs"]
	if !ok {
		return nil, nil
	}
	delete(s.Run, "logs")
	list, ok := given.([]any)
	if !ok {
		list = []any{given}
	}
	var names []string
	for _, v := range list {
		name, ok := v.(string)
		if !ok {
			return nil, errors.New("run.logs is no list of names")
		}
		names = append(names, name)
	}
	return names, nil
}

// apply sets the flags that are not set yet.
func (s *runSection) apply(c *cli.Context) error {
	for _, key := range slices.Sorted(maps.Keys(s.Run)) {
		if key == "config" || !known(c.Command.Flags, key) {
			return fmt.Errorf("run.%s is no flag of reprise run", key)
		}
		switch s.Run[key].(type) {
		case string, bool, int, int64, uint64, float64:
		default:
			return fmt.Errorf("run.%s is no single value", key)
		}
		other := map[string]string{flagKeyFile: flagKeyFD, flagKeyFD: flagKeyFile}[key]
		if c.IsSet(key) || other != "" && c.IsSet(other) {
			continue
		}
		if err := c.Set(key, fmt.Sprint(s.Run[key])); err != nil {
			return fmt.Errorf("run.%s: %w", key, err)
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
			err = errors.New("is no YAML that can be read")
		}
	}()
	err = yaml.Unmarshal(text, &s)
	if err != nil {
		err = errors.New(yaml.FormatError(err, false, false))
	}
	return s, err
}

func known(flags []cli.Flag, name string) bool {
	return slices.ContainsFunc(flags, func(f cli.Flag) bool { return f.Names()[0] == name })
}
