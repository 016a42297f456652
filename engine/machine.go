package engine

import (
	"bufio"
	"bytes"
	"io/fs"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
)

// machineMemory is the memory that this process may use, 0 if the machine does
// not tell.
func machineMemory() int64 { return memoryUnder(os.DirFS("/")) }

// memoryUnder reads Linux's files: the machine's memory, or less where a control
// group of the process, or one around it, has a limit, or the process's address space
// (ulimit -v), three quarters of which go to stacks, code, and what allocators keep
// and do not give back. What is missing says nothing.
func memoryUnder(root fs.FS) int64 {
	least := int64(math.MaxInt64)
	see := func(n int64) {
		if n > 0 {
			least = min(least, n)
		}
	}
	eachLine(root, "proc/meminfo", func(line string) {
		if rest, ok := strings.CutPrefix(line, "MemTotal:"); ok {
			see(1 << 10 * wholeNumber(strings.TrimSuffix(rest, "kB")))
		}
	})
	eachLine(root, "proc/self/limits", func(line string) {
		if rest, ok := strings.CutPrefix(line, "Max address space "); ok {
			see(wholeNumber(strings.Fields(rest + " unlimited")[0]) / 4)
		}
	})
	eachLine(root, "proc/self/cgroup", func(line string) {
		fields := strings.SplitN(line, ":", 3) // number, controllers, path
		if len(fields) < 3 {
			return
		}
		dir, file := "sys/fs/cgroup", "memory.max"
		switch {
		case fields[1] == "": // version 2
		case strings.Contains(","+fields[1]+",", ",memory,"):
			dir, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		default:
			return
		}
		for at := path.Clean("/" + fields[2]); ; at = path.Dir(at) {
			eachLine(root, path.Join(dir, at, file), func(line string) { see(wholeNumber(line)) })
			if at == "/" {
				return
			}
		}
	})
	if least == math.MaxInt64 {
		return 0
	}
	return least
}

func eachLine(root fs.FS, name string, see func(string)) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return // another system, or another version of control groups
	}
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		see(s.Text())
	}
}

// wholeNumber is 0 for what is none, such as "max".
func wholeNumber(text string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || n > 1<<50 {
		return 0
	}
	return n
}
