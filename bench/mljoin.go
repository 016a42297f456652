package bench

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"time"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

//go:embed mljoin/*.sql mljoin/data/*.sql
var mljoinFiles embed.FS

// MLJoinOptions are the options of the mljoin suite.
type MLJoinOptions struct {
	// SF is TPC-H's scale factor: 1 are 6 million line items.
	SF float64
}

// MLJoinDefault and MLJoinSmall are the sizes of a run on its own, the scale of the
// evaluation that the suite follows, and of one among all suites.
func MLJoinDefault() MLJoinOptions { return MLJoinOptions{SF: 0.25} }

// MLJoinSmall is described with MLJoinDefault.
func MLJoinSmall() MLJoinOptions { return MLJoinOptions{SF: 0.005} }

// Bounds of MLJoinOptions.SF: some tens of line items, and 60 million.
const mljoinSFMin, mljoinSFMax = 1e-5, 10.0

const mljoinTimeout = 300 * time.Second

// MLJoin is the suite of models over joins of TPC-H's tables: linear and
// logistic regression, a covariance matrix and a network, over the star of line
// items and over pairs of line items of one part.
func MLJoin(o MLJoinOptions) (*Suite, error) {
	if !(o.SF >= mljoinSFMin && o.SF <= mljoinSFMax) { // NaN is neither
		return nil, sqlerr.New(sqlerr.InvalidParameter, "the scale factor must be between %v and %v, not %v", mljoinSFMin, mljoinSFMax, o.SF)
	}
	folder, err := fs.Sub(mljoinFiles, "mljoin")
	if err != nil {
		return nil, err
	}
	cases, err := readCases(folder)
	if err != nil {
		return nil, err
	}
	return &Suite{
		Name: "mljoin", About: "Regressions, covariance matrices and networks over joins of TPC-H's tables (Galley, section 8.1).",
		Cases: cases, Timeout: mljoinTimeout, Data: []Dataset{{Name: "tpch", Load: o.load}},
	}, nil
}

func (o MLJoinOptions) load(ctx context.Context, db *Database) error {
	return execScripts(ctx, db, mljoinFiles, fmt.Sprintf("CREATE MACRO sf() AS %v::DOUBLE;", o.SF), "mljoin/data/tables.sql", "mljoin/data/features.sql")
}

// execScripts executes a statement that sets sizes and then the scripts of a file
// system that depend on it.
func execScripts(ctx context.Context, db *Database, files fs.FS, first string, names ...string) error {
	if err := db.Exec(ctx, first); err != nil {
		return err
	}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		if err := db.Exec(ctx, string(text)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
