package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// ascending returns about n of the coordinates first..first+span-1.
func ascending(r *rand.Rand, first, span int32, n int) []int32 {
	var ks []int32
	for k := range span {
		if r.IntN(int(span)) < n {
			ks = append(ks, first+k)
		}
	}
	return ks
}

func TestUnion(t *testing.T) {
	var u Union
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 5))
		first, span := r.Int32N(1000), 1+r.Int32N(2000)
		lists := [][]int32{ascending(r, first, span, 5), ascending(r, first, span, 100), ascending(r, first, span, 1000)}
		want := slices.Concat(lists...)
		slices.Sort(want)
		want = slices.Compact(want)
		u.Reset(first, span)
		for _, ks := range lists {
			u.Add(ks)
		}
		got := make([]int32, len(want))
		if n := u.List(got); n != len(want) || !slices.Equal(got, want) {
			t.Fatalf("seed %d: %d coordinates %v, want %v", seed, n, got, want)
		}
		for _, ks := range lists {
			at, byKey, merged := make([]int32, len(want)), make([]int32, len(want)), make([]int32, len(want))
			for i := range want {
				at[i], byKey[i] = -1, -1
			}
			u.Places(ks, 7, at)
			u.PlacesByKey(ks, 7, byKey)
			half := len(want) / 2
			cur := PlacesMerged(want[:half], ks, 0, 7, merged)
			PlacesMerged(want[half:], ks, cur, 7, merged[half:])
			for i, k := range want {
				n, ok := slices.BinarySearch(ks, k)
				place, key := int32(-1), int32(-1)
				if ok {
					place, key = 7+int32(n), 7+k
				}
				if at[i] != place || byKey[i] != key || merged[i] != place {
					t.Fatalf("seed %d: coordinate %d is at %d, %d and %d, want %d and %d", seed, k, at[i], byKey[i], merged[i], place, key)
				}
			}
		}
	}
}

func TestKeepTrue(t *testing.T) {
	ks, es := make([]int32, 4), make([]int32, 4)
	s := KeepTrue(Selection{Ks: []int32{3, 5, 8, 9}}, []bool{true, false, true, true}, ks, es)
	if !slices.Equal(s.Ks, []int32{3, 8, 9}) || !slices.Equal(s.Es, []int32{0, 2, 3}) {
		t.Errorf("%v", s)
	}
	s = KeepTrue(s, []bool{false, true, false}, ks, es)
	if !slices.Equal(s.Ks, []int32{8}) || !slices.Equal(s.Es, []int32{2}) {
		t.Errorf("of those %v", s)
	}
}
