package pseudonym

import "bytes"

// Greatest degrees of a position on earth.
const (
	MaxLatitude  = 90
	MaxLongitude = 180
)

// maxDecimals is the greatest number of decimals of degrees; fifteen are a tenth of a nanometre.
const maxDecimals = 15

// IsDegrees tells whether s is a decimal number from -limit to limit with 1 to 15 decimals, such as 52.5200066: a sign only
// before what is below 0, and no leading zeros.
func IsDegrees(s []byte, limit int) bool {
	_, _, ok := parseDegrees(s, limit)
	return ok
}

// parseDegrees is s in units of its last decimal.
func parseDegrees(s []byte, limit int) (v int64, decimals int, ok bool) {
	number, negative := bytes.CutPrefix(s, []byte{'-'})
	whole, fraction, _ := bytes.Cut(number, []byte{'.'})
	if decimals = len(fraction); decimals < 1 || decimals > maxDecimals || len(whole) < 1 || len(whole) > 3 || len(whole) > 1 && whole[0] == '0' ||
		!onlyDigits(whole) || !onlyDigits(fraction) {
		return 0, 0, false
	}
	unit := pow10[decimals]
	v = int64(decimal(whole)*unit + decimal(fraction))
	if v > int64(uint64(limit)*unit) || negative && v == 0 {
		return 0, 0, false
	}
	if negative {
		v = -v
	}
	return v, decimals, true
}

// AppendDegrees appends the pseudonym of degrees that IsDegrees knows for the limit: a permutation of all from -limit to
// limit with as many decimals. Its length can be another one.
func (m *Mapper) AppendDegrees(dst, s []byte, limit int) []byte {
	v, decimals, _ := parseDegrees(s, limit)
	unit := pow10[decimals]
	most := int64(uint64(limit) * unit)
	v = int64(m.perm("degrees", 2*uint64(most)+1).Apply(uint64(v+most))) - most
	if v < 0 {
		dst = append(dst, '-')
		v = -v
	}
	whole := uint64(v) / unit
	dst = append(appendPadded(dst, whole, width(whole)), '.')
	return appendPadded(dst, uint64(v)%unit, decimals)
}
