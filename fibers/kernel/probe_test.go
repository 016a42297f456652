package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// FuzzProbes compares the loops without bounds checks with the checked ones.
// Under the tag checked they are the same.
func FuzzProbes(f *testing.F) {
	f.Add(uint64(1), uint16(0), uint16(1))
	f.Add(uint64(2), uint16(7), uint16(5))
	f.Add(uint64(3), uint16(1025), uint16(300))
	f.Fuzz(func(t *testing.T, seed uint64, n, dim uint16) {
		rng := rand.New(rand.NewPCG(seed, 17))
		size := int(dim) + 1
		ks, marks := make([]int32, n), make([]uint8, size)
		for i := range marks {
			marks[i] = uint8(rng.IntN(2))
		}
		for i := range ks {
			ks[i] = int32(rng.IntN(size))
		}
		if got, want := CountMarked(ks, marks), countMarkedChecked(ks, marks); got != want {
			t.Errorf("%d marked, want %d", got, want)
		}
		words := make([]uint64, size/64+1)
		for k, m := range marks {
			words[k/64] |= uint64(m) << (k % 64)
		}
		if got, want := CountInside(ks, words), countInsideChecked(ks, words); got != want || got != CountMarked(ks, marks) {
			t.Errorf("%d inside, want %d", got, want)
		}
		if got, want := Inside(slices.Clone(ks), words), Marked(slices.Clone(ks), marks); !slices.Equal(got, want) {
			t.Errorf("%v inside, want %v", got, want)
		}
		some := Selection{Ks: ks}
		for range 2 { // all of a batch, and a part of it
			got := KeepInside(some, words, make([]int32, n), make([]int32, n))
			want := KeepMarked(some, marks, make([]int32, n), make([]int32, n))
			if !slices.Equal(got.Ks, want.Ks) || !slices.Equal(got.Es, want.Es) {
				t.Errorf("kept %v inside, want %v", got, want)
			}
			some.Ks = slices.Clone(ks[:n/2])
			some.Es = make([]int32, n/2)
		}
		list, set := sorted(ks), make([]uint64, len(words))
		SetBits(set, list)
		if got, want := CountFound(sorted(ks[:n/3]), list), CountInside(sorted(ks[:n/3]), set); got != want || got != len(sorted(ks[:n/3])) {
			t.Errorf("%d found, want %d", got, want)
		}
		if got, want := CountFound(list, sorted(ks[:n/3])), len(sorted(ks[:n/3])); got != want {
			t.Errorf("%d found, want %d", got, want)
		}
		var bufs [4][]int32
		for i := range bufs {
			bufs[i] = make([]int32, n)
		}
		kept, keptWant := selectMarked(ks, marks, bufs[0], bufs[1]), selectMarkedChecked(ks, marks, bufs[2], bufs[3])
		if kept != keptWant || !slices.Equal(bufs[0][:kept], bufs[2][:kept]) || !slices.Equal(bufs[1][:kept], bufs[3][:kept]) {
			t.Errorf("kept %v, want %v", bufs[0][:kept], bufs[2][:keptWant])
		}
		acc, touched := make([]int64, size), make([]int32, size+1)
		accWant, touchedWant := make([]int64, size), make([]int32, size+1)
		tally, tallied := make([]uint32, size), make([]int32, size+1)
		tallyWant, talliedWant := make([]uint32, size), make([]int32, size+1)
		ones, onesWant := TallyFresh(tally, ks, tallied, 0), tallyFreshChecked(tallyWant, ks, talliedWant, 0)
		if ones != onesWant || !slices.Equal(tally, tallyWant) || !slices.Equal(tallied[:ones], talliedWant[:ones]) {
			t.Errorf("%d tallied %v, want %d %v", ones, tallied[:ones], onesWant, talliedWant[:onesWant])
		}
		counts := make([]int64, ones)
		TakeCounts(counts, tally, tallied[:ones])
		for i, k := range tallied[:ones] {
			if counts[i] != int64(tallyWant[k]) || tally[k] != 0 {
				t.Errorf("count %d of %d, want %d; %d are left", counts[i], k, tallyWant[k], tally[k])
			}
		}
		got, want := 0, 0
		for _, piece := range [][]int32{ks[:n/2], ks[n/2:]} {
			got = CountFresh(acc, piece, touched, got)
			want = countFreshChecked(accWant, piece, touchedWant, want)
		}
		if got != want || !slices.Equal(acc, accWant) || !slices.Equal(touched[:got], touchedWant[:want]) {
			t.Errorf("%d touched %v, want %d %v", got, touched[:got], want, touchedWant[:want])
		}
	})
}

// sorted is the coordinates as a sorted list.
func sorted(ks []int32) []int32 {
	ks = slices.Clone(ks)
	slices.Sort(ks)
	return slices.Compact(ks)
}

// BenchmarkCountMarked is what a probe costs with and without bounds checks.
func BenchmarkCountMarked(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	ks, marks := make([]int32, 1024), make([]uint8, 75_877)
	for i := range ks {
		ks[i] = int32(rng.IntN(len(marks)))
		marks[rng.IntN(len(marks))] = 1
	}
	slices.Sort(ks)
	total := 0
	for _, c := range []struct {
		name  string
		count func([]int32, []uint8) int
	}{{"checked", countMarkedChecked}, {"built", CountMarked}, {"checked2", countMarkedChecked}, {"built2", CountMarked}} {
		b.Run("loop="+c.name, func(b *testing.B) {
			for b.Loop() {
				total += c.count(ks, marks)
			}
		})
	}
	if total < 0 {
		b.Fatal(total)
	}
}
