package exec

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
)

// withFunctions makes the last table optional in all leaves, or puts functions
// around the bodies, or both: E1 stays.
func (p *problem) withFunctions(g *generator) {
	if g.IntN(3) > 0 && len(p.tables) > 1 {
		p.makeOptional(g)
	}
	for i, l := range p.step.Query.Leaves {
		if i == 0 || g.IntN(2) > 0 {
			continue
		}
		agg, ok := l.Expr.(*einsum.Agg)
		if !ok {
			p.step.Query.Leaves[i].Expr = g.function(l.Expr, true)
			continue
		}
		p.step.Query.Leaves[i].Expr = &einsum.Agg{Op: agg.Op, Idxs: agg.Idxs, Arg: g.function(agg.Arg, agg.Op != semiring.Add)}
	}
}

// makeOptional puts every access to the last table into an if0 that is present
// where the first table is, or everywhere.
func (p *problem) makeOptional(g *generator) {
	first, last := p.tables[0], p.tables[len(p.tables)-1]
	other := []einsum.Expr{einsum.Int(2), einsum.Int(0), einsum.Float(1.5), access(first, 0), access(first, 2)}[g.IntN(5)]
	for i, l := range p.step.Query.Leaves {
		p.step.Query.Leaves[i].Expr = einsum.Rewrite(l.Expr, func(e einsum.Expr) einsum.Expr {
			if a, ok := e.(*einsum.Access); ok && a.Tensor == last.name {
				return &einsum.Map{Op: semiring.If0, Args: []einsum.Expr{a, other}}
			}
			return e
		})
	}
}

// function applies a function whose values add up exactly, or any.
func (g *generator) function(x einsum.Expr, any bool) einsum.Expr {
	of := func(op semiring.Op, x einsum.Expr) einsum.Expr { return &einsum.Map{Op: op, Args: []einsum.Expr{x}} }
	abs := of(semiring.Abs, x)
	all := []einsum.Expr{
		abs, of(semiring.Relu, x), of(semiring.Exp, x), of(semiring.Sigmoid, x), of(semiring.Sqrt, abs),
		of(semiring.Ln, &einsum.Map{Op: semiring.Plus, Args: []einsum.Expr{abs, einsum.Float(0.5)}}),
	}
	two := func(op semiring.Op, y einsum.Expr) einsum.Expr { return &einsum.Map{Op: op, Args: []einsum.Expr{x, y}} }
	tests := []semiring.Op{semiring.Less, semiring.AtMost, semiring.Equal, semiring.Differ}
	test := two(tests[g.IntN(len(tests))], einsum.Int(int64(g.IntN(4))))
	chosen := &einsum.Map{Op: semiring.Select, Args: []einsum.Expr{test, x, einsum.Int(3)}}
	switch {
	case !any && g.IntN(3) == 0:
		return test
	case g.IntN(3) == 0:
		return chosen
	case any && g.IntN(4) == 0:
		return two([]semiring.Op{semiring.Div, semiring.Power}[g.IntN(2)], einsum.Float(2))
	case any:
		return all[g.IntN(len(all))]
	}
	return all[g.IntN(2)]
}

func functionMeaning(op semiring.Op, args []cell) cell {
	x := args[0]
	if op == semiring.If0 {
		switch {
		case !args[1].present:
			return cell{}
		case x.present && (x.identity || x.v != 0):
			return x
		}
		return args[1]
	}
	if op == semiring.Select {
		for _, a := range args {
			if !a.present || a.identity {
				return a
			}
		}
		if x.v != 0 {
			return args[1]
		}
		return args[2]
	}
	if op.IsPair() {
		x.v = op.OfFloats(x.v, args[1].v)
		return x
	}
	x.v = map[semiring.Op]func(float64) float64{
		semiring.Abs: math.Abs, semiring.Exp: semiring.Exp.Of, semiring.Sqrt: math.Sqrt, semiring.Ln: math.Log,
		semiring.Relu:    func(v float64) float64 { return max(v, 0) },
		semiring.Sigmoid: func(v float64) float64 { return 1 / (1 + semiring.Exp.Of(-v)) },
	}[op](x.v)
	return x
}

// A function outside its domain stops the step, unless a guard masks the cell;
// an integer argument is exact before it is rounded.
func TestFunctionDomains(t *testing.T) {
	for _, c := range []struct {
		op   semiring.Op
		of   int64
		mask bool
		fail bool
	}{
		{semiring.Sqrt, 4, false, false},
		{semiring.Sqrt, -4, false, true},
		{semiring.Sqrt, -4, true, false},
		{semiring.Ln, 0, false, true},
		{semiring.Ln, 0, true, false},
		{semiring.Exp, -1000, false, false},
	} {
		g := &generator{Rand: rand.New(rand.NewPCG(1, 2)), floats: []float64{1}, maxDim: 3, rows: 3, maxIdx: 1}
		p := g.problem(t)
		for len(p.tables[0].coords) == 0 || len(p.tables) > 1 || len(p.indices) != 1 || len(p.tables[0].args) != 1 {
			p = g.problem(t)
		}
		arg := einsum.Expr(einsum.Int(c.of))
		if c.mask {
			arg = einsum.Guarded(arg, einsum.Int(0))
		}
		n := access(p.tables[0], 0)
		value := &einsum.Map{Op: semiring.Plus, Args: []einsum.Expr{&einsum.Map{Op: c.op, Args: []einsum.Expr{arg}}, n}}
		p.step.Query.Leaves = []einsum.Leaf{
			{Name: "n", Expr: &einsum.Agg{Op: semiring.Add, Idxs: p.indices, Arg: n}},
			{Name: "f", Expr: &einsum.Agg{Op: semiring.Add, Idxs: p.indices, Arg: value}},
		}
		p.step.Query.Idxs = nil
		p.step.Output.Order, p.step.Output.Formats, p.step.Output.Prefix = nil, nil, 0
		_, _, err := RunStep(context.Background(), p.step, p.in, Options{})
		if errors.Is(err, ErrDomain) != c.fail || !c.fail && err != nil {
			t.Errorf("%s(%d), masked %t: %v", c.op, c.of, c.mask, err)
		}
	}
}
