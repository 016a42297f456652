package exec

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// batchProblem is a random step that samples a product of matrices: table 0 has some
// of the coordinates of the outer indices, the others are over one of them and the
// innermost index, and are full or have a block of coordinates in every row.
func (g *generator) batchProblem(t *testing.T) *problem {
	t.Helper()
	p := &problem{dims: map[string]int{}, in: Inputs{Ranks: map[int][]int32{}}, step: &physical.Step{}}
	for i := range 1 + g.IntN(3) {
		p.indices = append(p.indices, einsum.Index{Name: string(rune('i' + i)), Domain: i})
	}
	outer := len(p.indices)
	p.indices = append(p.indices, einsum.Index{Name: "x", Domain: outer})
	for _, ix := range p.indices {
		p.dims[ix.Name] = 1 + g.IntN(14)
		p.step.Loops = append(p.step.Loops, physical.Loop{Index: ix})
	}
	p.dims["x"] = 1 + g.IntN(40)
	p.in.Dims = p.dims
	sparse := make([]format.Kind, outer)
	for l := range sparse {
		sparse[l] = kinds[g.IntN(int(format.Hash)+1)]
	}
	g.batchOperand(t, p, p.indices[:outer], sparse, false)
	bands := g.IntN(2) == 0
	for range 1 + g.IntN(4) {
		over := []einsum.Index{p.indices[g.IntN(outer)], p.indices[outer]}
		if g.IntN(5) == 0 {
			over = over[1:]
		}
		formats := []format.Kind{format.Dense, format.Dense}[:len(over)]
		if bands && g.IntN(3) > 0 {
			formats[len(over)-1] = format.Band
			g.batchTable(t, p, over, formats, g.blocks(p.dims["x"]))
			continue
		}
		g.batchOperand(t, p, over, formats, true)
	}
	if g.IntN(2) == 0 {
		g.batchOperand(t, p, p.indices[:1], []format.Kind{format.SparseList}, false)
	}
	g.batchQuery(p, outer)
	for range outer {
		p.step.Output.Formats = append(p.step.Output.Formats, format.SparseList)
	}
	p.step.Output.Order, p.step.Output.Prefix, p.step.Output.Workspace = p.indices[:outer], outer, format.None
	return p
}

// batchOperand adds a table over indices, with every coordinate or some.
func (g *generator) batchOperand(t *testing.T, p *problem, over []einsum.Index, formats []format.Kind, full bool) {
	t.Helper()
	g.batchTable(t, p, over, formats, func([]fibers.Coord) bool { return full || g.IntN(3) > 0 })
}

// blocks is a table whose rows are each a block of the last coordinate, which has dim
// values: the same for most, or none, or any.
func (g *generator) blocks(dim int) func(c []fibers.Coord) bool {
	type block struct{ lo, hi int }
	any := func() block {
		lo := g.IntN(dim)
		return block{lo, lo + g.IntN(dim-lo+1)}
	}
	most, uniform, rows := any(), g.IntN(2) == 0, map[string]block{}
	return func(c []fibers.Coord) bool {
		row, last := fmt.Sprint(c[:len(c)-1]), int(c[len(c)-1])
		b, ok := rows[row]
		if !ok {
			switch b = most; {
			case g.IntN(8) == 0:
				b = block{}
			case !uniform && g.IntN(3) == 0:
				b = any()
			}
			rows[row] = b
		}
		return b.lo <= last && last < b.hi
	}
}

// batchTable is batchOperand with the coordinates that has admits.
func (g *generator) batchTable(t *testing.T, p *problem, over []einsum.Index, formats []format.Kind, has func(c []fibers.Coord) bool) {
	t.Helper()
	op := physical.Operand{Tensor: fmt.Sprint("T", len(p.tables)), Formats: formats}
	tab := &table{name: op.Tensor, rows: map[string][]float64{}, elems: []semiring.Elem{semiring.Pattern, semiring.I64, semiring.F64}}
	if g.IntN(2) == 0 {
		tab.elems[0] = semiring.I64
	}
	for m, ix := range over {
		op.Args, op.Order = append(op.Args, einsum.Arg{Index: ix}), append(op.Order, m)
		op.Protocols = append(op.Protocols, format.Protocol(0))
		tab.dims, tab.fixed = append(tab.dims, p.dims[ix.Name]), append(tab.fixed, 0)
	}
	tab.args = op.Args
	c := make([]fibers.Coord, len(over))
	var fill func(m int)
	fill = func(m int) {
		if m < len(over) {
			for k := range tab.dims[m] {
				c[m] = fibers.Coord(k)
				fill(m + 1)
			}
			return
		}
		if !has(c) {
			return
		}
		n := 1.0
		if tab.elems[0] == semiring.I64 {
			n = float64(g.IntN(4))
		}
		tab.rows[fmt.Sprint(c)] = []float64{n, float64(g.IntN(7) - 3), g.floats[g.IntN(len(g.floats))]}
		tab.coords = append(tab.coords, append([]fibers.Coord{}, c...))
	}
	fill(0)
	p.tables = append(p.tables, tab)
	p.step.Operands = append(p.step.Operands, op)
	p.in.Operands = append(p.in.Operands, tab.tensor(t, op.Order, formats))
}

// batchQuery makes leaves that are sums of products, and extremes of what does not
// depend on the innermost index.
func (g *generator) batchQuery(p *problem, outer int) {
	over := p.indices[outer:]
	product := func(last int) einsum.Expr {
		var args []einsum.Expr
		for _, t := range p.tables {
			leaf := 0
			if g.IntN(2) == 0 {
				leaf = g.IntN(last + 1)
			}
			args = append(args, access(t, leaf))
		}
		return &einsum.Map{Op: semiring.Mul, Args: args}
	}
	q := &einsum.Query{Name: "R", Idxs: p.indices[:outer]}
	all := &einsum.Map{Op: semiring.Mul}
	for _, t := range p.tables {
		all.Args = append(all.Args, access(t, 0))
	}
	q.Leaves = []einsum.Leaf{{Name: "n", Expr: &einsum.Agg{Op: semiring.Add, Idxs: over, Arg: all}}}
	for l := range 1 + g.IntN(3) {
		op, x := semiring.Add, product(1+g.IntN(2))
		switch g.IntN(4) {
		case 0:
			x = &einsum.Map{Op: semiring.Sub, Args: []einsum.Expr{x, product(1)}}
		case 1:
			op = []semiring.Op{semiring.Min, semiring.Max}[g.IntN(2)]
			guard := &einsum.Map{Op: semiring.Guard, Args: []einsum.Expr{access(p.tables[0], 1+g.IntN(2))}}
			for i, t := range p.tables {
				leaf := 0
				if i == 0 {
					leaf = g.IntN(2)
				}
				guard.Args = append(guard.Args, access(t, leaf))
			}
			x = guard
		}
		q.Leaves = append(q.Leaves, einsum.Leaf{Name: fmt.Sprint("l", l), Expr: &einsum.Agg{Op: op, Idxs: over, Arg: x}})
	}
	p.step.Query = q
}

// TestRowBatches runs random steps over arrays and bands by collected rows, and on the
// general path: also cut into morsels, for which the innermost loop is cut too.
func TestRowBatches(t *testing.T) {
	taken, extremes, led, entries, bounded, long := 0, 0, 0, 0, 0, 0
	for seed := range uint64(900) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 37)), floats: []float64{0, 1.5, -2, 0.25}}
		p := g.batchProblem(t)
		want, general, err := RunStep(context.Background(), p.step, p.in, Options{NoRegistry: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, opt := range []Options{{}, {Threads: 3, Morsels: 1 + g.IntN(60)}} {
			got, stats, err := RunStep(context.Background(), p.step, p.in, opt)
			if err != nil {
				t.Fatal(err)
			}
			sameTensor(t, p, got, want)
			if stats.Cells != general.Cells {
				t.Fatalf("seed %d: %d cells, want %d", seed, stats.Cells, general.Cells)
			}
			if !strings.HasSuffix(stats.Kernel, batchName("")) {
				continue
			}
			taken++
			entries = max(entries, want.NNZ)
			for _, leaf := range p.step.Query.Leaves {
				if agg, ok := leaf.Expr.(*einsum.Agg); ok && agg.Op != semiring.Add {
					extremes++
				}
			}
			b := newBinder(p.step, p.in, Options{})
			if n := b.prepare(context.Background(), make([]bool, len(p.step.Query.Leaves))); b.compose(n) != nil {
				f, _ := b.fastLoop(b.newLoop(len(p.indices)-1, nil), n.sink)
				r := b.rowBatch(nil, f, n.sink)
				if r != nil && r.lead != nil {
					led++
				}
				if r != nil && r.spans != nil && want.NNZ > 0 {
					bounded++
				}
				if r != nil && slices.ContainsFunc(r.leaves, multipliesRows) {
					long++
				}
			}
		}
	}
	if taken < 600 || extremes < 50 || led < 50 || entries < 1100 || bounded < 150 || long < 50 {
		t.Errorf("collected rows in %d steps, %d extremes, %d with a leader, at most %d entries, %d with bands, %d of three factors", taken, extremes, led, entries, bounded, long)
	}
}

// multipliesRows reports a leaf with a product of three or more slices.
func multipliesRows(leaf batchLeaf) bool {
	switch leaf := leaf.(type) {
	case *sumBatch[int64]:
		return leaf.product != nil
	case *sumBatch[float64]:
		return leaf.product != nil
	}
	return false
}
