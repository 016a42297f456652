package engine

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// nameTables have columns, fields and a relation of the same names. The row's number id is
// another one in every group, so that an ORDER BY can end in it.
const nameTables = `CREATE TABLE t (id INTEGER, k INTEGER, v INTEGER, a INTEGER, st STRUCT(k INTEGER, a INTEGER, v VARCHAR), f DOUBLE);
INSERT INTO t VALUES (1, 1, 10, 3, {'k': 9, 'a': 4, 'v': 'x'}, 0.0), (2, 1, 20, 2, {'k': 8, 'a': 5, 'v': 'y'}, '-0.0'), (3, 2, NULL, 1, {'k': 7, 'a': 6, 'v': NULL}, 1.5),
	(4, 2, 5, NULL, NULL, 'nan'), (5, 3, 7, 2, {'k': NULL, 'a': 7, 'v': 'z'}, NULL), (6, NULL, 8, 2, {'k': 1, 'a': 1, 'v': 'x'}, 'inf'), (7, 3, 10, 3, {'k': 9, 'a': 4, 'v': 'x'}, -2);
CREATE TABLE u (k INTEGER, w INTEGER, two INTEGER);
INSERT INTO u VALUES (1, 100, 5), (1, 50, 4), (2, NULL, 3), (3, 70, 2), (NULL, 1, 1), (4, 2, 0), (2, 30, 3);
CREATE TABLE st (a INTEGER, "From" INTEGER, "trireme" VARCHAR);
INSERT INTO st VALUES (1, 3, 'p'), (2, 2, 'q'), (3, 1, 'r'), (2, 5, NULL), (NULL, 4, 's')`

// sameRows are the rows of a statement in no order; a LIMIT tells of that.
func (s testSession) sameRows(sql string) ([]string, error) {
	text, _, err := s.try(sql)
	lines := strings.Split(text, ";")
	slices.Sort(lines)
	return lines, err
}

// agrees runs a statement on all backends, which answer as DuckDB does or refuse; how many
// answered is returned. A statement that DuckDB refuses is none.
func (s testSession) agrees(sql string) (answered int) {
	s.t.Helper()
	s.run("SET trireme.backend = 'duckdb'")
	want, err := s.sameRows(sql)
	if err != nil {
		return -1
	}
	columns := s.columns(sql)
	for _, backend := range []string{"native", "decomposed", "auto"} {
		s.run("SET trireme.backend = '" + backend + "'")
		got, err := s.sameRows(sql)
		var e *sqlerr.Error
		switch {
		case errors.As(err, &e) && e.Code == sqlerr.FeatureNotSupported && backend != "auto":
			continue
		case err != nil:
			s.t.Errorf("%s: %s: %v", backend, sql, err)
		case !slices.Equal(got, want):
			s.t.Errorf("%s: %s\n got %q\nwant %q", backend, sql, got, want)
		case backend == "native" && s.columns(sql) != columns:
			s.t.Errorf("%s: %s: columns %s, want %s", backend, sql, s.columns(sql), columns)
		}
		if s.LastBackend() != "duckdb" {
			answered++
		}
	}
	return answered
}

func nameSession(t *testing.T) testSession {
	t.Helper()
	s := openSession(t, openEngine(t))
	for _, sql := range strings.Split(nameTables, ";\n") {
		s.run(sql)
	}
	s.choosesNative()
	return s
}

// restsOfGroups are statements whose names mean other things in other clauses, or show.
var restsOfGroups = []string{
	// Checks of the order cannot hold what DuckDB takes in the list alone.
	"SELECT DISTINCT ON (t.k) unnest([t.v, 1]) AS x, t.k FROM t JOIN u ON t.k = u.k ORDER BY t.k, x",
	// Empty grouping sets have a row where there is nothing to group.
	"SELECT u.k, (SELECT count(*) FROM t JOIN u w ON t.k = w.k WHERE t.k = u.k + 100 GROUP BY ()) s FROM u",
	"SELECT u.k, (SELECT count(*) + 1 FROM t JOIN u w ON t.k = w.k WHERE t.k = u.k + 100 GROUP BY GROUPING SETS (()) HAVING count(*) = 0) s FROM u",
	"SELECT u.k FROM u WHERE EXISTS (SELECT count(*) FROM t JOIN u w ON t.k = w.k WHERE t.k = u.k + 100 GROUP BY (), ())",
	"SELECT u.k, (SELECT count(*) FROM t JOIN u w ON t.k = w.k WHERE t.k = u.k GROUP BY t.k) s FROM u",
	// An alias that is a column's name as well.
	"SELECT -v AS v, v AS b, rank() OVER (ORDER BY v) FROM t JOIN u ON t.k = u.k GROUP BY v",
	"SELECT -v AS v, count(*) FROM t JOIN u ON t.k = u.k GROUP BY v QUALIFY row_number() OVER (ORDER BY v) = 1",
	"SELECT -t.v AS v, count(*), rank() OVER (ORDER BY count(*), t.v) FROM t JOIN u ON t.k = u.k GROUP BY t.v ORDER BY v LIMIT 1",
	"SELECT v AS k, t.k AS v, rank() OVER (ORDER BY v, t.k) FROM t JOIN u ON t.k = u.k GROUP BY t.k, v",
	"SELECT t.k % 2 AS k, t.k % 2 + 10 AS z, count(*), rank() OVER (ORDER BY count(*)) FROM t JOIN u ON t.k = u.k GROUP BY t.k",
	"SELECT v AS y, -v AS V, rank() OVER (ORDER BY v) FROM t JOIN u ON t.k = u.k GROUP BY y, v",
	"SELECT t.k + 1 AS q, q * 2 AS q2, count(*), rank() OVER (ORDER BY q DESC) FROM t JOIN u ON t.k = u.k GROUP BY q",
	// A number that was grouped by is no position.
	"SELECT 2 AS two, t.k, count(*), sum(count(*)) OVER () FROM t JOIN u ON t.k = u.k GROUP BY 1, 2 ORDER BY 2 DESC NULLS LAST LIMIT 1",
	"SELECT 1 AS one, t.k, rank() OVER (ORDER BY t.k) FROM t JOIN u ON t.k = u.k GROUP BY one, t.k ORDER BY 1, 2 DESC NULLS LAST LIMIT 1",
	"SELECT 2, count(*), sum(count(*)) OVER () FROM t JOIN u ON t.k = u.k GROUP BY 1",
	"SELECT 2, count(*), sum(count(*)) OVER () FROM t JOIN u ON t.k = u.k WHERE t.k > 99 GROUP BY 1",
	// Names that show in values.
	"SELECT CAST(struct_pack(k := t.k, n := count(*)) AS VARCHAR), rank() OVER (ORDER BY t.k) FROM t JOIN u ON t.k = u.k GROUP BY t.k",
	"SELECT {k: t.k}::VARCHAR, {'k': t.k, 'v': max(v)}, rank() OVER (ORDER BY t.k) FROM t JOIN u ON t.k = u.k GROUP BY t.k",
	"SELECT struct_pack(t.k)::VARCHAR, struct_pack(T.K), rank() OVER (ORDER BY t.k) FROM t JOIN u ON t.k = u.k GROUP BY t.k",
	"SELECT alias(t.k), alias(count(*)), rank() OVER (ORDER BY t.k) FROM t JOIN u ON t.k = u.k GROUP BY t.k",
	"SELECT struct_pack(t.k)::VARCHAR, alias(t.k), {k: t.k}::VARCHAR, median(u.w) FROM t JOIN u ON t.k = u.k GROUP BY t.k",
	"SELECT row(t.k)::VARCHAR, struct_pack(t.k)::VARCHAR, median(u.w) FROM t JOIN u ON t.k = u.k GROUP BY t.k",
	"SELECT t.id, (SELECT {k: u.two, n: count(*)}::VARCHAR FROM u JOIN st ON st.a = u.k WHERE u.k = t.k GROUP BY u.two ORDER BY u.two LIMIT 1) FROM t",
	"SELECT t.id, q.* FROM t, LATERAL (SELECT struct_pack(u.two)::VARCHAR AS s, alias(u.two), u.two, count(*) FROM u JOIN st ON st.a = u.k WHERE u.k = t.k GROUP BY u.two ORDER BY u.two LIMIT 1) q",
	// A field that has the name of a column.
	"SELECT st.a, t.st.a AS sa, count(*), rank() OVER (ORDER BY count(*)) FROM t JOIN u ON t.k = u.k JOIN st ON st.a = t.a GROUP BY st.a, t.st",
	"SELECT a, st.a AS sa, count(*), rank() OVER (ORDER BY count(*)) FROM t JOIN u ON t.k = u.k GROUP BY a, st",
	"SELECT a, t.st.a AS sa, st.v, count(*), rank() OVER (ORDER BY count(*)) FROM t JOIN u ON t.k = u.k GROUP BY a, v, st",
	"SELECT st.a, count(*), rank() OVER (ORDER BY st.a) FROM t JOIN u ON t.k = u.k GROUP BY st.a",
	"SELECT DISTINCT ON (a) st.a FROM t JOIN u ON t.k = u.k ORDER BY a, t.id, u.two, w",
	"SELECT st.a, count(*) FROM t JOIN u ON t.k = u.k GROUP BY st, t.a ORDER BY a DESC NULLS LAST, min(t.id) LIMIT 2",
	"SELECT t.st.v, median(w) FROM t JOIN u ON t.k = u.k GROUP BY t.st, t.v ORDER BY v NULLS FIRST, min(t.id) LIMIT 2",
	"SELECT DISTINCT two AS x, rank() OVER (ORDER BY x) FROM t JOIN u ON t.k = u.k GROUP BY 1, x, t.k",
	// What correlated blocks read.
	"SELECT t.id, (SELECT -u.w AS w FROM u JOIN st ON st.a = u.k WHERE u.k = t.k GROUP BY u.w ORDER BY u.w NULLS FIRST LIMIT 1) FROM t",
	"SELECT t.id, (SELECT -w AS w FROM u JOIN st ON st.a = u.k WHERE u.k = t.k GROUP BY w ORDER BY w NULLS FIRST LIMIT 1) FROM t",
	"SELECT t.id, (SELECT 1 AS o FROM u JOIN st ON st.a = u.k WHERE u.k = t.k GROUP BY u.w, 1 ORDER BY u.w LIMIT 1) FROM t",
	"SELECT t.id, q.* FROM t, LATERAL (SELECT 2 AS two, u.w, max(-u.w) AS m FROM u JOIN st ON st.a = u.k WHERE u.k = t.k GROUP BY 1, 2 ORDER BY 2 DESC NULLS LAST, 1 LIMIT 1) q",
	"SELECT t.id, q.* FROM t, LATERAL (SELECT u.k, count(*), nullif(u.k, u.k) FROM u WHERE u.k = t.k AND u.k = t.k GROUP BY u.k) q",
	"SELECT t.id, (SELECT sum(u.w) FROM u JOIN st ON st.a = u.k WHERE u.k = t.k AND U.K = t.k AND t.k = u.k) FROM t",
	"SELECT t.id, (SELECT sum(u.w) FROM u JOIN st ON st.a = u.k WHERE u.k = t.k AND u.two = t.v + 0 AND u.two = t.a) FROM t",
	// Rows that nothing groups keep their zeros.
	"SELECT 1 / t.f, t.k FROM t JOIN u USING (k) QUALIFY count(*) OVER (PARTITION BY t.k) > 1",
	"SELECT DISTINCT ON (t.id) t.id, 1 / t.f, u.w FROM t JOIN u USING (k) ORDER BY t.id, u.w",
	"SELECT t.f, u.w FROM t JOIN u USING (k) QUALIFY row_number() OVER (PARTITION BY t.id ORDER BY u.w) = 1",
	"SELECT t.f FROM t JOIN u USING (k) EXCEPT ALL SELECT 1.5",
	"SELECT 1 / t.f FROM t JOIN u USING (k) INTERSECT ALL SELECT 1 / f FROM t",
	"SELECT t.k, median(1 / t.f), max(1 / t.f) FROM t JOIN u USING (k) GROUP BY t.k",
}

// TestRestsOfGroups: what is left of a SELECT over its block means what it meant.
func TestRestsOfGroups(t *testing.T) {
	s := nameSession(t)
	for _, sql := range restsOfGroups {
		if s.agrees(sql) < 0 {
			t.Errorf("DuckDB refuses %s", sql)
		}
	}
}

// nameGenerator writes statements of names that several things have.
type nameGenerator struct{ *rand.Rand }

func (g nameGenerator) one(of ...string) string { return of[g.IntN(len(of))] }

// namedGroup is what is grouped by, with what may be written of it.
type namedGroup struct {
	group  string
	values []string
}

// namedGroups are the groups; the last two are an item by its position and by its alias.
var namedGroups = []namedGroup{
	{"t.k", []string{"t.k", "-t.k", "T.K", "t.k % 2", "{k: t.k}::VARCHAR", "struct_pack(t.k)::VARCHAR"}},
	{"v", []string{"v", "-v", "t.v", "T.\"V\"", "[v, 1]", "struct_pack(V)::VARCHAR", "v % 2"}},
	{"t.v", []string{"v", "-t.v", "v + 1", "alias(v)", "struct_pack(v := v)::VARCHAR"}},
	{"a", []string{"a", "-a", "t.a", "\"a\"", "[a]"}},
	{"st", []string{"st", "st.a", "t.st.a", "-st.k", "st.k", "ST.A + 1"}},
	{"st.a", []string{"st.a", "-st.a"}},
	{"t.st.k", []string{"t.st.k", "-t.st.k"}},
	{"two", []string{"two", "-u.two", "u.two", "two * 2"}},
	{"t.k % 2", []string{"t.k % 2", "-(t.k % 2)"}},
	{"-w", []string{"-w", "-w + 1"}},
	{"1", nil},
	{"x", nil},
}

var (
	nameAliases    = []string{"v", "a", "k", "two", "\"V\"", "w", "st", "b", "\"K\"", "c"}
	nameAggregates = []string{"count(*)", "max(-v)", "sum(w)", "median(w)", "max(v) AS v", "count(*) AS k", "min(two) FILTER (WHERE v > 5)", "-sum(a) AS a"}
)

// statement is a SELECT of groups over joined tables.
func (g nameGenerator) statement() string {
	var groups, values, items []string
	for _, n := range g.Perm(len(namedGroups))[:1+g.IntN(4)] {
		groups = append(groups, namedGroups[n].group)
		values = append(values, namedGroups[n].values...)
	}
	if len(values) == 0 {
		values = []string{"2", "1"}
	}
	value := func() string { return g.one(values...) }
	if slices.Contains(groups, "x") {
		items = append(items, g.one("-v", "two", "st.a", "2", "t.k + 1")+" AS "+g.one("x", "X"))
		values = append(values, "x", "-x")
	}
	for range 1 + g.IntN(3) {
		item := value()
		if g.IntN(3) > 0 {
			item += " AS " + g.one(nameAliases...)
		}
		items = append(items, item)
	}
	window := func() string {
		over := "ORDER BY " + g.one(value(), value(), "count(*)", "-v", "k")
		if g.IntN(2) == 0 {
			over = "PARTITION BY " + g.one(value(), "v", "a") + " " + over
		}
		return "rank() OVER (" + over + ")"
	}
	distinct := g.IntN(5) == 0
	if !distinct {
		items = append(items, g.one(nameAggregates...))
	}
	if g.IntN(4) > 0 {
		items = append(items, window()+g.one("", " AS r"))
	}
	sql := "SELECT " + notUnless(distinct, "DISTINCT ") + strings.Join(items, ", ") + " FROM t JOIN u " + g.one("ON t.k = u.k", "USING (k)")
	if g.IntN(6) > 0 {
		sql += " GROUP BY " + strings.Join(groups, ", ")
	} else {
		sql += " GROUP BY ALL"
	}
	if g.IntN(4) == 0 {
		sql += " HAVING " + g.one("count(*) > 1", "max(v) > 5", value()+" IS NOT NULL")
	}
	if g.IntN(4) == 0 {
		sql += " QUALIFY " + window() + " < 4"
	}
	switch g.IntN(3) {
	case 0:
		return sql + " ORDER BY ALL LIMIT 3"
	case 1:
		if !distinct {
			return sql + " ORDER BY " + g.one(value(), value(), g.one(nameAliases...), "1", "2 DESC") + ", min(t.id) LIMIT 2"
		}
	}
	return sql
}

func notUnless(is bool, text string) string {
	if is {
		return text
	}
	return ""
}

// rows is a SELECT of rows, or of groups without windows, that is split off rows.
func (g nameGenerator) rows() string {
	all := []string{"v", "-v", "t.v", "a", "st.a", "t.st.k", "two", "-w", "t.k", "struct_pack(v)::VARCHAR", "{a: two}::VARCHAR", "t.f", "1 / t.f"}
	var items []string
	for range 1 + g.IntN(3) {
		items = append(items, g.one(all...)+g.one("", "", " AS "+g.one(nameAliases...)))
	}
	from := " FROM t JOIN u " + g.one("ON t.k = u.k", "USING (k)")
	window := "row_number() OVER (PARTITION BY " + g.one(all...) + " ORDER BY " + g.one(all...) + ", t.id, u.two, w) "
	switch g.IntN(3) {
	case 0:
		return "SELECT " + strings.Join(items, ", ") + from + " QUALIFY " + window + "< 3"
	case 1:
		return "SELECT DISTINCT ON (" + g.one(all...) + ") " + strings.Join(items, ", ") + from + " ORDER BY " + g.one(all...) + ", t.id, u.two, w"
	}
	items = slices.DeleteFunc(items, func(item string) bool { return strings.Contains(item, "t.f") }) // a group of -0 is shown as 0
	items = append(items, "a")
	return "SELECT " + strings.Join(items, ", ") + ", median(" + g.one("w", "v", "1 / t.f", "two") + ")" + from + " GROUP BY " + g.one("ALL", "1, 2", "v, a, st, two, w, t.k")
}

// correlated is a SELECT that reads groups by equality, as a value or a LATERAL block.
func (g nameGenerator) correlated() string {
	side := g.one("u.k = t.k", "t.k = u.k", "u.k = k", "two = t.a", "u.two = a", "u.k + 1 = t.k", "u.k = t.k AND two = t.a", "u.k = t.k AND u.k = t.a", "U.K = T.k AND \"u\".k = t.v", "u.k = t.st.k")
	vals := []string{"w", "-w", "u.w", "two", "-u.two", "u.k", "2", "{k: u.k}::VARCHAR", "struct_pack(two)::VARCHAR", "[w, two]"}
	aggs := []string{"count(*)", "sum(w)", "max(-u.w)", "count(two)", "sum(two) + count(*)", "coalesce(max(w), -1)", "min(w) FILTER (WHERE two > 2)"}
	from := " FROM u JOIN st ON st.a = u.k WHERE " + side
	if g.IntN(2) == 0 {
		from = " FROM u WHERE " + side
	}
	al := func() string { return g.one("", "", " AS w", " AS two", " AS x", " AS k", " AS \"W\"") }
	switch g.IntN(3) {
	case 0:
		return fmt.Sprintf("SELECT t.id, (SELECT %s%s%s) FROM t", g.one(aggs...), al(), from)
	case 1:
		return fmt.Sprintf("SELECT t.id, (SELECT %s%s%s GROUP BY %s, u.w ORDER BY %s, u.w LIMIT 1) FROM t", g.one(append(vals, aggs...)...), al(), from, g.one("w", "two", "u.k", "1", "x"), g.one("w", "two", "-u.k", "1", "x"))
	}
	return fmt.Sprintf("SELECT t.id, q.* FROM t, LATERAL (SELECT %s%s, %s%s, %s%s%s GROUP BY %s, %s, u.w%s) q", g.one(vals...), al(), g.one(vals...), al(), g.one(aggs...), al(), from,
		g.one("w", "two", "u.k", "1"), g.one("w", "two", "u.k", "2", "x"), g.one("", " HAVING count(*) > 0", " ORDER BY 1, 2, u.w LIMIT 2"))
}

// TestNamesOfManyThings compares generated statements on all backends with DuckDB.
func TestNamesOfManyThings(t *testing.T) {
	s := nameSession(t)
	g := nameGenerator{rand.New(rand.NewPCG(1, 2))}
	statements, answers := 0, 0
	for i := range 200 {
		sql := g.statement()
		switch i % 4 {
		case 0:
			sql = g.rows()
		case 1:
			sql = g.correlated()
		}
		if n := s.agrees(sql); n >= 0 {
			statements++
			answers += n
		}
	}
	if statements < 100 || answers < statements {
		t.Errorf("%d answers to %d statements: too few say much", answers, statements)
	}
}
