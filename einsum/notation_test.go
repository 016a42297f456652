package einsum

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// syntaxGen makes programs that are legal as text; they need not mean anything.
type syntaxGen struct {
	r       *rand.Rand
	tensors []*Input // also stands for queries
	idxs    []Index
}

var oddNames = []string{"E", "tensor", "NULL", "NaN", "Inf", "min", "sum", "a b", `q"q`, "", "é", "1x", "_", "n.m"}

var aggregates = []semiring.Op{semiring.Add, semiring.Min, semiring.Max, semiring.Or, semiring.And}

func (g *syntaxGen) pick(n int) int { return g.r.IntN(n) }

func (g *syntaxGen) program() *Program {
	p := &Program{}
	for i := range 1 + g.pick(4) {
		in := &Input{Name: oddNames[g.pick(len(oddNames))] + fmt.Sprint(i), Leaves: g.leafDecls()}
		if i == 0 {
			in.Name = "tensor"
		}
		for range g.pick(4) {
			in.Domains = append(in.Domains, g.pick(3))
		}
		for range g.pick(3) {
			in.Keys = append(in.Keys, [][]int{nil, {0}, {1, 2}}[g.pick(3)])
		}
		p.Inputs, g.tensors = append(p.Inputs, in), append(g.tensors, in)
	}
	for i := range g.pick(4) {
		p.Queries = append(p.Queries, g.query(fmt.Sprintf("%s %d", oddNames[g.pick(len(oddNames))], i)))
	}
	return p
}

func (g *syntaxGen) leafDecls() []LeafDecl {
	out := []LeafDecl{{Name: "n", Elem: semiring.Elem(g.pick(4)), NonNegative: g.pick(2) == 0}}
	for i := range g.pick(3) {
		out = append(out, LeafDecl{Name: fmt.Sprintf("%s%d", oddNames[g.pick(len(oddNames))], i), Elem: semiring.Elem(g.pick(4))})
	}
	return out
}

func (g *syntaxGen) query(name string) *Query {
	g.idxs = nil
	for i := range 6 {
		g.idxs = append(g.idxs, Index{Name: fmt.Sprintf("%s%d", oddNames[g.pick(len(oddNames))], i), Domain: i % 3})
	}
	q := &Query{Name: name, Leaves: []Leaf{{Name: "n", Expr: g.expr(4)}}}
	for i := range g.pick(3) {
		q.Leaves = append(q.Leaves, Leaf{Name: fmt.Sprint("l", i), Expr: g.expr(3)})
	}
	q.Leaves = append(q.Leaves, Leaf{Name: "all"}) // seal fills it
	q.Idxs = g.idxs[:g.pick(7)]
	domains := []int{}
	for _, x := range q.Idxs {
		domains = append(domains, x.Domain)
	}
	g.tensors = append(g.tensors, &Input{Name: q.Name, Domains: domains, Leaves: []LeafDecl{{Name: "n"}}})
	return q
}

func (g *syntaxGen) expr(depth int) Expr {
	if depth == 0 || g.pick(6) == 0 {
		return g.leafExpr()
	}
	args := func(n int) []Expr {
		out := make([]Expr, n)
		for i := range out {
			out[i] = g.expr(depth - 1)
		}
		return out
	}
	switch g.pick(10) {
	case 0, 1:
		return &Map{Op: semiring.Add, Args: args(2 + g.pick(2))}
	case 2, 3:
		return &Map{Op: semiring.Mul, Args: args(2 + g.pick(2))}
	case 4:
		return &Map{Op: semiring.Sub, Args: args(2)}
	case 5:
		ops := []semiring.Op{semiring.Neg, semiring.Sqrt, semiring.Exp, semiring.Ln, semiring.Abs, semiring.Sigmoid, semiring.Relu}
		return &Map{Op: ops[g.pick(len(ops))], Args: args(1)}
	case 6, 7:
		ops := []semiring.Op{semiring.Min, semiring.Max, semiring.Or, semiring.And, semiring.Plus, semiring.Guard, semiring.If0}
		return &Map{Op: ops[g.pick(len(ops))], Args: args(1 + g.pick(3))}
	default:
		a := &Agg{Op: aggregates[g.pick(len(aggregates))], Arg: g.expr(depth - 1)}
		for i := range g.pick(3) {
			a.Idxs = append(a.Idxs, g.idxs[i])
		}
		return a
	}
}

func (g *syntaxGen) leafExpr() Expr {
	switch g.pick(5) {
	case 0:
		f := []float64{0, math.Copysign(0, -1), 1, -2.5, 1e3, 1e300, -5e-324, math.NaN(), math.Inf(1), math.Inf(-1), g.r.NormFloat64()}
		return Float(f[g.pick(len(f))])
	case 1:
		v := []int64{0, 1, -1, math.MaxInt64, math.MinInt64, 42}
		x := v[g.pick(len(v))]
		if g.pick(2) == 0 {
			return Wide(semiring.Int128{Hi: x, Lo: g.r.Uint64()})
		}
		return Int(x)
	case 2:
		op := semiring.Eq + semiring.Op(g.pick(6))
		k := g.pick(3)
		return &Compare{Op: op, L: g.idxs[k], R: g.idxs[k+3]}
	default:
		t := g.tensors[g.pick(len(g.tensors))]
		a := &Access{Tensor: t.Name, Leaf: t.Leaves[g.pick(len(t.Leaves))].Name}
		for _, d := range t.Domains {
			a.Args = append(a.Args, g.arg(d))
		}
		return a
	}
}

func (g *syntaxGen) arg(domain int) Arg {
	consts := []Arg{Number("85"), Number("-1.50"), Number("1e-3"), Text("a'b"), Text(""), Text("x\ny"), Null(), Param(1 + g.pick(3))}
	if g.pick(4) == 0 {
		return consts[g.pick(len(consts))]
	}
	return Ix(g.idxs[domain+3*g.pick(2)])
}

// seal declares a tensor that mentions every index of every query, so that
// all indices have a domain.
func seal(p *Program) {
	for i, q := range p.Queries {
		seen := map[string]Index{}
		for _, x := range q.Idxs {
			seen[x.Name] = x
		}
		for _, l := range q.Leaves[:len(q.Leaves)-1] {
			for _, x := range Indices(l.Expr) {
				seen[x.Name] = x
			}
		}
		in := &Input{Name: fmt.Sprint("seal ", i), Leaves: []LeafDecl{{Name: "n"}}}
		a := A(in.Name, "n")
		for _, x := range seen {
			in.Domains = append(in.Domains, x.Domain)
			a.Args = append(a.Args, Ix(x))
		}
		q.Leaves[len(q.Leaves)-1].Expr = a
		p.Inputs = append(p.Inputs, in)
	}
}

func TestParsePrintRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		p := (&syntaxGen{r: r}).program()
		seal(p)
		text := p.String()
		got, err := Parse(text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if !got.Equal(p) {
			t.Fatalf("the parsed program differs:\n%s\nprinted again:\n%s", text, got)
		}
		if again := got.String(); again != text {
			t.Fatalf("printed differently:\n%s\n%s", text, again)
		}
	}
}

func TestNotation(t *testing.T) {
	const text = `tensor E(0,0) { n pattern }
tensor D(0,1) { n i64, s_x f64 >=0, c_x i64 } key(1) key(0,1)
tensor K() { n pattern } key()
tensor G(0,0) { n pattern } key(0,1) symmetric hollow
tensor J(0,0) { n pattern } hollow
tensor H(0,0) { n pattern } symmetric
symmetric() = n: sum(i,j) G.n(i,j)
key() = n: K.n()
T1(i,k) = n: sum(j) E.n(i,j) * E.n(j,k)
R(i) = n: sum(j,k) T1.n(i,k) * D.n(k,j)
     | s_x: sum(j,k) T1.n(i,k) * D.s_x(k,j)
     | m: min(j,k) guard(D.s_x(k,j), T1.n(i,k), (i < k))
S() = n: (sum(i) R.n(i)) - (E.n(85,'a''b') + E.n($1,NULL)) - 3 * -2h
`
	p, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if p.String() != text {
		t.Errorf("printed:\n%s", p)
	}
	want := &Query{Name: "T1", Idxs: []Index{{"i", 0}, {"k", 0}}, Leaves: []Leaf{{"n", &Agg{
		Op: semiring.Add, Idxs: []Index{{"j", 0}},
		Arg: &Map{Op: semiring.Mul, Args: []Expr{
			A("E", "n", Ix(Index{"i", 0}), Ix(Index{"j", 0})), A("E", "n", Ix(Index{"j", 0}), Ix(Index{"k", 0})),
		}},
	}}}}
	if !p.Queries[2].Equal(want) {
		t.Errorf("T1 is %s", p.Queries[2])
	}
	for _, other := range []string{
		strings.Replace(text, " >=0", "", 1), strings.Replace(text, " key(1)", "", 1), strings.Replace(text, "key(0,1)", "key(0)", 1),
		strings.Replace(text, "symmetric hollow", "symmetric", 1), strings.Replace(text, "symmetric hollow", "hollow", 1),
	} {
		if o, err := Parse(other); err != nil || o.Equal(p) {
			t.Errorf("%v: programs of other facts are equal", err)
		}
	}
	if j := p.Queries[3].Leaves[0].Expr.(*Agg).Idxs[0]; j != (Index{"j", 1}) {
		t.Errorf("j of R is %v", j)
	}
}

// The text reads as the tree says: operands group to the left, one + is one map.
func TestGrouping(t *testing.T) {
	for _, c := range []struct{ text, shape string }{
		{"a + b + c", "+[a b c]"},
		{"a - b - c", "-[-[a b] c]"},
		{"a - b + c + d", "+[-[a b] c d]"},
		{"(a + b) + c", "+[+[a b] c]"},
		{"a + b - c + d", "+[-[+[a b] c] d]"},
		{"a * b + c * a", "+[*[a b] *[c a]]"},
		{"a * (b * c) * d", "*[a *[b c] d]"},
		{"a - (b - c)", "-[a -[b c]]"},
		{"sum(i) a + b", "sum(i)[+[a b]]"},
		{"min(min(i) a, b)", "min[min(i)[a] b]"},
	} {
		text := c.text
		for _, v := range []string{"a", "b", "c", "d"} {
			text = strings.ReplaceAll(" "+text, " "+v, " X."+v+"(i)")
			text = strings.ReplaceAll(text, "("+v, "(X."+v+"(i)")
		}
		p, err := Parse("tensor X(0) { n i64 }\nR(i) = n: " + text)
		if err != nil {
			t.Fatal(err)
		}
		if got := shape(p.Queries[0].Leaves[0].Expr); got != c.shape {
			t.Errorf("%s: %s, want %s", c.text, got, c.shape)
		}
	}
}

func shape(e Expr) string {
	switch e := e.(type) {
	case *Access:
		return e.Leaf
	case *Agg:
		return e.Op.Info().AggName + "(" + e.Idxs[0].Name + ")[" + shape(e.Arg) + "]"
	case *Map:
		var args []string
		for _, a := range e.Args {
			args = append(args, shape(a))
		}
		return e.Op.String() + "[" + strings.Join(args, " ") + "]"
	default:
		return "?"
	}
}

func TestParseErrors(t *testing.T) {
	const decl = "tensor E(0,1) { n pattern }\n"
	for _, c := range []struct{ text, message string }{
		{"R(i) = n: E.n(i,j", `line 2, column 18: expected ",", found the end`},
		{"R(i) = n: F.n(i)", "line 2, column 11: tensor F is not defined here"},
		{"R(i) = n: R.n(i)", "line 2, column 11: tensor R is not defined here"},
		{"R(i) = n: E.n(i)", "line 2, column 11: tensor E has 2 modes"},
		{"R(i) = n: E.n(i,2,3)", "line 2, column 11: tensor E has 2 modes"},
		{"R(i) = n: E.n(i,i)", "line 2, column 17: index i ranges over domain 0 and domain 1"},
		{"R(k) = n: E.n(1,2)", "line 2, column 3: the index occurs in no access of query R"},
		{"R(i) = n: 2 * sum(j) E.n(i,j)", "line 2, column 15: sum over indices is an operand: put it in parentheses"},
		{"R(i) = n: foo(E.n(i,j), 1)", "line 2, column 11: there is no operator foo"},
		{"R(i) = n: foo(j) E.n(i,j)", `line 2, column 11: expected an aggregate (sum, min, max, or, and), found "foo"`},
		{"R(i) = n: 9223372036854775808", "line 2, column 11: number 9223372036854775808 is out of range"},
		{"R(i) = n: 1e999", "line 2, column 11: number 1e999 is out of range"},
		{"R(i) = n: 1.5h", "line 2, column 11: bad number 1.5h"},
		{"R(i) = n: 12ab", `line 2, column 11: bad number "12ab"`},
		{"R(i) = n: E.n(3h,1)", "line 2, column 15: a constant has no element type"},
		{"R(i) = n: E.n($0,1)", "line 2, column 15: bad parameter number $0"},
		{"R(i) = n: E.n('a,1)", "line 2, column 15: string without closing quote"},
		{"R(i) = n: E.n(i,j) ;", "line 2, column 20: unexpected character ';'"},
		{"R(i) = n: ", "line 2, column 11: expected an expression, found the end"},
		{"E(i) = n: E.n(i,j)", "line 2, column 1: tensor E is defined twice"},
		{"tensor E(0) { n i64 }", "line 2, column 8: tensor E is defined twice"},
		{"tensor F(x) { n i64 }", `line 2, column 10: expected the number of a domain, found "x"`},
		{"tensor F(0) { n int }", `line 2, column 17: expected an element type (pattern, i64, i128, f64), found "int"`},
		{"tensor F(0) { n i64 >=1 }", `line 2, column 23: expected 0, found "1"`},
		{"tensor F(0) { n i64 } key(0,x)", `line 2, column 29: expected the number of a mode, found "x"`},
		{"R() = n: " + strings.Repeat("(", 2000), "nested more than 1000 deep"},
	} {
		_, err := Parse(decl + c.text)
		var e *sqlerr.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: error %v", c.text, err)
			continue
		}
		if !strings.Contains(e.Message, c.message) || e.Code != sqlerr.SyntaxError || e.Offset < len(decl) {
			t.Errorf("%s: %s %q at %d, want %q", c.text, e.Code, e.Message, e.Offset, c.message)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("tensor E(0,0) { n pattern }\nR(i) = n: sum(j) E.n(i,j) * (1 + 2.5e3)\n     | m: min(j) guard(E.n(i,j), (i < j))\n")
	f.Add("tensor \"a\"\"b\"() { n i128 }\nR() = n: \"a\"\"b\".n() - -3h + min(NaN, -Inf)")
	f.Add("tensor V(1) { n i64 } R() = n: V.n('x''y') + V.n($2) + V.n(NULL) + V.n(-1.5)")
	f.Add("tensor L(0,0) { n pattern } symmetric hollow\nhollow() = n: sum(i,j) L.n(i,j)")
	f.Add("tensor L(0,1) { n pattern, x f64 >=0 } key(0) key()\nR(i) = n: sum(j) L.n(i,j) * if0(L.x(i,j), relu(L.n(i,j)))")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(p.String())
		if err != nil || !again.Equal(p) {
			t.Fatalf("%v\n%s\n%s", err, p, again)
		}
	})
}
