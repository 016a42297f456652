package logical_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/interp"
	"github.com/trireme-db/trireme/optimizer/logical"
)

// graphPattern makes a pattern over a graph E with what facts are drawn, labels L
// and values V of vertices, and data that respects them. Patterns of many equal
// edges are frequent.
type graphPattern struct {
	rng               *rand.Rand
	symmetric, hollow bool
	vertices          int
	counts, values    []string // factors of leaf n, and what they count as with values
	free, over        []string
}

func newGraphPattern(rng *rand.Rand) *graphPattern {
	g := &graphPattern{rng: rng, symmetric: rng.IntN(4) > 0, hollow: rng.IntN(4) > 0, vertices: 2 + rng.IntN(3)}
	if rng.IntN(10) == 0 {
		g.vertices = 5
	}
	if rng.IntN(16) == 0 { // a directed circle
		g.vertices, g.symmetric, g.hollow = 3, false, true
		for v := range 3 {
			g.factor(fmt.Sprintf("E.n(%s,%s)", name(v), name((v+1)%3)))
		}
		g.over = []string{name(0), name(1), name(2)}
		return g
	}
	dense := 1 + rng.IntN(3)
	for a := range g.vertices {
		for b := range a {
			switch {
			case b == rng.IntN(a) || rng.IntN(dense) == 0:
				g.edge(a, b)
			case rng.IntN(6) == 0:
				g.mask(a, b)
			}
		}
	}
	label := rng.IntN(3)
	for v := range g.vertices {
		switch rng.IntN(6) {
		case 0:
			g.factor(fmt.Sprintf("L.n(%s,%d)", name(v), label))
		case 1:
			g.counts = append(g.counts, fmt.Sprintf("V.n(%s)", name(v)))
			g.values = append(g.values, fmt.Sprintf("V.x(%s)", name(v)))
		}
		if g.occurs(v) && rng.IntN(5) == 0 {
			g.free = append(g.free, name(v))
		} else {
			g.over = append(g.over, name(v))
		}
	}
	for v := range g.vertices {
		if !g.occurs(v) {
			g.factor(fmt.Sprintf("L.n(%s,1)", name(v)))
		}
	}
	return g
}

func name(v int) string { return fmt.Sprintf("x%d", v) }

// occurs reports whether a tensor has the vertex.
func (g *graphPattern) occurs(v int) bool {
	return slices.ContainsFunc(g.counts, func(f string) bool { return strings.Contains(f, ".") && strings.Contains(f, name(v)) })
}

func (g *graphPattern) factor(f string) {
	g.counts, g.values = append(g.counts, f), append(g.values, f)
}

func (g *graphPattern) edge(a, b int) {
	if g.rng.IntN(2) == 0 {
		a, b = b, a
	}
	g.counts = append(g.counts, fmt.Sprintf("E.n(%s,%s)", name(a), name(b)))
	g.values = append(g.values, fmt.Sprintf("E.%s(%s,%s)", []string{"n", "w"}[g.rng.IntN(2)], name(a), name(b)))
}

func (g *graphPattern) mask(a, b int) {
	g.factor(fmt.Sprintf("(%s %s %s)", name(a), []string{"<>", "<>", "<", "<="}[g.rng.IntN(4)], name(b)))
}

// program writes the pattern as a query of some leaves.
func (g *graphPattern) program(t *testing.T) *einsum.Program {
	t.Helper()
	facts := ""
	if g.symmetric {
		facts += " symmetric"
	}
	if g.hollow {
		facts += " hollow"
	}
	over := strings.Join(g.over, ",")
	counts, product := strings.Join(g.counts, ", "), strings.Join(g.counts, " * ")
	leaves := []string{fmt.Sprintf("n: sum(%s) %s", over, product), fmt.Sprintf("n: or(%s) and(%s, 1)", over, counts)}
	text := leaves[g.rng.IntN(2)]
	if g.rng.IntN(2) == 0 {
		text += fmt.Sprintf(" | s: sum(%s) %s", over, strings.Join(g.values, " * "))
	}
	if g.rng.IntN(3) == 0 {
		text += fmt.Sprintf(" | m: %s(%s) guard(plus(%s, 0), %s)", []string{"min", "max"}[g.rng.IntN(2)], over, strings.Join(g.values, ", "), counts)
	}
	if len(g.over) == 0 { // nothing is reduced
		text = "n: " + product
	}
	p, err := einsum.Parse(fmt.Sprintf("tensor E(0,0) { n i64, w i64 }%s\ntensor L(0,1) { n pattern }\ntensor V(0) { n i64, x i64 }\nR(%s) = %s",
		facts, strings.Join(g.free, ","), text))
	if err == nil {
		err = p.Check()
	}
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return p
}

func (g *graphPattern) data() map[string]*interp.Tensor {
	const extent = 4
	num := func(n int) interp.Num { return interp.NumInt(int64(n)) }
	value := func(v int) interp.Value {
		if v == extent {
			return interp.Null()
		}
		return interp.Int(int64(v*v - 3))
	}
	values := extent
	if !g.hollow {
		values++ // NULL among them
	}
	e := &interp.Tensor{Leaves: []string{"n", "w"}}
	l, v := &interp.Tensor{Leaves: []string{"n"}}, &interp.Tensor{Leaves: []string{"n", "x"}}
	for a := range values {
		for b := range values {
			if a < b && g.symmetric || a == b && g.hollow || g.rng.IntN(3) == 0 {
				continue
			}
			leaves := []interp.Num{num(1 + g.rng.IntN(2)), num(g.rng.IntN(7) - 3)}
			e.Entries = append(e.Entries, interp.Entry{Coord: []interp.Value{value(a), value(b)}, Leaves: leaves})
			if g.symmetric && a != b {
				e.Entries = append(e.Entries, interp.Entry{Coord: []interp.Value{value(b), value(a)}, Leaves: leaves})
			}
		}
		for label := range 3 {
			if g.rng.IntN(2) == 0 {
				l.Entries = append(l.Entries, interp.Entry{Coord: []interp.Value{value(a), interp.Int(int64(label))}, Leaves: []interp.Num{num(1)}})
			}
		}
		if g.rng.IntN(4) > 0 {
			leaves := []interp.Num{num(1 + g.rng.IntN(2)), num(g.rng.IntN(7) - 3)}
			v.Entries = append(v.Entries, interp.Entry{Coord: []interp.Value{value(a)}, Leaves: leaves})
		}
	}
	return map[string]*interp.Tensor{"E": e, "L": l, "V": v}
}

// factorOf finds what a sum in one order is multiplied by.
var factorOf = regexp.MustCompile(`: (\d+) \* O1`)

// TestBreakSymmetry breaks the symmetry of random patterns, whatever it costs: the
// program means the same, and so does its plan. A declared fact that does not hold
// is an error of interp, hence the data has all that is declared.
func TestBreakSymmetry(t *testing.T) {
	programs := 1500
	if testing.Short() {
		programs = 400
	}
	factors, bare := map[string]int{}, 0
	for seed := range uint64(programs) {
		rng := rand.New(rand.NewPCG(seed, 11))
		g := newGraphPattern(rng)
		p, data := g.program(t), g.data()
		normal, err := logical.Normalize(p)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		broken := logical.BreakSymmetryAlways(normal)
		if err := broken.Check(); err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, p, broken)
		}
		if factor := factorOf.FindStringSubmatch(broken.String()); factor != nil {
			factors[factor[1]]++
		} else if !broken.Equal(normal) {
			bare++
		}
		plan, err := logical.Eliminate(broken, measured{data: data}, logical.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, p, broken)
		}
		want, err := interp.Run(p, data, nil)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		for _, other := range []*einsum.Program{broken, plan.Program()} {
			got, err := interp.Run(other, data, nil)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s\n%s", seed, err, p, other)
			}
			if diff := interp.Diff(got["R"], want["R"], 0); diff != "" {
				t.Fatalf("seed %d: %s\n%s\n%s", seed, diff, p, other)
			}
		}
	}
	t.Logf("%d programs, %d without a factor, factors %v", programs, bare, factors)
	for _, factor := range []string{"2", "3", "4", "6", "24"} {
		if factors[factor] == 0 {
			t.Errorf("no pattern has the factor %s", factor)
		}
	}
	if bare == 0 {
		t.Error("no pattern has only leaves that need no factor")
	}
}
