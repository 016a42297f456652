package main

import (
	"github.com/spf13/cobra"

	"github.com/trireme-db/trireme/bench"
)

func newBenchLA(o *benchOptions) *cobra.Command {
	l := bench.LADefault()
	cmd := &cobra.Command{
		Use:   "la",
		Short: "Expressions of linear algebra over sparse and dense matrices in tables",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			suite, err := bench.LA(l)
			if err != nil {
				return err
			}
			return o.run(cmd, suite)
		},
	}
	f := cmd.Flags()
	f.IntVar(&l.Rows, "rows", l.Rows, "rows of the matrices; the sparse ones have some 20 entries in each")
	f.IntVar(&l.Columns, "columns", l.Columns, "columns of the matrices")
	f.IntVar(&l.Rank, "rank", l.Rank, "columns of the factors")
	return cmd
}
