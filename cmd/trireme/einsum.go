package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trireme-db/trireme/einsum/expr"
	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

type einsumOptions struct {
	databaseOptions
	semiring     string
	out          string
	format       string
	integers     bool
	explain      bool
	sql          bool
	inline       bool
	flat         bool
	materialized bool
}

func newEinsum() *cobra.Command {
	var o einsumOptions
	cmd := &cobra.Command{
		Use:   "einsum EXPRESSION FILE...",
		Short: "Compute an Einstein summation over files of tensors, or print its SQL",
		Long: `Compute an Einstein summation, as in trireme einsum 'ijk,kl->ijl' A.tns B.mtx.

Files are FROSTT (.tns), Matrix Market (.mtx), lists of edges (.txt, .edges), CSV (.csv) and Parquet
(.parquet); the first ones may be compressed (.gz). Their last column is the value; a file with a
column for each index of its term has none, and every row counts as 1 (as 0 under max_plus and
min_plus). Coordinates are as they are in the files. What is not a file is a table of --db.

--sql prints the SQL for any database instead: a common table expression per contraction of two
operands, over tables named after the files, or with --inline over the tensors themselves.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args[0], args[1:], cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	o.addFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.semiring, "semiring", expr.SumProduct.String(), "sum_product, max_plus, min_plus, or_and or count")
	f.StringVar(&o.out, "out", "", "file for the result: .tns, .mtx, .csv or .parquet (default: print it)")
	f.StringVar(&o.format, "format", "table", "of what is printed: table, csv or json")
	f.BoolVar(&o.integers, "integers", false, "values of tns and edges files are BIGINT, not DOUBLE")
	f.BoolVar(&o.explain, "explain", false, "print the plan instead")
	f.BoolVar(&o.sql, "sql", false, "print SQL instead")
	f.BoolVar(&o.inline, "inline", false, "with --sql: the tensors are part of the SQL, as VALUES")
	f.BoolVar(&o.flat, "flat", false, "with --sql: one SELECT over all operands")
	f.BoolVar(&o.materialized, "materialized", false, "with --sql: steps are AS MATERIALIZED (DuckDB, PostgreSQL 12, SQLite 3.35)")
	cmd.MarkFlagsMutuallyExclusive("explain", "sql", "out")
	return cmd
}

func (o *einsumOptions) run(ctx context.Context, expression string, files []string, out, errOut io.Writer) error {
	printer, err := printerOf(o.format)
	if err != nil {
		return err
	}
	semiring, err := expr.SemiringByName(o.semiring)
	if err != nil {
		return err
	}
	if (o.inline || o.flat || o.materialized) && !o.sql {
		return sqlerr.New(sqlerr.InvalidParameter, "--inline, --flat and --materialized are of --sql")
	}
	return o.withSession(ctx, errOut, func(s *engine.Session) error {
		job := &einsumJob{einsumOptions: o, session: s, semiring: semiring}
		return job.run(ctx, expression, files, printer, out, errOut)
	})
}

// einsumJob is an expression over tables.
type einsumJob struct {
	*einsumOptions
	session  *engine.Session
	semiring expr.Semiring
	tables   []*tensorTable
	expr     *expr.Expr
	operands []expr.Operand
}

// run loads the files and does what the options ask for.
func (j *einsumJob) run(ctx context.Context, expression string, files []string, print printer, out, errOut io.Writer) error {
	load := &tensorFiles{session: j.session, integers: j.integers, stored: j.path != ":memory:", errOut: errOut, tables: map[string]*tensorTable{}}
	for _, file := range files {
		t, err := load.table(ctx, file)
		if err != nil {
			return err
		}
		j.tables = append(j.tables, t)
	}
	if err := j.read(expression); err != nil {
		return err
	}
	switch {
	case j.sql:
		return j.printSQL(ctx, out)
	case j.explain: // of the tensor engine, whoever would answer
		if err := runOne(ctx, j.session, "SET trireme.backend = 'native'", printLines, io.Discard); err != nil {
			return err
		}
		return runOne(ctx, j.session, "EXPLAIN "+j.statement(), printLines, out)
	case j.out != "":
		return j.write(ctx)
	}
	return runOne(ctx, j.session, j.statement()+j.order(), print, out)
}

// read parses the expression and finds out which tables have values.
func (j *einsumJob) read(expression string) error {
	bare, err := expr.Parse(expression, nil) // of an ellipsis the modes are not known yet
	modes := make([]int, len(j.tables))
	for i, t := range j.tables {
		modes[i] = len(t.columns) - 1
		operand := expr.Operand{From: quoteName(t.name), Modes: t.columns[:modes[i]], Value: t.columns[modes[i]]}
		if err == nil && i < len(bare.Terms) && len(bare.Terms[i]) == len(t.columns) {
			modes[i]++
			operand.Modes, operand.Value = t.columns, ""
		}
		j.operands = append(j.operands, operand)
	}
	j.expr, err = expr.Parse(expression, modes)
	return pointed(expression, err)
}

// pointed shows where in the expression an error is.
func pointed(expression string, err error) error {
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Offset < 0 {
		return err
	}
	shown := *e
	shown.Detail = expression + "\n        " + strings.Repeat(" ", len([]rune(expression[:e.Offset]))) + "^"
	return &shown
}

func (j *einsumJob) statement() string { return j.expr.SQL(j.semiring, j.operands) }

// order is the result's order by its coordinates.
func (j *einsumJob) order() string {
	var places []string
	for k := range j.expr.Output {
		places = append(places, fmt.Sprint(k+1))
	}
	if len(places) == 0 {
		return ""
	}
	return " ORDER BY " + strings.Join(places, ", ")
}

// printSQL prints the expression's SQL.
func (j *einsumJob) printSQL(ctx context.Context, out io.Writer) error {
	var defs []string
	var sizes []expr.Size
	inlined := map[string]bool{}
	for i, t := range j.tables {
		if j.inline && !inlined[t.name] {
			inlined[t.name] = true
			def, err := t.values(ctx, j.session, j.operands[i].Value != "")
			if err != nil {
				return err
			}
			defs = append(defs, def)
		}
		size, err := t.size(ctx, j.session, len(j.operands[i].Modes))
		if err != nil {
			return err
		}
		sizes = append(sizes, size)
	}
	text := ""
	if j.flat {
		if text = j.statement(); len(defs) > 0 {
			text = "WITH " + strings.Join(defs, ", ") + "\n" + text
		}
	} else {
		text = j.expr.DecomposedSQL(j.semiring, j.operands, j.expr.Path(sizes), expr.SQLOptions{Before: defs, Materialized: j.materialized})
	}
	_, err := fmt.Fprintln(out, text)
	return err
}

// values are a table's rows as a common table expression.
func (t *tensorTable) values(ctx context.Context, s *engine.Session, valued bool) (string, error) {
	var cells [][]string
	err := runOne(ctx, s, "SELECT * FROM "+quoteName(t.name), func(ctx context.Context, cur rows.Cursor, _ io.Writer) error {
		return eachRow(ctx, cur, func(b *rows.Batch, i int) error {
			row := make([]string, len(b.Cols))
			for c := range b.Cols {
				text, err := literal(&b.Cols[c], i)
				if err != nil {
					return err
				}
				row[c] = text
			}
			cells = append(cells, row)
			return nil
		})
	}, io.Discard)
	if err != nil {
		return "", err
	}
	return expr.ValuesSQL(t.name, t.columns, len(cells), valued, func(row, c int) string { return cells[row][c] }), nil
}

// literal is a value as SQL.
func literal(v *rows.Vector, i int) (string, error) {
	if v.IsNull(i) {
		return "NULL", nil
	}
	if v.Type.Physical() == rows.PhysFloat64 {
		return expr.FloatSQL(v.F64[i]), nil
	}
	text, err := textOf(v, i, "")
	if err != nil || v.Type.IsExact() {
		return text, err
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'", nil
}

// size are the figures of a table that paths are chosen by.
func (t *tensorTable) size(ctx context.Context, s *engine.Session, modes int) (size expr.Size, err error) {
	if t.figures == nil {
		list := []string{"count(*)::DOUBLE"}
		for _, c := range t.columns {
			list = append(list, "count(DISTINCT "+quoteName(c)+")::DOUBLE")
		}
		err = runOne(ctx, s, "SELECT "+strings.Join(list, ", ")+" FROM "+quoteName(t.name), func(ctx context.Context, cur rows.Cursor, _ io.Writer) error {
			return eachRow(ctx, cur, func(b *rows.Batch, i int) error {
				for c := range b.Cols {
					t.figures = append(t.figures, b.Cols[c].F64[i])
				}
				return nil
			})
		}, io.Discard)
		if err != nil {
			return size, err
		}
	}
	return expr.Size{Entries: t.figures[0], Distinct: slices.Clone(t.figures[1 : modes+1])}, nil
}
