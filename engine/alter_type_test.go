package engine

import (
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// USING has a value for each row, whatever the table has beside the column.
func TestAlterTypeUsing(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TYPE mood AS ENUM ('sad', 'ok')")
	s.run("CREATE TABLE t (x INT, y TEXT, m TEXT, k INT, g INT GENERATED ALWAYS AS (k + 1))")
	s.run("INSERT INTO t (x, y, m) VALUES (1, 'a', 'ok'), (2, 'b', 'sad')")
	s.run("CREATE UNIQUE INDEX i ON t (y)")
	s.run("CREATE TEMP MACRO twice(v) AS 2 * v")
	s.run("ALTER TABLE t ALTER x TYPE TEXT USING 'x' || twice(t.x), ALTER m SET DATA TYPE mood USING m::mood")
	s.want("SELECT x, y, m, typeof(m) FROM t ORDER BY ALL", "x2|a|ok|ENUM('sad', 'ok');x4|b|sad|ENUM('sad', 'ok')")
	s.wantError("INSERT INTO t (y) VALUES ('a')", "23505")
	s.run("ALTER TABLE t ALTER y SET TYPE USING ascii(y)")
	s.want("SELECT y, typeof(y) FROM t ORDER BY ALL", "97|INTEGER;98|INTEGER")
	for _, c := range []struct{ using, code string }{
		{"count(*)", "42803"},
		{"max(y)", "42803"},
		{"row_number() OVER ()", "42P20"},
		{"unnest([1, 2])", "42601"},
		{"nosuch", "42703"},
		{"nosuch(y)", "42883"},
		{"y +", "42601"},
	} {
		if _, _, err := s.try("ALTER TABLE t ALTER y TYPE INT USING " + c.using); err == nil || sqlerr.From(err).Code != c.code {
			t.Errorf("USING %s: error %v, want SQLSTATE %s", c.using, err, c.code)
		}
	}
	s.wantError("ALTER TABLE t ALTER g TYPE INT USING 1", "0A000")
	s.wantError("ALTER TABLE t ALTER nosuch TYPE INT USING 1", "42703")
	s.wantError("ALTER TABLE t ALTER y TYPE nosuch USING 1", "42704")
	s.wantError("ALTER TABLE t ALTER x TYPE INT USING x::INT", "22P02")
	s.want("SELECT x, y, m FROM t ORDER BY ALL", "x2|97|ok;x4|98|sad")
}
