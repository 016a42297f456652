package duckbackend

import (
	"math"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

func table(name string) load.Table {
	return load.Table{Catalog: CatalogName, Schema: "main", Name: name}
}

func TestScan(t *testing.T) {
	c := openConn(t, openMemory(t))
	mustExec(t, c, `CREATE TABLE "o""dd"(k INT, j VARCHAR, x INT); INSERT INTO "o""dd" VALUES (1,'a',5),(NULL,'b',6),(2,NULL,7),(2,NULL,NULL)`)
	spec := &load.Spec{
		Table: table(`o"dd`),
		Keys: []load.Key{
			{Expr: `"k"`, Null: load.DropNull}, {RowIndex: true}, {Expr: `"j"`, Null: load.KeepNull},
		},
		Leaves: []load.Leaf{{Name: "n", Moment: load.Rows}, {Name: "s", Moment: load.Sum, Expr: `"x" * $1`}},
		Params: []load.Param{{Type: typ(rows.Integer), Text: "10"}, {Type: typ(rows.Integer), Text: "7"}},
	}
	check := func(want string) {
		t.Helper()
		cur, err := c.Scan(ctx, spec)
		if got := drain(t, cur, err); got != want {
			t.Errorf("%s\ngot %q", ScanSQL(spec), got)
		}
	}
	check("1|a|50\n2|NULL|70\n2|NULL|NULL\n")
	spec.Where = `"x" = $2 OR "j" = 'a'`
	check("1|a|50\n2|NULL|70\n")
	spec.Keys, spec.Leaves = []load.Key{{RowIndex: true}}, spec.Leaves[:1]
	check("1\n1\n")
}

// TestScanHidesOrFromPushdown is the wrong answer of DuckDB's zone maps.
func TestScanHidesOrFromPushdown(t *testing.T) {
	c := openConn(t, openMemory(t))
	mustExec(t, c, "CREATE TABLE t(x INT); INSERT INTO t VALUES (NULL),(1)")
	spec := &load.Spec{
		Table: table("t"), Where: `("x" <= 0 OR "x" IS DISTINCT FROM 1)`,
		Keys: []load.Key{{Expr: `"x"`, Null: load.KeepNull}},
	}
	cur, err := c.Scan(ctx, spec)
	if got := drain(t, cur, err); got != "NULL\n" {
		t.Errorf("got %q", got)
	}
}

func TestColumnStats(t *testing.T) {
	c := openConn(t, openMemory(t))
	mustExec(t, c, `CREATE TABLE t(i INT, h HUGEINT, d DECIMAL(30,2), f DOUBLE, g FLOAT, s VARCHAR, b BOOLEAN, dt DATE);
		INSERT INTO t VALUES (-5, 170141183460469231731687303715884105727, 1.25, -2.5, 1, 'a', true, '1970-01-03'),
		(7, 0, -3, 'inf', 2, 'b', false, NULL), (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), (7, 0, 0, 'nan', -3, 'b', NULL, '1970-01-02')`)
	types := []rows.Type{
		typ(rows.Integer), typ(rows.HugeInt),
		{ID: rows.Decimal, Width: 30, Scale: 2},
		typ(rows.Double), typ(rows.Float),
		typ(rows.Varchar), typ(rows.Boolean), typ(rows.Date), typ(rows.BigInt),
	}
	n, st, err := c.ColumnStats(ctx, table("t"), []string{"i", "h", "d", "f", "g", "s", "b", "dt", "CAST(NULL AS BIGINT)"}, types)
	if err != nil {
		t.Fatal(err)
	}
	if n != 4 || len(st) != len(types) {
		t.Fatalf("%d rows, %d columns", n, len(st))
	}
	for i, want := range []struct {
		nulls, distinct int64
		min, max        string
	}{
		{1, 2, "-5", "7"},
		{1, 2, "0", "170141183460469231731687303715884105727"},
		{1, 3, "-300", "125"},
		{1, 3, "", ""},
		{1, 3, "", ""},
		{1, 2, "", ""},
		{2, 2, "0", "1"},
		{2, 2, "1", "2"},
		{4, 0, "", ""},
	} {
		s := st[i]
		if s.Rows != 4 || s.Nulls != want.nulls || s.Distinct != want.distinct || s.HasRange != (want.min != "") {
			t.Errorf("column %d: %+v", i, s)
		}
		if s.HasRange && (s.Min.String() != want.min || s.Max.String() != want.max) {
			t.Errorf("column %d: range %v..%v", i, s.Min, s.Max)
		}
	}
	if !st[3].NonFinite || st[3].AbsMax != 2.5 || st[4].NonFinite || st[4].AbsMax != 3 {
		t.Errorf("floats: %+v %+v", st[3], st[4])
	}
	mustExec(t, c, "DELETE FROM t")
	n, st, err = c.ColumnStats(ctx, table("t"), []string{"i", "f"}, []rows.Type{typ(rows.Integer), typ(rows.Double)})
	if err != nil || n != 0 || st[0].HasRange || st[1].NonFinite || st[1].AbsMax != 0 {
		t.Errorf("empty: %d %+v %v", n, st, err)
	}
}

func TestQueryRelation(t *testing.T) {
	db := openMemory(t)
	c, source := openConn(t, db), openConn(t, db)
	exprs := []string{"i"}
	for _, p := range plainValues {
		exprs = append(exprs, p[0])
	}
	for _, e := range append([]string{"['a, b', NULL, '''']::VARCHAR[3]", "[['NULL', '']::VARCHAR[2]]", "{'a': ['[', 'x y']::VARCHAR[2]}"}, exoticValues...) {
		if !strings.Contains(e, "union_value") && !strings.HasPrefix(e, "row(") && !strings.Contains(e, "gen_random") && !strings.Contains(e, "VARIANT") && !strings.Contains(e, "JSON") {
			exprs = append(exprs, e)
		}
	}
	plain := 1 + len(plainValues)
	for n, e := range exprs {
		count := "2500" // more than a chunk
		if n >= plain {
			count = "20"
		}
		src := "SELECT x AS \"x \"\"y\", i FROM (SELECT " + e + " AS x, i FROM range(" + count + ") r(i) WHERE i % 3 > 0 UNION ALL SELECT NULL, i FROM range(" + count + ") r(i) WHERE i % 3 = 0) ORDER BY i"
		want := query(t, source, src)
		rel, err := source.Query(ctx, src)
		if err != nil {
			t.Fatal(err)
		}
		cur, err := c.QueryRelation(ctx, "rel", rel, "SELECT * FROM rel", nil)
		if err != nil {
			t.Errorf("%s: %v", e, err)
			_ = rel.Close()
			continue
		}
		if got, wanted := cur.Columns()[0], rel.Columns()[0]; got != wanted {
			t.Errorf("%s: column %v became %v", e, wanted, got)
		}
		if got := drain(t, cur, nil); got != want {
			t.Errorf("%s: rows differ: %.80q, want %.80q", e, got, want)
		}
		if err := rel.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got := query(t, c, "SELECT count(*) FROM duckdb_tables() WHERE temporary"); got != "0\n" {
		t.Errorf("%s temporary tables left", got)
	}
}

// A relation is made of texts: what does not come back from its text is refused.
func TestQueryRelationOfLostValues(t *testing.T) {
	db := openMemory(t)
	c, source := openConn(t, db), openConn(t, db)
	for _, value := range []string{`['"x"'::JSON, '5'::JSON]`, `['{"x": 1}'::JSON]::JSON[1]`, `{'j': '[1,2]'::JSON}`, "MAP {'k': '1'::JSON}", "union_value(num := 3)", "[1::VARIANT]"} {
		rel, err := source.Query(ctx, "SELECT "+value+" AS x")
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.QueryRelation(ctx, "rel", rel, "SELECT * FROM rel", nil)
		wantCode(t, err, sqlerr.FeatureNotSupported)
		if err := rel.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestQueryRelationLeavesNothing(t *testing.T) {
	db := openMemory(t)
	c, source := openConn(t, db), openConn(t, db)
	run := func(src, sql string, args ...Arg) (string, error) {
		rel, err := source.Query(ctx, src)
		if err != nil {
			return "", err
		}
		cur, err := c.QueryRelation(ctx, "rel", rel, sql, args)
		if err := rel.Close(); err != nil {
			t.Error(err)
		}
		if err != nil {
			return "", err
		}
		return drainErr(cur)
	}
	for _, tc := range []struct{ name, src, sql, want string }{
		{"rows", "SELECT 1 AS a UNION ALL SELECT 2", "SELECT sum(a) + $1 FROM rel", "8\n"},
		{"empty", "SELECT 1 AS a WHERE false", "SELECT a, $1 FROM rel", ""},
		{"bad sql", "SELECT 1 AS a", "SELECT nosuch FROM rel", "error"},
		{"fails", "SELECT 1 AS a", "SELECT error('x') FROM rel", "error"},
		{"source fails", "SELECT CASE WHEN range < 99999 THEN 1 ELSE error('x') END AS a FROM range(100000)", "SELECT a FROM rel", "error"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			args := []Arg{{Type: typ(rows.Integer), Text: "5"}}
			if !strings.Contains(tc.sql, "$1") {
				args = nil
			}
			for _, transaction := range []string{"", "BEGIN", "ROLLBACK"} {
				mustExec(t, c, transaction)
				got, err := run(tc.src, tc.sql, args...)
				if (err != nil) != (tc.want == "error") {
					t.Errorf("error %v", err)
				}
				if err == nil && tc.want != "" && !strings.HasPrefix(got, strings.TrimSuffix(tc.want, "\n")) {
					t.Errorf("got %q", got)
				}
			}
			if got := query(t, c, "SELECT count(*) FROM duckdb_tables() WHERE temporary"); got != "0\n" {
				t.Errorf("%s temporary tables left", got)
			}
		})
	}
}

func BenchmarkScanTwoBigints(b *testing.B) {
	const n = 10_000_000
	c := openConn(b, openMemory(b))
	mustExec(b, c, "CREATE TABLE t AS SELECT range AS a, range * 7 AS b FROM range(10000000)")
	b.ResetTimer()
	for range b.N {
		cur, err := c.Query(ctx, "SELECT a, b FROM t")
		if err != nil {
			b.Fatal(err)
		}
		var sum, count int64
		for {
			batch, err := cur.Next(ctx)
			if err != nil {
				b.Fatal(err)
			}
			if batch == nil {
				break
			}
			count += int64(batch.N)
			sum += batch.Cols[0].I64[0] + batch.Cols[1].I64[batch.N-1]
		}
		if count != n || sum == math.MinInt64 {
			b.Fatal(count, sum)
		}
		if err := cur.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
}

func BenchmarkQueryRelationSmall(b *testing.B) {
	db := openMemory(b)
	c, source := openConn(b, db), openConn(b, db)
	for range b.N {
		rel, err := source.Query(ctx, "SELECT range AS a, 1.5::DOUBLE AS b FROM range(10)")
		if err != nil {
			b.Fatal(err)
		}
		cur, err := c.QueryRelation(ctx, "rel", rel, "SELECT * FROM rel ORDER BY a DESC LIMIT 3", nil)
		if got := drain(b, cur, err); got != "9|1.5\n8|1.5\n7|1.5\n" {
			b.Fatal(got)
		}
		if err := rel.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
