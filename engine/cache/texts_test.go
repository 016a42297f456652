package cache

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Strings keep the number of their first occurrence, and ranks order them bytewise,
// also where the first eight bytes are the same or end early.
func TestTexts(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 3))
		table, numbers := newTexts(), map[string]int64{}
		for range r.IntN(5000) {
			b := make([]byte, r.IntN(12))
			for i := range b {
				b[i] = "\x00ab\xff"[r.IntN(4)]
			}
			s := string(b)
			if r.IntN(3) == 0 {
				s = fmt.Sprintf("the same start %d%s", r.IntN(40), strings.Repeat("-", r.IntN(100)))
			}
			if r.IntN(500) == 0 {
				s = strings.Repeat(s, textBlock/4)
			}
			want, known := numbers[s]
			if !known {
				want = int64(len(numbers))
				numbers[s] = want
			}
			if got := table.number(s); got != want {
				t.Fatalf("seed %d: %q has number %d, want %d", seed, s, got, want)
			}
		}
		dict, ranks := table.sorted()
		if len(dict) != len(numbers) || !slices.IsSorted(dict) {
			t.Fatalf("seed %d: %d of %d strings, in order: %t", seed, len(dict), len(numbers), slices.IsSorted(dict))
		}
		for s, n := range numbers {
			if dict[ranks[n]] != s {
				t.Fatalf("seed %d: rank %d is %q, want %q", seed, ranks[n], dict[ranks[n]], s)
			}
		}
	}
}

// BenchmarkTexts numbers and ranks 200,000 titles, all different or of a thousand.
// Where they are different it takes 0.19 to 0.54 of the time of a map and a sort of
// the strings, else 0.8 to 1.6 of it (alternating runs on two busy cores).
func BenchmarkTexts(b *testing.B) {
	for _, distinct := range []int{200_000, 1000} {
		r := rand.New(rand.NewPCG(1, 2))
		words := strings.Fields("night river the of a house last king winter stone red empty song blue train")
		titles := make([]string, 200_000)
		for i := range titles {
			titles[i] = fmt.Sprintf("%s %s %s %d", words[r.IntN(len(words))], words[r.IntN(len(words))], words[r.IntN(len(words))], r.IntN(distinct))
			if distinct < len(titles) {
				titles[i] = fmt.Sprintf("%s %d", words[0], r.IntN(distinct))
			}
		}
		b.Run(fmt.Sprintf("distinct=%d/by=texts", distinct), func(b *testing.B) {
			for b.Loop() {
				t := newTexts()
				for _, s := range titles {
					t.number(s)
				}
				t.sorted()
			}
		})
		b.Run(fmt.Sprintf("distinct=%d/by=map", distinct), func(b *testing.B) {
			for b.Loop() {
				codes, dict := map[string]int64{}, []string{}
				for _, s := range titles {
					if _, ok := codes[s]; !ok {
						s = strings.Clone(s)
						codes[s] = int64(len(dict))
						dict = append(dict, s)
					}
				}
				slices.SortFunc(dict, strings.Compare)
				ranks := make([]int64, len(dict))
				for r, s := range dict {
					ranks[codes[s]] = int64(r)
				}
			}
		})
	}
}
