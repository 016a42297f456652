package engine

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/engine/difftest"
)

// infiniteTables are three tables of few rows that join often: d and e are small,
// infinite, NaN or NULL.
func infiniteTables(rng *rand.Rand) string {
	doubles := []string{"'inf'", "'-inf'", "1", "2", "-1", "0", "'nan'", "0.5", "NULL"}
	double := func() string { return doubles[rng.IntN(len(doubles))] }
	var b strings.Builder
	b.WriteString("CREATE TABLE a (k INTEGER, d DOUBLE, y INTEGER);\nCREATE TABLE b (k INTEGER, l INTEGER, y INTEGER);\nCREATE TABLE c (k INTEGER, l INTEGER, x INTEGER, e DOUBLE);\n")
	for range 1 + rng.IntN(5) {
		fmt.Fprintf(&b, "INSERT INTO a VALUES (%d, %s, %d);\n", rng.IntN(3), double(), rng.IntN(6)-2)
	}
	for range 1 + rng.IntN(6) {
		fmt.Fprintf(&b, "INSERT INTO b VALUES (%d, %d, %d);\n", rng.IntN(3), rng.IntN(3), rng.IntN(6)-2)
	}
	for range 1 + rng.IntN(6) {
		fmt.Fprintf(&b, "INSERT INTO c VALUES (%d, %d, %d, %s);\n", rng.IntN(3), rng.IntN(3), rng.IntN(6)-2, double())
	}
	return b.String()
}

// TestSumsOfInfiniteProducts: inf * 2 - inf * 1 is no number, and inf * (2 - 1) is:
// sums of products over several tables are those of the products as they are written.
func TestSumsOfInfiniteProducts(t *testing.T) {
	arguments := []string{
		"a.d * c.x", "(a.d + c.x) * b.y", "a.d * (b.y + c.x)", "a.d * b.y * c.x", "(a.d - c.x) * (b.y + 1)", "a.d * c.x * c.x", "a.d - c.x * b.y",
		"-a.d * c.x", "a.d / 2 * c.x", "c.e * a.d", "c.e * a.d + b.y", "c.e * c.x * b.y", "a.d * a.y", "2 * a.d * c.x", "(2 - a.d) * c.x",
	}
	joins := []string{
		"a JOIN b USING (k) JOIN c USING (l)", "a JOIN b USING (k) JOIN c USING (k)", "a, b, c", "a JOIN b USING (k), c",
		"a JOIN b ON a.k <= b.k JOIN c ON c.l = b.l", "a LEFT JOIN b USING (k) LEFT JOIN c USING (l)",
	}
	groups := []string{"a.k", "b.l", "c.l", "b.y", "a.k, c.l"}
	r := newRig(t)
	rng := rand.New(rand.NewPCG(31, 7))
	for range 8 {
		r.dropTables()
		schema := infiniteTables(rng)
		r.script(schema)
		for _, from := range joins {
			sql := "SELECT count(*)"
			for range 5 {
				sql += fmt.Sprintf(", sum(%s)", arguments[rng.IntN(len(arguments))])
			}
			sql += " FROM " + from
			if rng.IntN(3) > 0 {
				sql += " GROUP BY " + groups[rng.IntN(len(groups))]
			}
			want, err := r.want(sql, nil)
			if err != nil {
				t.Fatal(err)
			}
			refused, err := r.compareAll(sql, nil, want, difftest.CompareOptions{})
			if err != nil || refused != "" {
				t.Fatalf("%v%s\n%s\n%s", err, refused, schema, sql)
			}
		}
	}
}

// TestSumsHaveNoNegativeZero: DuckDB's sums begin with 0, so that -0 leaves them 0.
func TestSumsHaveNoNegativeZero(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t AS SELECT '-0.0'::DOUBLE AS x, 1 AS k")
	s.run("CREATE TABLE u AS SELECT 1 AS y, 1 AS k UNION ALL SELECT 2, 1")
	for _, backend := range []string{"duckdb", "native", "decomposed"} {
		s.run("SET trireme.backend = '" + backend + "'")
		s.want("SELECT sum(t.x), avg(t.x), sum(t.x * u.y), avg(t.x * u.y) FROM t JOIN u USING (k)", "0|0|0|0")
		s.want("SELECT t.k, sum(t.x * u.y), sum(-3 * t.x * u.y) FROM t, u GROUP BY t.k", "1|0|0")
		s.want("SELECT 1 / sum(t.x * u.y) FROM t, u", "+Inf")
	}
}
