package pseudonym_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"reprise/anonymize/internal/pseudonym"
)

// Test case 2 of RFC 4231 holds for the function that the next test compares Sum with. Sum itself frames its parts, so the
// published texts cannot go through it.
func TestHMACVector(t *testing.T) {
	mac := hmac.New(sha256.New, []byte("Jefe"))
	mac.Write([]byte("what do ya want for nothing?"))
	if got := hex.EncodeToString(mac.Sum(nil)); got != "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843" {
		t.Errorf("HMAC-SHA-256 is %s", got)
	}
}

// Sum is HMAC-SHA-256 under the entity's subkey, of the label and each part after its length.
func TestSumIsHMAC(t *testing.T) {
	m := pseudonym.NewMapper(master(1), "id")
	long := make([]byte, 600)
	mac := hmac.New(sha256.New, pseudonym.Subkey(master(1), "id", "text"))
	mac.Write([]byte{pseudonym.LabelUser, 2, 'a', 'b', 255, 255, 90})
	mac.Write(long)
	if got := m.Sum(pseudonym.LabelUser, []byte("ab"), long); string(got[:]) != string(mac.Sum(nil)) {
		t.Error("Sum is no HMAC of its framed parts")
	}
}
