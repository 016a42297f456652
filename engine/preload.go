package engine

import (
	"context"
	"slices"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/engine/cache"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/optimizer/stats"
	"github.com/trireme-db/trireme/translate"
)

// preloadSource estimates from DuckDB's figures for the version.
type preloadSource struct {
	params []load.Param
	inputs map[string]*preloadInput
}

// preloadInput is what is known of an input that is not loaded.
type preloadInput struct {
	nnz, rows      float64 // entries; rows that make them
	distinct, dims []float64
	common         map[int]cache.CommonFacts // by mode that the program binds to constants
}

// preload measures all loads, rows that their predicates keep included, and
// returns the program with the facts that hold before any load: declared keys,
// counts and sums of what is never negative (ARCHITECTURE section 5).
func (q *queryRun) preload(ctx context.Context, tr *translate.Result) (*preloadSource, *einsum.Program, error) {
	src := &preloadSource{params: q.params, inputs: map[string]*preloadInput{}}
	p := &einsum.Program{Queries: tr.Program.Queries}
	for i, spec := range tr.Loads {
		in := tr.Program.Inputs[i]
		if spec.Table.Catalog == translate.RelationCatalog || spec.UsesParams() && len(q.params) == 0 {
			src.inputs[spec.Name] = unknownInput(spec)
			p.Inputs = append(p.Inputs, in)
			continue
		}
		keys, err := q.declaredKeys(ctx, spec)
		if err != nil {
			return nil, nil, err
		}
		leaves, err := q.declaredLeaves(ctx, spec, in.Leaves)
		if err != nil {
			return nil, nil, err
		}
		p.Inputs = append(p.Inputs, &einsum.Input{Name: in.Name, Domains: in.Domains, Leaves: leaves, Keys: keys})
		if src.inputs[spec.Name], err = q.preloadInput(ctx, tr.Program, spec, keys); err != nil {
			return nil, nil, err
		}
	}
	return src, p, nil
}

// unknownRows stands for a derived table's rows before it has run.
const unknownRows = 1000

// predicateFraction is the part of the rows that a predicate is assumed to keep
// that DuckDB cannot evaluate on every row; System R's figure for a condition it
// knows nothing of.
const predicateFraction = 1.0 / 3

func unknownInput(spec *load.Spec) *preloadInput {
	in := &preloadInput{nnz: unknownRows, rows: unknownRows}
	for range spec.Keys {
		in.distinct = append(in.distinct, unknownRows)
	}
	in.dims = in.distinct
	return in
}

func (q *queryRun) preloadInput(ctx context.Context, p *einsum.Program, spec *load.Spec, keys [][]int) (*preloadInput, error) {
	version := q.version(spec.Table)
	facts, err := q.facts.Load(ctx, q.workers.lend, spec, version, q.unchanged)
	if err != nil {
		return nil, err
	}
	if facts.Err != nil {
		return q.uncounted(ctx, spec)
	}
	in := &preloadInput{rows: float64(facts.Rows), common: map[int]cache.CommonFacts{}}
	product := 1.0
	for m := range spec.Keys {
		d := facts.Distinct(spec, m)
		if isKey(keys, m) {
			d = in.rows
		}
		in.distinct = append(in.distinct, d)
		in.dims = append(in.dims, max(1, d, facts.Dim(spec, m)))
		product *= max(d, 1)
	}
	in.nnz = min(in.rows, product)
	if len(keys) > 0 {
		in.nnz = in.rows
	}
	for _, m := range boundModes(p, spec.Name) {
		if spec.Keys[m].RowIndex {
			continue
		}
		if in.common[m], err = q.facts.Common(ctx, q.workers.lend, spec, m, version, q.unchanged); err != nil {
			return nil, err
		}
	}
	return in, nil
}

func isKey(keys [][]int, mode int) bool {
	return slices.ContainsFunc(keys, func(k []int) bool { return len(k) == 1 && k[0] == mode })
}

// uncounted describes a load of which DuckDB cannot evaluate an expression on
// every row.
func (q *queryRun) uncounted(ctx context.Context, spec *load.Spec) (*preloadInput, error) {
	facts, err := q.facts.Columns(ctx, q.workers.lend, spec.Table, q.version(spec.Table), nil, nil, q.unchanged)
	if err != nil {
		return nil, err
	}
	in := &preloadInput{rows: float64(facts[0].Rows) * predicateFraction}
	in.nnz = in.rows
	for range spec.Keys {
		in.distinct = append(in.distinct, max(1, in.rows))
	}
	in.dims = in.distinct
	return in, nil
}

// boundModes are the modes of a tensor that the program binds to constants.
func boundModes(p *einsum.Program, tensor string) []int {
	var modes []int
	for _, q := range p.Queries {
		for _, l := range q.Leaves {
			for _, a := range einsum.Accesses(l.Expr) {
				for m, x := range a.Args {
					if a.Tensor == tensor && x.Const != nil && !slices.Contains(modes, m) {
						modes = append(modes, m)
					}
				}
			}
		}
	}
	slices.Sort(modes)
	return modes
}

// declaredKeys are the keys of a load's tensor: the row index, and the modes
// whose columns a PRIMARY KEY or UNIQUE constraint names. A UNIQUE column may
// hold NULL more than once.
func (q *queryRun) declaredKeys(ctx context.Context, spec *load.Spec) ([][]int, error) {
	declared, err := q.facts.DeclaredKeys(ctx, q.workers.lend, spec.Table, q.version(spec.Table), q.unchanged)
	if err != nil {
		return nil, err
	}
	var keys [][]int
	for m, k := range spec.Keys {
		if k.RowIndex {
			keys = cache.AddKey(keys, []int{m})
		}
	}
	for _, d := range declared {
		if modes := modesOf(spec, d); modes != nil {
			keys = cache.AddKey(keys, modes)
		}
	}
	return keys, nil
}

// declaredLeaves says which leaves are never negative: counts, and exact sums of
// an expression whose least value is at least 0. MIN and MAX of nothing are no
// values.
func (q *queryRun) declaredLeaves(ctx context.Context, spec *load.Spec, leaves []einsum.LeafDecl) ([]einsum.LeafDecl, error) {
	out := slices.Clone(leaves)
	for i, l := range spec.Leaves {
		switch l.Moment {
		case load.Rows, load.Count:
			out[i].NonNegative = true
		case load.Sum:
			if phys := l.Type.Physical(); phys != rows.PhysInt64 && phys != rows.PhysInt128 {
				continue
			}
			lo, _, ok, err := q.Range(ctx, spec.Table, l.Expr, l.Type)
			if err != nil {
				return nil, err
			}
			out[i].NonNegative = ok && lo.Sign() >= 0
		}
	}
	return out, nil
}

// modesOf returns the modes, ascending, that are the columns of a constraint;
// nil when one is missing.
func modesOf(spec *load.Spec, d duckbackend.DeclaredKey) []int {
	var modes []int
	for _, name := range d.Columns {
		m := slices.IndexFunc(spec.Keys, func(k load.Key) bool {
			return load.SameName(k.Expr, load.Quote(name)) && (d.Primary || k.Null == load.DropNull)
		})
		if m < 0 {
			return nil
		}
		modes = append(modes, m)
	}
	slices.Sort(modes)
	return modes
}

// Stats implements stats.Source.
func (s *preloadSource) Stats(a *einsum.Access) stats.TensorStats {
	in := s.inputs[a.Tensor]
	out := stats.TensorStats{NNZ: in.nnz}
	for m, arg := range a.Args {
		d := in.distinct[m]
		if arg.Const != nil {
			out.NNZ *= in.share(m, s.text(arg.Const))
			continue
		}
		out.Dims = append(out.Dims, in.dims[m])
		out.Distinct = append(out.Distinct, d)
	}
	for i := range out.Distinct {
		out.Distinct[i] = min(out.Distinct[i], max(1, out.NNZ))
	}
	return out
}

// share is the part of the entries that have a value in a mode.
func (in *preloadInput) share(mode int, text string) float64 {
	if common, ok := in.common[mode]; ok {
		return common.Share(text, in.rows, in.distinct[mode])
	}
	return 1 / max(in.distinct[mode], 1)
}

// text is a constant's value; NULL, which matches nothing, has none of a value.
func (s *preloadSource) text(c *einsum.Const) string {
	if c.Param > 0 && c.Param <= len(s.params) {
		return s.params[c.Param-1].Text
	}
	return c.Text
}
