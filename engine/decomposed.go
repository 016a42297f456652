package engine

import (
	"context"
	"errors"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/engine/cache"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/optimizer/logical"
	"github.com/trireme-db/trireme/optimizer/stats"
	"github.com/trireme-db/trireme/translate"
)

// decomposed runs a translated SELECT as one SQL statement per aggregate on
// DuckDB, in one transaction of a connection of its own. It loads nothing.
func (q *queryRun) decomposed(ctx context.Context, tr *translate.Result, p *programTrace) (rows.Cursor, error) {
	made, steps, err := q.decompose(ctx, tr)
	if err != nil {
		return nil, err
	}
	p.decomposedInto(made, steps)
	plan := made.logical
	if len(tr.Checks) > 0 {
		steps = tabulateLast(steps)
	}
	run := duckbackend.Run{Steps: steps, Before: func(c *duckbackend.Conn) error { return checkTables(ctx, tr, plan, c) }}
	for _, rel := range tr.Relations {
		cur, err := q.relationRows(ctx, tr, rel.Table)
		if err != nil {
			return nil, errors.Join(err, closeRelations(run.Relations))
		}
		run.Relations = append(run.Relations, duckbackend.Relation{Name: rel.Table.Name, Rows: cur})
	}
	cur, err := q.engine.db.RunDecomposed(ctx, nil, run)
	if cerr := closeRelations(run.Relations); err == nil && cerr != nil {
		err = errors.Join(cerr, cur.Close())
	}
	if err != nil {
		return nil, scanError(ctx, err)
	}
	if !q.unchanged() {
		return nil, errors.Join(errStale, cur.Close())
	}
	return newAnswer(cur, tr, nil), nil
}

func closeRelations(rels []duckbackend.Relation) error {
	var err error
	for _, r := range rels {
		err = errors.Join(err, r.Rows.Close())
	}
	return err
}

// tabulateLast makes a table of the last step too, so that checks can read it.
func tabulateLast(steps []duckbackend.Step) []duckbackend.Step {
	last := steps[len(steps)-1]
	out := append([]duckbackend.Step{}, steps[:len(steps)-1]...)
	name := load.Quote(last.Name)
	return append(out,
		duckbackend.Step{Name: last.Name, SQL: "CREATE TEMP TABLE " + name + " AS\n" + last.SQL},
		duckbackend.Step{Name: "answer", SQL: "SELECT * FROM " + name})
}

// boundOf measures a bound on a step's table or on a derived table's load.
func boundOf(ctx context.Context, tr *translate.Result, c *duckbackend.Conn, b translate.LeafBound) (lo, hi semiring.Int128, ok bool, err error) {
	for _, l := range tr.Loads {
		if l.Name == b.Tensor {
			return c.LoadRange(ctx, temporary(l), b.Lo, b.Hi)
		}
	}
	return c.LeafRange(ctx, b.Tensor, b.Lo, b.Hi, b.Valid)
}

// temporary is a load with the table that a derived table's rows are put in.
func temporary(l *load.Spec) *load.Spec {
	if l.Table.Catalog != translate.RelationCatalog {
		return l
	}
	out := *l
	out.Table = load.Table{Catalog: "temp", Schema: "main", Name: l.Table.Name}
	return &out
}

// checkTables evaluates the program's checks on the steps' tables.
func checkTables(ctx context.Context, tr *translate.Result, plan *logical.Plan, c *duckbackend.Conn) error {
	var failed error
	for i := range tr.Checks {
		fits := tr.Checks[i].Fits(func(b *translate.LeafBound) *translate.Interval {
			lo, hi, ok, err := boundOf(ctx, tr, c, planned(plan, *b))
			if err != nil {
				failed = errors.Join(failed, err)
			}
			if !ok {
				return nil
			}
			return &translate.Interval{Lo: lo.Big(), Hi: hi.Big()}
		})
		if failed != nil {
			return failed
		}
		if !fits {
			return &translate.Ineligible{Reason: "may overflow " + tr.Checks[i].Type.String()}
		}
	}
	return nil
}

// decompose plans by estimates from before loading and prints the statements.
func (q *queryRun) decompose(ctx context.Context, tr *translate.Result) (*planTrace, []duckbackend.Step, error) {
	src, err := q.preload(ctx, tr)
	if err != nil {
		return nil, nil, err
	}
	made, err := q.planLogical(tr, src)
	if err != nil {
		return nil, nil, err
	}
	loads := make([]*load.Spec, len(tr.Loads))
	for i, l := range tr.Loads {
		loads[i] = temporary(l)
	}
	steps, err := duckbackend.Decompose(made.logical, loads)
	return made, steps, unplanned(err)
}

// preloadSource estimates from DuckDB's figures for the version.
type preloadSource struct {
	rows     map[string]float64   // by input
	distinct map[string][]float64 // by input and mode
}

// preload measures rows and distinct keys of all loads (ARCHITECTURE section 5).
func (q *queryRun) preload(ctx context.Context, tr *translate.Result) (*preloadSource, error) {
	src := &preloadSource{rows: map[string]float64{}, distinct: map[string][]float64{}}
	for _, l := range tr.Loads {
		if l.Table.Catalog == translate.RelationCatalog || l.UsesParams() {
			src.unknown(l)
			continue
		}
		var exprs []string
		var types []rows.Type
		for _, k := range l.Keys {
			if !k.RowIndex {
				exprs, types = append(exprs, k.Expr), append(types, k.Type)
			}
		}
		facts, err := q.facts.Columns(ctx, q.workers.lend, l.Table, q.version(l.Table), exprs, types, q.unchanged)
		if err != nil {
			return nil, err
		}
		src.add(l, facts)
	}
	return src, nil
}

// unknownRows stands for a derived table's rows before it has run.
const unknownRows = 1000

func (s *preloadSource) unknown(l *load.Spec) {
	s.rows[l.Name] = unknownRows
	for range l.Keys {
		s.distinct[l.Name] = append(s.distinct[l.Name], unknownRows)
	}
}

// predicateFraction is the part of the rows that a load's predicate is assumed
// to keep; System R's figure for a condition it knows nothing of is 1/3.
const predicateFraction = 1.0 / 3

func (s *preloadSource) add(l *load.Spec, facts []cache.Fact) {
	n := float64(facts[0].Rows)
	kept := n
	if l.Where != "" {
		kept *= predicateFraction
	}
	product, at := 1.0, 0
	for _, k := range l.Keys {
		d := n
		if !k.RowIndex {
			d = float64(facts[at].Distinct)
			at++
		}
		d = max(1, min(d, kept))
		product *= d
		s.distinct[l.Name] = append(s.distinct[l.Name], d)
	}
	s.rows[l.Name] = min(kept, product)
}

// Stats implements stats.Source.
func (s *preloadSource) Stats(a *einsum.Access) stats.TensorStats {
	out := stats.TensorStats{NNZ: s.rows[a.Tensor]}
	for m, arg := range a.Args {
		d := s.distinct[a.Tensor][m]
		if arg.Const != nil {
			out.NNZ /= d
			continue
		}
		out.Dims = append(out.Dims, d)
		out.Distinct = append(out.Distinct, d)
	}
	for i := range out.Distinct {
		out.Distinct[i] = min(out.Distinct[i], max(1, out.NNZ))
	}
	return out
}
