package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/urfave/cli/v2"

	"reprise/anonymize"
)

func (s *shell) keygenCommand() *cli.Command {
	return &cli.Command{
		Name:  "keygen",
		Usage: "make the key that pseudonyms are made with",
		Description: `Writes 32 random bytes to a new file that only its owner can read. Keep it out of git and away from the
traces: whoever has both can undo the pseudonyms. The same key gives the same pseudonyms in every log. Printed is its ID,
which tells nothing about it. Commands take the key by --key-file, REPRISE_KEY_FILE or --key-fd, never as a value.

   reprise keygen -o ~/reprise.key`,
		OnUsageError: usageError,
		Flags:        []cli.Flag{outFlag("the key to this new file")},
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return noArgs(c)
			}
			name := c.String("output")
			if name == "" || name == "-" {
				return usage("NO-OUTPUT", "a key is written to a file only", "reprise keygen -o reprise.key")
			}
			if err := anonymize.NewKeyFile(name); err != nil {
				return keyNotMade(name, err)
			}
			key, err := loadKey(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(s.err, "key %s in %s: keep it out of git, and apart from traces\n", key.ID(), plain(name))
			return nil
		},
	}
}

// keyNotMade tells a refusal of ours from one of the file system.
func keyNotMade(name string, err error) error {
	var refused *anonymize.KeyError
	switch {
	case errors.Is(err, fs.ErrExist):
		return usage("OUTPUT-EXISTS", name+" exists", "a key is never replaced; choose another name with -o")
	case errors.As(err, &refused) && refused.Err == nil:
		return usage(codeKey, err.Error(), "reprise keygen -o ~/reprise.key")
	}
	return unwritable(name, err)
}

// loadKey reads a key file.
func loadKey(name string) (*anonymize.Key, error) {
	if name == "" {
		return nil, &failure{code: codeKey, exit: exitUsage, what: "no key file was given",
			why: "an unkeyed hash of an IPv4 address is undone by trying all 4.3 billion", fix: "reprise keygen -o ~/reprise.key, then --key-file ~/reprise.key"}
	}
	key, err := anonymize.LoadKey(name)
	if err != nil {
		fix := "reprise keygen -o " + name
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case strings.Contains(err.Error(), "git"):
			fix = "mv " + name + " ~/ and use it from there"
		case strings.Contains(err.Error(), "mode"):
			fix = "chmod 600 " + name
		default:
			fix = "reprise keygen -o ~/reprise.key"
		}
		return nil, &failure{code: codeKey, exit: exitUsage, what: err.Error(), fix: fix}
	}
	return key, nil
}
