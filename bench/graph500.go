package bench

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

//go:embed graph500/*.sql
var graph500Files embed.FS

// Graph500Options are the options of the graph500 suite.
type Graph500Options struct {
	// Scale and EdgeFactor are those of the R-MAT graph: 1 << Scale vertices,
	// EdgeFactor edges drawn for each.
	Scale, EdgeFactor int
}

// Graph500Default and Graph500Small are the sizes of a run on its own, and of one
// among all suites.
func Graph500Default() Graph500Options {
	return Graph500Options{Scale: 14, EdgeFactor: rmatEdgeFactor}
}

// Graph500Small is described with Graph500Default.
func Graph500Small() Graph500Options { return Graph500Options{Scale: 11, EdgeFactor: 8} }

// graph500Labels is the number of labels: the label of a vertex is its number modulo this.
const graph500Labels = 16

// edgeFactorMax bounds Graph500Options.EdgeFactor.
const edgeFactorMax = 256

const graph500Timeout = 60 * time.Second

// Graph500 is the suite of pattern counts over a skewed synthetic graph: triangles,
// squares, paths, cliques, and triangles with labelled tails.
func Graph500(o Graph500Options) (*Suite, error) {
	rmat := rmatGraph{scale: o.Scale, edgeFactor: o.EdgeFactor}
	if err := rmat.check(); err != nil {
		return nil, err
	}
	folder, err := fs.Sub(graph500Files, "graph500")
	if err != nil {
		return nil, err
	}
	cases, err := readCases(folder)
	if err != nil {
		return nil, err
	}
	s := &Suite{Name: "graph500", Cases: cases, Timeout: graph500Timeout, Data: []Dataset{{Name: "rmat", Load: rmat.loadLabelled}}}
	s.checkData()
	return s, nil
}

// rmatGraph is an undirected R-MAT graph.
type rmatGraph struct{ scale, edgeFactor int }

func (g rmatGraph) check() error {
	if g.scale < 1 || g.scale > RMATScaleMax {
		return sqlerr.New(sqlerr.InvalidParameter, "the scale of the R-MAT graph must be between 1 and %d, not %d", RMATScaleMax, g.scale)
	}
	if g.edgeFactor < 1 || g.edgeFactor > edgeFactorMax {
		return sqlerr.New(sqlerr.InvalidParameter, "the edge factor of the R-MAT graph must be between 1 and %d, not %d", edgeFactorMax, g.edgeFactor)
	}
	return nil
}

// load makes the table edge: the graph in both directions, without loops and
// duplicates.
func (g rmatGraph) load(ctx context.Context, db *Database) (err error) {
	f, err := os.CreateTemp("", "trireme-rmat-*.csv")
	if err != nil {
		return sqlerr.Wrap(sqlerr.IOError, err)
	}
	defer func() { err = errors.Join(err, os.Remove(f.Name())) }()
	if err := errors.Join(writeRMAT(f, g.scale, g.edgeFactor, rmatSeed), f.Close()); err != nil {
		return sqlerr.Wrap(sqlerr.IOError, err)
	}
	if err := loadEdges(ctx, db, f.Name(), "WHERE src <> dst"); err != nil {
		return err
	}
	return db.Exec(ctx, `CREATE OR REPLACE TABLE edge AS
		SELECT src, dst FROM (SELECT src, dst FROM edge UNION SELECT dst, src FROM edge) e ORDER BY src, dst`)
}

// loadLabelled adds the table vertex, which has a label of each.
func (g rmatGraph) loadLabelled(ctx context.Context, db *Database) error {
	if err := g.load(ctx, db); err != nil {
		return err
	}
	return db.Exec(ctx, fmt.Sprintf("CREATE TABLE vertex AS SELECT id, id %% %d AS label FROM range(%d) r(id)", graph500Labels, 1<<g.scale))
}
