package main

import (
	"github.com/spf13/cobra"

	"github.com/trireme-db/trireme/bench"
)

func newBenchBFS(o *benchOptions) *cobra.Command {
	return newBenchTraversal(o, "bfs", "Breadth-first search, as one recursive statement and iterated by the client", bench.BFS)
}

func newBenchPaths(o *benchOptions) *cobra.Command {
	return newBenchTraversal(o, "paths", "Shortest paths from one vertex, as one recursive statement and iterated by the client", bench.Paths)
}

func newBenchTraversal(o *benchOptions, name, short string, suite func(bench.TraversalOptions) (*bench.Suite, error)) *cobra.Command {
	t := bench.TraversalDefault()
	cmd := &cobra.Command{
		Use:   name,
		Short: short,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := suite(t)
			if err != nil {
				return err
			}
			return o.run(cmd, s)
		},
	}
	f := cmd.Flags()
	f.StringVar(&t.DataDir, "data", "../shared/data/epinions", "folder with the Epinions graph as edge.csv or edge.csv.gz (src,dst); empty: without it")
	f.IntVar(&t.Scale, "scale", t.Scale, "the R-MAT graph has 2 to this power vertices")
	f.IntVar(&t.Side, "side", t.Side, "the grid has this number of vertices squared")
	return cmd
}
