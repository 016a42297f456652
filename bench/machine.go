package bench

import (
	"bufio"
	"os"
	"runtime"
	"strings"
)

// Machine describes where a report was made.
type Machine struct {
	CPU    string `json:"cpu"`
	Kernel string `json:"kernel,omitempty"` // release of the operating system's
	// MemoryBytes is all of the machine's; 0: unknown.
	MemoryBytes int64  `json:"memory_bytes"`
	Cores       int    `json:"cores"`
	OS          string `json:"os"`
	Arch        string `json:"arch"`
	Go          string `json:"go"`
}

func thisMachine() Machine {
	return Machine{CPU: cpuName(), Kernel: kernelRelease(), MemoryBytes: memoryTotal(), Cores: runtime.NumCPU(), OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version()}
}

// kernelRelease is Linux's; empty elsewhere.
func kernelRelease() string {
	text, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return "" // not Linux
	}
	return strings.TrimSpace(string(text))
}

// memoryTotal is what Linux tells; 0 elsewhere.
func memoryTotal() int64 {
	n, err := kilobytes("/proc/meminfo", "MemTotal")
	if err != nil {
		return 0 // a description only
	}
	return n
}

// cpuName is the processor's name where the system tells it, as Linux does.
func cpuName() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown" // not Linux
	}
	defer f.Close() //nolint:errcheck // a file that was only read
	for in := bufio.NewScanner(f); in.Scan(); {
		if key, value, ok := strings.Cut(in.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}
