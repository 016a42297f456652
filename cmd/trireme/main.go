// Command trireme is the SQL server and its tools. It only wires packages
// together: commands read flags, open an engine, and print.
//
// In: flags, environment, signals. Out: a listening server, or rows on standard
// output; errors on standard error with their SQLSTATE, and exit status 1.
//
// Each command is one file with one options struct; handler.go joins engine to
// pgwire. Read serve.go first.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

func main() {
	ctx, stop := untilSignal()
	root := newRoot()
	err := root.ExecuteContext(ctx)
	stop()
	if err != nil {
		printError(os.Stderr, err)
		os.Exit(1)
	}
}

// untilSignal returns a context that ends at the first SIGINT or SIGTERM. From
// then on they have their usual effect: a second one ends the process at once.
func untilSignal() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case <-signals:
		case <-ctx.Done():
		}
		signal.Stop(signals) // before anybody hears of the first
		cancel()
	}()
	return ctx, cancel
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "trireme",
		Short:         "A SQL server whose joins under aggregates run on a sparse tensor engine",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(newServe(), newQuery(), newImport(), newExplain(), newDemo(), newEinsum(), newTensor(), newBench(), newUser(), newVersion())
	return root
}

// printError prints an error as psql would: code, message, detail, hint.
func printError(w io.Writer, err error) {
	var e *sqlerr.Error
	if !errors.As(err, &e) {
		fmt.Fprintf(w, "trireme: %v\n", err)
		return
	}
	fmt.Fprintf(w, "trireme: ERROR %s: %s\n", e.Code, e.Message)
	if e.Detail != "" {
		fmt.Fprintf(w, "DETAIL: %s\n", e.Detail)
	}
	if e.Hint != "" {
		fmt.Fprintf(w, "HINT: %s\n", e.Hint)
	}
}
