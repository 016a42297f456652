package bench

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"time"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

//go:embed la/*.sql la/data/*.sql
var laFiles embed.FS

// LAOptions are the options of the la suite: X is Rows x Columns with some 20
// entries per row, its factors have Rank columns.
type LAOptions struct{ Rows, Columns, Rank int }

// LADefault and LASmall are the sizes of a run on its own, and of one among all
// suites.
func LADefault() LAOptions { return LAOptions{Rows: 10_000, Columns: 1000, Rank: 10} }

// LASmall is described with LADefault.
func LASmall() LAOptions { return LAOptions{Rows: 2000, Columns: 400, Rank: 8} }

// Bounds of LAOptions.
const (
	laRowsMax = 10_000_000
	laRankMax = 1000
)

const laTimeout = 120 * time.Second

// LA is the suite of expressions of linear algebra over matrices that are tables of
// coordinates: what algorithms of factorisation, regression and classification
// compute in their innermost loops.
func LA(o LAOptions) (*Suite, error) {
	for _, size := range []struct {
		what    string
		n, most int
	}{{"rows", o.Rows, laRowsMax}, {"columns", o.Columns, laRowsMax}, {"rank", o.Rank, laRankMax}} {
		if size.n < 1 || size.n > size.most {
			return nil, sqlerr.New(sqlerr.InvalidParameter, "the %s of the matrices must be between 1 and %d, not %d", size.what, size.most, size.n)
		}
	}
	folder, err := fs.Sub(laFiles, "la")
	if err != nil {
		return nil, err
	}
	cases, err := readCases(folder)
	if err != nil {
		return nil, err
	}
	return &Suite{
		Name: "la", About: "Expressions of linear algebra (SPORES; SystemML's fusion plans) over matrices in tables of coordinates, with skew.",
		Cases: cases, Timeout: laTimeout, Data: []Dataset{{Name: "matrices", Load: o.load}},
	}, nil
}

func (o LAOptions) load(ctx context.Context, db *Database) error {
	sizes := fmt.Sprintf("CREATE MACRO m() AS %d; CREATE MACRO n() AS %d; CREATE MACRO rank() AS %d;", o.Rows, o.Columns, o.Rank)
	return execScripts(ctx, db, laFiles, sizes, "la/data/matrices.sql")
}
