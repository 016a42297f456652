package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/trireme-db/trireme/einsum/semiring"
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

func TestAppendSingles(t *testing.T) {
	negative := math.Copysign(0, -1)
	got, ok := AppendSingles(semiring.Add, []float64{1}, []float64{negative, -2, math.Inf(1)})
	if !ok || len(got) != 4 || math.Signbit(got[1]) || got[2] != -2 || got[3] != math.Inf(1) {
		t.Errorf("sums are %v", got)
	}
	got, ok = AppendSingles(semiring.Or, nil, []float64{negative, -2, math.NaN()})
	if !ok || !slices.Equal(got, []float64{0, 1, 1}) {
		t.Errorf("ors are %v", got)
	}
	if ints, ok := AppendSingles(semiring.Or, []int64{5}, []int64{0, 7}); !ok || !slices.Equal(ints, []int64{5, 0, 1}) {
		t.Errorf("ors of integers are %v", ints)
	}
	if got, ok = AppendSingles(semiring.Min, []float64{1}, []float64{2}); ok || len(got) != 1 {
		t.Errorf("a minimum is %v", got)
	}
}
