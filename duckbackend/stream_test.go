package duckbackend

import (
	"context"
	"fmt"
	"testing"
)

// TestStreamsOfUnions: a stream whose first rows fill its buffer is read, though what its other
// rows need is not begun before these have been; and it can be cancelled.
func TestStreamsOfUnions(t *testing.T) {
	if !streamsBeforeEnd {
		t.Skip("this DuckDB waits for ever")
	}
	ctx := context.Background()
	for _, threads := range []int{2, 5} {
		db, err := Open(ctx, Config{Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		c, err := db.Conn(ctx)
		if err != nil {
			t.Fatal(err)
		}
		exec := func(sql string) {
			t.Helper()
			if err := c.Exec(ctx, sql); err != nil {
				t.Fatal(err)
			}
		}
		exec("CREATE TABLE a AS SELECT i FROM range(600000) t(i)")
		exec("CREATE TABLE b AS SELECT i FROM range(300000) t(i)")
		for _, setting := range []string{"streaming_buffer_size = '1MB'", "streaming_buffer_size = '1KB'", "preserve_insertion_order = false"} {
			exec("SET " + setting)
			for _, q := range []struct {
				sql  string
				want int
			}{
				{"SELECT * FROM a JOIN b USING (i) UNION ALL SELECT * FROM (SELECT * FROM a LIMIT 10 OFFSET 100000) JOIN b USING (i)", 300_010},
				{"SELECT * FROM a JOIN b USING (i) UNION ALL SELECT i FROM b GROUP BY i", 600_000},
				{"SELECT * FROM a UNION ALL SELECT i FROM b GROUP BY i UNION ALL SELECT i FROM a LEFT JOIN b USING (i)", 1_500_000},
				{"SELECT i, count(*) OVER (PARTITION BY i % 10) FROM b UNION ALL SELECT a.i, b.i FROM a FULL JOIN b ON a.i = b.i + 1", 900_000},
				{"SELECT * FROM (SELECT a.i FROM a JOIN b USING (i) UNION ALL (SELECT i FROM a ORDER BY i DESC LIMIT 7)) JOIN a USING (i)", 300_007},
			} {
				where := fmt.Sprint(threads, " threads, ", setting, ": ", q.sql)
				for _, most := range []int{q.want + 1, 1} {
					n := 0
					cur, err := c.Query(ctx, q.sql)
					if err != nil {
						t.Fatal(where, err)
					}
					for n < most {
						batch, err := cur.Next(ctx)
						if err != nil {
							t.Fatal(where, err)
						}
						if batch == nil {
							break
						}
						n += batch.N
					}
					if most > q.want && n != q.want {
						t.Errorf("%s: %d rows, want %d", where, n, q.want)
					}
					if err := cur.Close(); err != nil {
						t.Error(where, err)
					}
				}
				cur, err := c.Query(ctx, q.sql)
				if err != nil {
					t.Fatal(where, err)
				}
				within, cancel := context.WithCancel(ctx)
				cancel()
				if _, err := cur.Next(within); !isCancel(err) {
					t.Errorf("%s: cancelled: %v", where, err)
				}
				if err := cur.Close(); err != nil {
					t.Error(where, err)
				}
			}
		}
		for _, closing := range []func() error{c.Close, db.Close} {
			if err := closing(); err != nil {
				t.Error(err)
			}
		}
	}
}
