package engine

import (
	"context"
	"testing"
)

// TestEqualOrBothNull: where one operand is NULL, x = y OR (x IS NULL AND y IS NULL) is
// NULL wherever it stands. DuckDB's optimizer makes it FALSE, so that auto does not ask
// DuckDB.
func TestEqualOrBothNull(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE l AS SELECT * FROM (VALUES (0, NULL), (1, 1), (NULL, NULL), (1, 2)) v(a, b)")
	s.run("CREATE TABLE r AS SELECT i FROM range(4) v(i)")
	const p = "(a = b OR (a IS NULL AND b IS NULL))"
	for _, c := range []struct{ sql, want string }{
		{"SELECT count(*) FROM l JOIN r ON NOT " + p, "4"},
		{"SELECT count(*) FROM l LEFT JOIN r ON NOT " + p, "7"},
		{"SELECT " + p + ", count(*) FROM l, r GROUP BY 1 ORDER BY 1", "0|4;1|8;NULL|4"},
		{"SELECT count(*) FROM l, r WHERE " + p + " IS NULL", "4"},
		{"SELECT count(*) FROM l, r WHERE NOT ((b IS NULL AND a IS NULL) OR b = a)", "4"},
		{"SELECT count(*) FROM l, r WHERE " + p, "8"},
		{"SELECT count(" + p + "), sum(CASE WHEN " + p + " THEN 1 WHEN NOT " + p + " THEN 10 ELSE 100 END) FROM l, r", "12|448"},
		{"SELECT count(*) FROM l x, l y WHERE NOT (x.a = y.b OR (x.a IS NULL AND y.b IS NULL))", "4"},
		{"SELECT count(*) FROM l x JOIN l y ON x.a = y.b OR (x.a IS NULL AND y.b IS NULL)", "4"},
		{"SELECT count(*) FROM l x LEFT JOIN l y ON x.a = y.b OR (x.a IS NULL AND y.b IS NULL)", "5"},
	} {
		for _, backend := range []string{"auto", "native", "decomposed"} {
			s.run("SET trireme.backend = '" + backend + "'")
			s.want(c.sql, c.want)
		}
	}
}

// TestEqualOrBothNullAnew: neither does auto where a text that is new begins on DuckDB.
func TestEqualOrBothNullAnew(t *testing.T) {
	e, err := Open(context.Background(), Config{Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}()
	session, err := e.NewSession(context.Background(), SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}()
	s := testSession{session, t}
	s.run("CREATE TABLE l AS SELECT * FROM (VALUES (0, NULL), (1, 1), (NULL, NULL), (1, 2)) v(a, b)")
	s.run("CREATE TABLE r AS SELECT i FROM range(4) v(i)")
	s.want("SELECT count(*) FROM l, r WHERE NOT (a = b OR (a IS NULL AND b IS NULL))", "4")
	s.want("SELECT count(*) FROM l LEFT JOIN r ON NOT ((b ISNULL AND a ISNULL) OR b = a)", "7")
	s.run("CREATE TABLE o AS SELECT * FROM (VALUES (NULL, 1), (5, 1), (5, 2)) v(a, b)")
	s.want("SELECT count(*) FROM o WHERE EXISTS (SELECT 1 FROM o p WHERE p.a <> o.a AND p.b = o.b) OR b = 9", "0")
	s.want("SELECT b, count(*) FILTER (WHERE EXISTS (SELECT 1 FROM o p WHERE o.a != p.a AND p.b = o.b)) FROM o GROUP BY b ORDER BY b", "1|0;2|0")
	s.want("SELECT count(*), sum(CASE WHEN NOT EXISTS (SELECT 1 FROM o p WHERE p.a <> o.a AND p.b = o.b) THEN 1 ELSE 0 END) FROM o", "3|3")
}
