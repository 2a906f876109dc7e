package serverconf

import (
	"path/filepath"
	"strings"
)

// nginxCombined is the format that nginx has built in (ngx_http_log_module).
const nginxCombined = `$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"`

// nginx reads the directives of a configuration.
type nginx struct {
	tree
	config *Config
	uses   []string // formats that access_log names
	blocks []string // names of the open blocks, outermost first
}

// Nginx reads an nginx.conf and what it includes; relative includes start at the main file's folder.
func Nginx(path string) (*Config, error) {
	n := &nginx{tree: tree{base: filepath.Dir(path)}, config: &Config{file: path}}
	if err := n.visit(path, Position{File: path}, n.parse); err != nil {
		return nil, err
	}
	n.config.Missing = n.missing
	n.config.finish(Format{Name: "combined", Text: nginxCombined}, n.uses, nil)
	return n.config, nil
}

// parse reads one file.
func (n *nginx) parse(name string, text []byte) error {
	depth := len(n.blocks)
	w := words{text: text, at: Position{File: name, Line: 1}}
	for {
		directive, end, err := w.directive()
		if err != nil {
			return err
		}
		switch end {
		case 0:
			if len(n.blocks) > depth {
				return &Error{At: w.at, Message: "the block " + n.blocks[len(n.blocks)-1] + " is not closed"}
			}
			return nil
		case '{':
			if strings.HasSuffix(directive.name(), "_by_lua_block") {
				if err := w.skipCode(); err != nil {
					return err
				}
				continue
			}
			n.blocks = append(n.blocks, directive.name())
		case '}':
			if len(n.blocks) == depth {
				return &Error{At: directive.at, Message: "a } without its {"}
			}
			n.blocks = n.blocks[:len(n.blocks)-1]
		default:
			if err := n.apply(directive); err != nil {
				return err
			}
		}
	}
}

// apply takes what a directive says about logs. Those of streams and mail are no access logs of requests.
func (n *nginx) apply(d directive) error {
	if len(n.blocks) > 0 && (n.blocks[0] == "stream" || n.blocks[0] == "mail") && d.name() != "include" {
		return nil
	}
	switch args := d.words[1:]; d.name() {
	case "include":
		if len(args) != 1 {
			return &Error{At: d.at, Message: "include takes one file"}
		}
		files, err := n.find(args[0], d.at, false)
		if err != nil {
			return err
		}
		for _, file := range files {
			if err := n.visit(file, d.at, n.parse); err != nil {
				return err
			}
		}
	case "log_format":
		if len(args) < 2 {
			return &Error{At: d.at, Message: "log_format takes a name and a string"}
		}
		parts, escape := args[1:], ""
		if value, ok := strings.CutPrefix(parts[0], "escape="); ok {
			if parts = parts[1:]; value != "default" {
				escape = "escape=" + value + " "
			}
		}
		n.config.define(Format{Name: args[0], Text: escape + strings.Join(parts, ""), At: d.at})
	case "access_log":
		switch {
		case len(args) == 0 || args[0] == "off":
		case len(args) == 1 || strings.Contains(args[1], "="):
			n.uses = append(n.uses, "combined")
		default:
			n.uses = append(n.uses, args[1])
		}
	}
	return nil
}
