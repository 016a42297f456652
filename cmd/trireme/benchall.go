package main

import (
	"errors"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/trireme-db/trireme/bench"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// What a run of all suites has where its flags say nothing else: some minutes on
// two cores.
const (
	allRuns     = 3
	allTimeout  = 10 * time.Second
	allPatience = 3 * time.Second
	allBudget   = 8 * time.Minute
)

func newBenchAll(o *benchOptions) *cobra.Command {
	var dataDir string
	var names []string
	cmd := &cobra.Command{
		Use:   "all",
		Short: "A version of every suite, within ten minutes on two cores",
		Long: "Measure a version of every suite that ends within ten minutes on two cores, one after another.\n" +
			"--json keeps every run of all suites, --results writes the page of results, --plot the picture.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			suites, missing, err := bench.SmallSuites(bench.SmallOptions{DataDir: dataDir, Names: names})
			if err != nil {
				return err
			}
			cfg, err := o.config(cmd)
			if err != nil {
				return err
			}
			cfg.Patience, cfg.Budget = allPatience, allBudget
			if !cmd.Flags().Changed("runs") {
				cfg.Runs = allRuns
			}
			if cfg.Timeout == 0 {
				cfg.Timeout = allTimeout
			}
			out, err := o.openOutputs()
			if err != nil {
				return err
			}
			results, err := bench.RunAll(cmd.Context(), suites, cfg)
			if results == nil {
				return errors.Join(err, out.close())
			}
			results.Missing = append(results.Missing, missing...)
			return errors.Join(results.Print(cmd.OutOrStdout()), out.write(results, results.WriteJSON), err, results.Err())
		},
	}
	f := cmd.Flags()
	f.StringVar(&dataDir, "data", "../shared/data/epinions", "folder with the Epinions graph as edge.csv or edge.csv.gz; without it its cases are left out")
	f.StringSliceVar(&names, "suites", nil, "names of the suites to run (default: all)")
	return cmd
}

func newBenchResults(o *benchOptions) *cobra.Command {
	var with []string
	var kept string
	cmd := &cobra.Command{
		Use:   "results --json FILE --out FILE",
		Short: "Write the page of results, or the picture, of runs that --json has kept",
		Long: "Write the page of results, or the picture, of runs that --json has kept. Suites that were run on their own take, by --with,\n" +
			"the place of their versions among all suites, and cases that were run once more that of those before; --keep writes what is\n" +
			"then shown as one document.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if o.jsonPath == "" || o.resultsPath == "" && o.plotPath == "" {
				return sqlerr.New(sqlerr.InvalidParameter, "name the runs by --json, and what is written by --out, --plot or both")
			}
			results, err := readReplaced(o.jsonPath, with)
			if err != nil {
				return err
			}
			to := *o
			to.jsonPath = kept // the other is read
			out, err := to.openOutputs()
			if err != nil {
				return err
			}
			return out.write(results, results.WriteJSON)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.resultsPath, "out", "", "file for the page of results, in Markdown")
	f.StringSliceVar(&with, "with", nil, "documents of suites that were run on their own")
	f.StringVar(&kept, "keep", "", "file for the document with all of them")
	return cmd
}

// readReplaced reads results, some of whose suites others take the place of.
func readReplaced(path string, with []string) (*bench.Results, error) {
	results, err := readResults(path)
	for _, other := range with {
		if err != nil {
			return nil, err
		}
		var by *bench.Results
		if by, err = readResults(other); err == nil {
			err = results.Replace(by)
		}
	}
	return results, err
}

func readResults(path string) (_ *bench.Results, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, sqlerr.Wrap(sqlerr.IOError, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return bench.ReadResults(f)
}
