package coverage

import (
	"fmt"
	"path"
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// ScaleTest makes tables of some thousand rows, ScaleTiming the largest tables of
// every data set a million rows and more.
const (
	ScaleTest   = 2
	ScaleTiming = 200
	ScaleMax    = 5000
)

// macros are what the scripts are written in: pick is uniform in 0..n-1, unit in
// 0 to 1; skewed and bent are below n and denser near 0, skewed more so. A hash
// of a hash, because hashes of pairs with a common part have common bits.
const macros = `CREATE MACRO scale() AS %d;
CREATE MACRO pick(i, salt, n) AS (hash(hash(i, salt)) %% n::UBIGINT)::BIGINT;
CREATE MACRO unit(i, salt) AS (hash(hash(i, salt)) %% 1048576)::DOUBLE / 1048576;
CREATE MACRO skewed(i, salt, n) AS floor(n * unit(i, salt) * unit(i, salt))::BIGINT;
CREATE MACRO bent(i, salt, n) AS floor(n * (unit(i, salt) * sqrt(sqrt(unit(i, salt)))))::BIGINT;
`

const dropMacros = `
DROP MACRO bent;
DROP MACRO skewed;
DROP MACRO unit;
DROP MACRO pick;
DROP MACRO scale;
`

// Script is the SQL that makes the tables of a data set in an empty database.
// Sizes are proportional to scale, which is at least 1 and at most ScaleMax.
func Script(data string, scale int) (string, error) {
	if scale < 1 || scale > ScaleMax {
		return "", sqlerr.New(sqlerr.InvalidParameter, "the scale must be between 1 and %d, not %d", ScaleMax, scale)
	}
	text, err := files.ReadFile(path.Join("data", data+".sql"))
	if err != nil {
		return "", fmt.Errorf("data set %s: %w", data, err)
	}
	return fmt.Sprintf(macros, scale) + string(text) + dropMacros, nil
}

// DataSets names the data sets in alphabetical order.
func DataSets() ([]string, error) {
	entries, err := files.ReadDir("data")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".sql"))
	}
	return names, nil
}
