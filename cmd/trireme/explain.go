package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/internal/rows"
)

type explainOptions struct {
	databaseOptions
	analyze bool
	json    bool
}

func newExplain() *cobra.Command {
	var o explainOptions
	cmd := &cobra.Command{
		Use:   "explain SQL",
		Short: "Print every stage of a SELECT's way",
		Long:  "Print the stages of one SELECT, given as SQL or on standard input when SQL is -, as EXPLAIN does.",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			sql, err := readSQL(cmd, args[0])
			if err != nil {
				return err
			}
			return o.run(cmd.Context(), sql, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	o.addFlags(cmd)
	cmd.Flags().BoolVar(&o.analyze, "analyze", false, "run the statement and print what was measured")
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON document")
	return cmd
}

func (o *explainOptions) run(ctx context.Context, sql string, out, errOut io.Writer) error {
	return o.withSession(ctx, errOut, func(s *engine.Session) error {
		return runOne(ctx, s, o.statement(sql), printLines, out)
	})
}

// statement puts EXPLAIN before the SQL.
func (o *explainOptions) statement(sql string) string {
	switch {
	case o.analyze && o.json:
		return "EXPLAIN (ANALYZE, FORMAT JSON) " + sql
	case o.analyze:
		return "EXPLAIN ANALYZE " + sql
	case o.json:
		return "EXPLAIN (FORMAT JSON) " + sql
	}
	return "EXPLAIN " + sql
}

// printLines prints the last column of every row without a frame: a plan.
func printLines(ctx context.Context, cur rows.Cursor, out io.Writer) error {
	return eachRow(ctx, cur, func(b *rows.Batch, i int) error {
		text, err := textOf(&b.Cols[len(b.Cols)-1], i, nullText)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(out, text)
		return err
	})
}
