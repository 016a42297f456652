package monitor

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/engine/activity"
)

// Watch adds the figures of an engine, read at every scrape.
func (m *Metrics) Watch(e *engine.Engine, log *slog.Logger) {
	m.registry.MustRegister(&figures{engine: e, log: log})
}

// figures collects what an engine holds and has done.
type figures struct {
	engine *engine.Engine
	log    *slog.Logger
}

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("trireme_"+name, help, labels, nil)
}

var (
	sessionsDesc   = describe("sessions", "Open sessions, by state.", "state")
	openedDesc     = describe("sessions_total", "Sessions opened so far.")
	runningDesc    = describe("statements_running", "Statements that run at this moment.")
	cacheBytesDesc = describe("cache_bytes", "Memory of the tensor cache.")
	entriesDesc    = describe("cache_entries", "Tensors in the cache.")
	hitsDesc       = describe("cache_hits_total", "Tensors found in the cache.")
	missesDesc     = describe("cache_misses_total", "Tensors built because they were not in the cache.")
	evictionsDesc  = describe("cache_evictions_total", "Tensors dropped for want of room.")
	statementDesc  = describe("statement_memory_bytes", "Memory that running statements hold beside the cache.")
	limitDesc      = describe("memory_limit_bytes", "The memory limit of DuckDB and the tensor engine together.")
	duckDesc       = describe("duckdb_memory_bytes", "Memory that DuckDB holds.")
	spilledDesc    = describe("duckdb_temporary_bytes", "What DuckDB has written to temporary files.")
)

var states = []activity.State{activity.Active, activity.Idle, activity.InTransaction, activity.InFailed}

// Describe names the metrics.
func (f *figures) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		sessionsDesc, openedDesc, runningDesc, cacheBytesDesc, entriesDesc, hitsDesc, missesDesc, evictionsDesc, statementDesc, limitDesc, duckDesc, spilledDesc,
	} {
		out <- d
	}
}

// duckTimeout bounds the time that DuckDB is waited for.
const duckTimeout = 2 * time.Second

// Collect reads the figures.
func (f *figures) Collect(out chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v int64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(v), labels...)
	}
	count := func(d *prometheus.Desc, v uint64) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v))
	}
	in := map[activity.State]int64{}
	for _, s := range f.engine.Activity().Sessions() {
		in[s.State]++
	}
	for _, state := range states {
		gauge(sessionsDesc, in[state], string(state))
	}
	gauge(runningDesc, in[activity.Active])
	count(openedDesc, f.engine.Activity().Opened())
	x := f.engine.Figures()
	gauge(cacheBytesDesc, x.CacheBytes)
	gauge(entriesDesc, int64(x.CacheEntries))
	count(hitsDesc, x.Cache.Hits)
	count(missesDesc, x.Cache.Misses)
	count(evictionsDesc, x.Cache.Evictions)
	gauge(statementDesc, x.StatementBytes)
	gauge(limitDesc, x.LimitBytes)
	ctx, cancel := context.WithTimeout(context.Background(), duckTimeout)
	defer cancel()
	memory, spilled, err := f.engine.DuckMemory(ctx)
	if err != nil {
		f.log.Warn("DuckDB does not tell its memory", "error", err)
		return
	}
	gauge(duckDesc, memory)
	gauge(spilledDesc, spilled)
}
