//go:build unix

package duckbackend

import (
	"os"
	"syscall"
)

// lock takes a lock on an open directory, which its process holds until the directory is
// closed or the process ends; false: another has it.
func lock(dir *os.File) bool {
	return syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
