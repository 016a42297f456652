package einsum

import (
	"strings"
	"testing"

	"github.com/trireme-db/trireme/einsum/semiring"
)

const checkDecl = "tensor E(0,0) { n pattern }\ntensor D(0,1) { n i64, x f64 }\n"

func mustParse(t *testing.T, text string) *Program {
	t.Helper()
	p, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCheckAccepts(t *testing.T) {
	for _, text := range []string{
		"R() = n: sum(i,j) E.n(i,j)",
		"R(i) = n: sum(j) E.n(i,j) * (D.n(j,1) + E.n(j,i)) | m: min(j) guard(E.n(i,j), E.n(j,i), (i < j))",
		"T(i) = n: sum(j) E.n(i,j)\nR() = n: max(i) T.n(i) | b: sum(i) min(j) plus(T.n(i), T.n(j))",
		"R(a,b) = n: E.n(a,b) | s: sum(k) E.n(a,b) * D.x(a,k) | t: sum(k) E.n(a,b) * D.x(b,k)",
		"R() = n: sum() guard(D.x(1,2), D.n(1,2))",
		"R() = n: sum(i) neg(D.x(i,NULL)) * (2 + 3.5)",
	} {
		if err := mustParse(t, checkDecl+text).Check(); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestCheckRejects(t *testing.T) {
	for _, c := range []struct{ text, message string }{
		{"", "no query"},
		{"R() = x: sum(i,j) E.n(i,j)", "query R: leaf 0 is not n"},
		{"R() = n: sum(i,j) E.n(i,j) | n: 1", "defined twice"},
		{"R(i,i) = n: E.n(i,i)", "stands twice"},
		{"R() = n: sum(i) E.n(i,j)", "index j is neither bound"},
		{"R(i) = n: sum(j) E.n(j,j) | m: E.n(i,i)", "leaf n: no access restricts index i"},
		{"R() = n: (sum(i) E.n(i,i)) * (sum(i) E.n(i,i))", "bound twice"},
		{"R(i) = n: E.n(i,i) * (sum(i) E.n(i,i))", "bound twice, or bound and free"},
		{"R() = n: (sum(i) E.n(i,i)) * E.n(i,i)", "neither bound here"},
		{"R() = n: sum(i) D.y(i,1)", "no such leaf"},
		{"R(i) = n: guard(E.n(i,i), E.n(i,i))", "guard outside"},
		{"R() = n: sum(i) E.n(1,i) + 2", "no access restricts the aggregated index i"},
		{"R() = n: sum(i,j) E.n(1,i) + E.n(i,j)", "aggregated index j"},
		{"R() = n: sum(i,j) D.n(1,i) * D.n(j,2) * (i = j)", "domains 1 and 0"},
		{"R() = n: min(sum(i) E.n(i,i))", `"min" over 1 arguments`},
		{"R() = n: neg(1,2)", `"neg" over 2 arguments`},
		{"tensor F(0,1) { n i64 } key(2) R() = n: 1", "tensor F: key [2] is not"},
		{"tensor F(0,1) { n i64 } key(0) key(1,0) R() = n: 1", "tensor F: key [1 0] is not"},
		{"tensor F(0,1) { n i64 } key(1,1) R() = n: 1", "tensor F: key [1 1] is not"},
		{"tensor F(0,1) { n i64 } symmetric R() = n: 1", "tensor F: only a tensor of two modes over one domain"},
		{"tensor F(0) { n i64 } hollow R() = n: 1", "tensor F: only a tensor of two modes over one domain"},
	} {
		p, err := Parse(checkDecl + c.text)
		if err == nil {
			err = p.Check()
		}
		if err == nil || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: %v, want %q", c.text, err, c.message)
		}
	}
}

// What the notation cannot say, a tree can.
func TestCheckRejectsTrees(t *testing.T) {
	i, other := Index{"i", 0}, Index{"i", 1}
	e := A("E", "n", Ix(i), Ix(i))
	for name, c := range map[string]struct {
		e       Expr
		message string
	}{
		"unknown tensor":  {A("F", "n", Ix(i)), "no such tensor"},
		"itself":          {A("R", "n", Ix(i)), "no such tensor"},
		"modes":           {A("E", "n", Ix(i)), "has 2 modes"},
		"domain":          {A("E", "n", Ix(i), Ix(other)), "domain"},
		"mode's domain":   {A("D", "n", Ix(i), Ix(i)), "mode 1 has domain 1"},
		"mask as map":     {&Map{Op: semiring.Lt, Args: []Expr{e, e}}, "over 2 arguments"},
		"map as mask":     {Mul(e, &Compare{Op: semiring.Add, L: i, R: i}), "no comparison"},
		"aggregate":       {&Agg{Op: semiring.Mul, Arg: e}, "no aggregate"},
		"wide literal":    {Mul(e, &Literal{Elem: semiring.I64, I: semiring.Int128{Hi: 1}}), "64 bits"},
		"pattern literal": {Mul(e, &Literal{}), "element type"},
		"word constant":   {A("E", "n", Ix(i), Number("abc")), "not a number"},
		"double constant": {A("E", "n", Ix(i), Arg{Const: &Const{Null: true, Param: 1}}), "more than one"},
		"nil":             {Mul(e, nil), "missing"},
	} {
		p := mustParse(t, checkDecl)
		p.Queries = []*Query{{Name: "R", Idxs: []Index{i}, Leaves: []Leaf{{"n", c.e}}}}
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: %v, want %q", name, err, c.message)
		}
	}
}
