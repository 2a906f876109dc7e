package environment_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"reprise/replay/environment"
)

func TestParse(t *testing.T) {
	c, err := environment.Parse([]byte(`
reset:
  - exec: [./restore.sh, --fast, 007, yes, "a b"]
    timeout: 1m30s
  - exec: true
  - http: {method: PUT, url: "http://127.0.0.1:8080/reset?token=x", expect: 204}
  - http: http://[::1]:8080/reset
ready:
  - http: http://localhost/healthz
    timeout: 5s
fingerprint:
  - http: https://Staging.Shop.internal/fingerprint
  - exec:
      - sh
      - -c
      - |
        echo one
        echo two
metrics: http://127.0.0.1:8080/metrics
targets: [staging.shop.internal]
`), "reprise.yaml")
	if err != nil {
		t.Fatal(err)
	}
	type step struct {
		exec    environment.Command
		http    environment.Request
		timeout time.Duration
	}
	flat := func(steps []environment.Step) (out []step) {
		for _, s := range steps {
			v := step{exec: s.Exec, timeout: s.Timeout}
			if s.HTTP != nil {
				v.http = *s.HTTP
			}
			out = append(out, v)
		}
		return out
	}
	f := func(name string, got []environment.Step, want ...step) {
		t.Helper()
		if g := flat(got); !reflect.DeepEqual(g, want) {
			t.Errorf("%s:\n got %+v\nwant %+v", name, g, want)
		}
	}
	f("reset", c.Reset,
		step{exec: environment.Command{"./restore.sh", "--fast", "007", "yes", "a b"}, timeout: 90 * time.Second},
		step{exec: environment.Command{"true"}},
		step{http: environment.Request{Method: "PUT", URL: "http://127.0.0.1:8080/reset?token=x", Expect: 204}},
		step{http: environment.Request{URL: "http://[::1]:8080/reset"}})
	f("ready", c.Ready, step{http: environment.Request{URL: "http://localhost/healthz"}, timeout: 5 * time.Second})
	f("fingerprint", c.Fingerprint,
		step{http: environment.Request{URL: "https://Staging.Shop.internal/fingerprint"}},
		step{exec: environment.Command{"sh", "-c", "echo one\necho two\n"}})
	if c.Metrics != "http://127.0.0.1:8080/metrics" || !reflect.DeepEqual(c.Targets, []string{"staging.shop.internal"}) {
		t.Errorf("metrics %q, targets %q", c.Metrics, c.Targets)
	}
}

func TestParseEmpty(t *testing.T) {
	for _, text := range []string{"", "\n", "# nothing yet\n", "reset: []\n", "reset:\n"} {
		c, err := environment.Parse([]byte(text), "x.yaml")
		if err != nil || len(c.Reset) != 0 {
			t.Errorf("%q: %+v, error %v; want no step", text, c, err)
		}
	}
}

// badConfigs are mistakes with the error each gives.
var badConfigs = []struct{ text, want string }{
	{"reset:\n  - postgres: {db: shop}\n", "x.yaml:2:5: unknown step kind postgres; allowed are exec and http, with timeout"},
	{"reset:\n  - exec: true\n    retries: 3\n", "x.yaml:3:5: unknown step kind retries; allowed are exec and http, with timeout"},
	{"rest:\n  - exec: true\n", "x.yaml:1:1: unknown field \"rest\""},
	{"reset:\n  - exec: true\nreset:\n  - exec: true\n", "x.yaml:3:1: mapping key \"reset\" already defined at [1:1]"},
	{"reset:\n  - exec: false\n", "x.yaml:2:11: exec must be true or a list such as [./reset.sh, --fast]; for a shell write [sh, -c, ...]"},
	{"reset:\n  - exec: ./reset.sh --fast\n", "x.yaml:2:11: exec must be true or a list such as [./reset.sh, --fast]; for a shell write [sh, -c, ...]"},
	{"reset:\n  - exec: []\n", "x.yaml:2:11: exec: the list is empty"},
	{"reset:\n  - exec: [\"\"]\n", "x.yaml:2:5: reset step 1: exec: the command is empty"},
	{"reset:\n  - exec: [a, {b: c}]\n", "x.yaml:2:15: exec: every argument must be a text"},
	{"reset:\n  - exec: true\n    timeout: 30\n", "x.yaml:3:14: timeout must be a time with a unit, such as 30s, above 0 and at most 1h0m0s"},
	{"reset:\n  - exec: true\n    timeout: 2h\n", "x.yaml:3:14: timeout must be a time with a unit, such as 30s, above 0 and at most 1h0m0s"},
	{"reset:\n  - timeout: 2s\n", "x.yaml:2:5: reset step 1: give exactly one of exec and http"},
	{"reset:\n  - exec: true\n    http: http://127.0.0.1/\n", "x.yaml:3:5: reset step 1: give exactly one of exec and http"},
	{"reset:\n  - http: {method: POST}\n", "x.yaml:2:11: http needs a url"},
	{"reset:\n  - http: {url: http://127.0.0.1/, body: x}\n", "x.yaml:2:36: unknown field body of http; allowed are url, method and expect"},
	{"reset:\n  - http: {url: http://127.0.0.1/, expect: ok}\n", "x.yaml:2:44: expect must be a status such as 200"},
	{"reset:\n  - http: {url: http://127.0.0.1/, expect: 99}\n", "x.yaml:2:5: reset step 1: expect must be a status from 200 to 599"},
	{"reset:\n  - http: {url: http://127.0.0.1/, method: post}\n", "x.yaml:2:5: reset step 1: method must be in capital letters, such as POST"},
	{"reset:\n  - http: /reset\n", "x.yaml:2:5: reset step 1: url must be absolute, such as http://127.0.0.1:8080/reset"},
	{"reset:\n  - http: ftp://127.0.0.1/\n", "x.yaml:2:5: reset step 1: url must begin with http:// or https://"},
	{"ready:\n  - exec: true\n  - http: http://shop.example/\n", "x.yaml:3:5: ready step 2: shop.example is neither loopback nor in targets"},
	{"metrics: http://shop.example/metrics\n", "x.yaml: metrics: shop.example is neither loopback nor in targets"},
	{"targets: [http://shop.example]\n", "x.yaml: targets: give host names, without scheme and port"},
	{"targets: [shop.example:80]\n", "x.yaml: targets: give host names, without scheme and port"},
	{"reset: 5\n", "x.yaml:1:8: int was used where sequence is expected"},
	{"reset: [5]\n", "x.yaml:1:9: a step must be a mapping"},
	{"ready:\n  ! 0000000", "x.yaml: the file is not the YAML that is expected here"}, // a panic in the YAML library
	{strings.Repeat(" ", 1<<19), "x.yaml: the file is larger than 256 KiB"},
	{"reset: []\n---\nready: []\n", "x.yaml:3:6: a second document; steps after --- would be ignored"},
	{"reset: [\n", "x.yaml:1:8: sequence end token ']' not found"},
}

func TestParseErrors(t *testing.T) {
	for _, bad := range badConfigs {
		_, err := environment.Parse([]byte(bad.text), "x.yaml")
		if err == nil || err.Error() != bad.want {
			t.Errorf("%q:\n got %v\nwant %s", bad.text, err, bad.want)
		}
		if typed := (*environment.ConfigError)(nil); err != nil && !errors.As(err, &typed) {
			t.Errorf("%q: error of type %T, want *ConfigError", bad.text, err)
		}
	}
}

// TestEmbedded reads the steps as a part of a larger file, as a command does.
func TestEmbedded(t *testing.T) {
	var whole struct {
		Rules              []string `yaml:"rules"`
		environment.Config `yaml:",inline"`
	}
	text := "rules: [a]\nreset:\n  - exec: true\n"
	if err := yaml.UnmarshalWithOptions([]byte(text), &whole, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	if len(whole.Reset) != 1 || len(whole.Rules) != 1 {
		t.Errorf("%+v, want one rule and one step", whole)
	}
}

func FuzzParse(f *testing.F) {
	for _, bad := range badConfigs {
		f.Add(bad.text)
	}
	f.Add("reset: [{exec: true}]\nready: [{http: 'http://127.0.0.1/', timeout: 3s}]\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := environment.Parse([]byte(text), "x.yaml")
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("the error %q could drive a terminal", err)
			}
			return
		}
		if _, err := environment.New(*c, environment.Options{}); err != nil {
			t.Errorf("Parse accepted what New refuses: %v", err)
		}
	})
}
