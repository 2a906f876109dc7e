package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"reprise/anonymize/rules"
)

func rulesFlag() *cli.StringFlag {
	return text("rules", "", "file with rules: what may stay, what belongs together; default: what --init-rules writes")
}

// rulesOf reads the rules that --rules names, or those in the configuration of reprise run. Without either they are the
// built-in ones.
func (s *shell) rulesOf(c *cli.Context) (*rules.Rules, error) {
	name, optional := c.String("rules"), false
	if name == "" {
		name, optional = c.String("config"), true
	}
	if name == "" {
		return rules.Default(), nil
	}
	const fix = "reprise anonymize LOG --init-rules -o reprise.yaml writes a file to start from"
	text, err := readWhole(name)
	if err != nil {
		return nil, usage("RULES", err.Error(), fix)
	}
	r, err := rules.Parse(text)
	switch {
	case optional && errors.Is(err, rules.ErrNoSection): // a configuration need not have rules
		return rules.Default(), nil
	case err != nil:
		return nil, usage("RULES", fmt.Sprintf("%s:%v", name, err), fix)
	}
	return r, nil
}
