package optimizer_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/interp"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/exec"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/optimizer"
	"github.com/trireme-db/trireme/optimizer/physical"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// database is a random program's data with SQL values as coordinates. The
// values of a domain are sorted, NULL last.
type database struct {
	domains map[int][]interp.Value
	coos    map[string]*fibers.COO
	results map[string]*fibers.Tensor
	modes   map[string][]int // domain per mode
	fused   int              // pairs of steps run as one
	nested  int              // of them, those whose reader has operands or loops of its own
	paced   int              // steps run with others in lockstep
	taken   string           // the step that the next one takes
}

func newDatabase(t *testing.T, p *einsum.Program, data map[string]*interp.Tensor) *database {
	t.Helper()
	db := &database{
		domains: map[int][]interp.Value{}, coos: map[string]*fibers.COO{},
		results: map[string]*fibers.Tensor{}, modes: map[string][]int{},
	}
	for _, in := range p.Inputs {
		for m, d := range in.Domains {
			for _, e := range data[in.Name].Entries {
				if !slices.Contains(db.domains[d], e.Coord[m]) {
					db.domains[d] = append(db.domains[d], e.Coord[m])
				}
			}
		}
	}
	for _, values := range db.domains {
		slices.SortFunc(values, func(a, b interp.Value) int {
			if a.IsNull() != b.IsNull() {
				if a.IsNull() {
					return 1
				}
				return -1
			}
			return a.Compare(b)
		})
	}
	for _, in := range p.Inputs {
		db.coos[in.Name] = db.load(t, in, data[in.Name])
		db.modes[in.Name] = in.Domains
	}
	return db
}

func (db *database) coord(domain int, v interp.Value) fibers.Coord {
	return fibers.Coord(slices.Index(db.domains[domain], v))
}

func (db *database) load(t *testing.T, in *einsum.Input, data *interp.Tensor) *fibers.COO {
	t.Helper()
	specs := make([]fibers.LeafSpec, len(in.Leaves))
	leaves := make([]fibers.Leaf, len(in.Leaves))
	for l, decl := range in.Leaves {
		specs[l] = fibers.LeafSpec{Name: decl.Name, Elem: decl.Elem, Merge: semiring.Add}
		leaves[l] = fibers.Leaf{Name: decl.Name, Elem: decl.Elem}
	}
	coords := make([][]fibers.Coord, len(in.Domains))
	for _, e := range data.Entries {
		for m, d := range in.Domains {
			coords[m] = append(coords[m], db.coord(d, e.Coord[m]))
		}
		for l, n := range e.Leaves {
			v, _ := n.Big()
			wide, ok := semiring.Int128{}, false
			if v != nil {
				wide, ok = semiring.FromBig(v)
			}
			switch narrow, _ := wide.Int64(); leaves[l].Elem {
			case semiring.I64:
				leaves[l].I64 = append(leaves[l].I64, narrow)
			case semiring.I128:
				leaves[l].I128 = append(leaves[l].I128, wide)
			case semiring.F64:
				leaves[l].F64 = append(leaves[l].F64, n.Float64())
			}
			if !ok && leaves[l].Elem != semiring.F64 && leaves[l].Elem != semiring.Pattern {
				t.Fatalf("%s.%s: %v is no integer", in.Name, in.Leaves[l].Name, n)
			}
		}
	}
	dims := make([]int, len(in.Domains))
	for m, d := range in.Domains {
		dims[m] = len(db.domains[d])
	}
	b := fibers.NewBuilder(len(dims), specs)
	if err := b.Append(len(data.Entries), coords, leaves); err != nil {
		t.Fatal(err)
	}
	coo, err := b.Finish(context.Background(), dims)
	if err != nil {
		t.Fatal(err)
	}
	return coo
}

// run executes a plan step by step.
func (db *database) run(pp *physical.Plan, opt exec.Options) (*interp.Tensor, error) {
	ctx := context.Background()
	var last *interp.Tensor
	for i := 0; i < len(pp.Steps); i++ {
		s := pp.Steps[i]
		if s.Output.Lockstep {
			continue // it runs with the one that reads it
		}
		out, err := db.lockstep(ctx, pp, s, opt)
		switch {
		case out != nil || err != nil:
		case s.Output.Fused:
			i++
			out, err = db.fuse(ctx, s, pp.Steps[i], opt)
			s = pp.Steps[i]
		default:
			out, err = db.step(ctx, s, opt)
		}
		if err != nil {
			return nil, err
		}
		db.keep(s, out)
		last = db.read(s, out)
	}
	return last, nil
}

// step runs a step alone.
func (db *database) step(ctx context.Context, s *physical.Step, opt exec.Options) (*fibers.Tensor, error) {
	in, err := db.inputs(ctx, s)
	if err != nil {
		return nil, err
	}
	out, _, err := exec.RunStep(ctx, s, in, opt)
	return out, err
}

// fuse runs a step with the one that takes its entries.
func (db *database) fuse(ctx context.Context, s, reader *physical.Step, opt exec.Options) (*fibers.Tensor, error) {
	in, err := db.inputs(ctx, s)
	if err != nil {
		return nil, err
	}
	db.fused++
	db.taken = s.Query.Name
	into, err := db.inputs(ctx, reader)
	if err != nil {
		return nil, err
	}
	out, ran, err := exec.RunFused(ctx, s, reader, in, into, opt, nil)
	if strings.HasPrefix(ran.Into.Kernel, "fused ") && ran.Into.Kernel != "fused columns" {
		db.nested++
	}
	return out, err
}

// keep stores a step's result.
func (db *database) keep(s *physical.Step, out *fibers.Tensor) {
	db.results[s.Query.Name] = out
	db.modes[s.Query.Name] = nil
	for _, x := range s.Query.Idxs {
		db.modes[s.Query.Name] = append(db.modes[s.Query.Name], x.Domain)
	}
}

// lockstep runs a step with those in lockstep with it; nil: there are none, or they
// have been run alone.
func (db *database) lockstep(ctx context.Context, pp *physical.Plan, s *physical.Step, opt exec.Options) (*fibers.Tensor, error) {
	var parts []exec.Part
	for _, part := range pp.LockstepOf(s) {
		in, err := db.inputs(ctx, part)
		if err != nil {
			return nil, err
		}
		parts = append(parts, exec.Part{Step: part, In: in})
	}
	if len(parts) == 0 {
		return nil, nil
	}
	out, _, err := exec.RunLockstep(ctx, parts, s, db.sizes(s), opt)
	if !errors.Is(err, exec.ErrNoLockstep) {
		db.paced++
		return out, err
	}
	for _, part := range parts {
		out, err := db.step(ctx, part.Step, opt)
		if err != nil {
			return nil, err
		}
		db.keep(part.Step, out)
	}
	return nil, nil
}

func (db *database) inputs(ctx context.Context, s *physical.Step) (exec.Inputs, error) {
	in := db.sizes(s)
	for i := range s.Operands {
		if s.Operands[i].Tensor == db.taken {
			in.Operands = append(in.Operands, nil)
			continue
		}
		tensor, err := db.operand(ctx, &s.Operands[i])
		if err != nil {
			return in, err
		}
		in.Operands = append(in.Operands, tensor)
	}
	return in, nil
}

// sizes binds a step's domains.
func (db *database) sizes(s *physical.Step) exec.Inputs {
	in := exec.Inputs{Dims: map[string]int{}, Ranks: map[int][]int32{}}
	for _, l := range s.Loops {
		in.Dims[l.Index.Name] = len(db.domains[l.Index.Domain])
	}
	for d, values := range db.domains {
		for i, v := range values {
			rank := int32(i)
			if v.IsNull() {
				rank = -1
			}
			in.Ranks[d] = append(in.Ranks[d], rank)
		}
	}
	return in
}

func (db *database) operand(ctx context.Context, o *physical.Operand) (*fibers.Tensor, error) {
	tensor := db.results[o.Tensor]
	if tensor == nil {
		var err error
		if tensor, err = db.coos[o.Tensor].Tensor(ctx, o.Order, o.Formats); err != nil {
			return nil, err
		}
	}
	for _, m := range o.Order {
		c := o.Args[m].Const
		if c == nil {
			continue
		}
		at := slices.IndexFunc(db.domains[db.modes[o.Tensor][m]], func(v interp.Value) bool {
			return !c.Null && !v.IsNull() && v.Text() == c.Text
		})
		tensor = tensor.Fix(fibers.Coord(at))
	}
	return tensor, nil
}

// read decodes a step's result.
func (db *database) read(s *physical.Step, t *fibers.Tensor) *interp.Tensor {
	out := &interp.Tensor{}
	for _, l := range s.Query.Leaves {
		out.Leaves = append(out.Leaves, l.Name)
	}
	t.Each(func(coords []fibers.Coord, pos int32) bool {
		e := interp.Entry{Coord: make([]interp.Value, len(coords))}
		for l, x := range s.Output.Order {
			e.Coord[slices.Index(s.Query.Idxs, x)] = db.domains[x.Domain][coords[l]]
		}
		for l := range t.Leaves {
			if leaf := &t.Leaves[l]; leaf.Elem == semiring.F64 {
				e.Leaves = append(e.Leaves, interp.NumFloat(leaf.Float64(pos)))
			} else {
				e.Leaves = append(e.Leaves, interp.NumBig(leaf.Int128(pos).Big()))
			}
		}
		out.Entries = append(out.Entries, e)
		return true
	})
	return out
}

// TestExecuted plans random programs under random statistics and executes the
// plans: loops, layouts, formats, protocols, workspaces, morsels and threads change
// nothing.
func TestExecuted(t *testing.T) {
	programs := 2000
	if testing.Short() {
		programs = 300
	}
	executed, refused, fused := 0, 0, 0
	for seed := range uint64(programs) {
		rng := rand.New(rand.NewPCG(seed, 13))
		p, data := interp.RandomProgram(rng, interp.RandomOptions{NoUnions: seed%4 != 0, Wide: seed%3 == 0})
		if repeatsIndex(p) {
			continue
		}
		_, pp, err := optimizer.Optimize(p, &randomSource{rng: rng, tensors: map[string]stats.TensorStats{}}, optimizer.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		want, err := interp.Run(p, data, nil)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		db := newDatabase(t, p, data)
		got, err := db.run(pp, exec.Options{NoRegistry: seed%2 == 0, Threads: 1 + int(seed%5)/2, Morsels: int(seed % 3 * 7)})
		var unsupported *sqlerr.Error
		if errors.As(err, &unsupported) && unsupported.Code == sqlerr.FeatureNotSupported {
			refused++
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, p, pp)
		}
		last := p.Queries[len(p.Queries)-1].Name
		if diff := interp.Diff(got, want[last], 1e-9); diff != "" {
			t.Fatalf("seed %d: %s\n%s\n%s", seed, diff, p, pp)
		}
		executed++
		fused += db.fused
	}
	t.Logf("%d of %d programs executed, %d refused, %d pairs of steps fused", executed, programs, refused, fused)
	if fused < programs/25 {
		t.Errorf("only %d pairs of steps were fused", fused)
	}
	if executed < programs/2 {
		t.Errorf("only %d of %d programs were executed", executed, programs)
	}
}

// TestAnyOrder plans random programs with any loop orders, layouts, workspaces and
// formats that are legal, which change no answer.
func TestAnyOrder(t *testing.T) {
	programs := 1500
	if testing.Short() {
		programs = 250
	}
	executed, nested, paced, seen := 0, 0, 0, map[string]int{}
	for seed := range uint64(programs) {
		rng := rand.New(rand.NewPCG(seed, 29))
		p, data := interp.RandomProgram(rng, interp.RandomOptions{NoUnions: seed%4 != 0, Wide: seed%3 == 0})
		if repeatsIndex(p) {
			continue
		}
		src := &randomSource{rng: rng, tensors: map[string]stats.TensorStats{}}
		_, pp, err := optimizer.Optimize(p, src, optimizer.Options{Any: rng})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		if err := pp.Check(); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, pp)
		}
		want, err := interp.Run(p, data, nil)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		db := newDatabase(t, p, data)
		got, err := db.run(pp, exec.Options{NoRegistry: seed%2 == 0, Threads: 1 + int(seed%5)/2, Morsels: int(seed % 3 * 7)})
		var unsupported *sqlerr.Error
		if errors.As(err, &unsupported) && unsupported.Code == sqlerr.FeatureNotSupported {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, p, pp)
		}
		last := p.Queries[len(p.Queries)-1].Name
		if diff := interp.Diff(got, want[last], 1e-9); diff != "" {
			t.Fatalf("seed %d: %s\n%s\n%s", seed, diff, p, pp)
		}
		executed++
		nested += db.nested
		paced += db.paced
		count(seen, pp)
	}
	t.Logf("%d of %d programs executed, %d pairs of steps nested, %d steps with others in lockstep: %v", executed, programs, nested, paced, seen)
	if nested < programs/50 {
		t.Errorf("only %d pairs of steps were nested", nested)
	}
	if executed < programs/2 {
		t.Errorf("only %d of %d programs were executed", executed, programs)
	}
	for _, what := range []string{
		"dense", "sparse", "bytemap", "hash", "workspace none", "workspace dense", "workspace hash", "workspace sort", "reorder",
	} {
		if seen[what] < executed/100 {
			t.Errorf("only %d plans have %s", seen[what], what)
		}
	}
}
