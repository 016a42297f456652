package engine

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/engine/difftest"
)

// operatorStatements are operators and tests of truth, over one table and over
// several.
func operatorStatements() []aggregateCase {
	return append(exactly(
		"SELECT count(*) FROM a JOIN b ON a.x & 1 = b.x & 1",
		`SELECT a.x & b.x, sum((a.x | b.x) + (a.x << 1)), sum(xor(a.x, b.x)), sum(~a.x), max(bit_count(a.x) >> 1)
			FROM (SELECT * FROM a WHERE x >= 0) a JOIN b USING (k) GROUP BY 1`,
		`SELECT count_if(a.f IS TRUE), count_if(a.f IS NOT TRUE), count_if(a.f IS FALSE), count_if(a.f IS NOT FALSE), count_if(a.f IS UNKNOWN),
			count_if(a.f IS NOT UNKNOWN), sum(CASE WHEN a.f IS TRUE THEN b.x ELSE 0 END) FROM a JOIN b USING (k)`,
		"SELECT count(*) FROM a JOIN b USING (k) WHERE (a.x < b.x) IS NOT TRUE",
		"SELECT count(*) FROM a LEFT JOIN b USING (k) WHERE (a.x = b.x) IS UNKNOWN",
		"SELECT (a.x > b.x) IS FALSE, count(*), count_if((a.y = b.x) IS TRUE) FROM a LEFT JOIN b USING (k) GROUP BY (a.x > b.x) IS FALSE",
		"SELECT a.x IS TRUE, count(*) FROM a, b WHERE a.k = b.k AND b.x IS NOT FALSE GROUP BY a.x IS TRUE",
		"SELECT count(*) FROM a JOIN b USING (k) WHERE a.s GLOB '[pq]*' AND b.s SIMILAR TO '(p|q)' AND NOT a.s ~ 'x'",
		"SELECT count(*) FROM a JOIN b USING (k) WHERE a.s NOT SIMILAR TO 'p.*' OR b.s !~ 'q'",
		"SELECT count(*) FROM a JOIN b USING (k) WHERE (a.s || b.s) ~ 'p.' OR a.s GLOB b.s || '*'",
		"SELECT sum(-2 ^ 2 * a.x), sum(2 ** 2 ^ 2 * b.x) FROM a JOIN b USING (k)",
	), about(
		"SELECT b.h, sum(a.d ** 2 + b.d ^ 2), sum(a.x ^ 2 * b.x) FROM a JOIN b USING (k) GROUP BY b.h",
	)...)
}

func TestOperatorsAsWritten(t *testing.T) { compareCases(t, 71, 6, operatorStatements()) }

// comparedQueries are comparisons with ANY and ALL rows of a query.
func comparedQueries() []aggregateCase {
	return exactly(
		"SELECT count(*) FROM a WHERE x > ALL (SELECT x FROM b WHERE b.k = a.k)",
		"SELECT count(*) FROM a WHERE x > ANY (SELECT x FROM b WHERE b.k = a.k)",
		"SELECT count(*) FROM a WHERE NOT x > ANY (SELECT x FROM b)",
		"SELECT count(*), sum(y) FROM a WHERE x >= ALL (SELECT x FROM b WHERE x IS NOT NULL)",
		"SELECT x <= ALL (SELECT x FROM b), count(*) FROM a GROUP BY x",
		"SELECT count(*), count_if(x < ANY (SELECT x FROM b)), count_if(x <> ANY (SELECT x FROM b)), count_if(d = ALL (SELECT x FROM b)) FROM a",
		"SELECT count(*) FROM a WHERE x > ALL (SELECT max(x) FROM b WHERE b.k = a.k)",
		"SELECT count(*) FROM a WHERE x < SOME (SELECT max(x) FROM b GROUP BY h)",
		"SELECT count(*) FROM a WHERE g > 0 OR t >= ALL (SELECT t FROM a WHERE g = 0)",
		"SELECT a.g, count(*) FROM a JOIN c USING (k) WHERE a.m <> ALL (SELECT x FROM b WHERE b.k = c.k) GROUP BY a.g",
	)
}

func TestComparedQueries(t *testing.T) { compareCases(t, 72, 2, comparedQueries()) }

func TestNaturalFullJoins(t *testing.T) {
	compareCases(t, 73, 6, exactly(
		"SELECT count(*), sum(x), sum(y) FROM b NATURAL FULL JOIN c",
		"SELECT k, count(*) FROM b NATURAL FULL OUTER JOIN (SELECT k, y FROM c) q GROUP BY k",
		"SELECT k, count(*), min(x), sum(y) FROM (SELECT k, g FROM a) a NATURAL JOIN b NATURAL FULL JOIN c WHERE k IS NULL OR k <> 1 GROUP BY k",
	))
}

// lateralCases are derived tables that read columns of tables before them.
func lateralCases() []aggregateCase {
	return append(exactly(
		"SELECT count(*), sum(q.s) FROM a, LATERAL (SELECT sum(x) s FROM b WHERE b.k = a.k) q",
		"SELECT a.k, sum(q.s), sum(q.n) FROM a LEFT JOIN LATERAL (SELECT sum(x) s, count(*) n FROM b WHERE b.k = a.k) q ON true GROUP BY a.k",
		"SELECT a.k, sum(q.n), count(q.s) FROM a LEFT JOIN (SELECT sum(x) s, count(*) n FROM b WHERE b.k = a.k) q ON q.s > a.x GROUP BY a.k",
		"SELECT a.k, sum(q.n) FROM a JOIN LATERAL (SELECT count(*) n FROM b WHERE b.k = a.k HAVING count(*) > 0) q ON q.n < 40 GROUP BY a.k",
		"SELECT a.k, sum(q.n) FROM a LEFT JOIN LATERAL (SELECT count(*) n FROM b WHERE b.k = a.k HAVING count(*) > 1) q ON true GROUP BY a.k",
		"SELECT a.g, sum(q.n), min(q.h) FROM a JOIN LATERAL (SELECT h, count(*) n FROM b WHERE b.k = a.k GROUP BY h) q ON true GROUP BY a.g",
		`SELECT a.g, sum(q.n), count(q.h), count(*)
			FROM a LEFT JOIN LATERAL (SELECT h, count(*) n FROM b WHERE b.k = a.k GROUP BY h) q ON q.n > 1 GROUP BY a.g`,
		"SELECT a.g, sum(q.z), count(*) FROM a, LATERAL (SELECT b.x + a.x AS z FROM b WHERE b.k = a.k AND b.x < a.y) q GROUP BY a.g",
		`SELECT a.g, sum(q.z), count(*)
			FROM a LEFT JOIN LATERAL (SELECT b.x + a.x AS z FROM b WHERE b.k = a.k AND b.x < a.y) q ON q.z > 2 GROUP BY a.g`,
		"SELECT a.g, count(q.x), count(*) FROM a LEFT JOIN LATERAL (SELECT DISTINCT x, h FROM b WHERE b.k = a.k) q ON q.h = a.g GROUP BY a.g",
		"SELECT a.g, count(*) FROM a, c, LATERAL (SELECT max(x) m FROM b WHERE b.k = a.k AND b.x >= c.y) q WHERE q.m > 0 GROUP BY a.g",
		`SELECT a.g, sum(r.m) FROM a, LATERAL (SELECT max(x) m FROM b WHERE b.k = a.k) q, LATERAL (SELECT count(*) m FROM c WHERE c.y < q.m) r
			GROUP BY a.g`,
		"SELECT q.n, count(*) FROM a LEFT JOIN b USING (k), LATERAL (SELECT count(*) n FROM c WHERE c.k = b.h) q GROUP BY q.n",
	), about("SELECT sum(q.v) FROM a JOIN c USING (k) JOIN LATERAL (SELECT avg(b.d) v FROM b WHERE b.k = a.k OR b.x = c.y) q ON q.v > 0")...)
}

func TestLateralTables(t *testing.T) { compareCases(t, 74, 3, lateralCases()) }

// rowValues are comparisons of row values, and counts of different ones.
func rowValues() []aggregateCase {
	return exactly(
		"SELECT count(*), sum(y) FROM a WHERE (k, x) IN (SELECT k, x FROM b)",
		"SELECT count(*) FROM a WHERE (k, x) NOT IN (SELECT k, x FROM b)",
		"SELECT count(*) FROM a WHERE (k, x) NOT IN (SELECT k, x FROM b WHERE k IS NOT NULL AND x IS NOT NULL)",
		"SELECT count(*) FROM a WHERE NOT (k, x) IN (SELECT k, x FROM b WHERE k > 10)",
		"SELECT (k, x) IN (SELECT k, x FROM b WHERE x > 0), count(*) FROM a GROUP BY 1",
		"SELECT count(*), count_if((k, g) IN (SELECT k, h FROM b WHERE x > 0)), count_if((k, g) NOT IN (SELECT k, h FROM b)) FROM a",
		"SELECT a.g, count(*) FROM a JOIN c USING (k) WHERE (a.k, a.x) IN (SELECT k, max(x) FROM b GROUP BY k) OR a.g = 1 GROUP BY a.g",
		"SELECT count(*) FROM a WHERE (k, x) IN ((1, 2), (2, 0), (0, NULL::INTEGER)) AND (g, x) <> (1, 0)",
		"SELECT count(*) FROM a WHERE (k, x) NOT IN ((1, 2), (2, 0))",
		"SELECT count(*), sum(a.x * b.x) FROM a JOIN b ON (a.k, a.g) = (b.k, b.h)",
		"SELECT count(*), sum(b.x) FROM a LEFT JOIN b ON (a.k, a.g) = (b.k, b.h) WHERE (b.x, a.x) IS DISTINCT FROM (2, 2)",
		"SELECT count(DISTINCT (k, g)), count((k, g)), count(DISTINCT (x, s)) FILTER (WHERE y > 0), count(*) FROM a",
		"SELECT a.g, count(DISTINCT (a.x, b.x)), count(DISTINCT b.x), count(DISTINCT (b.s, a.d, a.t)) FROM a JOIN b USING (k) GROUP BY a.g",
		"SELECT b.h, sum(q.n) FROM (SELECT k, count(DISTINCT (x, y)) n FROM a GROUP BY k) q JOIN b USING (k) GROUP BY b.h",
		"SELECT g, sum(x ORDER BY y), count(*), max(d ORDER BY x DESC NULLS LAST, y), count(DISTINCT s ORDER BY s) FROM a GROUP BY g ORDER BY ALL",
	)
}

func TestRowValues(t *testing.T) { compareCases(t, 75, 3, rowValues()) }

// A predicate without an interval of its own is a number of rows all the same.
func TestCountIfOfCases(t *testing.T) {
	compareCases(t, 76, 3, exactly(
		"SELECT count_if(CASE WHEN EXISTS (SELECT 1 FROM b WHERE b.k = a.k) THEN true WHEN a.x > 1 THEN NULL::BOOLEAN ELSE false END) FROM a",
	))
}

// productCases are products, of values that joins repeat too.
func productCases() []aggregateCase {
	return about(
		"SELECT g, product(x) FROM a GROUP BY g",
		"SELECT product(x), count(*), sum(y) FROM a",
		"SELECT a.g, product(b.x), product(a.m), product(a.d) FILTER (WHERE b.x > 0), count(*) FROM a JOIN b USING (k) GROUP BY a.g",
		"SELECT a.g, product(a.x + b.x), product(DISTINCT b.x), count(DISTINCT b.x) FROM a JOIN b USING (k) GROUP BY a.g",
		"SELECT product(q.n), product(q.p) FROM (SELECT k, count(*) n, product(x) p FROM a GROUP BY k) q",
		"SELECT b.h, product(q.n), sum(q.p) FROM (SELECT k, count(*) n, product(x) p FROM a GROUP BY k) q JOIN b USING (k) GROUP BY b.h",
		"SELECT product(x), product(d) FILTER (WHERE false) FROM a WHERE k > 1",
		"SELECT a.g, product(b.x) p FROM a LEFT JOIN b USING (k) GROUP BY a.g HAVING product(b.x) IS DISTINCT FROM 7 ORDER BY p",
		"SELECT product(0.5), product(-1) FROM a JOIN b USING (k)",
		"SELECT a.k, (SELECT product(x) FROM b WHERE b.k = a.k), count(*) FROM a GROUP BY a.k",
		"SELECT g, k, product(x), GROUPING(g) FROM a GROUP BY ROLLUP (g, k)",
	)
}

func TestProducts(t *testing.T) { compareCases(t, 77, 4, productCases()) }

// Where a product may leave the range of DOUBLE, the order of its factors decides:
// it is DuckDB's.
func TestProductsWithoutBound(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(78, 0))
	values := []string{"1e300", "-1e300", "'inf'", "'-inf'", "'nan'", "0", "-2", "1e-300", "NULL", "0.5", "3", "-1.5", "7", "1", "0.1", "100"}
	refusals := 0
	for range 30 {
		r.dropTables()
		var b strings.Builder
		b.WriteString("CREATE TABLE a (k INTEGER, d DOUBLE);\nCREATE TABLE b (k INTEGER);\nINSERT INTO b VALUES (0), (1), (1), (1);\n")
		for i := range 6 {
			fmt.Fprintf(&b, "INSERT INTO a VALUES (%d, %s);\n", i%2, values[rng.IntN(len(values))])
		}
		r.script(b.String())
		const sql = "SELECT a.k, product(d) FROM a JOIN b USING (k) GROUP BY a.k"
		want, err := r.want(sql, nil)
		if err != nil {
			t.Fatal(err)
		}
		refused, err := r.compareAll(sql, nil, want, difftest.CompareOptions{ToleranceAbs: 1e-9})
		if err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
		if refused != "" {
			refusals++
			if !strings.Contains(refused, "range of DOUBLE") {
				t.Error(refused)
			}
		}
	}
	if refusals == 0 || refusals == 30 {
		t.Errorf("%d of 30 refused", refusals)
	}
}
