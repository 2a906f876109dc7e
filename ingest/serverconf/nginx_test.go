package serverconf_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reprise/ingest/serverconf"
)

// folder writes files, given as name, text, name, text..., and returns the folder they are in.
func folder(t testing.TB, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(dir, files[i])
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

type reader func(path string) (*serverconf.Config, error)

// wantText reads a configuration of one file and compares the text of a format.
func wantText(t *testing.T, read reader, conf, name, want string) {
	t.Helper()
	c, err := read(filepath.Join(folder(t, "main.conf", conf), "main.conf"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := c.Format(name)
	if err != nil {
		t.Fatal(err)
	}
	if f.Text != want {
		t.Errorf("%s of\n%s\nis %s\nwant %s", name, conf, f.Text, want)
	}
}

// wantError reads a configuration and looks for the message, after the folder is taken off.
func wantError(t *testing.T, read reader, name, want string, files ...string) {
	t.Helper()
	dir := folder(t, files...)
	c, err := read(filepath.Join(dir, files[0]))
	if err == nil {
		_, err = c.Format(name)
	}
	if err == nil {
		t.Fatalf("no error for\n%s", files[1])
	}
	if got := strings.ReplaceAll(err.Error(), dir+"/", ""); got != want {
		t.Errorf("error %s\n want %s", got, want)
	}
}

const nginxCombined = `$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"`

func TestNginxSyntax(t *testing.T) {
	f := func(conf, name, want string) {
		t.Helper()
		wantText(t, serverconf.Nginx, conf, name, want)
	}
	f("http {\n  log_format main '$remote_addr [$time_local] '\n                  '\"$request\" $status';\n}", "main", `$remote_addr [$time_local] "$request" $status`)
	f("# log_format main x;\nhttp { log_format main \"a \\\"$request\\\" # $status\"; # }\n}", "main", `a "$request" # $status`)
	f("http{log_format main escape=json '{\"a\":\"${msec}\"}';}", "main", `escape=json {"a":"${msec}"}`)
	f("http{log_format main escape=default $msec${status};}", "main", `$msec${status}`)
	f("http{log_format main escape=none '$msec\\t$status';}", "main", "escape=none $msec\t$status")
	f(`http{log_format main '\d\\ it\'s';}`, "main", `\d\ it's`)
	f("http{}", "combined", nginxCombined)
	f("", "", nginxCombined)
	f("http { server { location / { content_by_lua_block { local s = \"}\" -- }'\n if x then y = {1} end } access_log off; } } log_format a $msec; }", "a", "$msec")
}

func TestNginxChoice(t *testing.T) {
	f := func(conf, want string) {
		t.Helper()
		wantText(t, serverconf.Nginx, conf, "", want)
	}
	const two = "log_format a A$msec; log_format b B$msec; "
	f("http { "+two+"access_log /var/log/a.log b buffer=32k flush=5m; }", "B$msec")
	f("http { "+two+"access_log off; server { access_log syslog:server=192.0.2.1 a; } access_log x a if=$loggable; }", "A$msec")
	f("http { "+two+"access_log /var/log/a.log; }", nginxCombined)
	f("http { "+two+"access_log /var/log/a.log buffer=32k; }", nginxCombined)
	f("http { log_format a A$msec; }", "A$msec")
	f("http { access_log x a; log_format a A$msec; } stream { log_format s $msec; access_log y s; }", "A$msec")
	wantError(t, serverconf.Nginx, "", "main.conf: logs are written in several formats; there are a, b", "main.conf", "http { "+two+"access_log x a; access_log y b; }")
	wantError(t, serverconf.Nginx, "", "main.conf: several log formats are defined and no log names one; there are a, b", "main.conf", "http { "+two+"}")
	wantError(t, serverconf.Nginx, "c", `main.conf: no log format is called "c"; there are a, b, combined`, "main.conf", "http { "+two+"}")
	wantError(t, serverconf.Nginx, "", `main.conf: no log format is called "c"; there are a, b, combined; not found is what is included at main.conf:2`,
		"main.conf", "http { "+two+"access_log x c;\ninclude gone.conf; }")
}

func TestNginxErrors(t *testing.T) {
	f := func(conf, want string) {
		t.Helper()
		wantError(t, serverconf.Nginx, "", want, "main.conf", conf)
	}
	f("http {\n", "main.conf:2: the block http is not closed")
	f("}\n", "main.conf:1: a } without its {")
	f("\nlog_format a", "main.conf:2: log_format is not ended by ;")
	f("http { log_format a }", "main.conf:1: log_format is not ended by ;")
	f("log_format\na 'b;", "main.conf:2: a quote that is not closed")
	f(";", "main.conf:1: unexpected ';'")
	f("log_format a;", "main.conf:1: log_format takes a name and a string")
	f("include;", "main.conf:1: include takes one file")
	f("x_by_lua_block {\n", "main.conf:1: the code block is not closed")
	f("include [;", "main.conf:1: the pattern of the include is malformed")
}

func TestNginxIncludes(t *testing.T) {
	dir := folder(t,
		"nginx.conf", "http {\n include mime.types;\n include conf.d/*.conf;\n include /nowhere/*.conf;\n include sites/shop;\n}",
		"conf.d/a.conf", "include snippets/log.conf;\n",
		"conf.d/b.txt", "log_format b B;",
		"snippets/log.conf", "\nlog_format main M$msec;\n",
		"sites/shop", "server { access_log x main; }",
	)
	c, err := serverconf.Nginx(filepath.Join(dir, "nginx.conf"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := c.Format("")
	if err != nil {
		t.Fatal(err)
	}
	if f.Text != "M$msec" || f.At.Line != 2 || f.At.File != filepath.Join(dir, "snippets/log.conf") {
		t.Errorf("format %+v", f)
	}
	if len(c.Missing) != 1 || c.Missing[0].Line != 2 { // a pattern that matches nothing is no mistake
		t.Errorf("missing %v", c.Missing)
	}
	wantError(t, serverconf.Nginx, "", "b.conf:1: the include of a.conf goes in a circle", "a.conf", "include b.conf;", "b.conf", "include a.conf;")
	wantError(t, serverconf.Nginx, "", "a.conf:1: the block http is not closed", "main.conf", "include a.conf; }", "a.conf", "http {")
}

func TestUnreadableFiles(t *testing.T) {
	_, err := serverconf.Nginx(filepath.Join(t.TempDir(), "none.conf"))
	if e, ok := errors.AsType[*serverconf.Error](err); !ok || !errors.Is(err, os.ErrNotExist) || e.At.Line != 0 {
		t.Errorf("%v", err)
	}
	if _, err := serverconf.Apache(os.DevNull); err == nil {
		t.Error("a device was read")
	}
	if _, err := serverconf.Nginx(t.TempDir()); err == nil {
		t.Error("a folder was read")
	}
	big := folder(t, "big.conf", strings.Repeat("#\n", 3<<20))
	if _, err := serverconf.Nginx(filepath.Join(big, "big.conf")); err == nil {
		t.Error("6 MiB were read")
	}
}

// Twenty files that each include all the others end at a circle or at the bound, never in memory or time.
func TestManyIncludes(t *testing.T) {
	var files []string
	for _, name := range strings.Split("abcdefghijklmnopqrst", "") {
		files = append(files, name+".conf", strings.Repeat("include leaf.conf;", 150))
	}
	files = append(files, "leaf.conf", "", "main.conf", "include [a-t].conf;")
	_, err := serverconf.Nginx(filepath.Join(folder(t, files...), "main.conf"))
	if err == nil || !strings.Contains(err.Error(), "more than 2000 files") {
		t.Errorf("%v", err)
	}
}

// fuzzConfig checks that a reader neither panics nor returns a format without a text and a place.
func fuzzConfig(f *testing.F, read reader) {
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, conf string) {
		if strings.Contains(strings.ToLower(conf), "include") {
			return // includes name files of the machine
		}
		path := filepath.Join(dir, "fuzz.conf")
		if err := os.WriteFile(path, []byte(conf), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := read(path)
		if err != nil {
			if _, ok := errors.AsType[*serverconf.Error](err); !ok {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		if len(c.Formats) == 0 {
			t.Fatal("not even the built-in format is there")
		}
		for _, format := range c.Formats {
			found, err := c.Format(format.Name)
			if format.Name != "" && (err != nil || found != format) {
				t.Fatalf("%+v is not found by its name: %+v, %v", format, found, err)
			}
			if format.At.Line > 1+strings.Count(conf, "\n") {
				t.Fatalf("%+v stands behind the end of %q", format, conf)
			}
		}
	})
}

func FuzzNginxConf(f *testing.F) {
	for _, seed := range []string{
		"http { log_format main '$remote_addr' \" $status\"; access_log /x main; }", "log_format a escape=json '{\"a\":\"$msec\"}';", "a {\n} # {",
		"x_by_lua_block { '}' -- \n }", "log_format \\;", "a ${b};", "'", "}", "stream{log_format a b;}",
	} {
		f.Add(seed)
	}
	fuzzConfig(f, serverconf.Nginx)
}

// rewrite replaces a text in a file.
func rewrite(t *testing.T, name, from, to string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(strings.ReplaceAll(string(text), from, to)), 0o600); err != nil {
		t.Fatal(err)
	}
}
