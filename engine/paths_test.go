package engine

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/engine/difftest"
	"github.com/trireme-db/trireme/fibers/kernel"
)

// explained is what EXPLAIN (ANALYZE, FORMAT JSON) says of a statement, as far
// as the tests of paths read it.
type explained struct {
	Backend  string
	Programs []struct {
		PhysicalPlan string `json:"physical_plan"`
		Loads        []struct {
			Tensor  string
			Cached  bool
			Entries int
		}
		Steps []explainedStep
	}
}

type explainedStep struct {
	Name       string
	Entries    int `json:"nnz"`
	Traversals int
	Kernel     string
	Workspace  string
	Wide       []string
}

// steps are the steps of all programs.
func (e *explained) steps() []explainedStep {
	var out []explainedStep
	for _, p := range e.Programs {
		out = append(out, p.Steps...)
	}
	return out
}

// analyze runs a statement on tensors and returns what happened.
func (s testSession) analyze(sql string) *explained {
	s.t.Helper()
	e, err := s.tryAnalyze(sql)
	if err != nil {
		s.t.Fatalf("%s: %v", sql, err)
	}
	return e
}

func (s testSession) tryAnalyze(sql string) (*explained, error) {
	text, _, err := s.try("EXPLAIN (ANALYZE, FORMAT JSON) " + sql)
	if err != nil {
		return nil, err
	}
	var docs [1]explained
	return &docs[0], json.Unmarshal([]byte(text), &docs)
}

// levelLine is a line of a physical plan that names level kinds.
var levelLine = regexp.MustCompile(`(?m)^  (read|store) .*?:(.*)$`)

// prefixLine is a line of a physical plan whose workspace is emptied for every
// value of the output's first indices.
var prefixLine = regexp.MustCompile(`(?m)^  store .*; prefix [1-9]\d*; workspace (\w+);`)

// taken counts the paths of all steps: "kernel general", "workspace hash",
// "workspace hash below a prefix", "128 bits", "read sparse", "store bytemap" and
// the like.
func (e *explained) taken() map[string]int {
	paths := map[string]int{}
	for _, p := range e.Programs {
		for _, m := range prefixLine.FindAllStringSubmatch(p.PhysicalPlan, -1) {
			paths["workspace "+m[1]+" below a prefix"]++
		}
		for _, m := range levelLine.FindAllStringSubmatch(p.PhysicalPlan, -1) {
			list, _, _ := strings.Cut(m[2], ";")
			for _, word := range strings.FieldsFunc(list, func(r rune) bool { return r < 'a' || r > 'z' }) {
				switch word {
				case "dense", "sparse", "bytemap", "hash":
					paths[m[1]+" "+word]++
				}
			}
		}
	}
	for _, step := range e.steps() {
		paths["workspace "+step.Workspace]++
		paths["kernel "+step.Kernel]++
		if len(step.Wide) > 0 {
			paths["128 bits"]++
		}
	}
	return paths
}

// TestCorpusTakesEveryPath runs the corpus and asserts that its statements
// together take the paths that are there for rare cases.
func TestCorpusTakesEveryPath(t *testing.T) {
	schema, cases, err := difftest.LoadCorpus(os.DirFS("../testdata/corpus"))
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t)
	r.script(schema)
	s := testSession{r.session, t}
	s.run("SET trireme.backend = 'native'")
	seen := map[string]int{}
	for _, c := range cases {
		if c.Expect != difftest.Tensor || len(c.Params) > 0 {
			continue
		}
		e, err := s.tryAnalyze(c.SQL)
		if err != nil {
			continue // that it answers is TestCorpus's to say
		}
		for path, n := range e.taken() {
			seen[path] += n
		}
		for _, step := range e.steps() {
			if step.Traversals != 1+min(1, len(step.Wide)) {
				t.Errorf("%s: step %s: %d traversals, 128 bits for %v", c.Name, step.Name, step.Traversals, step.Wide)
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(seen)) {
		t.Logf("%5d %s", seen[path], path)
	}
	for _, path := range []string{
		"workspace none", "workspace dense", "workspace hash", "workspace hash below a prefix", "128 bits", "kernel general",
		"read dense", "read sparse", "read bytemap", "read hash", "store dense", "store bytemap", "store sparse",
	} {
		if seen[path] == 0 {
			t.Errorf("no statement of the corpus takes %s", path)
		}
	}
}

// pathTables are large enough for estimates to prefer one path over another.
const pathTables = `
CREATE TABLE e AS SELECT i % 3000 AS src, (i * 7919) % 2999 AS dst, i AS w, CAST(i AS DOUBLE) AS f FROM range(20000) r(i);
CREATE TABLE small AS SELECT i * 400 AS k, i * 3 AS x FROM range(6) r(i);
CREATE TABLE tiny AS SELECT i % 4 AS k, (i * 7) % 5 AS x FROM range(14) r(i);
CREATE TABLE mark AS SELECT i * 20 AS w FROM range(1000) r(i);
CREATE TABLE far AS SELECT i AS k, i AS w FROM range(30000) r(i);
CREATE TABLE big AS SELECT (i * i) % 2500 AS k, i % 1000 AS x, i AS w FROM range(5000) r(i);
CREATE TABLE pair AS SELECT i * 400 AS k, i * 800 AS l FROM range(6) r(i);
CREATE TABLE huge AS SELECT i AS k, 9000000000000000000 AS v FROM range(5) r(i)`

// TestStatementsTakeTheirPath has one statement for each way in which a step
// can run; each gives the rows of DuckDB, and so does the general path.
func TestStatementsTakeTheirPath(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range strings.Split(pathTables, ";") {
		s.run(sql)
	}
	missing := registryKernels()
	for _, c := range []struct {
		sql  string
		want []string
	}{
		{"SELECT count(*) FROM e a, e b WHERE a.src = b.src AND a.dst = b.dst", []string{"kernel count", "read dense", "read sparse"}},
		{"SELECT count(*) FROM e a, e b WHERE a.src = b.src AND a.w % 7 <> 0", []string{"kernel gather-reduce"}},
		{"SELECT count(*) FROM e a, e b, e c WHERE a.dst = b.src AND b.dst = c.src AND c.dst = a.src", []string{"kernel probe-count"}},
		{
			"SELECT count(*) FROM e a, e b, e c, e d, e x, e y WHERE a.src = d.src AND a.dst = b.src AND b.dst = c.src AND c.dst = a.src " +
				"AND d.dst = x.src AND d.dst = y.src AND x.dst = b.src AND y.dst = c.src",
			[]string{"kernel select+probe-count"},
		},
		{"SELECT a.src, count(*), sum(a.w) FROM e a, e b WHERE a.dst = b.src AND b.src <> 5 AND b.w % 7 <> 0 GROUP BY a.src", []string{"kernel select+gather-reduce", "store bytemap"}},
		{"SELECT a.src, count(*), sum(a.w) FROM e a, e b WHERE a.dst = b.src GROUP BY a.src", []string{"kernel gather-reduce", "store bytemap"}},
		{"SELECT b.dst, count(*), sum(a.w) FROM e a, e b WHERE a.dst = b.src AND a.src = 17 GROUP BY b.dst", []string{"kernel scatter-accumulate", "workspace dense", "store sparse"}},
		{"SELECT b.dst, count(*) FROM e a, e b, big v WHERE a.dst = b.src AND b.dst = v.k AND a.src = 17 GROUP BY b.dst", []string{"kernel select+scatter-accumulate"}},
		{"SELECT a.x, b.x, c.x, count(*) FROM tiny a, tiny b, tiny c WHERE a.k = b.k AND b.k = c.k GROUP BY a.x, b.x, c.x", []string{"kernel scatter-accumulate", "workspace dense"}},
		{"SELECT a.x, b.x, c.x, count(*) FROM small a, small b, small c WHERE a.k = b.k AND b.k = c.k GROUP BY a.x, b.x, c.x", []string{"kernel general", "workspace none"}},
		{"SELECT a.w // 2, b.w // 2, c.w // 2, count(*) FROM big a, big b, big c WHERE a.k = b.k AND b.k = c.k AND a.x < 50 GROUP BY ALL", []string{"workspace hash"}},
		// Of every w there is one k: nothing is gathered, though the loop over k is between theirs.
		{
			"SELECT a.w, b.w, c.w, count(*) FROM big a, big b, big c WHERE a.k = b.k AND b.k = c.k AND a.x < 50 GROUP BY a.w, b.w, c.w",
			[]string{"kernel append-columns", "workspace none", "workspace hash below a prefix"},
		},
		{"SELECT count(*) FROM (SELECT a.src AS s, b.dst AS d, count(*) AS n FROM e a JOIN e b ON a.dst = b.src GROUP BY a.src, b.dst) p " +
			"JOIN (SELECT a.src AS s, b.dst AS d, count(*) AS n FROM e a JOIN e b ON a.dst = b.src GROUP BY a.src, b.dst) q ON p.s = q.d AND p.d = q.s", []string{"workspace sort"}},
		{"SELECT sum(h.v) FROM huge h, huge g WHERE h.k = g.k", []string{"128 bits"}},
		{"SELECT count(*), sum(b.w) FROM small s, far b WHERE s.k = b.k AND s.k = 400", []string{"read hash"}},
		{
			// Two readers look up other keys each, so neither restricts the result.
			"WITH c AS (SELECT a.k AS k, count(*) AS n FROM far a JOIN mark m ON a.w = m.w GROUP BY a.k) " +
				"SELECT sum(x.n * y.n) FROM c x JOIN pair p ON p.k = x.k JOIN c y ON y.k = p.l",
			[]string{"store hash", "read hash"},
		},
		{"SELECT sum(c.n * c.n) FROM (SELECT a.src AS x, b.dst AS y, count(*) AS n FROM e a JOIN e b ON a.dst = b.src GROUP BY a.src, b.dst) c", []string{"store dense", "kernel fused columns"}},
	} {
		t.Run(c.want[0], func(t *testing.T) {
			s := testSession{s.Session, t}
			s.comparePaths(c.sql, c.want)
		})
		for _, path := range c.want {
			delete(missing, path)
		}
	}
	if len(missing) > 0 {
		t.Errorf("no statement for %v", slices.Sorted(maps.Keys(missing)))
	}
}

// registryKernels names every kernel of the registry.
func registryKernels() map[string]bool {
	names := map[string]bool{}
	for _, shape := range []kernel.Shape{kernel.Reduce, kernel.Scatter} {
		for filters := range 3 {
			for factors := range 2 {
				names["kernel "+kernel.Key{Shape: shape, Filters: filters, Factors: factors}.Name()] = true
			}
		}
	}
	return names
}

// comparePaths runs a statement on every path and asserts those that the
// registry's takes.
func (s testSession) comparePaths(sql string, want []string) {
	s.t.Helper()
	s.run("SET trireme.backend = 'duckdb'")
	rows := s.sorted(sql)
	s.run("SET trireme.backend = 'native'")
	for _, registry := range []string{"on", "off"} {
		s.run("SET trireme.registry = '" + registry + "'")
		if got := s.sorted(sql); got != rows {
			s.t.Errorf("registry %s: %.200s\nwant %.200s", registry, got, rows)
		}
		if by := s.LastBackend(); by != "native" {
			s.t.Errorf("answered by %s", by)
		}
	}
	for _, step := range s.analyze(sql).steps() {
		if step.Kernel != "general" && step.Kernel != "fused" { // fusing is the nest's, not the registry's
			s.t.Errorf("registry off: step %s ran kernel %s", step.Name, step.Kernel)
		}
	}
	s.run("SET trireme.registry = 'on'")
	e := s.analyze(sql)
	taken := e.taken()
	for _, path := range want {
		if taken[path] == 0 {
			s.t.Errorf("%s is not among the paths %v\n%s", path, slices.Sorted(maps.Keys(taken)), e.Programs[len(e.Programs)-1].PhysicalPlan)
		}
	}
}

// sorted is a statement's rows in the order of their text.
func (s testSession) sorted(sql string) string {
	s.t.Helper()
	rows := strings.Split(s.run(sql), ";")
	slices.Sort(rows)
	return strings.Join(rows, ";")
}

// equalsDuckDB compares both backends with DuckDB, the order of rows left open.
func (s testSession) equalsDuckDB(sql string) {
	s.t.Helper()
	s.run("SET trireme.backend = 'duckdb'")
	want := s.sorted(sql)
	for _, backend := range []string{"native", "decomposed"} {
		s.run("SET trireme.backend = '" + backend + "'")
		if got := s.sorted(sql); got != want {
			s.t.Errorf("%s: %q, want %q: %s", backend, got, want, sql)
		}
	}
}

// TestManyAggregatesAreOneTraversal: leaves share the structure and its walk.
func TestManyAggregatesAreOneTraversal(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range strings.Split(pathTables, ";") {
		s.run(sql)
	}
	s.run("SET trireme.backend = 'native'")
	for _, sql := range []string{
		"SELECT count(*), sum(a.w), sum(b.w), min(a.w), max(b.f), avg(a.f) FROM e a JOIN e b ON a.dst = b.src",
		"SELECT a.src, count(*), sum(a.w), sum(b.w), min(a.w), max(b.f), avg(a.f) FROM e a JOIN e b ON a.dst = b.src GROUP BY a.src",
		"SELECT count(*), sum(a.w), sum(b.w), sum(c.w), avg(a.f), sum(b.f) FROM e a, e b, e c WHERE a.dst = b.src AND b.dst = c.src AND c.dst = a.src",
	} {
		steps := s.analyze(sql).steps()
		if len(steps) != 1 || steps[0].Traversals != 1 {
			t.Errorf("%s: %+v, want one step with one traversal", sql, steps)
		}
	}
}

// TestLoadsAreCached: the second run of a statement reads no table.
func TestLoadsAreCached(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range strings.Split(pathTables, ";") {
		s.run(sql)
	}
	s.run("SET trireme.backend = 'native'")
	const sql = "SELECT count(*) FROM e a, small b WHERE a.dst = b.k"
	for run, cached := range []bool{false, true} {
		for _, p := range s.analyze(sql).Programs {
			for _, l := range p.Loads {
				if l.Cached != cached {
					t.Errorf("run %d: %s cached %v", run, l.Tensor, l.Cached)
				}
			}
		}
	}
}

// TestLargeResultsAreHandedOn: a result that would take too much of the memory is
// joined as it comes; with more memory it is stored.
func TestLargeResultsAreHandedOn(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range strings.Split(pathTables, ";") {
		s.run(sql)
	}
	const sql = "SELECT max(p.n + t.w), count(*) FROM (SELECT a.src AS x, b.dst AS y, count(*) AS n FROM e a JOIN e b ON a.dst = b.src " +
		"GROUP BY a.src, b.dst) p JOIN far t ON t.k = p.y"
	s.run("SET trireme.backend = 'duckdb'")
	want := s.sorted(sql)
	s.run("SET trireme.backend = 'native'")
	for _, c := range []struct {
		limit   string
		handsOn bool
	}{{"6MB", true}, {"1GB", false}} {
		s.run("SET trireme.memory_limit = '" + c.limit + "'")
		if got := s.sorted(sql); got != want {
			t.Errorf("within %s: %s, want %s", c.limit, got, want)
		}
		handsOn := false
		for _, step := range s.analyze(sql).steps() {
			handsOn = handsOn || strings.HasPrefix(step.Kernel, "fused ") && step.Kernel != "fused columns"
		}
		if handsOn != c.handsOn {
			t.Errorf("within %s: handed on %v\n%s", c.limit, handsOn, s.analyze(sql).Programs[0].PhysicalPlan)
		}
	}
}
