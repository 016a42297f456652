package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/trireme-db/trireme/bench"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// einsumTimeout is for one execution where --timeout gives no other.
const einsumTimeout = 20 * time.Second

func newBenchEinsum(o *benchOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "einsum",
		Short: "Networks of tensors: native, two at a time, and DuckDB on decomposed and flat SQL",
		Long: "Measure Einstein summations over sparse tensors: random networks, decompositions, model counting, Bayesian networks and\n" +
			"quantum circuits. Native plans the whole network; pairwise contracts two tensors at a time; DuckDB runs the SQL that is\n" +
			"decomposed along the same path into common table expressions, and the network as one flat SELECT. Answers are compared\n" +
			"with ones that are computed by other means.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.runEinsum(cmd) },
	}
}

// newPlanEinsum is the other process of planElsewhere.
func newPlanEinsum() *cobra.Command {
	return &cobra.Command{
		Use: planEinsumName, Args: cobra.NoArgs, Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var statements []string
			if err := json.NewDecoder(cmd.InOrStdin()).Decode(&statements); err != nil {
				return sqlerr.Wrap(sqlerr.InvalidParameter, err)
			}
			return bench.PlanEinsum(cmd.Context(), statements)
		},
	}
}

const planEinsumName = "plan-einsum"

// planElsewhere is bench.PlanEinsum in a process of its own, which is killed when ctx
// ends.
func planElsewhere(ctx context.Context, statements []string) error {
	self, err := os.Executable()
	if err != nil {
		return sqlerr.Wrap(sqlerr.IOError, err)
	}
	text, err := json.Marshal(statements)
	if err != nil {
		return err
	}
	c := exec.CommandContext(ctx, self, "bench", planEinsumName)
	c.Stdin = bytes.NewReader(text)
	var said bytes.Buffer
	c.Stderr = &said
	if err := c.Run(); err != nil {
		return sqlerr.New(sqlerr.InternalError, "%s", cmp.Or(strings.TrimSpace(said.String()), err.Error()))
	}
	return nil
}

// runEinsum measures the suite and prints the report, also when it was interrupted.
func (o *benchOptions) runEinsum(cmd *cobra.Command) error {
	for _, name := range []string{"plot", "backends", "estimator", "optimizer", "common-subplan", "wire", "plan-anew"} {
		if cmd.Flags().Changed(name) {
			return sqlerr.New(sqlerr.FeatureNotSupported, "the suite einsum cannot be measured with --%s", name)
		}
	}
	e := bench.EinsumOptions{
		Plan: planElsewhere, Threads: o.threads, Runs: o.runs, Timeout: o.timeout, Only: o.only,
		Progress: cmd.ErrOrStderr(), Version: release + parenthesized(buildInfo().revision),
	}
	if e.Timeout == 0 {
		e.Timeout = einsumTimeout
	}
	out, err := o.openOutputs()
	if err != nil {
		return err
	}
	report, err := bench.Einsum(cmd.Context(), e)
	if err != nil {
		return errors.Join(err, out.close())
	}
	_, pageErr := io.WriteString(out.page, report.Page())
	return errors.Join(report.Print(cmd.OutOrStdout()), report.WriteJSON(out.document), pageErr, out.close(), report.Err())
}
