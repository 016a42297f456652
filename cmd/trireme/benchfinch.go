package main

import (
	"github.com/spf13/cobra"

	"github.com/trireme-db/trireme/bench"
)

func newBenchFinch(o *benchOptions) *cobra.Command {
	k := bench.FinchDefault()
	cmd := &cobra.Command{
		Use:   "finch",
		Short: "Triangles, sampled products, and element-wise combinations of three matrices",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			suite, err := bench.Finch(k)
			if err != nil {
				return err
			}
			return o.run(cmd, suite)
		},
	}
	f := cmd.Flags()
	f.StringVar(&k.DataDir, "data", "../shared/data/epinions", "folder with the Epinions graph as edge.csv or edge.csv.gz (src,dst); empty: without it")
	f.IntVar(&k.Scale, "scale", k.Scale, "the R-MAT graph has 2 to this power vertices")
	f.IntVar(&k.Dimension, "dimension", k.Dimension, "rows, and columns, of the matrices that are combined")
	return cmd
}
