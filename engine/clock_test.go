package engine

import (
	"strings"
	"testing"
)

// TestClocks: the time at which a transaction began is a value of the statement's on
// all backends, the one that DuckDB has.
func TestClocks(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE a AS SELECT i AS k, i % 3 AS g, today() - 5 + i::INTEGER AS day, now() + (i - 5) * INTERVAL 1 HOUR AS ts, (now() + (i - 5) * INTERVAL 1 HOUR)::TIMESTAMP AS t FROM range(9) v(i)")
	s.run("CREATE TABLE b AS SELECT i % 5 AS k, i AS v, DATE '2020-01-01' + i::INTEGER AS current_date FROM range(12) v(i)")
	s.run("CREATE VIEW recent AS SELECT k, g FROM a WHERE day < current_date")
	s.run("PREPARE p AS SELECT count(*), sum(y.k + $2) FROM a x JOIN a y USING (k) WHERE x.ts < now() - $1 * INTERVAL 1 HOUR")
	for _, sql := range []string{
		"SELECT count(*) FROM a JOIN b USING (k) WHERE a.day < today()",
		"SELECT count(*) FROM a x JOIN a y USING (k) WHERE x.day <= current_date AND y.day >= CURRENT_DATE - 2",
		"SELECT count(*), min(current_date), max(b.v) FROM a JOIN b USING (k) WHERE a.ts > now() - INTERVAL 2 HOUR",
		"SELECT x.g, count(*), sum(CASE WHEN x.t < localtimestamp THEN 1 ELSE 0 END), max(x.day) <= current_date + 3 AS d FROM a x JOIN a y USING (k) WHERE x.ts BETWEEN current_timestamp - INTERVAL 3 HOUR AND get_current_timestamp() GROUP BY x.g ORDER BY x.g",
		"SELECT count(*) FROM (SELECT g, max(day) d FROM a WHERE day < now() GROUP BY g HAVING max(day) < today()) q JOIN b ON b.k = q.g",
		"SELECT x.g, date_diff('day', max(x.day), today()) d, count(*) FROM a x JOIN a y USING (k) GROUP BY x.g ORDER BY 1",
		"SELECT count(*) FROM a x JOIN a y ON x.k = y.k AND x.ts + (y.k * INTERVAL 1 MINUTE) < now()",
		"SELECT count(*) FROM recent JOIN b USING (k)",
		"SELECT count(*) FROM a WHERE EXISTS (SELECT 1 FROM a y WHERE y.k = a.k AND y.ts < transaction_timestamp())",
		"EXECUTE p(1, 2)",
	} {
		s.run("BEGIN")
		s.run("SET trireme.backend = 'duckdb'")
		want := s.run(sql)
		for _, backend := range []string{"native", "decomposed", "auto"} {
			s.run("SET trireme.backend = '" + backend + "'")
			s.want(sql, want)
		}
		s.run("COMMIT")
	}
	s.run("SET trireme.backend = 'native'")
	const moment = "SELECT max(x.k), now() FROM a x JOIN a y USING (k) GROUP BY x.g LIMIT 1"
	s.run("BEGIN")
	first := s.run(moment)
	s.want(moment, first)
	s.want("SELECT count(*) > 0 FROM a x JOIN a y USING (k) WHERE epoch_us(now()) = "+first[2:]+"", "1")
	s.run("COMMIT")
	if again := s.run(moment); again <= first {
		t.Errorf("now() is %s, after %s", again, first)
	}
	s.wantError("SELECT count(*) FROM a x JOIN a y USING (k) WHERE random() < 2", "0A000")
}

// TestClockInItsZone: today is another day in another zone, for a statement that is kept.
func TestClockInItsZone(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE a AS SELECT i AS k FROM range(3) v(i)")
	const sql = "SELECT DISTINCT current_date, localtimestamp::DATE FROM a x JOIN a y USING (k)"
	for _, zone := range []string{"Etc/GMT+12", "Etc/GMT-14", "UTC"} { // 26 hours apart
		s.run("SET TimeZone = '" + zone + "'")
		s.run("BEGIN")
		s.run("SET trireme.backend = 'duckdb'")
		want := s.run(sql)
		s.run("SET trireme.backend = 'native'")
		s.want(sql, want)
		s.run("COMMIT")
	}
}

// TestDefaultsOfTheTimeWhereItStays: the defaults, checks and generated columns of temporary tables may ask for the
// time in a transaction that DuckDB has begun again; within it the time is the transaction's.
func TestDefaultsOfTheTimeWhereItStays(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE kept (k INTEGER)")
	s.run("CREATE TEMP TABLE old (k INTEGER, UNIQUE (k))")
	s.run("INSERT INTO old VALUES (1)")
	for _, tc := range []struct{ name, before, after, check string }{
		{"created again", "CREATE TEMP TABLE x (k INTEGER, c TIMESTAMPTZ DEFAULT now(), CHECK (c <= now()))", "INSERT INTO x (k) VALUES (1)", "SELECT c = now() FROM x"},
		{"created after", "", "CREATE TEMP TABLE x (k INTEGER, c TIMESTAMPTZ DEFAULT now(), d TIMESTAMPTZ GENERATED ALWAYS AS (now())); INSERT INTO x (k) VALUES (1)", "SELECT c = now() FROM x"},
		{"with a key", "", "CREATE TEMP TABLE x (k SERIAL PRIMARY KEY, c TIMESTAMPTZ CONSTRAINT old CHECK (c <= now()) DEFAULT current_timestamp); INSERT INTO x (c) VALUES (DEFAULT)", "SELECT c = now() FROM x"},
		{"added", "CREATE TEMP TABLE x (k INTEGER)", "INSERT INTO x VALUES (1); ALTER TABLE x ADD COLUMN c TIMESTAMPTZ DEFAULT now()", "SELECT c = now() FROM x"},
		{"set", "CREATE TEMP TABLE x (k INTEGER, c TIMESTAMPTZ)", "ALTER TABLE x ALTER COLUMN c SET DEFAULT now(); INSERT INTO x (k) VALUES (1)", "SELECT c = now() FROM x"},
		{"checked", "CREATE TEMP TABLE x (k INTEGER, c TIMESTAMPTZ DEFAULT now())", "ALTER TABLE x ADD CONSTRAINT late CHECK (c <= now()); INSERT INTO x (k) VALUES (1)", "SELECT c = now() FROM x"},
		{"altered", "ALTER TABLE old ADD COLUMN c TIMESTAMPTZ DEFAULT now()", "CREATE TEMP TABLE x AS SELECT c FROM old; INSERT INTO x VALUES (now())", "SELECT min(c) = max(c) FROM x"},
		{"of another type", "CREATE TEMP TABLE x (k INTEGER, c VARCHAR)", "INSERT INTO x VALUES (1, ''); ALTER TABLE x ALTER COLUMN c TYPE TIMESTAMPTZ USING now()", "SELECT c = now() FROM x"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s.t = t
			s.run("BEGIN")
			s.run("INSERT INTO kept VALUES (1)")
			if tc.before != "" {
				s.run(tc.before)
			}
			s.run("SAVEPOINT a")
			s.wantError("SELECT 1 FROM nothing", "42P01")
			s.run("ROLLBACK TO a")
			for _, sql := range strings.Split(tc.after, "; ") {
				s.run(sql)
			}
			s.want(tc.check, "1")
			s.run("COMMIT")
			s.want("SELECT count(*) FROM duckdb_functions() WHERE database_name = 'temp'", "0")
			s.run("DROP TABLE x")
		})
	}
}
