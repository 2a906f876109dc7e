package arrival_test

import (
	"testing"

	"pgregory.net/rapid"

	"reprise/arrival"
)

// TestStreamIsSplitMix64 holds the generator against the first numbers that the authors' C code gives for the
// seed 1234567 (splitmix64.c, Vigna 2015).
func TestStreamIsSplitMix64(t *testing.T) {
	s := arrival.Stream{State: 1234567}
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		if got := s.Uint64(); got != want {
			t.Errorf("number %d is %d, want %d", i, got, want)
		}
	}
}

// The numbers of a name are part of the promise that a seed means the same data set in every release.
func TestStreamByNameIsPinned(t *testing.T) {
	s := arrival.NewStream(1, "products")
	if a, b, c := s.Uint64(), s.Below(1000), s.Float64(); a != 0x526d8f640d8aca3c || b != 466 || c != 0.6904649155117198 {
		t.Errorf("got %#x, %d, %v", a, b, c)
	}
}

func TestStreamDraws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed, n := rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 1<<40).Draw(t, "n")
		s := arrival.NewStream(seed, "a")
		ahead := *s
		skip := rapid.IntRange(0, 50).Draw(t, "skip")
		ahead.Skip(uint64(skip))
		for range skip {
			if got := s.Below(n); got < 0 || got >= n {
				t.Fatalf("%d is not below %d", got, n)
			}
		}
		if x := s.Float64(); x < 0 || x >= 1 || x != ahead.Float64() {
			t.Fatalf("%v after %d numbers, or another one by Skip", x, skip)
		}
	})
	// 12 faces, 12,000 throws: each face about 1000 times, deviation 30.
	faces, s := make([]int, 12), arrival.NewStream(3, "dice")
	for range 12_000 {
		faces[s.Below(len(faces))]++
	}
	for face, n := range faces {
		if n < 850 || n > 1150 {
			t.Errorf("face %d came %d times in 12000 throws", face, n)
		}
	}
}
