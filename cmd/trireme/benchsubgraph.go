package main

import (
	"errors"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/trireme-db/trireme/bench"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// subgraphOptions are the flags of bench subgraph.
type subgraphOptions struct {
	graphs   []string
	queries  string
	generate bool
	out      string
	with     bench.GenerateOptions
}

// countTimeout is for one count of a generated query where --timeout gives no other.
const countTimeout = 20 * time.Second

func newBenchSubgraph(o *benchOptions) *cobra.Command {
	var s subgraphOptions
	cmd := &cobra.Command{
		Use:   "subgraph",
		Short: "Counts of labelled patterns in graphs",
		Long: "Count labelled patterns in graphs: the packages of Debian 12 with their sections, or the graphs named.\n\n" +
			"--generate measures nothing: it draws labelled query graphs from the graph by random walks, counts each in two\n" +
			"ways, and writes a file of queries (name, count, SQL), which --queries takes.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if s.generate {
				return s.write(cmd, o)
			}
			suite, err := s.suite()
			if err != nil {
				return err
			}
			return o.run(cmd, suite)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&s.graphs, "graph", nil, "folder with vertex.csv, edge.csv and queries.tsv; may be given several times (default: the packages of Debian 12)")
	f.StringVar(&s.queries, "queries", "", "file of queries for the graph, instead of its queries.tsv")
	f.BoolVar(&s.generate, "generate", false, "write a file of queries drawn from the graph")
	f.StringVar(&s.out, "out", "", "with --generate: the file (default: standard output)")
	f.Uint64Var(&s.with.Seed, "seed", 1, "with --generate: the seed of the walks")
	f.StringSliceVar(&s.with.Kinds, "kind", nil, "with --generate: sparse, dense, part (sparse, with labels at half of the vertices) (default: all)")
	f.IntVar(&s.with.Count, "count", 4, "with --generate: queries of each kind and size")
	f.IntSliceVar(&s.with.Vertices, "vertices", []int{4, 5, 6, 8, 10, 12}, "with --generate: the sizes, from 4 to 12 vertices")
	return cmd
}

// oneGraph is the only graph named; empty: none.
func (s *subgraphOptions) oneGraph(flag string) (string, error) {
	switch len(s.graphs) {
	case 0:
		return "", nil
	case 1:
		return s.graphs[0], nil
	}
	return "", sqlerr.New(sqlerr.InvalidParameter, "%s is for one graph, %d are named", flag, len(s.graphs))
}

func (s *subgraphOptions) suite() (*bench.Suite, error) {
	if s.queries == "" {
		return bench.Subgraph(s.graphs)
	}
	graph, err := s.oneGraph("--queries")
	if err != nil {
		return nil, err
	}
	return bench.SubgraphQueries(graph, s.queries)
}

// write writes the file of queries; a file that could not be finished has those that
// were found.
func (s *subgraphOptions) write(cmd *cobra.Command, o *benchOptions) (err error) {
	if s.with.Graph, err = s.oneGraph("--generate"); err != nil {
		return err
	}
	s.with.Timeout, s.with.Threads = o.timeout, o.threads
	if s.with.Timeout == 0 {
		s.with.Timeout = countTimeout
	}
	s.with.Version, s.with.Progress = release+parenthesized(buildInfo().revision), cmd.ErrOrStderr()
	out := io.Writer(cmd.OutOrStdout())
	if s.out != "" {
		f, err := os.Create(s.out)
		if err != nil {
			return sqlerr.Wrap(sqlerr.IOError, err)
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		out = f
	}
	return bench.Generate(cmd.Context(), s.with, out)
}
