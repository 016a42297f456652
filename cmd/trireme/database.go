package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// databaseOptions are the flags of every command that opens a database.
type databaseOptions struct {
	path        string
	backend     string
	threads     int
	memoryLimit string
}

func (o *databaseOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.path, "db", ":memory:", "database file, or :memory:")
	f.StringVar(&o.backend, "backend", engine.Auto.String(), "who answers SELECTs: auto, native, decomposed or duckdb")
	f.IntVar(&o.threads, "threads", 0, "threads of a tensor kernel, and of DuckDB (0: one per core)")
	f.StringVar(&o.memoryLimit, "memory-limit", "", "memory for DuckDB and the tensor engine together, such as 8GB (default: 80% of the machine's or container's)")
}

func (o *databaseOptions) open(ctx context.Context, log *slog.Logger) (*engine.Engine, error) {
	return o.openWith(ctx, engine.Config{Logger: log})
}

// withSession opens the database and does something in a session of its own, whose
// end rolls back what was not committed. What is worth a warning is logged to errOut.
func (o *databaseOptions) withSession(ctx context.Context, errOut io.Writer, do func(*engine.Session) error) (err error) {
	e, err := o.open(ctx, logTo(errOut))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	s, err := e.NewSession(ctx, engine.SessionOptions{User: "trireme", Database: "trireme"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return do(s)
}

// openWith opens the database with what the flags say, over a configuration.
func (o *databaseOptions) openWith(ctx context.Context, cfg engine.Config) (*engine.Engine, error) {
	backend, err := engine.ParseBackend(o.backend)
	if err != nil {
		return nil, err
	}
	limitBytes, err := memoryLimit(o.memoryLimit)
	if err != nil {
		return nil, err
	}
	if o.threads < 0 {
		return nil, sqlerr.New(sqlerr.InvalidParameter, "--threads must not be negative")
	}
	if debug.SetMemoryLimit(-1) == math.MaxInt64 { // GOMEMLIMIT is not set
		debug.SetMemoryLimit(engine.TensorMemory(limitBytes))
	}
	cfg.Path, cfg.Backend, cfg.Threads, cfg.MemoryLimitBytes, cfg.Version = o.path, backend, o.threads, limitBytes, release
	return engine.Open(ctx, cfg)
}

// logTo logs to a command's standard error what is not an error of the statement,
// which the command reports itself.
func logTo(out io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// bufferBytes bounds what is held of what clients are sending, beside what queries take: a
// quarter as much, or a few of the longest messages where that is more.
func (o *databaseOptions) bufferBytes(messageBytes int) (int64, error) {
	limitBytes, err := memoryLimit(o.memoryLimit)
	const share, messages = 4, 4
	return max(limitBytes/share, messages*int64(messageBytes)), err
}

// limitMinBytes is the least memory with which a server is of use.
const limitMinBytes = 64 << 20

// memoryLimit reads a size such as 8GB or 512MiB; "" is the default.
func memoryLimit(text string) (int64, error) {
	if text == "" {
		return engine.DefaultMemoryLimit(), nil
	}
	bytes, err := engine.ParseBytes(text)
	if err == nil && bytes < limitMinBytes {
		err = sqlerr.New(sqlerr.InvalidParameter, "the memory limit %q is below 64MiB", text)
	}
	return bytes, err
}
