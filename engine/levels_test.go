package engine

import (
	"strings"
	"testing"
)

// levelCase is a statement over tables of a shape, and the operand that the plan
// reads by the level kind for it.
type levelCase struct {
	kind   string
	tables []string
	sql    string
	// read begins the operand's line in the plan.
	read string
	// spoil gives the table another shape, and spoilt is what the plan reads then.
	spoil  string
	spoilt string
}

// levelCases are the shapes for which there are level kinds; n scales the tables.
func levelCases() []levelCase {
	return []levelCase{
		{
			kind: "dense",
			tables: []string{
				"CREATE TABLE edge AS SELECT ((i * 7919) % 300)::INTEGER AS src, ((i * 104729 + i // 300) % 300)::INTEGER AS dst FROM range(3000) r(i)",
				"CREATE TABLE factor AS SELECT v::INTEGER AS v, f::INTEGER AS f, ((v * 13 + f * 7) % 11)::DOUBLE AS x FROM range(300) a(v), range(32) b(f)",
			},
			sql: `SELECT sum(s.d * s.d) FROM (SELECT e.src, e.dst, sum(l.x * r.x) AS d FROM edge e
				JOIN factor l ON l.v = e.src JOIN factor r ON r.v = e.dst AND r.f = l.f GROUP BY e.src, e.dst) s`,
			read:  "1 dense lookup, 0 dense lookup",
			spoil: "DELETE FROM factor WHERE v = 3 AND f = 31", spoilt: "1 dense lookup, 0 band lookup",
		},
		{
			kind: "pinpoint",
			tables: []string{
				"CREATE TABLE line AS SELECT (i % 2000)::INTEGER AS ord, (i % 3)::INTEGER AS part, (i % 7)::INTEGER AS q FROM range(20000) r(i)",
				"CREATE TABLE ord AS SELECT i::INTEGER AS id, ((i * 7919) % 301)::INTEGER AS who FROM range(2000) r(i)",
				"CREATE TABLE cust AS SELECT i::INTEGER AS id, (i % 5)::INTEGER AS w FROM range(301) r(i)",
			},
			sql:  "SELECT l.ord, sum(l.q * c.w) FROM line l JOIN ord o ON o.id = l.ord JOIN cust c ON c.id = o.who GROUP BY l.ord ORDER BY 1",
			read: "0 dense lookup, 1 pinpoint ", spoil: "INSERT INTO ord VALUES (7, 3), (8, 5)", spoilt: "0 dense lookup, 1 sparse ",
		},
		{
			kind:   "interval",
			tables: documents(false),
			sql:    "SELECT d.w, sum(p.x) FROM piece p JOIN line l ON l.id = p.line JOIN doc d ON d.id = l.doc GROUP BY d.w ORDER BY 1",
			read:   "1 interval ", spoil: "UPDATE line SET doc = 0 WHERE id = 900", spoilt: "1 sparse ",
		},
		{
			kind:   "band",
			tables: documents(true),
			sql:    "SELECT d.w, sum(p.x * l.y) FROM piece p JOIN line l ON l.id = p.line JOIN doc d ON d.id = l.doc GROUP BY d.w ORDER BY 1",
			read:   "1 band ", spoil: "UPDATE line SET doc = 0 WHERE id = 900", spoilt: "1 sparse ",
		},
		{
			kind:   "sparse-rle",
			tables: prices("day <> 7"),
			sql:    "SELECT p.art, sum(p.price * s.n) FROM price p JOIN season s ON s.day = p.day GROUP BY p.art ORDER BY 1",
			read:   "1 sparse-rle ", spoil: "UPDATE price SET price = day % 3", spoilt: "1 sparse ",
		},
		{
			kind:   "rle",
			tables: prices("true"),
			sql:    "SELECT p.art, sum(p.price * s.n) FROM price p JOIN season s ON s.day = p.day GROUP BY p.art ORDER BY 1",
			read:   "1 rle ", spoil: "UPDATE price SET price = day % 3", spoilt: "1 dense ",
		},
	}
}

// documents are lines that are numbered document by document, and pieces of
// lines; a line may have a value of its own.
func documents(valued bool) []string {
	y := ""
	if valued {
		y = ", (i % 9)::INTEGER AS y"
	}
	return []string{
		"CREATE TABLE doc AS SELECT i::INTEGER AS id, (i % 5)::INTEGER AS w FROM range(40) r(i)",
		"CREATE TABLE line AS SELECT (i // 100)::INTEGER AS doc, i::INTEGER AS id" + y + " FROM range(4000) r(i)",
		"CREATE TABLE piece AS SELECT i::INTEGER AS line, (i % 11)::INTEGER AS x FROM range(4000) r(i)",
	}
}

// prices change every 400 days; they are known for the days with a property.
func prices(known string) []string {
	return []string{
		`CREATE TABLE price AS SELECT art::INTEGER AS art, day::INTEGER AS day, ((art * 13 + day // 400) % 50)::INTEGER AS price
			FROM range(10) a(art), range(1200) d(day) WHERE ` + known,
		"CREATE TABLE season AS SELECT i::INTEGER AS day, (i % 9)::INTEGER AS n FROM range(1200) r(i)",
	}
}

// TestLevelKinds plans and runs every case: its kind is read, the answer is
// DuckDB's, and both hold after the table has got another shape under a plan that
// is kept.
func TestLevelKinds(t *testing.T) {
	for _, c := range levelCases() {
		t.Run(c.kind, func(t *testing.T) {
			s := openSession(t, openEngine(t))
			for _, sql := range c.tables {
				s.run(sql)
			}
			s.readsLevel(c.sql, c.read)
			if c.spoil != "" {
				s.run(c.spoil)
				s.readsLevel(c.sql, c.spoilt)
			}
		})
	}
}

// readsLevel runs a statement natively and asks DuckDB for the same.
func (s testSession) readsLevel(sql, read string) {
	s.t.Helper()
	s.run("SET trireme.backend = 'duckdb'")
	want := s.run(sql)
	s.run("SET trireme.backend = 'native'")
	s.want(sql, want)
	if plan := s.run("EXPLAIN ANALYZE " + sql); !strings.Contains(plan, read) {
		s.t.Errorf("nothing reads %q:\n%s", read, plan)
	}
}
