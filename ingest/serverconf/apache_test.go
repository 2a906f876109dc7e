package serverconf_test

import (
	"path/filepath"
	"testing"

	"reprise/ingest/serverconf"
)

func TestApacheSyntax(t *testing.T) {
	f := func(conf, name, want string) {
		t.Helper()
		wantText(t, serverconf.Apache, conf, name, want)
	}
	f(`LogFormat "%h %l %u %t \"%r\" %>s %b" common`, "common", `%h %l %u %t "%r" %>s %b`)
	f("  logformat \"%h \\\n  %t \\\"%r\\\"\" \\\n short\r\n", "short", `%h   %t "%r"`)
	f("# LogFormat \"%h\" a\n<IfModule log_config_module>\nLogFormat '%t \"%r\"' a\n</IfModule>", "a", `%t "%r"`)
	f(`LogFormat "%h\\t%t" a`, "a", `%h\t%t`)
	f("LogFormat \"%h\" a\nLogFormat \"%t\" a", "a", "%t") // the later one counts
	f(`LogFormat %h%t`, "CLF", `%h %l %u %t "%r" %>s %b`)
	f(`LogFormat "%h %t`, "CLF", `%h %l %u %t "%r" %>s %b`)
}

func TestApacheChoice(t *testing.T) {
	f := func(conf, want string) {
		t.Helper()
		wantText(t, serverconf.Apache, conf, "", want)
	}
	const two = "LogFormat \"A%t\" a\nLogFormat \"B%t\" b\n"
	f(two+"<VirtualHost *:80>\nCustomLog ${APACHE_LOG_DIR}/access.log b env=!dontlog\n</VirtualHost>", "B%t")
	f(two+`CustomLog "|/usr/bin/rotatelogs -n 5 logs/access.log 86400" "C%t \"%r\"" env=x`, `C%t "%r"`)
	f(two+"GlobalLog logs/all a\nCustomLog logs/x a", "A%t")
	f("LogFormat \"A%t\" a", "A%t")
	f("", `%h %l %u %t "%r" %>s %b`)
	f(two+"TransferLog logs/x", `%h %l %u %t "%r" %>s %b`)
	f(two+"LogFormat \"T%t\"\nTransferLog logs/x", "T%t")
	f(two+"LogFormat b\nTransferLog logs/x", "B%t")
	wantError(t, serverconf.Apache, "", "main.conf: logs are written in several formats; there are a, the one at main.conf:4",
		"main.conf", two+"CustomLog x a\nCustomLog y \"%t %r\"")
	wantError(t, serverconf.Apache, "c", `main.conf: no log format is called "c"; there are a, b, CLF`, "main.conf", two)
	wantError(t, serverconf.Apache, "", `main.conf: no log format is called "vhosts"; there are CLF; not found is what is included at main.conf:2`,
		"main.conf", "CustomLog x vhosts\nInclude gone.conf\nIncludeOptional also-gone.conf")
}

func TestApacheIncludes(t *testing.T) {
	dir := folder(t,
		"etc/apache2.conf", "Define SITES conf/sites\nServerRoot %ROOT%\nInclude ${SITES}/*.conf\nInclude ${UNKNOWN}/x.conf\n",
		"root/conf/sites/b.conf", "CustomLog x combined",
		"root/conf/sites/a.conf", "Include conf/all\nTransferLog y\n",
		"root/conf/all/deep/log.conf", "LogFormat \"%t %r\" combined\nLogFormat combined",
	)
	conf := filepath.Join(dir, "etc/apache2.conf")
	rewrite(t, conf, "%ROOT%", `"`+filepath.Join(dir, "root")+`"`)
	c, err := serverconf.Apache(conf)
	if err != nil {
		t.Fatal(err)
	}
	f, err := c.Format("")
	if err != nil {
		t.Fatal(err)
	}
	if f.Text != "%t %r" || f.At.Line != 1 || len(c.Missing) != 1 || c.Missing[0].Line != 4 {
		t.Errorf("%+v, missing %v", f, c.Missing)
	}
	wantError(t, serverconf.Apache, "", "main.conf:1: the include of main.conf goes in a circle", "main.conf", "Include main.conf")
}

func TestApacheErrors(t *testing.T) {
	f := func(conf, want string) {
		t.Helper()
		wantError(t, serverconf.Apache, "", want, "main.conf", conf)
	}
	f("\nLogFormat", "main.conf:2: LogFormat takes a string and a nickname")
	f("\n\\\nCustomLog x", "main.conf:2: a log takes a file and a format")
	f("Include", "main.conf:1: Include takes a file")
}

func FuzzApacheConf(f *testing.F) {
	for _, seed := range []string{
		`LogFormat "%h \"%r\"" a` + "\nCustomLog x a\n", "LogFormat \\\n a \\\n", "TransferLog x", "Define A ${A}\nServerRoot ${A}", `CustomLog "x" "%t`,
	} {
		f.Add(seed)
	}
	fuzzConfig(f, serverconf.Apache)
}
