package main

import (
	"github.com/spf13/cobra"

	"github.com/trireme-db/trireme/bench"
)

func newBenchGraph500(o *benchOptions) *cobra.Command {
	g := bench.Graph500Default()
	cmd := &cobra.Command{
		Use:   "graph500",
		Short: "Triangles, squares, paths, cliques and labelled tails in a skewed synthetic graph",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			suite, err := bench.Graph500(g)
			if err != nil {
				return err
			}
			return o.run(cmd, suite)
		},
	}
	f := cmd.Flags()
	f.IntVar(&g.Scale, "scale", g.Scale, "the R-MAT graph has 2 to this power vertices")
	f.IntVar(&g.EdgeFactor, "edge-factor", g.EdgeFactor, "edges drawn per vertex")
	return cmd
}
