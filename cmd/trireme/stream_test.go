package main

import (
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// streamMemory is the limit of the servers of these tests. What they may have
// resident beyond what they began with is a fraction of what they send.
const (
	streamMemory = "256MB"
	grownMax     = 96 << 20
)

// What is larger than the memory limit goes through a server that hardly grows.
func TestResultsAreNotHeld(t *testing.T) {
	const n = 12_000_000
	s := startServer(t, "--memory-limit", streamMemory)
	c := dialStream(t, s.address)
	c.ask("SELECT 1")
	before := s.resident(t, "VmRSS")
	for _, sql := range []string{"SELECT i, i * 7 FROM range(12000000) r(i)", "COPY (SELECT i, i * 7 FROM range(12000000) r(i)) TO STDOUT"} {
		rows, size := c.ask(sql)
		if rows != n || size < 200<<20 {
			t.Errorf("%s: %d rows, %d bytes", sql, rows, size)
		}
	}
	if grown := s.resident(t, "VmHWM") - before; grown > grownMax {
		t.Errorf("the server has grown by %d bytes", grown)
	}
}

// Clients that do not read what they have asked for stop nobody, and the server
// does not keep it for them. They get it when they read.
func TestSlowReadersSlowThemselves(t *testing.T) {
	s := startServer(t, "--memory-limit", streamMemory)
	quick := dialStream(t, s.address)
	quick.ask("CREATE TABLE t AS SELECT i AS k, i % 10 AS g FROM range(100000) r(i)")
	const join = "SELECT a.k, b.g FROM t a JOIN t b ON a.k = b.k"
	quick.ask(join)
	before := s.resident(t, "VmRSS")
	var slow []*rawStream
	for range 20 {
		c := dialStream(t, s.address)
		c.send(&pgproto3.Query{String: "SELECT i, 'a text that takes its place' FROM range(1000000) r(i)"})
		slow = append(slow, c)
	}
	for range 20 {
		if rows, _ := quick.ask(join); rows != 100_000 {
			t.Fatalf("%d rows", rows)
		}
	}
	if grown := s.resident(t, "VmHWM") - before; grown > grownMax {
		t.Errorf("the server has grown by %d bytes", grown)
	}
	for _, c := range slow[:2] {
		if rows, _ := c.until('Z'); rows != 1_000_000 {
			t.Errorf("a slow reader gets %d rows", rows)
		}
	}
}

// A connection that is idle costs little.
func TestIdleConnectionsAreSmall(t *testing.T) {
	const clients, eachMax = 200, 200 << 10
	s := startServer(t)
	quick := dialStream(t, s.address)
	quick.ask("SELECT 1")
	before := s.resident(t, "VmRSS")
	for range clients {
		dialStream(t, s.address).ask("SELECT 1")
	}
	if each := (s.resident(t, "VmRSS") - before) / clients; each > eachMax {
		t.Errorf("an idle connection takes %d bytes", each)
	}
}

// ask sends a query and reads its answer.
func (s *rawStream) ask(sql string) (rows, size int) {
	s.tb.Helper()
	s.send(&pgproto3.Query{String: sql})
	return s.until('Z')
}
