//go:build !linux || duckdb_use_lib

package duckbackend

import "math"

// Elsewhere, and with a DuckDB that is a library of its own, its memory_limit is all that
// bounds its memory, and its own
// interrupts all that stops it.

func allowMemory(int64) {}
func heldMemory() int64 { return 0 }
func freeMemory() int64 { return math.MaxInt64 }

func unfailing(fn func() error) error { return fn() }

// measured calls fn. What a plan holds nobody knows here: it is taken to be some, and nothing to be freed.
func measured(fn func() error) (bytes int64, err error) { return 64 << 10, fn() }

type brake struct{}

func newBrake() brake                      { return brake{} }
func (brake) pull()                        {}
func (brake) release()                     {}
func (brake) during(fn func() error) error { return fn() }
