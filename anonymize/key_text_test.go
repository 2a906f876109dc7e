package anonymize_test

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"reprise/anonymize"
)

// A key from a descriptor is the same key, and is refused for the same contents, whatever the reader's pieces are.
func TestReadKey(t *testing.T) {
	k, err := anonymize.ReadKey(iotest.OneByteReader(strings.NewReader(keyText(3))), "descriptor 3")
	if err != nil || k.ID() != testKey(t, 3).ID() {
		t.Errorf("key is %v, %v", k, err)
	}
	f := func(text, want string) {
		t.Helper()
		_, err := anonymize.ReadKey(strings.NewReader(text), "descriptor 3")
		var key *anonymize.KeyError
		if !errors.As(err, &key) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "descriptor 3") {
			t.Errorf("error is %v, want %q", err, want)
		}
		if err != nil && strings.Contains(err.Error(), keyText(3)[20:30]) {
			t.Error("the error holds key material")
		}
	}
	ok := keyText(3)
	f("", "no key file")
	f(ok[1:], "no key file")
	f(ok[:50], "32 bytes")
	f(ok+"\n", "32 bytes")
	f(ok+" ", "32 bytes")
	f(strings.TrimSuffix(ok, "\n")+"\r\n", "32 bytes")
	f(ok+ok, "32 bytes")
	if _, err := anonymize.ReadKey(iotest.ErrReader(errors.New("gone")), "descriptor 3"); err == nil || !strings.Contains(err.Error(), "gone") {
		t.Errorf("error is %v", err)
	}
}

// Where the name of a file was wanted and a key was given, the error does not repeat it.
func TestKeyErrorHidesAKey(t *testing.T) {
	t.Chdir(t.TempDir())
	line := strings.TrimSuffix(keyText(3), "\n")
	for _, name := range []string{line, line[len("reprise-key-v1 "):]} {
		_, err := anonymize.LoadKey(name)
		if err == nil || strings.Contains(err.Error(), line[20:30]) {
			t.Errorf("error is %v", err)
		}
	}
}

func TestIsKeyText(t *testing.T) {
	f := func(text string, want bool) {
		t.Helper()
		if got := anonymize.IsKeyText(text); got != want {
			t.Errorf("%.12s... is a key: %v", text, got)
		}
	}
	line := keyText(200)
	encoded := strings.TrimSpace(line[len("reprise-key-v1 "):])
	secret, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil {
		t.Fatal(err)
	}
	f(line, true)
	f("--key-file="+line, true)
	f("reprise-key-v1\t"+encoded, true)
	f(line[:40], true)
	f(encoded, true)
	f(base64.StdEncoding.EncodeToString(secret), true)
	f(hex.EncodeToString(secret), true)
	f(strings.ToUpper(hex.EncodeToString(secret)), true)
	f("reprise-key-v1.key", false)
	f("reprise-key-v1", false)
	f("/run/secrets/production-reprise-key-2026-ab", false) // of 43 characters
	f(filepath.Join("keys", encoded), false)
	f("k", false)
	f("", false)
}

// Whatever a key file holds, it is a key of its one form or is refused, and the error repeats nothing of it.
func FuzzReadKey(f *testing.F) {
	f.Add([]byte(keyText(1)))
	f.Add([]byte("reprise-key-v1 " + strings.Repeat("A", 43)))
	f.Add([]byte("reprise-key-v1 \n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		k, err := anonymize.ReadKey(strings.NewReader(string(text)), "F")
		if err == nil {
			if line := strings.TrimSuffix(string(text), "\n"); len(line) != 58 || !anonymize.IsKeyText(line) || len(k.ID()) != 8 {
				t.Errorf("%q is a key", text)
			}
			return
		}
		for i := 0; i+16 <= len(text); i++ {
			if part := string(text[i : i+16]); !strings.HasPrefix("reprise-key-v1 ", part[:8]) && strings.Contains(err.Error(), part) && !strings.Contains(keyErrors, part) {
				t.Fatalf("the error repeats %q", part)
			}
		}
	})
}

// keyErrors is the tool's own text in errors about keys.
const keyErrors = "key file F: is no key file of reprise (reprise keygen writes one) does not hold 32 bytes in base64url holds the same byte 32 times; that is no random key"
