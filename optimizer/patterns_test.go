package optimizer_test

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/exec"
	"github.com/trireme-db/trireme/optimizer"
	"github.com/trireme-db/trireme/optimizer/physical"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// labelled is a graph with one label per vertex; vertices and labels are their
// own coordinates.
type labelled struct {
	tensors map[string]*fibers.COO
	dims    map[string][]int
	stats   map[string]stats.TensorStats
	stored  map[string]*fibers.Tensor // layouts built, by what they are
}

// readGraph loads a graph of ../shared/data; the test skips without it.
func readGraph(t testing.TB, name string) *labelled {
	t.Helper()
	dir := filepath.Join("..", "..", "shared", "data", name)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no test data: %v", err)
	}
	g := &labelled{
		tensors: map[string]*fibers.COO{}, dims: map[string][]int{},
		stats: map[string]stats.TensorStats{}, stored: map[string]*fibers.Tensor{},
	}
	edges, vertices := readPairs(t, filepath.Join(dir, "edge.csv")), readPairs(t, filepath.Join(dir, "vertex.csv"))
	n, labels := 0, 0
	for i := range vertices[0] {
		n, labels = max(n, int(vertices[0][i])+1), max(labels, int(vertices[1][i])+1)
	}
	g.add(t, "edge", edges, []int{n, n})
	g.add(t, "vertex", vertices, []int{n, labels})
	return g
}

func readPairs(t testing.TB, path string) [][]fibers.Coord {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := make([][]fibers.Coord, 2)
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		a, b, _ := strings.Cut(lines.Text(), ",")
		x, errX := strconv.Atoi(a)
		y, errY := strconv.Atoi(b)
		if errX == nil && errY == nil { // not the header
			out[0], out[1] = append(out[0], fibers.Coord(x)), append(out[1], fibers.Coord(y))
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func (g *labelled) add(t testing.TB, name string, coords [][]fibers.Coord, dims []int) {
	t.Helper()
	leaf := fibers.LeafSpec{Name: "n", Elem: semiring.Pattern, Merge: semiring.Add}
	b := fibers.NewBuilder(2, []fibers.LeafSpec{leaf})
	if err := b.Append(len(coords[0]), coords, []fibers.Leaf{{Name: "n", Elem: semiring.Pattern}}); err != nil {
		t.Fatal(err)
	}
	coo, err := b.Finish(context.Background(), dims)
	if err != nil {
		t.Fatal(err)
	}
	g.tensors[name], g.dims[name] = coo, dims
	s := stats.TensorStats{NNZ: float64(coo.N)}
	for m, column := range coords {
		seen := map[fibers.Coord]bool{}
		for _, c := range column {
			seen[c] = true
		}
		s.Dims = append(s.Dims, float64(dims[m]))
		s.Distinct = append(s.Distinct, float64(len(seen)))
	}
	g.stats[name] = s
}

func (g *labelled) Stats(a *einsum.Access) stats.TensorStats {
	return goldenSource(g.stats).Stats(a)
}

// patternProgram reads a pattern query: equalities of columns make indices, and
// label = constant binds a mode.
func patternProgram(sql string) *einsum.Program {
	p := &einsum.Program{Inputs: []*einsum.Input{
		{Name: "edge", Domains: []int{0, 0}, Leaves: []einsum.LeafDecl{{Name: "n"}}},
		{Name: "vertex", Domains: []int{0, 1}, Leaves: []einsum.LeafDecl{{Name: "n"}}},
	}}
	from, where, _ := strings.Cut(sql[strings.Index(sql, "FROM ")+5:], " WHERE ")
	class := map[string]string{}
	var find func(c string) string
	find = func(c string) string {
		if class[c] == "" || class[c] == c {
			return c
		}
		return find(class[c])
	}
	label := map[string]string{}
	equality := regexp.MustCompile(`^(\S+) = (\S+)$`)
	for _, conjunct := range strings.Split(where, " AND ") {
		m := equality.FindStringSubmatch(conjunct)
		if alias, ok := strings.CutSuffix(m[1], ".label"); ok {
			label[alias] = m[2]
			continue
		}
		class[find(m[1])] = find(m[2])
	}
	var idxs []einsum.Index
	index := func(column string) einsum.Arg {
		x := einsum.Index{Name: strings.ReplaceAll(find(column), ".", "_")}
		for _, y := range idxs {
			if x == y {
				return einsum.Ix(x)
			}
		}
		idxs = append(idxs, x)
		return einsum.Ix(x)
	}
	var factors []einsum.Expr
	for _, table := range strings.Split(from, ", ") {
		name, alias, _ := strings.Cut(table, " ")
		if name == "edge" {
			factors = append(factors, einsum.A(name, "n", index(alias+".src"), index(alias+".dst")))
		} else {
			factors = append(factors, einsum.A(name, "n", index(alias+".id"), einsum.Number(label[alias])))
		}
	}
	p.Queries = []*einsum.Query{{Name: "R", Leaves: []einsum.Leaf{{Name: "n", Expr: einsum.Sum(idxs, einsum.Mul(factors...))}}}}
	return p
}

// run executes a plan and returns the scalar result.
func (g *labelled) run(ctx context.Context, plan *physical.Plan) (int64, error) {
	results := map[string]*fibers.Tensor{}
	var last *fibers.Tensor
	for _, s := range plan.Steps {
		in := exec.Inputs{Dims: map[string]int{}}
		for _, l := range s.Loops {
			in.Dims[l.Index.Name] = g.dims["vertex"][l.Index.Domain]
		}
		for i := range s.Operands {
			o := &s.Operands[i]
			tensor, err := g.operand(ctx, o, results)
			if err != nil {
				return 0, err
			}
			in.Operands = append(in.Operands, tensor)
		}
		var err error
		if last, _, err = exec.RunStep(ctx, s, in, exec.Options{}); err != nil {
			return 0, err
		}
		results[s.Query.Name] = last
	}
	if last.NNZ == 0 {
		return 0, nil
	}
	return last.Leaves[0].I64[0], nil
}

func (g *labelled) operand(ctx context.Context, o *physical.Operand, results map[string]*fibers.Tensor) (*fibers.Tensor, error) {
	tensor := results[o.Tensor]
	if tensor == nil {
		key := o.Tensor
		for l, m := range o.Order {
			key += " " + strconv.Itoa(m) + o.Formats[l].String()
		}
		var err error
		if g.stored[key] == nil {
			if g.stored[key], err = g.tensors[o.Tensor].Tensor(ctx, o.Order, o.Formats); err != nil {
				return nil, err
			}
		}
		tensor = g.stored[key]
	}
	for _, m := range o.Order {
		if c := o.Args[m].Const; c != nil {
			v, err := strconv.Atoi(c.Text)
			if err != nil {
				return nil, err
			}
			tensor = tensor.Fix(fibers.Coord(v))
		}
	}
	return tensor, nil
}

// TestPatternCounts plans the labelled pattern queries on two protein graphs
// and runs the plans: every count is the known one.
func TestPatternCounts(t *testing.T) {
	for _, name := range []string{"hprd", "yeast"} {
		t.Run(name, func(t *testing.T) {
			g := readGraph(t, name)
			text, err := os.ReadFile(filepath.Join("..", "..", "shared", "data", name, "queries.tsv"))
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
			defer cancel()
			var planning, running time.Duration
			for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
				fields := strings.Split(line, "\t")
				start := time.Now()
				_, plan, err := optimizer.Optimize(patternProgram(fields[2]), g, optimizer.Options{})
				if err != nil {
					t.Fatalf("%s: %v", fields[0], err)
				}
				planned := time.Now()
				got, err := g.run(ctx, plan)
				if err != nil {
					t.Fatalf("%s: %v\n%s", fields[0], err, plan)
				}
				planning += planned.Sub(start)
				running += time.Since(planned)
				if d := time.Since(planned); d > 500*time.Millisecond {
					t.Logf("%s took %v\n%s", fields[0], d, plan)
				}
				if want := fields[1]; strconv.FormatInt(got, 10) != want {
					t.Errorf("%s: %d, want %s\n%s", fields[0], got, want, plan)
				}
			}
			t.Logf("planned in %v, ran in %v", planning, running)
		})
	}
}
