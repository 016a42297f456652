package sqlfront

import (
	"strings"
	"testing"
)

func TestJSONBAsJSON(t *testing.T) {
	for _, c := range []struct {
		sql     string
		changed int // names of the type
	}{
		{`SELECT '{}'::jsonb, x::JSONB -> 'a', CAST(y AS Jsonb), CAST(z AS jsonb[]), jsonb '[]' FROM t`, 5},
		{`SELECT jsonb, t.jsonb, x AS jsonb, y jsonb, "jsonb", 'jsonb', jsonb(1) FROM jsonb -- ::jsonb`, 0},
		{`CREATE TABLE t (a jsonb, "b" jsonb NOT NULL, c INTEGER, jsonb INTEGER)`, 2},
		{`CREATE TABLE jsonb (jsonb jsonb)`, 1},
		{`CREATE TABLE t AS (SELECT a jsonb, b jsonb, c::jsonb AS d FROM u)`, 1},
		{`ALTER TABLE t ADD COLUMN a jsonb`, 1},
		{`ALTER TABLE t ADD COLUMN IF NOT EXISTS a jsonb`, 1},
		{`ALTER TABLE t ALTER COLUMN a TYPE jsonb`, 1},
		{`ALTER TABLE t ALTER a SET DATA TYPE jsonb`, 1},
		{`ALTER TABLE t RENAME jsonb TO a`, 0},
		{`SELECT q.jsonb, (CAST((x) AS jsonb)) FROM (SELECT f(1) AS jsonb) q`, 1},
		{`CREATE TABLE t (a date CHECK (extract(year FROM a) > 1), b jsonb, c text CHECK (c IS DISTINCT FROM 'select'), d jsonb)`, 2},
		{`CREATE TABLE t ("from" jsonb, "select" jsonb, g jsonb GENERATED ALWAYS AS (h))`, 3},
		{`ALTER TABLE t ADD COLUMN a jsonb, ADD CHECK (b IS DISTINCT FROM c), ADD d jsonb`, 2},
		{`ALTER TABLE t ALTER a TYPE jsonb USING (SELECT b jsonb FROM u)`, 1},
		{`CREATE TABLE t (s STRUCT(a jsonb, b INTEGER), m MAP(VARCHAR, jsonb)[], u UNION(a INTEGER, b STRUCT(c jsonb)))`, 3},
		{`SELECT x::STRUCT(a jsonb), CAST(y AS MAP(jsonb, jsonb)), struct(a, jsonb), map(jsonb, jsonb), coalesce(struct, jsonb) FROM t`, 3},
		{`SELECT x::STRUCT(jsonb jsonb, jsonb INTEGER), y::MAP(jsonb, INTEGER)`, 2},
		{`CREATE TYPE a AS jsonb`, 1},
		{`CREATE OR REPLACE TYPE a AS STRUCT(b jsonb, jsonb INTEGER)`, 1},
		{`CREATE VIEW v AS SELECT a AS jsonb, b jsonb FROM t`, 0},
		{`CREATE MACRO m(a, jsonb) AS (a, jsonb)`, 0},
		{`SELECT '`, 0},
	} {
		got := JSONBAsJSON(c.sql)
		if n := strings.Count(got, "JSON "); n != c.changed || len(got) != len(c.sql) {
			t.Errorf("%s\ngot %s", c.sql, got)
		}
	}
}
