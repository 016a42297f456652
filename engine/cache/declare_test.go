package cache

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

func TestDeclare(t *testing.T) {
	integer, double := rows.Type{ID: rows.BigInt}, rows.Type{ID: rows.Double}
	spec := &load.Spec{
		Keys: []load.Key{{Expr: `"a"`, Type: integer}, {Expr: `"b"`, Type: integer}},
		Leaves: []load.Leaf{
			{Name: "n", Moment: load.Rows},
			{Name: "x", Moment: load.Sum, Expr: `"x"`, Type: integer},
			{Name: "y", Moment: load.Sum, Expr: `"y"`, Type: double},
		},
	}
	batch := &rows.Batch{N: 3, Cols: []rows.Vector{
		{Type: integer, I64: []int64{1, 2, 3}},
		{Type: integer, I64: []int64{1, 2, 1}},
		{Type: integer, I64: []int64{0, 4, 5}},
		{Type: double, F64: []float64{1, -1, 2}},
	}}
	domains := NewDomains()
	base, err := Build(context.Background(), &oneBatch{batch}, spec,
		[]*Domain{domains.Resolve(fibers.Int64Values, nil), domains.Resolve(fibers.Int64Values, nil)}, 2)
	if err != nil {
		t.Fatal(err)
	}
	in := &einsum.Input{Name: "T", Domains: []int{0, 1}, Leaves: []einsum.LeafDecl{
		{Name: "n", Elem: semiring.I64}, {Name: "x", Elem: semiring.I64}, {Name: "y", Elem: semiring.F64},
	}}
	if got, want := base.Declare(in).String(), "tensor T(0,1) { n pattern, x i64 >=0, y f64 } key(0)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestDeclarePairs(t *testing.T) {
	integer := rows.Type{ID: rows.BigInt}
	spec := &load.Spec{
		Keys:   []load.Key{{Expr: `"a"`, Type: integer}, {Expr: `"b"`, Type: integer}, {Expr: `"c"`, Type: integer}},
		Leaves: []load.Leaf{{Name: "n", Moment: load.Rows}},
	}
	batch := &rows.Batch{N: 4, Cols: []rows.Vector{
		{Type: integer, I64: []int64{1, 1, 2, 2}},
		{Type: integer, I64: []int64{1, 2, 1, 2}},
		{Type: integer, I64: []int64{5, 5, 5, 6}},
	}}
	var domains []*Domain
	for range spec.Keys {
		domains = append(domains, NewDomains().Resolve(fibers.Int64Values, nil))
	}
	base, err := Build(context.Background(), &oneBatch{batch}, spec, domains, 2)
	if err != nil {
		t.Fatal(err)
	}
	in := &einsum.Input{Name: "T", Domains: []int{0, 1, 2}, Leaves: []einsum.LeafDecl{{Name: "n", Elem: semiring.I64}}}
	if got, want := base.Declare(in).String(), "tensor T(0,1,2) { n pattern } key(0,1)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestNonNegativeLeaves(t *testing.T) {
	for _, c := range []struct {
		leaf fibers.Leaf
		want bool
	}{
		{fibers.Leaf{Elem: semiring.Pattern}, false},
		{fibers.Leaf{Elem: semiring.I64, I64: []int64{0, math.MaxInt64}}, true},
		{fibers.Leaf{Elem: semiring.I64, I64: []int64{0, -1}}, false},
		{fibers.Leaf{Elem: semiring.I128, I128: []semiring.Int128{{Hi: 1}}}, true},
		{fibers.Leaf{Elem: semiring.I128, I128: []semiring.Int128{{Hi: 1}, {Hi: -1, Lo: 7}}}, false},
		{fibers.Leaf{Elem: semiring.F64, F64: []float64{0, 1e300}}, true},
		{fibers.Leaf{Elem: semiring.F64, F64: []float64{-1e-300}}, false},
		{fibers.Leaf{Elem: semiring.F64, F64: []float64{math.Copysign(0, -1)}}, false},
		{fibers.Leaf{Elem: semiring.F64, F64: []float64{math.NaN()}}, false},
		{fibers.Leaf{Elem: semiring.F64, F64: []float64{math.Inf(1)}}, false},
	} {
		if got := nonNegative([]fibers.Leaf{c.leaf}); got[0] != c.want {
			t.Errorf("%+v: %v", c.leaf, got[0])
		}
	}
}

func TestAddKey(t *testing.T) {
	for _, c := range []struct {
		keys [][]int
		key  []int
		want [][]int
	}{
		{nil, []int{1}, [][]int{{1}}},
		{[][]int{{0}}, []int{0, 2}, [][]int{{0}}},
		{[][]int{{0, 2}, {1, 2}}, []int{0}, [][]int{{1, 2}, {0}}},
		{[][]int{{0, 2}}, []int{1, 2}, [][]int{{0, 2}, {1, 2}}},
	} {
		if got := AddKey(c.keys, c.key); !slices.EqualFunc(got, c.want, slices.Equal) {
			t.Errorf("%v with %v: %v, want %v", c.keys, c.key, got, c.want)
		}
	}
}
