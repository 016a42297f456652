package sqlfront

import (
	"strings"
	"testing"
)

func TestParseConflict(t *testing.T) {
	for sql, want := range map[string]string{
		"INSERT INTO t VALUES (1) ON CONFLICT ON CONSTRAINT k DO NOTHING":                                                   `t k: INSERT INTO t VALUES (1) ON CONFLICT ("a", "B") DO NOTHING`,
		`with x as (insert) insert into "s 1".t AS z (a) select 1 from x on conflict on constraint "K" do update set a = 1`: `s 1.t K: with x as (insert) insert into "s 1".t AS z (a) select 1 from x on conflict ("a", "B") do update set a = 1`,
		"INSERT INTO t SELECT a FROM u JOIN v ON (u.a = v.a) ON CONFLICT DO NOTHING RETURNING a":                            "t : INSERT INTO t SELECT a FROM u JOIN v ON (u.a = v.a)  RETURNING a",
		"INSERT INTO t VALUES (1) ON CONFLICT (a) DO NOTHING":                                                               "",
		"INSERT INTO t VALUES (1) ON CONFLICT DO UPDATE SET a = 1":                                                          "",
		"INSERT INTO t VALUES ('on conflict do nothing')":                                                                   "",
		"SELECT 1":    "",
		"INSERT":      "",
		"INSERT INTO": "",
		"INSERT INTO t ON CONFLICT ON CONSTRAINT":                    "",
		"UPDATE t SET a = 1 -- INSERT INTO t ON CONFLICT DO NOTHING": "",
	} {
		c, ok := ParseConflict(sql)
		got := ""
		if ok {
			edits := c.Without()
			if c.Constraint != "" {
				edits = c.OnColumns([]string{"a", "B"})
			}
			got = strings.Join(c.Table, ".") + " " + c.Constraint + ": " + edits.Apply(sql, 0, len(sql))
		}
		if got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
}
