package engine

import (
	"testing"
	"testing/fstest"
)

func TestMemoryOfTheMachine(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	meminfo := file("MemTotal:        1000 kB\nMemFree:           10 kB\n")
	for name, tt := range map[string]struct {
		files fstest.MapFS
		want  int64
	}{
		"another system": {fstest.MapFS{}, 0},
		"no groups":      {fstest.MapFS{"proc/meminfo": meminfo}, 1000 << 10},
		"version 2": {fstest.MapFS{
			"proc/meminfo": meminfo, "proc/self/cgroup": file("0::/a/b\n"),
			"sys/fs/cgroup/a/b/memory.max": file("max\n"), "sys/fs/cgroup/a/memory.max": file("5000\n"), "sys/fs/cgroup/memory.max": file("70000\n"),
		}, 5000},
		"version 1": {fstest.MapFS{
			"proc/meminfo": meminfo, "proc/self/cgroup": file("8:cpu:/x\n4:memory:/x\n0::/\n"),
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes": file("6000\n"), "sys/fs/cgroup/memory/memory.limit_in_bytes": file("9223372036854771712\n"),
		}, 6000},
		"a group larger than the machine": {fstest.MapFS{
			"proc/meminfo": meminfo, "proc/self/cgroup": file("0::/\n"), "sys/fs/cgroup/memory.max": file("99999999\n"),
		}, 1000 << 10},
		"a limit of the address space": {fstest.MapFS{
			"proc/meminfo": meminfo, "proc/self/limits": file("Max cpu time  unlimited  unlimited  seconds\nMax address space         80000                80000                bytes     \n"),
		}, 20000},
		"no limit of the address space": {fstest.MapFS{
			"proc/meminfo": meminfo, "proc/self/limits": file("Max address space         unlimited            unlimited            bytes     \n"),
		}, 1000 << 10},
	} {
		if got := memoryUnder(tt.files); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
	if DefaultMemoryLimit() < 64<<20 {
		t.Errorf("%d bytes by default", DefaultMemoryLimit())
	}
}
