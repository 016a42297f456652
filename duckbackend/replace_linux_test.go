//go:build !duckdb_use_lib

package duckbackend

import (
	"strings"
	"testing"
)

// A constant of many quotes takes no more time than one of few: by the square of them this
// would be minutes.
func TestConstantsOfManyQuotes(t *testing.T) {
	c := openConn(t, openMemory(t))
	for _, n := range []int{3, 5000, 1_000_000} {
		text := strings.Repeat("it's ", n) + "'"
		got, err := c.oneText(ctx, "SELECT "+quoteText(text))
		if err != nil || got != text {
			t.Errorf("%d quotes: %d bytes, %v", n, len(got), err)
		}
	}
}
