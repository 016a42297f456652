package main

import (
	"github.com/spf13/cobra"

	"github.com/trireme-db/trireme/bench"
)

func newBenchMLJoin(o *benchOptions) *cobra.Command {
	m := bench.MLJoinDefault()
	cmd := &cobra.Command{
		Use:   "mljoin",
		Short: "Regressions, covariance matrices and networks over joins of TPC-H's tables",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			suite, err := bench.MLJoin(m)
			if err != nil {
				return err
			}
			return o.run(cmd, suite)
		},
	}
	cmd.Flags().Float64Var(&m.SF, "sf", m.SF, "scale factor of TPC-H: 1 are 6 million line items")
	return cmd
}
