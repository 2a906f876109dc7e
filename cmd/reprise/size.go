package main

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
)

// parseSize reads a number of bytes with an optional unit: KB, MB, GB or KiB, MiB, GiB.
func parseSize(s string) (int64, error) {
	text := strings.ToUpper(strings.TrimSpace(s))
	unit := 1.0
	for suffix, u := range map[string]float64{"KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "KB": 1e3, "MB": 1e6, "GB": 1e9} {
		if rest, ok := strings.CutSuffix(text, suffix); ok {
			text, unit = strings.TrimSpace(rest), u
			break
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || n < 0 || n*unit > 1<<50 {
		return 0, fmt.Errorf("%q is no size such as 192MB", s)
	}
	return int64(n * unit), nil
}

// memoryOf is the part of --memory that a stage may fill with records; the rest is for its tables, its
// buffers and the garbage collector's headroom.
func memoryOf(c *cli.Context) (int, error) {
	const least = 1_000_000
	memory, err := parseSize(c.String("memory"))
	if err == nil && memory < least {
		err = fmt.Errorf("%q is less than 1MB", c.String("memory"))
	}
	if err != nil {
		return 0, usage("USAGE", "--memory: "+err.Error(), "--memory 192MB")
	}
	return int(memory / 3), nil
}

// tmpOf is the folder of --tmp, which is looked at before work begins that may need it hours later.
func tmpOf(c *cli.Context) (string, error) {
	dir := c.String("tmp")
	if dir == "" {
		return "", nil
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is no folder", dir)
	}
	if err != nil {
		return "", usage("USAGE", "--tmp: "+err.Error(), "--tmp /var/tmp")
	}
	return dir, nil
}
