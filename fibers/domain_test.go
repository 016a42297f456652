package fibers

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/trireme-db/trireme/einsum/semiring"
)

// intDomains are the ways an integer domain can be made for values in [-50,150).
func intDomains(vals []int64) map[string]*Domain {
	return map[string]*Domain{
		"window":    NewDomain(Int64Values, DomainHint{Rows: 100, HasRange: true, Min: -20, Max: 80}),
		"hash":      NewDomain(Int64Values, DomainHint{Rows: 1, HasRange: true, Min: math.MinInt64, Max: math.MaxInt64}),
		"unhinted":  NewDomain(Int64Values, DomainHint{}),
		"bitmap":    NewBitmapDomain(len(vals), slices.Min(vals), slices.Max(vals), slices.Chunk(vals, 7)),
		"no bitmap": NewBitmapDomain(0, 0, 0, slices.Values([][]int64(nil))),
	}
}

func TestIntDomainAgainstMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	first := make([]int64, 40)
	for e := range first {
		first[e] = rng.Int64N(100) * 3
	}
	for name, d := range intDomains(first) {
		t.Run(name, func(t *testing.T) {
			codes := map[int64]Coord{}
			for round := range 60 {
				vals := make([]int64, rng.IntN(30))
				for e := range vals {
					vals[e] = rng.Int64N(200) - 50
					if rng.IntN(20) == 0 {
						vals[e] = []int64{math.MinInt64, math.MaxInt64, 1 << 40}[rng.IntN(3)]
					}
				}
				if round == 30 {
					d.NullCoord()
				}
				checkIntBatch(t, d, vals, codes)
			}
			checkRanks(t, d, func(a, b Coord) bool { return d.Int64(a) < d.Int64(b) })
		})
	}
}

func checkIntBatch(t *testing.T, d *Domain, vals []int64, codes map[int64]Coord) {
	t.Helper()
	out := make([]Coord, len(vals))
	if err := d.EncodeInt64(vals, out); err != nil {
		t.Fatal(err)
	}
	for e, v := range vals {
		if c, seen := codes[v]; seen && c != out[e] {
			t.Fatalf("%d: code changed from %d to %d", v, c, out[e])
		}
		codes[v] = out[e]
		if int(out[e]) >= d.Len() || d.IsNull(out[e]) {
			t.Fatalf("%d: code %d in a domain of %d", v, out[e], d.Len())
		}
	}
	for v, c := range codes {
		if got, ok := d.LookupInt64(v); !ok || got != c || d.Int64(c) != v {
			t.Fatalf("%d: code %d, lookup %d %v, value %d", v, c, got, ok, d.Int64(c))
		}
	}
	if _, ok := d.LookupInt64(987654321); ok {
		t.Fatal("a value that was never added has a code")
	}
}

// checkRanks compares Ranks with its definition.
func checkRanks(t *testing.T, d *Domain, less func(a, b Coord) bool) {
	t.Helper()
	ranks := d.Ranks()
	null, hasNull := d.Null()
	if ranks == nil {
		if hasNull {
			t.Fatal("no ranks in a domain with NULL")
		}
		ranks = identity(d.Len())
	}
	for a := Coord(0); int(a) < d.Len(); a++ {
		for b := Coord(0); int(b) < d.Len(); b++ {
			if a == b || hasNull && (a == null || b == null) {
				continue
			}
			if less(a, b) != (ranks[a] < ranks[b]) {
				t.Fatalf("coordinates %d, %d have ranks %d, %d", a, b, ranks[a], ranks[b])
			}
		}
	}
	if hasNull && ranks[null] != -1 {
		t.Fatalf("NULL has rank %d", ranks[null])
	}
}

func TestWindowIsIdentity(t *testing.T) {
	d := NewDomain(Int64Values, DomainHint{Rows: 10, HasRange: true, Min: 5, Max: 14})
	out := make([]Coord, 2)
	if err := d.EncodeInt64([]int64{5, 14}, out); err != nil {
		t.Fatal(err)
	}
	if out[0] != 0 || out[1] != 9 || d.Len() != 10 || d.Ranks() != nil {
		t.Fatalf("codes %v, size %d", out, d.Len())
	}
	if err := d.EncodeInt64([]int64{4}, out[:1]); err != nil {
		t.Fatal(err)
	}
	if out[0] != 10 || d.Ranks()[10] != 0 || d.Ranks()[0] != 1 {
		t.Fatalf("code %d, ranks %v", out[0], d.Ranks())
	}
	if wide := NewDomain(Int64Values, DomainHint{Rows: 10, HasRange: true, Min: 0, Max: 1 << 30}); wide.Len() != 0 {
		t.Fatalf("window of %d for ten rows", wide.Len())
	}
}

func TestFloatDomain(t *testing.T) {
	d := NewDomain(Float64Values, DomainHint{})
	otherNaN := math.Float64frombits(math.Float64bits(math.NaN()) ^ 1<<63 ^ 2)
	vals := []float64{0, math.Copysign(0, -1), math.NaN(), otherNaN, math.Inf(1), -1.5, math.Inf(-1)}
	out := make([]Coord, len(vals))
	if err := d.EncodeFloat64(vals, out); err != nil {
		t.Fatal(err)
	}
	if want := []Coord{0, 0, 1, 1, 2, 3, 4}; !slices.Equal(out, want) {
		t.Fatalf("codes %v, want %v", out, want)
	}
	d.NullCoord()
	if want := []int32{2, 4, 3, 1, 0, -1}; !slices.Equal(d.Ranks(), want) {
		t.Fatalf("ranks %v, want %v", d.Ranks(), want)
	}
	if c, ok := d.LookupFloat64(otherNaN); !ok || c != 1 || !math.IsNaN(d.Float64(1)) {
		t.Fatal("NaN is not one value")
	}
}

func TestStringAndWideDomains(t *testing.T) {
	s := NewDomain(StringValues, DomainHint{Distinct: 4})
	vals := []string{"b", "", "ä", "b", "a\x00", "a"}
	out := make([]Coord, len(vals))
	if err := s.EncodeString(vals, out); err != nil {
		t.Fatal(err)
	}
	null := s.NullCoord()
	if !slices.Equal(out, []Coord{0, 1, 2, 0, 3, 4}) || null != 5 || s.NullCoord() != 5 {
		t.Fatalf("codes %v, NULL %d", out, null)
	}
	checkRanks(t, s, func(a, b Coord) bool { return s.String(a) < s.String(b) })
	if _, ok := s.LookupString("c"); ok {
		t.Fatal("unknown string found")
	}
	w := NewDomain(Int128Values, DomainHint{})
	big := semiring.Int128{Hi: 1 << 40, Lo: 7}
	if err := w.EncodeInt128([]semiring.Int128{big, big.Neg(), {}}, out[:3]); err != nil {
		t.Fatal(err)
	}
	if c, ok := w.LookupInt128(big.Neg()); !ok || w.Int128(c) != big.Neg() {
		t.Fatal("128-bit value lost")
	}
	checkRanks(t, w, func(a, b Coord) bool { return w.Int128(a).Cmp(w.Int128(b)) < 0 })
	if s.Bytes() <= 0 || w.Bytes() <= 0 {
		t.Fatal("no size")
	}
}

func TestDomainFull(t *testing.T) {
	d := NewDomain(Int64Values, DomainHint{})
	d.limit = 3
	out := make([]Coord, 4)
	if err := d.EncodeInt64([]int64{1, 2, 3, 4}, out); err == nil {
		t.Fatal("a fourth value fitted a domain of three")
	}
	if d.NullCoord() != -1 {
		t.Fatal("NULL fitted a full domain")
	}
	if err := d.EncodeInt64([]int64{3, 1}, out[:2]); err != nil || out[0] != 2 {
		t.Fatalf("old values after the failure: %v %v", out, err)
	}
	r := NewDomain(RowValues, DomainHint{Rows: 2})
	if err := r.EncodeInt64([]int64{5, 0}, out[:2]); err != nil || r.Len() != 6 || r.Int64(5) != 5 {
		t.Fatalf("row domain of %d, %v", r.Len(), err)
	}
	if err := r.EncodeInt64([]int64{-1}, out[:1]); err == nil {
		t.Fatal("a negative row number has a coordinate")
	}
}

func TestDomainConcurrently(t *testing.T) {
	d := NewDomain(StringValues, DomainHint{})
	var wg sync.WaitGroup
	got := make([][]Coord, 4)
	for w := range got {
		wg.Add(1)
		go func() {
			defer wg.Done()
			got[w] = make([]Coord, 500)
			for e := range got[w] {
				if err := d.EncodeString([]string{fmt.Sprint((e*7 + w) % 300)}, got[w][e:e+1]); err != nil {
					t.Error(err)
				}
				d.Ranks()
			}
		}()
	}
	wg.Wait()
	if d.Len() != 300 {
		t.Fatalf("%d coordinates for 300 strings", d.Len())
	}
	for w := range got {
		for e, c := range got[w] {
			if d.String(c) != fmt.Sprint((e*7+w)%300) {
				t.Fatalf("worker %d: code %d means %s", w, c, d.String(c))
			}
		}
	}
}

func FuzzIntDomain(f *testing.F) {
	f.Add([]byte{1, 2, 3, 255, 0, 17})
	f.Fuzz(func(t *testing.T, data []byte) {
		vals := make([]int64, len(data))
		for e, b := range data {
			vals[e] = int64(int8(b)) << (b % 50)
		}
		for _, d := range intDomains(vals[:len(vals)/2]) {
			checkIntBatch(t, d, vals, map[int64]Coord{})
		}
	})
}
