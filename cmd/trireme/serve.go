package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"time"

	"github.com/spf13/cobra"

	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/pgwire"
)

type serveOptions struct {
	databaseOptions
	securityOptions
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
			return o.run(cmd.Context(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	o.databaseOptions.addFlags(cmd)
	o.securityOptions.addFlags(f)
	f.StringVar(&o.listen, "listen", "127.0.0.1:5433", "address to listen on")
	f.DurationVar(&o.drain, "drain", 5*time.Second, "how long running statements may finish after a signal")
	return cmd
}

// run serves until ctx is done. The address in use is printed first, so that
// port 0 is of use.
func (o *serveOptions) run(ctx context.Context, out io.Writer) (err error) {
	if err := o.check(o.listen); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(out, nil))
	store, err := o.openRoles(o.path)
	if err != nil {
		return err
	}
	dirs, err := o.directories(o.path, store.Path())
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
	wire.DrainTimeout = o.drain
	e, err := o.openWith(ctx, engine.Config{Logger: log, Confined: true, Directories: dirs, Roles: store})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	certs.renew(ctx, log)

	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", o.listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "trireme %s listening on %s (database %s, backend %s)\n", release, l.Addr(), o.path, o.backend)
	host, port, err := net.SplitHostPort(l.Addr().String())
	if err == nil {
		fmt.Fprintf(out, "connect: psql -h %s -p %s -U trireme trireme\n", host, port)
	}
	if err := o.warnings(out, store, o.listen); err != nil {
		return errors.Join(err, l.Close())
	}
	return pgwire.NewServer(handler{engine: e, proven: o.auth != "trust"}, wire).Serve(ctx, l)
}
