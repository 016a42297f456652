package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// rowLookup is what is known of a text's lookup; nil: it is none.
func (s testSession) rowLookup(sql string) *rowLookup {
	s.t.Helper()
	p, err := s.Prepare(s.t.Context(), sql, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		s.t.Fatal(err)
	}
	r := s.engine.tensor.(*route)
	key, version := r.boundKey(s.Session, p.sql, p.hints)
	row, _ := r.lookups.Get(key, version)
	return row
}

// pay makes the next execution of a lookup native, or not.
func (s testSession) pay(r *rowLookup, paid bool) {
	s.t.Helper()
	snap, reason := s.engine.catalog.Versions.Snapshot(r.tensor.tables, 0)
	if reason != "" {
		s.t.Fatal(reason)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.version, r.loaded, r.refused = snap.Version(0), r.loaded && r.version == snap.Version(0), false
	r.spent, r.loading, r.duck = 0, lookupLoading, time.Hour
	if paid {
		r.spent = time.Hour
	} else {
		r.loaded = false
	}
}

// lookupTables makes tables to look up in.
func (s testSession) lookupTables() {
	s.t.Helper()
	for _, sql := range []string{
		"CREATE TYPE mood AS ENUM ('sad', 'glad')",
		`CREATE TABLE t (id INTEGER PRIMARY KEY, b BOOLEAN, i TINYINT, u UBIGINT, h HUGEINT, n DECIMAL(9,2), w DECIMAL(38,3), s VARCHAR, d DATE, c TIME,
			ts TIMESTAMP, tz TIMESTAMPTZ, uu UUID, e mood, x BLOB, f DOUBLE, iv INTERVAL, UNIQUE (s, i))`,
		`INSERT INTO t SELECT k, k % 2 = 0, k % 100, 18446744073709551615 - k, -170141183460469231731687303715884105727 + k, k / 7, k * 1000.125,
			'größe ' || k, DATE '2000-02-28' + k::INTEGER, TIME '23:59:59.999' - to_seconds(k), TIMESTAMP '1969-12-31 23:59:59.5' + to_days(k::INTEGER),
			TIMESTAMPTZ '2001-01-01 00:00:00+02' + to_hours(k), uuid(), (['sad', 'glad'])[1 + k % 2]::mood, ('a\x0' || k % 10)::BLOB, k / 3, to_days(k::INTEGER)
			FROM range(300) r(k)`,
		"INSERT INTO t (id, s, f) VALUES (1000, NULL, '-0.0'), (1001, 'one', 'nan'), (1002, 'one', '-inf')",
		`CREATE TABLE texts (name VARCHAR PRIMARY KEY, "Value" BIGINT NOT NULL)`,
		"INSERT INTO texts VALUES ('a', 1), ('A', 2), ('', 3), ('it''s', 4)",
		"CREATE VIEW seen AS SELECT * FROM t",
		"CREATE TABLE indexed (id INTEGER, v INTEGER)",
		"CREATE UNIQUE INDEX by_id ON indexed (id)",
	} {
		s.run(sql)
	}
}

// look is run with arguments that may be NULL.
func (s testSession) look(sql string, args ...string) string {
	s.t.Helper()
	p, err := s.Prepare(s.t.Context(), sql, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	values := make([]Arg, len(args))
	for i, a := range args {
		values[i] = Arg{Text: a, Null: a == "NULL"}
	}
	res, err := p.Execute(s.t.Context(), values)
	if err != nil {
		s.t.Fatal(err)
	}
	text, err := readAll(res)
	if err = errors.Join(err, p.Close()); err != nil {
		s.t.Fatal(err)
	}
	return text
}

// A prepared lookup by a key is answered natively once DuckDB has spent as much as loading
// takes, from then until the table is written, and as DuckDB answers it.
func TestLookups(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.lookupTables()
	all := "id, b, i, u, h, n, w, s, d, c, ts, tz, uu, e, x, f"
	for _, c := range []struct {
		sql  string
		args [][]string
	}{
		{"SELECT " + all + " FROM t WHERE id = $1", [][]string{{"0"}, {"7"}, {"299"}, {"1000"}, {"1001"}, {"1002"}, {"-1"}, {"300"}, {"NULL"}, {"2147483647"}}},
		{"SELECT u AS big, u, id FROM main.t AS z WHERE $1 = z.id", [][]string{{"3"}, {"NULL"}}},
		{"SELECT t.* EXCLUDE (f, iv) FROM t WHERE id = $1", [][]string{{"3"}}},
		{"SELECT e FROM t WHERE s = $1 AND i = $2", [][]string{{"größe 8", "8"}, {"größe 8", "9"}, {"one", "NULL"}, {"NULL", "1"}}},
		{"SELECT e FROM t WHERE i = 8 AND s = $1", [][]string{{"größe 8"}, {"größe 108"}, {"größe 9"}}},
		{"SELECT id FROM t WHERE id = $1 LIMIT 1", [][]string{{"8"}, {"-8"}}},
		{"SELECT id FROM t WHERE id = $1 AND e = 'sad'", [][]string{{"8"}, {"9"}, {"1000"}}},
		{"SELECT id FROM t WHERE id = $1 AND id = $2", [][]string{{"8", "8"}, {"8", "9"}}},
		{"SELECT * FROM texts WHERE name = $1", [][]string{{"a"}, {"A"}, {""}, {"it's"}, {"b"}, {"NULL"}}},
	} {
		row := s.rowLookup(c.sql)
		if strings.Contains(c.sql, "EXCLUDE") {
			if row != nil {
				t.Errorf("%s: is a lookup", c.sql)
			}
			continue
		}
		if row == nil {
			t.Errorf("%s: is no lookup", c.sql)
			continue
		}
		check := func(when, backend string) {
			t.Helper()
			for _, args := range c.args {
				s.pay(row, backend == "native")
				s.run("SET trireme.backend = 'duckdb'")
				want := s.look(c.sql, args...)
				s.run("RESET trireme.backend")
				if got := s.look(c.sql, args...); got != want || s.lastBackend != backend {
					t.Errorf("%s, %s %q: %s by %s, want %s by %s", when, c.sql, args, got, s.lastBackend, want, backend)
				}
			}
		}
		check("at first", "duckdb")
		check("when it pays", "native")
		s.run("UPDATE t SET b = NOT b, e = 'glad', n = n + 1 WHERE id % 3 = 0")
		s.run(`UPDATE texts SET "Value" = 10 * "Value"`)
		check("written", "duckdb")
		check("when it pays again", "native")
	}
}

// What is no lookup by a key, or of values that may be equal and not the same, is
// DuckDB's.
func TestNoLookups(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.lookupTables()
	for _, sql := range []string{
		"SELECT i FROM t WHERE s = $1",
		"SELECT i FROM t WHERE i = $1",
		"SELECT i FROM t WHERE id = 3",
		"SELECT i FROM t WHERE id = $1 OR id = 3",
		"SELECT i FROM t WHERE id >= $1",
		"SELECT i FROM t WHERE id = $1 + 1",
		"SELECT i FROM t WHERE id = $1 AND n > 1",
		"SELECT i + 1 FROM t WHERE id = $1",
		"SELECT iv FROM t WHERE id = $1",
		"SELECT * FROM t WHERE id = $1",
		"SELECT i FROM t WHERE id = $1 ORDER BY i",
		"SELECT i FROM t WHERE id = $1 LIMIT 0",
		"SELECT i FROM t WHERE id = $1 LIMIT $2",
		"SELECT i FROM t WHERE id = $1 LIMIT 1 OFFSET 1",
		"SELECT i FROM t, texts WHERE id = $1",
		"SELECT id FROM seen WHERE id = $1",
		"SELECT v FROM indexed WHERE id = $1",
		"WITH t AS (SELECT 1 AS id, 2 AS i) SELECT i FROM t WHERE id = $1",
	} {
		if s.rowLookup(sql) != nil {
			t.Errorf("%s: is a lookup", sql)
		}
	}
}

// A transaction looks up what it has written, others what is committed; a table that is
// made again is another one.
func TestLookupsFollowTransactions(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.lookupTables()
	other := openSession(t, s.engine)
	const sql = `SELECT "Value" FROM texts WHERE name = $1`
	look := func(s testSession, want, backend string) {
		t.Helper()
		if got := s.look(sql, "a"); got != want || s.lastBackend != backend {
			t.Errorf("%s by %s, want %s by %s", got, s.lastBackend, want, backend)
		}
	}
	s.pay(s.rowLookup(sql), true)
	look(s, "1", "native")
	look(other, "1", "native")
	other.run("BEGIN")
	look(other, "1", "native")
	s.run("BEGIN")
	s.run("UPDATE texts SET \"Value\" = 5 WHERE name = 'a'")
	look(s, "5", "duckdb")
	look(other, "1", "duckdb")
	s.run("COMMIT")
	look(other, "1", "duckdb")
	other.run("COMMIT")
	look(other, "5", "duckdb")
	s.pay(s.rowLookup(sql), true)
	look(other, "5", "native")
	look(s, "5", "native")
	s.run("DROP TABLE texts")
	s.run(`CREATE TABLE texts AS SELECT 'a' AS name, x AS "Value" FROM range(2) r(x)`)
	if s.rowLookup(sql) != nil {
		t.Error("a table without a key has lookups")
	}
	look(s, "0;1", "duckdb")
}

// payer is what a lookup's times make of it.
type payer struct {
	*rowLookup
	t *testing.T
}

// wants compares who answers at a version of the table.
func (p payer) wants(version uint64, natively, unknown bool) {
	p.t.Helper()
	if n, u := p.choose(version); n != natively || u != unknown {
		p.t.Errorf("%v %v, want %v %v: %s", n, u, natively, unknown, fmt.Sprint(p.spent, p.loading, p.saved, p.loaded, p.doubts))
	}
}

// Native answers when DuckDB has spent what loading takes, if loading is short, and goes
// on if it is faster, until the table is written or what it needs is no longer there.
func TestLookupPays(t *testing.T) {
	const ms = time.Millisecond
	r := payer{&rowLookup{}, t}
	r.wants(1, false, false)
	r.noteDuck(1, 4*ms)
	r.wants(1, false, false)
	r.noteDuck(1, 2*ms)
	r.wants(1, false, true)
	if r.estimated(20 * ms) {
		t.Error("loading is not paid for")
	}
	r.wants(1, false, false)
	r.noteDuck(1, 15*ms)
	r.wants(1, true, false)
	r.noteNative(1, 30*ms)
	r.wants(1, true, false)
	r.noteNative(1, ms)
	r.wants(1, true, false)
	r.saved = 30 * ms
	r.wants(2, false, false)
	r.noteNative(1, ms) // of the version before
	r.noteDuck(2, 29*ms)
	r.wants(2, false, false)
	r.noteDuck(2, 2*ms)
	r.wants(2, true, false)
	r.noteNative(2, 10*ms)
	r.saved = 10 * ms
	r.noteNative(2, 9*ms) // loads again
	r.wants(2, false, false)
	r.noteDuck(2, 9*ms)
	r.wants(2, true, false)
	r.noteNative(2, 8*ms)
	r.native = 6 * ms
	r.wants(2, false, false) // DuckDB has taken 2
	r.refuse()
	r.wants(3, false, false)
	r.noteDuck(3, time.Hour)
	r.wants(3, false, false)
	if (&rowLookup{spent: time.Hour}).estimated(lookupLoading + 1) {
		t.Error("loading takes too long for a lookup")
	}
}

// Where loads do not pay before the table is written, DuckDB has to spend twice as much
// before each next one, until one has.
func TestLookupsDoubtLoads(t *testing.T) {
	const ms = time.Millisecond
	r := payer{&rowLookup{loading: 20 * ms, duck: 3 * ms}, t}
	for version, needs := range []time.Duration{20 * ms, 40 * ms, 80 * ms} {
		version := uint64(version) + 1
		r.wants(version, false, false)
		r.noteDuck(version, needs-1)
		r.wants(version, false, false)
		r.noteDuck(version, 3*ms)
		r.wants(version, true, false)
		r.noteNative(version, 20*ms)
		r.noteNative(version, ms)
		if r.saved != 2*ms {
			t.Errorf("%s saved, want 2ms", r.saved)
		}
	}
	r.saved = 20 * ms
	r.wants(9, false, false)
	r.noteDuck(9, 20*ms)
	r.wants(9, true, false)
}
