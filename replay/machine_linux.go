package replay

import (
	"bufio"
	"bytes"
	"os"
	"strconv"
	"time"
)

// tick is the unit of /proc/stat: USER_HZ is 100 on every architecture that Go runs on (proc_stat(5)).
const tick = 10 * time.Millisecond

// machineCPU is the processor time that the whole machine has spent so far on anything but idling, time that the
// hypervisor took included; 0 when it is not known.
func machineCPU() time.Duration {
	f, err := os.Open("/proc/stat")
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }() // opened for reading only
	line, _ := bufio.NewReader(f).ReadSlice('\n')
	fields := bytes.Fields(line)
	if len(fields) < 5 || string(fields[0]) != "cpu" {
		return 0
	}
	var busy int64
	for i, field := range fields[1:min(len(fields), 9)] {
		const idle, iowait = 3, 4
		if i == idle || i == iowait {
			continue
		}
		n, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil {
			return 0
		}
		busy += n
	}
	return time.Duration(busy) * tick
}
