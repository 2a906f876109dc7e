package environment

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
)

// digest hashes answers, each behind its length, so that no two lists of answers give the same bytes.
type digest struct{ framed []byte }

func (d *digest) add(answer []byte) {
	answer = normalise(answer)
	d.framed = binary.BigEndian.AppendUint64(d.framed, uint64(len(answer)))
	sum := sha256.Sum256(answer)
	d.framed = append(d.framed, sum[:]...)
}

// String returns "sha256:" and the hex digest.
func (d *digest) String() string {
	sum := sha256.Sum256(d.framed)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// normalise removes the differences that say nothing about the state: in JSON white space and the order
// of keys, in other text the kind of line ends and spaces before them.
func normalise(answer []byte) []byte {
	decoder := json.NewDecoder(bytes.NewReader(answer))
	decoder.UseNumber() // a sequence above 2^53 must not be rounded
	var value any
	if decoder.Decode(&value) == nil {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			if canonical, err := json.Marshal(value); err == nil {
				return canonical
			}
		}
	}
	lines := bytes.Split(answer, []byte("\n"))
	for i := range lines {
		lines[i] = bytes.TrimRight(lines[i], " \t\r")
	}
	return bytes.TrimRight(bytes.Join(lines, []byte("\n")), "\n")
}
