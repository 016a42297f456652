package physical_test

import (
	"strings"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/optimizer/physical"
)

const planText = `tensor E(0,0) { n pattern }
tensor V(1,0) { n pattern }
tensor W(0) { n pattern, v f64 }
T1(c,a) = n: sum(b) E.n(a,b) * E.n(b,c) * (a < c)
  loops: a ~100, b ~1e+03, c ~1e+04 where (a < c)
  read E(a,b): 0 dense walk, 1 sparse walk
  read E(b,c): 0 dense lookup, 1 sparse walk
  store (a,c): dense, bytemap; prefix 1; workspace dense; i64
  estimate: ~1e+04 cells, ~2.5e+03 entries
R(a) = n: sum(c) T1.n(c,a) * V.n('x:y',c)
     | m: min(c) guard(T1.n(c,a), T1.n(c,a), V.n('x:y',c))
  loops: a ~50, c ~500
  read T1(c,a): 1 dense walk, 0 bytemap walk
  read V('x:y',c): 0 hash const, 1 sparse lookup
  store (a): bytemap; prefix 1; workspace none; i64, i64
  estimate: ~500 cells, ~50 entries
S(c) = n: or(b) and(W.n(b), W.n(c))
     | v: sum(b) W.v(b) * W.v(c)
  loops: b ~10, c ~100
  read W(b): 0 sparse walk
  read W(c): 0 sparse walk
  store (c): bytemap; prefix 0; workspace dense; flat; pattern, f64
  estimate: ~100 cells, ~10 entries
`

func parse(t *testing.T) *physical.Plan {
	t.Helper()
	p, err := physical.Parse(planText)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestParsePrints(t *testing.T) {
	p := parse(t)
	if got := p.String(); got != planText {
		t.Errorf("printed:\n%s", got)
	}
	if err := p.Check(); err != nil {
		t.Error(err)
	}
}

// TestCheckFinds breaks a legal plan in one place at a time.
func TestCheckFinds(t *testing.T) {
	x := func(name string) einsum.Index { return einsum.Index{Name: name} }
	for _, c := range []struct {
		want   string
		damage func(p *physical.Plan)
	}{
		{"P1", func(p *physical.Plan) { p.Steps[0].Loops = p.Steps[0].Loops[:2] }},
		{"P9", func(p *physical.Plan) { p.Steps[0].Output.Flat = true }},
		{"P9", func(p *physical.Plan) { p.Steps[1].Output.Flat = true }},
		{"P1", func(p *physical.Plan) { p.Steps[0].Loops[1].Index = x("a") }},
		{"P2", func(p *physical.Plan) {
			l := p.Steps[0].Loops
			l[0], l[1] = l[1], l[0]
		}},
		{"P3", func(p *physical.Plan) { p.Steps[0].Operands[1].Protocols[1] = format.Lookup }},
		{"P4", func(p *physical.Plan) { p.Steps[0].Output.Order = []einsum.Index{x("a"), x("b")} }},
		{"P4", func(p *physical.Plan) { p.Steps[0].Output.Workspace = format.None }},
		{"P4", func(p *physical.Plan) { p.Steps[1].Output.Workspace = format.DenseWorkspace }},
		{"P4", func(p *physical.Plan) { p.Steps[0].Output.Workspace = format.SortWorkspace }},
		{"P4", func(p *physical.Plan) { p.Steps[0].Output.Prefix = 2 }},
		{"P4", func(p *physical.Plan) { p.Steps[1].Output.Elems = nil }},
		{"P4", func(p *physical.Plan) { p.Steps[1].Output.Formats[0] = format.Dense }},
		{"P5", func(p *physical.Plan) {
			o := &p.Steps[1].Operands[0]
			o.Formats = []format.Kind{format.SparseList, format.SparseList}
		}},
		{"P5", func(p *physical.Plan) {
			p.Steps[0].Output.Order = []einsum.Index{x("c"), x("a")}
			p.Steps[0].Output.Prefix = 0
			p.Steps[0].Output.Workspace = format.HashWorkspace
		}},
		{"comparison", func(p *physical.Plan) { p.Steps[0].Loops[2].Masks = nil }},
		{"comparison", func(p *physical.Plan) {
			l := p.Steps[0].Loops
			l[1].Masks, l[2].Masks = l[2].Masks, nil
		}},
		{"constant", func(p *physical.Plan) { p.Steps[1].Operands[1].Order = []int{1, 0} }},
		{"operands", func(p *physical.Plan) { p.Steps[1].Operands = p.Steps[1].Operands[:1] }},
		{"operand 0", func(p *physical.Plan) { p.Steps[1].Operands[0].Tensor = "E" }},
		{"earlier step", func(p *physical.Plan) { p.Steps[0], p.Steps[1] = p.Steps[1], p.Steps[0] }},
	} {
		p := parse(t)
		c.damage(p)
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("want an error with %q, got %v", c.want, err)
		}
	}
}

// lockstepText is a plan with two steps in lockstep with a third.
const lockstepText = `tensor A(0,1) { n pattern, x f64 }
tensor B(0) { n pattern, x f64, k i64 }
S(i) = n: or(j) A.n(i,j)
     | a: sum(j) A.x(i,j)
  loops: i ~10, j ~100
  read A(i,j): 0 dense walk, 1 sparse walk
  store (i): bytemap; prefix 1; workspace none; lockstep; pattern, f64
  estimate: ~100 cells, ~10 entries
T(i) = n: B.n(i)
     | a: B.x(i) * 2.0
  loops: i ~10
  read B(i): 0 dense walk
  store (i): bytemap; prefix 1; workspace none; lockstep; pattern, f64
  estimate: ~10 cells, ~10 entries
R(i) = n: or(S.n(i), T.n(i))
     | a: S.a(i) + T.a(i)
  loops: i ~10
  read S(i): 0 bytemap walk
  read T(i): 0 bytemap walk
  store (i): bytemap; prefix 1; workspace none; pattern, f64
  estimate: ~10 cells, ~10 entries
`

// TestCheckLockstep breaks P10 in one place at a time.
func TestCheckLockstep(t *testing.T) {
	for _, damage := range [][2]string{
		{"", ""},
		{"  read B(i): 0 dense walk\n  store (i): bytemap; prefix 1; workspace none; lockstep;", "  read B(i): 0 dense walk\n  store (i): bytemap; prefix 1; workspace none;"},
		{"a: B.x(i) * 2.0", "a: sqrt(B.x(i))"},
		{
			"a: B.x(i) * 2.0\n  loops: i ~10\n  read B(i): 0 dense walk\n  store (i): bytemap; prefix 1; workspace none; lockstep; pattern, f64",
			"a: B.k(i) * 2\n  loops: i ~10\n  read B(i): 0 dense walk\n  store (i): bytemap; prefix 1; workspace none; lockstep; pattern, i64",
		},
		{"prefix 1; workspace none; lockstep; pattern, f64\n  estimate: ~100", "prefix 0; workspace dense; lockstep; pattern, f64\n  estimate: ~100"},
		{
			"a: S.a(i) + T.a(i)\n  loops: i ~10\n  read S(i): 0 bytemap walk\n  read T(i): 0 bytemap walk",
			"a: S.a(i) + T.a(i) * B.x(i)\n  loops: i ~10\n  read S(i): 0 bytemap walk\n  read T(i): 0 bytemap walk\n  read B(i): 0 dense lookup",
		},
		{"workspace none; pattern, f64\n", "workspace none; lockstep; pattern, f64\n"},
	} {
		p, err := physical.Parse(strings.Replace(lockstepText, damage[0], damage[1], 1))
		if err != nil {
			t.Fatalf("%q: %v", damage[1], err)
		}
		err = p.Check()
		switch {
		case damage[0] == "" && err != nil:
			t.Error(err)
		case damage[0] == "" && p.String() != lockstepText:
			t.Errorf("printed:\n%s", p)
		case damage[0] != "" && (err == nil || !strings.Contains(err.Error(), "P10")):
			t.Errorf("%q: error %v", damage[1], err)
		}
	}
}

// TestParseErrors: damaged text is refused, whatever is wrong with it.
func TestParseErrors(t *testing.T) {
	for _, c := range [][2]string{
		{"sum(b)", "sum(b"},
		{"~100,", "100,"},
		{"~100,", "~x,"},
		{"b ~1e+03", "d ~1e+03"},
		{" where (a < c)", ""},
		{"0 dense walk", "0 thick walk"},
		{"0 dense walk", "2 dense walk"},
		{"0 dense walk", "0 dense run"},
		{"hash const", "hash walk"},
		{"read E(b,c)", "read E(c,b)"},
		{"prefix 1", "prefix one"},
		{"workspace dense", "workspace big"},
		{"; i64\n", "; i65\n"},
		{" entries", ""},
		{"  estimate: ~500 cells, ~50 entries\n", ""},
		{"  loops: a ~50, c ~500\n", ""},
		{"(a): bytemap", "(c): bytemap"},
	} {
		text := strings.Replace(planText, c[0], c[1], 1)
		if text == planText {
			t.Fatalf("%q does not occur", c[0])
		}
		if _, err := physical.Parse(text); err == nil {
			t.Errorf("%q for %q was accepted", c[1], c[0])
		}
	}
	if _, err := physical.Parse(planText + "  loops: a ~1\n"); err == nil {
		t.Error("a line too many was accepted")
	}
}
