package anonymize

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"reprise/anonymize/internal/pseudonym"
)

const (
	keyPrefix = "reprise-key-v1 "
	keyLine   = len(keyPrefix) + 43 // 32 bytes in base64url without padding
)

// Key is the secret that all pseudonyms depend on. Who has it can link pseudonyms to people; without it
// there is no way back. It never prints itself.
type Key struct {
	secret [pseudonym.KeySize]byte
	id     string
}

// KeyError says why a key was refused. It never holds key material.
type KeyError struct {
	Path   string // of the key file, or what ReadKey calls its input
	Reason string
	Err    error // of the file system; may be nil
}

func (e *KeyError) Error() string {
	path := e.Path
	if IsKeyText(path) {
		path = "(a key, not a file's name)"
	}
	if e.Err != nil {
		return fmt.Sprintf("key file %s: %s: %v", path, e.Reason, e.Err)
	}
	return fmt.Sprintf("key file %s: %s", path, e.Reason)
}

func (e *KeyError) Unwrap() error { return e.Err }

// NewKeyFile writes a new random key to path, readable by its owner only. It never overwrites a file,
// follows no symbolic link, and refuses a path inside a git work tree.
func NewKeyFile(path string) error {
	if err := outsideGit(path); err != nil {
		return err
	}
	var secret [pseudonym.KeySize]byte
	rand.Read(secret[:]) // never fails: crypto/rand
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|noFollow, 0o600)
	if err != nil {
		return &KeyError{path, "cannot be created", bare(err)}
	}
	line := keyPrefix + base64.RawURLEncoding.EncodeToString(secret[:]) + "\n"
	_, err = f.WriteString(line)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return &KeyError{path, "cannot be written", bare(errors.Join(err, os.Remove(path)))}
	}
	return nil
}

// LoadKey reads a key file. It refuses a symbolic link, another owner, a mode that lets anyone else read
// or write it, a file inside a git work tree, and contents that are no key. Folders on the way to it may be
// symbolic links, as /tmp is on some systems: mode and owner are those of the file that was opened, and the
// search for a git work tree follows the links.
func LoadKey(path string) (*Key, error) {
	if err := outsideGit(path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|noFollow|nonBlock, 0)
	if err != nil {
		if info, lerr := os.Lstat(path); lerr == nil && info.Mode()&os.ModeSymlink != 0 {
			return nil, &KeyError{path, "is a symbolic link", nil}
		}
		return nil, &KeyError{path, "cannot be opened", bare(err)}
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, &KeyError{path, "cannot be examined", bare(err)}
	case !info.Mode().IsRegular():
		return nil, &KeyError{path, "is no regular file", nil}
	case info.Mode().Perm()&0o077 != 0:
		return nil, &KeyError{path, fmt.Sprintf("has mode %04o; only its owner may read it: chmod 600", info.Mode().Perm()), nil}
	case !ownedByUs(info):
		return nil, &KeyError{path, "belongs to another user", nil}
	}
	return ReadKey(f, path)
}

// ReadKey reads the text of a key file from r, to its end; name stands in errors. Whether others can read what r
// reads is the caller's business.
func ReadKey(r io.Reader, name string) (*Key, error) {
	text, err := io.ReadAll(io.LimitReader(r, int64(keyLine)+2))
	defer clear(text)
	if err != nil {
		return nil, &KeyError{name, "cannot be read", bare(err)}
	}
	return parseKey(name, text)
}

// IsKeyText tells whether a key stands in s: the text of a key file, or its 32 bytes alone in base64 or hex. It is for
// refusing a key where others can see it, such as in an argument.
func IsKeyText(s string) bool { return keyText.MatchString(s) }

// Of a key file's own text, half a key is too much; other texts of that length could be anything.
var keyText = regexp.MustCompile(`reprise-key-v1\s*[A-Za-z0-9_-]{20}|^[A-Za-z0-9_-]{43}$|^[A-Za-z0-9+/]{43}=$|^[0-9A-Fa-f]{64}$`)

func parseKey(path string, text []byte) (*Key, error) {
	text = bytes.TrimSuffix(text, []byte("\n"))
	encoded, ok := bytes.CutPrefix(text, []byte(keyPrefix))
	if !ok {
		return nil, &KeyError{path, "is no key file of reprise (reprise keygen writes one)", nil}
	}
	k := &Key{}
	secret, err := base64.RawURLEncoding.Strict().AppendDecode(nil, encoded)
	if err != nil || len(text) != keyLine || len(secret) != len(k.secret) {
		return nil, &KeyError{path, "does not hold 32 bytes in base64url", nil}
	}
	copy(k.secret[:], secret)
	if bytes.Count(k.secret[:], k.secret[:1]) == len(k.secret) {
		return nil, &KeyError{path, "holds the same byte 32 times; that is no random key", nil}
	}
	k.id = hex.EncodeToString(pseudonym.Subkey(k.secret[:], "", "kid")[:4])
	return k, nil
}

// ID names the key: 8 hex digits that tell nothing about it. Files that were made with one key have one ID.
func (k *Key) ID() string { return k.id }

// String is the ID, so that no print can show the key.
func (k *Key) String() string { return "key " + k.id }

// GoString is String.
func (k *Key) GoString() string { return k.String() }

// outsideGit refuses a path inside a git work tree, where a key would be committed sooner or later.
func outsideGit(path string) error {
	dir, err := filepath.Abs(filepath.Dir(path))
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return &KeyError{path, "has no folder that can be examined", bare(err)}
	}
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return &KeyError{path, "lies inside a git work tree; keep keys away from what is committed", nil}
		}
		up := filepath.Dir(dir)
		if up == dir {
			return nil
		}
		dir = up
	}
}

// bare drops the path that the file system repeats.
func bare(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
