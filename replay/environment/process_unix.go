//go:build unix

package environment

import (
	"os"
	"os/exec"
	"syscall"
)

// group makes cmd the leader of a process group, to which the end of its context is told.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM); err != nil {
			return os.ErrProcessDone
		}
		return nil
	}
}

// killGroup kills what is left of the group. Its number stays taken as long as it has a member, even
// though the leader has been waited for; an empty group gives an error that says nothing new.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}
