package engine

import "testing"

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
