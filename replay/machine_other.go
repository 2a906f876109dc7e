//go:build !linux

package replay

import "time"

// machineCPU is not known here.
func machineCPU() time.Duration { return 0 }
