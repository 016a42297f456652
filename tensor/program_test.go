package tensor

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/interp"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// numbered replaces the values of a random program's domains by their ranks, which
// keeps what comparisons say. ok is false where there is a NULL, which tensors in
// memory do not have.
func numbered(p *einsum.Program, data map[string]*interp.Tensor) (ok bool) {
	values := map[int][]interp.Value{}
	for _, in := range p.Inputs {
		for _, e := range data[in.Name].Entries {
			for m, d := range in.Domains {
				if e.Coord[m].IsNull() {
					return false
				}
				if !slices.Contains(values[d], e.Coord[m]) {
					values[d] = append(values[d], e.Coord[m])
				}
			}
		}
	}
	for _, list := range values {
		slices.SortFunc(list, interp.Value.Compare)
	}
	for _, in := range p.Inputs {
		for _, e := range data[in.Name].Entries {
			for m, d := range in.Domains {
				e.Coord[m] = interp.Int(int64(slices.Index(values[d], e.Coord[m])))
			}
		}
	}
	return true
}

// loaded is an input of a random program.
func loaded(t *testing.T, in *einsum.Input, data *interp.Tensor) *Tensor {
	t.Helper()
	specs, leaves := make([]fibers.LeafSpec, len(in.Leaves)), make([]fibers.Leaf, len(in.Leaves))
	for l, decl := range in.Leaves {
		specs[l] = fibers.LeafSpec{Name: decl.Name, Elem: decl.Elem, Merge: semiring.Add}
		leaves[l] = fibers.Leaf{Name: decl.Name, Elem: decl.Elem}
	}
	coords, dims := make([][]fibers.Coord, len(in.Domains)), make([]int, len(in.Domains))
	for _, e := range data.Entries {
		for m := range in.Domains {
			var c int
			for interp.Int(int64(c)) != e.Coord[m] {
				c++
			}
			coords[m], dims[m] = append(coords[m], fibers.Coord(c)), max(dims[m], c+1)
		}
		for l, n := range e.Leaves {
			v, _ := n.Big()
			wide := semiring.Int128{}
			if v != nil {
				wide, _ = semiring.FromBig(v)
			}
			switch narrow, _ := wide.Int64(); leaves[l].Elem {
			case semiring.I64:
				leaves[l].I64 = append(leaves[l].I64, narrow)
			case semiring.I128:
				leaves[l].I128 = append(leaves[l].I128, wide)
			case semiring.F64:
				leaves[l].F64 = append(leaves[l].F64, n.Float64())
			}
		}
	}
	b := fibers.NewBuilder(len(dims), specs)
	if err := b.Append(len(data.Entries), coords, leaves); err != nil {
		t.Fatal(err)
	}
	coo, err := b.Finish(context.Background(), dims)
	if err != nil {
		t.Fatal(err)
	}
	return &Tensor{coo: coo}
}

// TestRandomPrograms holds random programs, nested aggregates, unions, masks and
// functions among them, against enumeration.
func TestRandomPrograms(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 8))
	ran := 0
	for i := range 900 {
		p, data := interp.RandomProgram(rng, interp.RandomOptions{NoConstants: true, Wide: i%2 == 0})
		if !numbered(p, data) {
			continue // a NULL
		}
		want, err := interp.Run(p, data, nil)
		if err != nil {
			continue // a function outside of its domain
		}
		tensors := map[string]*Tensor{}
		for _, in := range p.Inputs {
			tensors[in.Name] = loaded(t, in, data[in.Name])
		}
		plan, err := Prepare(context.Background(), p, tensors, Options{Threads: 1 + i%2})
		var e *sqlerr.Error
		if errors.As(err, &e) && e.Code == sqlerr.FeatureNotSupported {
			continue // the planner's limits, which it names
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, p)
		}
		got, err := plan.Run(context.Background())
		if err != nil {
			t.Fatalf("%v\n%s", err, p)
		}
		q := p.Queries[len(p.Queries)-1]
		if diff := interp.Diff(asInterp(got), want[q.Name], 1e-9); diff != "" {
			t.Fatalf("%s\n%s", diff, plan)
		}
		ran++
	}
	if ran < 300 { // about half have no NULL
		t.Errorf("only %d programs ran", ran)
	}
	t.Logf("%d programs ran", ran)
}
