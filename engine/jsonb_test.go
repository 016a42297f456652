package engine

import "testing"

func TestJSONB(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.want(`SELECT '{"a": [1, 2]}'::jsonb`, `{"a": [1, 2]}`)
	s.want(`SELECT CAST('{"a": [1, 2]}' AS JSONB) -> 'a' -> 1`, `2`)
	s.run("CREATE TABLE t (id INTEGER, doc jsonb NOT NULL)")
	s.run(`INSERT INTO t VALUES (1, '{"k": 5}'), (2, '{"k": 7}'::jsonb)`)
	s.want("SELECT sum((doc ->> 'k')::INTEGER) FROM t", "12")
	s.run("ALTER TABLE t ADD COLUMN more jsonb")
	s.want("SELECT count(*) FROM t a JOIN t b ON a.id = b.id WHERE a.doc = b.doc AND a.more IS NULL AND '[]'::jsonb IS NOT NULL", "2")
	s.run("PREPARE p AS SELECT '[1]'::jsonb")
	s.want("EXECUTE p", "[1]")
	s.run("BEGIN")
	s.run("INSERT INTO t VALUES (3, '1', '2')")
	s.want(`SELECT doc::jsonb FROM t WHERE id = 3`, "1")
	s.wantTag("COMMIT", "COMMIT")
	s.want("SELECT count(*) FROM t", "3")
	if e := s.wantError("SELECT '{}'::jsonb, nothing FROM t", "42703"); e.Offset != 20 {
		t.Errorf("offset %d", e.Offset)
	}
	s.wantError("SELECT '{'::jsonb", "22P02")
	s.run("CREATE TYPE jsonb AS ENUM ('x')")
	s.want("SELECT 'x'::jsonb", "x")
}
