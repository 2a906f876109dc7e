//go:build !unix

package environment

import "os/exec"

// group does nothing: without process groups only the command itself is killed when its context ends.
func group(*exec.Cmd) {}

// killGroup does nothing.
func killGroup(*exec.Cmd) {}
