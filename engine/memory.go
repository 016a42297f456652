package engine

import (
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Of the memory limit DuckDB has one half. Of the other, the tensor cache and the
// running statements have two fifths each; the rest is for what is not accounted
// for, and for garbage.
const (
	tensorShare    = 2
	cacheFifths    = 2
	queriesFifths  = 2
	fifths         = 5
	machinePercent = 80 // of the machine's memory, when no limit is set
	// assumedBytes is the memory of a machine that does not tell.
	assumedBytes = 4 << 30
)

// DefaultMemoryLimit is the limit of an engine that is given none: most of the
// memory that the machine, or the control group of the process, has.
func DefaultMemoryLimit() int64 {
	bytes := machineMemory()
	if bytes <= 0 {
		bytes = assumedBytes
	}
	return bytes / 100 * machinePercent
}

// TensorMemory is the part of a memory limit that is for memory of the Go heap.
func TensorMemory(limitBytes int64) int64 { return limitBytes / tensorShare }

// account is memory held: that of all running statements, a statement's, a
// step's. An account that is part of another counts there as well. Its methods
// may be called from several goroutines.
type account struct {
	of         *account // nil: part of no other
	limitBytes int64    // 0: none of its own
	held, peak atomic.Int64
}

// part opens an account within a.
func (a *account) part(limitBytes int64) *account { return &account{of: a, limitBytes: limitBytes} }

// Hold adds bytes (negative: released) and reports whether all limits allow
// them. They count even if not, until they are released, but not for the peak:
// nobody allocates what is refused.
func (a *account) Hold(bytes int64) bool {
	ok := true
	for x := a; x != nil; x = x.of {
		held := x.held.Add(bytes)
		ok = ok && (x.limitBytes == 0 || held <= x.limitBytes)
	}
	for x := a; x != nil && ok && bytes > 0; x = x.of {
		held := x.held.Load()
		for peak := x.peak.Load(); held > peak && !x.peak.CompareAndSwap(peak, held); {
			peak = x.peak.Load()
		}
	}
	return ok
}

// take is Hold for memory that is about to be allocated: what is refused does
// not count.
func (a *account) take(bytes int64) error {
	if a.Hold(bytes) {
		return nil
	}
	a.Hold(-bytes)
	return errBudget
}

// close releases what the account holds.
func (a *account) close() { a.Hold(-a.held.Load()) }

// left is how much may still be held; 0: there is no limit.
func (a *account) left() int64 {
	left := int64(0)
	for ; a != nil; a = a.of {
		if a.limitBytes > 0 {
			here := max(1, a.limitBytes-a.held.Load())
			if left == 0 || here < left {
				left = here
			}
		}
	}
	return left
}

// limit is how much may be held while nobody else holds anything; 0: no limit.
func (a *account) limit() int64 {
	least := int64(0)
	for ; a != nil; a = a.of {
		if least == 0 || a.limitBytes > 0 && a.limitBytes < least {
			least = a.limitBytes
		}
	}
	return least
}

// byteUnits are powers of 1000 (kB) and of 1024 (KiB), as DuckDB reads them.
var byteUnits = map[string]int64{
	"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
	"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
}

// ParseBytes reads a size such as 8GB or 512MiB; 22023 for others.
func ParseBytes(text string) (int64, error) {
	digits := strings.TrimRight(text, "kKmMgGtTiIbB ")
	unit, known := byteUnits[strings.ToLower(strings.TrimSpace(text[len(digits):]))]
	n, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if err != nil || !known || !(n >= 0 && n*float64(unit) <= 1<<62) {
		return 0, sqlerr.New(sqlerr.InvalidParameter, "cannot read the size %q", text).
			WithHint("Examples: 8GB, 512MiB.")
	}
	return int64(n * float64(unit)), nil
}

// printBytes writes a size in the unit that gives the least whole number: 100GB, and not
// 97656250KiB.
func printBytes(bytes int64) string {
	number, name := bytes, ""
	for _, u := range []string{"KiB", "MiB", "GiB", "TiB", "kB", "MB", "GB", "TB"} {
		if unit := byteUnits[strings.ToLower(u)]; bytes%unit == 0 && bytes/unit < number {
			number, name = bytes/unit, u
		}
	}
	return strconv.FormatInt(number, 10) + name
}

// checkMemoryLimit reads trireme.memory_limit; 0 is the engine's share.
func checkMemoryLimit(value string) (string, error) {
	n, err := ParseBytes(value)
	return printBytes(n), err
}
