package bench

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"runtime/debug"
	"strconv"
)

// Memory is what the process held in main memory during one execution, in bytes;
// zero: the system does not tell. The process is the server with its tables, the
// tensors made of them, DuckDB, and the benchmark.
type Memory struct {
	// Peak is the resident set at its largest.
	Peak int64 `json:"peak_bytes"`
	// Rise is how far that is above what was resident before the execution, when the
	// Go heap had been given back to the system. DuckDB's allocator keeps some pages
	// that it has freed: its rise can be a little larger than that.
	Rise int64 `json:"rise_bytes"`
}

// memoryMeter watches the resident set: reset, execute, read.
type memoryMeter struct{ before int64 }

// reset collects garbage, gives it back, and starts a new high-water mark. Linux
// alone has one that can be started anew (proc(5), clear_refs); elsewhere nothing
// is measured.
func (m *memoryMeter) reset() error {
	debug.FreeOSMemory()
	m.before = 0
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			return nil
		}
		return err
	}
	var err error
	m.before, err = statusBytes("VmRSS")
	return err
}

// read is the memory since reset.
func (m *memoryMeter) read() (Memory, error) {
	if m.before == 0 {
		return Memory{}, nil
	}
	peak, err := statusBytes("VmHWM")
	return Memory{Peak: peak, Rise: max(0, peak-m.before)}, err
}

// statusBytes reads a line of /proc/self/status; 0 when there is none.
func statusBytes(name string) (int64, error) { return kilobytes("/proc/self/status", name) }

// kilobytes reads the line "NAME: 123 kB" of a file of the system, in bytes; 0 when
// there is no such file or line.
func kilobytes(path, name string) (int64, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return 0, nil
		}
		return 0, err
	}
	for line := range bytes.Lines(text) {
		key, value, _ := bytes.Cut(line, []byte(":"))
		if string(key) != name {
			continue
		}
		kB, err := strconv.ParseInt(string(bytes.TrimSuffix(bytes.TrimSpace(value), []byte(" kB"))), 10, 64)
		return kB << 10, err
	}
	return 0, nil
}
