package main

import (
	"context"
	"log/slog"
	"net"

	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/pgwire"
)

// listenLoopback serves an engine over the wire at a port of its own until close is
// called.
func listenLoopback(ctx context.Context, e *engine.Engine) (address string, close func() error, err error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := pgwire.NewServer(handler{engine: e}, pgwire.Options{Logger: slog.New(slog.DiscardHandler)})
	// The client ends its connection after the run, also when that was interrupted.
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	served := make(chan error, 1)
	go func() { served <- server.Serve(serving, l) }()
	return l.Addr().String(), func() error {
		stop()
		return <-served
	}, nil
}
