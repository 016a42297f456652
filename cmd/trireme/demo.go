package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"

	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/pgwire"
	"github.com/trireme-db/trireme/testdata"
)

type demoOptions struct {
	timeout time.Duration
	keep    bool
	listen  string
}

func newDemo() *cobra.Command {
	var o demoOptions
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Ask questions of the Debian package graph on every backend, side by side",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.DurationVar(&o.timeout, "timeout", 6*time.Second, "time for one statement on one backend")
	f.BoolVar(&o.keep, "keep", false, "serve the data until Ctrl-C after the table is printed")
	f.StringVar(&o.listen, "listen", "", "address to serve on (default: a free port, with --keep 127.0.0.1:5433)")
	return cmd
}

// demoBackends are compared in this order; the last one is the baseline.
var demoBackends = []string{"native", "decomposed", "duckdb"}

// run starts a server on loopback, loads the graph and asks the questions over
// the wire.
func (o *demoOptions) run(ctx context.Context, out, progress io.Writer) (err error) {
	e, err := engine.Open(ctx, engine.Config{Version: release})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	address := o.listen
	if address == "" {
		address = "127.0.0.1:0"
		if o.keep {
			address = "127.0.0.1:5433"
		}
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	server := pgwire.NewServer(handler{engine: e}, pgwire.Options{Logger: slog.New(slog.DiscardHandler), DrainTimeout: time.Second})
	serveCtx, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- server.Serve(serveCtx, l) }()
	defer func() {
		stop()
		err = errors.Join(err, <-served)
	}()
	if err := o.ask(ctx, l.Addr().String(), out, progress); err != nil {
		return err
	}
	if !o.keep {
		return nil
	}
	host, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nServing until Ctrl-C: psql -h %s -p %s -U trireme trireme\n", host, port)
	<-ctx.Done()
	return nil
}

// ask is the client's side of the demo.
func (o *demoOptions) ask(ctx context.Context, address string, out, progress io.Writer) (err error) {
	conn, err := pgx.Connect(ctx, "postgres://trireme@"+address+"/trireme?sslmode=disable")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	if err := loadDebian(ctx, conn, out); err != nil {
		return err
	}
	table := &strings.Builder{}
	w := tabwriter.NewWriter(table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "question\tanswer\tnative\tdecomposed\tduckdb\tspeed-up")
	for i, a := range demoAnalyses {
		fmt.Fprintf(progress, "%d of %d: %s\n", i+1, len(demoAnalyses), a.title)
		line, err := o.compare(ctx, conn, a)
		if err != nil {
			return err
		}
		fmt.Fprintln(w, line)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%s\n", table)
	fmt.Fprintf(out, "Times are from text to last row over the wire, the better of two runs after the first;\n"+
		"\">\" is a timeout.\n\n")
	if err := printExplain(ctx, conn, demoAnalyses[0], out); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nThe same data in psql: run \"trireme demo --keep\", then \"psql -h 127.0.0.1 -p 5433 -U trireme trireme\".\n")
	return nil
}

// loadDebian creates the tables from files that the server reads.
func loadDebian(ctx context.Context, conn *pgx.Conn, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "trireme-demo")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	started := time.Now()
	for name, open := range map[string]func() io.ReadCloser{"package": testdata.DebianPackages, "depends": testdata.DebianDepends} {
		path := filepath.Join(dir, name+".csv")
		if err := writeFile(path, open()); err != nil {
			return err
		}
		sql := fmt.Sprintf("CREATE TABLE %s AS SELECT * FROM read_csv('%s', header = true)", name, strings.ReplaceAll(path, "'", "''"))
		if _, err := conn.Exec(ctx, sql); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "The package graph of Debian 12: 63,436 packages, 299,335 dependencies, loaded in %s.\n", short(time.Since(started)))
	return nil
}

func writeFile(path string, in io.ReadCloser) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return errors.Join(err, in.Close())
	}
	_, err = io.Copy(f, in)
	return errors.Join(err, in.Close(), f.Close())
}

// outcome is one backend's answer to an analysis.
type outcome struct {
	answer  string // all rows as text
	rows    int
	took    time.Duration
	timeout bool
	refused string
}

// compare asks one question of every backend and prints a line; answers that
// differ are an error.
func (o *demoOptions) compare(ctx context.Context, conn *pgx.Conn, a analysis) (string, error) {
	var outs []outcome
	for _, backend := range demoBackends {
		got, err := o.measure(ctx, conn, backend, a.sql)
		if err != nil {
			return "", fmt.Errorf("%s on %s: %w", a.title, backend, err)
		}
		outs = append(outs, got)
	}
	answer := ""
	cells := []string{a.title, ""}
	for i, got := range outs {
		switch {
		case got.refused != "":
			cells = append(cells, "refused")
			continue
		case got.timeout:
			cells = append(cells, "> "+short(o.timeout))
			continue
		}
		cells = append(cells, short(got.took))
		if answer != "" && answer != got.answer {
			return "", fmt.Errorf("%s: %s disagrees with another backend", a.title, demoBackends[i])
		}
		answer = got.answer
		cells[1] = answer
		if got.rows > 1 {
			cells[1] = fmt.Sprintf("%d rows", got.rows)
		}
	}
	return strings.Join(append(cells, speedUp(outs[0], outs[len(outs)-1], o.timeout)), "\t"), nil
}

// speedUp is how many times faster the first outcome is than the baseline.
func speedUp(fast, base outcome, timeout time.Duration) string {
	switch {
	case fast.timeout || fast.refused != "":
		return "-"
	case base.timeout:
		return fmt.Sprintf("> %.0fx", timeout.Seconds()/fast.took.Seconds())
	}
	return fmt.Sprintf("%.1fx", base.took.Seconds()/fast.took.Seconds())
}

// demoRuns is how often a statement runs on a backend; the best time counts.
const demoRuns = 3

func (o *demoOptions) measure(ctx context.Context, conn *pgx.Conn, backend, sql string) (outcome, error) {
	if _, err := conn.Exec(ctx, "SET trireme.backend = '"+backend+"'"); err != nil {
		return outcome{}, err
	}
	if _, err := conn.Exec(ctx, fmt.Sprintf("SET statement_timeout = %d", o.timeout.Milliseconds())); err != nil {
		return outcome{}, err
	}
	var best outcome
	for run := range demoRuns {
		started := time.Now()
		got, err := readAll(ctx, conn, sql)
		got.took = time.Since(started)
		var e *pgconn.PgError
		switch {
		case errors.As(err, &e) && e.Code == sqlerr.QueryCanceled:
			return outcome{timeout: true}, nil
		case errors.As(err, &e) && e.Code == sqlerr.FeatureNotSupported:
			return outcome{refused: e.Message}, nil
		case err != nil:
			return outcome{}, err
		}
		if run == 0 || got.took < best.took {
			best = got
		}
		if got.took > o.timeout/demoRuns {
			break // slow statements need no second look
		}
	}
	return best, checkBackend(ctx, conn, backend)
}

// checkBackend makes sure that the backend asked is the one that answered.
func checkBackend(ctx context.Context, conn *pgx.Conn, want string) error {
	var by string
	if err := conn.QueryRow(ctx, "SHOW trireme.last_backend").Scan(&by); err != nil {
		return err
	}
	if by != want {
		return fmt.Errorf("answered by %s", by)
	}
	return nil
}

func readAll(ctx context.Context, conn *pgx.Conn, sql string) (outcome, error) {
	rs, err := conn.Query(ctx, sql, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return outcome{}, err
	}
	defer rs.Close()
	var out outcome
	var b strings.Builder
	for rs.Next() {
		for i, v := range rs.RawValues() {
			if i > 0 {
				b.WriteByte('|')
			}
			b.Write(v)
		}
		if out.rows++; out.rows > 1 {
			b.WriteByte('\n')
		}
	}
	out.answer = b.String()
	return out, rs.Err()
}

func printExplain(ctx context.Context, conn *pgx.Conn, a analysis, out io.Writer) error {
	for _, set := range []string{"SET trireme.backend = 'native'", "SET statement_timeout = 0"} {
		if _, err := conn.Exec(ctx, set); err != nil {
			return err
		}
	}
	sql := "EXPLAIN ANALYZE " + a.sql
	fmt.Fprintf(out, "%s;\n\n", sql)
	rs, err := conn.Query(ctx, sql, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return err
	}
	lines, err := pgx.CollectRows(rs, pgx.RowTo[string])
	for _, line := range lines {
		fmt.Fprintln(out, "  "+line)
	}
	return err
}

// short prints a duration with three digits.
func short(d time.Duration) string {
	ms := float64(d.Nanoseconds()) / 1e6
	switch {
	case ms < 10:
		return fmt.Sprintf("%.2f ms", ms)
	case ms < 1000:
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.2f s", ms/1000)
}
