package main

import (
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/trireme-db/trireme/bench"
	"github.com/trireme-db/trireme/bench/coverage"
	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// coverageTimeout is for one execution where --timeout gives no other.
const coverageTimeout = time.Minute

func newBenchCoverage(o *benchOptions) *cobra.Command {
	var c bench.CoverageOptions
	b := bench.BoundOptions{}
	bound := false
	cmd := &cobra.Command{
		Use:   "coverage",
		Short: "The corpus of analytic queries: auto beside DuckDB, cold and warm",
		Long: "Measure the corpus of analytic queries on data that are made for it: on DuckDB and, in turn, on the backends named\n" +
			"(default: auto), first after all tables have changed, then again. Listed are the queries that took longer than\n" +
			"1.2 times DuckDB's time and 2 ms. With --bound, every statement is executed on DuckDB and under auto when nothing is known\n" +
			"of it, three times in a row, and after all tables have changed, and so are random joins; listed are those that took longer\n" +
			"than 1.5 times DuckDB's time and 5 ms in any of the first, the third and the last.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.Threads, c.Runs, c.Timeout, c.Only = o.threads, o.runs, o.timeout, o.only
			c.Progress, c.Version = cmd.ErrOrStderr(), release+parenthesized(buildInfo().revision)
			if c.Timeout == 0 {
				c.Timeout = coverageTimeout
			}
			if bound {
				b.CoverageOptions = c
				return o.runBound(cmd, b)
			}
			names := o.backends
			if !cmd.Flags().Changed("backends") {
				names = []string{engine.Auto.String()}
			}
			for _, name := range names {
				b, err := engine.ParseBackend(name)
				if err != nil {
					return err
				}
				c.Backends = append(c.Backends, b)
			}
			return o.runCoverage(cmd, c)
		},
	}
	f := cmd.Flags()
	f.IntVar(&c.Scale, "scale", coverage.ScaleTiming, "size of the tables: the largest of each data set have some 5000 rows times this")
	f.IntVar(&c.ColdRuns, "cold-runs", 3, "executions per backend that follow a change of all tables")
	f.DurationVar(&c.Patience, "patience", 30*time.Second, "time after which a query gets no further round")
	f.StringSliceVar(&c.Families, "family", nil, "families of queries to run (default: all)")
	f.BoolVar(&c.Control, "control", false, "DuckDB is measured twice and compared with itself: how many queries break the bound by chance")
	f.BoolVar(&bound, "bound", false, "measure the bound that auto keeps in each execution")
	f.Uint64Var(&b.Seed, "seed", 1, "of the random joins of --bound")
	f.IntVar(&b.Joins, "joins", 300, "number of random joins of --bound")
	f.StringVar(&c.Split, "split", "all", "tune, held-out or all: held-out queries are not looked at when rules are tuned")
	return cmd
}

// runCoverage measures the corpus and prints the report, also when it was
// interrupted.
func (o *benchOptions) runCoverage(cmd *cobra.Command, c bench.CoverageOptions) error {
	report := func() (coverageReport, error) { return bench.Coverage(cmd.Context(), c) }
	return o.reportCoverage(cmd, report)
}

// runBound is runCoverage for the bound of single executions.
func (o *benchOptions) runBound(cmd *cobra.Command, b bench.BoundOptions) error {
	report := func() (coverageReport, error) { return bench.CoverageBound(cmd.Context(), b) }
	return o.reportCoverage(cmd, report)
}

// coverageReport is what was measured with the corpus.
type coverageReport interface {
	Print(io.Writer) error
	WriteJSON(io.Writer) error
	Err() error
}

func (o *benchOptions) reportCoverage(cmd *cobra.Command, measure func() (coverageReport, error)) error {
	for _, name := range []string{"plot", "results", "estimator", "optimizer", "common-subplan", "wire", "plan-anew"} {
		if cmd.Flags().Changed(name) {
			return sqlerr.New(sqlerr.FeatureNotSupported, "the corpus cannot be measured with --%s", name)
		}
	}
	out, err := o.openOutputs()
	if err != nil {
		return err
	}
	report, err := measure()
	if err != nil {
		return errors.Join(err, out.close())
	}
	return errors.Join(report.Print(cmd.OutOrStdout()), report.WriteJSON(out.document), out.close(), report.Err())
}
