package monitor

import (
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/trireme-db/trireme/engine/activity"
)

// Metrics are what is counted while statements run.
type Metrics struct {
	registry   *prometheus.Registry
	traffic    *Traffic
	statements *prometheus.CounterVec
	seconds    *prometheus.HistogramVec
	phases     *prometheus.CounterVec
	fallbacks  *prometheus.CounterVec
	canceled   prometheus.Counter
	rows       *prometheus.CounterVec
	copied     prometheus.Counter

	mu      sync.Mutex
	reasons map[string]bool // labels of fallbacks in use
}

// reasonsMax bounds the reasons that have a label of their own.
const reasonsMax = 64

// NewMetrics makes the counters of a server; version and revision name its build.
func NewMetrics(version, revision string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(), traffic: &Traffic{}, reasons: map[string]bool{},
		statements: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "trireme_statements_total", Help: "Statements that have ended, by who answered and by class of SQLSTATE (00: without an error).",
		}, []string{"backend", "sqlstate_class"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "trireme_statement_duration_seconds", Help: "Time of statements from binding to the last row.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 4, 11), // 0.1 ms to 105 s
		}, []string{"backend"}),
		phases: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "trireme_statement_phase_seconds_total", Help: "Where the time of statements went.",
		}, []string{"backend", "phase"}),
		fallbacks: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "trireme_fallbacks_total", Help: "Statements that DuckDB answered although tensors might have, by reason.",
		}, []string{"reason"}),
		canceled: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "trireme_statements_canceled_total", Help: "Statements that ended in 57014: cancelled, or out of time.",
		}),
		rows: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "trireme_rows_total", Help: "Rows returned or changed, by kind of statement.",
		}, []string{"kind"}),
		copied: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "trireme_copy_rows_total", Help: "Rows read or written by COPY.",
		}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "trireme_build_info", Help: "1, with the build as labels.", ConstLabels: prometheus.Labels{"version": version, "revision": revision},
	})
	build.Set(1)
	m.registry.MustRegister(
		m.statements, m.seconds, m.phases, m.fallbacks, m.canceled, m.rows, m.copied, build, m.traffic.collector("in"), m.traffic.collector("out"),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

// canceledCode is query_canceled.
const canceledCode = "57014"

// Observe counts a statement that has ended.
func (m *Metrics) Observe(r *activity.Record) {
	m.statements.WithLabelValues(r.Backend, r.Code[:min(2, len(r.Code))]).Inc()
	m.seconds.WithLabelValues(r.Backend).Observe(r.Took.Seconds())
	for _, p := range activity.Phases() {
		m.phases.WithLabelValues(r.Backend, p.String()).Add(r.Phase(p).Seconds())
	}
	if r.Reason != "" {
		m.fallbacks.WithLabelValues(m.reason(r.Reason)).Inc()
	}
	if r.Code == canceledCode {
		m.canceled.Inc()
	}
	m.rows.WithLabelValues(r.Kind).Add(float64(r.Rows))
	if r.Kind == "copy" {
		m.copied.Add(float64(r.Rows))
	}
}

// reason is the label of a reason: what comes before names and numbers, and
// "other" when there are too many (M1).
func (m *Metrics) reason(text string) string {
	if i := strings.IndexAny(text, "\"'`:(0123456789"); i > 0 {
		text = text[:i]
	}
	text = strings.TrimSpace(text)
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.reasons[text]:
	case len(m.reasons) < reasonsMax:
		m.reasons[text] = true
	default:
		return "other"
	}
	return text
}
