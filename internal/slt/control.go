package slt

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trireme-db/trireme/internal/invariant"
)

// setup is what every new connection runs.
func (r *run) setup() []string {
	var out []string
	if r.opts.Backend != "" {
		out = append(out, "SET trireme.backend = '"+r.opts.Backend+"'")
	}
	return append(out, r.opts.Setup...)
}

// open starts the server with a database and connects.
func (r *run) open(ctx context.Context, path string) error {
	r.closeAll()
	address, err := r.server.Start(ctx, path)
	if err != nil {
		return err
	}
	r.address, r.path = address, path
	r.main, err = dial(ctx, address, r.setup())
	return err
}

// closeAll closes all connections of the file. A server that is gone is no
// error of its own: what it was asked for last has failed.
func (r *run) closeAll() {
	for name, c := range r.named {
		_ = c.close()
		delete(r.named, name)
	}
	if r.main != nil {
		_ = r.main.close()
		r.main = nil
	}
}

// control runs a record that is no SQL.
func (r *run) control(ctx context.Context, s *scope, record *Record) error {
	switch record.Kind {
	case Restart:
		return r.open(ctx, r.path)
	case Reconnect:
		return r.reconnect(ctx)
	case Load:
		return r.load(ctx, s, record)
	case Sleep:
		return r.sleep(ctx, record)
	case Unzip:
		return r.unzip(s, record)
	case Mode:
		return nil // what the modes print, Options.Trace shows
	case HashThreshold:
		n, err := strconv.Atoi(record.Args[0])
		r.check.hashThreshold = n
		return err
	case ResetLabel:
		delete(r.labels, record.Args[1])
		return nil
	case Require:
		return require(record.Args)
	case RequireEnv:
		value, ok := os.LookupEnv(record.Args[0])
		if !ok || len(record.Args) > 1 && value != record.Args[1] {
			return errSkip("require-env " + record.Args[0])
		}
		r.vars[record.Args[0]] = value
		return nil
	case TestEnv:
		r.vars[record.Args[0]] = r.expand(record.Args[1])
		return nil
	case SetIgnored:
		if record.Args[0] == "ignore_error_messages" {
			r.ignored = splitList(strings.Join(record.Args[1:], " "))
		}
		return nil
	case SetSeed:
		_, err := r.ask(ctx, "SELECT setseed("+record.Args[1]+")")
		return err
	default:
		panic(invariant.Failed("slt: kind %d", record.Kind))
	}
}

// ask runs a query of the runner's own, which no forced backend may refuse.
func (r *run) ask(ctx context.Context, sql string) (Result, error) {
	if r.opts.Backend != "" {
		return r.onDuckDB(ctx, r.main, sql)
	}
	return r.main.exec(ctx, sql)
}

// splitList reads a list with commas, without empty entries.
func splitList(text string) []string {
	var out []string
	for _, part := range strings.Split(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

func (r *run) reconnect(ctx context.Context) (err error) {
	if err := r.main.close(); err != nil {
		return err
	}
	r.main, err = dial(ctx, r.address, r.setup())
	return err
}

func (r *run) load(ctx context.Context, s *scope, record *Record) error {
	path, readOnly := "", false
	if len(record.Args) > 0 {
		path = r.expand(s.expand(record.Args[0]))
	}
	if len(record.Args) > 1 {
		readOnly = strings.EqualFold(record.Args[1], "readonly")
	}
	if readOnly {
		return errSkip("load readonly")
	}
	if path == ":memory:" {
		path = ""
	}
	if path != "" && !filepath.IsAbs(path) {
		path = filepath.Join(r.opts.WorkDir, path)
	}
	return r.open(ctx, path)
}

// sleepUnits are the units of sleep.
var sleepUnits = map[string]time.Duration{
	"second": time.Second, "seconds": time.Second, "sec": time.Second,
	"millisecond": time.Millisecond, "milliseconds": time.Millisecond, "milli": time.Millisecond,
	"microsecond": time.Microsecond, "microseconds": time.Microsecond, "micro": time.Microsecond,
	"nanosecond": 1, "nanoseconds": 1, "nano": 1,
}

func (r *run) sleep(ctx context.Context, record *Record) error {
	n, err := strconv.Atoi(record.Args[0])
	if err != nil {
		return err
	}
	unit, ok := sleepUnits[record.Args[1]]
	if !ok {
		return fmt.Errorf("unknown unit %q", record.Args[1])
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Duration(n) * unit):
		return nil
	}
}

// unzip writes what a gzip file holds to a file, in the TempDir if none is named.
func (r *run) unzip(s *scope, record *Record) (err error) {
	from := r.expand(s.expand(record.Args[0]))
	to := filepath.Join(r.opts.TempDir, strings.TrimSuffix(filepath.Base(from), ".gz"))
	if len(record.Args) > 1 && record.Args[1] != "NULL" {
		to = r.expand(s.expand(record.Args[1]))
	}
	if !filepath.IsAbs(from) {
		from = filepath.Join(r.opts.WorkDir, from)
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	reader, err := gzip.NewReader(in)
	if err != nil {
		return err
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = io.Copy(out, reader)
	return err
}

// duckVectorSize is DuckDB's STANDARD_VECTOR_SIZE, which files may require.
const duckVectorSize = 2048

// present are the requirements that always hold here, absent those that never do.
var (
	present = []string{
		"notmusl", "notmingw", "64bit", "longdouble", "noforcestorage", "no_force_storage", "nothreadsan",
		"strinline", "skip_reload", "no_alternative_verify", "no_latest_storage", "no_vector_verification", "core_functions",
		"ram", "disk_space", "autocomplete", "icu", "json", "parquet",
	}
	absent = []string{"mingw", "no_extension_autoloading", "allow_unsigned_extensions", "vacuum_rebuild_indexes"}
)

// require gives the file up unless a condition or an extension is there. A
// server loads no extension beyond those that DuckDB's library is linked with.
func require(args []string) error {
	name := strings.ToLower(args[0])
	if slices.Contains(present, name) {
		return nil
	}
	if slices.Contains(absent, name) {
		return errSkip("require " + name)
	}
	windows := runtime.GOOS == "windows"
	met := false
	switch name {
	case "windows":
		met = windows
	case "notwindows":
		met = !windows
	case "vector_size", "exact_vector_size", "block_size":
		if len(args) < 2 {
			return fmt.Errorf("require %s needs a number", name)
		}
		n, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		met = name == "vector_size" && n <= duckVectorSize || name == "exact_vector_size" && n == duckVectorSize ||
			name == "block_size" && n == 262144
	}
	if !met {
		return errSkip("require " + strings.Join(args, " "))
	}
	return nil
}
