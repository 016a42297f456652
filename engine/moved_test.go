package engine

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/rows"
)

// movedCases are changes of the definition of dd, and what the query over it is then.
var movedCases = []struct{ change, query, want string }{
	{"ALTER TABLE dd ALTER g TYPE DECIMAL(18,4)", "SELECT CAST(sum(x.g * y.h) AS DOUBLE) FROM dd x JOIN dd y ON x.i = y.i", "140"},
	{"ALTER TABLE dd ALTER g TYPE DECIMAL(18,2)", "SELECT CAST(sum(x.g * y.h) AS DOUBLE) FROM dd x JOIN dd y ON x.i = y.i", "140"},
	{"ALTER TABLE dd ALTER h TYPE DOUBLE", "SELECT sum(x.h * y.h), max(x.h) FROM dd x JOIN dd y ON x.i = y.i", "184|8"},
	{"ALTER TABLE dd ALTER h TYPE INTEGER", "SELECT sum(x.h * y.h), max(x.h) FROM dd x JOIN dd y ON x.i = y.i", "184|8"},
	{"ALTER TABLE dd ALTER i TYPE VARCHAR", "SELECT x.i, count(*) FROM dd x JOIN dd y ON x.i = y.i GROUP BY x.i ORDER BY ALL LIMIT 1", "1|1"},
	{"ALTER TABLE dd ALTER i TYPE HUGEINT", "SELECT x.i, count(*) FROM dd x JOIN dd y ON x.i = y.i GROUP BY x.i ORDER BY ALL LIMIT 1", "1|1"},
	{
		"CREATE OR REPLACE TABLE dd AS SELECT i::INTEGER AS i, (2 * i)::DECIMAL(9,3) AS g, (2 * i)::INTEGER AS h FROM range(1, 5) r(i)",
		"SELECT CAST(sum(x.g * y.h) AS DOUBLE) FROM dd x JOIN dd y ON x.i = y.i", "120",
	},
	{
		"DROP TABLE dd; CREATE TABLE dd AS SELECT i::INTEGER AS i, (2 * i)::DECIMAL(18,2) AS g, (2 * i)::INTEGER AS h FROM range(1, 4) r(i)",
		"SELECT CAST(sum(x.g * y.h) AS DOUBLE) FROM dd x JOIN dd y ON x.i = y.i", "56",
	},
}

// script runs statements one after the other, as a text of several.
func (s testSession) script(sql string) {
	s.t.Helper()
	texts, err := s.Split(sql)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, text := range texts {
		s.run(text.Text)
	}
}

// readCursor reads the rows of an outcome that no Result has.
func readCursor(t *testing.T, cur rows.Cursor) string {
	t.Helper()
	var lines []string
	for {
		b, err := cur.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if b == nil {
			break
		}
		for i := range b.N {
			cells := make([]string, len(b.Cols))
			for c := range b.Cols {
				cells[c] = cell(&b.Cols[c], i)
			}
			lines = append(lines, strings.Join(cells, "|"))
		}
	}
	if err := cur.Close(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, ";")
}

func movedSessions(t *testing.T, backend string) (reader, writer testSession) {
	e := openEngine(t)
	reader, writer = openSession(t, e), openSession(t, e)
	reader.choosesNative()
	writer.run("CREATE TABLE dd AS SELECT i::INTEGER AS i, i::DECIMAL(18,2) * 2 AS g, (i * 2)::INTEGER AS h FROM range(1, 5) r(i)")
	writer.run("INSERT INTO dd VALUES (9, 2.5, 8)")
	reader.run("SET trireme.backend = " + backend)
	writer.run("SET trireme.backend = duckdb")
	return reader, writer
}

// TestCatalogMovesBeforeExecution: a statement that was bound before the definition of
// its table changed does not answer by what it was bound to.
func TestCatalogMovesBeforeExecution(t *testing.T) {
	for _, backend := range []string{"auto", "native", "decomposed"} {
		s, writer := movedSessions(t, backend)
		for _, c := range movedCases {
			p, err := s.Prepare(context.Background(), c.query, nil)
			if err != nil {
				t.Fatal(err)
			}
			before := p.stmt
			writer.script(c.change)
			// What execute does between its look at the catalog and that at the tables.
			if _, err := before.execute(context.Background(), nil); !errors.Is(err, errMoved) {
				t.Errorf("%s, %s: %v", backend, c.change, err)
			}
			out, err := p.executeBound(context.Background(), nil)
			if err != nil {
				t.Fatalf("%s, %s: %v", backend, c.change, err)
			}
			got := readCursor(t, out.cursor)
			if duck := writer.run(c.query); got != duck || got != c.want {
				t.Errorf("%s, %s\n %s: %s, DuckDB %s, want %s", backend, c.change, c.query, got, duck, c.want)
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestCatalogMovesBeforeLoad: what is loaded after the definition of a table changed is
// no answer of a snapshot from before, and no fault either.
func TestCatalogMovesBeforeLoad(t *testing.T) {
	for _, backend := range []string{"native", "decomposed"} {
		s, writer := movedSessions(t, backend)
		for _, c := range append(movedCases[:len(movedCases):len(movedCases)], struct{ change, query, want string }{
			"ALTER TABLE dd RENAME h TO z", "SELECT sum(x.h * y.g), max(x.h) FROM dd x JOIN dd y ON x.i = y.i", "",
		}) {
			p, err := s.Prepare(context.Background(), c.query, nil)
			if err != nil {
				t.Fatal(err)
			}
			sel := p.stmt.(*routed).tensor.(*tensorSelect)
			old := writer.run(c.query)
			snap, reason := s.engine.catalog.Versions.Snapshot(sel.tables, 0)
			if reason != "" {
				t.Fatal(reason)
			}
			writer.script(c.change)
			by := Native
			if backend == "decomposed" {
				by = Decomposed
			}
			q := sel.newRun(s.Session, snap, nil, by)
			cur, err := q.answer(context.Background(), "", sel.query)
			if q.unchanged() {
				t.Errorf("%s, %s: nothing has changed", backend, c.change)
			}
			if err == nil { // of tensors that were there
				if got := readCursor(t, cur); got != old {
					t.Errorf("%s, %s: %s, before the change %s", backend, c.change, got, old)
				}
			}
			if c.want != "" {
				s.want(c.query, c.want)
			} else {
				s.wantError(c.query, "42703")
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestColumnsOfWhoWasTold: a statement that is bound again may have other columns for
// those who have not asked.
func TestColumnsOfWhoWasTold(t *testing.T) {
	s, writer := movedSessions(t, "auto")
	for _, told := range []bool{false, true} {
		p, err := s.Prepare(context.Background(), "SELECT g FROM dd ORDER BY g LIMIT 1", nil)
		if err != nil {
			t.Fatal(err)
		}
		if told {
			p.Columns()
		}
		writer.run("ALTER TABLE dd ALTER g TYPE DOUBLE")
		res, err := p.Execute(context.Background(), nil)
		if told != (err != nil) {
			t.Errorf("told %t: %v", told, err)
		}
		if err == nil {
			if got, err := readAll(res); got != "2" || err != nil {
				t.Errorf("%s, %v", got, err)
			}
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		writer.run("ALTER TABLE dd ALTER g TYPE DECIMAL(18,2)")
	}
}
