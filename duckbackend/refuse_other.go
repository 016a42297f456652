//go:build !linux || duckdb_use_lib

package duckbackend

// extern char *triremeScalarCall(void *, void *, void *);
// extern char *triremeOperationCall(void *, void *, void *);
import "C"

import "unsafe"

// raisesLimits: elsewhere, and with a DuckDB that is a library of its own, all errors of
// functions of ours are of the kind that is NULL to TRY().
const raisesLimits = false

func scalarCallCallback() unsafe.Pointer    { return unsafe.Pointer(C.triremeScalarCall) }
func operationCallCallback() unsafe.Pointer { return unsafe.Pointer(C.triremeOperationCall) }
