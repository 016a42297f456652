package duckbackend

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// openUntouched opens a connection to a DuckDB whose functions are all its own.
func openUntouched(t *testing.T) *Conn {
	t.Helper()
	handle, err := openInstance(Config{}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	db := &DB{handle: handle, conns: map[uint64]*Conn{}}
	c, err := db.connect()
	if err != nil {
		t.Fatal(err)
	}
	mustExec(t, c, "SET errors_as_json = true")
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		bindings.Close(&db.handle)
	})
	return c
}

// randomTexts are pairs as rows of a VALUES list, with a number and a byte to escape with.
func randomTexts(rng *rand.Rand, n int) string {
	letters := []string{"a", "a", "b", "B", "é", "É", "ß", "İ", "Ⱥ", "漢", "😀", "%", "%", "_", `\`, "*", "?", "[", "]", "!", "-", "''", "\n"}
	text := func(most int) string {
		var b strings.Builder
		alphabet := 2 + rng.IntN(len(letters)-1)
		for range rng.IntN(most + 1) {
			b.WriteString(letters[rng.IntN(alphabet)])
		}
		return b.String()
	}
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		first, second := text(10), text(10)
		switch rng.IntN(4) {
		case 0:
			second = "%" + second
		case 1:
			second += first
		}
		escape := []string{"", `\`, "%", "_", "a", "''"}[rng.IntN(6)]
		fmt.Fprintf(&b, "(%d, '%s', '%s', '%s', %g)", i, first, second, escape, float64(rng.IntN(11))/10)
		if i%97 == 0 {
			fmt.Fprintf(&b, ", (%d, NULL, '%s', '', 0), (%d, '%s', NULL, NULL, NULL)", i, second, i, first)
		}
	}
	return b.String()
}

// The functions that stand in the place of DuckDB's answer as those do.
func TestTextOperationsAnswerAsDuckDB(t *testing.T) {
	ours, theirs := openConn(t, openMemory(t)), openUntouched(t)
	rng := rand.New(rand.NewPCG(7, 11))
	for round := range 4 {
		values := randomTexts(rng, 3000)
		for _, c := range []*Conn{ours, theirs} {
			mustExec(t, c, "CREATE OR REPLACE TABLE pair AS SELECT * FROM (VALUES "+values+") v(i, a, b, e, x)")
		}
		for _, expr := range []string{
			"levenshtein(a, b)", "editdist3(a, b)", "damerau_levenshtein(a, b)", "jaro_similarity(a, b)", "jaro_winkler_similarity(a, b)",
			"jaro_similarity(a, b, x)", "jaro_winkler_similarity(a, b, x)", "jaro_similarity(a, 'abÉ')", "jaro_winkler_similarity('ab%_', b, 0.6)", "levenshtein(a, 'aab')",
			"a LIKE b", "a NOT LIKE b", "a ILIKE b", "a NOT ILIKE b", "a GLOB b", "a LIKE '%a_%b'", "a LIKE '%a%b%'", "a LIKE 'a%'", "a ILIKE '%B%'", "a GLOB '*a*[!a]'",
			"a LIKE b || 'x' ESCAPE e", "a NOT LIKE b || 'x' ESCAPE e", "a ILIKE '%' || b || 'b' ESCAPE e", "a NOT ILIKE b || 'x' ESCAPE e",
			"a COLLATE NOCASE LIKE b", "a NOT LIKE b COLLATE NOACCENT", "a COLLATE NOCASE.NOACCENT GLOB b", "a COLLATE NOCASE ILIKE '%B%'", "a LIKE 'É%' COLLATE NOCASE", "a COLLATE DE LIKE b",
			"levenshtein(a COLLATE NOCASE, b)", "jaro_similarity(a, b COLLATE NOACCENT)",
		} {
			query := "SELECT a, b, e, x, " + expr + " FROM pair ORDER BY ALL"
			got, err := ours.Query(ctx, query)
			have := drain(t, got, err)
			want, err := theirs.Query(ctx, query)
			if wanted := drain(t, want, err); have != wanted {
				t.Errorf("round %d, %s: %s", round, expr, firstDifference(have, wanted))
			}
		}
	}
	for _, query := range []string{
		"SELECT 'abc' LIKE 'ab\\' ESCAPE '\\'", "SELECT 'abc' LIKE 'x%' ESCAPE 'ab'", "SELECT levenshtein('a')", "SELECT levenshtein(1, 2)", "SELECT 'a' LIKE 1", "SELECT jaro_similarity('a', 'b', 'c')",
	} {
		mine, his := ours.Exec(ctx, query), theirs.Exec(ctx, query)
		if (mine == nil) != (his == nil) || mine != nil && sqlerr.From(mine).Code != sqlerr.From(his).Code {
			t.Errorf("%s: %v, DuckDB has %v", query, mine, his)
		}
	}
}

func firstDifference(a, b string) string {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(as), len(bs)) {
		if as[i] != bs[i] {
			return fmt.Sprintf("%q, DuckDB has %q", as[i], bs[i])
		}
	}
	return fmt.Sprintf("%d rows, DuckDB has %d", len(as), len(bs))
}

// endlessRows are expressions of one row that end when they are interrupted, or not in a lifetime.
func endlessRows() []string {
	const long, other = "repeat('ab', 4000000)", "repeat('ba', 3000000)"
	return []string{
		"levenshtein(" + long + ", repeat('ba', 1000000))",
		"damerau_levenshtein(" + long + ", repeat('ba', 1000000))",
		long + " LIKE '%' || repeat('a_', 1000000) || 'c'", long + " ILIKE '%' || repeat('A_', 1000000) || 'c'", long + " GLOB '*' || repeat('a?', 1000000) || 'c'",
		"list_sum(list_transform(range(10000), lambda a: list_sum(list_transform(range(10000), lambda b: list_sum(list_transform(range(10000), lambda c: a + b + c))))))",
		"list_reduce(range(20000000), lambda a, b: (a + b) % 1000003)",
		"list_filter(range(10000), lambda a: len(list_filter(range(10000), lambda b: len(list_filter(range(10000), lambda c: a + b > c)) > 3)) > 3)",
	}
}

// What takes long within one row heeds an interrupt, as a constant that is folded, in the
// rows of a table, and where nobody reads on.
func TestOneRowHeedsInterrupts(t *testing.T) {
	if !replacesFunctions {
		t.Skip("elsewhere DuckDB's own functions are called")
	}
	db := openMemory(t)
	c := openConn(t, db)
	mustExec(t, c, "CREATE TABLE one AS SELECT 1 AS x")
	for _, expr := range endlessRows() {
		for _, query := range []string{"SELECT " + expr, "SELECT " + expr + " FROM one WHERE x = 1", "SELECT x FROM one WHERE x > 0 AND (" + expr + ") IS NOT NULL", "CREATE TABLE made AS SELECT " + expr + " AS y FROM one"} {
			ctx, cancel := context.WithCancel(context.Background())
			done := make(chan error, 1)
			go func() {
				cur, err := c.Query(ctx, query)
				if err == nil {
					_, err = cur.Next(ctx)
					err = errors.Join(err, cur.Close())
				}
				done <- err
			}()
			time.Sleep(20 * time.Millisecond) // most of them are within the row then
			cancel()
			if err := <-done; !isCancel(err) {
				t.Errorf("%s: %v", query, err)
			}
		}
	}
	if got := drainQuery(t, c, "SELECT 'abc' LIKE '%b%', levenshtein('abc', 'abd'), [x + 1 FOR x IN [1, 2]]"); got != "1|1|[2, 3]\n" {
		t.Errorf("afterwards: %q", got)
	}
}

// Statements that take long to bind and optimize heed an interrupt meanwhile.
func TestBindingHeedsInterrupts(t *testing.T) {
	if !replacesFunctions {
		t.Skip("elsewhere DuckDB heeds interrupts when it executes")
	}
	c := openConn(t, openMemory(t))
	mustExec(t, c, "CREATE TABLE t AS SELECT range AS a FROM range(10)")
	join := "SELECT count(*) FROM t t0"
	cte := "WITH c0 AS NOT MATERIALIZED (SELECT a FROM t)"
	for i := 1; i < 90; i++ {
		join += fmt.Sprintf(" JOIN t t%d ON t%d.a = t%d.a", i, i, i-1)
	}
	for i := range 12 {
		mustExec(t, c, fmt.Sprintf("CREATE VIEW v%d AS SELECT x.a FROM %s x, %[2]s y", i, map[bool]string{true: "t", false: fmt.Sprintf("v%d", i-1)}[i == 0]))
		cte += fmt.Sprintf(", c%d AS NOT MATERIALIZED (SELECT x.a FROM c%d x JOIN c%[2]d y USING (a))", i+1, i)
	}
	for _, query := range []string{
		"SELECT 1" + strings.Repeat("+1", 900), "SELECT " + strings.Repeat("abs(", 900) + "1" + strings.Repeat(")", 900), join,
		"SELECT count(*) FROM v11", cte + " SELECT count(*) FROM c11", "SELECT a FROM t" + strings.Repeat(" UNION ALL SELECT a FROM t", 1900),
	} {
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() {
			stmt, err := c.Prepare(ctx, query)
			if err == nil {
				err = stmt.Close()
			}
			done <- err
		}()
		time.Sleep(20 * time.Millisecond) // all of them take longer
		cancel()
		if err := <-done; !isCancel(err) {
			t.Errorf("%.60s: %v", query, err)
		}
	}
	if got := drainQuery(t, c, "SELECT count(*) FROM t a JOIN t b USING (a)"); got != "10\n" {
		t.Errorf("afterwards: %q", got)
	}
}

// Nobody waits while names are looked for that are like a very long one.
func TestSuggestionsForLongNames(t *testing.T) {
	if !replacesFunctions {
		t.Skip("elsewhere all names are compared")
	}
	c := openConn(t, openMemory(t))
	mustExec(t, c, "CREATE TABLE things AS SELECT 1 AS x, 2 AS \""+strings.Repeat("y", 200)+"\"")
	const text = "repeat('é', 3000000)"
	name := "\"" + strings.Repeat("n", 3<<20) + "\""
	for _, query := range []string{
		"SELECT list_aggregate([1], " + text + ")", "FROM " + name, "SELECT " + name + "(1)", "SELECT " + name + " FROM things", "SELECT " + name + ".x FROM things",
		"SELECT timezone(" + text + ", TIMESTAMP '2020-01-01')", "SELECT timezone(n, TIMESTAMP '2020-01-01') FROM (VALUES (" + text + ")) v(n)",
		"SELECT struct_extract({'k': 1, 'l': 2}, " + text + ")", "SELECT union_extract(union_value(k := 1), " + text + ")",
		"SELECT list_sort([1], " + text + ")", "SELECT " + text + "::ENUM ('a', 'b')", "SELECT 1::" + name, "SET " + name + " = 1",
		"UPDATE things SET " + name + " = 1", "INSERT INTO things (" + name + ") VALUES (1)", "ALTER TABLE things DROP " + name,
		"COPY things TO '/dev/null' (FORMAT csv, " + name + " 1)", "SELECT COLUMNS('" + strings.Repeat("n", 1<<20) + "') FROM things",
	} {
		if err := c.Exec(ctx, query); err == nil || strings.Contains(err.Error(), "llocation") {
			t.Errorf("%.40s: %.60v", query, err)
		}
	}
	for query, meant := range map[string]string{
		"FROM thing": "things", "SELECT timezone('Europe/Berlinn', TIMESTAMP '2020-01-01')": "Europe/Berlin", "UPDATE things SET xy = 1": "x",
		"UPDATE things SET " + strings.Repeat("y", 300) + " = 1": strings.Repeat("y", 200),
	} {
		if err := c.Exec(ctx, query); err == nil || !strings.Contains(err.Error()+sqlerr.From(err).Hint, `"`+meant+`"`) {
			t.Errorf("%s: %v", query, err)
		}
	}
}

// Patterns for which trying every % again takes longer than anybody lives.
func TestPatternsOfManyParts(t *testing.T) {
	if !replacesFunctions {
		t.Skip("elsewhere DuckDB's own functions are called")
	}
	c := openConn(t, openMemory(t))
	for _, like := range []string{"repeat('a', 200) LIKE p || 'b'", "repeat('a', 200) LIKE p || '_b'", "repeat('a', 200) NOT ILIKE p || 'b'", "repeat('a', 200) LIKE p || 'b' ESCAPE 'x'", "repeat('a', 200) GLOB replace(p, '%', '*') || 'b'"} {
		drainQuery(t, c, "SELECT "+like+" FROM (VALUES (repeat('%a', 60))) v(p)")
	}
}

func drainQuery(t *testing.T, c *Conn, query string) string {
	t.Helper()
	cur, err := c.Query(ctx, query)
	return drain(t, cur, err)
}
