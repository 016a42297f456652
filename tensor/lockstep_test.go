package tensor_test

import (
	"strings"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/tensor"
)

// TestLockstep: what steps in lockstep read is kept until the one that they wait for
// has run.
func TestLockstep(t *testing.T) {
	const n, keys = 3000, 40
	facts := map[string]*tensor.Tensor{}
	for k, name := range []string{"L", "M"} {
		coords := make([][]int, 2)
		for i := range n {
			if i%(5+k) != 0 {
				coords[0], coords[1] = append(coords[0], i), append(coords[1], (i*(7+k))%keys)
			}
		}
		x, err := tensor.New(coords, len(coords[0]), nil)
		if err != nil {
			t.Fatal(err)
		}
		facts[name] = x
	}
	for k, name := range []string{"F", "G"} {
		coords, values := make([][]int, 2), []float64(nil)
		for p := range keys {
			for f := range 4 {
				if p%(3+k) != 0 {
					coords[0], coords[1], values = append(coords[0], p), append(coords[1], f), append(values, float64(p*(f+k))/4)
				}
			}
		}
		x, err := tensor.Floats(coords, values)
		if err != nil {
			t.Fatal(err)
		}
		facts[name] = x
	}
	const program = `
		tensor L(0,1) { n pattern } key(0)
		tensor M(0,2) { n pattern } key(0)
		tensor F(1,3) { n pattern, v f64 }
		tensor G(2,3) { n pattern, v f64 }
		S(i) = n: or(p,f) and(L.n(i,p), F.n(p,f)) | a: sum(p,f) L.n(i,p) * F.v(p,f)
		T(i) = n: or(q,f) and(M.n(i,q), G.n(q,f)) | a: sum(q,f) M.n(i,q) * G.v(q,f)
		R(i) = n: or(S.n(i), T.n(i)) | v: S.a(i) + T.a(i)`
	parsed, err := einsum.Parse(program)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := tensor.Prepare(t.Context(), parsed, facts, tensor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if text := plan.Physical().String(); strings.Count(text, "lockstep;") != 2 {
		t.Fatalf("not in lockstep:\n%s", text)
	}
	got, err := plan.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := map[int]float64{}
	for k, names := range [][2]string{{"L", "F"}, {"M", "G"}} {
		sums := map[int]float64{}
		for e := range facts[names[1]].Len() {
			sums[facts[names[1]].Coord(0, e)] += facts[names[1]].Values().Float64(e)
		}
		l := facts[names[0]]
		for e := range l.Len() {
			if p := l.Coord(1, e); p%(3+k) != 0 {
				want[l.Coord(0, e)] += sums[p]
			}
		}
	}
	if got.Len() != len(want) {
		t.Fatalf("%d entries, want %d", got.Len(), len(want))
	}
	for e := range got.Len() {
		if v := got.Values().Float64(e); v != want[got.Coord(0, e)] {
			t.Errorf("entry %d is %v, want %v", got.Coord(0, e), v, want[got.Coord(0, e)])
		}
	}
}
