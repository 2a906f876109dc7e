package environment_test

import (
	"testing"

	"reprise/replay/environment"
)

// Keys of other parts of the same file are left alone when they are named, and refused when they are not.
func TestParseLeavesOtherPartsAlone(t *testing.T) {
	for _, text := range []string{"run:\n  target: x\n", "run: {target: x}\nreset: [{exec: true}]\n", "reset: [{exec: true}]\nrun:\n  speed: 2\n"} {
		if _, err := environment.Parse([]byte(text), "x.yaml", "run"); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if _, err := environment.Parse([]byte(text), "x.yaml"); err == nil {
			t.Errorf("%q was accepted although nobody owns run", text)
		}
	}
	c, err := environment.Parse([]byte("reset: [{exec: true}]\nrun: {a: 1}\n"), "x.yaml", "run")
	if err != nil || len(c.Reset) != 1 {
		t.Errorf("%v, %v: want one reset step", c, err)
	}
}
