package engine

import (
	"os"
	"path/filepath"
	"testing"
)

// What a statement defines means what it means in a query: literals have the types of their
// places, functions are Postgres', and the user is the one who reads or writes. The values are
// PostgreSQL 15's.
func TestDefinitionsMeanWhatQueriesMean(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, tc := range []struct{ sql, rows string }{
		{`CREATE TABLE d (id INT, h BYTEA DEFAULT '\x0041', a TEXT[] DEFAULT '{}', b BOOLEAN DEFAULT 'on', i INTERVAL DEFAULT 'P1DT2S', d DATE DEFAULT '0044-03-15 BC', t TEXT DEFAULT '{}')`, ""},
		{`INSERT INTO d(id) VALUES (1) RETURNING encode(h, 'hex'), a::VARCHAR, b::VARCHAR, i::VARCHAR, d::VARCHAR, t`, `0041|[]|true|1 day 00:00:02|0044-03-15 (BC)|{}`},
		{`ALTER TABLE d ADD COLUMN k BYTEA DEFAULT '\x0041', ADD COLUMN l INT[] DEFAULT '{1,2}'`, ""},
		{`SELECT encode(k, 'hex'), l::VARCHAR FROM d`, `0041|[1, 2]`},
		{`ALTER TABLE d ALTER h SET DEFAULT '\x0042'`, ""},
		{`INSERT INTO d(id) VALUES (2) RETURNING encode(h, 'hex')`, `0042`},
		{`ALTER TABLE d ALTER t TYPE BYTEA USING '\x0043'`, ""},
		{`SELECT encode(t, 'hex') FROM d WHERE id = 1`, `0043`},
		{`CREATE VIEW dv AS SELECT id FROM d WHERE h = '\x0041' AND a = '{}'`, ""},
		{`SELECT * FROM dv`, "1"},
		{`CREATE TABLE dt AS SELECT id, initcap('ab cd') AS i, current_user AS u, (version() LIKE 'PostgreSQL%')::VARCHAR AS v FROM d WHERE h = '\x0041'`, ""},
		{`SELECT * FROM dt`, "1|Ab Cd|u|true"},
		{`CREATE INDEX di ON d (coalesce(h, '\x0041'), (a <> '{}'))`, ""},
		{`SELECT id FROM d WHERE coalesce(h, '\x0041') = '\x0041'`, "1"},
		{`EXPLAIN ANALYZE DELETE FROM d WHERE h = '\x0042'`, "*"},
		{`SELECT count(*) FROM d`, "1"},
		{`SELECT count(*) FROM d WHERE h = '\x0041' AND initcap('x') = 'X' AND '{}'::jsonb IS NOT NULL`, "1"},

		{`CREATE TABLE f (id INT, who TEXT DEFAULT current_user, us TEXT DEFAULT user, su TEXT DEFAULT session_user, sc TEXT DEFAULT current_schema, e TEXT DEFAULT encode('\x0041'::bytea, 'hex'),
			c TEXT DEFAULT to_char(TIMESTAMP '2024-03-05', 'DD.MM.YYYY'), r BOOLEAN DEFAULT 'abc' ~ 'b', p TEXT DEFAULT ('{"a":{"b":1}}'::jsonb #>> '{a,b}'), n TEXT DEFAULT initcap('ab'))`, ""},
		{`INSERT INTO f(id) VALUES (1)`, ""},
		{`SELECT id, who, us, su, sc, e, c, r::VARCHAR, p, n FROM f`, "1|u|u|u|public|0041|05.03.2024|true|1|Ab"},
		{`ALTER TABLE f ADD COLUMN w TEXT DEFAULT current_user`, ""},
		{`SELECT w FROM f`, "u"},
		{`CREATE VIEW fv AS SELECT current_user, session_user AS s, current_schema() AS c, initcap(n) AS i, encode('\x0041'::bytea, 'hex') AS e FROM f WHERE who = current_user`, ""},
		{`SELECT * FROM fv`, "u|u|public|Ab|0041"},
		{`SELECT count(*), min(a.s) FROM fv a JOIN fv b ON a.i = b.i`, "1|u"},
		{`CREATE MACRO fm() AS current_user`, ""},
		{`SELECT fm()`, "u"},
		{`ALTER TABLE f ALTER c TYPE TEXT USING CASE WHEN who ~ '^u' THEN current_user ELSE initcap('no') END`, ""},
		{`SELECT c FROM f`, "u"},
		{
			`SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum WHERE adrelid = 'f'::regclass AND attname IN ('who', 'su') ORDER BY attnum`,
			"CURRENT_USER;SESSION_USER",
		},
		{`SELECT pg_get_viewdef('fv'::regclass) LIKE ' SELECT CURRENT_USER AS %WHERE (who = CURRENT_USER);'`, "1"},

		{`CREATE TABLE g (s TEXT, g TEXT GENERATED ALWAYS AS (initcap(s)) STORED, b BOOLEAN GENERATED ALWAYS AS (s ~ 'b') STORED)`, ""},
		{`INSERT INTO g VALUES ('ab cd')`, ""},
		{`SELECT * FROM g`, "ab cd|Ab Cd|1"},

		{`CREATE TABLE fr (id INT, price NUMERIC, start DATE, y INT CHECK (extract(year FROM start) >= 2000), j JSONB CHECK (id IS DISTINCT FROM 5))`, ""},
		{`INSERT INTO fr(price) VALUES (19.9999)`, ""},
		{`ALTER TABLE fr ADD COLUMN q NUMERIC, ADD CHECK (id IS DISTINCT FROM 7)`, ""},
		{`UPDATE fr SET q = 19.9999`, ""},
		{`SELECT price::DOUBLE, q::DOUBLE FROM fr`, "19.9999|19.9999"},

		{`PREPARE q(jsonb) AS SELECT $1->'a'`, ""},
		{`EXECUTE q('{"a":5}')`, "5"},
	} {
		got, _, err := s.try(tc.sql)
		if err != nil || got != tc.rows && tc.rows != "*" {
			t.Errorf("%s\ngives %q, %v\nwant  %q", tc.sql, got, err, tc.rows)
		}
	}
}

func TestChecksMeanWhatQueriesMean(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run(`CREATE TABLE c (id INT, h BYTEA CHECK (h <> '\x0041'), a INT[] CHECK (a <> '{1}'), w TEXT CHECK (w = current_user), k JSONB CHECK (k @> '{"x":1}'), i TEXT, CHECK (initcap(i) <> 'Ab'))`)
	s.run(`INSERT INTO c VALUES (1, '\x0042', '{2}', 'u', '{"x":1,"y":2}', 'cd')`)
	for _, values := range []string{`h) VALUES ('\x0041'`, `a) VALUES ('{1}'`, `w) VALUES ('duckdb'`, `k) VALUES ('{"y":2}'`, `i) VALUES ('aB'`} {
		s.wantError("INSERT INTO c("+values+")", "23514")
	}
	s.run(`ALTER TABLE c ADD CHECK (k <@ '{"x":1,"y":2,"z":3}')`)
	s.wantError(`INSERT INTO c(k) VALUES ('{"x":1,"w":1}')`, "23514")
	s.run(`ALTER TABLE c ADD CHECK (h <> '\x0043')`)
	s.wantError(`INSERT INTO c(h) VALUES ('\x0043')`, "23514")
	s.wantError("CREATE INDEX ci ON c ((w = current_user))", "42P17")
	s.wantError("CREATE VIEW cv AS SELECT set_config('a.b', 'c', false)", "0A000")
	s.wantError("CREATE TABLE ct AS SELECT pg_advisory_lock(1)", "0A000")
}

func TestCopyWhereMeansWhatQueriesMean(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE c (id INT, h BYTEA, s TEXT, j JSONB)")
	rows := [][]string{{"1", `\x00A`, "u", `{"x":1,"y":2}`}, {"2", "B", "duckdb", "{}"}}
	for _, where := range []string{`h = '\x0041'`, "s = current_user", `j @> '{"x":1}'`, "initcap(s) = 'U' AND encode(h, 'hex') = '0041'", "s ~ '^u'"} {
		s.run("DELETE FROM c")
		if err := copyRows(s, "COPY c FROM STDIN WHERE "+where, rows); err != nil {
			t.Errorf("%s: %v", where, err)
		}
		s.want("SELECT id FROM c", "1")
	}
}

// A view asks for the user who reads it, and a default for the one who writes.
func TestDefinitionsAskForTheUser(t *testing.T) {
	e := openEngine(t)
	ann, bob := openUser(t, e, "ann"), openUser(t, e, "bob")
	ann.run("CREATE TABLE o (id INT, owner TEXT DEFAULT current_user)")
	ann.run("CREATE VIEW mine AS SELECT id, current_user AS me FROM o WHERE owner = current_user")
	ann.run("INSERT INTO o(id) VALUES (1), (2)")
	bob.run("INSERT INTO o(id) VALUES (3)")
	for _, backend := range []string{"auto", "duckdb"} {
		ann.run("SET trireme.backend = '" + backend + "'")
		bob.run("SET trireme.backend = '" + backend + "'")
		ann.want("SELECT * FROM mine ORDER BY id", "1|ann;2|ann")
		bob.want("SELECT * FROM mine ORDER BY id", "3|bob")
	}
	for _, backend := range []string{"native", "decomposed"} {
		ann.run("SET trireme.backend = '" + backend + "'")
		bob.run("SET trireme.backend = '" + backend + "'")
		ann.want("SELECT count(*), max(a.me) FROM mine a JOIN mine b ON a.id = b.id", "2|ann")
		bob.want("SELECT count(*), max(a.me) FROM mine a JOIN mine b ON a.id = b.id", "1|bob")
	}
}

// DuckDB reads definitions while it opens a database, and evaluates those of indexes: what is
// the server's in them has to be known by then.
func TestDefinitionsAreReadAtTheStart(t *testing.T) {
	dir := t.TempDir()
	s := openSession(t, openConfig(t, Config{Path: filepath.Join(dir, "a.db")}))
	s.run(`CREATE TABLE r (id INT, who TEXT DEFAULT current_user, n TEXT DEFAULT initcap('ab'), j JSONB CHECK (j ? 'k'), g TEXT GENERATED ALWAYS AS (initcap(n)) STORED)`)
	s.run("INSERT INTO r(id) VALUES (1)")
	s.run("CREATE INDEX ri ON r (initcap(n))")
	s.run("CREATE INDEX rj ON r ((j ? 'k'))")
	s.run("CREATE VIEW rv AS SELECT id, encode('\\x41'::bytea, 'hex') AS e FROM r WHERE who = current_user")
	for _, name := range []string{"a.db", "a.db.wal"} { // as if the server had ended at once
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "copy"+name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	again := openSession(t, openConfig(t, Config{Path: filepath.Join(dir, "copya.db")}))
	again.want("INSERT INTO r(id) VALUES (2) RETURNING who, n", "u|Ab")
	again.want("SELECT * FROM rv ORDER BY id", "1|41;2|41")
	again.want("SELECT id FROM r WHERE initcap(n) = 'Ab' ORDER BY id", "1;2")
	again.wantError(`INSERT INTO r(id, j) VALUES (3, '{}')`, "23514")
}

// What a definition names without a schema is what its author's path finds, whoever reads,
// writes or dumps it by which path.
func TestDefinitionsNameSchemas(t *testing.T) {
	dir := t.TempDir()
	e := openConfig(t, Config{Path: filepath.Join(dir, "a.db")})
	s, other := openSession(t, e), openSession(t, e)
	s.run("CREATE SCHEMA s")
	s.run("CREATE SCHEMA r")
	s.run("CREATE TYPE r.mood AS ENUM ('x', 'y')")
	s.run("CREATE TYPE level AS ENUM ('l')") // a word of DuckDB's grammar
	s.run("CREATE MACRO r.twice(x) AS x")
	other.run("SET search_path = r")
	s.run("SET search_path = s, r")
	s.run("CREATE TYPE mood AS ENUM ('a', 'b')")
	s.run(`CREATE TYPE "Odd Mood" AS ENUM ('o')`)
	s.run("CREATE MACRO twice(x) AS x * 2")
	s.run(`CREATE TABLE t (m mood DEFAULT 'b'::mood CHECK (m <> 'a'::mood), n mood DEFAULT CAST('a' AS mood), l mood[] DEFAULT ARRAY['a']::mood[] CHECK (l::MOOD[] IS NOT NULL),
		o "Odd Mood" DEFAULT "Odd Mood" 'o', d INT DEFAULT twice(2) CHECK (twice(d) > 1), g BOOLEAN GENERATED ALWAYS AS (m = 'b'::mood), k level DEFAULT 'l'::level,
		CONSTRAINT nested CHECK (CAST(row(m) AS STRUCT(mood mood)) IS NOT NULL), CHECK (m IN ('b'::mood, mood 'a') AND m::TEXT LIKE 'b'))`)
	s.run("ALTER TABLE t ADD COLUMN p TEXT DEFAULT 'a'::mood::TEXT")
	s.run("ALTER TABLE t ADD CONSTRAINT q CHECK (p::mood IS NOT NULL)")
	s.run("ALTER TABLE t ALTER p SET DEFAULT 'b'::mood")
	s.run("CREATE INDEX ti ON t ((m = 'b'::mood))")
	s.run("CREATE VIEW v AS SELECT DISTINCT m, 'a'::mood AS n FROM t WHERE m = 'b'::mood")
	s.run("CREATE VIEW r.w AS SELECT 'a'::mood AS m")
	const written = "INSERT INTO s.t(n) VALUES ('b') RETURNING m, n, l::TEXT, o, d, g::TEXT, k, p"
	check := func(path string, s testSession) {
		t.Helper()
		s.run("SET search_path = " + path)
		s.want("SELECT count(*) FROM duckdb_constraints() WHERE constraint_type = 'CHECK' AND table_name = 't'", "6")
		s.want("SELECT count(*) FROM pg_constraint WHERE conrelid = 's.t'::regclass", "6")
		s.want(written, "b|b|[a]|o|4|true|l|b")
		s.wantError("INSERT INTO s.t(m) VALUES ('a')", "23514")
		if err := copyRows(s, "COPY s.t(m) FROM STDIN", [][]string{{"b"}}); err != nil {
			t.Error(err)
		}
		s.want("SELECT m, n, (SELECT m FROM r.w) FROM s.v", "b|a|a")
		s.want("SELECT DISTINCT g::TEXT FROM s.t", "true")
	}
	for _, path := range []string{"r", "s", "public", "''"} {
		check(path, other)
	}
	const shown = "SELECT string_agg(pg_get_constraintdef(oid), ' ' ORDER BY conname) FROM pg_constraint WHERE conname IN ('q', 't_m_check');"
	other.run("SET search_path = s")
	other.want(shown, "CHECK (((p)::mood IS NOT NULL)) CHECK ((m != 'a'::mood))")
	other.want("SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 't'::regclass AND adnum IN (1, 5) ORDER BY adnum", "'b'::mood;s.twice(2)")
	other.run("SET search_path = r")
	other.want(shown, "CHECK (((p)::s.mood IS NOT NULL)) CHECK ((m != 'a'::s.mood))")

	s.run("CREATE TEMP TYPE own AS ENUM ('a')")
	s.run("CREATE TEMP TABLE tt (m TEXT CHECK (m::own = 'a'))")
	s.run("ALTER TABLE tt ADD COLUMN n TEXT DEFAULT 'a'::own")
	s.wantError("CREATE TABLE of_own (m TEXT CHECK (m::own = 'a'))", "42P16")
	s.wantError("ALTER TABLE t ADD CONSTRAINT of_own CHECK (p::own = 'a')", "42P16")
	s.run("SELECT * FROM duckdb_constraints()")
	other.run("SELECT * FROM duckdb_constraints()")
	s.run("CHECKPOINT")
	data, err := os.ReadFile(filepath.Join(dir, "a.db"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "copya.db"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	check("r", openSession(t, openConfig(t, Config{Path: filepath.Join(dir, "copya.db")})))
}
