package engine

import (
	"strings"
	"testing"
)

// What is of another kind than a statement takes is said to be, by the SQLSTATE that Postgres has for it.
func TestWrongKinds(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range []string{
		"CREATE SCHEMA a", "CREATE TABLE t (id INTEGER PRIMARY KEY, x INTEGER)", "CREATE VIEW v AS SELECT * FROM t", "CREATE VIEW a.v AS SELECT 1 AS x", "CREATE SEQUENCE s",
		"CREATE INDEX ix ON t (x)", "INSERT INTO t VALUES (1, 1)",
	} {
		s.run(sql)
	}
	cases := []struct{ sql, code, message string }{
		{"UPDATE v SET x = 1", "55000", `cannot update view "v"`},
		{"UPDATE public.v SET x = 1 WHERE id = 1 RETURNING x", "55000", `cannot update view "v"`},
		{"UPDATE a.v SET x = 1", "55000", `cannot update view "v"`},
		{"DELETE FROM v", "55000", `cannot delete from view "v"`},
		{"INSERT INTO v VALUES (1, 2)", "55000", `cannot insert into view "v"`},
		{"INSERT INTO a.v SELECT 1", "55000", `cannot insert into view "v"`},
		{"PREPARE p AS DELETE FROM v WHERE id = $1", "55000", `cannot delete from view "v"`},
		{"TRUNCATE v", "42809", `"v" is not a table`},
		{"TRUNCATE t, v", "42809", `"v" is not a table`},
		{"TRUNCATE s", "42809", `"s" is not a table`},
		{"MERGE INTO v USING t ON v.id = t.id WHEN MATCHED THEN DELETE", "42809", `cannot execute MERGE on view "v"`},
		{"CREATE INDEX ON v (x)", "42809", `cannot create index on relation "v"`},
		{"CREATE INDEX i ON v (x)", "42809", `cannot create index on relation "v"`},
		{"CREATE UNIQUE INDEX IF NOT EXISTS i ON a.v (x)", "42809", `cannot create index on relation "v"`},
		{"CREATE TABLE r (a INTEGER REFERENCES v (id))", "42809", "VIEW"},
		{"COMMENT ON TABLE v IS 'x'", "42809", `"v" is not a table`},
		{"COMMENT ON TABLE v IS NULL", "42809", `"v" is not a table`},
		{"COMMENT ON VIEW t IS 'x'", "42809", `"t" is not a view`},
		{"ALTER TABLE v ADD COLUMN z INTEGER", "42809", `"v" is a view`},
		{"ALTER TABLE s ADD COLUMN z INTEGER", "42809", `"s" is not a table`},
		{"DROP TABLE v", "42809", "v"},
		{"DROP TABLE s", "42809", `"s" is not a table`},
		{"DROP TABLE ix", "42809", `"ix" is not a table`},
		{"DROP VIEW t", "42809", "t"},
		{"UPDATE s SET last_value = 1", "42809", `cannot change sequence "s"`},
		{"DELETE FROM s", "42809", `cannot change sequence "s"`},
		{"DELETE FROM ix", "42809", `cannot open relation "ix"`},
		{"SELECT * FROM ix", "42809", `cannot open relation "ix"`},
		{"SELECT 1 FROM t JOIN public.ix USING (id)", "42809", `cannot open relation "ix"`},
		{"SELECT * FROM nothing", "42P01", "nothing"},
		{"UPDATE nothing SET x = 1", "42P01", "nothing"},
		{"UPDATE a.ix SET x = 1", "42P01", "ix"},
	}
	for _, tc := range cases {
		if e := s.wantError(tc.sql, tc.code); !strings.Contains(e.Message, tc.message) {
			t.Errorf("%s: %q", tc.sql, e.Message)
		}
		s.run("BEGIN")
		s.run("CREATE TABLE IF NOT EXISTS own (x INTEGER)")
		s.wantError(tc.sql, tc.code)
		s.run("ROLLBACK")
	}
	if e := s.wantError("SELECT 1 FROM t JOIN public.ix USING (id)", "42809"); e.Offset != strings.Index("SELECT 1 FROM t JOIN public.ix", "public") {
		t.Errorf("the error is at %d", e.Offset)
	}
	if err := copyRows(s, "COPY v FROM STDIN", [][]string{{"4", "4"}}); err == nil || !strings.Contains(err.Error(), `cannot copy to view "v"`) {
		t.Error(err)
	}
	s.run("COMMENT ON VIEW v IS 'a view'")
	s.run("COMMENT ON COLUMN v.x IS 'its column'")
	s.run("COMMENT ON TABLE t IS 'a table'")
	s.want("SELECT last_value FROM s", "1")
	s.want("SELECT count(*) FROM t", "1")
}
