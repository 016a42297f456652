package bench

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

//go:embed finch/*.sql
var finchFiles embed.FS

// FinchOptions are the options of the finch suite.
type FinchOptions struct {
	// DataDir holds the Epinions graph as edge.csv or edge.csv.gz: src,dst, every
	// edge in both directions. Empty: its cases are left out.
	DataDir string
	// Scale is that of the R-MAT graph: 1 << Scale vertices, 16 edges drawn for each.
	Scale int
	// Dimension is the number of rows, and of columns, of the matrices that are
	// combined element by element.
	Dimension int
}

// FinchDefault and FinchSmall are the sizes of a run on its own, and of one among
// all suites; DataDir is left to the caller. The evaluation that the suite follows
// has matrices of dimension 10,000.
func FinchDefault() FinchOptions { return FinchOptions{Scale: 14, Dimension: 4000} }

// FinchSmall is described with FinchDefault.
func FinchSmall() FinchOptions { return FinchOptions{Scale: 12, Dimension: 1000} }

// finchDimensionMax bounds FinchOptions.Dimension: 40 million entries of each of two
// matrices.
const finchDimensionMax = 20_000

// finchDensity is the share of cells that have an entry, of the matrices a and b;
// finchDensities are those of the matrix c, one after the other.
const finchDensity = "0.1"

var finchDensities = []string{"0.1", "0.01", "0.001", "0.0001"}

// embeddingDim is the number of features of a vertex in sampled products.
const embeddingDim = 25

// sweptData is the data set of the cases that are measured once per density.
const sweptData = "matrices"

const finchTimeout = 120 * time.Second

// Finch is the suite of kernels that fused sparse loops are judged by: triangles,
// the sampled product of two dense matrices, and element-wise combinations of three
// matrices, of which one becomes sparser from case to case.
func Finch(o FinchOptions) (*Suite, error) {
	rmat := rmatGraph{scale: o.Scale, edgeFactor: rmatEdgeFactor}
	if err := rmat.check(); err != nil {
		return nil, err
	}
	if o.Dimension < 10 || o.Dimension > finchDimensionMax {
		return nil, sqlerr.New(sqlerr.InvalidParameter, "the dimension of the matrices must be between 10 and %d, not %d", finchDimensionMax, o.Dimension)
	}
	folder, err := fs.Sub(finchFiles, "finch")
	if err != nil {
		return nil, err
	}
	cases, err := readCases(folder)
	if err != nil {
		return nil, err
	}
	s := &Suite{Name: "finch", Timeout: finchTimeout, Data: []Dataset{
		{Name: "rmat", Load: embedded(rmat.load)},
		{Name: "epinions", Load: embedded(KernelOptions{DataDir: o.DataDir}.loadEpinions)},
	}}
	if o.DataDir == "" {
		s.Data = s.Data[:1]
		cases = slices.DeleteFunc(cases, func(c Case) bool { return c.Data == "epinions" })
	}
	for _, density := range finchDensities {
		s.Data = append(s.Data, Dataset{Name: sweptData + " " + density, Load: o.matrices(density)})
	}
	for _, c := range cases {
		s.Cases = append(s.Cases, swept(c)...)
	}
	s.checkData()
	return s, nil
}

// swept is a case, or of one over matrices one per density of c.
func swept(c Case) []Case {
	if c.Data != sweptData {
		return []Case{c}
	}
	var out []Case
	for _, density := range finchDensities {
		of := c
		of.Name, of.Data = c.Name+"_"+density, c.Data+" "+density
		out = append(out, of)
	}
	return out
}

// embedded adds to a graph the tables lfactor and rfactor: dense matrices with a row
// per vertex and embeddingDim columns.
func embedded(load func(context.Context, *Database) error) func(context.Context, *Database) error {
	return func(ctx context.Context, db *Database) error {
		if err := load(ctx, db); err != nil {
			return err
		}
		return db.Exec(ctx, fmt.Sprintf(`
			CREATE TABLE vertex AS SELECT DISTINCT src AS v FROM edge ORDER BY v;
			CREATE TABLE lfactor AS SELECT v, f, ((v * 7 + f * 13) %% 23 + 1) / 23.0::DOUBLE AS x FROM vertex, range(%[1]d) r(f);
			CREATE TABLE rfactor AS SELECT v, f, ((v * 11 + f * 5) %% 19 + 1) / 19.0::DOUBLE AS x FROM vertex, range(%[1]d) r(f);`, embeddingDim))
	}
}

// matrices makes the tables a, b and c of (i, j, v): cells drawn uniformly with
// replacement, duplicates removed, so that the densities are a little below those
// given; values are multiples of 1/8.
func (o FinchOptions) matrices(density string) func(context.Context, *Database) error {
	return func(ctx context.Context, db *Database) error {
		for seed, m := range []struct{ name, density string }{{"a", finchDensity}, {"b", finchDensity}, {"c", density}} {
			err := db.Exec(ctx, fmt.Sprintf(`CREATE TABLE %[1]s AS
				SELECT (cell // %[3]d)::INTEGER AS i, (cell %% %[3]d)::INTEGER AS j, (1 + cell * %[4]d %% 17)::DOUBLE / 8 AS v
				FROM (SELECT DISTINCT (hash(r, %[4]d) %% %[5]d)::BIGINT AS cell FROM range((%[2]s * %[5]d)::BIGINT) t(r)) cells
				ORDER BY i, j`, m.name, m.density, o.Dimension, seed+1, o.Dimension*o.Dimension))
			if err != nil {
				return err
			}
		}
		return nil
	}
}
