package engine

import (
	"context"
	"errors"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/optimizer/logical"
	"github.com/trireme-db/trireme/translate"
)

// decomposed runs a translated SELECT as one SQL statement per aggregate on
// DuckDB, in one transaction of a connection of its own. It loads nothing.
func (q *queryRun) decomposed(ctx context.Context, tr *translate.Result, p *programTrace) ([]rows.Cursor, error) {
	made, steps, err := q.decompose(ctx, tr)
	if err != nil {
		return nil, err
	}
	p.decomposedInto(made, steps)
	plan := made.logical
	if len(tr.Checks) > 0 || len(tr.Arms) > 0 {
		steps = tabulateLast(steps)
	}
	if q.zone == "" {
		steps = append(q.zoneStep(), steps...)
	}
	run := duckbackend.Run{Steps: steps, Before: func(c *duckbackend.Conn) error { return checkTables(ctx, tr, plan, c) }}
	for _, rel := range tr.Relations {
		cur, err := q.relationRows(ctx, tr, rel.Table)
		if err != nil {
			return nil, errors.Join(err, closeRelations(run.Relations))
		}
		run.Relations = append(run.Relations, duckbackend.Relation{Name: rel.Table.Name, Rows: cur})
	}
	entries, err := q.runSteps(ctx, tr, run)
	if cerr := closeRelations(run.Relations); err == nil && cerr != nil {
		err = errors.Join(cerr, closeAll(entries))
	}
	if err != nil {
		return nil, q.scanError(ctx, err)
	}
	if !q.unchanged() {
		return nil, errors.Join(errStale, closeAll(entries))
	}
	return relations(entries, tr, nil), nil
}

// runSteps runs the statements to the entries of every answer.
func (q *queryRun) runSteps(ctx context.Context, tr *translate.Result, run duckbackend.Run) ([]rows.Cursor, error) {
	if tr.Arms == nil {
		cur, err := q.engine.db.RunDecomposed(ctx, nil, run)
		if err != nil {
			return nil, err
		}
		return []rows.Cursor{cur}, nil
	}
	run.Steps = run.Steps[:len(run.Steps)-1] // the answers are read from tables
	tables, err := q.engine.db.RunTables(ctx, run)
	if err != nil {
		return nil, err
	}
	open := &openTables{Tables: tables, readers: len(tr.Arms)}
	var out []rows.Cursor
	for _, a := range tr.Arms {
		out = append(out, &tableCursor{tables: open, step: a.Output})
	}
	return out, nil
}

// openTables are the tables of an execution while somebody is to read them.
type openTables struct {
	*duckbackend.Tables
	readers int
}

// tableCursor reads a step's table once it is asked for rows.
type tableCursor struct {
	tables *openTables // nil once closed
	step   string
	cur    rows.Cursor // nil: not asked yet
}

// Columns are those of the table, once it is read; the answer names them.
func (c *tableCursor) Columns() []rows.Column {
	if c.cur == nil {
		return nil
	}
	return c.cur.Columns()
}

// Next returns the table's next rows.
func (c *tableCursor) Next(ctx context.Context) (*rows.Batch, error) {
	if c.cur == nil {
		cur, err := c.tables.Read(ctx, c.step)
		if err != nil {
			return nil, err
		}
		c.cur = cur
	}
	return c.cur.Next(ctx)
}

// Close ends the reading, and with the last one that of all tables.
func (c *tableCursor) Close() error {
	if c.tables == nil {
		return nil
	}
	tables := c.tables
	c.tables = nil
	var err error
	if c.cur != nil {
		err = c.cur.Close()
	}
	if tables.readers--; tables.readers == 0 {
		err = errors.Join(err, tables.Close())
	}
	return err
}

// closeAll closes cursors.
func closeAll(cursors []rows.Cursor) error {
	var err error
	for _, c := range cursors {
		err = errors.Join(err, c.Close())
	}
	return err
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
			return &translate.Ineligible{Reason: tr.Checks[i].Refusal()}
		}
	}
	return nil
}

// decompose plans by estimates from before loading and prints the statements.
func (q *queryRun) decompose(ctx context.Context, tr *translate.Result) (*planTrace, []duckbackend.Step, error) {
	src, program, err := q.preload(ctx, tr)
	if err != nil {
		return nil, nil, err
	}
	made, err := q.planLogical(ctx, tr, program, src)
	if err != nil {
		return nil, nil, err
	}
	loads := make([]*load.Spec, len(tr.Loads))
	for i, l := range tr.Loads {
		loads[i] = temporary(l)
	}
	steps, err := duckbackend.Decompose(made.logical, loads)
	if q.zone != "" {
		steps = append(q.zoneStep(), steps...)
	}
	return made, steps, unplanned(err)
}

// zoneStep sets the time zone of the connection that runs the steps. EXPLAIN shows
// it where it is not the engine's.
func (q *queryRun) zoneStep() []duckbackend.Step {
	return []duckbackend.Step{{Setting: true, SQL: q.workers.zoneSQL()}}
}
