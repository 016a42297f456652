package physical

import (
	"math"
	"slices"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/optimizer/logical"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// TestInputFormats asks for the kinds of a table of two modes that has 1000 by
// 400 coordinates, in the order of its modes.
func TestInputFormats(t *testing.T) {
	for _, c := range []struct {
		name     string
		nnz      float64
		distinct float64 // of mode 0
		last     stats.LevelShape
		follows  bool // somebody else leads the loop over mode 1
		pattern  bool // no leaf has values
		want     []format.Kind
	}{
		{name: "nothing known", nnz: 5000, distinct: 1000, want: []format.Kind{format.Dense, format.SparseList}},
		{name: "all stored", nnz: 400_000, distinct: 1000, want: []format.Kind{format.Dense, format.Dense}},
		{name: "one below each", nnz: 1000, distinct: 1000, last: stats.LevelShape{Single: true}, want: []format.Kind{format.Dense, format.Pinpoint}},
		{
			name: "one below a third", nnz: 333, distinct: 333, last: stats.LevelShape{Single: true},
			want: []format.Kind{format.Dense, format.SparseList},
		},
		{name: "blocks", nnz: 30_000, distinct: 900, last: stats.LevelShape{Block: true}, want: []format.Kind{format.Dense, format.Band}},
		{
			name: "short blocks", nnz: 9000, distinct: 1000, last: stats.LevelShape{Block: true},
			want: []format.Kind{format.Dense, format.SparseList},
		},
		{
			name: "equal blocks", nnz: 30_000, distinct: 900, last: stats.LevelShape{Block: true, Equal: true, Runs: 900},
			want: []format.Kind{format.Dense, format.Interval},
		},
		{name: "runs", nnz: 300_000, distinct: 1000, last: stats.LevelShape{Runs: 1100}, want: []format.Kind{format.Dense, format.SparseRunLength}},
		{name: "runs of all", nnz: 400_000, distinct: 1000, last: stats.LevelShape{Block: true, Runs: 1100}, want: []format.Kind{format.Dense, format.RunLength}},
		{name: "short runs", nnz: 300_000, distinct: 1000, last: stats.LevelShape{Runs: 3000}, want: []format.Kind{format.Dense, format.SparseList}},
		{name: "runs that follow", nnz: 300_000, distinct: 1000, last: stats.LevelShape{Runs: 1100}, follows: true, want: []format.Kind{format.Dense, format.SparseList}},
		{name: "all stored in runs that follow", nnz: 400_000, distinct: 1000, last: stats.LevelShape{Block: true, Runs: 1100}, follows: true, want: []format.Kind{format.Dense, format.Dense}},
		{name: "runs of nothing", nnz: 300_000, distinct: 1000, last: stats.LevelShape{Runs: 1100}, pattern: true, want: []format.Kind{format.Dense, format.SparseList}},
	} {
		elem, leads := semiring.F64, format.Walk
		if c.pattern {
			elem = semiring.Pattern
		}
		if c.follows {
			leads = format.Lookup
		}
		table := &logical.Tensor{Name: "T", Domains: []int{0, 1}, Input: true, Leaves: []einsum.LeafDecl{{Name: "n", Elem: elem}}}
		table.Stats = stats.TensorStats{
			NNZ: c.nnz, Dims: []float64{1000, 400}, Distinct: []float64{c.distinct, 400}, Exact: true,
			Shape: &stats.Shape{Layouts: []stats.LayoutShape{{Order: []int{0, 1}, Levels: []stats.LevelShape{{}, c.last}}}},
		}
		o := &Operand{
			Tensor: "T", Args: einsum.Ixs(einsum.Index{Name: "i"}, einsum.Index{Name: "k", Domain: 1}), Order: []int{0, 1},
			Protocols: []format.Protocol{format.Walk, leads},
		}
		if got := inputFormats(table, o, math.Inf(1)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		table.Stats.Shape = nil // before loading
		if got := inputFormats(table, o, math.Inf(1)); slices.ContainsFunc(got, format.Kind.Shaped) || got[1] == format.Dense {
			t.Errorf("%s: %v though nothing is known", c.name, got)
		}
	}
}
