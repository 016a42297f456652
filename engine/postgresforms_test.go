package engine

import (
	"strings"
	"testing"
)

// Statements and functions that Postgres has: they are read, or the error says what to do.
func TestFormsOfPostgres(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE pf (id INTEGER PRIMARY KEY, t TEXT)")
	s.run("INSERT INTO pf VALUES (1, 'x'), (2, NULL)")
	s.run("CREATE INDEX pf_t ON pf (t)")
	s.want("SELECT format('%s-%s', id, t), format('100%% %s', id) FROM pf ORDER BY id", "1-x|100% 1;2-|100% 2")
	s.want("SELECT format('%I=%L', 'A b', 'it''s')", `"A b"='it''s'`)
	s.want("SELECT format('{} %s', 1), format('{:.1f}', 0.25)", "1 %s|0.2")
	s.want(`SELECT '{"a":1}'::jsonb || '{"b":2}' || '{"c":3}'`, `{"a":1,"b":2,"c":3}`)
	for sql, want := range map[string]string{
		"SELECT 'abc' LIKE ANY (ARRAY['x', 'a%']), 'abc' NOT ILIKE ALL ('{A%,x}')":    "1|0",
		"SELECT 'abc' LIKE ANY (ARRAY['x', NULL]), 'abc' LIKE ALL (ARRAY[]::TEXT[])":  "NULL|1",
		"SELECT 'a' || 'b' ~~ ANY (ARRAY['ab']), 1 = 1 AND NOT 'a_' LIKE ANY ('{a}')": "1|1",
		"SELECT count(*) FROM pf WHERE t LIKE ANY (ARRAY['x', t || '%'])":             "1",
	} {
		s.want(sql, want)
	}
	if got := s.run("SELECT id FROM pf WHERE t LIKE ANY ($1)", "[y, x%]"); got != "1" {
		t.Errorf("an array for LIKE ANY finds %q", got)
	}
	s.run("CREATE TABLE pc (t TEXT CHECK (t ~~ ANY (ARRAY['a%'::text, 'b%'::text])))")
	s.wantError("INSERT INTO pc VALUES ('c')", "23514")
	s.run("INSERT INTO pc VALUES ('b')")
	s.run("CREATE TABLE pr (x INTEGER REFERENCES pf (id) NOT DEFERRABLE INITIALLY IMMEDIATE)")
	s.wantTag("REINDEX TABLE pf", "REINDEX")
	s.wantTag("DROP INDEX CONCURRENTLY pf_t", "DROP INDEX")
	s.run("SET quote_all_identifiers = true")
	s.want("SHOW quote_all_identifiers", "on")
	s.run("CREATE INDEX taken ON pf (t)")
	for sql, words := range map[string]string{
		"CREATE INDEX l1 ON pf (t DESC, id) WHERE id > 1": "DESC,WHERE", "CREATE INDEX l2 ON pf (t) INCLUDE (id)": "INCLUDE", "CREATE INDEX l3 ON pf USING btree (t ASC)": "",
	} {
		s.Notices()
		s.run(sql)
		var told []string
		for _, n := range s.Notices() {
			word, _, _ := strings.Cut(n.Message, " is left out")
			told = append(told, word)
		}
		if got := strings.Join(told, ","); got != words {
			t.Errorf("%s: left out %q, not %q", sql, got, words)
		}
	}
	s.wantError("CREATE UNIQUE INDEX l4 ON pf (t) WHERE id > 1", "0A000")
	s.run("CREATE SEQUENCE pq START 5")
	s.want("SELECT * FROM pq", "5|0|0")
	s.wantError("SELECT * FROM nowhere", "42P01")
	s.run("CREATE TYPE pm AS ENUM ('a')")
	s.run("CREATE FUNCTION twice(x) AS x * 2")
	for sql, code := range map[string]string{
		"CREATE FUNCTION f(x int) RETURNS int AS $$ SELECT 1 $$ LANGUAGE sql": "0A000",
		"CREATE OR REPLACE FUNCTION f() RETURNS trigger AS $$ x $$":           "0A000",
		"ALTER TYPE pm ADD VALUE 'b'":                                         "0A000",
		"ALTER TABLE pf SET SCHEMA other":                                     "0A000",
		"ALTER TABLE pr VALIDATE CONSTRAINT c":                                "0A000",
		"CREATE TABLE pl (LIKE pf)":                                           "0A000",
		"CREATE TABLE pd (x INTEGER UNIQUE DEFERRABLE)":                       "0A000",
		"WITH x AS (DELETE FROM pf RETURNING id) SELECT * FROM x":             "0A000",
		"CREATE INDEX taken ON pf (id)":                                       "42P07",
		"SELECT (SELECT id FROM pf)":                                          "21000",
		"SELECT '99999'::SMALLINT":                                            "22003",
	} {
		if e := s.wantError(sql, code); code == "0A000" && e.Hint == "" {
			t.Errorf("%s: no hint", sql)
		}
	}
}
