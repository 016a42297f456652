package einsum

import (
	"math/rand/v2"
	"testing"

	"github.com/trireme-db/trireme/einsum/semiring"
)

const treeDecl = "tensor E(0,0) { n pattern, w i64, f f64, h i128 }\n"

// parseExpr reads an expression whose free indices are listed.
func parseExpr(t *testing.T, free, text string) Expr {
	t.Helper()
	return mustParse(t, treeDecl+"R("+free+") = n: "+text).Queries[0].Leaves[0].Expr
}

func TestKeyEqual(t *testing.T) {
	for _, same := range [][]string{
		{"sum(j) E.n(i,j) * E.n(j,k)", "sum(x) E.n(i,x) * E.n(x,k)", "sum(j) E.n(j,k) * E.n(i,j)"},
		{ // a 4-cycle from any corner in any order
			"sum(a,b,c,d) E.n(a,b) * E.n(b,c) * E.n(c,d) * E.n(d,a) * E.n(i,k)",
			"sum(d,c,b,a) E.n(c,d) * E.n(a,b) * E.n(i,k) * E.n(d,a) * E.n(b,c)",
			"sum(a,b,c,d) E.n(i,k) * E.n(b,a) * E.n(c,b) * E.n(a,d) * E.n(d,c)",
		},
		{"min(j) guard(E.w(i,j), E.n(j,k), (j < k))", "min(j) guard(E.w(i,j), (k > j), E.n(j,k))"},
		{"sum(a,b) E.n(i,a) * E.n(k,b) * (a <> b)", "sum(a,b) E.n(i,b) * E.n(k,a) * (a <> b)"},
		{ // cycles of two and of four: every index has one edge in and one out
			"sum(a,b,c,d,e,f) E.n(a,b) * E.n(b,a) * E.n(c,d) * E.n(d,e) * E.n(e,f) * E.n(f,c) * E.n(i,k)",
			"sum(f,e,d,c,b,a) E.n(i,k) * E.n(f,e) * E.n(e,f) * E.n(d,c) * E.n(a,d) * E.n(b,a) * E.n(c,b)",
		},
		{"(sum(a) E.n(i,a)) * (sum(b) E.n(b,k))", "(sum(x) E.n(x,k)) * (sum(y) E.n(i,y))"},
	} {
		for _, text := range same[1:] {
			a, b := parseExpr(t, "i,k", same[0]), parseExpr(t, "i,k", text)
			if Key(a) != Key(b) {
				t.Errorf("%s\n%q\n%s\n%q", a, Key(a), b, Key(b))
			}
		}
	}
}

func TestKeyDiffers(t *testing.T) {
	texts := []string{
		"sum(j) E.n(i,j) * E.n(j,k)", "sum(j) E.n(k,j) * E.n(j,i)", "sum(j) E.w(i,j) * E.n(j,k)", "max(j) E.n(i,j) * E.n(j,k)",
		"sum(a,b) E.n(i,a) * E.n(k,b) * (a < b)", "sum(a,b) E.n(i,b) * E.n(k,a) * (a < b)",
		"sum(j) E.n(i,j) - E.n(j,k)", "sum(j) E.n(j,k) - E.n(i,j)", "sum(j) E.n(i,j) * E.n(j,k) * E.n(1,2)",
		"sum(j) E.n(i,j) * E.n(j,k) * E.n('1',2)", "sum(j) E.n(i,j) * E.n(j,k) * 1", "sum(j) E.n(i,j) * E.n(j,k) * 1.0",
		"(sum(a) E.n(i,a)) * (sum(b) E.n(b,k))", "sum(a,b) E.n(i,a) * E.n(b,k)",
		"min(j) guard(E.n(i,j), E.n(j,k))", "min(j) guard(E.n(j,k), E.n(i,j))",
	}
	seen := map[string]string{}
	for _, text := range texts {
		k := Key(parseExpr(t, "i,k", text))
		if seen[k] != "" {
			t.Errorf("%s and %s have one key", text, seen[k])
		}
		seen[k] = text
	}
}

// Whatever the order of arguments and the names, a random graph pattern has
// one key; and it means the same as itself (same shape after parsing).
func TestKeyOfShuffledPatterns(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		n, m := 2+r.IntN(5), 1+r.IntN(7)
		type edge struct{ a, b int }
		edges := make([]edge, m)
		for i := range edges {
			edges[i] = edge{r.IntN(n), r.IntN(n)}
		}
		build := func() Expr {
			names := r.Perm(n)
			var args []Expr
			var over []Index
			used := map[int]bool{}
			for _, at := range r.Perm(m) {
				e := edges[at]
				x, y := Index{string(rune('a' + names[e.a])), 0}, Index{string(rune('a' + names[e.b])), 0}
				args = append(args, A("E", "n", Ix(x), Ix(y)))
				for _, v := range []struct {
					at  int
					idx Index
				}{{e.a, x}, {e.b, y}} {
					if !used[v.at] {
						used[v.at] = true
						over = append(over, v.idx)
					}
				}
			}
			return Sum(over, Mul(args...))
		}
		a, b := build(), build()
		if Key(a) != Key(b) {
			t.Fatalf("%s\n%q\n%s\n%q", a, Key(a), b, Key(b))
		}
		if c := Canonical(a); Key(c) != Key(a) || len(Accesses(c)) != m {
			t.Fatalf("%s is not canonical for %s", c, a)
		}
	}
}

func TestQueryKey(t *testing.T) {
	p := mustParse(t, treeDecl+
		"P(i,k) = n: sum(j) E.n(i,j) * E.n(j,k)\nQ(a,b) = n: sum(x) E.n(x,b) * E.n(a,x)\nR(k,i) = n: sum(j) E.n(i,j) * E.n(j,k)\n")
	if p.Queries[0].Key() != p.Queries[1].Key() {
		t.Errorf("%q\n%q", p.Queries[0].Key(), p.Queries[1].Key())
	}
	if p.Queries[0].Key() == p.Queries[2].Key() {
		t.Errorf("transposed queries have one key")
	}
}

func TestRename(t *testing.T) {
	e := parseExpr(t, "i,k", "sum(j) E.n(i,j) * (max(l) E.w(l,k)) * (i < j)")
	got := Rename(e, map[string]Index{"i": {"j", 0}, "k": {"l", 0}})
	want := parseExpr(t, "j,l", "sum(j1) E.n(j,j1) * (max(l1) E.w(l1,l)) * (j < j1)")
	if !Equal(got, want) {
		t.Errorf("got %s", got)
	}
	// Swapping is simultaneous, and a bound name is not renamed.
	e = parseExpr(t, "i,k", "E.n(i,k) * (sum(j) E.n(j,k))")
	got = Rename(e, map[string]Index{"i": {"k", 0}, "k": {"i", 0}, "j": {"z", 0}})
	if want := parseExpr(t, "i,k", "E.n(k,i) * (sum(j) E.n(j,i))"); !Equal(got, want) {
		t.Errorf("got %s", got)
	}
}

// A new name of a bound index is none that is free in what it binds: here k1, which
// the first new name of the second k would be.
func TestFreshenCapturesNothing(t *testing.T) {
	e := parseExpr(t, "i", "sum(k1) (sum(k) E.n(i,k) * E.n(i,k1)) + (sum(k) E.n(i,k) * E.n(i,k1))")
	want := parseExpr(t, "i", "sum(k1) (sum(k) E.n(i,k) * E.n(i,k1)) + (sum(k2) E.n(i,k2) * E.n(i,k1))")
	if got := Freshen(e, NewNames("i")); !Equal(got, want) {
		t.Errorf("got %s", got)
	}
}

func TestFreshen(t *testing.T) {
	names := NewNames("i", "j")
	e := parseExpr(t, "i", "E.n(i,i) * (sum(j) E.n(i,j) * (max(k) E.w(j,k)))")
	want := parseExpr(t, "i", "E.n(i,i) * (sum(j1) E.n(i,j1) * (max(k) E.w(j1,k)))")
	if got := Freshen(e, names); !Equal(got, want) {
		t.Errorf("got %s", got)
	}
	if got := names.Fresh("k"); got != "k1" {
		t.Errorf("k is taken, got %s", got)
	}
}

func TestIndices(t *testing.T) {
	e := parseExpr(t, "i,k", "E.n(k,1) * (sum(j,m) E.n(j,m) * (min(l) E.n(l,i))) * (i < k)")
	names := func(idxs []Index) (s string) {
		for _, x := range idxs {
			s += x.Name
		}
		return s
	}
	for _, c := range []struct {
		got  []Index
		want string
	}{{Free(e), "ki"}, {Bound(e), "jml"}, {Indices(e), "kijml"}} {
		if names(c.got) != c.want {
			t.Errorf("%s, want %s", names(c.got), c.want)
		}
	}
}

func TestRewriteShares(t *testing.T) {
	e := parseExpr(t, "i", "(E.n(i,i) + E.w(i,i)) * (sum(j) E.n(i,j))").(*Map)
	got := Rewrite(e, func(e Expr) Expr {
		if a, ok := e.(*Access); ok && a.Leaf == "w" {
			return Int(2)
		}
		return e
	}).(*Map)
	if got == e || got.Args[1] != e.Args[1] || ExprString(got) != "(E.n(i,i) + 2) * (sum(j) E.n(i,j))" {
		t.Errorf("got %s", got)
	}
	if ExprString(e) != "(E.n(i,i) + E.w(i,i)) * (sum(j) E.n(i,j))" {
		t.Errorf("the original changed: %s", e)
	}
	if same := Rewrite(e, func(e Expr) Expr { return e }); same != Expr(e) {
		t.Error("a rewrite that changes nothing copies")
	}
}

func TestBuild(t *testing.T) {
	i, j := Index{"i", 0}, Index{"j", 0}
	e := A("E", "n", Ixs(i, j)...)
	for want, got := range map[string]Expr{
		"E.n(i,j)":                         Mul(e),
		"sum(i,j) E.n(i,j)":                Sum([]Index{i, j}, Add(e)),
		"E.n(i,j) * E.n(i,j) * 3":          Mul(e, e, Int(3)),
		"sum() guard(E.n(i,j), E.n(i,j))":  Sum(nil, Guarded(e, e)),
		"E.n(i,j) - 2.0":                   Sum(nil, Sub(Guarded(e), Float(2))),
		"E.n($2,'x') + E.n(NULL,1.5) + 7h": Add(A("E", "n", Param(2), Text("x")), A("E", "n", Null(), Number("1.5")), Wide(semiring.FromInt64(7))),
	} {
		if ExprString(got) != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestElems(t *testing.T) {
	p := mustParse(t, treeDecl+"R() = n: sum(i,j) E.n(i,j) | p: or(i,j) and(E.n(i,j), E.n(j,i)) | o: or(i,j) or(E.w(i,j), E.w(i,j)) | "+
		"m: min(i,j) E.n(i,j) | g: min(i,j) guard(E.n(i,j), E.w(i,j)) | h: sum(i,j) E.w(i,j) * E.h(i,j) | f: max(i,j) E.h(i,j) * E.f(i,j) | "+
		"x: sum(i,j) guard(E.n(i,j), E.f(i,j)) | l: sum(i,j) E.n(i,j) * 2.0 | s: sum(i,j) E.n(i,j) * E.n(j,i) * (i < j)\nS() = n: R.n() | f: R.f() + R.h() | a: plus(R.p(), R.p())")
	want := map[string]string{"R": "n=i64 p=pattern o=i64 m=pattern g=i64 h=i128 f=f64 x=i64 l=f64 s=i64 ", "S": "n=i64 f=f64 a=i64 "}
	got := p.Elems()
	for name, w := range want {
		s := ""
		for _, l := range got[name] {
			s += l.Name + "=" + l.Elem.String() + " "
		}
		if s != w {
			t.Errorf("%s: %s, want %s", name, s, w)
		}
	}
}

func BenchmarkKey(b *testing.B) {
	x := func(name string) Arg { return Ix(Index{name, 0}) }
	i := Index{"i", 0}
	star, over := []Expr{}, []Index{}
	for k := range 8 {
		leaf := Index{string(rune('a' + k)), 0}
		over = append(over, leaf)
		star = append(star, A("E", "n", Ix(i), Ix(leaf)))
	}
	for name, e := range map[string]Expr{
		"triangle": Sum([]Index{{"a", 0}, {"b", 0}, {"c", 0}},
			Mul(A("E", "n", x("a"), x("b")), A("E", "n", x("b"), x("c")), A("E", "n", x("a"), x("c")))),
		"star8": Sum(over, Mul(star...)),
	} {
		b.Run("pattern="+name, func(b *testing.B) {
			for b.Loop() {
				Key(e)
			}
		})
	}
}
