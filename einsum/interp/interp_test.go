package interp

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
)

// entries reads "k k ... -> v v ...; ...": words are integers, NULL, NaN, inf
// or strings; leaf values with a point are floats.
func entries(t *testing.T, leaves, text string) *Tensor {
	t.Helper()
	out := &Tensor{Leaves: strings.Fields(leaves)}
	for _, line := range strings.Split(text, ";") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		coord, values, ok := strings.Cut(line, "->")
		e := Entry{}
		for _, w := range strings.Fields(coord) {
			e.Coord = append(e.Coord, value(w))
		}
		for _, w := range strings.Fields(values) {
			l, err := einsum.Parse("R() = n: " + w)
			if err != nil {
				t.Fatal(err)
			}
			n := (&evaluator{}).eval(l.Queries[0].Leaves[0].Expr, nil, 0).num
			e.Leaves = append(e.Leaves, n)
		}
		if !ok {
			for range out.Leaves {
				e.Leaves = append(e.Leaves, NumInt(1))
			}
		}
		out.Entries = append(out.Entries, e)
	}
	return out
}

func value(w string) Value {
	switch {
	case w == "NULL":
		return Null()
	case w == "NaN":
		return Float(math.NaN())
	case w == "inf":
		return Float(math.Inf(1))
	case strings.Contains(w, "."):
		p, err := einsum.Parse("R() = n: " + w)
		if err != nil {
			panic(err)
		}
		return Float(p.Queries[0].Leaves[0].Expr.(*einsum.Literal).F)
	case w[0] == '-' || w[0] >= '0' && w[0] <= '9':
		n := int64(0)
		for _, c := range strings.TrimPrefix(w, "-") {
			n = n*10 + int64(c-'0')
		}
		if w[0] == '-' {
			n = -n
		}
		return Int(n)
	default:
		return String(w)
	}
}

// runCase is a program with its inputs and the last query's answer, computed by
// hand; tensors are written "leaves|entries".
type runCase struct {
	name, program string
	inputs        map[string]string
	want          string
}

var runCases = []runCase{
	{
		"triangles of K4 as homomorphisms",
		"tensor E(0,0) { n pattern }\nR() = n: sum(a,b,c) E.n(a,b) * E.n(b,c) * E.n(a,c)",
		map[string]string{"E": "n|1 2;1 3;1 4;2 1;2 3;2 4;3 1;3 2;3 4;4 1;4 2;4 3"},
		"n|->24",
	},
	{
		"chain with multiplicities, grouped by both ends",
		"tensor A(0,0) { n i64 }\ntensor B(0,0) { n i64 }\nR(i,k) = n: sum(j) A.n(i,j) * B.n(j,k)",
		map[string]string{"A": "n|1 1->2;1 2->3;2 2->1", "B": "n|1 7->5;2 7->1;2 8->4"},
		"n|1 7->13;1 8->12;2 7->1;2 8->4",
	},
	{
		"a group whose sum is zero stays, one without rows does not",
		"tensor A(0,0) { n i64, s i64, c i64 }\nR(g) = n: sum(k) A.n(g,k) | s: sum(k) A.s(g,k) | c: sum(k) A.c(g,k)",
		map[string]string{"A": "n s c|1 1->1 5 1;1 2->1 -5 1;2 1->1 0 0"},
		"n s c|1->2 0 2;2->1 0 0",
	},
	{
		"sum of a.x + b.y with validity",
		"tensor A(0) { n i64, s i64, c i64 }\ntensor B(0) { n i64, s i64, c i64 }\n" +
			"R() = n: sum(k) A.n(k) * B.n(k) | s: sum(k) A.s(k) * B.c(k) + A.c(k) * B.s(k) | c: sum(k) A.c(k) * B.c(k)",
		map[string]string{"A": "n s c|1->2 7 1;2->1 0 0", "B": "n s c|1->3 10 2;2->1 9 1"},
		"n s c|->7 24 2", // (7+a)+(7+b) with a+b=10; A's NULL rows drop out
	},
	{
		"max of sums: the sum is inside",
		"tensor A(0,0) { n pattern, x i64 }\nR() = n: sum(i,j) A.n(i,j) | m: max(i) sum(j) A.x(i,j)",
		map[string]string{"A": "n x|1 1->1 5;1 2->1 -9;2 1->1 -3;2 2->1 -4"},
		"n m|->4 -4",
	},
	{
		"an outer join: 2 has no partner and counts once, without a y",
		"tensor A(0,0) { n i64, x i64 }\ntensor B(0) { n i64, y i64, c i64 }\nR(g) = n: sum(k) A.n(g,k) * if0(B.n(k), 1) " +
			"| s_x: sum(k) A.x(g,k) * if0(B.n(k), 1) | s_y: sum(k) A.n(g,k) * if0(B.y(k), 0) | c_y: sum(k) A.n(g,k) * if0(B.c(k), 0)",
		map[string]string{"A": "n x|7 1->2 10;7 2->1 5;8 2->3 1", "B": "n y c|1->4 9 3;3->1 1 1"},
		"n s_x s_y c_y|7->9 45 18 6;8->3 1 0 0",
	},
	{
		"if0 over an aggregate and over a zero; its other argument decides where it is",
		"tensor A(0) { n i64 }\ntensor B(0,0) { n i64, x i64 }\nR(i) = n: A.n(i) | s: A.n(i) * if0(sum(j) B.x(i,j), 5) | o: if0(B.x(i,1), A.n(i)) * 10",
		map[string]string{"A": "n|1->1;2->2;3->3", "B": "n x|1 1->1 4;1 2->1 2;2 1->1 0;2 2->1 0;4 1->1 9"},
		"n s o|1->1 6 40;2->2 10 20;3->3 15 30",
	},
	{
		"a masked argument of if0 masks it, a masked alternative only where it is taken",
		"tensor A(0) { n i64, x i64, c i64 }\nR() = n: sum(i) A.n(i) | a: sum(i) if0(guard(A.x(i), A.c(i)), A.n(i)) | b: max(i) if0(A.x(i), guard(A.n(i), A.c(i)))",
		map[string]string{"A": "n x c|1->100 7 0;2->200 8 1;3->300 0 0;4->400 0 1"},
		"n a b|->1000 408 400",
	},
	{
		"functions of one number, of integers and floats",
		"tensor A(0) { n i64, x f64 }\nR(i) = n: A.n(i) | q: sqrt(A.n(i)) | e: exp(A.x(i) * 0) | l: ln(plus(A.n(i), -3)) | a: abs(A.x(i)) | s: sigmoid(A.x(i) * 0) | r: relu(A.x(i))",
		map[string]string{"A": "n x|1->4 -2.5;2->4 2.5;3->4 NaN"},
		"n q e l a s r|1->4 2.0 1.0 0.0 2.5 0.5 0.0;2->4 2.0 1.0 0.0 2.5 0.5 2.5;3->4 2.0 NaN 0.0 NaN NaN NaN",
	},
	{
		"count distinct is sum of or",
		"tensor R(0,0) { n pattern }\ntensor T(0,0) { n pattern }\n" +
			"Q(g) = n: sum(v,k) R.n(g,k) * T.n(k,v) | d: sum(v) or(k) and(R.n(g,k), T.n(k,v))",
		map[string]string{"R": "n|1 1;1 2;2 2", "T": "n|1 5;1 6;2 5"},
		"n d|1->3 2;2->1 1",
	},
	{
		"tropical: shortest two hops",
		"tensor D(0,0) { n pattern, w i64 }\nR(i,k) = n: sum(j) D.n(i,j) * D.n(j,k) | m: min(j) plus(D.w(i,j), D.w(j,k))",
		map[string]string{"D": "n w|1 2->1 4;1 3->1 1;2 4->1 0;3 4->1 2"},
		"n m|1 4->2 3",
	},
	{
		"a guard selects and keeps presence; no condition holds for 2",
		"tensor A(0,0) { n i64, x i64, c i64 }\nR(i) = n: sum(j) A.n(i,j) | m: min(j) guard(A.x(i,j), A.c(i,j)) | s: sum(j) guard(A.x(i,j), A.c(i,j))",
		map[string]string{"A": "n x c|1 1->1 -7 0;1 2->1 3 1;1 3->1 9 2;2 1->1 5 0"},
		"n m s|1->3 3 12;2->1 9223372036854775807 0",
	},
	{
		"a guard in a conjunctive map masks the whole cell, also where times NaN would not",
		"tensor A(0) { n i64, x f64, c i64 }\nR() = n: sum(i) A.n(i) | s: sum(i) guard(A.x(i), A.c(i)) * A.x(i)",
		map[string]string{"A": "n x c|1->1 NaN 0;2->1 1.5 1"},
		"n s|->2 2.25",
	},
	{
		"a union adds, absent is zero; its guard leaves the other side",
		"tensor A(0) { n i64, c i64 }\ntensor B(0) { n i64 }\nR() = n: sum(i) A.n(i) + B.n(i) | s: sum(i) guard(A.n(i), A.c(i)) + B.n(i) | d: sum(i) A.n(i) - B.n(i)",
		map[string]string{"A": "n c|1->2 0;2->3 1", "B": "n|2->10;4->20"},
		"n s d|->35 33 -25",
	},
	{
		"min of a sum: a masked term masks the sum, zero is not the identity of min",
		"tensor A(0) { n i64, x i64, c i64 }\nR() = n: sum(i) A.n(i) | m: min(i) guard(A.x(i), A.c(i)) + A.n(i) | z: max(i) A.n(i) - guard(A.x(i), A.c(i))",
		map[string]string{"A": "n x c|1->1 7 0;2->3 5 1;3->9 1 0"},
		"n m z|->13 8 -2",
	},
	{
		"minimum of a union",
		"tensor A(0) { n i64 }\ntensor B(0) { n i64 }\nR(i) = n: min(A.n(i), B.n(i)) | x: max(A.n(i), B.n(i))",
		map[string]string{"A": "n|1->2;2->3", "B": "n|2->10;4->20"},
		"n x|1->2 2;2->3 10;4->20 20",
	},
	{
		"distribution over a union: sum_j A(i,k)(B(i,j)+C(j,k))",
		"tensor A(0,0) { n i64 }\ntensor B(0,0) { n i64 }\ntensor C(0,0) { n i64 }\nR(i,k) = n: sum(j) A.n(i,k) * (B.n(i,j) + C.n(j,k))",
		map[string]string{"A": "n|1 1->2;2 2->5", "B": "n|1 1->1;1 2->1;3 1->9", "C": "n|7 1->3;1 2->4"},
		"n|1 1->10;2 2->20",
	},
	{
		"NULL equals itself as a coordinate, is no match of a constant, and no comparison",
		"tensor A(0) { n i64 }\nL(i) = n: sum(j) A.n(i) * A.n(j) * (i <= j)\n" +
			"R() = n: (sum(i) A.n(i) * A.n(i)) + 1000 * (sum(j) L.n(j)) + 100000 * A.n(NULL)",
		map[string]string{"A": "n|1->2;NULL->3"},
		"n|->4013",
	},
	{
		"constants, quoted ones and parameters; NULL binds nothing",
		"tensor V(1,0) { n i64 }\nR(i) = n: V.n('a',i) + V.n($1,i) + V.n(NULL,i) * 1000 + V.n($2,i) * 1000",
		map[string]string{"V": "n|a 1->2;a 2->3;b 2->5;NULL 1->7"},
		"n|1->2;2->8",
	},
	{
		"a diagonal and a comparison by value",
		"tensor A(0,0) { n i64 }\nR() = n: sum(i,j,k) A.n(i,i) * A.n(j,k) * (j < k)",
		map[string]string{"A": "n|1 1->2;10 9->5;9 10->7;2 2->3"},
		"n|->35",
	},
	{
		"NaN above infinity",
		"tensor A(0) { n i64 }\nR(i) = n: sum(j) A.n(i) * A.n(j) * (i < j)",
		map[string]string{"A": "n|NaN->1;inf->1;2.5->1"},
		"n|2.5->2;inf->1",
	},
	{
		"aggregate of an aggregate over another query",
		"tensor E(0,0) { n pattern }\nC(i,j) = n: sum(k) E.n(i,k) * E.n(j,k)\nR() = n: sum(i,j) C.n(i,j) * (i < j) | s: sum(i,j) C.n(i,j) * C.n(i,j) * (i < j)",
		map[string]string{"E": "n|1 7;1 8;2 7;2 8;3 8"},
		"n s|->4 6",
	},
	{
		"min over floats: NaN above all; a scalar on empty input has no entry",
		"tensor A(0) { n i64, x f64 }\nR() = n: sum(i) A.n(i) | m: min(i) A.x(i) | x: max(i) A.x(i)",
		map[string]string{"A": "n x|1->1 NaN;2->1 1.5"},
		"n m x|->2 1.5 NaN",
	},
	{
		"empty input",
		"tensor A(0) { n i64 }\nR() = n: sum(i) A.n(i)",
		map[string]string{"A": "n|"},
		"n|",
	},
}

func TestRun(t *testing.T) {
	for _, c := range runCases {
		t.Run(c.name, func(t *testing.T) {
			p, err := einsum.Parse(c.program)
			if err != nil {
				t.Fatal(err)
			}
			inputs := map[string]*Tensor{}
			for name, text := range c.inputs {
				leaves, data, _ := strings.Cut(text, "|")
				inputs[name] = entries(t, leaves, data)
			}
			got, err := Run(p, inputs, []Value{String("b"), Null()})
			if err != nil {
				t.Fatal(err)
			}
			leaves, data, _ := strings.Cut(c.want, "|")
			last := got[p.Queries[len(p.Queries)-1].Name]
			if d := Diff(last, entries(t, leaves, data), 0); d != "" {
				t.Errorf("%s\n%s", d, last)
			}
		})
	}
}

func TestRunErrors(t *testing.T) {
	const decl = "tensor A(0) { n i64, x f64 }\ntensor B(0) { n pattern }\n"
	good := map[string]*Tensor{"A": entries(t, "n x", "1->1 1.5;2->1 2.5"), "B": entries(t, "n", "1")}
	fact := func(leaves, text string) map[string]*Tensor {
		return map[string]*Tensor{"A": good["A"], "B": good["B"], "F": entries(t, leaves, text)}
	}
	for _, c := range []struct {
		program string
		inputs  map[string]*Tensor
		message string
	}{
		{"R(i) = n: A.n(i) | b: B.n(i)", good, "query R: leaf b is present at 1 coordinates, leaf n at 2 (E1)"},
		{"R(i) = n: B.n(i) | a: A.n(i)", good, "leaf a is present at (2), leaf n is not (E1)"},
		{"R() = n: sum(i) A.y(i)", good, "no such leaf"},
		{"R() = n: A.n($1)", good, "parameter $1 has no value"},
		{"R() = n: sum(i) A.n(i)", map[string]*Tensor{"A": good["A"]}, "no data for tensor B"},
		{"R() = n: sum(i) A.n(i)", map[string]*Tensor{"A": good["A"], "B": entries(t, "n", "1;1")}, "occurs twice"},
		{"R() = n: sum(i) A.n(i)", map[string]*Tensor{"A": good["A"], "B": entries(t, "n", "1->2")}, "2 in a pattern"},
		{"R() = n: sum(i) A.n(i)", map[string]*Tensor{"A": good["A"], "B": entries(t, "m", "1")}, "leaves [m], declared [n]"},
		{"R() = n: sum(i) A.n(i)", map[string]*Tensor{"A": entries(t, "n x", "1->1.5 1.5"), "B": good["B"]}, "the float 1.5 among i64"},
		{"tensor F(0) { n i64, x f64 >=0 }\nR() = n: sum(i) F.n(i)", fact("n x", "1->1 NaN;2->1 -0.5"), "entry (2), leaf x: -0.5 is below 0"},
		{"R() = n: sum(i) A.n(i)", map[string]*Tensor{"A": entries(t, "n x", "1->-1 1.5"), "B": good["B"]}, "entry (1), leaf n: -1 is below 0"},
		{"tensor F(0,0) { n pattern } key(1) key(0)\nR() = n: sum(i,j) F.n(i,j)", fact("n", "1 1;1 2"), "entry (1,1): another entry has the same key [0]"},
		{"tensor F(0) { n pattern } key()\nR() = n: sum(i) F.n(i)", fact("n", "1;2"), "same key []"},
		{"tensor F(0,0) { n i64 } symmetric\nR() = n: sum(i,j) F.n(i,j)", fact("n", "1 2->1;1 1->1"), "entry (1,2): the tensor is not symmetric"},
		{"tensor F(0,0) { n i64 } symmetric\nR() = n: sum(i,j) F.n(i,j)", fact("n", "1 2->1;2 1->2"), "entry (1,2): the tensor is not symmetric"},
		{"tensor F(0,0) { n i64 } hollow\nR() = n: sum(i,j) F.n(i,j)", fact("n", "1 2->1;1 1->1"), "entry (1,1): the tensor is not hollow"},
		{"tensor F(0,0) { n i64 } hollow\nR() = n: sum(i,j) F.n(i,j)", fact("n", "NULL 2->1"), "entry (NULL,2): the tensor is not hollow"},
		{"R() = n: sum(i) A.n(i) | s: sum(i) sqrt(plus(A.x(i), -2))", good, "interp: sqrt of -0.5"},
		{"R(i) = n: A.n(i) | s: ln(plus(A.n(i), -1))", good, "interp: ln of 0"},
	} {
		p, err := einsum.Parse(decl + c.program)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Run(p, c.inputs, nil); err == nil || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: %v, want %q", c.program, err, c.message)
		}
	}
}

// everywhere is an assigner that knows nothing: it tries all values of the
// indices' domains.
func everywhere(domains map[int][]Value) assigner {
	return func(_ *evaluator, _ einsum.Expr, idxs []einsum.Index, at env, yield func()) {
		var try func(n int)
		try = func(n int) {
			if n == len(idxs) {
				yield()
				return
			}
			for _, v := range domains[idxs[n].Domain] {
				at[idxs[n].Name] = v
				try(n + 1)
			}
			delete(at, idxs[n].Name)
		}
		try(0)
	}
}

func activeDomains(p *einsum.Program, inputs map[string]*Tensor) map[int][]Value {
	seen, out := map[int]map[Value]bool{}, map[int][]Value{}
	for _, in := range p.Inputs {
		for m, d := range in.Domains {
			if seen[d] == nil {
				seen[d] = map[Value]bool{}
			}
			for _, e := range inputs[in.Name].Entries {
				if v := e.Coord[m]; !seen[d][v] {
					seen[d][v] = true
					out[d] = append(out[d], v)
				}
			}
		}
	}
	return out
}

// The search for assignments finds what trying everything finds, and random
// programs are legal, survive the notation, and are not all alike.
func TestRandomPrograms(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	nonEmpty, compared, features := 0, 0, map[string]int{}
	const n = 2000
	for i := range n {
		opt := RandomOptions{DomainSize: 2 + rng.IntN(2), Factors: 3, Entries: 6}
		tolerance := 0.0
		if i%2 == 0 {
			opt.Wide, opt.Indices, tolerance = true, 6, 1e-9
		}
		p, inputs := RandomProgram(rng, opt)
		got, err := Run(p, inputs, nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, p)
		}
		text := p.String()
		again, err := einsum.Parse(text)
		if err != nil || !again.Equal(p) {
			t.Fatalf("%v\n%s\n%s", err, p, again)
		}
		if last := got[p.Queries[len(p.Queries)-1].Name]; len(last.Entries) > 0 {
			nonEmpty++
		}
		for _, f := range []string{
			" + ", " - ", "min(", "max(", "or(", "guard(", "plus(", " < ", "NULL", "'", "Q0.", "f64", "max(i", ") sum(", " min(",
			">=0", "key(", "if0(", "abs(", "relu(", "sqrt(", "exp(", "ln(", "sigmoid(", "max(i1) ", "f1: ",
		} {
			if strings.Contains(text, f) {
				features[f]++
			}
		}
		if tooMany(p) {
			continue
		}
		compared++
		want, err := run(p, inputs, nil, everywhere(activeDomains(p, inputs)))
		if err != nil {
			t.Fatalf("%v\n%s", err, p)
		}
		for name := range want {
			if d := Diff(got[name], want[name], tolerance); d != "" {
				t.Fatalf("%s: %s\n%s", name, d, p)
			}
		}
	}
	if nonEmpty < n/3 || compared < n*3/4 {
		t.Errorf("of %d programs only %d have a result, %d were compared", n, nonEmpty, compared)
	}
	for f, count := range features {
		if count < n/100 {
			t.Errorf("%q occurs in %d of %d programs", f, count, n)
		}
	}
	if len(features) < 26 {
		t.Errorf("features %v", features)
	}
}

// tooMany skips what trying everything would take too long for.
func tooMany(p *einsum.Program) bool {
	for _, q := range p.Queries {
		for _, l := range q.Leaves {
			if len(einsum.Indices(l.Expr)) > 7 {
				return true
			}
		}
	}
	return false
}

func TestValues(t *testing.T) {
	order := []Value{
		Float(math.Inf(-1)), Int(-3), Float(-2.5), Float(0), Decimal(semiring.FromInt64(5), 1), Float(0.75),
		Decimal(semiring.FromInt64(150), 2), Int(2), Float(1e300), Float(math.Inf(1)), Float(math.NaN()),
		String(""), String("Z"), String("a"), String("é"), Null(),
	}
	for i, a := range order {
		for j, b := range order {
			if got, want := sign(a.Compare(b)), sign(i-j); got != want {
				t.Errorf("%s against %s: %d, want %d", a, b, got, want)
			}
		}
	}
	for _, same := range [][2]Value{
		{Float(math.Copysign(0, -1)), Float(0)},
		{Float(math.NaN()), Float(-math.NaN())},
		{Decimal(semiring.FromInt64(1500), 3), Decimal(semiring.FromInt64(15), 1)},
		{Decimal(semiring.FromInt64(0), 3), Int(0)},
		{Null(), Value{}},
	} {
		if same[0] != same[1] {
			t.Errorf("%s and %s differ", same[0], same[1])
		}
	}
	for text, v := range map[string]Value{"-0.05": Decimal(semiring.FromInt64(-5), 2), "-12": Int(-12), "0.1": Float(0.1)} {
		if v.Text() != text || !v.matches(&einsum.Const{Text: text}) {
			t.Errorf("%s prints %s", text, v)
		}
	}
	if !Int(2).matches(&einsum.Const{Text: "2.0"}) || Int(2).matches(&einsum.Const{Text: "2.5"}) ||
		!Float(math.NaN()).matches(&einsum.Const{Text: "nan", Quoted: true}) ||
		Null().matches(&einsum.Const{Null: true}) || Null().matches(&einsum.Const{Text: "0"}) {
		t.Error("constants match wrongly")
	}
}

func sign(n int) int { return max(-1, min(1, n)) }

func TestDiff(t *testing.T) {
	a := entries(t, "n x", "1->1 1.5;2->2 3")
	for _, c := range []struct{ data, want string }{
		{"2->2 3;1->1 1.5", ""},
		{"1->1 1.5", "unexpected entry (2)"},
		{"1->1 1.5;2->2 3;3->1 1", "missing entry (3)"},
		{"1->1 1.25;2->2 3", "(1) leaf x is 1.5, want 1.25"},
		{"1->1 1.5;2->3 3", "(2) leaf n is 2, want 3"},
	} {
		if got := Diff(a, entries(t, "n x", c.data), 0); got != c.want {
			t.Errorf("%s: %q, want %q", c.data, got, c.want)
		}
	}
	if d := Diff(a, entries(t, "n x", "1->1 1.5000001;2->2 3"), 1e-6); d != "" {
		t.Error(d)
	}
}

// The canonical form of every leaf means what the leaf means, so two
// expressions of one key do.
func TestCanonicalMeansTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 400 {
		p, inputs := RandomProgram(rng, RandomOptions{Wide: rng.IntN(2) == 0})
		want, err := Run(p, inputs, nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, p)
		}
		c := &einsum.Program{Inputs: p.Inputs}
		for _, q := range p.Queries {
			same := &einsum.Query{Name: q.Name, Idxs: q.Idxs}
			for _, l := range q.Leaves {
				same.Leaves = append(same.Leaves, einsum.Leaf{Name: l.Name, Expr: einsum.Canonical(l.Expr)})
			}
			c.Queries = append(c.Queries, same)
		}
		got, err := Run(c, inputs, nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, c)
		}
		for name := range want {
			if d := Diff(got[name], want[name], 1e-9); d != "" {
				t.Fatalf("%s: %s\n%s\n%s", name, d, p, c)
			}
		}
	}
}

// What is known of signs without data holds of all data, and is known often.
func TestSigns(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	known, negative := 0, 0
	for range 800 {
		p, inputs := RandomProgram(rng, RandomOptions{Wide: rng.IntN(2) == 0})
		got, err := Run(p, inputs, nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, p)
		}
		decls := p.Elems()
		for name, tensor := range got {
			for l, decl := range decls[name] {
				if decl.NonNegative && l > 0 {
					known++
				}
				for _, e := range tensor.Entries {
					below := e.Leaves[l].less(NumInt(0))
					if below && decl.NonNegative {
						t.Fatalf("leaf %s of %s is said to be >= 0, it is %s\n%s", decl.Name, name, e.Leaves[l], p)
					}
					if below {
						negative++
					}
				}
			}
		}
	}
	if known < 500 || negative < 500 {
		t.Errorf("only %d leaves known, %d negative values", known, negative)
	}
}
