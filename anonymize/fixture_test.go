package anonymize_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reprise/anonymize"
	"reprise/anonymize/endpoint"
	"reprise/anonymize/trace"
	"reprise/ingest"
)

// failer is what testing.T and rapid.T have in common.
type failer interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
	Errorf(string, ...any)
}

// keyText is the line of a key file whose secret is n, n+1, n+2 ...
func keyText(n byte) string {
	var secret [32]byte
	for i := range secret {
		secret[i] = n + byte(i)
	}
	return "reprise-key-v1 " + base64.RawURLEncoding.EncodeToString(secret[:]) + "\n"
}

func testKey(t testing.TB, n byte) *anonymize.Key {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte(keyText(n)), 0o600); err != nil {
		t.Fatal(err)
	}
	k, err := anonymize.LoadKey(path)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// shop are the templates of a small shop.
func shop(t failer) *endpoint.Set {
	t.Helper()
	s, _, err := endpoint.Read(strings.NewReader(`version: 1
endpoints:
- pattern: /
- pattern: /p/{int}
- pattern: /u/{int}
- pattern: /u/{word}/profile.html
- pattern: /order/{uuid}
- pattern: /search
- pattern: /files/{any}
- pattern: /item-{int}
- pattern: /mail/{mail}
`))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func anonymizer(t testing.TB, key byte) *anonymize.Anonymizer {
	t.Helper()
	a, err := anonymize.New(testKey(t, key), shop(t), anonymize.Options{CacheEntries: 256})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func get(target string) *ingest.Record {
	return &ingest.Record{Start: 1331829283_123456789, Duration: ingest.Unknown, Bytes: 5120, Client: []byte("241.7.9.200"), Method: []byte("GET"),
		Target: []byte(target), Protocol: []byte("HTTP/1.1"), Status: 200, Agent: []byte("Mozilla/5.0 Firefox/115.0")}
}

// clean makes one record clean.
func clean(t failer, a *anonymize.Anonymizer, in *ingest.Record) *trace.Record {
	t.Helper()
	var out trace.Record
	if err := a.Record(in, &out); err != nil {
		t.Fatalf("%v", err)
	}
	return out.Clone()
}

// target is the clean form of a target.
func target(t failer, a *anonymize.Anonymizer, raw string) string {
	t.Helper()
	return string(clean(t, a, get(raw)).Target)
}

// becomes checks the clean forms of targets.
func becomes(t *testing.T, a *anonymize.Anonymizer) func(in, want string) {
	return func(in, want string) {
		t.Helper()
		if got := target(t, a, in); got != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
}
