package monitor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Options say what is served.
type Options struct {
	// Ready reports whether the server takes new connections; nil error: it does.
	Ready func() error
	// Healthy reports whether the server can serve at all; nil error: it can.
	Healthy func() error
	// Profiles serves /debug/pprof.
	Profiles bool
	Logger   *slog.Logger
}

// Handler serves the metrics, health and, where asked for, profiles.
func (m *Metrics) Handler(opt Options) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(opt.Logger.Handler(), slog.LevelWarn), Registry: m.registry,
	}))
	mux.HandleFunc("GET /healthz", answer(opt.Healthy, "ok"))
	mux.HandleFunc("GET /readyz", answer(opt.Ready, "ready"))
	if opt.Profiles {
		mux.HandleFunc("/debug/pprof/", pprof.Index)
		mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
		mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	}
	return mux
}

// answer says yes, or 503 with the error of check.
func answer(check func() error, yes string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if err := check(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, yes)
	}
}

const (
	// headerTimeout bounds the time that a client may take to ask.
	headerTimeout = 10 * time.Second
	// answerTimeout bounds that of an answer, of which a profile may take minutes, and
	// idleTimeout that between two questions.
	answerTimeout = 5 * time.Minute
	idleTimeout   = time.Minute
	// closeTimeout is how long answers under way may take at the end.
	closeTimeout = time.Second
)

// server is one that no client holds up.
func (m *Metrics) server(opt Options) *http.Server {
	return &http.Server{
		Handler: m.Handler(opt), ReadHeaderTimeout: headerTimeout, ReadTimeout: headerTimeout,
		WriteTimeout: answerTimeout, IdleTimeout: idleTimeout,
		ErrorLog: slog.NewLogLogger(opt.Logger.Handler(), slog.LevelWarn),
	}
}

// Serve answers on l until stop is called.
func (m *Metrics) Serve(l net.Listener, opt Options) (stop func()) {
	server := m.server(opt)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			opt.Logger.Error("the monitoring port failed", "error", err)
		}
	}()
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
		defer cancel()
		if err := server.Shutdown(ctx); err != nil {
			_ = server.Close() // a profile goes on; nothing is lost with it
		}
		<-ended
	}
}
