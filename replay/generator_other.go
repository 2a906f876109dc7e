//go:build !unix

package replay

import "time"

// processCPU is not known here; the CPU gate never warns.
func processCPU() time.Duration { return 0 }

// openFiles is not known here.
func openFiles() int64 { return 0 }
