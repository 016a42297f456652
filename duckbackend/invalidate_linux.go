//go:build !duckdb_use_lib

package duckbackend

// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb9Exception19InvalidatesDatabaseENS_13ExceptionTypeE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb9Exception22InvalidatesTransactionENS_13ExceptionTypeE
// #include "invalidate.h"
import "C"

import "runtime"

// binding calls fn, which only prepares: none of its errors ends the transaction.
func binding(fn func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	C.triremeBinding(1)
	defer C.triremeBinding(-1)
	return fn()
}
