package optimizer_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/optimizer"
	"github.com/trireme-db/trireme/optimizer/logical"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// schema makes random joins as statistics see them: every index has a domain of
// its own, tables have keys and further columns.
type schema struct {
	rng     *rand.Rand
	src     goldenSource
	inputs  []string
	dims    []float64 // by domain
	columns [][]int   // of the last query's operands
	factors []string
	fields  []int // columns that are no keys
}

// upTo is a number spread evenly over the orders of magnitude.
func (s *schema) upTo(most float64) float64 { return math.Ceil(math.Pow(most, s.rng.Float64())) }

func (s *schema) domain(most float64) int {
	s.dims = append(s.dims, s.upTo(most))
	return len(s.dims) - 1
}

// table declares a tensor over domains and makes it an operand.
func (s *schema) table(domains ...int) {
	name := fmt.Sprintf("A%d", len(s.inputs))
	space := 1.0
	var modes []string
	t := stats.TensorStats{}
	for _, d := range domains {
		space *= s.dims[d]
		modes = append(modes, fmt.Sprint(d))
		t.Dims = append(t.Dims, s.dims[d])
	}
	t.NNZ = min(s.upTo(1e7), space)
	for _, d := range t.Dims {
		t.Distinct = append(t.Distinct, min(d, t.NNZ))
	}
	s.src[name] = t
	s.inputs = append(s.inputs, fmt.Sprintf("tensor %s(%s) { n i64 >=0, s i64 }", name, strings.Join(modes, ",")))
	s.operand(name+".n", domains)
}

func (s *schema) operand(leaf string, domains []int) {
	s.columns = append(s.columns, domains)
	s.factors = append(s.factors, fmt.Sprintf("%s(%s)", leaf, strings.Join(indexNames(domains), ",")))
}

func indexNames(domains []int) []string {
	var out []string
	for _, d := range domains {
		out = append(out, fmt.Sprintf("x%d", d))
	}
	return out
}

// further adds up to n columns to keys.
func (s *schema) further(keys []int, n int) []int {
	for range s.rng.IntN(n + 1) {
		d := s.domain(1e4)
		s.fields = append(s.fields, d)
		keys = append(keys, d)
	}
	return keys
}

// join adds a fact with dimensions, some of which have dimensions, or a chain or
// a cycle of many-to-many tables; every table may have further columns.
func (s *schema) join() {
	n := 1 + s.rng.IntN(4)
	keys := make([]int, n)
	for i := range keys {
		keys[i] = s.domain(1e6)
	}
	switch s.rng.IntN(3) {
	case 0: // star or snowflake
		s.table(s.further(slices.Clone(keys), 2)...)
		for _, k := range keys {
			switch s.rng.IntN(3) {
			case 0:
				s.table(s.further([]int{k}, 2)...)
			case 1:
				outer := s.domain(1e4)
				s.table(s.further([]int{k, outer}, 1)...)
				s.table(s.further([]int{outer}, 2)...)
			}
		}
	case 1: // chain
		for i := range n - 1 {
			s.table(s.further([]int{keys[i], keys[i+1]}, 1)...)
		}
		s.table(s.further([]int{keys[0]}, 1)...)
	default: // cycle
		s.table(s.further([]int{keys[0]}, 1)...)
		for i := range n {
			if j := (i + 1) % n; i != j {
				s.table(s.further([]int{keys[i], keys[j]}, 1)...)
			}
		}
	}
}

// query writes an aggregate of the operands so far, grouped by some of their
// columns, mostly those that are no keys.
func (s *schema) query(name string) (text string, free []int) {
	var over []int
	seen := map[int]bool{}
	for _, cols := range s.columns {
		for _, c := range cols {
			if seen[c] {
				continue
			}
			seen[c] = true
			odds := 6
			if slices.Contains(s.fields, c) {
				odds = 2
			}
			if s.rng.IntN(odds) == 0 {
				free = append(free, c)
			} else {
				over = append(over, c)
			}
		}
	}
	product := strings.Join(s.factors, " * ")
	measure := strings.Replace(product, ".n(", ".s(", 1)
	if len(over) > 0 {
		sum := fmt.Sprintf("sum(%s) ", strings.Join(indexNames(over), ","))
		product, measure = sum+product, sum+measure
	}
	return fmt.Sprintf("%s(%s) = n: %s | s: %s", name, strings.Join(indexNames(free), ","), product, measure), free
}

// randomJoins is a program of one aggregate, or one over another.
func randomJoins(seed uint64) (*einsum.Program, goldenSource, error) {
	s := &schema{rng: rand.New(rand.NewPCG(seed, 41)), src: goldenSource{}}
	s.join()
	inner, free := s.query("Q")
	queries := []string{inner}
	if s.rng.IntN(2) == 0 && len(free) > 0 {
		s.columns, s.factors = nil, nil
		s.operand("Q.n", free)
		for _, d := range free {
			if s.rng.IntN(2) == 0 {
				s.table(s.further([]int{d}, 1)...)
			}
		}
		outer, _ := s.query("R")
		if s.rng.IntN(2) == 0 { // of a function, so that the aggregates do not merge
			outer = strings.ReplaceAll(outer, "Q.s(", "Q.n(")
			outer = strings.ReplaceAll(outer, "Q.n(", "guard(1, Q.n(")
			outer = strings.ReplaceAll(outer, "guard(1, Q.n("+strings.Join(indexNames(free), ",")+")", "guard(1, Q.n("+strings.Join(indexNames(free), ",")+"))")
		}
		queries = append(queries, outer)
	}
	p, err := einsum.Parse(strings.Join(s.inputs, "\n") + "\n" + strings.Join(queries, "\n"))
	return p, s.src, err
}

// planCost is the cost of a plan's steps.
func planCost(p *logical.Plan) (cost float64) {
	for _, s := range p.Steps {
		cost += s.Cost
	}
	return cost
}

// TestNoneDearer: over random joins with further columns, grouped by some of them,
// also below another aggregate, no plan is dearer than one kernel per query, nor
// than the greedy one.
func TestNoneDearer(t *testing.T) {
	programs := 1500
	if testing.Short() {
		programs = 300
	}
	cheaper := 0
	for seed := range uint64(programs) {
		p, src, err := randomJoins(seed)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		normal, err := logical.Normalize(p)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		kernels, err := logical.FromProgram(normal).Estimate(src, stats.Best{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		plan, err := optimizer.Logical(p, src, optimizer.Options{Needed: map[string]bool{}})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		greedy, err := optimizer.Logical(p, src, optimizer.Options{Needed: map[string]bool{}, Search: logical.Greedy})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		same, err := plan.Estimate(src, stats.Best{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, plan)
		}
		if one := planCost(kernels); planCost(same) > one*tolerance {
			t.Errorf("seed %d: the plan costs %.4g, one kernel for each query %.4g\n%s\n%s", seed, planCost(same), one, p, same)
		}
		cost, greedily := planCost(plan), planCost(greedy)
		if cost > greedily*tolerance {
			t.Errorf("seed %d: the plan costs %.4g, the greedy plan %.4g\n%s\n%s", seed, cost, greedily, p, plan)
		}
		if planCost(same) < planCost(kernels)*0.5 {
			cheaper++
		}
	}
	t.Logf("%d of %d plans cost less than half of one kernel for each query", cheaper, programs)
	if cheaper < programs/20 {
		t.Errorf("only %d of %d plans are cheaper than one kernel for each query", cheaper, programs)
	}
}

// tolerance leaves room for what the search and a plan's steps see differently:
// the search weighs the risk of steps that reduce many indices, and takes a
// result's figures from the inputs where a plan takes them from the steps before.
// That the search itself finds nothing dearer is TestExactIsBruteForce.
const tolerance = 3
