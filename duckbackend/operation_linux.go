//go:build !duckdb_use_lib

package duckbackend

// #include <stdint.h>
// #include "operation.h"
// extern int32_t _ZN6duckdb8Utf8Proc16CodepointToLowerEi(int32_t);
import "C"

import (
	"unicode/utf8"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// replacesFunctions: the operations on texts are put in the places of DuckDB's.
const replacesFunctions = true

// appendLower adds a text in lower case as DuckDB has it.
func appendLower(out, text []byte) []byte {
	for len(text) > 0 {
		if c := text[0]; c < utf8.RuneSelf {
			if c >= 'A' && c <= 'Z' {
				c += 'a' - 'A'
			}
			out, text = append(out, c), text[1:]
			continue
		}
		r, n := utf8.DecodeRune(text)
		out, text = utf8.AppendRune(out, rune(C._ZN6duckdb8Utf8Proc16CodepointToLowerEi(C.int32_t(r)))), text[n:]
	}
	return out
}

// pushCollations makes DuckDB apply collations to a function's arguments.
func pushCollations(f bindings.ScalarFunction) error {
	if C.triremePushCollations(f.Ptr) == 0 {
		return sqlerr.New(sqlerr.InternalError, "a function of this release of DuckDB does not look as expected")
	}
	return nil
}
