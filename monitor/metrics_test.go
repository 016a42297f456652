package monitor

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/trireme-db/trireme/engine/activity"
)

func get(t *testing.T, h http.Handler, path string) (status int, body string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w.Code, w.Body.String()
}

func options(ready error, profiles bool) Options {
	return Options{Ready: func() error { return ready }, Healthy: func() error { return nil }, Profiles: profiles, Logger: slog.New(slog.DiscardHandler)}
}

func TestStatementsAreCounted(t *testing.T) {
	m := NewMetrics("1.2.3", "abc")
	m.Observe(&activity.Record{Kind: "select", Backend: "native", Code: "00000", Rows: 3, Took: time.Millisecond})
	m.Observe(&activity.Record{Kind: "copy", Backend: "duckdb", Code: "00000", Rows: 40, Reason: `function "f" of 3`})
	m.Observe(&activity.Record{Kind: "select", Backend: "duckdb", Code: "57014", Reason: `function "g" of 4`})
	_, body := get(t, m.Handler(options(nil, false)), "/metrics")
	for _, want := range []string{
		`trireme_build_info{revision="abc",version="1.2.3"} 1`,
		`trireme_statements_total{backend="native",sqlstate_class="00"} 1`,
		`trireme_statements_total{backend="duckdb",sqlstate_class="57"} 1`,
		`trireme_statement_duration_seconds_count{backend="duckdb"} 2`,
		`trireme_statement_duration_seconds_bucket{backend="native",le="0.0016"} 1`,
		`trireme_fallbacks_total{reason="function"} 2`,
		`trireme_statements_canceled_total 1`,
		`trireme_copy_rows_total 40`,
		`trireme_rows_total{kind="select"} 3`,
		`trireme_statement_phase_seconds_total{backend="native",phase="load"} 0`,
		"go_goroutines ", "process_resident_memory_bytes ",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the metrics have no line %s", want)
		}
	}
}

// What clients write must not make labels without end.
func TestReasonsAreBounded(t *testing.T) {
	m := NewMetrics("", "")
	labels := map[string]bool{}
	for i := range 10 * reasonsMax {
		labels[m.reason(strings.Repeat("a", i+1))] = true
	}
	if len(labels) != reasonsMax+1 || !labels["other"] {
		t.Errorf("%d labels", len(labels))
	}
}

func TestHealth(t *testing.T) {
	m := NewMetrics("", "")
	for _, tt := range []struct {
		path     string
		ready    error
		profiles bool
		status   int
	}{
		{"/healthz", nil, false, 200},
		{"/readyz", nil, false, 200},
		{"/readyz", errors.New("draining"), false, 503},
		{"/debug/pprof/", nil, false, 404},
		{"/debug/pprof/", nil, true, 200},
		{"/debug/pprof/heap", nil, true, 200},
		{"/nothing", nil, true, 404},
	} {
		if status, body := get(t, m.Handler(options(tt.ready, tt.profiles)), tt.path); status != tt.status {
			t.Errorf("%s: status %d, want %d: %s", tt.path, status, tt.status, body)
		}
	}
}

func TestHealthTellsThatTheDatabaseIsClosed(t *testing.T) {
	opt := options(nil, false)
	opt.Healthy = func() error { return errors.New("no space left on device") }
	if status, body := get(t, NewMetrics("", "").Handler(opt), "/healthz"); status != 503 || !strings.Contains(body, "no space") {
		t.Errorf("status %d: %s", status, body)
	}
}

func TestTrafficIsCounted(t *testing.T) {
	m := NewMetrics("", "")
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := m.Listen(inner)
	defer l.Close()
	answered := make(chan error, 1)
	go func() {
		answered <- func() error {
			c, err := l.Accept()
			if err != nil {
				return err
			}
			defer c.Close()
			got, err := io.ReadAll(c)
			if err != nil || string(got) != "hello" {
				return fmt.Errorf("read %q, %w", got, err)
			}
			if _, err := c.Write([]byte("worlds")); err != nil {
				return err
			}
			return c.(interface{ CloseWrite() error }).CloseWrite()
		}()
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	if err := c.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(c); string(got) != "worlds" {
		t.Errorf("%q, %v", got, err)
	}
	if err := <-answered; err != nil {
		t.Error(err)
	}
	_, body := get(t, m.Handler(options(nil, false)), "/metrics")
	for _, want := range []string{`trireme_wire_bytes_total{direction="in"} 5`, `trireme_wire_bytes_total{direction="out"} 6`} {
		if !strings.Contains(body, want) {
			t.Errorf("the metrics have no line %s", want)
		}
	}
}

// A client that asks slowly, does not read or does not leave holds no connection for good.
func TestClientsAreTimed(t *testing.T) {
	s := NewMetrics("", "").server(options(nil, true))
	for what, d := range map[string]time.Duration{"header": s.ReadHeaderTimeout, "question": s.ReadTimeout, "answer": s.WriteTimeout, "pause": s.IdleTimeout} {
		if d <= 0 {
			t.Errorf("the time of a %s has no end", what)
		}
	}
	if s.WriteTimeout <= s.ReadTimeout {
		t.Errorf("an answer, which may be a profile of minutes, has %s", s.WriteTimeout)
	}
	// The shortest of them, for a question that never ends.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.ReadHeaderTimeout = time.Millisecond
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	nc, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	if _, err := io.WriteString(nc, "GET / HTTP/1.1\r\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(nc); err != nil { // the server hangs up
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		t.Error(err)
	}
}
