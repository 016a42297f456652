package duckbackend

import (
	"context"
	"sync"
	"testing"
	"time"
)

// TestInterruptRacesWithEverything interrupts and closes connections at any
// moment of their work. Nothing is asserted of the results: the process must
// survive, and the next connection must work.
func TestInterruptRacesWithEverything(t *testing.T) {
	db := openMemory(t)
	mustExec(t, openConn(t, db), "CREATE TABLE t AS SELECT range AS a FROM range(200000)")
	rounds := 60
	if testing.Short() {
		rounds = 10
	}
	for round := range rounds {
		c := openConn(t, db)
		ctx, cancel := context.WithTimeout(ctx, time.Duration(round%7)*time.Millisecond)
		var wg sync.WaitGroup
		wg.Go(func() {
			for range 5 {
				stmt, err := c.Prepare(ctx, "SELECT a, 's' || a, [a] FROM t WHERE a % 3 = 1")
				if err != nil {
					return
				}
				cur, err := stmt.Execute(ctx, nil)
				if err == nil {
					for {
						b, err := cur.Next(ctx)
						if err != nil || b == nil {
							break
						}
					}
					_ = cur.Close()
				}
				_ = stmt.Close()
			}
		})
		wg.Go(func() {
			for range 20 {
				c.Interrupt()
			}
		})
		if round%2 == 0 {
			wg.Go(func() { _ = c.Close() })
		}
		wg.Wait()
		cancel()
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got := query(t, openConn(t, db), "SELECT count(*) FROM t"); got != "200000\n" {
		t.Errorf("got %q", got)
	}
}

// TestDatabaseCloseStopsEverything closes the database under running queries.
func TestDatabaseCloseStopsEverything(t *testing.T) {
	db := openMemory(t)
	var wg sync.WaitGroup
	for range 4 {
		c := openConn(t, db)
		wg.Go(func() {
			if err := c.Exec(ctx, endless); err == nil {
				t.Error("an endless query ended")
			}
		})
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	wg.Wait()
}
