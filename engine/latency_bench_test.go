package engine

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// benchSession is a session of an engine that ends with the benchmark.
func benchSession(b *testing.B, c Config) testSession {
	b.Helper()
	e, err := Open(context.Background(), c)
	if err != nil {
		b.Fatal(err)
	}
	raw, err := e.NewSession(context.Background(), SessionOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := errors.Join(raw.Close(), e.Close()); err != nil {
			b.Error(err)
		}
	})
	return testSession{Session: raw}
}

// BenchmarkStatement is the time from Prepare to the last row of small
// statements in a session, as a client without prepared statements sends them.
func BenchmarkStatement(b *testing.B) {
	s := benchSession(b, Config{})
	for _, sql := range []string{"CREATE TABLE t AS SELECT i AS x, i % 100 AS y FROM range(1000) r(i)", "BEGIN", "COMMIT"} {
		if _, _, err := s.try(sql); err != nil {
			b.Fatal(err)
		}
	}
	for _, c := range []struct{ name, backend, sql string }{
		{"show", "auto", "SHOW trireme.backend"},
		{"constant", "auto", "SELECT 1"},
		{"constant", "duckdb", "SELECT 1"},
		{"row", "auto", "SELECT y FROM t WHERE x = 7"},
		{"row", "duckdb", "SELECT y FROM t WHERE x = 7"},
		{"join", "native", "SELECT count(*) FROM t a, t b WHERE a.y = b.y"},
		{"join", "duckdb", "SELECT count(*) FROM t a, t b WHERE a.y = b.y"},
	} {
		b.Run("query="+c.name+"/backend="+c.backend, func(b *testing.B) {
			if _, _, err := s.try("SET trireme.backend = '" + c.backend + "'"); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, _, err := s.try(c.sql); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkWrite is the time of a statement that writes one row, in a transaction to itself.
func BenchmarkWrite(b *testing.B) {
	for _, c := range []struct{ name, sql string }{
		{"insert", "INSERT INTO t (k, v) VALUES (%d, 1)"}, {"update", "UPDATE t SET v = v + 1 WHERE k = %d"}, {"delete", "DELETE FROM t WHERE k = %d"},
	} {
		b.Run("statement="+c.name, func(b *testing.B) {
			s := benchSession(b, Config{})
			for _, sql := range []string{"CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER)", "INSERT INTO t SELECT -1 - range, 0 FROM range(100000)"} {
				if _, _, err := s.try(sql); err != nil {
					b.Fatal(err)
				}
			}
			n := 0
			for b.Loop() {
				n++
				key := n
				if c.name != "insert" {
					key = -1 - n%100000
				}
				if _, _, err := s.try(fmt.Sprintf(c.sql, key)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
