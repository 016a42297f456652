package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/monitor"
	"github.com/trireme-db/trireme/pgwire"
)

type serveOptions struct {
	databaseOptions
	securityOptions
	logOptions
	monitorOptions
	listen string
	drain  time.Duration
}

func newServe() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the Postgres wire protocol until SIGTERM or SIGINT",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := loadConfig(cmd.Flags(), os.Environ())
			if err != nil {
				return err
			}
			if show, err := cmd.Flags().GetBool(printFlag); err != nil || show {
				return errors.Join(err, cfg.print(cmd.OutOrStdout()))
			}
			ignoreSignals()
			return o.run(cmd.Context(), cfg, cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	o.databaseOptions.addFlags(cmd)
	o.securityOptions.addFlags(f)
	f.StringVar(&o.listen, "listen", "127.0.0.1:5433", "address to listen on")
	f.DurationVar(&o.drain, "drain", 5*time.Second, "how long running statements may finish after a signal")
	o.logOptions.addFlags(cmd)
	o.monitorOptions.addFlags(cmd)
	addConfigFlags(cmd)
	return cmd
}

// run serves until ctx is done. The address in use is printed first, so that
// port 0 is of use.
func (o *serveOptions) run(ctx context.Context, cfg *config, out io.Writer) (err error) {
	if err := o.securityOptions.check(o.listen); err != nil {
		return err
	}
	log, level, err := o.logger(out)
	if err != nil {
		return err
	}
	store, err := o.openRoles(o.path)
	if err != nil {
		return err
	}
	closed := o.closedFiles(store.Path(), cfg.path)
	dirs, err := o.directories(o.path, closed)
	if err != nil {
		return err
	}
	certs, err := o.openCertificates()
	if err != nil {
		return err
	}
	wire, err := o.wire(store, certs, log)
	if err != nil {
		return err
	}
	wire.DrainTimeout, wire.Directories = o.drain, dirs
	if wire.BufferBytes, err = o.bufferBytes(wire.MaxMessageBytes); err != nil {
		return err
	}
	var ready readiness
	ctx, broken := context.WithCancelCause(ctx)
	defer broken(nil)
	metrics := monitor.NewMetrics(release, buildInfo().revision)
	e, err := o.openWith(ctx, engine.Config{
		Logger: log, Confined: true, Directories: dirs, Closed: closed, Roles: store, Spill: wire.Spill, ExpressionDepthMax: o.maxDepth, BlocksMax: o.maxBlocks, TokensMax: o.maxTokens, TokenBytesMax: o.maxLiteral << 20,
		Invalidated: func(err error) {
			log.Error("the database cannot be written: the server ends, and what it has acknowledged is there at the next start", "error", err)
			ready.broken.Store(&err)
			broken(err)
		},
		Observe: metrics.Observe, SlowQuery: o.slowQuery, RecentStatements: o.recentStatements, MaxConnections: o.maxConnections,
	})
	if err != nil {
		return err
	}
	defer func() {
		if !errors.Is(err, pgwire.ErrStuck) { // the log keeps what has been acknowledged
			err = errors.Join(err, e.Close())
		}
	}()
	certs.renew(ctx, log)
	metrics.Watch(e, log)
	onHangup(ctx, func() {
		cfg.reload(log, func(name string) error { return o.changed(name, level, e) })
	})
	stopMonitor, err := o.monitor(ctx, metrics, &ready, log)
	if err != nil {
		return err
	}
	defer stopMonitor()

	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", o.listen)
	if err != nil {
		return err
	}
	o.announce(out, log, l.Addr().String())
	if err := o.warnings(o.notices(out, log), store, o.listen); err != nil {
		return errors.Join(err, l.Close())
	}
	server := pgwire.NewServer(handler{engine: e, proven: o.auth != "trust"}, wire)
	ready.accepting.Store(true)
	stopWaiting := context.AfterFunc(ctx, func() {
		ready.accepting.Store(false)
		log.Info("draining", "limit", o.drain.String())
	})
	defer stopWaiting()
	return errors.Join(server.Serve(ctx, metrics.Listen(l)), ready.failure())
}

// changed makes a flag that has a new value take effect.
func (o *serveOptions) changed(name string, level *slog.LevelVar, e *engine.Engine) error {
	switch name {
	case "log-level":
		return setLevel(level, o.level)
	case "slow-query":
		if err := o.monitorOptions.check(); err != nil {
			return err
		}
		e.SetSlowQuery(o.slowQuery)
	}
	return nil
}

// announce says where the server listens.
func (o *serveOptions) announce(out io.Writer, log *slog.Logger, address string) {
	if o.format == "json" {
		log.Info("listening", "address", address, "database", o.path, "backend", o.backend, "version", release)
		return
	}
	fmt.Fprintf(out, "trireme %s listening on %s (database %s, backend %s)\n", release, address, o.path, o.backend)
	if host, port, err := net.SplitHostPort(address); err == nil {
		fmt.Fprintf(out, "connect: psql -h %s -p %s -U trireme trireme\n", host, port)
	}
}
