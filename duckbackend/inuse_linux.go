package duckbackend

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// heldByThisProcess reports whether this process holds a lock on the file at
// path. DuckDB's lock, being of the process, does not keep two instances in one
// process off the same file, which would destroy it. The file must not be opened
// to find out: closing it would release the lock.
func heldByThisProcess(path string) (bool, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return false, nil
	}
	locks, err := os.ReadFile("/proc/locks")
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return false, nil // some containers hide it: nothing can be said
	}
	if err != nil {
		return false, err
	}
	pid, inode := strconv.Itoa(os.Getpid()), ":"+strconv.FormatUint(stat.Ino, 10)
	for line := range strings.Lines(string(locks)) {
		// 1: POSIX  ADVISORY  WRITE 1234 08:01:5678 0 EOF
		f := strings.Fields(line)
		if len(f) >= 6 && f[1] == "POSIX" && f[4] == pid && strings.HasSuffix(f[5], inode) {
			return true, nil
		}
	}
	return false, nil
}
