package anonymize

import (
	"encoding/binary"

	"reprise/anonymize/internal/pseudonym"
	"reprise/anonymize/rules"
)

const (
	weekMicroseconds = 7 * 24 * 3600 * 1_000_000
	// shiftWeeks is the number of weeks, ten years, among which the key decides.
	shiftWeeks = 520
)

// shiftOf is what is added to all instants, in microseconds: whole weeks, so that hours and weekdays stay. The bias of
// the key's choice is below 2^-54.
func shiftOf(master []byte, s rules.Shift) int64 {
	if s.FromKey {
		n := binary.BigEndian.Uint64(pseudonym.Subkey(master, "time", "weeks"))
		return -weekMicroseconds * int64(1+n%shiftWeeks)
	}
	return weekMicroseconds * int64(s.Weeks)
}
