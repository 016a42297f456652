package optimizer_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/interp"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/optimizer"
	"github.com/trireme-db/trireme/optimizer/logical"
	"github.com/trireme-db/trireme/optimizer/network"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// goldenSource holds the figures of a golden file: one line per tensor,
//
//	stats E nnz=10000 dims=1000,1000 distinct=900,900
//
// where distinct defaults to the dimensions. A line "budget N" gives the planner a
// budget of N bytes.
type goldenSource map[string]stats.TensorStats

func (g goldenSource) Stats(a *einsum.Access) stats.TensorStats {
	t := g[a.Tensor]
	rest := stats.TensorStats{NNZ: t.NNZ}
	for m, arg := range a.Args {
		if arg.Const != nil {
			rest.NNZ /= max(t.Distinct[m], 1)
			continue
		}
		rest.Dims = append(rest.Dims, t.Dims[m])
		rest.Distinct = append(rest.Distinct, t.Distinct[m])
	}
	return rest
}

func (g goldenSource) read(t *testing.T, d *datadriven.TestData, line string) {
	fields := strings.Fields(line)
	s := stats.TensorStats{}
	for _, f := range fields[2:] {
		key, list, _ := strings.Cut(f, "=")
		var values []float64
		for _, v := range strings.Split(list, ",") {
			x, err := strconv.ParseFloat(v, 64)
			if err != nil {
				d.Fatalf(t, "%s: %v", line, err)
			}
			values = append(values, x)
		}
		switch key {
		case "nnz":
			s.NNZ = values[0]
		case "dims":
			s.Dims = values
		case "distinct":
			s.Distinct = values
		default:
			d.Fatalf(t, "unknown figure %s", key)
		}
	}
	if s.Distinct == nil {
		s.Distinct = s.Dims
	}
	g[fields[1]] = s
}

// TestGolden runs the files of testdata. "logical" and "physical" print a
// program's plan; "steps" prints the physical plan of the queries as they stand,
// "sparing" the one that they have among many.
// "divide" prints the program with the steps of its networks, "normal" the normal form, "merged"
// the plan when no query but the last is needed by name. What is printed
// also runs, on random data, and means what the program means.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			src := goldenSource{}
			var text []string
			budgetBytes := 0.0
			for _, line := range strings.Split(d.Input, "\n") {
				if strings.HasPrefix(line, "stats ") {
					src.read(t, d, line)
				} else if n, err := strconv.ParseFloat(strings.TrimPrefix(line, "budget "), 64); err == nil {
					budgetBytes = n
				} else {
					text = append(text, line)
				}
			}
			out, err := planText(d.Cmd, strings.Join(text, "\n"), src, optimizer.Options{BudgetBytes: budgetBytes})
			if err != nil {
				return "error: " + err.Error()
			}
			// The inputs are above already.
			for strings.HasPrefix(out, "tensor ") {
				_, out, _ = strings.Cut(out, "\n")
			}
			return out
		})
	})
}

func planText(cmd, text string, src stats.Source, opt optimizer.Options) (string, error) {
	p, err := einsum.Parse(text)
	if err != nil {
		return "", err
	}
	if err := p.Check(); err != nil {
		return "", err
	}
	switch cmd {
	case "logical":
		lp, err := optimizer.Logical(p, src, optimizer.Options{})
		if err != nil {
			return "", err
		}
		return lp.String(), errors.Join(lp.Check(), sameAnswers(p, lp.Program()))
	case "merged":
		lp, err := optimizer.Logical(p, src, optimizer.Options{Needed: map[string]bool{}})
		if err != nil {
			return "", err
		}
		return lp.String(), errors.Join(lp.Check(), sameAnswers(p, lp.Program()))
	case "divide":
		divided, _, err := network.Divide(p, src)
		if err != nil {
			return "", err
		}
		return divided.String(), errors.Join(divided.Check(), sameAnswers(p, divided))
	case "normal":
		normal, err := logical.Normalize(p)
		if err != nil {
			return "", err
		}
		return normal.String(), errors.Join(normal.Check(), sameAnswers(p, normal))
	case "physical":
		_, pp, err := optimizer.Optimize(p, src, opt)
		if err != nil {
			return "", err
		}
		return pp.String(), pp.Check()
	case "steps", "sparing":
		lp, err := logical.FromProgram(p).Estimate(src, stats.Uniform{})
		if err != nil {
			return "", err
		}
		lp.Sparing = cmd == "sparing"
		pp, err := optimizer.Physical(lp, src, opt)
		if err != nil {
			return "", err
		}
		return pp.String(), pp.Check()
	}
	return "", fmt.Errorf("unknown command %s", cmd)
}

// sameAnswers runs a program and what became of it on random inputs.
func sameAnswers(p, became *einsum.Program) error {
	for seed := range uint64(6) {
		data := randomInputs(rand.New(rand.NewPCG(seed, 3)), p)
		want, err := interp.Run(p, data, nil)
		if err != nil {
			return err
		}
		got, err := interp.Run(became, data, nil)
		if err != nil {
			return err
		}
		last := p.Queries[len(p.Queries)-1].Name
		if diff := interp.Diff(got[last], want[last], 1e-9); diff != "" {
			return fmt.Errorf("seed %d: %s", seed, diff)
		}
	}
	return nil
}

// randomInputs makes small data for a program's inputs that respects their
// facts. Counts are positive, other values are multiples of 1/4 or small
// integers, of both signs where they may be.
func randomInputs(rng *rand.Rand, p *einsum.Program) map[string]*interp.Tensor {
	const extent, entries = 4, 12
	data := map[string]*interp.Tensor{}
	for _, in := range p.Inputs {
		t := &interp.Tensor{}
		for _, l := range in.Leaves {
			t.Leaves = append(t.Leaves, l.Name)
		}
		keys := append([][]int{nil}, in.Keys...)
		for m := range in.Domains {
			keys[0] = append(keys[0], m)
		}
		seen := map[string]bool{}
		for range rng.IntN(entries) {
			var e interp.Entry
			for range in.Domains {
				e.Coord = append(e.Coord, interp.Int(int64(rng.IntN(extent))))
			}
			if in.Hollow && e.Coord[0] == e.Coord[1] || taken(keys, e.Coord, seen) {
				continue
			}
			for _, l := range in.Leaves {
				e.Leaves = append(e.Leaves, randomValue(rng, l))
			}
			t.Entries = append(t.Entries, e)
			if in.Symmetric && e.Coord[0] != e.Coord[1] {
				mirror := []interp.Value{e.Coord[1], e.Coord[0]}
				taken(keys, mirror, seen)
				t.Entries = append(t.Entries, interp.Entry{Coord: mirror, Leaves: e.Leaves})
			}
		}
		data[in.Name] = t
	}
	return data
}

// taken reports an entry before with the same coordinates in all modes of a key,
// and notes the coordinates when there is none.
func taken(keys [][]int, coord []interp.Value, seen map[string]bool) bool {
	var texts []string
	for i, key := range keys {
		text := fmt.Sprint(i)
		for _, m := range key {
			text += " " + coord[m].Text()
		}
		texts = append(texts, text)
		if seen[text] {
			return true
		}
	}
	for _, text := range texts {
		seen[text] = true
	}
	return false
}

func randomValue(rng *rand.Rand, l einsum.LeafDecl) interp.Num {
	v := rng.IntN(9) - 4
	if l.NonNegative {
		v = rng.IntN(5)
	}
	switch {
	case l.Elem == semiring.Pattern:
		return interp.NumInt(1)
	case l.Name == einsum.CountLeaf:
		return interp.NumInt(int64(1 + rng.IntN(3)))
	case l.Elem == semiring.F64:
		return interp.NumFloat(float64(v) / 4)
	default:
		return interp.NumInt(int64(v))
	}
}
