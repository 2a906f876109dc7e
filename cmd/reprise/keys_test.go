package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// traces of a key are parts of its bytes, and of its texts in hex and base64, long enough to stand nowhere by chance.
func tracesOf(t *testing.T, keyFile string) (list [][]byte) {
	t.Helper()
	text, err := os.ReadFile(keyFile)
	if err != nil {
		t.Fatal(err)
	}
	encoded := strings.TrimSpace(strings.TrimPrefix(string(text), "reprise-key-v1 "))
	secret, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil || len(secret) != 32 {
		t.Fatalf("%d bytes, %v", len(secret), err)
	}
	for form, size := range map[string]int{string(secret): 8, hex.EncodeToString(secret): 16, strings.ToUpper(hex.EncodeToString(secret)): 16,
		encoded: 11, base64.StdEncoding.EncodeToString(secret): 11} {
		for i := 0; i+size <= len(form); i++ {
			list = append(list, []byte(form[i:i+size]))
		}
	}
	return list
}

// keyIn tells where text holds a part of a key.
func keyIn(text []byte, traces [][]byte) bool {
	for _, part := range traces {
		if bytes.Contains(text, part) {
			return true
		}
	}
	return false
}

// The key's bytes stand in nothing that the tool writes or prints: not in the files of a whole run and its archive,
// not in its messages, not in those of its failures. Its ID does.
func TestKeyNeverShows(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }))
	defer server.Close()
	dir, keys := t.TempDir(), t.TempDir()
	key := filepath.Join(keys, "k")
	var printed bytes.Buffer
	do := func(want int, args ...string) {
		t.Helper()
		c := exec.Command(filepath.Join(folder, "reprise"), args...)
		c.Dir, c.Stdout, c.Stderr = dir, &printed, &printed
		_ = c.Run()
		got := c.ProcessState.ExitCode()
		if got == exitInvalid { // a busy machine sends late; the archive is written all the same
			got = exitOK
		}
		if got != want {
			t.Fatalf("reprise %s: exit code %d, want %d\n%s", strings.Join(args, " "), got, want, printed.Bytes())
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "access.log"), peakMinute(t), 0o600); err != nil {
		t.Fatal(err)
	}
	do(0, "keygen", "-o", key)
	traces := tracesOf(t, key)
	if text, err := os.ReadFile(key); err != nil || !keyIn(text, traces) || !keyIn(text[20:33], traces) {
		t.Fatal("the key is not found in its own file") // else this test cannot fail
	}
	do(0, "anonymize", "access.log", "--key-file", key, "-o", "T", "--rejects", "rejects")
	do(2, "anonymize", "access.log", "--key-file", key, "-o", "T")
	do(2, "anonymize", "T", "--key-file", key, "-o", "X")
	do(2, "anonymize", "access.log", "--key-file", key, "--workers", "0", "-o", "X")
	do(2, "keygen", "-o", key)
	do(0, "run", "access.log", "--key-file", key, "--target", server.URL, "--runs", "1", "--window", "peak:5s", "--speed", "5", "--warmup", "0s", "--requests", "-o", "runs")
	text, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(keys, "cut")
	for _, bad := range []string{string(text[:50]), string(text[16:]), string(text) + string(text), "reprise-key-v2" + string(text[14:])} {
		if err := os.WriteFile(cut, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		do(2, "anonymize", "access.log", "--key-file", cut, "-o", "X")
	}
	do(2, "anonymize", "access.log", "--key-file", strings.TrimSpace(string(text)), "-o", "X")
	do(2, "anonymize", "access.log", "--key-file", strings.TrimSpace(string(text[15:])), "-o", "X")
	do(2, string(text))
	if keyIn(printed.Bytes(), traces) {
		t.Error("a message holds the key")
	}
	files := 0
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		packed, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if text, err = plainText(path); keyIn(packed, traces) || keyIn(text, traces) {
			t.Errorf("%s holds the key", path)
		}
		return err
	})
	if err != nil || files < 10 {
		t.Errorf("%d files, %v", files, err)
	}
}
