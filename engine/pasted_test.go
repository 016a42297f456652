package engine

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"

	"github.com/trireme-db/trireme/engine/difftest"
)

// TestPastedSQL runs what EXPLAIN shows of decomposed SQL in DuckDB alone.
func TestPastedSQL(t *testing.T) {
	path := filepath.Join(t.TempDir(), "paste.db")
	var texts []string
	t.Run("explain", func(t *testing.T) { texts = explainedSQL(t, path) }) // the file is closed after it
	for _, text := range texts {
		pasted(t, path, "", []string{text})
	}
}

// pasted runs texts in a DuckDB of their own, over the tables of a file.
func pasted(t *testing.T, path, name string, texts []string) {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("ATTACH '" + path + "' AS trireme (READ_ONLY)"); err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		if _, err := db.Exec(text); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// TestPastedCorpus runs in DuckDB alone what EXPLAIN shows of the corpus's queries.
func TestPastedCorpus(t *testing.T) {
	schema, cases, err := difftest.LoadCorpus(os.DirFS("../testdata/corpus"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "corpus.db")
	sections := map[string][]string{}
	t.Run("explain", func(t *testing.T) { // the file is closed after it
		s := openSession(t, openConfig(t, Config{Version: "test", Path: path}))
		r := &rig{t: t, session: s.Session}
		statements, err := s.Split(schema)
		if err != nil {
			t.Fatal(err)
		}
		for _, statement := range statements {
			s.run(statement.Text)
		}
		s.run("SET trireme.backend = 'decomposed'")
		for _, c := range cases {
			// Some raise errors, which is their answer.
			if c.Expect == difftest.Error || strings.Contains(c.Detail, "load scan raised") {
				continue
			}
			plan, err := r.run("EXPLAIN "+c.SQL, nil)
			if _, refused := refusal(err); refused || err != nil || len(c.Params) > 0 {
				continue
			}
			if found := pastedSections(plan); len(found) > 0 {
				sections[c.Name] = found
			}
		}
	})
	var alone []string // texts that leave no table behind
	for name, texts := range sections {
		if strings.Contains(strings.Join(texts, ""), " TEMP TABLE ") {
			pasted(t, path, name, texts)
			continue
		}
		alone = append(alone, texts...)
	}
	pasted(t, path, "", alone)
	if len(sections) < len(cases)/3 {
		t.Errorf("%d of %d statements show SQL", len(sections), len(cases))
	}
	t.Logf("%d of %d statements", len(sections), len(cases))
}

// pastedSections are the parts of a plan below DECOMPOSED SQL, in their order. A title
// stands after an empty line.
func pastedSections(plan difftest.Table) (sections []string) {
	inside, before := false, ""
	for _, row := range plan.Rows {
		line, _ := row[0].(string)
		switch title := before == "" && line != "" && line[0] >= 'A' && line[0] <= 'Z'; {
		case line == "DECOMPOSED SQL":
			inside, sections = true, append(sections, "")
		case title:
			inside = false
		case inside:
			sections[len(sections)-1] += line + "\n"
		}
		before = line
	}
	return sections
}

// explainedSQL is the decomposed SQL of statements over tables in a file.
func explainedSQL(t *testing.T, path string) (texts []string) {
	s := openSession(t, openConfig(t, Config{Version: "test", Path: path}))
	s.run("CREATE TABLE a AS SELECT * FROM (VALUES (1, 1, 2), (2, 1, 3), (NULL, 2, 4)) v(k, g, v)")
	s.run("CREATE TABLE b AS SELECT * FROM (VALUES (1, 5), (1, 6), (3, 1)) v(k, w)")
	s.run("SET trireme.backend = 'decomposed'")
	for _, query := range []string{
		"SELECT a.g, count(*), sum(b.w) FROM a JOIN b USING (k) GROUP BY a.g",
		"SELECT a.g, count(*), sum(coalesce(b.w, a.v)) FROM a LEFT JOIN b ON a.k = b.k AND b.w > a.v GROUP BY a.g",
		"SELECT a.g, count(*) FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k) AND NOT EXISTS (SELECT 1 FROM b JOIN a c USING (k) WHERE b.w = a.v) GROUP BY a.g",
		"SELECT a.g, sum(b.w) FROM a LEFT JOIN (SELECT * FROM b ORDER BY w LIMIT 2) b ON a.k = b.k LEFT JOIN (SELECT k, max(w) m FROM b GROUP BY k HAVING count(*) > 1) c ON c.k = a.k GROUP BY a.g",
		"SELECT count(*) FROM a LEFT JOIN (SELECT b.k, count(*) AS n, sum(c.w) AS w FROM b JOIN b c USING (k) GROUP BY b.k ORDER BY n LIMIT 1) q ON q.k = a.k AND q.w > a.v",
	} {
		plan := s.run("EXPLAIN " + query)
		plan = plan[strings.LastIndex(plan, "DECOMPOSED SQL"):]
		plan = strings.NewReplacer(";;", ";\n", ";", "\n").Replace(plan) // a row is a line
		text, _, _ := strings.Cut(plan, "FINISH")
		texts = append(texts, strings.TrimPrefix(text, "DECOMPOSED SQL"))
	}
	return texts
}

// TestExplainFormats: formats that only DuckDB has show no plan of another backend.
func TestExplainFormats(t *testing.T) {
	s := graphSession(t)
	const query = "SELECT a.src, count(*) FROM e a JOIN e b ON a.dst = b.src GROUP BY a.src"
	for _, format := range []string{"html", "graphviz", "mermaid", "yaml", "'HTML'"} {
		explain := "EXPLAIN (FORMAT " + format + ") " + query
		for _, backend := range []string{"native", "decomposed", "auto"} {
			s.run("SET trireme.backend = '" + backend + "'")
			if e := s.wantError(explain, "0A000"); !strings.Contains(e.Message, "as TEXT or JSON, not as "+strings.ToUpper(strings.Trim(format, "'"))) {
				t.Errorf("%s: %s", explain, e.Message)
			}
		}
		s.run("SET trireme.backend = 'duckdb'")
		s.run(explain)
		s.run("SET trireme.backend = 'auto'")
		s.run("EXPLAIN (FORMAT " + format + ") SELECT count(*) FROM e") // DuckDB answers it
		s.wantError("EXPLAIN (FORMAT "+format+") SELECT *, rank() OVER (ORDER BY n) FROM (SELECT a.src, count(*) AS n FROM e a JOIN e b ON a.dst = b.src GROUP BY a.src)", "0A000")
	}
}

// pastedRecursion is a recursion t of some columns, the query over it, and how the columns
// are read off the entries of a step.
type pastedRecursion struct{ with, columns, from, entries string }

// TestPastedRecursion takes the steps of recursions by hand, in DuckDB alone: what EXPLAIN
// shows reads the rows to begin with, then those that the step before has found, until there
// are none.
func TestPastedRecursion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "recursion.db")
	cases := []pastedRecursion{
		{"t(x, k) AS (SELECT 1, 0 UNION SELECT e.b, k + 1 FROM t JOIN e ON e.a = t.x WHERE k < 6)", "x, k", "count(*), sum(x), max(k) FROM t", "SELECT k0, k1"},
		{"t(x) AS (SELECT a FROM e WHERE b = 7 UNION SELECT e.b FROM t JOIN e ON e.a = t.x JOIN e f ON f.a = e.b)", "x", "count(*), sum(x) FROM t", "SELECT k0"},
		{"t(x) AS (SELECT a FROM e WHERE b = 7 UNION ALL SELECT e.b FROM t JOIN e ON e.a = t.x AND e.a < e.b WHERE position('7' IN e.b::VARCHAR) = 0)", "x", "count(*), sum(x) FROM t", `SELECT k0`},
	}
	plans, answers := make([]string, len(cases)), make([]string, len(cases))
	t.Run("explain", func(t *testing.T) { // the file is closed after it
		s := openSession(t, openConfig(t, Config{Version: "test", Path: path}))
		s.run("CREATE TABLE e AS SELECT (hash(i) % 60)::INTEGER AS a, (hash(i + 7) % 60)::INTEGER AS b FROM range(120) v(i)")
		s.run("SET trireme.backend = 'decomposed'")
		r := &rig{t: t, session: s.Session}
		for i, c := range cases {
			sql := "WITH RECURSIVE " + c.with + " SELECT " + c.from
			plan, err := r.run("EXPLAIN "+sql, nil)
			if err != nil {
				t.Fatal(err)
			}
			sections := pastedSections(plan)
			plans[i], answers[i] = sections[len(sections)-1], s.run(sql)
		}
	})
	for i, c := range cases {
		if got := c.byHand(t, path, plans[i]); got != answers[i] {
			t.Errorf("%q by hand, %q by the server: %s\n%s", got, answers[i], c.with, plans[i])
		}
	}
}

// byHand is the answer by the statements of a step.
func (c pastedRecursion) byHand(t *testing.T, path, step string) string {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	run := func(text string) (changed int64) {
		t.Helper()
		res, err := db.Exec(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		changed, err = res.RowsAffected()
		if err != nil {
			t.Fatal(err)
		}
		return changed
	}
	run("ATTACH '" + path + "' AS trireme (READ_ONLY)")
	statements := strings.Split(strings.TrimSuffix(strings.TrimSpace(step), ";"), ";\n")[1:] // a comment is first
	last := len(statements) - 1
	run(statements[0])
	run("CREATE TEMP TABLE t AS SELECT * FROM trireme_working")
	if strings.Contains(c.with, "UNION ALL") {
		c.entries += ` FROM (SELECT * FROM (` + statements[last] + `) q, range(q.n::BIGINT))`
	} else {
		c.entries += " FROM (" + statements[last] + ") EXCEPT SELECT * FROM t"
	}
	for {
		for _, relation := range statements[1:last] {
			run(relation)
		}
		run("CREATE OR REPLACE TEMP TABLE trireme_next AS " + c.entries)
		run("CREATE OR REPLACE TEMP TABLE trireme_working AS SELECT * FROM trireme_next AS rows(" + c.columns + ")")
		if run("INSERT INTO t SELECT * FROM trireme_working") == 0 {
			break
		}
	}
	var text string
	if err := db.QueryRow("SELECT concat_ws('|', " + strings.TrimSuffix(c.from, " FROM t") + ") FROM t").Scan(&text); err != nil {
		t.Fatal(err)
	}
	return text
}
