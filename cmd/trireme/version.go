package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/trireme-db/trireme/engine"
)

// release is the version of this source tree.
const release = "0.1.0"

func newVersion() *cobra.Command {
	var long bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return printVersion(cmd.OutOrStdout(), long)
		},
	}
	cmd.Flags().BoolVar(&long, "long", false, "print what the binary was built from as well")
	return cmd
}

func printVersion(out io.Writer, long bool) error {
	b := buildInfo()
	_, err := fmt.Fprintf(out, "trireme %s%s %s/%s %s\n", release, parenthesized(b.revision), runtime.GOOS, runtime.GOARCH, runtime.Version())
	if err != nil || !long {
		return err
	}
	_, err = fmt.Fprintf(out, "commit: %s\ncommit time: %s\nuncommitted changes: %s\nduckdb: %s\nduckdb bindings: %s\n",
		orUnknown(b.commit), orUnknown(b.time), orUnknown(b.modified), engine.DuckDBVersion(), orUnknown(b.duckdb))
	return err
}

// build is what the binary was built from; empty where the build does not know.
type build struct {
	revision, commit, time, modified string
	duckdb                           string // version of the bindings
}

// revisionDigits are enough to name a commit.
const revisionDigits = 12

const duckModule = "github.com/duckdb/duckdb-go-bindings"

func buildInfo() build {
	var b build
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.commit = s.Value
			b.revision = s.Value[:min(revisionDigits, len(s.Value))]
		case "vcs.time":
			b.time = s.Value
		case "vcs.modified":
			b.modified = s.Value
		}
	}
	for _, m := range info.Deps {
		if m.Path == duckModule {
			b.duckdb = m.Version
		}
	}
	return b
}

// parenthesized is what follows the release where the build knows its commit.
func parenthesized(revision string) string {
	if revision == "" {
		return ""
	}
	return " (" + revision + ")"
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}
