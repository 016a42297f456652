package main

import (
	"context"
	"log/slog"
	"runtime/debug"
	"strconv"
	"strings"

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
	f.StringVar(&o.memoryLimit, "memory-limit", "", "memory for DuckDB and the tensor engine together, such as 8GB (default: DuckDB's)")
}

func (o *databaseOptions) open(ctx context.Context, log *slog.Logger) (*engine.Engine, error) {
	backend, err := engine.ParseBackend(o.backend)
	if err != nil {
		return nil, err
	}
	limitBytes, err := parseBytes(o.memoryLimit)
	if err != nil {
		return nil, err
	}
	if o.threads < 0 {
		return nil, sqlerr.New(sqlerr.InvalidParameter, "--threads must not be negative")
	}
	if limitBytes > 0 {
		// DuckDB's memory is not Go's: it has the other half.
		debug.SetMemoryLimit(limitBytes / 2)
	}
	return engine.Open(ctx, engine.Config{
		Path: o.path, Backend: backend, Threads: o.threads, MemoryLimitBytes: limitBytes, Logger: log, Version: release,
	})
}

// byteUnits are powers of 1000 (kB) and of 1024 (KiB), as DuckDB reads them.
var byteUnits = map[string]int64{
	"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
	"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
}

// limitMinBytes is the least memory with which a server is of use.
const limitMinBytes = 64 << 20

// parseBytes reads a size such as 8GB or 512MiB; "" is 0.
func parseBytes(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	digits := strings.TrimRight(text, "kKmMgGtTiIbB ")
	unit, known := byteUnits[strings.ToLower(strings.TrimSpace(text[len(digits):]))]
	n, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if err != nil || !known || n < 0 || n*float64(unit) > 1<<62 {
		return 0, sqlerr.New(sqlerr.InvalidParameter, "cannot read the size %q", text).
			WithHint("Examples: 8GB, 512MiB.")
	}
	bytes := int64(n * float64(unit))
	if bytes < limitMinBytes {
		return 0, sqlerr.New(sqlerr.InvalidParameter, "the memory limit %q is below 64MiB", text)
	}
	return bytes, nil
}
