package bench

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

//go:embed bfs/*.sql paths/*.sql
var traversalFiles embed.FS

// TraversalOptions are the options of the suites bfs and paths.
type TraversalOptions struct {
	// DataDir holds the Epinions graph as edge.csv or edge.csv.gz: src,dst, every
	// edge in both directions. Empty: its cases are left out.
	DataDir string
	// Scale is that of the R-MAT graph: 1 << Scale vertices, 16 edges drawn for each.
	Scale int
	// Side is that of the grid: Side * Side vertices.
	Side int
}

// TraversalDefault and TraversalSmall are the sizes of a run on its own, and of one
// among all suites; DataDir is left to the caller.
func TraversalDefault() TraversalOptions { return TraversalOptions{Scale: 18, Side: 200} }

// TraversalSmall is described with TraversalDefault.
func TraversalSmall() TraversalOptions { return TraversalOptions{Scale: 16, Side: 60} }

// gridSideMax bounds TraversalOptions.Side: a million vertices.
const gridSideMax = 1000

const traversalTimeout = 120 * time.Second

// BFS is the suite of breadth-first searches: each is one recursive statement, and
// one more per graph is iterated by the client.
func BFS(o TraversalOptions) (*Suite, error) { return o.suite("bfs") }

// Paths is the suite of shortest paths from one vertex, in the same forms.
func Paths(o TraversalOptions) (*Suite, error) { return o.suite("paths") }

func (o TraversalOptions) suite(name string) (*Suite, error) {
	rmat := rmatGraph{scale: o.Scale, edgeFactor: rmatEdgeFactor}
	if err := rmat.check(); err != nil {
		return nil, err
	}
	if o.Side < 2 || o.Side > gridSideMax {
		return nil, sqlerr.New(sqlerr.InvalidParameter, "the side of the grid must be between 2 and %d, not %d", gridSideMax, o.Side)
	}
	folder, err := fs.Sub(traversalFiles, name)
	if err != nil {
		return nil, err
	}
	cases, err := readCases(folder)
	if err != nil {
		return nil, err
	}
	s := &Suite{Name: name, Cases: cases, Timeout: traversalTimeout, Data: []Dataset{
		{Name: "rmat", Load: weighted(rmat.load)},
		{Name: "epinions", Load: weighted(KernelOptions{DataDir: o.DataDir}.loadEpinions)},
		{Name: "road", Load: weighted(o.loadRoad)},
	}}
	if o.DataDir == "" {
		s.Cases = slices.DeleteFunc(s.Cases, func(c Case) bool { return c.Data == "epinions" })
		s.Data = slices.Delete(s.Data, 1, 2)
	}
	s.checkData()
	return s, nil
}

// checkData panics where a case is over data that are not the suite's.
func (s *Suite) checkData() {
	for _, c := range s.Cases {
		known := slices.ContainsFunc(s.Data, func(d Dataset) bool { return d.Name == c.Data })
		invariant.Check(known, "bench: case %s is over unknown data %q", c.Name, c.Data)
	}
}

// weighted adds to a graph the table wedge, which has a weight from 1 to 10, the
// same in both directions.
func weighted(load func(context.Context, *Database) error) func(context.Context, *Database) error {
	return func(ctx context.Context, db *Database) error {
		if err := load(ctx, db); err != nil {
			return err
		}
		return db.Exec(ctx, `CREATE TABLE wedge AS
			SELECT src, dst, 1 + (least(src, dst) * 7 + greatest(src, dst) * 13) % 10 AS w FROM edge`)
	}
}

// loadRoad makes a grid whose vertices have an edge to the right and one
// downwards, of which some are missing, in both directions. The edges from vertex
// 0 are there.
func (o TraversalOptions) loadRoad(ctx context.Context, db *Database) error {
	return db.Exec(ctx, fmt.Sprintf(`CREATE TABLE edge AS
		WITH vertex AS (SELECT v FROM range(%[2]d) r(v)), street AS (
			SELECT v AS a, v + 1 AS b FROM vertex WHERE v %% %[1]d < %[1]d - 1
			UNION ALL SELECT v, v + %[1]d FROM vertex WHERE v + %[1]d < %[2]d
		), open AS (SELECT a, b FROM street WHERE a = 0 OR (a * 7919 + b * 104729) %% 1009 < 850)
		SELECT a AS src, b AS dst FROM open UNION ALL SELECT b, a FROM open ORDER BY src, dst`, o.Side, o.Side*o.Side))
}
