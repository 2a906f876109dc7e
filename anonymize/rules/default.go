package rules

import (
	_ "embed"
	"sync"
)

//go:embed default.yaml
var defaultText []byte

var defaults = sync.OnceValue(func() *Rules {
	r, allow, err := parse(defaultText)
	if err != nil || !allow {
		panic("rules: default.yaml is wrong") // a test reads it
	}
	r.finish()
	return r
})

// Default are the rules that hold where no file is given.
func Default() *Rules { return defaults() }
