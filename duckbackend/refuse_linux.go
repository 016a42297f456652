//go:build !duckdb_use_lib

package duckbackend

// #include "refuse.h"
import "C"

import "unsafe"

// raisesLimits: the error of a function of ours for a limit is one that TRY() passes on.
const raisesLimits = true

func scalarCallCallback() unsafe.Pointer    { return unsafe.Pointer(C.triremeScalarCalled) }
func operationCallCallback() unsafe.Pointer { return unsafe.Pointer(C.triremeOperationCalled) }
