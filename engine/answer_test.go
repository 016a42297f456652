package engine

import (
	"testing"

	"github.com/trireme-db/trireme/einsum/semiring"
)

// TestQuotient compares with what DuckDB prints for avg on x86-64.
func TestQuotient(t *testing.T) {
	tests := []struct {
		sum, count int64
		scale      int
		want       float64
	}{
		{30153877, 5971, 0, 5050.054764696031}, // one rounding gives ...603
		{1, 3, 0, 1.0 / 3},
		{-1, 3, 0, -1.0 / 3},
		{7, 2, 0, 3.5},
		{0, 5, 2, 0},
		{12345, 3, 2, 41.15},
		{1 << 60, 7, 0, 164703072086692425},
	}
	for _, tt := range tests {
		got := quotient(semiring.FromInt64(tt.sum), semiring.FromInt64(tt.count), tt.scale)
		if got != tt.want {
			t.Errorf("%d / (%d * 10^%d) = %v, want %v", tt.sum, tt.count, tt.scale, got, tt.want)
		}
	}
}
