package serverconf

import (
	"fmt"
	"slices"
	"strings"
)

// Position is a place in a configuration file.
type Position struct {
	File string // the main file as named, or an include as found
	Line int    // 1 is the first line; 0 = built into the server
}

// String returns "file:line", or "built in".
func (p Position) String() string {
	if p.Line == 0 {
		return "built in"
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// Format is a log format of a server.
type Format struct {
	Name string // empty for one that a CustomLog holds itself
	// Text is the format string with the quoting of the configuration file undone. An escape parameter of
	// nginx stands in front of it: "escape=json {...".
	Text string
	Used bool // a log is written in it
	At   Position
}

// Config is what the configuration of a server says about access logs.
type Config struct {
	// Formats stand in the order of the files, what is built into the server last. A name is there once.
	Formats []Format
	// Missing are the includes that name no file. A format may be in one of them.
	Missing []Position

	file    string   // the main file
	unknown []string // names that logs use and nothing defines
}

// Error is a configuration file that cannot be read as one.
type Error struct {
	At      Position
	Message string
	Err     error // of the file system; nil for a mistake in the text
}

// Error implements error.
func (e *Error) Error() string {
	if e.At.Line == 0 {
		return e.At.File + ": " + e.Message
	}
	return e.At.String() + ": " + e.Message
}

// Unwrap returns the error of the file system.
func (e *Error) Unwrap() error { return e.Err }

// ChoiceError says that the configuration does not tell which format is meant: none has the name, or no
// name was given and not exactly one is in use.
type ChoiceError struct {
	File    string
	Name    string     // that nothing defines; empty when several formats are possible
	Formats []Format   // to choose from
	Missing []Position // includes that name no file
}

// Error implements error.
func (e *ChoiceError) Error() string {
	var b strings.Builder
	switch {
	case e.Name != "":
		fmt.Fprintf(&b, "%s: no log format is called %q", e.File, e.Name)
	case e.Formats[0].Used:
		b.WriteString(e.File + ": logs are written in several formats")
	default:
		b.WriteString(e.File + ": several log formats are defined and no log names one")
	}
	b.WriteString("; there are " + strings.Join(e.Names(), ", "))
	for i, p := range e.Missing {
		if i == 0 {
			b.WriteString("; not found is what is included at ")
		} else {
			b.WriteString(", ")
		}
		b.WriteString(p.String())
	}
	return b.String()
}

// Names lists the formats to choose from: names, and places of those that have none.
func (e *ChoiceError) Names() []string {
	var names []string
	for _, f := range e.Formats {
		if f.Name != "" {
			names = append(names, f.Name)
		} else {
			names = append(names, "the one at "+f.At.String())
		}
	}
	return names
}

// Format returns the format called name. An empty name means the one that logs are written in; if the
// configuration names no log, the only one that it defines, or else the server's default. The error is a
// *ChoiceError.
func (c *Config) Format(name string) (Format, error) {
	choice := c.Formats
	switch {
	case name != "":
		choice = slices.DeleteFunc(slices.Clone(choice), func(f Format) bool { return f.Name != name })
	case len(c.unknown) > 0:
		name, choice = c.unknown[0], nil
	default:
		choice = c.inUse()
	}
	switch len(choice) {
	case 0:
		return Format{}, &ChoiceError{File: c.file, Name: name, Formats: c.Formats, Missing: c.Missing}
	case 1:
		return choice[0], nil
	}
	return Format{}, &ChoiceError{File: c.file, Formats: choice, Missing: c.Missing}
}

// inUse returns the formats that may be meant when none is named.
func (c *Config) inUse() []Format {
	var used, defined []Format
	for _, f := range c.Formats {
		if f.Used {
			used = append(used, f)
		}
		if f.At.Line > 0 {
			defined = append(defined, f)
		}
	}
	switch {
	case len(used) > 0:
		return used
	case len(defined) > 0:
		return defined
	}
	return c.Formats[:1]
}

// define adds a format, or puts it in the place of the one with its name.
func (c *Config) define(f Format) {
	for i := range c.Formats {
		if c.Formats[i].Name == f.Name {
			c.Formats[i] = f
			return
		}
	}
	c.Formats = append(c.Formats, f)
}

// finish adds what is built into the server and marks the formats that logs use. inline are those that logs
// hold themselves.
func (c *Config) finish(builtin Format, uses []string, inline []Format) {
	if !slices.ContainsFunc(c.Formats, func(f Format) bool { return f.Name == builtin.Name }) {
		c.Formats = append(c.Formats, builtin)
	}
	for _, name := range uses {
		i := slices.IndexFunc(c.Formats, func(f Format) bool { return f.Name == name })
		if i >= 0 {
			c.Formats[i].Used = true
		} else if !slices.Contains(c.unknown, name) {
			c.unknown = append(c.unknown, name)
		}
	}
	for _, f := range inline {
		if !slices.ContainsFunc(c.Formats, func(g Format) bool { return g.Name == "" && g.Text == f.Text }) {
			c.Formats = append(c.Formats, f)
		}
	}
}
