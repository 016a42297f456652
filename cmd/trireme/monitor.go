package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/monitor"
)

// monitorOptions are the flags of what a server shows of itself.
type monitorOptions struct {
	http             string
	profiles         bool
	slowQuery        time.Duration
	recentStatements int
}

func (o *logOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.format, "log-format", "text", "format of the log: text or json")
	f.StringVar(&o.level, "log-level", "info", "least level that is logged: debug (every statement), info (errors), warn (slow statements) or error")
}

func (o *monitorOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.http, "http", "", "address for /metrics, /healthz and /readyz, such as 127.0.0.1:9187 (default: none)")
	f.BoolVar(&o.profiles, "http-pprof", false, "serve profiles under /debug/pprof at the address of --http")
	f.DurationVar(&o.slowQuery, "slow-query", 0, "log statements that take as long, with their plans (0: none)")
	f.IntVar(&o.recentStatements, "recent-statements", 1000, "how many of the last statements trireme_queries shows")
}

// check refuses values that mean nothing.
func (o *monitorOptions) check() error {
	switch {
	case o.slowQuery < 0:
		return sqlerr.New(sqlerr.InvalidParameter, "--slow-query must not be negative")
	case o.recentStatements < 1:
		return sqlerr.New(sqlerr.InvalidParameter, "--recent-statements must be at least 1")
	case o.profiles && o.http == "":
		return sqlerr.New(sqlerr.InvalidParameter, "--http-pprof needs --http").WithHint("Give an address, such as --http 127.0.0.1:9187.")
	}
	return nil
}

// readiness says whether the server takes new connections, and whether it can serve.
type readiness struct {
	accepting atomic.Bool
	broken    atomic.Pointer[error]
}

// failure returns the error after which nothing can be served.
func (r *readiness) failure() error {
	if err := r.broken.Load(); err != nil {
		return *err
	}
	return nil
}

// healthy says that there is such an error, and not where files are: it is answered to
// whoever asks.
func (r *readiness) healthy() error {
	if r.failure() != nil {
		return errors.New("the database is closed and nothing can be served; the server's log says why")
	}
	return nil
}

func (r *readiness) check() error {
	if err := r.healthy(); err != nil {
		return err
	}
	if !r.accepting.Load() {
		return errors.New("the server takes no new connections")
	}
	return nil
}

// monitor serves the metrics, if there is an address for them.
func (o *monitorOptions) monitor(ctx context.Context, metrics *monitor.Metrics, ready *readiness, log *slog.Logger) (stop func(), err error) {
	if err := o.check(); err != nil || o.http == "" {
		return func() {}, err
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", o.http)
	if err != nil {
		return nil, err
	}
	log.Info("metrics", "address", l.Addr().String(), "profiles", o.profiles)
	return metrics.Serve(l, monitor.Options{Ready: ready.check, Healthy: ready.healthy, Profiles: o.profiles, Logger: log}), nil
}
