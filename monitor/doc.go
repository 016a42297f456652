// Package monitor shows a running server to those who operate it: metrics for
// Prometheus, health for load balancers, profiles for developers.
//
// In: statements that have ended (Metrics.Observe), and the engine's figures when
// they are asked for. Out: a handler with /metrics, /healthz, /readyz and, where
// that is wanted, /debug/pprof.
//
// Invariants:
//
//	M1. Labels take few values: what clients write (texts, names, reasons with
//	    names in them) is never one.
//	M2. Scraping waits for no statement.
//
// Read metrics.go first, then http.go and traffic.go.
package monitor
