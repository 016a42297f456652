package engine

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/interp"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// storedProgram is a random program over tables that have its data.
type storedProgram struct {
	*einsum.Program
	data map[string]*interp.Tensor // without entries that have a NULL
}

// store makes the tables: an entry of n rows is n rows, of which one has the values.
func (p *storedProgram) store(s testSession) {
	for _, in := range p.Inputs {
		var columns, tuples []string
		for m := range in.Domains {
			columns = append(columns, fmt.Sprintf("c%d %s", m, p.coordinateType(in.Domains[m], m)))
		}
		for _, l := range in.Leaves[1:] {
			columns = append(columns, l.Name+" "+map[semiring.Elem]string{semiring.F64: "DOUBLE", semiring.I128: "HUGEINT"}[l.Elem])
			if l.Elem != semiring.F64 && l.Elem != semiring.I128 {
				columns[len(columns)-1] += "BIGINT"
			}
		}
		kept := &interp.Tensor{Leaves: p.data[in.Name].Leaves}
		for _, e := range p.data[in.Name].Entries {
			if n, ok := e.Leaves[0].Big(); !ok || n.Sign() <= 0 {
				e.Leaves[0] = interp.NumInt(1)
			}
			var coords, values, zeros []string
			null := false
			for _, c := range e.Coord {
				null = null || c.IsNull()
				coords = append(coords, c.String())
			}
			for _, v := range e.Leaves[1:] {
				values, zeros = append(values, v.String()), append(zeros, "0")
			}
			for r := range int(e.Leaves[0].Float64()) {
				if r > 0 {
					values = zeros
				}
				tuples = append(tuples, "("+strings.Join(slices.Concat(coords, values), ", ")+")")
			}
			if !null {
				kept.Entries = append(kept.Entries, e)
			}
		}
		p.data[in.Name] = kept
		if len(columns) == 0 {
			columns = []string{"unused INTEGER"}
		}
		s.run("CREATE OR REPLACE TABLE " + in.Name + " (" + strings.Join(columns, ", ") + ")")
		if len(tuples) > 0 {
			s.run("INSERT INTO " + in.Name + " VALUES " + strings.Join(tuples, ", "))
		}
	}
}

// coordinateType is the type of the values along a mode: strings, where an entry or a
// constant of the domain is one, else integers of some width.
func (p *storedProgram) coordinateType(domain, m int) string {
	domains := map[string][]int{}
	for _, in := range p.Inputs {
		domains[in.Name] = in.Domains
		for _, e := range p.data[in.Name].Entries {
			for at, c := range e.Coord {
				if in.Domains[at] == domain && !c.IsNull() && strings.Trim(c.String(), "-0123456789") != "" {
					return "VARCHAR"
				}
			}
		}
	}
	for _, q := range p.Queries {
		for _, x := range q.Idxs {
			domains[q.Name] = append(domains[q.Name], x.Domain)
		}
		for _, l := range q.Leaves {
			for _, a := range einsum.Accesses(l.Expr) {
				for at, arg := range a.Args {
					if domains[a.Tensor][at] == domain && arg.Const != nil && arg.Const.Quoted {
						return "VARCHAR"
					}
				}
			}
		}
	}
	return []string{"BIGINT", "INTEGER", "SMALLINT"}[m%3]
}

// compare holds the rows of a call against the last query of the program.
func (p *storedProgram) compare(want *interp.Tensor, got string) error {
	q := p.Queries[len(p.Queries)-1]
	first := min(1, len(q.Leaves)-1)
	var lines []string
	if got != "" {
		lines = strings.Split(got, ";")
	}
	if len(lines) != len(want.Entries) {
		return fmt.Errorf("%d rows, want %d", len(lines), len(want.Entries))
	}
	byKey := map[string][]string{}
	for _, l := range lines {
		cells := strings.Split(l, "|")
		byKey[strings.Join(cells[:len(q.Idxs)], "|")] = cells[len(q.Idxs):]
	}
	for _, e := range want.Entries {
		var key []string
		for _, c := range e.Coord {
			key = append(key, c.Text())
		}
		cells, ok := byKey[strings.Join(key, "|")]
		if !ok {
			return fmt.Errorf("no row %v", key)
		}
		for l, v := range e.Leaves[first:] {
			if v.Identity() != 0 {
				continue // of min or max, which is no number
			}
			got, err := strconv.ParseFloat(cells[l], 64)
			if want := v.Float64(); err != nil || math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) {
				return fmt.Errorf("row %v: leaf %s is %s, want %s", key, q.Leaves[first+l].Name, cells[l], v)
			}
		}
	}
	return nil
}

// TestTensorRandom holds random programs in SQL against enumeration: nested aggregates,
// unions, masks, constants and functions among them, over integers and strings, with
// NULLs.
func TestTensorRandom(t *testing.T) {
	s := openSession(t, openEngine(t))
	rng := rand.New(rand.NewPCG(15, 4))
	ran := map[string]int{}
	for i := range 150 {
		made, data := interp.RandomProgram(rng, interp.RandomOptions{Wide: i%2 == 0})
		p := &storedProgram{made, data}
		p.store(s)
		want, err := interp.Run(unstated(p.Program), p.data, nil)
		if err != nil {
			continue // a function outside of its domain
		}
		for _, backend := range []string{"native", "decomposed", "auto"} {
			s.run("SET trireme.backend = '" + backend + "'")
			got, _, err := s.try("SELECT * FROM tensor('" + strings.ReplaceAll(p.String(), "'", "''") + "')")
			var e *sqlerr.Error
			if errors.As(err, &e) && e.Code == sqlerr.FeatureNotSupported {
				ran[e.Message]++
				continue
			}
			if err == nil {
				err = p.compare(want[p.Queries[len(p.Queries)-1].Name], got)
			}
			if err != nil {
				t.Fatalf("%s: %v\n%s", backend, err, p)
			}
			ran[backend]++
		}
	}
	t.Log(ran)
	if ran["native"] < 100 || ran["decomposed"] < 80 || ran["auto"] < 100 {
		t.Errorf("only %v ran", ran)
	}
}

// unstated is a program without what it says of its inputs' data.
func unstated(p *einsum.Program) *einsum.Program {
	out := &einsum.Program{Queries: p.Queries}
	for _, in := range p.Inputs {
		own := &einsum.Input{Name: in.Name, Domains: in.Domains}
		for _, l := range in.Leaves {
			if l.NonNegative = false; l.Elem == semiring.Pattern {
				l.Elem = semiring.I64
			}
			own.Leaves = append(own.Leaves, l)
		}
		out.Inputs = append(out.Inputs, own)
	}
	return out
}

// tensorData has coordinates below 0 and large ones, NULLs, and rows with the same
// coordinates.
const tensorData = `CREATE TABLE edges (src INTEGER, dst INTEGER);
INSERT INTO edges VALUES (-7, 2), (2, 3000000), (3000000, -7), (2, 4), (4, 2), (NULL, 2), (4, NULL);
CREATE TABLE weighted (src BIGINT, dst INTEGER, w DOUBLE);
INSERT INTO weighted VALUES (-7, 2, 0.5), (2, 4, 1), (2, 4, 2), (4, 2, NULL), (9000000000, 2, 4);
CREATE TABLE people (name VARCHAR, friend VARCHAR, since DATE);
INSERT INTO people VALUES ('ann', 'bob', '2020-01-01'), ('bob', 'eve', '2021-01-01'), ('eve', 'ann', '2020-01-01'), ('Bob', 'ann', NULL)`

func tensorSession(t *testing.T) testSession {
	t.Helper()
	s := openSession(t, openEngine(t))
	for _, sql := range strings.Split(tensorData, ";\n") {
		s.run(sql)
	}
	return s
}

const (
	degreesCall   = "tensor('tensor E(0,0) { n pattern } T(i) = n: or(j) E.n(i,j) | deg: sum(j) E.n(i,j)', E := 'edges')"
	trianglesCall = "tensor('tensor edges(0,0) { n pattern } T() = n: or(i,j,k) and(edges.n(i,j), edges.n(j,k), edges.n(k,i)) | v: sum(i,j,k) edges.n(i,j) * edges.n(j,k) * edges.n(k,i)')"
)

// TestTensorAnswers: wherever a table may stand, on every backend that runs programs,
// the call is what plain SQL says.
func TestTensorAnswers(t *testing.T) {
	s := tensorSession(t)
	const deg = "(SELECT src AS i, count(*)::HUGEINT AS deg FROM edges WHERE src IS NOT NULL AND dst IS NOT NULL GROUP BY src)"
	for _, c := range []struct{ call, sql string }{
		{"SELECT * FROM " + trianglesCall, "SELECT count(*)::HUGEINT AS v FROM edges a, edges b, edges c WHERE a.dst = b.src AND b.dst = c.src AND c.dst = a.src"},
		{"SELECT * FROM " + degreesCall + " ORDER BY ALL", "FROM " + deg + " ORDER BY ALL"},
		{"SELECT * FROM " + degreesCall + " AS d(x, y) WHERE y > 1 ORDER BY ALL", "SELECT i AS x, deg AS y FROM " + deg + " WHERE deg > 1 ORDER BY ALL"},
		{"SELECT e.dst, sum(t.deg) FROM " + degreesCall + " t JOIN edges e ON e.src = t.i GROUP BY 1 ORDER BY ALL", "SELECT e.dst, sum(t.deg) FROM " + deg + " t JOIN edges e ON e.src = t.i GROUP BY 1 ORDER BY ALL"},
		{"SELECT t.i, u.deg, count(*) FROM " + degreesCall + " t, edges e, " + degreesCall + " u WHERE t.i = e.src AND e.dst = u.i GROUP BY ALL ORDER BY ALL", "SELECT t.i, u.deg, count(*) FROM " + deg + " t, edges e, " + deg + " u WHERE t.i = e.src AND e.dst = u.i GROUP BY ALL ORDER BY ALL"},
		{"WITH d AS (SELECT * FROM " + degreesCall + ") SELECT *, rank() OVER (ORDER BY deg, i) FROM d WHERE i IN (SELECT dst FROM edges) ORDER BY ALL", "WITH d AS (FROM " + deg + ") SELECT *, rank() OVER (ORDER BY deg, i) FROM d WHERE i IN (SELECT dst FROM edges) ORDER BY ALL"},
		{"SELECT i FROM " + degreesCall + " UNION ALL SELECT src FROM weighted ORDER BY ALL", "SELECT i FROM " + deg + " UNION ALL SELECT src FROM weighted ORDER BY ALL"},
		{"SELECT src, (SELECT v FROM " + trianglesCall + ") AS v FROM edges ORDER BY ALL", "SELECT src, 3::HUGEINT AS v FROM edges ORDER BY ALL"},
		{"SELECT src FROM edges WHERE src IN (SELECT i FROM " + degreesCall + " WHERE deg = 1) ORDER BY 1", "SELECT src FROM edges WHERE src IN (SELECT i FROM " + deg + " WHERE deg = 1) ORDER BY 1"},
		{"SELECT e.src, d.deg FROM edges e LEFT JOIN " + degreesCall + " d ON d.i = e.dst ORDER BY ALL", "SELECT e.src, d.deg FROM edges e LEFT JOIN " + deg + " d ON d.i = e.dst ORDER BY ALL"},
		// Coordinates of several integer types are of the one that has all their values; a
		// row with a NULL is no entry, rows with the same coordinates are added.
		{"SELECT * FROM tensor('tensor W(0,0) { n i64, w f64 } T(i,j) = n: W.n(i,j) | w: W.w(i,j) | rows: W.n(i,j) * 1', W := weighted) ORDER BY ALL", "SELECT src AS i, dst::BIGINT AS j, sum(w) AS w, count(*)::HUGEINT AS rows FROM weighted WHERE w IS NOT NULL GROUP BY ALL ORDER BY ALL"},
		{"SELECT * FROM tensor('tensor W(0,1) { n i64 } T(j) = n: or(i) W.n(i,j)', W := 'weighted(src, dst)') ORDER BY ALL", "SELECT dst AS j, 1::HUGEINT AS n FROM weighted GROUP BY ALL ORDER BY ALL"},
		{"SELECT * FROM tensor('tensor W(0,1) { n i64, w i64 } T(j) = n: or(i) W.n(i,j) | w: max(i) W.w(i,j)', 'W = weighted(src, dst; dst)') ORDER BY ALL", "SELECT dst AS j, max(w) AS w FROM (SELECT src, dst, sum(dst) AS w FROM weighted GROUP BY ALL) GROUP BY ALL ORDER BY ALL"},
		{"SELECT * FROM tensor('tensor P(0,0) { n pattern } T(i) = n: P.n(''bob'',i)', P := 'people(name, friend)')", "SELECT 'eve' AS i, 1::HUGEINT AS n"},
		{"SELECT * FROM tensor('tensor P(0,0) { n pattern } T(a,b) = n: and(P.n(a,b), (a < b))', P := 'people(name, friend)') ORDER BY ALL", "SELECT name AS a, friend AS b, 1::HUGEINT AS n FROM people WHERE name < friend ORDER BY ALL"},
		{"SELECT * FROM tensor('tensor P(0) { n pattern } T(d) = n: P.n(d)', P := 'people(since)') ORDER BY ALL", "SELECT since AS d, count(*)::HUGEINT AS n FROM people WHERE since IS NOT NULL GROUP BY ALL ORDER BY ALL"},
		// Several queries, of which the last one is the result, and diagonals of both kinds.
		{"SELECT * FROM tensor('tensor E(0,0) { n pattern } S(i,k) = n: or(j) and(E.n(i,j), E.n(j,k)) | v: sum(j) E.n(i,j) * E.n(j,k) T(i) = n: S.n(i,i) | v: S.v(i,i)', E := edges) ORDER BY ALL", "SELECT a.src AS i, count(*)::HUGEINT AS v FROM edges a, edges b WHERE a.dst = b.src AND b.dst = a.src GROUP BY ALL ORDER BY ALL"},
		{"SELECT * FROM tensor('tensor E(0,0) { n pattern } T(i) = n: E.n(i,i)', E := (SELECT src AS a, src AS b FROM edges UNION ALL SELECT 1, 2)) ORDER BY ALL", "SELECT src AS i, count(*)::HUGEINT AS n FROM edges WHERE src IS NOT NULL GROUP BY ALL ORDER BY ALL"},
		// Operands are tables, queries and common table expressions; names differ in their case.
		{"WITH c AS (SELECT src AS a, max(dst) AS b FROM edges GROUP BY src), d AS (SELECT * FROM " + degreesCall + ") SELECT * FROM tensor('tensor c(0,0) { n pattern } tensor D(0) { n pattern, v i64 } T(I,i) = n: and(c.n(I,i), D.n(I)) | v: c.n(I,i) * D.v(I)', D := d) ORDER BY ALL", "SELECT c.src AS I, c.b AS i_2, d.deg AS v FROM (SELECT src, max(dst) AS b FROM edges GROUP BY src HAVING max(dst) IS NOT NULL) c JOIN " + deg + " d ON c.src = d.i ORDER BY ALL"},
		{"SELECT * FROM tensor('tensor E(0,0) { n pattern } T() = n: or(i,j) E.n(i,j)', E := (SELECT src, dst FROM edges WHERE src > 5000000))", "SELECT 1::HUGEINT AS n FROM edges WHERE false"},
	} {
		s.run("SET trireme.backend = 'duckdb'")
		want, columns := s.run(c.sql), s.columns(c.sql)
		for _, backend := range []string{"native", "decomposed", "auto"} {
			s.run("SET trireme.backend = '" + backend + "'")
			s.want(c.call, want)
			if backend != "auto" && s.LastBackend() != backend {
				t.Errorf("%s: answered by %s, want %s", c.call, s.LastBackend(), backend)
			}
		}
		if got := s.columns(c.call); got != columns {
			t.Errorf("%s: columns %s, want %s", c.call, got, columns)
		}
	}
}

// TestTensorStatements: statements that write, keep, stream or explain what a call
// gives, and calls beside parameters and summations.
func TestTensorStatements(t *testing.T) {
	s := tensorSession(t)
	const want = "-7|1;2|2;4|1;3000000|1"
	s.run("CREATE TABLE made AS SELECT * FROM " + degreesCall)
	s.want("SELECT * FROM made ORDER BY i", want)
	s.wantTag("INSERT INTO made SELECT * FROM "+degreesCall, "INSERT 0 4")
	s.wantTag("DELETE FROM made WHERE i IN (SELECT i FROM "+degreesCall+" WHERE deg = 2)", "DELETE 2")
	s.wantTag("UPDATE made SET deg = (SELECT v FROM "+trianglesCall+") WHERE i = 4", "UPDATE 2")
	s.want("SELECT DISTINCT * FROM made ORDER BY i", "-7|1;4|3;3000000|1")

	for range 2 {
		s.want("SELECT i FROM "+degreesCall+" WHERE deg = (SELECT max(deg) FROM "+degreesCall+")", "2")
	}
	s.run("PREPARE q AS SELECT d.deg, e.value FROM " + degreesCall + " d, einsum('ij->i', edges, 'count') e WHERE d.i = e.i AND d.i = ANY($1) ORDER BY 1")
	s.want("EXECUTE q(ARRAY[4, -7])", "1|1;1|2")
	s.want("EXECUTE q(ARRAY[2])", "2|2")
	s.run("PREPARE p AS SELECT * FROM tensor('tensor E(0,0) { n pattern } T(i) = n: E.n($1,i)', E := 'edges') ORDER BY 1")
	s.want("EXECUTE p(2)", "4|1;3000000|1")
	s.want("EXECUTE p(4)", "2|1")
	s.want("EXECUTE p(NULL)", "")
	s.want("EXECUTE p(5)", "")

	s.run("BEGIN")
	s.run("DECLARE c SCROLL CURSOR FOR SELECT * FROM " + degreesCall + " ORDER BY i")
	s.want("FETCH 2 FROM c", "-7|1;2|2")
	s.want("FETCH 5 FROM c", "4|1;3000000|1")
	s.run("COMMIT")

	s.run("CREATE VIEW seen AS SELECT * FROM " + degreesCall)
	s.want("SELECT * FROM seen ORDER BY i", want)
	s.want("SELECT v.i, e.dst FROM seen v JOIN edges e ON e.src = v.i WHERE v.deg = 2 ORDER BY 2", "2|4;2|3000000")
	s.want("SELECT e.dst, sum(v.deg) FROM seen v JOIN edges e ON e.src = v.i GROUP BY e.dst ORDER BY 1", "-7|1;2|2;4|2;3000000|2;NULL|1")
	s.run("INSERT INTO edges VALUES (4, 77)")
	s.want("SELECT deg FROM seen WHERE i = 4", "2")
	s.run("CREATE VIEW over AS SELECT i, deg * 10 AS d FROM seen")
	s.want("SELECT * FROM over WHERE d > 10 ORDER BY i", "2|20;4|20")
	s.run("CREATE OR REPLACE VIEW seen AS SELECT i, deg + 1 AS deg FROM " + degreesCall + " WHERE i > 2")
	s.want("SELECT x.i, x.d FROM over x JOIN edges e ON e.src = x.i AND e.dst = 77", "4|30")
	s.run("CREATE OR REPLACE VIEW seen AS SELECT * FROM " + degreesCall)
	s.wantError("MERGE INTO edges USING seen ON seen.i = edges.src WHEN MATCHED THEN DELETE", sqlerr.FeatureNotSupported)
	s.run("CREATE TABLE again AS SELECT * FROM seen")
	s.want("SELECT sum(deg) FROM again", "6")

	if plan := s.run("EXPLAIN SELECT * FROM " + trianglesCall); !strings.Contains(plan, "TENSOR PROGRAM") || !strings.Contains(plan, "PHYSICAL PLAN") {
		t.Error(plan)
	}
	if plan := s.run("EXPLAIN ANALYZE SELECT * FROM " + trianglesCall + " WHERE v > 0"); !strings.Contains(plan, "q-error") || !strings.Contains(plan, "STATEMENT AROUND THE BLOCKS") {
		t.Error(plan)
	}
}

// TestTensorRefused: what cannot be answered is an error that says so.
func TestTensorRefused(t *testing.T) {
	s := tensorSession(t)
	s.run("SET trireme.backend = 'duckdb'")
	e := s.wantError("SELECT * FROM "+trianglesCall, sqlerr.FeatureNotSupported)
	if !strings.Contains(e.Hint, "trireme.backend") {
		t.Error(e.Hint)
	}
	s.wantError("SELECT count(*) FROM "+degreesCall, sqlerr.FeatureNotSupported)
	s.run("SET trireme.backend = 'auto'")
	s.run("BEGIN")
	s.run("INSERT INTO edges VALUES (1, 1)")
	e = s.wantError("SELECT * FROM "+trianglesCall, sqlerr.FeatureNotSupported)
	if !strings.Contains(e.Message, "tensor(..)") || !strings.Contains(e.Hint, "transaction") {
		t.Error(e.Message, e.Hint)
	}
	s.run("ROLLBACK")
	s.run("CREATE TEMP VIEW passing AS SELECT * FROM " + trianglesCall)
	s.want("SELECT * FROM passing", s.run("SELECT * FROM "+trianglesCall))
	s.wantError("SELECT * FROM tensor('tensor W(0,0) { n i64, w f64 } T(i) = n: or(j) W.n(i,j) | v: sum(j) sqrt(neg(W.w(i,j)))', W := weighted)", sqlerr.NumericOutOfRange)
	s.run("CREATE TABLE big AS SELECT 1 AS a, 170141183460469231731687303715884105727::HUGEINT AS v UNION ALL SELECT 2, 5")
	s.wantError("SELECT * FROM tensor('tensor B(0) { n i64, v i64 } T() = n: or(a) B.n(a) | v: sum(a) B.v(a)', B := big)", sqlerr.NumericOutOfRange)
}
