//go:build !duckdb_use_lib

package duckbackend

// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb18SimpleBufferedData9BlockSinkERKNS_14InterruptStateE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb19BatchedBufferedData9BlockSinkERKNS_14InterruptStateEm
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb8Executor11ExecuteTaskEb
// #include "stream.h"
import "C"

import "runtime"

// streamsBeforeEnd: a stream can be read before all that its statement needs is done.
const streamsBeforeEnd = true

// streaming calls fn, which executes a statement up to the first rows of its stream.
func (c *Conn) streaming(fn func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begun := C.triremeStreamBegin(c.context)
	defer C.triremeStreamEnd(begun)
	fn()
}
