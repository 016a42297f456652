//go:build !duckdb_use_lib

package duckbackend

// #cgo LDFLAGS: -Wl,--wrap=duckdb_je_malloc -Wl,--wrap=duckdb_je_realloc -Wl,--wrap=duckdb_je_free -Wl,--wrap=realloc
// #cgo LDFLAGS: -Wl,--wrap=_ZNK6duckdb14BlockAllocator12AllocateDataEm -Wl,--wrap=_ZNK6duckdb14BlockAllocator14ReallocateDataEPhmm
// #cgo LDFLAGS: -Wl,--wrap=_ZNK6duckdb14BlockAllocator8FreeDataEPhm
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb7Planner10CreatePlanENS_10unique_ptrINS_12SQLStatementESt14default_deleteIS2_ELb1EEE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb9Optimizer8OptimizeENS_10unique_ptrINS_15LogicalOperatorESt14default_deleteIS2_ELb1EEE
// #include "allocate.h"
import "C"

import (
	"runtime"
	"sync/atomic"
)

// allowMemory adds to the bytes that DuckDB may hold in blocks of a megabyte and more,
// in all databases of the process together.
func allowMemory(bytes int64) { C.triremeAllow(C.int64_t(bytes)) }

// heldMemory is how many bytes DuckDB holds in such blocks.
func heldMemory() int64 { return int64(C.triremeHeld()) }

// freeMemory is how many more bytes DuckDB may hold in such blocks.
func freeMemory() int64 { return int64(C.triremeFree()) }

// unfailing calls fn on a thread to which no memory is refused. Many functions of DuckDB's
// C interface, those that make and read values and write into vectors, let the exception
// for memory that is not there pass, which ends the process.
func unfailing(fn func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	C.triremeUnfailing(1)
	defer C.triremeUnfailing(-1)
	return fn()
}

// measured calls fn and returns how many bytes DuckDB holds after it that it did not before, of what it
// allocates on this thread.
func measured(fn func() error) (bytes int64, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := C.triremeMeasure()
	defer func() { bytes = int64(C.triremeMeasured(before)) }()
	return 0, fn()
}

// brake stops what a connection works on where DuckDB does not ask whether it was
// interrupted: no large block is allocated for it any more. Its flag is Go's memory, so
// that whoever pulls a brake that is no longer in use writes into nothing else.
type brake struct{ flag *int32 }

func newBrake() brake { return brake{new(int32)} }

// pull stops the operation; release allows the next one.
func (b brake) pull()    { atomic.StoreInt32(b.flag, 1) }
func (b brake) release() { atomic.StoreInt32(b.flag, 0) }

// during calls fn on a thread for which the brake holds.
func (b brake) during(fn func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var pinner runtime.Pinner
	pinner.Pin(b.flag)
	defer pinner.Unpin()
	around := C.triremeEnter((*C.int32_t)(b.flag)) // a function of ours that DuckDB calls may use another connection
	defer C.triremeEnter(around)
	return fn()
}
