//go:build !duckdb_use_lib

package duckbackend

import (
	"fmt"
	"slices"
	"testing"
)

// prepareFolded prepares statements of which each holds a text of a megabyte.
func prepareFolded(t *testing.T, c *Conn, n int) (list []*Stmt) {
	t.Helper()
	for i := range n {
		s, err := c.Prepare(ctx, fmt.Sprintf("SELECT repeat('%d', 1000000) AS a, %d AS b", i%10, i))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	return list
}

func closeAll(t *testing.T, list []*Stmt) {
	t.Helper()
	for _, s := range list {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// The plans of a connection are bounded in bytes, and statements that have lost theirs are executed and described
// as before.
func TestPlansAreBounded(t *testing.T) {
	db := openMemory(t)
	c := openConn(t, db)
	const n = 100
	list := prepareFolded(t, c, n)
	for _, s := range list {
		before := s.Describe()
		cur, err := s.Execute(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(drain(t, cur, err)); got < 1000000 {
			t.Errorf("%d bytes", got)
		}
		if after := s.Describe(); !slices.Equal(before.Columns, after.Columns) || before.Kind != after.Kind {
			t.Errorf("described as %v, and %v before", after, before)
		}
	}
	if held := c.plans.bytes; held > planBytesMax {
		t.Errorf("executed plans hold %d bytes", held)
	}
	closeAll(t, list)
	list = prepareFolded(t, c, n)
	if planned := c.plans.order.Len(); c.plans.bytes > planBytesMax || planned >= n || planned < n/4 || c.plans.bytes < int64(planned)*1000000 {
		t.Errorf("%d of %d statements have plans, with %d bytes", planned, n, c.plans.bytes)
	}
	if !list[0].unplanned || list[n-1].unplanned {
		t.Error("the plans that were used last are not those that stay")
	}
	closeAll(t, list)
	if c.plans.bytes != 0 || c.plans.order.Len() != 0 || db.planBytes.Load() != 0 {
		t.Errorf("%d bytes are held after all", db.planBytes.Load())
	}
}

// All connections together have a part of the memory limit, and each its share of it.
func TestPlansShareTheLimit(t *testing.T) {
	const limit = 64 << 20
	db, err := Open(ctx, Config{MemoryLimitBytes: limit, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	var all []*Stmt
	for range 4 {
		all = append(all, prepareFolded(t, openConn(t, db), 20)...)
	}
	if held := db.planBytes.Load(); held > 2*limit/plansPart || held < limit/plansPart/2 {
		t.Errorf("all plans hold %d bytes of a limit of %d", held, limit)
	}
	closeAll(t, all)
}

// What the operators of a plan keep goes with it after an execution, if it is much.
func TestExecutedPlansHoldLittle(t *testing.T) {
	c := openConn(t, openMemory(t))
	mustExec(t, c, "CREATE TABLE t AS SELECT range AS x FROM range(1000)")
	windows := "SELECT x"
	for i := range 20 {
		windows += fmt.Sprintf(", sum(x) OVER (PARTITION BY x %% %d)", i+2)
	}
	for sql, stays := range map[string]bool{"SELECT x FROM t WHERE x = 7": true, windows + " FROM t LIMIT 1": false} {
		s, err := c.Prepare(ctx, sql)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			cur, err := s.Execute(ctx, nil)
			drain(t, cur, err)
		}
		if s.stays != stays {
			t.Errorf("%s: stays %t, left %d bytes", sql, s.stays, s.left)
		}
		if err := s.prepare(sql); err != nil {
			t.Fatal(err)
		}
		s.ended(0)
		if s.unplanned == stays {
			t.Errorf("%s: after a short execution it is planned: %t", sql, !s.unplanned)
		}
		s.ended(lasted)
		if !s.unplanned {
			t.Errorf("%s: the plan stays after a long execution", sql)
		}
		closeAll(t, []*Stmt{s})
	}
}
