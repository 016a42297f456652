package engine

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/engine/difftest"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// bindSteps binds the constants of a share of the steps' statements.
func bindSteps(rng *rand.Rand, steps []difftest.Step, percent int) error {
	for i := range steps {
		q := steps[i].Query
		if q.SQL == "" || len(q.Args) > 0 || rng.IntN(100) >= percent {
			continue
		}
		bound, err := difftest.Bind(rng, q)
		if err != nil {
			return fmt.Errorf("%w: %s", err, q.SQL)
		}
		steps[i].Bound = bound
	}
	return nil
}

// form is the query of a step with its constants bound, if they are: with types left open
// if every parameter has one at its place and DuckDB takes the text as it is written.
func (w *wideWorker) form(step difftest.Step) difftest.Query {
	if open := step.Bound.Open; open.SQL != "" {
		code := w.preparesOpen(open)
		if code == "" {
			w.count.bound["open"]++
			return open
		}
		w.count.bound["open: "+code]++
	}
	if declared := step.Bound.Declared; declared.SQL != "" {
		code := w.oracleTakes(declared)
		if code == "" {
			w.count.bound["declared"]++
			return declared
		}
		w.count.bound["declared: "+code]++
	}
	return step.Query
}

// preparesOpen is why a statement is not executed with its parameters left open; empty: it is.
func (w *wideWorker) preparesOpen(q difftest.Query) string {
	if code := w.oracleTakes(q); code != "" {
		return code
	}
	p, err := w.ways[0].session.Prepare(context.Background(), q.SQL, q.Types)
	if err != nil && sqlerr.From(err).Code[:2] == "42" {
		return "no type for a parameter: " + sqlerr.From(err).Code
	}
	if p != nil {
		if err := p.Close(); err != nil {
			w.t.Error(err)
		}
	}
	return ""
}

// oracleTakes is why the written texts of a query are not statements of DuckDB's; empty: they are.
func (w *wideWorker) oracleTakes(q difftest.Query) string {
	for _, sql := range q.Written {
		if _, err := w.oracle.Describe(context.Background(), sql, nil); err != nil && sqlerr.From(err).Code[:2] != "22" {
			return "DuckDB does not take the text: " + sqlerr.From(err).Code
		}
	}
	return ""
}

// asBound are two tables, of a text with constants and of one with parameters, without
// what the two say differently: names of expressions; types of numbers and of what is NULL in all
// rows, if a parameter is NULL, for DuckDB's constant has another one; and types of numbers, if a
// parameter is a numeric or may be one: the DOUBLE that a remainder of many digits is, and the width
// of a DECIMAL, are of the values that it had before. Its scale is not.
func asBound(x wideExecution, want, got difftest.Table) (difftest.Table, difftest.Table) {
	if len(want.Columns) != len(got.Columns) {
		return want, got
	}
	want.Columns = slices.Clone(want.Columns)
	hasNull := slices.ContainsFunc(x.args, func(a Arg) bool { return a.Null })
	hasNumeric := slices.ContainsFunc(x.query.Types, func(t rows.Type) bool { return t == anyDigits || t.ID == rows.Invalid })
	for i := range want.Columns {
		w, g := &want.Columns[i], got.Columns[i]
		if strings.Contains(g.Name, "$") {
			w.Name = g.Name
		}
		switch {
		case w.Type == g.Type:
		case hasNull && isNullColumn(want, i) && isNullColumn(got, i):
			w.Type = g.Type
		case !hasNull && w.Type.IsExact() && g.Type.IsExact() && w.Type.Scale != g.Type.Scale:
		case (hasNull || hasNumeric) && isNumberType(w.Type) && isNumberType(g.Type):
			want, got = inDigits(want, i), inDigits(got, i)
		}
	}
	return want, got
}

func isNumberType(t rows.Type) bool { return t.IsExact() || t.IsFloat() }

func isNullColumn(t difftest.Table, column int) bool {
	return !slices.ContainsFunc(t.Rows, func(row []difftest.Cell) bool { return row[column] != nil })
}

// inDigits is a table with the numbers of a column as texts.
func inDigits(t difftest.Table, column int) difftest.Table {
	t.Columns = slices.Clone(t.Columns)
	scale := t.Columns[column].Type.Scale
	t.Columns[column].Type = rows.Type{ID: rows.Varchar}
	t.Rows = slices.Clone(t.Rows)
	for i, row := range t.Rows {
		if row[column] == nil {
			continue
		}
		n, ok := new(big.Rat).SetString(fmt.Sprint(row[column]))
		if !ok {
			continue
		}
		tens := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
		row = slices.Clone(row)
		row[column] = n.Quo(n, new(big.Rat).SetInt(tens)).RatString()
		t.Rows[i] = row
	}
	return t
}
