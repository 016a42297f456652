package kernel

import (
	"slices"
	"testing"
)

func TestPlaced(t *testing.T) {
	// Coordinates 1, 2 and 5 have positions 9, 10 and 11; others are left of other
	// fibers, before and after.
	at := []int32{0, 10, 11, 14, 0, 12, 13, 1 << 30}
	ks, es := make([]int32, 8), make([]int32, 8)
	s := KeepPlaced(Selection{Ks: []int32{0, 1, 2, 3, 4, 5, 7}}, at, 9, 3, ks, es)
	if !slices.Equal(s.Ks, []int32{1, 2, 5}) || !slices.Equal(s.Es, []int32{1, 2, 5}) {
		t.Errorf("%v", s)
	}
	s = KeepPlaced(s, at, 11, 2, ks, es)
	if !slices.Equal(s.Ks, []int32{5}) || !slices.Equal(s.Es, []int32{5}) {
		t.Errorf("of those %v", s)
	}
	dst := make([]int32, 6)
	PlacesPlaced([]int32{0, 1, 2, 3, 5, 7}, at, 10, 3, dst)
	if !slices.Equal(dst, []int32{-1, -1, 10, -1, 11, -1}) {
		t.Errorf("%v", dst)
	}
	if s := KeepPlaced(Selection{Ks: []int32{0, 2}}, at, 0, 0, ks, es); len(s.Ks) > 0 {
		t.Errorf("an empty fiber has %v", s)
	}
}
