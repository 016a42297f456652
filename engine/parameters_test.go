package engine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// paramNames are Postgres' names of types of parameters.
var paramNames = map[rows.TypeID]string{
	rows.Boolean: "boolean", rows.SmallInt: "smallint", rows.Integer: "integer", rows.BigInt: "bigint", rows.HugeInt: "hugeint", rows.Decimal: "numeric",
	rows.Float: "real", rows.Double: "double precision", rows.Varchar: "text", rows.Blob: "bytea", rows.Date: "date", rows.Time: "time without time zone",
	rows.Timestamp: "timestamp without time zone", rows.TimestampTZ: "timestamp with time zone", rows.Interval: "interval", rows.UUID: "uuid",
	rows.JSON: "json", rows.JSONB: "jsonb",
}

func postgresName(t rows.Type) string {
	if t.ID != rows.List {
		return paramNames[t.ID]
	}
	element := strings.TrimSuffix(t.Name, "[]")
	for id, name := range paramNames {
		if (rows.Type{ID: id}).String() == element || id == rows.Decimal && strings.HasPrefix(element, "DECIMAL") {
			return name + "[]"
		}
	}
	return t.Name
}

// TestParameterTypes reads statements with the types that parameters have in them, on
// every backend.
func TestParameterTypes(t *testing.T) {
	file, err := os.Open("../testdata/parameters/types.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s := openSession(t, openEngine(t))
	s.run(`CREATE TABLE pf (id INT, f DOUBLE, v NUMERIC(10,2), n INT, s VARCHAR, t TEXT, d DATE, ts TIMESTAMP, tz TIMESTAMPTZ, tm TIME, iv INTERVAL, r REAL,
		b BIGINT, si SMALLINT, l INT[], lt TEXT[], bl BYTEA, bo BOOLEAN, j JSON, jb JSON, u UUID)`)
	s.run("CREATE SEQUENCE seq")
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		line := strings.Split(scanner.Text(), "\t")
		if len(line) < 2 {
			continue
		}
		sql, want := line[0], line[1]
		if got := s.paramTypes(sql); got != want {
			t.Errorf("%s\n\tgot  %s\n\twant %s", sql, got, want)
		}
	}
}

// paramTypes are the types of a statement's parameters in Postgres' words, or the error.
func (s testSession) paramTypes(sql string) string {
	p, err := s.Prepare(context.Background(), sql, nil)
	if err != nil {
		var e *sqlerr.Error
		if !errors.As(err, &e) {
			s.t.Fatal(err)
		}
		return "!" + e.Code
	}
	defer p.Close()
	var names []string
	for _, t := range p.Params() {
		names = append(names, postgresName(t))
	}
	return strings.Join(names, ", ")
}

// TestSequencesAsParameters: the name of a sequence may be a parameter.
func TestSequencesAsParameters(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE SEQUENCE seq START 7")
	p, err := s.Prepare(context.Background(), "SELECT nextval($1) AS n", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if got := p.Columns(); len(got) != 1 || got[0].Type.ID != rows.BigInt {
		t.Errorf("columns %v", got)
	}
	for _, want := range []string{"7", "8"} {
		res, err := p.Execute(context.Background(), []Arg{{Text: "seq"}})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := readAll(res); err != nil || got != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
	if got := s.run("SELECT currval($1)", "seq"); got != "8" {
		t.Errorf("currval is %s", got)
	}
}

// TestNamesOfColumns: a column that is named after an expression over a parameter shows the
// parameter, as DuckDB names it when the statement runs.
func TestNamesOfColumns(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE day (id INTEGER, moment TIMESTAMP, f DOUBLE, v NUMERIC(10,2))")
	for sql, want := range map[string]string{
		"SELECT strftime(moment, $1) FROM day":                          "strftime(moment, $1)",
		"SELECT strftime(moment, $2), id + $1 FROM day":                 "strftime(moment, $2)",
		"SELECT date_part($1, moment) FROM day":                         "date_part($1, moment)",
		"SELECT json_object($1, $2) FROM day":                           "json_object($1, $2)",
		"SELECT quantile_cont(f, $1) FROM day":                          "quantile_cont(f, $1)",
		"SELECT f * $1 FROM day":                                        "(f * $1)",
		"SELECT v * $1 FROM day":                                        "(v * $1)",
		"SELECT power($1, $2)":                                          "power($1, $2)",
		"SELECT (id = (CASE WHEN f > $1 THEN $2 END)) FROM day":         "(id = CASE  WHEN ((f > $1)) THEN ($2) ELSE NULL END)",
		"SELECT percentile_cont($1) WITHIN GROUP (ORDER BY f) FROM day": "quantile_cont($1 ORDER BY f)",
		// DuckDB evaluates VALUES while it prepares.
		"SELECT string_agg(d::VARCHAR, $1 ORDER BY d), count(*) FROM (VALUES (CAST($2::TEXT AS DATE)), (NULL)) v(d), day": "string_agg(CAST(d AS VARCHAR), $1 ORDER BY d)",
	} {
		p, err := s.Prepare(context.Background(), sql, nil)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		if columns := p.Columns(); len(columns) == 0 || columns[0].Name != want {
			t.Errorf("%s: columns %v, want %s", sql, columns, want)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestDescribingKeepsTransactions: what is tried to describe a statement fails no transaction.
func TestDescribingKeepsTransactions(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE day (id INTEGER, moment TIMESTAMP)")
	s.run("INSERT INTO day VALUES (1, TIMESTAMP '2024-02-29 12:00:00')")
	for _, backend := range []string{"auto", "duckdb"} {
		s.run("SET trireme.backend = '" + backend + "'")
		for _, c := range []struct{ sql, arg, want string }{
			{"SELECT strftime(moment, $1) FROM day", "%Y-%m", "2024-02"},
			{"SELECT count(DISTINCT strftime(a.moment, $1)) FROM day a JOIN day b USING (id)", "%Y", "1"},
			{"SELECT strptime('2024', $1)::VARCHAR", "%Y", "2024-01-01 00:00:00"},
			{"SELECT json_object($1, id)::VARCHAR FROM day", "k", `{"k":1}`},
			{"SELECT date_part($1, moment)::VARCHAR FROM day", "month", "2"},
		} {
			s.run("BEGIN")
			if got := s.run(c.sql, c.arg); got != c.want {
				t.Errorf("%s: %s, want %s", c.sql, got, c.want)
			}
			s.want("SELECT id FROM day", "1")
			s.run("COMMIT")
		}
	}
}

// TestDigitsOfRounding: the digits to which a number is rounded may be a parameter, and the result has
// as many as its value says.
func TestDigitsOfRounding(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE h (g INTEGER, d DECIMAL(18,4))")
	s.run("INSERT INTO h VALUES (1, 1.2345), (1, 5.6789)")
	for _, sql := range []string{
		"SELECT sum(round(a.d, $1)) AS r FROM h a JOIN (SELECT 1 AS g) b USING (g)",
		"SELECT round(sum(a.d), $1) AS r, count(*) AS n FROM h a JOIN (SELECT 1 AS g) b USING (g)",
		"SELECT round(a.d, $1) AS r, count(*) AS n FROM h a JOIN (SELECT 1 AS g) b USING (g) GROUP BY 1 ORDER BY 1",
		"SELECT r, count(*) AS n FROM (SELECT sum(trunc(a.d, $1)) AS r FROM h a JOIN h b USING (g) GROUP BY a.d) GROUP BY r ORDER BY r",
		"SELECT sum(round(a.d, $1))::VARCHAR AS r, max(round(a.d, $1)) - 1 AS m FROM h a JOIN h b USING (g)",
	} {
		for _, backend := range []string{"native", "decomposed", "auto"} {
			for _, digits := range []string{"1", "2", "0", "3", "-1"} {
				s.run("SET trireme.backend = 'duckdb'")
				want := s.typed(strings.ReplaceAll(sql, "$1", digits+"::INTEGER"))
				s.run("SET trireme.backend = '" + backend + "'")
				if got := s.typed(sql, digits); got != want {
					t.Errorf("%s, %s to %s: %s, want %s", backend, sql, digits, got, want)
				}
			}
		}
	}
}

// typed is the answer to a statement with the types of its columns.
func (s testSession) typed(sql string, args ...string) string {
	s.t.Helper()
	ctx := context.Background()
	p, err := s.Prepare(ctx, sql, nil)
	if err != nil {
		s.t.Fatalf("%s: %v", sql, err)
	}
	values := make([]Arg, len(args))
	for i := range args {
		values[i].Text = args[i]
	}
	res, err := p.Execute(ctx, values)
	if err != nil {
		s.t.Fatalf("%s: %v", sql, err)
	}
	columns := fmt.Sprint(res.Columns())
	text, err := readAll(res)
	if err = errors.Join(err, p.Close()); err != nil {
		s.t.Fatalf("%s: %v", sql, err)
	}
	return text + " " + columns
}

// Numbers with exponents are read into parameters, and into literals whose type their place
// says.
func TestExponentsOfParameters(t *testing.T) {
	s := openSession(t, openEngine(t))
	for text, want := range map[string]string{
		"12E-3": "12 [{$1 DECIMAL(4,3)}]", "100E-2": "100 [{$1 DECIMAL(4,2)}]", "123.4E-2": "1234 [{$1 DECIMAL(4,3)}]",
		"99.99E-1": "9999 [{$1 DECIMAL(4,3)}]", "-5e-1": "-5 [{$1 DECIMAL(4,1)}]", "2e3": "2000 [{$1 DECIMAL(4,0)}]",
	} {
		if got := s.typed("SELECT $1::numeric", text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if got := s.typed("SELECT 0.012 = any($1::decimal(10,3)[])", "['12E-3', NULL]"); !strings.HasPrefix(got, "1 ") {
		t.Errorf("in a list: %s", got)
	}
}

// A parameter of many quotes takes no more time than one of few: by the square of them this
// would be minutes.
func TestParametersOfManyQuotes(t *testing.T) {
	s := openSession(t, openEngine(t))
	const n = 200_000
	if got := s.typed("SELECT len($1::int[])", "["+strings.Repeat("'7', ", n)+"NULL]"); !strings.HasPrefix(got, fmt.Sprint(n+1)) {
		t.Errorf("an array: %s", got)
	}
	if got := s.typed("SELECT len($1::json::varchar)", `"`+strings.Repeat("it's ", n)+`"`); !strings.HasPrefix(got, fmt.Sprint(5*n+2)) {
		t.Errorf("JSON: %s", got)
	}
}

// TestTypesOfRemainders: a remainder has the type with which the statement is described, whatever the
// digits of the parameter's value.
func TestTypesOfRemainders(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE h (k HUGEINT, g INTEGER)")
	s.run("INSERT INTO h VALUES (7, 1), (5, 1)")
	for _, backend := range []string{"duckdb", "native", "decomposed", "auto"} {
		s.run("SET trireme.backend = '" + backend + "'")
		p, err := s.Prepare(context.Background(), "SELECT sum(a.k % $1) AS r FROM h a JOIN (SELECT 1 AS g) b USING (g)", []rows.Type{{ID: rows.Decimal}})
		if err != nil {
			t.Fatal(err)
		}
		told := []rows.Column{{Name: "r", Type: rows.Type{ID: rows.Double}}} // nobody has asked for them
		for _, c := range [][2]string{{"2", "2"}, {"3.000", "3"}, {"1.50", "1.5"}, {"2", "2"}, {"2.5", "2"}, {"123456789012345678", "12"}} {
			res, err := p.Execute(context.Background(), []Arg{{Text: c[0]}})
			if err != nil {
				t.Errorf("%s, %s: %v", backend, c[0], err)
				continue
			}
			columns := res.Columns()
			if got, err := readAll(res); err != nil || got != c[1] || !slices.Equal(columns, told) {
				t.Errorf("%s, %s: %s of %v, %v, want %s of %v", backend, c[0], got, columns, err, c[1], told)
			}
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestDigitsOfProducts: the digits of another value of a parameter give another type to a
// product of which DuckDB does not say what it would be for long values.
func TestDigitsOfProducts(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE one (id INTEGER)")
	s.run("INSERT INTO one VALUES (1)")
	for _, backend := range []string{"native", "decomposed", "duckdb"} {
		s.run("SET trireme.backend = '" + backend + "'")
		p, err := s.Prepare(context.Background(), "SELECT sum(q.v * q.v * q.v) FROM (SELECT id, $1 AS v FROM one) q JOIN one USING (id)", []rows.Type{anyDigits})
		if err != nil {
			t.Fatal(err)
		}
		p.Columns()                                                                                   // as a client that is told of them
		for _, c := range []struct{ arg, want string }{{"7", "343"}, {"0.25", "15625"}, {"2", "8"}} { // without the point
			res, err := p.Execute(context.Background(), []Arg{{Text: c.arg}})
			if err != nil {
				t.Fatalf("%s: %v", backend, err)
			}
			if got, err := readAll(res); err != nil || got != c.want {
				t.Errorf("%s: %s, %v, want %s", backend, got, err, c.want)
			}
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestPreparedParameters: parameters of PREPARE, with and without EXPLAIN, on every backend.
func TestPreparedParameters(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE pf (id INTEGER, f DOUBLE, v NUMERIC(10,2))")
	s.run("INSERT INTO pf VALUES (1, 2.0, 10), (2, 4.0, 20)")
	s.run("CREATE VIEW doubled AS SELECT id, v * 2 AS v FROM pf")
	for _, backend := range []string{"auto", "duckdb", "native", "decomposed"} {
		s.run("SET trireme.backend = '" + backend + "'")
		s.run("PREPARE space AS SELECT nspname FROM pg_namespace WHERE nspname ~ $1 AND oid > $2 ORDER BY 1")
		s.want("EXECUTE space('^pg_cat', 1)", "pg_catalog")
		s.run("DEALLOCATE space")
		s.run("PREPARE pairs AS SELECT count(*), sum(a.v * $1) FROM pf a JOIN pf b ON a.id = b.id AND b.f < $2")
		s.want("EXECUTE pairs(0.001, 3.5)", "1|1000")
		if plan := s.run("EXPLAIN EXECUTE pairs(0.001, 3.5)"); backend != "duckdb" && !strings.Contains(plan, "backend: ") {
			t.Errorf("%s: %s", backend, plan)
		}
		if plan := s.run("EXPLAIN SELECT count(*) FROM pf a JOIN pf b ON a.id = b.id AND b.f < $1", "3.5"); backend != "duckdb" && !strings.Contains(plan, "backend: ") {
			t.Errorf("%s: %s", backend, plan)
		}
		s.wantError("EXPLAIN EXECUTE pairs(0.001)", "22023")
		s.wantError("EXPLAIN EXECUTE nothing(1)", "26000")
		s.run("DEALLOCATE pairs")
		if got := s.run("SELECT sum(d.v * $1) FROM doubled d JOIN pf USING (id) WHERE d.v > $2", "0.5", "9.99"); got != "30000" { // of DECIMAL, without the point
			t.Errorf("%s: %s", backend, got)
		}
	}
	s.run("SET trireme.backend = 'auto'")
	s.run("CREATE TABLE kept (id INTEGER PRIMARY KEY, v NUMERIC(10,2), f DOUBLE)")
	s.run("INSERT INTO kept SELECT id, v * $1, f * $2 FROM pf WHERE v < $3", "1.115", "0.25", "10.001")
	s.want("SELECT v::VARCHAR, f::VARCHAR FROM kept", "11.15|0.5")
	s.run("INSERT INTO kept(id, v) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET v = kept.v * $3, f = kept.f + $4", "1", "3", "1.1", "0.25")
	s.want("SELECT v::VARCHAR, f::VARCHAR FROM kept", "12.27|0.75")
	s.run("MERGE INTO kept USING pf ON kept.id = pf.id WHEN MATCHED THEN UPDATE SET v = kept.v * $1 WHEN NOT MATCHED THEN INSERT (id, v) VALUES (pf.id, pf.v * $2)", "0.1", "1.1")
	s.want("SELECT id, v::VARCHAR FROM kept ORDER BY id", "1|1.23;2|22.00")
}

// TestTypingParametersInTransactions: to find out the types of parameters leaves the transaction as
// it was, also that of a session with tables of its own, in which DuckDB is asked.
func TestTypingParametersInTransactions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "one.txt")
	if err := os.WriteFile(file, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (s VARCHAR, d DATE, l INTEGER[])")
	s.run("INSERT INTO t VALUES ('2024-02', '2024-02-29', [1, 2])")
	const read = "SELECT s, d, l FROM t ORDER BY ALL"
	for _, c := range []struct{ sql, value string }{
		{"INSERT INTO t (s) SELECT strftime(d, $1) || 'x' FROM t GROUP BY ALL", "%Y-%m"},
		{"INSERT INTO t (s) SELECT x.s FROM (SELECT s, count(*) AS n FROM t WHERE strftime(d, $1) <> 'a' GROUP BY s) x CROSS JOIN t y WHERE x.n < 2 GROUP BY x.s", "%Y-%m"},
		{"INSERT INTO t (d) SELECT strptime(s, $1) FROM t GROUP BY ALL", "%Y-%m"},
		{"INSERT INTO t (s) SELECT content FROM read_text($1)", file},
		{"DELETE FROM t WHERE date_part($1, d) = 2", "month"},
		{"DELETE FROM t WHERE regexp_matches(s, $1)", "^2"},
		{"INSERT INTO t (s) SELECT quantile_disc(s, $1::DOUBLE) FROM t", "0.5"},
	} {
		s.run("BEGIN")
		s.run(strings.ReplaceAll(c.sql, "$1", quoteText(c.value)))
		want := s.run(read)
		s.run("ROLLBACK")
		for _, own := range []string{"CREATE TEMP TABLE mine AS SELECT 1 AS a", "SELECT 1"} {
			for _, backend := range []string{"native", "decomposed", "auto", "duckdb"} {
				s.run("SET trireme.backend = '" + backend + "'")
				s.run("BEGIN")
				s.run("SET LOCAL trireme.backend = 'duckdb'")
				s.run(own)
				s.run("SET LOCAL trireme.backend = '" + backend + "'")
				_, _, err := s.try(c.sql, c.value)
				if err != nil {
					t.Errorf("%s, %s, %s: %v", backend, own, c.sql, err)
				} else {
					s.run("SET LOCAL trireme.backend = 'duckdb'")
					s.want(read, want)
				}
				s.run("ROLLBACK")
			}
		}
	}
}

// TestDigitsOfOneValue: the digits of a result are those that the values of this execution give it,
// whatever values the statement had before.
func TestDigitsOfOneValue(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE h (j UTINYINT, d DECIMAL(10,2))")
	s.run("INSERT INTO h VALUES (3, 1.50)")
	for sql, want := range map[string]map[string]string{
		"SELECT (sum((a.j % $1 + 1) + a.j) * 2)::VARCHAR AS r FROM h a JOIN (SELECT 3 AS j) b USING (j)": {"3.000": "8.000", "0.25": "8.00", "NULL": "NULL", "5": "14"},
		"SELECT max(a.d * $1)::VARCHAR AS r FROM h a JOIN (SELECT 3 AS j) b USING (j)":                   {"3.000": "4.50000", "0.25": "0.3750", "NULL": "NULL", "5": "7.50"},
		"SELECT max(coalesce($1, a.j))::VARCHAR AS r FROM h a JOIN (SELECT 3 AS j) b USING (j)":          {"3.000": "3.000", "0.25": "0.25", "NULL": "3", "5": "5"},
	} {
		for _, backend := range []string{"duckdb", "native", "decomposed", "auto"} {
			s.run("SET trireme.backend = '" + backend + "'")
			p, err := s.Prepare(context.Background(), sql, []rows.Type{anyDigits})
			if err != nil {
				t.Fatalf("%s, %s: %v", backend, sql, err)
			}
			for _, value := range []string{"3.000", "0.25", "NULL", "5", "0.25", "3.000"} {
				res, err := p.Execute(context.Background(), []Arg{{Text: value, Null: value == "NULL"}})
				if err != nil {
					t.Errorf("%s, %s with %s: %v", backend, sql, value, err)
					continue
				}
				if got, err := readAll(res); err != nil || got != want[value] {
					t.Errorf("%s, %s with %s: %s, %v, want %s", backend, sql, value, got, err, want[value])
				}
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// A number that a client declares as numeric is read as a floating-point one where it is cast to that: it may have more
// digits than a DECIMAL.
func TestNumbersCastToFloats(t *testing.T) {
	s := openSession(t, openEngine(t))
	numeric := rows.Type{ID: rows.Decimal}
	try := func(sql string, args ...string) (string, error) {
		t.Helper()
		declared := make([]rows.Type, len(args))
		values := make([]Arg, len(args))
		for i, a := range args {
			declared[i], values[i] = numeric, Arg{Text: a}
		}
		p, err := s.Prepare(t.Context(), sql, declared)
		if err != nil {
			return "", err
		}
		res, err := p.Execute(t.Context(), values)
		if err != nil {
			return "", errors.Join(err, p.Close())
		}
		text, err := readAll(res)
		return text, errors.Join(err, p.Close())
	}
	huge := "1" + strings.Repeat("0", 60)
	for _, tc := range []struct {
		sql, arg, want string
	}{
		{"SELECT $1::double precision", huge, "1e+60"},
		{"SELECT CAST($1 AS float8) + 1", "1E+308", "1e+308"},
		{"SELECT $1::double", "123456789012345678901234567890.123456789012345678", "1.2345678901234568e+29"},
		{"SELECT $1::double precision, $1::float8 * 2", "1.5", "1.5|3"},
		{"SELECT $1::real", "1E+30", "1.0000000150474662e+30"},
		{"SELECT isnan($1::double precision)", "NaN", "1"},
		{"SELECT $1::double precision, $1", "1.5", "1.5|15"}, // a DECIMAL(2,1)
		{"SELECT $1::double precision[1]", "{1.5}", ""},
	} {
		got, err := try(tc.sql, tc.arg)
		if tc.want != "" && (got != tc.want || err != nil) {
			t.Errorf("%s of %s: %s, %v", tc.sql, tc.arg, got, err)
		}
	}
	for _, tc := range []struct{ sql, arg string }{
		{"SELECT $1::double precision", "1E+400"},
		{"SELECT $1::double precision", "-1" + strings.Repeat("0", 400)},
		{"SELECT $1::real", huge},
		{"SELECT $1::bigint", huge},
		{"SELECT $1::double precision, $1", huge},
	} {
		if _, err := try(tc.sql, tc.arg); sqlerr.From(err).Code != sqlerr.NumericOutOfRange {
			t.Errorf("%s of %s: %v", tc.sql, tc.arg, err)
		}
	}
}
