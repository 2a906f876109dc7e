package pseudonym_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"reprise/anonymize/internal/pseudonym"

	"pgregory.net/rapid"
)

// master is a test key.
func master(n byte) []byte {
	k := bytes.Repeat([]byte{n}, pseudonym.KeySize)
	k[0]++
	return k
}

func TestPermIsAPermutation(t *testing.T) {
	for _, size := range []uint64{1, 2, 3, 10, 90, 676, 9_000, 99_991, 100_000, 100_001, 262_144, 456_976, 1_000_003} {
		p := pseudonym.NewPerm(master(7), size)
		if p.Size() != size {
			t.Errorf("size %d: Size is %d", size, p.Size())
		}
		seen := make([]bool, size)
		for x := range size {
			y := p.Apply(x)
			if y >= size || seen[y] {
				t.Fatalf("size %d: %d goes to %d, which is out of range or taken", size, x, y)
			}
			seen[y] = true
		}
	}
}

func TestPermTableIsOneCycle(t *testing.T) {
	for _, size := range []uint64{2, 10, 90, 90_000} {
		p := pseudonym.NewPerm(master(7), size)
		x, n := p.Apply(0), uint64(1)
		for ; x != 0; x = p.Apply(x) {
			n++
		}
		if n != size {
			t.Errorf("size %d: the cycle of 0 has length %d", size, n)
		}
	}
}

// Up to the largest domains nothing may leave the domain, and two inputs may not meet.
func TestPermLargeDomains(t *testing.T) {
	for _, size := range []uint64{9e17, math.MaxInt64 + 1 - 1e18, math.MaxUint32, 1147483648, 7852516352, 1 << 62, 776627963145224192} {
		p := pseudonym.NewPerm(master(9), size)
		seen := make(map[uint64]bool)
		for i := range uint64(20_000) {
			y := p.Apply(size/20_000*i + i%3)
			if y >= size || seen[y] {
				t.Fatalf("size %d: result %d is out of range or taken", size, y)
			}
			seen[y] = true
		}
	}
}

// A permutation that looks random has one fixed point on average, and half of its results in each half.
func TestPermSpreads(t *testing.T) {
	const size = 400_000
	fixed, low := 0, 0
	for key := range byte(4) {
		p := pseudonym.NewPerm(master(key), size)
		for x := range uint64(size / 2) {
			y := p.Apply(x)
			if y == x {
				fixed++
			}
			if y < size/2 {
				low++
			}
		}
	}
	if fixed > 12 { // expected 2, Poisson
		t.Errorf("%d fixed points", fixed)
	}
	if d := low - size; d < -3000 || d > 3000 { // sd about 320
		t.Errorf("%d of %d results in the lower half", low, 2*size)
	}
}

func TestIntIsInjectiveInItsClass(t *testing.T) {
	t.Parallel()
	m := pseudonym.NewMapper(master(1), "id")
	for width := 1; width <= wholeInts; width++ {
		seen := make(map[string]bool)
		n := int(math.Pow10(width))
		for i := range n {
			in := fmt.Appendf(nil, "%0*d", width, i)
			out := string(m.AppendInt(nil, in))
			if len(out) != width || width > 1 && (out[0] == '0') != (in[0] == '0') || seen[out] {
				t.Fatalf("width %d: pseudonym number %d has another class or is taken", width, i)
			}
			seen[out] = true
		}
	}
}

// Above six digits, many numbers of each width: neighbours, and others spread over the width.
func TestIntMergesNone(t *testing.T) {
	t.Parallel()
	const n = samples
	m := pseudonym.NewMapper(master(1), "id")
	out, seen := make([]byte, 0, 20), make([]uint64, n)
	for width := 7; width <= 19; width++ {
		first := uint64(math.Pow10(width - 1))
		step := 2 * (first * 9 / n / 2)
		var in [20]byte
		for i := range seen {
			v := first + uint64(i)
			if width > 7 {
				v = first + uint64(i)/2*step + uint64(i)%2
			}
			out = m.AppendInt(out[:0], strconv.AppendUint(in[:0], v, 10))
			w, err := strconv.ParseUint(string(out), 10, 64)
			if err != nil || len(out) != width || out[0] == '0' || isMobile(v) != isMobile(w) {
				t.Fatalf("width %d: pseudonym of sample %d has another class", width, i)
			}
			seen[i] = w
		}
		slices.Sort(seen)
		if got := len(slices.Compact(slices.Clone(seen))); got != n {
			t.Errorf("width %d: %d numbers have %d pseudonyms", width, n, got)
		}
	}
}

// isMobile tells whether a number is a Chinese mobile number.
func isMobile(v uint64) bool { return v >= 13e9 && v < 20e9 }

func TestIntKeepsMobileNumbers(t *testing.T) {
	m := pseudonym.NewMapper(master(1), "id")
	for _, v := range []uint64{10_000_000_000, 12_999_999_999, 13_000_000_000, 13_800_138_000, 19_999_999_999, 20_000_000_000, 99_999_999_999} {
		in := strconv.FormatUint(v, 10)
		out := string(m.AppendInt(nil, []byte(in)))
		w, err := strconv.ParseUint(out, 10, 64)
		if err != nil || len(out) != 11 || out == in || isMobile(v) != isMobile(w) {
			t.Errorf("%s became %s", in, out)
		}
	}
	for _, in := range []string{"03800138000", "1380013800", "138001380000"} {
		if out := m.AppendInt(nil, []byte(in)); len(out) != len(in) {
			t.Errorf("%s became %s", in, out)
		}
	}
}

func TestIntKeepsMachineRange(t *testing.T) {
	m := pseudonym.NewMapper(master(1), "id")
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Uint64().Draw(t, "value")
		switch rapid.IntRange(0, 3).Draw(t, "range") {
		case 0:
			v = math.MaxInt32 - v%1_000_000_000
		case 1:
			v = math.MaxInt32 + 1 + v%1_000_000_000
		case 2:
			v = math.MaxInt64 - v%1_000_000_000_000
		}
		in := strconv.FormatUint(v, 10)
		out := string(m.AppendInt(nil, []byte(in)))
		if len(out) != len(in) {
			t.Fatalf("width %d became %d", len(in), len(out))
		}
		for _, bits := range []int{32, 64} {
			_, before := strconv.ParseInt(in, 10, bits)
			_, after := strconv.ParseInt(out, 10, bits)
			if (before == nil) != (after == nil) {
				t.Fatalf("%s fits int%d: %v, %s: %v", in, bits, before == nil, out, after == nil)
			}
		}
	})
}

func TestIntLongNumbersKeepWidth(t *testing.T) {
	m := pseudonym.NewMapper(master(1), "id")
	for _, in := range []string{"12345678901234567890", "00345678901234567890", "123456789012345678901234567890123456789012345678901234567890"} {
		out := m.AppendInt(nil, []byte(in))
		if len(out) != len(in) || (out[0] == '0') != (in[0] == '0') || string(out) == in {
			t.Errorf("%s became %s", in, out)
		}
	}
}

func BenchmarkInt(b *testing.B) {
	m := pseudonym.NewMapper(master(1), "id")
	for _, in := range []string{"4711", "7654321", "13912345678", "1234567890123456789"} {
		b.Run(strconv.Itoa(len(in))+"digits", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(in)))
			var out []byte
			value := []byte(in)
			for b.Loop() {
				out = m.AppendInt(out[:0], value)
			}
		})
	}
}
