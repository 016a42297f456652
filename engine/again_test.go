package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// TestConcurrentUpserts: outside of transactions no statement fails since others write the same rows, or insert the
// same key, at the same time, and none does its work twice.
func TestConcurrentUpserts(t *testing.T) {
	const sessions, rounds = 5, 12
	e := openEngine(t)
	s := openSession(t, e)
	s.run("CREATE TABLE c (k INTEGER PRIMARY KEY, n INTEGER)")
	s.run("CREATE TABLE src (k INTEGER)")
	for _, tc := range []struct {
		name, sql string
		// sum is what the counts add up to in the end; changed what the tags do.
		sum, changed int
	}{
		{"do nothing", "INSERT INTO c VALUES (%[1]d, 1) ON CONFLICT DO NOTHING", rounds, rounds},
		{"do nothing of columns", "INSERT INTO c VALUES (%[1]d, 1), (%[1]d + 1000, 1) ON CONFLICT (k) DO NOTHING RETURNING k", 2 * rounds, 2 * rounds},
		{"do update", "INSERT INTO c VALUES (%[1]d, 1) ON CONFLICT (k) DO UPDATE SET n = c.n + 1", sessions * rounds, sessions * rounds},
		{"do update of several", "INSERT INTO c VALUES (%[1]d, 1), (%[1]d + 1000, 1), (7000, 1) ON CONFLICT (k) DO UPDATE SET n = c.n + excluded.n RETURNING n", 3 * sessions * rounds, 3 * sessions * rounds},
		{"merge", "MERGE INTO c USING (SELECT %[1]d AS k) s ON c.k = s.k WHEN MATCHED THEN UPDATE SET n = c.n + 1 WHEN NOT MATCHED THEN INSERT VALUES (s.k, 1)", sessions * rounds, sessions * rounds},
		{"merge and return", "MERGE INTO c USING (SELECT %[1]d AS k) s ON c.k = s.k WHEN MATCHED THEN UPDATE SET n = c.n + 1 WHEN NOT MATCHED THEN INSERT VALUES (s.k, 1) RETURNING c.n", sessions * rounds, sessions * rounds},
		{"prepared", "EXECUTE up (%[1]d)", sessions * rounds, sessions * rounds},
		{"update", "UPDATE c SET n = n + 1 WHERE k = -1 - 0 * %[1]d", sessions * rounds, sessions * rounds},
		{"update and return", "UPDATE c SET n = n + 1 WHERE k = -1 - 0 * %[1]d RETURNING n", sessions * rounds, sessions * rounds},
		{"delete", "DELETE FROM c WHERE k = -1 - %[1]d", -(rounds - 1), rounds - 1},
	} {
		s.run("TRUNCATE c")
		s.run("INSERT INTO c VALUES (-1, 0)")
		if tc.name == "delete" {
			s.run(fmt.Sprintf("INSERT INTO c SELECT -1 - i, -1 FROM range(1, %d) r(i)", rounds))
			s.run("UPDATE c SET n = 0 WHERE k < -1")
			tc.sum = 0
		}
		var changed atomic.Int64
		var all sync.WaitGroup
		for range sessions {
			by := openSession(t, e)
			if strings.HasPrefix(tc.sql, "EXECUTE") {
				by.run("PREPARE up AS INSERT INTO c VALUES ($1, 1) ON CONFLICT (k) DO UPDATE SET n = c.n + 1")
			}
			all.Go(func() {
				for i := range rounds {
					_, tag, err := by.try(fmt.Sprintf(tc.sql, i))
					var n int64
					if err == nil {
						_, err = fmt.Sscan(tag[strings.LastIndexByte(tag, ' ')+1:], &n)
					}
					if err != nil {
						t.Errorf("%s: %s: %v", tc.name, tag, err)
					}
					changed.Add(n)
				}
			})
		}
		all.Wait()
		if tc.name == "delete" {
			tc.changed++ // the first round deletes the row that all tests have
		}
		if got := changed.Load(); got != int64(tc.changed) {
			t.Errorf("%s: %d rows are changed, not %d", tc.name, got, tc.changed)
		}
		if got := s.run("SELECT coalesce(sum(n), 0)::INTEGER FROM c"); got != fmt.Sprint(tc.sum) {
			t.Errorf("%s: the sum is %s, not %d", tc.name, got, tc.sum)
		}
	}
	if !versionsAtRest(e, "c") {
		t.Error("a writer is left in flight")
	}
}

// TestUpsertOfAnUnseenKey: in a transaction whose snapshot does not have the other row the error is one to repeat the
// transaction for.
func TestUpsertOfAnUnseenKey(t *testing.T) {
	e := openEngine(t)
	a, b := openSession(t, e), openSession(t, e)
	a.run("CREATE TABLE k (id INTEGER PRIMARY KEY, u INTEGER UNIQUE, v INTEGER)")
	unseen := func(sql string) {
		t.Helper()
		if e := a.wantError(sql, "40001"); !strings.HasPrefix(e.Hint, "Repeat the whole transaction") || e.Message != "another transaction has committed a row with the same key meanwhile" {
			t.Errorf("%s: %q, hint %q", sql, e.Message, e.Hint)
		}
	}
	for n, sql := range []string{
		"INSERT INTO k VALUES (%d, NULL, 2) ON CONFLICT DO NOTHING",
		"INSERT INTO k VALUES (%d, NULL, 2) ON CONFLICT (id) DO UPDATE SET v = k.v + 1 RETURNING v",
		"MERGE INTO k USING (SELECT %d AS id) s ON k.id = s.id WHEN MATCHED THEN UPDATE SET v = k.v + 1 WHEN NOT MATCHED THEN INSERT VALUES (s.id, NULL, 2)",
	} {
		sql = fmt.Sprintf(sql, n)
		a.run("BEGIN")
		a.run("SELECT count(*) FROM k")
		b.run(fmt.Sprintf("INSERT INTO k VALUES (%d, NULL, 1)", n))
		unseen(sql)
		a.run("ROLLBACK")
		a.run(sql)
		a.run(fmt.Sprintf("DELETE FROM k WHERE id = %d", n))

		// Neither sees the other's: the second to commit has to repeat it.
		a.run("BEGIN")
		b.run("BEGIN")
		a.run(sql)
		b.run(fmt.Sprintf("INSERT INTO k VALUES (%d, NULL, 1)", n))
		b.run("COMMIT")
		unseen("COMMIT")
		a.wantStatus(TxIdle)
		a.run(sql)
	}
	// Duplicates that are the statement's own, or of another constraint, are what they are.
	a.run("TRUNCATE k")
	a.run("INSERT INTO k VALUES (1, 1, 1)")
	for range 2 {
		a.wantError("INSERT INTO k VALUES (2, 1, 1) ON CONFLICT (id) DO NOTHING", "23505")
		a.run("ROLLBACK")
		a.wantError("MERGE INTO k USING (SELECT unnest([3, 3]) AS id) s ON k.id = s.id WHEN NOT MATCHED THEN INSERT VALUES (s.id, NULL, 2)", "23505")
		a.run("ROLLBACK")
		a.run("BEGIN")
		a.run("SELECT count(*) FROM k")
	}
	a.run("ROLLBACK")
	a.run("BEGIN")
	b.run("BEGIN")
	a.run("INSERT INTO k VALUES (9, 9, 9)")
	b.run("INSERT INTO k VALUES (9, 9, 9)")
	b.run("COMMIT")
	a.wantError("COMMIT", "23505") // a plain INSERT may be of a key that is there
	if !versionsAtRest(e, "k") {
		t.Error("a writer is left in flight")
	}
}

// TestConflictWaits: a statement that loses against one that is about to commit is executed again after it; against one
// that is open in a transaction it fails.
func TestConflictWaits(t *testing.T) {
	if !duckbackend.HoldsCommits {
		t.Skip("this DuckDB commits before the first row is read")
	}
	ctx := context.Background()
	e := openEngine(t)
	a, b := openSession(t, e), openSession(t, e)
	a.run("CREATE TABLE w (k INTEGER, n INTEGER)")
	a.run("INSERT INTO w SELECT i, 0 FROM range(5000) r(i)")
	const update = "UPDATE w SET n = n + 1 RETURNING k"
	for _, undone := range []bool{false, true} {
		res := a.startReturning(ctx, update) // which is held until its rows are read
		b.run("SET lock_timeout = '20ms'")
		b.wantError("UPDATE w SET n = n + 10 WHERE k = 1", sqlerr.LockNotAvailable)
		b.run("RESET lock_timeout")
		var all sync.WaitGroup
		all.Go(func() {
			if _, _, err := b.try("UPDATE w SET n = n + 10 WHERE k = 1"); err != nil {
				t.Error(err)
			}
		})
		end := res.Close
		if undone {
			end = func() error { return res.Abandon(errors.New("the client is gone")) }
		}
		if err := end(); err != nil {
			t.Error(err)
		}
		all.Wait()
	}
	a.want("SELECT n FROM w WHERE k = 1", "21")
	a.run("BEGIN")
	a.run("UPDATE w SET n = 0")
	b.wantError("UPDATE w SET n = 1", "40001")
	a.run("COMMIT")
	if !versionsAtRest(e, "w") {
		t.Error("a writer is left in flight")
	}
}
