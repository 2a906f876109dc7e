package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"reprise/ingest"
	"reprise/ingest/serverconf"
)

// The flags that say what the format of a log is. --json field=path,... is another spelling of --json-map.
const (
	flagFormat  = "log-format"
	flagNginx   = "nginx-conf"
	flagApache  = "apache-conf"
	flagMapping = "json-map"
)

var formatFlagNames = []string{flagFormat, flagNginx, flagApache, flagMapping}

// codeFormat is the code of a log format that cannot be used.
const codeFormat = "LOG-FORMAT"

// formatHelp is the part of a command's description that all commands which read logs share.
const formatHelp = `

The format of a log is detected. To say what it is, give one of:

   --log-format combined                                       a known name
   --log-format '$remote_addr - [$time_local] "$request" ...'   nginx's log_format, or the whole directive
   --log-format '%h %l %u %t "%r" %>s %b %D'                    Apache's LogFormat, or the whole directive
   --nginx-conf /etc/nginx/nginx.conf:main                      by its name in the server's configuration;
   --apache-conf /etc/apache2/apache2.conf                      without one: the one that logs are written in
   --json time=ts:unix,duration=took:s,client=ip,request=req    JSON lines: fields and the paths of their values`

// formatFlags are those of logFlags that name a format.
func formatFlags() []cli.Flag {
	return []cli.Flag{
		text(flagFormat, "", "a known name, or nginx's log_format or Apache's LogFormat string; default: detected"),
		text(flagNginx, "", "take the log format from this nginx.conf[:NAME]"),
		text(flagApache, "", "take the log format from this httpd.conf or apache2.conf[:NICKNAME]"),
		text(flagMapping, "", "read JSON lines by field=path[:unit],...; --json field=path,... is the same"),
	}
}

// formatOf returns what the flags say for ingest.Options.Format; "" = detect it.
func formatOf(c *cli.Context) (string, error) {
	name, value, err := formatFlag(c)
	if err != nil || value == "" {
		return "", err
	}
	at := ""
	switch name {
	case flagNginx:
		value, at, err = configured(name, value, serverconf.Nginx)
	case flagApache:
		value, at, err = configured(name, value, serverconf.Apache)
	case flagMapping:
		value = "json:" + value
	default:
		if f, ok, failed := serverconf.Directive(value); ok {
			value, err = f.Text, failed
		}
	}
	if err == nil {
		_, err = ingest.NewFormat(value, ingest.FormatOptions{})
	}
	return value, formatMistake(name, value, at, err)
}

// formatFlag returns the one flag that is given. The command line goes before the REPRISE_ variables.
func formatFlag(c *cli.Context) (name, value string, err error) {
	given := slices.DeleteFunc(slices.Clone(formatFlagNames), func(name string) bool { return !slices.Contains(c.LocalFlagNames(), name) })
	if len(given) == 0 {
		given = slices.DeleteFunc(slices.Clone(formatFlagNames), func(name string) bool { return c.String(name) == "" })
	}
	switch len(given) {
	case 0:
		return "", "", nil
	case 1:
		return given[0], c.String(given[0]), nil
	}
	return "", "", usage("USAGE", fmt.Sprintf("--%s and --%s both say what the log format is", given[0], given[1]), fmt.Sprintf("keep one: --%s %s", given[0], quoted(c.String(given[0]))))
}

// configured finds the format that FILE[:NAME] means, and where it is defined.
func configured(flag, value string, read func(string) (*serverconf.Config, error)) (text, at string, err error) {
	file, name := value, ""
	if _, err := os.Stat(value); err != nil {
		if colon := strings.LastIndexByte(value, ':'); colon > 0 {
			file, name = value[:colon], value[colon+1:]
		}
	}
	config, err := read(file)
	if err != nil {
		return "", "", err
	}
	f, err := config.Format(name)
	if e, ok := errors.AsType[*serverconf.ChoiceError](err); ok && len(e.Formats) > 0 {
		fix := "--log-format " + quoted(e.Formats[0].Text)
		if e.Formats[0].Name != "" {
			fix = fmt.Sprintf("--%s %s", flag, quoted(file+":"+e.Formats[0].Name))
		}
		return "", "", usage(codeFormat, fmt.Sprintf("--%s: %v", flag, err), fix)
	}
	return f.Text, f.At.String(), err
}

// formatMistake explains why a format cannot be used; nil stays nil.
func formatMistake(flag, value, at string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*failure](err); ok {
		return err
	}
	what := fmt.Sprintf("--%s: %v", flag, err)
	fix := "reprise help inspect shows what --" + flag + " takes"
	e, ok := errors.AsType[*ingest.FormatError](err)
	switch {
	case !ok:
	case at != "":
		what = fmt.Sprintf("--%s: the format at %s: %v\n  %s", flag, at, err, value)
	case flag == flagMapping:
		fix = "--json time=ts:unix,client=ip,request=req,status=status"
	case !strings.ContainsAny(value, "$%"):
		what = fmt.Sprintf("--%s: %q is no known format and holds neither $variables nor %%directives; the known ones are\n%s", flag, value, formatNames())
		fix = "leave --log-format out: the format is detected"
	default:
		what += fmt.Sprintf("\n  %s\n  %*s", value, e.Column, "^")
		fix = `--log-format '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent'`
	}
	return usage(codeFormat, what, fix)
}

// formatFamilies groups the known formats for people. Those that no family claims stand under the last one.
var formatFamilies = []struct {
	title string
	names []string
}{
	{"nginx and Apache", []string{"combined", "common", "main", "ingress", "vhost_combined", "vhost_common"}},
	{"proxies", []string{"haproxy", "envoy", "traefik", "caddy_console"}},
	{"W3C and clouds", []string{"w3c", "iis", "cloudfront", "alb", "elb", "s3"}},
	{"JSON lines and others", nil},
}

// formatNames lists the known formats by family.
func formatNames() string {
	rest := slices.Sorted(slices.Values(ingest.Names()))
	var lines []string
	for _, family := range formatFamilies {
		names := rest
		if family.names != nil {
			names = family.names
			rest = slices.DeleteFunc(rest, func(name string) bool { return slices.Contains(names, name) })
		}
		lines = append(lines, fmt.Sprintf("  %-22s %s", family.title, strings.Join(names, ", ")))
	}
	return strings.Join(lines, "\n")
}

// mappingFlag turns --json FIELD=PATH,... into the flag of JSON mappings: on some commands --json alone asks for machine
// output. A file of that name is a log all the same.
func mappingFlag(args []string) []string {
	out := make([]string, 0, len(args))
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		switch {
		case args[i] == "--":
			return append(out, args[i:]...)
		case strings.TrimLeft(name, "-") != "json" || name == "json":
		case joined && isMapping(value):
			out = append(out, "--"+flagMapping+"="+value)
			continue
		case !joined && i+1 < len(args) && isMapping(args[i+1]):
			if _, err := os.Stat(args[i+1]); err != nil {
				out = append(out, "--"+flagMapping)
				continue
			}
		}
		out = append(out, args[i])
	}
	return out
}

// isMapping tells whether an argument after --json is a mapping of JSON keys and no log: field=path,...
func isMapping(arg string) bool {
	name, path, found := strings.Cut(arg, "=")
	return found && name != "" && path != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") == ""
}
