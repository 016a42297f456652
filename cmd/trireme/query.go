package main

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

type queryOptions struct {
	databaseOptions
	format string
}

func newQuery() *cobra.Command {
	var o queryOptions
	cmd := &cobra.Command{
		Use:   "query SQL",
		Short: "Run statements and print their rows, without a server",
		Long:  "Run the statements of SQL, or of standard input when SQL is -, each in its own transaction, and print their rows.",
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
	cmd.Flags().StringVar(&o.format, "format", "table", "table, csv or json (an array of objects)")
	return cmd
}

func readSQL(cmd *cobra.Command, arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	text, err := io.ReadAll(cmd.InOrStdin())
	return string(text), err
}

func (o *queryOptions) run(ctx context.Context, sql string, out, errOut io.Writer) error {
	printer, err := printerOf(o.format)
	if err != nil {
		return err
	}
	return o.withSession(ctx, errOut, func(s *engine.Session) error { return runAll(ctx, s, sql, printer, out) })
}

// runAll runs statement after statement; the first error ends it.
func runAll(ctx context.Context, s *engine.Session, sql string, print printer, out io.Writer) error {
	statements, err := s.Split(sql)
	if err != nil {
		return err
	}
	for _, st := range statements {
		if err := runOne(ctx, s, st.Text, print, out); err != nil {
			return err
		}
	}
	return nil
}

func runOne(ctx context.Context, s *engine.Session, sql string, print printer, out io.Writer) (err error) {
	p, err := s.Prepare(ctx, sql, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if n := len(p.Params()); n > 0 {
		return sqlerr.New(sqlerr.ProtocolViolation, "the statement has %d parameters; trireme query binds none", n)
	}
	res, err := p.Execute(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, res.Close()) }()
	if len(res.Columns()) == 0 {
		_, err := res.Next(ctx)
		return err
	}
	return print(ctx, res, out)
}

func printerOf(format string) (printer, error) {
	switch strings.ToLower(format) {
	case "table":
		return printTable, nil
	case "csv":
		return printCSV, nil
	case "json":
		return printJSON, nil
	}
	return nil, sqlerr.New(sqlerr.InvalidParameter, "unknown format %q", format).WithHint("The formats are table, csv and json.")
}
