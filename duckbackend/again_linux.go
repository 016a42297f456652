//go:build !duckdb_use_lib

package duckbackend

// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb22DuckTransactionManager17GetCatalogVersionERNS_11TransactionE
// #include "again.h"
import "C"

import "runtime"

// writing calls fn, which may write: plans that were made before are not executed after it.
func writing(fn func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	C.triremeWriting(1)
	defer C.triremeWriting(-1)
	return fn()
}

// replans: DuckDB makes another plan when it executes one whose data has changed.
const replans = true

// planning calls fn, which makes a plan, and reports whether that is good for one
// execution only.
func planning(fn func() error) (once bool, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	C.triremePlanning()
	defer func() { once = bool(C.triremePlanned()) }()
	return false, fn()
}
