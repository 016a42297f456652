package main

import (
	"errors"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/trireme-db/trireme/bench"
	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// benchOptions are the flags of every suite.
type benchOptions struct {
	backends    []string
	estimators  []string
	optimizers  []string
	planAnew    bool
	wire        bool
	threads     int
	runs        int
	timeout     time.Duration
	only        []string
	jsonPath    string
	plotPath    string
	resultsPath string
}

func newBench() *cobra.Command {
	var o benchOptions
	cmd := &cobra.Command{
		Use:   "bench SUITE",
		Short: "Measure a suite of statements beside DuckDB",
		Long: "Measure a suite of statements on several backends of one process, in turn, and compare their answers.\n" +
			"A wrong answer makes the exit status non-zero.",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return sqlerr.New(sqlerr.InvalidParameter, "unknown suite %q", args[0]).WithHint("The suites are %s.", suiteNames(cmd))
		},
	}
	f := cmd.PersistentFlags()
	f.StringSliceVar(&o.backends, "backends", []string{engine.Native.String(), engine.Decomposed.String(), engine.DuckDB.String()}, "native, decomposed and duckdb, or some of them")
	f.StringSliceVar(&o.estimators, "estimator", nil, "native is measured also with these estimators: chain, uniform")
	f.StringSliceVar(&o.optimizers, "optimizer", nil, "native is measured also with these searches for an order of elimination: greedy, exact")
	f.BoolVar(&o.planAnew, "plan-anew", false, "every execution makes its plan, within its time (default: plans are warm on all sides)")
	f.BoolVar(&o.wire, "wire", false, "send everything through the listener, over the Postgres wire protocol")
	f.IntVar(&o.threads, "threads", min(2, runtime.NumCPU()), "threads of all backends; native runs on one as well")
	f.IntVar(&o.runs, "runs", 5, "executions per backend after the first")
	f.DurationVar(&o.timeout, "timeout", 0, "time for one execution where the case has no shorter one (default: the suite's)")
	f.StringSliceVar(&o.only, "only", nil, "names of the cases to run (default: all)")
	f.StringVar(&o.jsonPath, "json", "", "file for a JSON document with every run")
	f.StringVar(&o.plotPath, "plot", "", "file for a picture, as SVG")
	f.StringVar(&o.resultsPath, "results", "", "file for a page of results, in Markdown")
	cmd.AddCommand(newBenchKernels(&o), newBenchSubgraph(&o), newBenchCoverage(&o),
		newBenchFinch(&o), newBenchBFS(&o), newBenchPaths(&o), newBenchGraph500(&o), newBenchMLJoin(&o), newBenchLA(&o), newBenchEinsum(&o), newPlanEinsum(),
		newBenchAll(&o), newBenchResults(&o))
	return cmd
}

// suiteNames lists the commands that measure.
func suiteNames(cmd *cobra.Command) string {
	var names []string
	for _, c := range cmd.Commands() {
		if name := c.Name(); !c.Hidden && name != "results" && name != "all" && name != "help" {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ") + "; all measures a version of each"
}

func newBenchKernels(o *benchOptions) *cobra.Command {
	var k bench.KernelOptions
	cmd := &cobra.Command{
		Use:   "kernels",
		Short: "Triangles, cliques, chains, sampled products and search steps on two graphs",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			suite, err := bench.Kernels(k)
			if err != nil {
				return err
			}
			return o.run(cmd, suite)
		},
	}
	f := cmd.Flags()
	f.StringVar(&k.DataDir, "data", "../shared/data/epinions", "folder with the Epinions graph as edge.csv or edge.csv.gz (src,dst)")
	f.IntVar(&k.Scale, "scale", 18, "the R-MAT graph has 2 to this power vertices")
	return cmd
}

// config is what the flags say.
func (o *benchOptions) config(cmd *cobra.Command) (bench.Config, error) {
	cfg := bench.Config{
		Threads: o.threads, Runs: o.runs, Timeout: o.timeout, Only: o.only, Progress: cmd.ErrOrStderr(), Version: release + parenthesized(buildInfo().revision),
		Estimators: o.estimators, Optimizers: o.optimizers, PlanAnew: o.planAnew,
	}
	if o.wire {
		cfg.Listen = listenLoopback
	}
	for _, name := range o.backends {
		b, err := engine.ParseBackend(name)
		if err != nil {
			return bench.Config{}, err
		}
		cfg.Backends = append(cfg.Backends, b)
	}
	return cfg, nil
}

// run measures a suite and prints the report, also when it was interrupted.
func (o *benchOptions) run(cmd *cobra.Command, suite *bench.Suite) error {
	cfg, err := o.config(cmd)
	if err != nil {
		return err
	}
	out, err := o.openOutputs()
	if err != nil {
		return err
	}
	report, err := bench.Run(cmd.Context(), suite, cfg)
	if err != nil {
		return errors.Join(err, out.close())
	}
	return errors.Join(report.Print(cmd.OutOrStdout()), out.write(bench.ResultsOf(report), report.WriteJSON), report.Err())
}
