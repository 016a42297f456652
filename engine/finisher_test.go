package engine

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/translate"
)

// finisherOf is the finisher of a SELECT, nil where DuckDB finishes it.
func (s testSession) finisherOf(sql string) *finisher {
	s.t.Helper()
	ctx := context.Background()
	stmt, reason, err := s.engine.tensor.(*route).analyze(ctx, s.Session, sql, nil)
	if err != nil || reason != "" {
		s.t.Fatalf("%s: %v %s", sql, err, reason)
	}
	snap, reason := s.engine.catalog.Versions.Snapshot(stmt.tables, 0)
	if reason != "" {
		s.t.Fatal(reason)
	}
	tr, err := translate.Translate(ctx, stmt.query, stmt.newRun(s.Session, snap, nil, Native))
	if err != nil {
		s.t.Fatalf("%s: %v", sql, err)
	}
	return newFinisher(&tr.Finish)
}

func openFinished(t testing.TB) testSession {
	s := openSession(t, openEngine(t))
	s.run(`CREATE TABLE e AS SELECT i % 7 AS a, CASE WHEN i % 5 = 0 THEN NULL ELSE i % 11 END AS b,
		CASE WHEN i % 13 = 0 THEN NULL ELSE (i - 50) / 8 END AS x, (i * 37 % 100 / 10)::DECIMAL(6, 2) AS d, 'v' || i % 9 AS s FROM range(200) r(i)`)
	s.run("CREATE TABLE l AS SELECT i AS a, i / 4 AS y, i * 1000000007 AS big FROM range(7) r(i)")
	s.run("SET trireme.backend = 'native'")
	return s
}

// TestFinisher compares what is finished here with DuckDB's answer to the whole
// statement. The sums are of multiples of 1/32 and so have no rounding.
func TestFinisher(t *testing.T) {
	s := openFinished(t)
	const from = " FROM e JOIN l ON e.a = l.a"
	for _, c := range []struct {
		sql  string
		here bool
	}{
		{"SELECT sum(x * y) / 2" + from, true},
		{"SELECT 0.5 * sum(x) + sum(y) - count(*) / 3 AS z, -sum(x)" + from, true},
		{"SELECT coalesce(sum(x), 0), coalesce(sum(x) / 3, sum(y), 1)" + from + " WHERE e.a > 100", true},
		{"SELECT coalesce(sum(x), 0)" + from, true},
		{"SELECT sum(d) / 3, sum(big) / 7, avg(x) * 2" + from, true},
		{"SELECT CAST(count(*) AS DOUBLE) / 7, CAST(sum(d) AS DOUBLE)" + from, true},
		{"SELECT e.a, sum(x * y) / sum(y)" + from + " WHERE y > 0 GROUP BY e.a ORDER BY 1", true},
		{"SELECT b, s, count(*)" + from + " GROUP BY b, s ORDER BY b NULLS FIRST, s DESC LIMIT 12 OFFSET 3", true},
		{"SELECT b, s, count(*)" + from + " GROUP BY b, s ORDER BY b DESC NULLS LAST, s", true},
		{"SELECT s, sum(d)" + from + " GROUP BY s ORDER BY sum(d) DESC, s LIMIT 4", true},
		{"SELECT b, sum(x)" + from + " GROUP BY b ORDER BY sum(x) / 2 - count(*), b", true},
		{"SELECT b" + from + " GROUP BY b HAVING count(*) > 18 AND sum(x) < 20 ORDER BY b", true},
		{"SELECT b, count(*)" + from + " GROUP BY b HAVING sum(big) >= 90000000630 AND b <> 3 ORDER BY 1", true},
		{"SELECT b, count(*)" + from + " GROUP BY b HAVING sum(x) > 100000", true},
		{"SELECT b" + from + " GROUP BY b ORDER BY b LIMIT 0", true},
		{"SELECT e.a, sum(x) / sum(e.a)" + from + " GROUP BY e.a ORDER BY 1", true}, // by 0: DuckDB's in the end
		{"SELECT sum(big) * 100.0 / count(*)" + from, false},
		{"SELECT sqrt(sum(y))" + from, false},
		{"SELECT e.a, round(1 / (1 + exp(-sum(x * y))), 9)" + from + " GROUP BY e.a ORDER BY 1", false},
		{"SELECT exp(max(x))" + from, false},
		{"SELECT exp(count(*) / 1000)" + from, false},
		{"SELECT count(*) + 1" + from, false},
		{"SELECT b" + from + " GROUP BY b HAVING sum(d) > 10 ORDER BY b", false},
		{"SELECT b" + from + " GROUP BY b HAVING count(*) > 18 OR sum(x) < 2 ORDER BY b", false},
		{"SELECT CAST(sum(x) AS FLOAT)" + from, false},
	} {
		if got := s.finisherOf(c.sql) != nil; got != c.here {
			t.Errorf("%s: finished here: %v", c.sql, got)
		}
		if got, want := s.run(c.sql), s.duck(c.sql); got != want {
			t.Errorf("%s: %s, want %s", c.sql, got, want)
		}
	}
}

// What is not finite, or too large for a float64, is left to DuckDB, with all rows
// of the relation.
func TestFinisherLeavesToDuckDB(t *testing.T) {
	s := openFinished(t)
	f := s.finisherOf("SELECT e.a, sum(x) / sum(y), sum(l.a) / 2 FROM e JOIN l ON e.a = l.a GROUP BY e.a ORDER BY 2")
	if f == nil {
		t.Fatal("no finisher")
	}
	columns := []rows.Column{{Name: "k0", Type: f.columns[0].Type}, {Name: "a0", Type: rows.Type{ID: rows.Double}}, {Name: "a1", Type: rows.Type{ID: rows.Double}}, {Name: "a2", Type: rows.Type{ID: rows.BigInt}}}
	relation := func(n int, x, y float64, i int64) rows.Cursor {
		b := newBatch(columns)
		for k := range n {
			b.Cols[0].I64 = append(b.Cols[0].I64, int64(k))
			b.Cols[1].F64, b.Cols[2].F64, b.Cols[3].I64 = append(b.Cols[1].F64, x), append(b.Cols[2].F64, y), append(b.Cols[3].I64, i)
			b.N++
		}
		return &finished{columns: columns, batch: b}
	}
	for _, c := range []struct {
		n    int
		x, y float64
		i    int64
		here bool
	}{
		{3, 1, 2, 4, true},
		{finishRowsMax, 1, 2, 4, true},
		{finishRowsMax + 1, 1, 2, 4, false},
		{3, 1, 0, 4, false},
		{3, 1e308, 1e-10, 4, false},
		{3, math.NaN(), 1, 4, false},
		{3, math.Inf(-1), 1, 4, false},
		{3, 1, 2, exactFloat, false},
		{3, 1, 2, -exactFloat, false},
		{3, 1, 2, exactFloat - 1, true},
	} {
		out, rest, err := f.finish(context.Background(), relation(c.n, c.x, c.y, c.i), nil)
		if err != nil || (out != nil) != c.here || (rest != nil) == c.here {
			t.Errorf("%+v: finished %v, left %v, error %v", c, out != nil, rest != nil, err)
			continue
		}
		if out == nil {
			out = rest
		}
		b, err := out.Next(context.Background())
		if err != nil || b == nil || b.N != c.n {
			t.Errorf("%+v: %+v, error %v", c, b, err)
		}
		if b, err = out.Next(context.Background()); b != nil || err != nil {
			t.Errorf("%+v: then %+v, error %v", c, b, err)
		}
	}
}

// TestFinisherExp: of a sum of DOUBLE exp is evaluated here, to within the last bits of
// DuckDB's; what overflows is DuckDB's.
func TestFinisherExp(t *testing.T) {
	s := openFinished(t)
	for _, sql := range []string{
		"SELECT e.a, 1 / (1 + exp(-sum(x * y))) AS p FROM e JOIN l ON e.a = l.a GROUP BY e.a",
		"SELECT s, exp(avg(x) - 1) AS p FROM e JOIN l ON e.a = l.a GROUP BY s",
		"SELECT b, exp(sum(x * 4)) AS p FROM e JOIN l ON e.a = l.a GROUP BY b",
	} {
		if s.finisherOf(sql) == nil {
			t.Errorf("%s: not finished here", sql)
		}
		near := "SELECT k, CASE WHEN isfinite(p) THEN round(ln(p), 9) ELSE p END FROM (%s) t(k, p) ORDER BY k NULLS FIRST"
		want := s.duck(fmt.Sprintf(near, sql))
		s.run("CREATE OR REPLACE TABLE found AS " + sql)
		if got := s.duck(fmt.Sprintf(near, "SELECT * FROM found")); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
}

// TestFinishedInBatches: rows that do not depend on one another are finished batch by
// batch; from the first one on that DuckDB has to finish, all are left to it.
func TestFinishedInBatches(t *testing.T) {
	s := openFinished(t)
	f := s.finisherOf("SELECT e.a, sum(x) / sum(y) FROM e JOIN l ON e.a = l.a GROUP BY e.a HAVING sum(y) > 2")
	if f == nil {
		t.Fatal("no finisher")
	}
	ctx := context.Background()
	double := rows.Type{ID: rows.Double}
	columns := []rows.Column{{Name: "k0", Type: f.columns[0].Type}, {Name: "a0", Type: double}, {Name: "a1", Type: double}, {Name: "n", Type: rows.Type{ID: rows.BigInt}}}
	for _, bad := range []int{-1, 0, 2} { // the batch with a value that is left to DuckDB
		rel := &batches{columns: columns}
		for n := range 4 {
			b := newBatch(columns)
			for k := range 1500 {
				x, y := float64(3*k), float64(1+k%3)
				if n == bad && k == 1000 {
					x = math.Inf(1)
				}
				b.Cols[0].I64 = append(b.Cols[0].I64, int64(k))
				b.Cols[1].F64, b.Cols[2].F64, b.Cols[3].I64 = append(b.Cols[1].F64, x), append(b.Cols[2].F64, y), append(b.Cols[3].I64, 1)
				b.N++
			}
			rel.all = append(rel.all, b)
		}
		handed := 0
		out, rest, err := f.finish(ctx, rel, func(ctx context.Context, rel rows.Cursor) (rows.Cursor, error) {
			for b, err := rel.Next(ctx); b != nil || err != nil; b, err = rel.Next(ctx) {
				if err != nil {
					return nil, err
				}
				handed += b.N
			}
			return &finished{columns: f.columns}, rel.Close()
		})
		if err != nil || rest != nil {
			t.Fatalf("left %v, error %v", rest != nil, err)
		}
		got := 0
		for b, err := out.Next(ctx); b != nil || err != nil; b, err = out.Next(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			for i := range b.N {
				if k := b.Cols[0].I64[i]; k%3 != 2 || b.Cols[1].F64[i] != float64(k) {
					t.Fatalf("row %d: %v", k, b.Cols[1].F64[i])
				}
			}
			got += b.N
		}
		wantHanded, want := 0, 4*500
		if bad >= 0 {
			wantHanded, want = (4-bad)*1500, bad*500
		}
		if got != want || handed != wantHanded {
			t.Errorf("bad batch %d: %d rows and %d for DuckDB, want %d and %d", bad, got, handed, want, wantHanded)
		}
		if err := out.Close(); err != nil || !rel.closed {
			t.Errorf("bad batch %d: closed %v, error %v", bad, rel.closed, err)
		}
	}
}

// batches are a relation of several batches.
type batches struct {
	columns []rows.Column
	all     []*rows.Batch
	closed  bool
}

func (c *batches) Columns() []rows.Column { return c.columns }

func (c *batches) Next(context.Context) (*rows.Batch, error) {
	if len(c.all) == 0 {
		return nil, nil
	}
	b := c.all[0]
	c.all = c.all[1:]
	return b, nil
}

func (c *batches) Close() error {
	c.closed = true
	return nil
}

// BenchmarkFinish is a small join under an ORDER BY, finished here and by DuckDB.
func BenchmarkFinish(b *testing.B) {
	s := benchSession(b, Config{Backend: Native})
	if _, _, err := s.try("CREATE TABLE e AS SELECT i % 1000 AS a, i * 7 % 90 AS b FROM range(4000) r(i)"); err != nil {
		b.Fatal(err)
	}
	for _, groups := range []int{1, 10, 1000} {
		grouped := fmt.Sprintf("SELECT p.a %% %d AS g, count(*) AS n FROM e p JOIN e q ON p.b = q.a GROUP BY g ORDER BY n, g", groups)
		for at, sql := range map[string]string{"here": grouped, "duckdb": strings.Replace(grouped, "ORDER BY n", "ORDER BY n + 1", 1)} {
			b.Run(fmt.Sprintf("groups=%d/at=%s", groups, at), func(b *testing.B) {
				for b.Loop() {
					if _, _, err := s.try(sql); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkFinishedInBatches is arithmetic with exp over rows that come batch by batch.
func BenchmarkFinishedInBatches(b *testing.B) {
	s := openFinished(b)
	f := s.finisherOf("SELECT e.a, 1 / (1 + exp(-sum(x * y))) AS p FROM e JOIN l ON e.a = l.a GROUP BY e.a")
	columns := []rows.Column{{Name: "k0", Type: f.columns[0].Type}, {Name: "a0", Type: rows.Type{ID: rows.Double}}}
	one := newBatch(columns)
	for k := range entriesPerBatch {
		one.Cols[0].I64, one.Cols[1].F64 = append(one.Cols[0].I64, int64(k)), append(one.Cols[1].F64, float64(k%100)/8-6)
		one.N++
	}
	for b.Loop() {
		rel := &batches{columns: columns}
		for range 100 {
			rel.all = append(rel.all, one)
		}
		out, _, err := f.finish(context.Background(), rel, nil)
		if err != nil {
			b.Fatal(err)
		}
		for n := 1; n > 0; {
			batch, err := out.Next(context.Background())
			if err != nil {
				b.Fatal(err)
			}
			if n = 0; batch != nil {
				n = batch.N
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*100*entriesPerBatch), "ns/row")
}
