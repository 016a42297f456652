package engine

import (
	"math/rand/v2"
	"testing"
)

// extremeTables are values at both ends of the types of 128 bits, whose differences
// need one bit more.
func extremeTables(*rand.Rand) string {
	return `CREATE TABLE a (k INTEGER, h HUGEINT, m DECIMAL(38,0), u UBIGINT);
		INSERT INTO a VALUES
			(1, 170141183460469231731687303715884105727, 99999999999999999999999999999999999999, 18446744073709551615),
			(1, -170141183460469231731687303715884105728, -99999999999999999999999999999999999999, 0),
			(1, 5, 5, 5), (2, 0, 0, 0), (3, NULL, NULL, NULL), (NULL, -1, -1, 1);
		CREATE TABLE d (k INTEGER);
		INSERT INTO d VALUES (1), (3), (3)`
}

// A condition that reads several tables compares the values of 128 bits themselves.
func TestComparisonsOfExtremes(t *testing.T) {
	var cases []aggregateCase
	for _, column := range []string{"h", "m", "u"} {
		for _, op := range []string{"=", "<>", "<", "<=", ">", ">="} {
			comparison := "a." + column + " " + op + " c." + column
			cases = append(cases, exactly(
				"SELECT count(*) FROM a JOIN a c ON a.k = c.k WHERE a.k = 2 OR "+comparison,
				"SELECT count(*) FROM a JOIN a c ON a.k = c.k LEFT JOIN d ON d.k = c.k WHERE d.k IS NULL OR NOT ("+comparison+")",
			)...)
		}
	}
	compareOver(t, extremeTables, 1, 1, append(cases, exactly(
		`SELECT count(*) FROM (SELECT k, min(h) h FROM a GROUP BY k) a JOIN (SELECT k, max(h) h FROM a GROUP BY k) c ON a.k = c.k
			WHERE a.k = 2 OR a.h < c.h`,
		"SELECT a.k, count(*) FROM a JOIN a c ON a.k = c.k WHERE c.k = 2 OR a.h BETWEEN c.h AND 5 GROUP BY a.k",
		"SELECT a.k, count(*) FROM a JOIN a c ON a.k = c.k WHERE c.k = 2 OR a.h IN (c.h, -1) GROUP BY a.k",
	)...))
}
