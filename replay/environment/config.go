package environment

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"
)

// DefaultTimeout bounds a step that sets no timeout.
const DefaultTimeout = 60 * time.Second

// MaxTimeout is the longest timeout that a step may set.
const MaxTimeout = time.Hour

// Config says how to reset an environment and how to prove it. The zero value resets nothing.
type Config struct {
	// Reset steps run in order before every run.
	Reset []Step `yaml:"reset"`
	// Ready steps are repeated, in order, until each has succeeded or its timeout is over.
	Ready []Step `yaml:"ready"`
	// Fingerprint steps give what is hashed: the body of an answer, the standard output of a command.
	Fingerprint []Step `yaml:"fingerprint"`
	// Metrics is the URL of the target's metrics; empty means none.
	Metrics string `yaml:"metrics"`
	// Targets are the host names, without a port, that may be reached besides loopback.
	Targets []string `yaml:"targets"`
}

// Step is one thing to do: exactly one of Exec and HTTP is set.
type Step struct {
	// Exec is a command with its arguments.
	Exec Command
	// HTTP is a request.
	HTTP *Request
	// Timeout bounds the step; 0 means DefaultTimeout, and MaxTimeout is the most.
	Timeout time.Duration

	line, column int // in the file it was read from, or 0
}

// Command is an argument vector, looked up in PATH. Command{"true"} runs no process and succeeds.
type Command []string

// Request is an HTTP request without a body.
type Request struct {
	// Method is an HTTP method; empty means POST in a reset step and GET elsewhere.
	Method string
	// URL is absolute, with scheme http or https.
	URL string
	// Expect is the status that means success; 0 means any from 200 to 299.
	Expect int
}

// noop reports whether c is the documented way to do nothing.
func (c Command) noop() bool { return len(c) == 1 && c[0] == "true" }

// name says what the step does without its arguments, which may hold passwords.
func (s *Step) name(method string) string {
	if s.HTTP != nil {
		return s.HTTP.method(method) + " " + place(s.HTTP.URL)
	}
	if len(s.Exec) == 0 {
		return "nothing to do"
	}
	name := "exec " + escape(filepath.Base(s.Exec[0]))
	switch n := len(s.Exec) - 1; n {
	case 0:
		return name
	case 1:
		return name + " with 1 argument"
	default:
		return fmt.Sprintf("%s with %d arguments", name, n)
	}
}

func (s *Step) timeout() time.Duration {
	if s.Timeout == 0 {
		return DefaultTimeout
	}
	return s.Timeout
}

func (r *Request) method(otherwise string) string {
	if r.Method == "" {
		return otherwise
	}
	return r.Method
}

// place is a URL without user, query and fragment, which may hold secrets.
func place(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "a malformed URL"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// phases names the lists of steps in the order of their use.
func (c *Config) phases() []phase {
	return []phase{
		{"reset", http.MethodPost, c.Reset},
		{"ready", http.MethodGet, c.Ready},
		{"fingerprint", http.MethodGet, c.Fingerprint},
	}
}

// phase is a list of steps and the method of those of its requests that name none.
type phase struct {
	name   string
	method string
	steps  []Step
}

// validate reports the first mistake as a *ConfigError.
func (c *Config) validate() error {
	for _, target := range c.Targets {
		if target == "" || strings.ContainsAny(target, "/@ ") || strings.Contains(target, ":") && net.ParseIP(target) == nil {
			return &ConfigError{Message: "targets: give host names, without scheme and port"}
		}
	}
	for _, p := range c.phases() {
		for i := range p.steps {
			s := &p.steps[i]
			if message := s.problem(c.Targets); message != "" {
				return &ConfigError{Line: s.line, Column: s.column, Message: fmt.Sprintf("%s step %d: %s", p.name, i+1, message)}
			}
		}
	}
	if c.Metrics != "" {
		if message := urlProblem(c.Metrics, c.Targets); message != "" {
			return &ConfigError{Message: "metrics: " + message}
		}
	}
	return nil
}

// problem says what is wrong with s, or nothing.
func (s *Step) problem(targets []string) string {
	switch {
	case (s.HTTP == nil) == (len(s.Exec) == 0):
		return "give exactly one of exec and http"
	case s.Timeout < 0 || s.Timeout > MaxTimeout:
		return fmt.Sprintf("timeout must be above 0, at most %v", MaxTimeout)
	case s.HTTP == nil:
		if s.Exec[0] == "" {
			return "exec: the command is empty"
		}
		return ""
	case s.HTTP.Expect != 0 && (s.HTTP.Expect < 200 || s.HTTP.Expect > 599):
		return "expect must be a status from 200 to 599"
	case strings.ContainsFunc(s.HTTP.Method, func(r rune) bool { return r < 'A' || r > 'Z' }):
		return "method must be in capital letters, such as POST"
	}
	return urlProblem(s.HTTP.URL, targets)
}

// urlProblem says what is wrong with a URL, or nothing.
func urlProblem(raw string, targets []string) string {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "":
		return "url must be absolute, such as http://127.0.0.1:8080/reset"
	case u.Scheme != "http" && u.Scheme != "https":
		return "url must begin with http:// or https://"
	case !allowed(u.Hostname(), targets):
		return fmt.Sprintf("%s is neither loopback nor in targets", escape(u.Hostname()))
	}
	return ""
}

// allowed reports whether host is loopback by its name, or one of targets. What a loopback name resolves
// to is checked again when it is dialled.
func allowed(host string, targets []string) bool {
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() || strings.EqualFold(host, "localhost") {
		return true
	}
	return listed(host, targets)
}

// listed reports whether host is one of targets, in any case of letters.
func listed(host string, targets []string) bool {
	for _, target := range targets {
		if strings.EqualFold(host, target) {
			return true
		}
	}
	return false
}
