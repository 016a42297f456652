package main

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// latencyKeys is the number of rows of the table in which points are looked up.
const latencyKeys = 100_000

// hprdPattern counts paths of four vertices with given labels.
const hprdPattern = `SELECT count(*) FROM edge e0, edge e1, edge e2, vertex v0, vertex v1, vertex v2, vertex v3
WHERE v0.id = e0.src AND v0.label = $1 AND e0.dst = e1.src AND v1.id = e0.dst AND v1.label = $2
AND e1.dst = e2.src AND v2.id = e1.dst AND v2.label = $3 AND v3.id = e2.dst AND v3.label = $4`

// BenchmarkLatency is the time of short statements over loopback, from the first
// byte sent to the last received.
func BenchmarkLatency(b *testing.B) {
	conn := latencyConn(b)
	b.Run("query=constant/mode=simple", func(b *testing.B) {
		reportLatency(b, func(int) error { return answerOne(conn.Exec(context.Background(), "SELECT 1")) })
	})
	b.Run("query=literal/mode=simple", func(b *testing.B) {
		reportLatency(b, func(i int) error {
			return answerOne(conn.Exec(context.Background(), "SELECT v FROM t WHERE id = "+strconv.Itoa(i*7919%latencyKeys)))
		})
	})
	b.Run("query=insert/mode=simple", func(b *testing.B) {
		reportLatency(b, func(i int) error {
			return answerOne(conn.Exec(context.Background(), "INSERT INTO added VALUES ("+strconv.Itoa(i)+")"))
		})
	})
	for _, c := range []struct {
		name, sql, table string
		args             func(i int) []string
	}{
		{name: "constant", sql: "SELECT 1", args: func(int) []string { return nil }},
		{name: "point", sql: "SELECT v FROM t WHERE id = $1", args: func(i int) []string { return []string{strconv.Itoa(i * 7919 % latencyKeys)} }},
		{name: "literal", sql: "SELECT v FROM t WHERE id = 7919", args: func(int) []string { return nil }},
		{name: "point-unkeyed", sql: "SELECT v FROM unkeyed WHERE id = $1", args: func(i int) []string { return []string{strconv.Itoa(i * 7919 % latencyKeys)} }},
		{name: "pattern", sql: hprdPattern, table: "edge", args: func(int) []string { return []string{"85", "14", "55", "25"} }},
	} {
		b.Run("query="+c.name+"/mode=prepared", func(b *testing.B) {
			if c.table != "" && answerOne(conn.Exec(context.Background(), "SELECT 1 FROM "+c.table+" LIMIT 1")) != nil {
				b.Skip("the graph hprd is not in ../shared/data")
			}
			if _, err := conn.Prepare(context.Background(), c.name, c.sql, nil); err != nil {
				b.Fatal(err)
			}
			reportLatency(b, func(i int) error { return answerPrepared(conn, c.name, c.args(i)) })
		})
	}
}

// latencyConn connects to a server with the benchmark's tables.
func latencyConn(b *testing.B) *pgconn.PgConn {
	b.Helper()
	setup := "CREATE TABLE t (id BIGINT PRIMARY KEY, v BIGINT); INSERT INTO t SELECT i, 7 * i FROM range(" + strconv.Itoa(latencyKeys) + ") r(i); CREATE TABLE unkeyed AS FROM t; CREATE TABLE added (i BIGINT);"
	graph, err := filepath.Abs("../../../shared/data/hprd")
	if err != nil {
		b.Fatal(err)
	}
	if _, err := os.Stat(graph); err == nil {
		for _, table := range []string{"edge", "vertex"} {
			setup += "CREATE TABLE " + table + " AS FROM read_csv('" + filepath.Join(graph, table+".csv") + "');"
		}
	}
	db := filepath.Join(b.TempDir(), "latency.db")
	if _, err := trireme(b, setup, "query", "--db", db, "-"); err != nil {
		b.Fatal(err)
	}
	host, port, err := net.SplitHostPort(serve(b, "--db", db))
	if err != nil {
		b.Fatal(err)
	}
	conn, err := pgconn.Connect(context.Background(), "postgres://trireme@"+net.JoinHostPort(host, port)+"/trireme")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := conn.Close(context.Background()); err != nil {
			b.Error(err)
		}
	})
	return conn
}

func answerOne(m *pgconn.MultiResultReader) error {
	_, err := m.ReadAll()
	return err
}

func answerPrepared(conn *pgconn.PgConn, name string, args []string) error {
	return conn.ExecPrepared(context.Background(), name, bytesOf(args), nil, nil).Read().Err
}

// latencyWarmups are runs that are not measured: the first ones load tensors, plan,
// and find out who answers sooner.
const latencyWarmups = 50

// reportLatency runs a statement b.N times and reports the median and the 99th
// percentile of its time.
func reportLatency(b *testing.B, run func(i int) error) {
	for i := range latencyWarmups {
		if err := run(i); err != nil {
			b.Fatal(err)
		}
	}
	var times []time.Duration
	for i := 0; b.Loop(); i++ {
		started := time.Now()
		if err := run(i); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(started))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds())/1e3, "p50-us")
	b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds())/1e3, "p99-us")
}
