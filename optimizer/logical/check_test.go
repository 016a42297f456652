package logical_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/optimizer/logical"
)

// TestCheckFinds gives Check plans that break one rule each.
func TestCheckFinds(t *testing.T) {
	const inputs = "tensor A(0,0) { n pattern, x i64 }\ntensor B(1) { n pattern }\n"
	i, k := einsum.Index{Name: "i"}, einsum.Index{Name: "k"}
	for _, c := range []struct {
		steps  string
		want   string
		damage func(p *logical.Plan)
	}{
		{"", "no steps", nil},
		{"R(i) = n: sum(j) A.n(i,j)", "taken", func(p *logical.Plan) { p.Steps = append(p.Steps, p.Steps[0]) }},
		{"R(i) = n: sum(j) A.n(i,j) | x: sum(j) A.x(i,j)", "reduces other", func(p *logical.Plan) {
			p.Steps[0].Query.Leaves[1].Expr = einsum.A("A", "x", einsum.Ixs(i, i)...)
		}},
		{"R(i) = n: sum(j) A.n(i,j)", "nested", func(p *logical.Plan) {
			p.Steps[0].Query.Leaves[0].Expr.(*einsum.Agg).Arg = einsum.Sum([]einsum.Index{k}, einsum.A("A", "n", einsum.Ixs(i, k)...))
		}},
		{"R(i) = n: sum(j) A.n(i,j)", "no earlier step", func(p *logical.Plan) {
			p.Steps[0].Query.Leaves[0].Expr = einsum.A("C", "n", einsum.Ixs(i)...)
		}},
		{"R(i) = n: sum(j) A.n(i,j)", "modes expected", func(p *logical.Plan) {
			p.Steps[0].Query.Leaves[0].Expr = einsum.A("A", "n", einsum.Ixs(i)...)
		}},
		{"R(i) = n: sum(j) A.n(i,j)", "no such leaf", func(p *logical.Plan) {
			p.Steps[0].Query.Leaves[0].Expr = einsum.A("A", "y", einsum.Ixs(i, i)...)
		}},
		{"R(i) = n: sum(j) A.n(i,j)", "has domain 1", func(p *logical.Plan) {
			p.Steps[0].Query.Leaves[0].Expr = einsum.A("B", "n", einsum.Ixs(i)...)
		}},
		{"R(i) = n: sum(j) A.n(i,j)", "neither free nor reduced", func(p *logical.Plan) {
			p.Steps[0].Query.Leaves[0].Expr = einsum.A("A", "n", einsum.Ixs(i, k)...)
		}},
		{"R(i) = n: sum(j) A.n(i,j)", "indices of", func(p *logical.Plan) {
			p.Steps[0].Query.Leaves[0].Expr.(*einsum.Agg).Idxs = []einsum.Index{{Name: "j"}, k}
		}},
		{"R(i) = n: sum(j) A.n(i,j)", "free and reduced", func(p *logical.Plan) {
			p.Steps[0].Query.Leaves[0].Expr.(*einsum.Agg).Idxs = []einsum.Index{i}
		}},
		{"R(i) = n: sum(j) A.n(i,j) | m: min(j) guard(A.x(i,j), A.n(i,j))", "guard outside", func(p *logical.Plan) {
			q := p.Steps[0].Query
			q.Idxs = append(slices.Clone(q.Idxs), einsum.Index{Name: "j"})
			for l := range q.Leaves {
				q.Leaves[l].Expr = q.Leaves[l].Expr.(*einsum.Agg).Arg
			}
		}},
		{"R(i) = n: sum(j) A.n(i,j) | x: sum(j) A.x(i,j)", "two leaves", func(p *logical.Plan) {
			p.Steps[0].Query.Leaves[1].Name = "n"
		}},
	} {
		p, err := logical.Parse(inputs + c.steps)
		if err != nil {
			t.Fatalf("%s: %v", c.steps, err)
		}
		if c.damage != nil {
			if err := p.Check(); err != nil {
				t.Fatalf("%s: %v", c.steps, err)
			}
			c.damage(p)
		}
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: want an error with %q, got %v", c.steps, c.want, err)
		}
	}
}

// TestLines: a line end inside quotes does not end a line, and what looks like
// a comment there is none.
func TestLines(t *testing.T) {
	got := logical.Lines("a\nb 'x\n-- y' c\n\"d\ne\"")
	want := []string{"a", "b 'x\n-- y' c", "\"d\ne\""}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	p, err := logical.Parse("tensor A(0) { n pattern }\n-- ~1 cells\nR() = n: A.n('x\n-- y''')\n")
	if err != nil {
		t.Fatal(err)
	}
	again, err := logical.Parse(p.String())
	if err != nil || !again.Program().Equal(p.Program()) {
		t.Errorf("%v\n%s", err, p)
	}
}
