package logical

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/interp"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// sumProducts makes random programs of sums of products of sums: one random
// shape per query, rendered once per leaf, so that all leaves have one presence.
type sumProducts struct {
	rng *rand.Rand
}

const sumProductTensors = `
tensor A(0,0) { n pattern, x i64, c i64 >=0 }
tensor B(0,0) { n i64, x i64, c i64 >=0 }
tensor L(0,0) { n pattern, x i64, c i64 >=0 } key(0)
tensor u(0) { n pattern, x i64, c i64 >=0 }
tensor w(0) { n i64, x i64 >=0, c i64 >=0 }
`

// shape is a product of accesses, or a product or sum of shapes.
type shape struct {
	tensor string
	args   string
	sum    bool
	parts  []*shape
}

// over makes a shape every addend of which has all the given indices.
func (g *sumProducts) over(idxs []string, depth int) *shape {
	switch n := g.rng.IntN(4); {
	case depth > 0 && n < 2:
		s := &shape{sum: true}
		for range 2 + g.rng.IntN(2) {
			s.parts = append(s.parts, g.over(idxs, depth-1))
		}
		return s
	case depth > 0 && n == 2:
		return &shape{parts: []*shape{g.over(idxs, depth-1), g.over(idxs[:1+g.rng.IntN(len(idxs))], depth-1)}}
	}
	s := &shape{}
	for rest := idxs; len(rest) > 0; {
		two := len(idxs) > 1 && g.rng.IntN(3) > 0
		switch {
		case two && len(rest) > 1:
			s.parts = append(s.parts, g.access(rest[0], rest[1]))
			rest = rest[2:]
		case two:
			s.parts = append(s.parts, g.access(idxs[g.rng.IntN(len(idxs)-1)], rest[0]))
			rest = rest[1:]
		default:
			s.parts = append(s.parts, &shape{tensor: []string{"u", "w"}[g.rng.IntN(2)], args: rest[0]})
			rest = rest[1:]
		}
	}
	return s
}

func (g *sumProducts) access(a, b string) *shape {
	if a == b {
		return &shape{tensor: "u", args: a}
	}
	return &shape{tensor: []string{"A", "B", "L"}[g.rng.IntN(3)], args: a + "," + b}
}

// text renders a shape. Values under sums get signs and coefficients; under max
// some accesses are guarded.
func (g *sumProducts) text(s *shape, kind string) string {
	if s.tensor != "" {
		switch kind {
		case "n":
			return fmt.Sprintf("%s.n(%s)", s.tensor, s.args)
		case "max":
			if g.rng.IntN(3) == 0 {
				return fmt.Sprintf("guard(%s.x(%s), %s.c(%s))", s.tensor, s.args, s.tensor, s.args)
			}
		}
		return fmt.Sprintf("%s.x(%s)", s.tensor, s.args)
	}
	out := g.text(s.parts[0], kind)
	for _, p := range s.parts[1:] {
		next := g.text(p, kind)
		switch {
		case kind == "max" && s.sum:
			out = "max(" + out + ", " + next + ")"
		case kind == "max":
			out = "plus(" + out + ", " + next + ")"
		case s.sum && kind == "x" && g.rng.IntN(3) == 0:
			out = "(" + out + ") - (" + next + ")"
		case s.sum:
			out = "(" + out + ") + (" + next + ")"
		case kind == "x" && g.rng.IntN(4) == 0:
			out = "(" + out + ") * 2 * neg(" + next + ")"
		default:
			out = "(" + out + ") * (" + next + ")"
		}
	}
	return out
}

func (g *sumProducts) program() string {
	text := sumProductTensors
	if g.rng.IntN(3) == 0 { // a nested query
		return text + "D(i,j) = n: sum(k) L.n(i,k) * B.n(k,j) | x: sum(k) L.n(i,k) * B.x(k,j)\n" +
			[]string{
				"out(i) = n: sum(j) (D.n(i,j) + A.n(i,j)) * u.n(j) | x: sum(j) (D.x(i,j) - A.x(i,j)) * u.x(j)",
				"out(i,j) = n: D.n(i,j) | x: relu(D.x(i,j)) + 1 * sigmoid(D.x(i,j))",
				"out(i) = n: sum(j) D.n(i,j) * A.n(i,j) * D.n(i,j) | x: sum(j) D.x(i,j) * A.n(i,j) * D.n(i,j)",
				"out(i,j) = n: D.n(i,j) * A.n(i,j) | x: D.x(i,j) * A.x(i,j) - D.x(i,j) * A.n(i,j)",
				"out() = n: sum(i,j) D.n(i,j) * u.n(j) | x: sum(i,j) D.x(i,j) * u.n(j) + D.n(i,j) * u.x(j)",
				"out(i) = n: or(j) and(or(D.n(i,j), A.n(i,j)), u.n(j)) | x: sum(j) (D.x(i,j) + A.x(i,j)) * u.x(j)",
				"out(i) = n: or(j) and(or(D.n(i,j), A.n(i,j)), u.n(j)) | e: or(j) and(or(D.x(i,j), A.n(i,j)), u.x(j)) | x: sum(j) or(D.n(i,j), A.x(i,j)) * u.x(j)",
			}[g.rng.IntN(7)] + "\n"
	}
	if g.rng.IntN(8) == 0 { // a choice among products of what is never negative
		return text + "out(i) = n: sum(j,k) w.n(i) * B.n(i,j) * A.n(j,k) | m: " + []string{"max", "min"}[g.rng.IntN(2)] +
			"(j,k) w.x(i) * B.c(i,j) * A." + []string{"x", "c"}[g.rng.IntN(2)] + "(j,k)\n"
	}
	s := g.over([]string{"i", "j", "k"}[:1+g.rng.IntN(3)], 1+g.rng.IntN(3))
	free, bound := "i", "j,k"
	switch s.indices() {
	case 1:
		free, bound = "", "i"
	case 2:
		bound = "j"
	}
	leaf := func(agg, kind string) string { return agg + "(" + bound + ") " + g.text(s, kind) }
	out := text + fmt.Sprintf("out(%s) = n: %s | x: %s", free, leaf("sum", "n"), leaf("sum", "x"))
	if g.rng.IntN(2) == 0 {
		out += " | m: " + leaf("max", "max")
	}
	return out + "\n"
}

// indices counts the indices of a shape.
func (s *shape) indices() int {
	seen := map[rune]bool{}
	var visit func(s *shape)
	visit = func(s *shape) {
		for _, r := range s.args {
			if r != ',' {
				seen[r] = true
			}
		}
		for _, p := range s.parts {
			visit(p)
		}
	}
	visit(s)
	return len(seen)
}

// inputs makes small data that respects the declared facts.
func (g *sumProducts) inputs(p *einsum.Program) map[string]*interp.Tensor {
	data := map[string]*interp.Tensor{}
	for _, in := range p.Inputs {
		t := &interp.Tensor{}
		for _, l := range in.Leaves {
			t.Leaves = append(t.Leaves, l.Name)
		}
		key := len(in.Domains)
		if len(in.Keys) > 0 {
			key = 1
		}
		seen := map[string]bool{}
		for range g.rng.IntN(8) {
			var e interp.Entry
			text := ""
			for m := range in.Domains {
				v := g.rng.IntN(3)
				e.Coord = append(e.Coord, interp.Int(int64(v)))
				if m < key {
					text += fmt.Sprint(v, " ")
				}
			}
			if seen[text] {
				continue
			}
			seen[text] = true
			for _, l := range in.Leaves {
				v := int64(g.rng.IntN(7) - 3)
				switch {
				case l.Elem == semiring.Pattern:
					v = 1
				case l.Name == einsum.CountLeaf:
					v = 1 + int64(g.rng.IntN(3))
				case l.NonNegative:
					v = int64(g.rng.IntN(3))
				}
				e.Leaves = append(e.Leaves, interp.NumInt(v))
			}
			t.Entries = append(t.Entries, e)
		}
		data[in.Name] = t
	}
	return data
}

// TestEveryRewrite follows all rewrites of random programs, cheap or not, a few
// steps deep: each alternative means what the program means, and so does the
// plan of some.
func TestEveryRewrite(t *testing.T) {
	programs := uint64(300)
	if testing.Short() {
		programs = 150
	}
	total := followed{}
	for seed := range programs {
		g := &sumProducts{rng: rand.New(rand.NewPCG(seed, 5))}
		text := g.program()
		p, err := einsum.Parse(text)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		total.add(followAll(t, seed, p, g.inputs(p)))
	}
	t.Logf("%d programs, %d alternatives, %d plans", programs, total.alternatives, total.plans)
	if total.alternatives < 5*int(programs) {
		t.Errorf("only %d alternatives of %d programs", total.alternatives, programs)
	}
}

// TestEveryRewriteWide is TestEveryRewrite on the programs that other packages
// are tested with.
func TestEveryRewriteWide(t *testing.T) {
	programs := uint64(120)
	if testing.Short() {
		programs = 40
	}
	total := followed{}
	for seed := range programs {
		rng := rand.New(rand.NewPCG(seed, 17))
		p, data := interp.RandomProgram(rng, interp.RandomOptions{Wide: seed%3 != 0, Indices: 5})
		total.add(followAll(t, seed, p, data))
	}
	t.Logf("%d programs, %d alternatives, %d plans", programs, total.alternatives, total.plans)
	if total.alternatives < int(programs) {
		t.Errorf("only %d alternatives of %d programs", total.alternatives, programs)
	}
}

// followAll checks the normal form of a program and what rewrites make of it.
func followAll(t *testing.T, seed uint64, p *einsum.Program, data map[string]*interp.Tensor) *followed {
	t.Helper()
	last := p.Queries[len(p.Queries)-1].Name
	c := &followed{
		t: t, seed: seed, last: last, program: p, data: data, seen: map[string]bool{},
		w: newRewriter(p.Inputs),
	}
	var err error
	if c.want, err = interp.Run(p, data, nil); err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, p)
	}
	normal, err := Normalize(p)
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, p)
	}
	c.same(normal)
	again, err := Normalize(normal)
	if err != nil || !again.Equal(normal) {
		t.Fatalf("seed %d: the normal form has another (%v)\n%s\n%s", seed, err, normal, again)
	}
	c.w.needed[last] = true
	c.follow(normal.Queries, 3)
	return c
}

// followed is the walk over the alternatives of one program.
type followed struct {
	t       *testing.T
	seed    uint64
	w       *rewriter
	program *einsum.Program
	data    map[string]*interp.Tensor
	want    map[string]*interp.Tensor
	last    string
	seen    map[string]bool

	alternatives, plans int
}

func (c *followed) add(o *followed) {
	c.alternatives += o.alternatives
	c.plans += o.plans
}

func (c *followed) follow(qs []*einsum.Query, depth int) {
	c.t.Helper()
	const most = 40
	alternatives, _ := c.w.alternatives(qs)
	for _, raw := range alternatives {
		for _, alt := range c.w.variants(raw) {
			p := c.w.program(alt)
			key := programKey(alt)
			if c.seen[key] || len(c.seen) >= most {
				continue
			}
			c.seen[key] = true
			c.alternatives++
			c.same(p)
			if c.seed%2 == 0 && len(c.seen)%4 == 0 {
				c.plan(p)
			}
			if depth > 1 {
				c.follow(alt, depth-1)
			}
		}
	}
}

func (c *followed) same(p *einsum.Program) {
	c.t.Helper()
	if err := p.Check(); err != nil {
		c.t.Fatalf("seed %d: %v\n%s\n%s", c.seed, err, c.program, p)
	}
	got, err := interp.Run(p, c.data, nil)
	if err != nil {
		c.t.Fatalf("seed %d: %v\n%s\n%s", c.seed, err, c.program, p)
	}
	if diff := interp.Diff(got[c.last], c.want[c.last], 1e-9); diff != "" {
		c.t.Fatalf("seed %d: %s\n%s\n%s", c.seed, diff, c.program, p)
	}
}

// plan plans an alternative and runs the plan.
func (c *followed) plan(p *einsum.Program) {
	c.t.Helper()
	plan, err := Eliminate(p, flat{}, Options{Needed: c.w.needed})
	if err != nil {
		c.t.Fatalf("seed %d: %v\n%s\n%s", c.seed, err, c.program, p)
	}
	if err := plan.Check(); err != nil {
		c.t.Fatalf("seed %d: %v\n%s\n%s\n%s", c.seed, err, c.program, p, plan)
	}
	c.plans++
	c.same(plan.Program())
}

// flat says that every tensor has 100 entries.
type flat struct{}

func (flat) Stats(a *einsum.Access) stats.TensorStats {
	t := stats.TensorStats{NNZ: 100}
	for _, arg := range a.Args {
		if arg.Const == nil {
			t.Dims, t.Distinct = append(t.Dims, 50), append(t.Distinct, 40)
		}
	}
	return t
}
