//go:build debug_bindings

package duckbackend

import (
	"fmt"
	"os"
	"testing"

	bindings "github.com/duckdb/duckdb-go-bindings"
)

// TestMain counts what DuckDB has handed out and not got back (D5):
// go test -tags debug_bindings ./duckbackend
func TestMain(m *testing.M) {
	code := m.Run()
	if counts := bindings.GetAllocationCounts(); counts != "" {
		fmt.Println("not destroyed:", counts)
		code = 1
	}
	os.Exit(code)
}
