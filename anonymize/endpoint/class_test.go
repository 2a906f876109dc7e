package endpoint_test

import (
	"testing"

	"reprise/anonymize/endpoint"
)

func TestClassify(t *testing.T) {
	f := func(want endpoint.Class, values ...string) {
		t.Helper()
		for _, v := range values {
			if got := endpoint.Classify([]byte(v)); got != want {
				t.Errorf("%q is %s, want %s", v, got, want)
			}
		}
	}
	f(endpoint.Int, "0", "7", "4711", "13912345678", "1700000000004", "00123")
	f(endpoint.UUID, "0a1b2c3d-1111-4222-8046-1234567ea002", "0A1B2C3D-1111-4222-8046-1234567EA002")
	f(endpoint.Hex, "deadbeef01", "020c97dc", "e83c51", "D41D8CD98F00B204E9800998ECF8427E", "0123456789abcdef0123456789abcdef01234567")
	f(endpoint.Mail, "a@b.example", "a.b+c@mail.example.org", "ü@example.org")
	f(endpoint.Date, "2020-11-02", "2020_11_02", "2020.11.02")
	f(endpoint.IP, "192.0.2.1", "255.255.255.255", "2001:db8::1", "::ffff:1.2.3.4")
	f(endpoint.PrefixInt, "user-123", "b113", "order_77", "p5", "item-000042", "productType-2", "2020-user-7x9"[5:11])
	f(endpoint.Word, "users", "v1", "V2", "api", "me", "en", "pt-BR", "index.html", "how-to-install-nginx-on-ubuntu-16-04-lts", "mp3", "oauth2",
		"getProductsByCategory", "1.7.1", "3.3", "wp-login.php", "a", "", "-", "..", "alice", "200x200", "utf8", "face", "cafe", "2.0-beta")
	f(endpoint.Token, "eyJhbGciOiJIUzI1NiJ9", "sess_a8f3k2m9x1", "dQw4w9WgXcQ", "aGVsbG8gd29ybGQgaG93IGFyZQ", "abcdefghijklmnopqrstuvwxyz", "a b", "a%20b",
		"x{y}", "Zürich", "北京", "a,b", "tel:+491701234", "12-3456789", "999.999.999.999", "555-123-4567", "roboto-latin-500.020c97dc", "a\x00b", "AbCdEfGhIjKlMn")
}

func TestClassifyNeverAllocates(t *testing.T) {
	values := [][]byte{[]byte("users"), []byte("4711"), []byte("0a1b2c3d-1111-4222-8046-1234567ea002"), []byte("2001:db8::1"), []byte("a@b.example"), []byte("b113")}
	if n := testing.AllocsPerRun(100, func() {
		for _, v := range values {
			endpoint.Classify(v)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestSplitExtension(t *testing.T) {
	f := func(in, stem, ext string) {
		t.Helper()
		s, e := endpoint.SplitExtension([]byte(in))
		if string(s) != stem || string(e) != ext {
			t.Errorf("%q became %q and %q", in, s, e)
		}
	}
	f("a.html", "a", ".html")
	f("jquery.min.js", "jquery.min", ".js")
	f("alice.smith", "alice.smith", "")
	f("a.b@c.example", "a.b@c.example", "")
	f("jan@onet.pl", "jan@onet.pl", "")
	f("logo@2x.png", "logo@2x", ".png")
	f("jan@localhost.html@x", "jan@localhost.html@x", "")
	f(".css", "", ".css")
	f("css", "css", "")
	f("", "", "")
}

func TestPath(t *testing.T) {
	f := func(target, want string) {
		t.Helper()
		if got := string(endpoint.Path([]byte(target))); got != want {
			t.Errorf("%q has the path %q, want %q", target, got, want)
		}
	}
	f("/a/b?c=/d", "/a/b")
	f("/a#b?c", "/a")
	f("http://host/a?b", "/a")
	f("https://host?b", "/")
	f("http://host", "/")
	f("*", "*")
	f("host:443", "host:443")
	f("/r?u=http://x/y", "/r")
	f("", "")
}

func TestUnescape(t *testing.T) {
	var buf [64]byte
	f := func(in, want string) {
		t.Helper()
		if got := string(endpoint.Unescape(buf[:], []byte(in))); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	f("plain", "plain")
	f("a%40b", "a@b")
	f("a%2540b", "a@b")
	f("a%252540b", "a@b")
	f("a%25252540b", "a%40b") // four rounds: three are undone
	f("%", "%")
	f("%4", "%4")
	f("%zz%41", "%zzA")
	f("%%34%31", "A")
	f("%ff", "\xff")
}

func FuzzMatch(f *testing.F) {
	for _, s := range []string{"/", "/a/b", "//a//b/", "/a;x=1/b", "/%41%", "/{int}", "/" + "a/b/c/d/e/f/g/h/i/j/k/l/m/n", "", "x", "/;/;"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, path []byte) {
		l := endpoint.NewLearner()
		for client := range uint64(40) {
			l.Add(path, client, 200)
		}
		set := l.Set()
		got := set.Match(path)
		learned := len(path) > 0 && path[0] == '/'
		if (got.Pattern != "{unmatched}") != learned {
			t.Fatalf("%q fits %s", path, got.Pattern)
		}
	})
}
