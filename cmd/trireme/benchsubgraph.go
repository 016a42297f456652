package main

import (
	"github.com/spf13/cobra"

	"github.com/trireme-db/trireme/bench"
)

func newBenchSubgraph(o *benchOptions) *cobra.Command {
	var graphs []string
	cmd := &cobra.Command{
		Use:   "subgraph --graph DIR",
		Short: "Counts of labelled patterns in graphs",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			suite, err := bench.Subgraph(graphs)
			if err != nil {
				return err
			}
			return o.run(cmd, suite)
		},
	}
	cmd.Flags().StringSliceVar(&graphs, "graph", nil, "folder with vertex.csv, edge.csv and queries.tsv; may be given several times")
	return cmd
}
