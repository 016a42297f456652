package engine

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/optimizer/logical"
)

// hubEdges is a ring and a hub that is linked to all: two edges lead nearly
// everywhere, which an estimator that is blind to skew does not see.
const hubEdges = `CREATE TABLE e AS
	SELECT i AS src, (i + 1) % 1500 AS dst FROM range(1500) r(i)
	UNION ALL SELECT 0, i FROM range(1, 1500) r(i)
	UNION ALL SELECT i, 0 FROM range(1, 1500) r(i)`

// Cycles of four edges as pairs of paths: the numbers of paths are stored, because the
// greatest of their products is none of sums.
const (
	hubPaths  = "(SELECT a.src AS x, b.dst AS y, count(*) AS n FROM e a JOIN e b ON a.dst = b.src GROUP BY a.src, b.dst)"
	hubJoin   = " FROM " + hubPaths + " c JOIN " + hubPaths + " d ON c.x = d.y AND c.y = d.x"
	hubCycles = "SELECT max(c.n * d.n)" + hubJoin
	hubGroups = "SELECT c.x % 7 AS g, max(c.n * d.n)" + hubJoin + " GROUP BY g ORDER BY g"
)

func openHub(t *testing.T, cfg Config) testSession {
	t.Helper()
	e, err := Open(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	s := openSession(t, e)
	s.run(hubEdges)
	s.run("SET trireme.backend = 'native'")
	s.run("SET trireme.estimator = 'uniform'")
	return s
}

func TestSurprisesArePlannedAgain(t *testing.T) {
	s := openHub(t, Config{})
	for _, sql := range []string{hubCycles, hubGroups} {
		if got, want := s.run(sql), s.duck(sql); got != want {
			t.Errorf("%s: %s, DuckDB %s", sql, got, want)
		}
		_, plans := s.planned(sql)
		if len(plans) < 2 {
			t.Fatalf("%s: not planned again", sql)
		}
		first := plans[0]
		if !first.cached {
			t.Errorf("%s: the cache does not keep the first plan", sql)
		}
		for _, p := range plans[1:] {
			if p.because == nil || p.because.factor() <= surprising || p.cached || len(p.ran) == 0 {
				t.Errorf("%s: planned again %v, cached %v, %d steps run", sql, p.because, p.cached, len(p.ran))
			}
			for _, step := range p.logical.Steps {
				if step.Query.Name == p.because.step {
					t.Errorf("%s: step %s is computed again", sql, p.because.step)
				}
			}
		}
	}
}

// Aggregates of aggregates, whose checks read steps of earlier plans, constants
// and several surprises in one statement.
func TestAnswersOfPlansMadeAgain(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run(strings.ReplaceAll(hubEdges, "1500", "600"))
	s.run("CREATE TABLE l AS SELECT i AS v, i % 3 AS k, i * 1000003 AS w FROM range(600) r(i)")
	s.run("SET trireme.backend = 'native'")
	s.run("SET trireme.estimator = 'uniform'")
	const paths = "(SELECT a.src AS x, b.dst AS y, count(*) AS n, sum(l.w) AS w FROM e a JOIN e b ON a.dst = b.src JOIN l ON l.v = b.src GROUP BY a.src, b.dst)"
	again := 0
	for _, sql := range []string{
		"SELECT sum(c.n * c.n), max(c.w) FROM " + paths + " c",
		"SELECT sum(c.n * d.n), sum(c.w), min(d.w) FROM " + paths + " c JOIN " + paths + " d ON c.x = d.y AND c.y = d.x",
		"SELECT max(c.n * c.n), max(c.w) FROM " + paths + " c",
		"SELECT max(c.n * d.n), sum(c.w), min(d.w) FROM " + paths + " c JOIN " + paths + " d ON c.x = d.y AND c.y = d.x",
		"SELECT max(t.n), sum(t.n) FROM (SELECT c.x, max(c.n * e.dst) AS n FROM " + paths + " c JOIN e ON c.x = e.src GROUP BY c.x) t",
		"SELECT p.k, count(*), sum(q.w) FROM l p, l q, " + paths + " c, " + paths + " d WHERE p.v = c.x AND c.y = d.y AND d.x = c.x AND d.y = q.v AND q.k = 1 GROUP BY p.k ORDER BY p.k",
		"SELECT count(*), sum(l.w) FROM e a, e b, e c, e d, l WHERE a.dst = b.src AND b.dst = c.src AND c.dst = d.src AND d.dst = a.src AND l.v = a.src AND l.k = 2",
	} {
		if got, want := s.run(sql), s.duck(sql); got != want {
			t.Errorf("%s: %s, DuckDB %s", sql, got, want)
		}
		_, plans := s.planned(sql)
		again += len(plans) - 1
	}
	if again < 3 {
		t.Errorf("%d plans were made again", again)
	}
}

func TestExplainShowsPlansMadeAgain(t *testing.T) {
	s := openHub(t, Config{})
	text := strings.ReplaceAll(s.run("EXPLAIN ANALYZE "+hubCycles), ";", "\n")
	for _, want := range []string{"after step c: estimated ", "planned again in ", "LOGICAL PLAN AFTER STEP C", "EXECUTION AFTER STEP C", "estimator uniform"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	var docs [1]struct {
		Estimator string
		Programs  []struct {
			PlannedAgain []struct {
				After string           `json:"after_step"`
				Q     float64          `json:"q_error"`
				Steps []map[string]any `json:"steps"`
			} `json:"planned_again"`
		}
	}
	if err := json.Unmarshal([]byte(s.run("EXPLAIN (ANALYZE, FORMAT JSON) "+hubCycles)), &docs); err != nil {
		t.Fatal(err)
	}
	doc := docs[0]
	if doc.Estimator != "uniform" || len(doc.Programs) != 1 || len(doc.Programs[0].PlannedAgain) == 0 {
		t.Fatalf("%+v", doc)
	}
	if again := doc.Programs[0].PlannedAgain[0]; again.After != "c" || again.Q <= surprising || len(again.Steps) == 0 {
		t.Errorf("%+v", again)
	}
}

// TestRestOfSurprise: only steps that read a surprising one, or what is made of it,
// count as work that a new plan may save, and more of it where there are more entries.
func TestRestOfSurprise(t *testing.T) {
	step := func(text string, cost float64) *logical.Step {
		p, err := einsum.Parse("tensor A(0) { n i64 }\ntensor B(0) { n i64 }\ntensor C(0) { n i64 }\n" + text)
		if err != nil {
			t.Fatal(err)
		}
		return &logical.Step{Query: p.Queries[len(p.Queries)-1], Cost: cost}
	}
	rest := []*logical.Step{
		step("D(i) = n: A.n(i) * B.n(i)", 1), step("E(i) = n: B.n(i) * C.n(i)", 10),
		step("D(i) = n: A.n(i)\nF(i) = n: D.n(i) * C.n(i)", 100), step("E(i) = n: B.n(i)\nG() = n: sum(i) E.n(i)", 1000),
	}
	for _, c := range []struct {
		s    surprise
		want float64
	}{
		{surprise{step: "A", estimated: 10, entries: 2}, 101},
		{surprise{step: "A", estimated: 10, entries: 30}, 303},
		{surprise{step: "C", estimated: 10, entries: 1}, 1110},
		{surprise{step: "H", estimated: 10, entries: 1}, 0},
	} {
		if got := c.s.remaining(rest); got != c.want {
			t.Errorf("after %s: %v cells remain, want %v", c.s.step, got, c.want)
		}
	}
}

// TestGathersWhatIsRead: degrees are gathered of results that later steps read and of
// which that is less work than is left.
func TestGathersWhatIsRead(t *testing.T) {
	vector := func(entries int) *stepResult {
		full := randomTensor(t, rand.New(rand.NewPCG(1, 1)), []int{entries}, format.SparseList, 1)
		return &stepResult{tensor: full, idxs: []einsum.Index{{}}, order: []int{0}}
	}
	n := &nativeRun{results: map[string]*stepResult{"A": vector(5), "B": vector(50), "C": vector(5)}}
	p, err := einsum.Parse("tensor A(0) { n i64 }\ntensor B(0) { n i64 }\nD(i) = n: A.n(i) * B.n(i)")
	if err != nil {
		t.Fatal(err)
	}
	if err := n.gather(context.Background(), []*logical.Step{{Query: p.Queries[0]}}, 10*gatherCost); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"A": true, "B": false, "C": false} {
		if got := n.results[name].figures != nil; got != want {
			t.Errorf("%s: gathered %t, want %t", name, got, want)
		}
	}
	fewer, more := surprise{estimated: 10, entries: 2}, surprise{estimated: 10, entries: 30}
	if fewer.shrunk(100) != 20 || more.shrunk(100) != 100 {
		t.Errorf("%v cells of 100 are left with a fifth of the entries, %v with three times as many", fewer.shrunk(100), more.shrunk(100))
	}
}

func TestSmallRestsAreNotPlannedAgain(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run(strings.ReplaceAll(hubEdges, "1500", "50"))
	s.run("SET trireme.backend = 'native'")
	s.run("SET trireme.estimator = 'uniform'")
	if _, plans := s.planned(hubCycles); len(plans) != 1 {
		t.Errorf("planned %d times", len(plans))
	}
}

// Plans made again while others do the same, and while tables change.
func TestPlanningAgainConcurrently(t *testing.T) {
	s := openHub(t, Config{})
	want := s.duck(hubCycles)
	var all sync.WaitGroup
	for range 3 {
		other := openSession(t, s.engine)
		all.Go(func() {
			for _, set := range []string{"SET trireme.backend = 'native'", "SET trireme.estimator = 'uniform'"} {
				if _, _, err := other.try(set); err != nil {
					t.Error(err)
				}
			}
			if got, _, err := other.try(hubCycles); err != nil || got != want {
				t.Errorf("%s %v, want %s", got, err, want)
			}
		})
	}
	all.Wait()
}

func TestPlanningAgainIsCancelled(t *testing.T) {
	s := openHub(t, Config{})
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	p, err := s.Prepare(context.Background(), hubCycles, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := p.Execute(ctx, nil)
	if err == nil {
		_, err = readAll(res)
	}
	if err == nil {
		t.Error("a statement outlives its context")
	}
	s.want("SELECT count(*) FROM e", "4498")
}
