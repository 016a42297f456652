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

	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/pgwire"
)

type serveOptions struct {
	databaseOptions
	listen string
	auth   string
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
	o.addFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:5433", "address to listen on")
	f.StringVar(&o.auth, "auth", "trust", "authentication: trust (anyone who can connect)")
	f.DurationVar(&o.drain, "drain", 5*time.Second, "how long running statements may finish after a signal")
	return cmd
}

// run serves until ctx is done. The address in use is printed first, so that
// port 0 is of use.
func (o *serveOptions) run(ctx context.Context, out io.Writer) (err error) {
	if err := checkAuth(o.auth); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(out, nil))
	e, err := o.open(ctx, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()

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
	server := pgwire.NewServer(handler{e}, pgwire.Options{Logger: log, DrainTimeout: o.drain})
	return server.Serve(ctx, l)
}

func checkAuth(method string) error {
	switch method {
	case "trust":
		return nil
	case "scram":
		return sqlerr.New(sqlerr.FeatureNotSupported, "--auth scram is not available yet").
			WithHint("Listen on a loopback address, or put an authenticating proxy in front.")
	}
	return sqlerr.New(sqlerr.InvalidParameter, "unknown authentication method %q", method).WithHint("The method is trust.")
}
