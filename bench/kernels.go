package bench

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

//go:embed kernels/*.sql
var kernelFiles embed.FS

// KernelOptions are the options of the kernels suite.
type KernelOptions struct {
	// DataDir holds the Epinions graph as edge.csv or edge.csv.gz: src,dst, every
	// edge in both directions.
	DataDir string
	// Scale is that of the R-MAT graph: 1 << Scale vertices.
	Scale int
}

// RMATScaleMax bounds KernelOptions.Scale: some 2 GB of edges.
const RMATScaleMax = 22

const kernelsTimeout = 300 * time.Second

// Kernels is the suite of single kernels over the Epinions graph and an R-MAT
// graph: triangles, cliques, chains, sampled products, steps of searches.
func Kernels(o KernelOptions) (*Suite, error) {
	rmat := rmatGraph{scale: o.Scale, edgeFactor: rmatEdgeFactor}
	if err := rmat.check(); err != nil {
		return nil, err
	}
	folder, err := fs.Sub(kernelFiles, "kernels")
	if err != nil {
		return nil, err
	}
	cases, err := readCases(folder)
	if err != nil {
		return nil, err
	}
	s := &Suite{Name: "kernels", Cases: cases, Timeout: kernelsTimeout, Data: []Dataset{
		{Name: "epinions", Load: o.loadEpinions},
		{Name: "weighted", Load: o.loadWeighted},
		{Name: "rmat18", Load: rmat.load},
	}}
	s.checkData()
	return s, nil
}

func (o KernelOptions) loadEpinions(ctx context.Context, db *Database) error {
	path, err := findCSV(o.DataDir, "edge")
	if err != nil {
		return err
	}
	return loadEdges(ctx, db, path, "")
}

// findCSV finds NAME.csv or NAME.csv.gz in a folder.
func findCSV(dir, name string) (string, error) {
	for _, suffix := range []string{".csv", ".csv.gz"} {
		path := filepath.Join(dir, name+suffix)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", sqlerr.Wrap(sqlerr.IOError, err)
		}
	}
	return "", sqlerr.New(sqlerr.IOError, "there is no %s.csv or %s.csv.gz in %q", name, name, dir).
		WithHint("Name the folder of the graph: --data for that of the Epinions graph, --graph for others.")
}

// loadEdges creates the table edge from a CSV of src,dst. clean is "" or what
// else is done to the rows, in SQL after FROM.
func loadEdges(ctx context.Context, db *Database, path, clean string) error {
	sql := fmt.Sprintf(`CREATE TABLE edge AS SELECT src, dst FROM read_csv(%s, header = true, auto_detect = false,
		columns = {'src': 'BIGINT', 'dst': 'BIGINT'}) r %s`, quoteText(path), clean)
	if err := db.Exec(ctx, sql); err != nil {
		return malformed(path, "src,dst", err)
	}
	return nil
}

// malformed is the error of a CSV that could not be read.
func malformed(path, columns string, err error) error {
	e := *sqlerr.From(err)
	e.Message, e.Offset = fmt.Sprintf("%s cannot be read: %s", path, e.Message), -1
	if e.Hint == "" {
		e.Hint = "Expected is a CSV with the header " + columns + "."
	}
	return &e
}

func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func quoteText(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// weightedTables are made of the graph by formulas that every machine agrees
// on; weights are below or equal to 1 and never 0.
const weightedTables = `
CREATE TABLE wedge AS SELECT src, dst, ((src * 31 + dst * 17) % 97 + 1) / 97.0::DOUBLE AS w FROM edge;
CREATE TABLE vertex AS SELECT DISTINCT src AS v FROM edge ORDER BY v;
CREATE TABLE vec AS SELECT v, (v * 13 % 29 + 1) / 29.0::DOUBLE AS y FROM vertex;
CREATE TABLE dist AS SELECT v, (v * 7919 % 1009)::DOUBLE / 8 AS dist FROM vertex;
CREATE TABLE lfactor AS SELECT v, f, ((v * 7 + f * 13) % 23 + 1) / 23.0::DOUBLE AS x FROM vertex, range(32) r(f);
CREATE TABLE rfactor AS SELECT v, f, ((v * 11 + f * 5) % 19 + 1) / 19.0::DOUBLE AS x FROM vertex, range(32) r(f);
CREATE TABLE frontier AS SELECT DISTINCT dst AS v FROM edge WHERE src % 1000 = 3;
CREATE TABLE unvisited AS SELECT v FROM vertex WHERE v NOT IN (SELECT v FROM frontier);
`

// loadWeighted adds to the Epinions graph weights, vectors, factors of rank 32,
// and the state of a breadth-first search after its first step.
func (o KernelOptions) loadWeighted(ctx context.Context, db *Database) error {
	if err := o.loadEpinions(ctx, db); err != nil {
		return err
	}
	return db.Exec(ctx, weightedTables)
}
