package anonymize_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"reprise/anonymize"
)

func TestNewKeyFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "key")
	if err := anonymize.NewKeyFile(path); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode is %v, %v", info.Mode(), err)
	}
	text, err := os.ReadFile(path)
	if err != nil || !regexp.MustCompile(`^reprise-key-v1 [A-Za-z0-9_-]{43}\n$`).Match(text) {
		t.Error("the file is not one line of the known form")
	}
	k, err := anonymize.LoadKey(path)
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^[0-9a-f]{8}$`).MatchString(k.ID()) {
		t.Errorf("ID is %q", k.ID())
	}
	if err := anonymize.NewKeyFile(path); !errors.Is(err, os.ErrExist) {
		t.Errorf("a key was overwritten, or the error is another: %v", err)
	}
	other := filepath.Join(dir, "other")
	if err := anonymize.NewKeyFile(other); err != nil {
		t.Fatal(err)
	}
	if o, err := anonymize.LoadKey(other); err != nil || o.ID() == k.ID() {
		t.Errorf("two keys are one: %v", err)
	}
}

func TestKeyIDDependsOnTheKeyOnly(t *testing.T) {
	if a, b := testKey(t, 1).ID(), testKey(t, 1).ID(); a != b {
		t.Errorf("one key has the IDs %s and %s", a, b)
	}
	if testKey(t, 1).ID() == testKey(t, 2).ID() {
		t.Error("two keys have one ID")
	}
}

func TestKeyNeverPrintsItself(t *testing.T) {
	k := testKey(t, 40)
	secret := keyText(40)[len("reprise-key-v1 ") : len(keyText(40))-1]
	for _, verb := range []string{"%v", "%+v", "%s", "%#v", "%q"} {
		text := fmt.Sprintf(verb, k)
		if strings.Contains(text, secret) || strings.Contains(text, "40, 41") || strings.Contains(text, hex.EncodeToString([]byte{40, 41, 42})) ||
			strings.Contains(text, "0x28, 0x29") {
			t.Errorf("%s prints the key", verb)
		}
	}
}

func TestLoadKeyRefuses(t *testing.T) {
	f := func(name, want string, make func(path string) error) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "key")
		if err := make(path); err != nil {
			t.Fatal(err)
		}
		_, err := anonymize.LoadKey(path)
		var key *anonymize.KeyError
		if !errors.As(err, &key) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v, want %q", name, err, want)
		}
		if err != nil && strings.Contains(err.Error(), keyText(3)[20:40]) {
			t.Errorf("%s: the error holds key material", name)
		}
	}
	put := func(text string, mode os.FileMode) func(string) error {
		return func(path string) error {
			return errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chmod(path, mode))
		}
	}
	ok := keyText(3)
	f("readable by others", "mode 0644", put(ok, 0o644))
	f("readable by the group", "mode 0640", put(ok, 0o640))
	f("writable by the group", "mode 0620", put(ok, 0o620))
	f("missing", "no such file", func(string) error { return nil })
	f("symbolic link", "symbolic link", func(path string) error {
		return errors.Join(os.WriteFile(path+"2", []byte(ok), 0o600), os.Symlink(path+"2", path))
	})
	f("folder", "no regular file", func(path string) error { return os.Mkdir(path, 0o700) })
	f("named pipe", "no regular file", func(path string) error { return syscall.Mkfifo(path, 0o600) })
	f("empty", "no key file", put("", 0o600))
	f("other text", "no key file", put("-----BEGIN PRIVATE KEY-----\n", 0o600))
	f("short", "32 bytes", put(ok[:40]+"\n", 0o600))
	f("long", "32 bytes", put(ok[:len(ok)-1]+"AA\n", 0o600))
	f("two lines", "32 bytes", put(ok+ok, 0o600))
	f("not base64url", "32 bytes", put(strings.Replace(ok, ok[20:21], "+", 1), 0o600))
	f("constant", "same byte", put("reprise-key-v1 "+strings.Repeat("A", 43)+"\n", 0o600))
}

func TestKeyInsideGitWorkTree(t *testing.T) {
	dir := t.TempDir()
	deep := filepath.Join(dir, "a", "b")
	if err := errors.Join(os.Mkdir(filepath.Join(dir, ".git"), 0o700), os.MkdirAll(deep, 0o700)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(deep, "key")
	if err := anonymize.NewKeyFile(path); err == nil || !strings.Contains(err.Error(), "git work tree") {
		t.Errorf("NewKeyFile: %v", err)
	}
	if err := os.WriteFile(path, []byte(keyText(3)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := anonymize.LoadKey(path); err == nil || !strings.Contains(err.Error(), "git work tree") {
		t.Errorf("LoadKey: %v", err)
	}
	link := filepath.Join(t.TempDir(), "link") // a folder that only leads there
	if err := os.Symlink(deep, link); err != nil {
		t.Fatal(err)
	}
	if _, err := anonymize.LoadKey(filepath.Join(link, "key")); err == nil || !strings.Contains(err.Error(), "git work tree") {
		t.Errorf("LoadKey through a link: %v", err)
	}
}

func TestLoadKeyOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	path := filepath.Join(t.TempDir(), "key")
	if err := errors.Join(os.WriteFile(path, []byte(keyText(3)), 0o600), os.Chown(path, 12345, 0)); err != nil {
		t.Fatal(err)
	}
	if _, err := anonymize.LoadKey(path); err == nil || !strings.Contains(err.Error(), "another user") {
		t.Errorf("error is %v", err)
	}
}
