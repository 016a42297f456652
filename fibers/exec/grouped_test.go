package exec

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// betweenStep is out(i,j,h) over loops i, p, j, h: L tells p from i if it is single.
func (g *generator) betweenStep(t *testing.T, single bool, workspace format.Workspace) *problem {
	t.Helper()
	p := &problem{step: &physical.Step{}, dims: map[string]int{}, in: Inputs{Ranks: map[int][]int32{}}}
	p.in.Dims = p.dims
	for d, name := range []string{"i", "p", "j", "h"} {
		ix := einsum.Index{Name: name, Domain: d}
		p.indices = append(p.indices, ix)
		p.dims[name] = 1 + g.IntN([]int{4, 12, 40}[g.IntN(3)])
		p.step.Loops = append(p.step.Loops, physical.Loop{Index: ix})
	}
	i, part, j, h := p.indices[0], p.indices[1], p.indices[2], p.indices[3]
	last := format.SparseList
	if single && g.IntN(2) == 0 {
		last = format.Pinpoint
	}
	g.hopOperand(t, p, []einsum.Index{i, part}, []format.Kind{format.Dense, last}, single)
	g.hopOperand(t, p, []einsum.Index{part, j}, []format.Kind{format.Dense, format.SparseList}, false)
	g.hopOperand(t, p, []einsum.Index{part, h}, []format.Kind{format.Dense, format.SparseList}, false)
	q := &einsum.Query{Name: "R", Idxs: []einsum.Index{i, j, h}}
	p.step.Output = physical.Output{
		Order: q.Idxs, Formats: []format.Kind{format.Dense, format.SparseList, format.SparseList}, Workspace: workspace, Prefix: 1,
	}
	for l, name := range []string{"n", "x"} {
		m := &einsum.Map{Op: semiring.Mul}
		for _, tab := range p.tables {
			m.Args = append(m.Args, access(tab, l))
		}
		q.Leaves = append(q.Leaves, einsum.Leaf{Name: name, Expr: &einsum.Agg{Op: semiring.Add, Idxs: []einsum.Index{part}, Arg: m}})
	}
	p.step.Query = q
	return p
}

// TestOneCoordinateBetween: a reduced loop between the output's needs no workspace where
// storage shows that it has one coordinate, also in morsels, and one where it has more.
func TestOneCoordinateBetween(t *testing.T) {
	several := 0
	for seed := range uint64(200) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 47)), floats: []float64{1, -2, 0.5}, maxDim: 40, rows: 200}
		single := seed%2 == 0
		workspace := []format.Workspace{format.HashWorkspace, format.DenseWorkspace}[g.IntN(2)]
		p := g.betweenStep(t, single, workspace)
		want := p.bruteForce()
		for _, opt := range []Options{{}, {NoRegistry: true}, {Threads: 2, Morsels: 1 + g.IntN(30)}} {
			got, stats, err := RunStep(context.Background(), p.step, p.in, opt)
			if err != nil {
				t.Fatal(err)
			}
			p.check(t, got, want)
			if used := stats.Workspace == format.None.String(); single && !used {
				t.Errorf("seed %d: workspace %s", seed, stats.Workspace)
			} else if !used {
				several++
			}
		}
	}
	if several == 0 {
		t.Error("no loop between had several coordinates")
	}
}
