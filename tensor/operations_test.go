package tensor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/expr"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// whatever is an answer that only joined gives.
const whatever = "any"

// joined computes an expression by trying every combination of one entry from each
// operand: no program, no plan.
func joined(t *testing.T, text string, operands []*Tensor, s expr.Semiring) string {
	t.Helper()
	modes := make([]int, len(operands))
	for i, o := range operands {
		modes[i] = o.Modes()
	}
	e, err := expr.Parse(text, modes)
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]int64{}
	at := map[int]int{} // the coordinate of each index, so far
	var try func(i int, value int64)
	try = func(i int, value int64) {
		if i == len(operands) {
			var key strings.Builder
			for _, id := range e.Output {
				fmt.Fprintf(&key, "%d ", at[id])
			}
			had, ok := sums[key.String()]
			sums[key.String()] = add(s, had, value, !ok)
			return
		}
		o := operands[i]
	entries:
		for entry := range o.Len() {
			before := maps.Clone(at)
			for m, id := range e.Terms[i] {
				if c, ok := at[id]; ok && c != o.Coord(m, entry) {
					at = before
					continue entries
				}
				at[id] = o.Coord(m, entry)
			}
			v, _ := o.Values().Int64(entry)
			try(i+1, multiply(s, value, v, i == 0))
			at = before
		}
	}
	try(0, 1)
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(sums)) {
		lines = append(lines, fmt.Sprintf("%s= %d", key, sums[key]))
	}
	return strings.Join(lines, "; ")
}

func truthOf(v int64) int64 {
	if v != 0 {
		return 1
	}
	return 0
}

func multiply(s expr.Semiring, x, y int64, first bool) int64 {
	switch {
	case s == expr.Count:
		return 1
	case s == expr.OrAnd:
		return truthOf(x) * truthOf(y)
	case s == expr.SumProduct:
		return x * y
	case first:
		return y
	}
	return x + y
}

func add(s expr.Semiring, x, y int64, first bool) int64 {
	switch {
	case first:
		return y
	case s == expr.MaxPlus:
		return max(x, y)
	case s == expr.MinPlus:
		return min(x, y)
	case s == expr.OrAnd:
		return max(x, y)
	}
	return x + y
}

// TestOperations: what people write as an Einstein summation, each with its answer.
func TestOperations(t *testing.T) {
	a := ints(t, []int{0, 0, 1}, []int{0, 1, 2}, []int{1, 1, 3}, []int{2, 2, -4}) // [1 2 .; . 3 .; . . -4]
	b := ints(t, []int{0, 0, 5}, []int{1, 0, 6}, []int{1, 1, 7}, []int{2, 1, 1})
	v := ints(t, []int{0, 2}, []int{1, 10}, []int{2, 1})
	w := ints(t, []int{1, 3}, []int{3, 9})
	cube := ints(t, []int{0, 0, 0, 1}, []int{0, 1, 1, 2}, []int{1, 0, 1, 3}, []int{1, 1, 1, 4})
	core := ints(t, []int{0, 0, 0, 2}, []int{1, 1, 1, 3})
	none, err := Ints([][]int{{}, {}}, []int64{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what, text string
		s          expr.Semiring
		operands   []*Tensor
		want       string
	}{
		{"dot product", "i,i->", 0, []*Tensor{v, w}, "= 30"},
		{"dot product without an arrow", "i,i", 0, []*Tensor{v, w}, "= 30"},
		{"sum over an axis", "ij->j", 0, []*Tensor{a}, "0 = 1; 1 = 5; 2 = -4"},
		{"sum of all", "ij->", 0, []*Tensor{a}, "= 2"},
		{"sum of the last axis by an ellipsis", "...j->...", 0, []*Tensor{a}, "0 = 3; 1 = 3; 2 = -4"},
		{"outer product", "i,j->ij", 0, []*Tensor{w, v}, "1 0 = 6; 1 1 = 30; 1 2 = 3; 3 0 = 18; 3 1 = 90; 3 2 = 9"},
		{"product of matrices", "ik,kj->ij", 0, []*Tensor{a, b}, "0 0 = 17; 0 1 = 14; 1 0 = 18; 1 1 = 21; 2 1 = -4"},
		{"product without an arrow", "ik,kj", 0, []*Tensor{a, b}, "0 0 = 17; 0 1 = 14; 1 0 = 18; 1 1 = 21; 2 1 = -4"},
		{"product, transposed", "ik,kj->ji", 0, []*Tensor{a, b}, "0 0 = 17; 0 1 = 18; 1 0 = 14; 1 1 = 21; 1 2 = -4"},
		{"matrix times vector", "ij,j->i", 0, []*Tensor{a, v}, "0 = 22; 1 = 30; 2 = -4"},
		{"batch of products", "bik,bkj->bij", 0, []*Tensor{cube, cube}, whatever},
		{"matrix and its transpose", "ij->ji", 0, []*Tensor{a}, "0 0 = 1; 1 0 = 2; 1 1 = 3; 2 2 = -4"},
		{"transpose without an arrow", "ba", 0, []*Tensor{a}, "0 0 = 1; 1 0 = 2; 1 1 = 3; 2 2 = -4"},
		{"trace", "ii", 0, []*Tensor{a}, "= 0"},
		{"diagonal", "ii->i", 0, []*Tensor{a}, "0 = 1; 1 = 3; 2 = -4"},
		{"diagonal of the last axes", "...ii->...i", 0, []*Tensor{cube}, "0 0 = 1; 0 1 = 2; 1 1 = 4"},
		{"product of entries", "ij,ij->ij", 0, []*Tensor{a, b}, "0 0 = 5; 1 1 = 21"},
		{"a scalar times a matrix", ",ij->ij", 0, []*Tensor{scalar(t, 3), b}, "0 0 = 15; 1 0 = 18; 1 1 = 21; 2 1 = 3"},
		{"a scalar times a matrix, by an ellipsis", "...,...", 0, []*Tensor{scalar(t, 3), b}, "0 0 = 15; 1 0 = 18; 1 1 = 21; 2 1 = 3"},
		{"scalars", ",->", 0, []*Tensor{scalar(t, 3), scalar(t, -7)}, "= -21"},
		{"a scalar", "->", 0, []*Tensor{scalar(t, 3)}, "= 3"},
		{"contraction of two axes", "ijk,jil->kl", 0, []*Tensor{cube, cube}, whatever},
		{"broadcast of the last axes", "k...,jk", 0, []*Tensor{b, a}, "0 0 = 17; 0 1 = 18; 1 0 = 14; 1 1 = 21; 1 2 = -4"},
		{"row by row", "ij,i->ij", 0, []*Tensor{a, v}, "0 0 = 2; 0 1 = 4; 1 1 = 30; 2 2 = -4"},
		{"bilinear form", "i,ij,j->", 0, []*Tensor{v, a, v}, "= 340"},
		{"chain", "ij,jk,kl->il", 0, []*Tensor{a, a, b}, "0 0 = 53; 0 1 = 56; 1 0 = 54; 1 1 = 63; 2 1 = 16"},
		{"hypernetwork", "ijk,kmn,kl->ijmnl", 0, []*Tensor{core, core, b}, "0 0 0 0 0 = 20; 1 1 1 1 0 = 54; 1 1 1 1 1 = 63"},
		{"Tucker reconstruction", "pqr,ip,jq,kr->ijk", 0, []*Tensor{core, b, b, b}, whatever},
		{"CP reconstruction", "ir,jr->ij", 0, []*Tensor{b, b}, "0 0 = 25; 0 1 = 30; 1 0 = 30; 1 1 = 85; 1 2 = 7; 2 1 = 7; 2 2 = 1"},
		{"matricised tensor times Khatri-Rao product", "ijk,jr,kr->ir", 0, []*Tensor{cube, b, b}, "0 0 = 97; 0 1 = 98; 1 0 = 234; 1 1 = 196"},
		{"triangles", "ab,bc,ca->", 0, []*Tensor{a, a, a}, "= -36"},
		{"private indices", "ij,kl->i", 0, []*Tensor{b, b}, "0 = 95; 1 = 247; 2 = 19"},
		{"names", "row mid, mid col -> row col", 0, []*Tensor{a, b}, "0 0 = 17; 0 1 = 14; 1 0 = 18; 1 1 = 21; 2 1 = -4"},
		{"letters of any alphabet", "αж,жκ->ακ", 0, []*Tensor{a, b}, "0 0 = 17; 0 1 = 14; 1 0 = 18; 1 1 = 21; 2 1 = -4"},
		{"an empty operand", "ij,jk->ik", 0, []*Tensor{a, none}, ""},
		{"an empty scalar", "ij,jk->", 0, []*Tensor{a, none}, ""},
		{"longest of two steps", "ik,kj->ij", expr.MaxPlus, []*Tensor{a, b}, "0 0 = 8; 0 1 = 9; 1 0 = 9; 1 1 = 10; 2 1 = -3"},
		{"shortest of two steps", "ik,kj->ij", expr.MinPlus, []*Tensor{a, b}, "0 0 = 6; 0 1 = 9; 1 0 = 9; 1 1 = 10; 2 1 = -3"},
		{"reachable in two steps", "ik,kj->ij", expr.OrAnd, []*Tensor{a, b}, "0 0 = 1; 0 1 = 1; 1 0 = 1; 1 1 = 1; 2 1 = 1"},
		{"number of paths", "ik,kj->ij", expr.Count, []*Tensor{a, b}, "0 0 = 2; 0 1 = 1; 1 0 = 1; 1 1 = 1; 2 1 = 1"},
	} {
		t.Run(c.what, func(t *testing.T) {
			got, err := Einsum(context.Background(), c.text, c.operands, Options{Semiring: c.s})
			if err != nil {
				t.Fatal(err)
			}
			text := strings.ReplaceAll(strings.TrimSpace(show(got)), "\n", "; ")
			if want := joined(t, c.text, c.operands, c.s); text != want || c.want != whatever && text != c.want {
				t.Errorf("%s\n%s\nwant\n%s\nand\n%s", c.text, text, c.want, want)
			}
		})
	}
}

// TestWrongUse: errors say what is wrong, and where.
func TestWrongUse(t *testing.T) {
	a := ints(t, []int{0, 1, 2})
	_, err := Einsum(context.Background(), "ik,kj->iz", []*Tensor{a, a}, Options{})
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Offset != 8 {
		t.Errorf("%v", err)
	}
	for _, c := range []struct {
		err  func() error
		want string
	}{
		{func() error { _, err := Floats([][]int{{-1}}, []float64{1}); return err }, "coordinate -1"},
		{func() error { _, err := Floats([][]int{{1 << 40}}, []float64{1}); return err }, "is not from 0 to"},
		{func() error { _, err := Floats([][]int{{3}}, []float64{1}, 3); return err }, "beyond the size 3"},
		{func() error { _, err := Floats([][]int{{3}}, []float64{1}, 3, 4); return err }, "2 sizes for 1 modes"},
		{func() error { _, err := Floats([][]int{{3}}, []float64{1, 2}); return err }, "1 coordinates for 2 rows"},
		{func() error { _, err := Floats([][]int{{3}}, []float64{math.NaN()}); return err }, "not finite"},
		{func() error { _, err := New([][]int{{3}}, 1, []Leaf{{Name: "n", Ints: []int64{1}}}); return err }, "the count"},
		{func() error {
			_, err := New([][]int{{3}}, 1, []Leaf{{Name: "x", Ints: []int64{1}, Combine: semiring.Sqrt}})
			return err
		}, "not combined by sqrt"},
		{func() error {
			_, err := Run(context.Background(), "tensor A(0) { n pattern }\nC(i) = n: A.n(i)", nil, Options{})
			return err
		}, "no tensor A"},
		{func() error {
			_, err := Run(context.Background(), "tensor A(0) { n pattern }\nC(i) = n: A.n(i)", map[string]*Tensor{"A": a}, Options{})
			return err
		}, "declared with 1 modes, the tensor has 2"},
		{func() error {
			_, err := Run(context.Background(), "tensor A(0,1) { n pattern, x i64 }\nC(i,j) = n: A.n(i,j)", map[string]*Tensor{"A": a}, Options{})
			return err
		}, "lacks"},
		{func() error {
			_, err := Run(context.Background(), "tensor A(0,1) { n pattern }\nC(i,j) = n: A.n(i,j)", map[string]*Tensor{"A": a}, Options{Outputs: []string{"D"}})
			return err
		}, "no query D"},
	} {
		if err := c.err(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v; want %q", err, c.want)
		}
	}
}

// TestLimits: a result beyond the memory limit is refused, a canceled context ends a
// run, and sums beyond 64 bits are exact.
func TestLimits(t *testing.T) {
	const n = 2000
	column, ones := make([]int, n), make([]int64, n)
	for i := range n {
		column[i], ones[i] = i, 1<<31
	}
	v, err := Ints([][]int{column}, ones)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Einsum(context.Background(), "i,j->ij", []*Tensor{v, v}, Options{MemoryLimitBytes: 1 << 20}); !errors.Is(err, ErrMemory) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Einsum(ctx, "i,j,k->", []*Tensor{v, v, v}, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	sum, err := Einsum(context.Background(), "i,i->", []*Tensor{v, v}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := sum.Values().Big(0).String(); got != "9223372036854775808000" {
		t.Errorf("%s", got)
	}
	if _, ok := sum.Values().Int64(0); ok {
		t.Error("a sum of 73 bits is taken for one of 64")
	}
}

// TestOutputs: queries beside the last are results as well, and a plan runs twice.
func TestOutputs(t *testing.T) {
	program, err := einsum.Parse(`
		tensor A(0,1) { n pattern, v i64 }
		R(i) = n: or(j) A.n(i,j) | v: sum(j) A.v(i,j)
		T(i,j) = n: and(R.n(i), R.n(j)) | v: R.v(i) * R.v(j)
		D(i) = n: T.n(i,i) | v: T.v(i,i)
		S() = n: or(i) D.n(i) | v: sum(i) D.v(i)
		F(j) = n: A.n(1,j) | v: A.v(1,j)`)
	if err != nil {
		t.Fatal(err)
	}
	a := ints(t, []int{0, 0, 1}, []int{0, 1, 2}, []int{1, 1, 4})
	plan, err := Prepare(context.Background(), program, map[string]*Tensor{"A": a}, Options{Outputs: []string{"R", "S"}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		all, err := plan.RunAll(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if got := show(all["R"]) + show(all["S"]) + show(all["F"]); got != "0 = 3\n1 = 4\n= 25\n1 = 4\n" {
			t.Errorf("%s\n%s", got, plan)
		}
	}
	if !strings.Contains(plan.String(), "PHYSICAL PLAN") {
		t.Error(plan.String())
	}
}
