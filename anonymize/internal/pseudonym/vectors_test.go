package pseudonym_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reprise/anonymize/internal/pseudonym"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// hkdfOf is HKDF-SHA-256 as RFC 5869 sections 2.2 and 2.3 write it: extract, then expand.
func hkdfOf(secret, salt, info []byte, length int) []byte {
	if len(salt) == 0 {
		salt = make([]byte, sha256.Size)
	}
	sum := func(key []byte, parts ...[]byte) []byte {
		mac := hmac.New(sha256.New, key)
		for _, p := range parts {
			mac.Write(p)
		}
		return mac.Sum(nil)
	}
	prk := sum(salt, secret)
	var out, last []byte
	for i := byte(1); len(out) < length; i++ {
		last = sum(prk, last, info, []byte{i})
		out = append(out, last...)
	}
	return out[:length]
}

// The reference of this test is right by the vectors of RFC 5869 appendix A.1 and A.3; Subkey is what it says.
func TestSubkeyIsHKDF(t *testing.T) {
	f := func(secret, salt, info, want string) {
		t.Helper()
		if got := hkdfOf(unhex(t, secret), unhex(t, salt), unhex(t, info), 42); !bytes.Equal(got, unhex(t, want)) {
			t.Errorf("got %x, want %s", got, want)
		}
	}
	ikm := strings.Repeat("0b", 22)
	f(ikm, "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9",
		"3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
	f(ikm, "", "", "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")

	master := masterKey()
	for _, name := range [][2]string{{"", "kid"}, {"id", "text"}, {"user", "int8"}} {
		want := hkdfOf(master, nil, []byte("reprise/anon/v1/"+name[0]+"/"+name[1]), pseudonym.KeySize)
		if got := pseudonym.Subkey(master, name[0], name[1]); !bytes.Equal(got, want) {
			t.Errorf("%s/%s: %x, want %x", name[0], name[1], got, want)
		}
	}
}

func TestSubkeysDiffer(t *testing.T) {
	seen := make(map[string]string)
	for _, entity := range []string{"", "id", "user", "id/int"} {
		for _, class := range []string{"kid", "text", "runs", "int8", "8"} {
			name, key := entity+"|"+class, string(pseudonym.Subkey(masterKey(), entity, class))
			if other, ok := seen[key]; ok {
				t.Errorf("%s and %s have one key", name, other)
			}
			seen[key] = name
		}
	}
}

// masterKey is 0, 1, 2 ... 31.
func masterKey() []byte {
	k := make([]byte, pseudonym.KeySize)
	for i := range k {
		k[i] = byte(i)
	}
	return k
}

// vectors are pseudonyms under masterKey, one on a line: what is mapped, how, and to what.
func vectors(t *testing.T) []byte {
	t.Helper()
	master := masterKey()
	var b bytes.Buffer
	b.WriteString("# Key: the bytes 00 01 02 ... 1f. Columns: entity, kind, value, pseudonym. Another implementation must give the same.\n")
	fmt.Fprintf(&b, "- key-id - %x\n", pseudonym.Subkey(master, "", "kid")[:4])
	for _, entity := range []string{"id", "user"} {
		m := pseudonym.NewMapper(master, entity)
		f := func(kind, value string, to func(dst, value []byte) []byte) {
			fmt.Fprintf(&b, "%s %s %s %s\n", entity, kind, value, to(nil, []byte(value)))
		}
		for _, n := range []string{"7", "42", "007", "31337", "1000001", "7654321", "1234567890", "4000000000", "13800123456", "123456789012345678"} {
			f("int", n, m.AppendInt)
		}
		f("mail", "ada@shop.example", m.AppendMail)
		f("mail", "ADA@shop.example", m.AppendMail)
		f("uuid", "6ba7b810-9dad-41d1-80b4-00c04fd430c8", m.AppendUUID)
		f("phone", "+491511234567", m.AppendPhone)
		f("card", "4111111111111111", m.AppendCard)
		f("resident", "11010519491231002X", m.AppendResident)
		f("iban", "DE89370400440532013000", m.AppendIBAN)
		f("text", "blue-kettle", m.AppendText)
		f("text", "session-aaaaaaaa", m.AppendText)
		f("text", "oeiaaaaarVo97FK9", m.AppendText)
	}
	p, err := pseudonym.NewPrefix(pseudonym.Subkey(master, "address", "pfx"), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []string{"8.8.8.8", "8.8.4.4", "10.1.2.3", "192.0.2.1", "240.1.2.3", "2001:db8::1", "2a00:1450::1"} {
		fmt.Fprintf(&b, "address pfx %s %s\n", a, p.Map(netip.MustParseAddr(a)))
	}
	return b.Bytes()
}

// The pseudonyms of a key are a promise: those of the file that was published stay as they are as long as the version of
// the subkeys' labels does.
func TestVectors(t *testing.T) {
	name := filepath.Join("testdata", "vectors.txt")
	got := vectors(t)
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "privacy.md"))
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for line := range strings.Lines(string(page)) {
		if vector, ok := strings.CutPrefix(line, "    "); ok && !strings.HasPrefix(vector, " ") {
			if shown++; !bytes.Contains(want, []byte("\n"+vector)) {
				t.Errorf("docs/privacy.md shows another vector: %s", vector)
			}
		}
	}
	if shown == 0 {
		t.Error("docs/privacy.md shows no vector")
	}
	if !bytes.Equal(got, want) {
		t.Errorf("pseudonyms have changed; if that is meant, run with -update and raise the version of the labels\n%s", got)
	}
}
