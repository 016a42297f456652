package engine

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

// matchesOf is the model that TestByClass asks for, over pairs of rows of one part
// that are different in some way.
func matchesOf(different string) string {
	return `WITH score AS (
		SELECT a.id AS i, b.id AS j, sum(f.x * g.y) AS v
		FROM l a JOIN l b ON a.part = b.part ` + different + ` JOIN f ON f.supp = a.supp JOIN g ON g.supp = b.supp
		GROUP BY a.id, b.id
	) SELECT i, sum(1 / (1 + exp(-v))) AS p, max(v) AS m, count(*) AS n FROM score GROUP BY i`
}

// TestByClass computes once for rows that nothing tells apart, while the data
// changes, and compares with DuckDB.
func TestByClass(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE l AS SELECT i AS id, i % 7 AS part, i // 7 % 5 AS supp, 0 AS day FROM range(1400) r(i)")
	s.run("CREATE TABLE f AS SELECT i AS supp, 1.0::DOUBLE / (3 + i) AS x FROM range(5) r(i)")
	s.run("CREATE TABLE g AS SELECT i AS supp, i - 1.5::DOUBLE AS y FROM range(5) r(i)")
	s.run("SET trireme.backend = 'native'")
	for _, c := range []struct{ change, different, classes string }{
		{"", "", "35 classes of 1400"},
		{"UPDATE l SET supp = 4 - supp WHERE id < 30", "", "35 classes of 1400"},
		{"INSERT INTO l VALUES (1400, 3, 99, 0), (1401, NULL, 2, 0), (NULL, 1, 1, 0)", "", "36 classes of 1402"}, // a part that is NULL finds no pair, an id that is NULL is a group
		{"INSERT INTO l SELECT * FROM l WHERE id = 5", "", "37 classes of 1402"},
		{"", "AND a.id < b.id", ""},
		{"", "AND a.id = 3", ""},
		{"UPDATE l SET day = id", "AND a.day <> b.day", ""},
		{"UPDATE f SET x = 'Infinity' WHERE supp = 2", "", "37 classes of 1402"},
	} {
		if c.change != "" {
			s.run(c.change)
		}
		sql := matchesOf(c.different)
		sameNumbers(t, sql, s.sorted(sql), s.duckSorted(sql))
		_, by, _ := strings.Cut(s.run("EXPLAIN ANALYZE "+sql), "members: ")
		if got, _, _ := strings.Cut(by, " coordinates"); got != c.classes {
			t.Errorf("after %q, pairs %q: planned over %q, want %q", c.change, c.different, got, c.classes)
		}
	}
}

// sameNumbers compares rows of numbers, in order but for the last digits.
func sameNumbers(t *testing.T, sql, got, want string) {
	t.Helper()
	a, b := strings.FieldsFunc(got, isSeparator), strings.FieldsFunc(want, isSeparator)
	if len(a) != len(b) || len(a) == 0 {
		t.Fatalf("%s: %d values, DuckDB %d", sql, len(a), len(b))
	}
	for i := range a {
		x, errX := strconv.ParseFloat(a[i], 64)
		y, errY := strconv.ParseFloat(b[i], 64)
		if a[i] != b[i] && (errX != nil || errY != nil || !(math.Abs(x-y) <= 1e-9*max(math.Abs(x), math.Abs(y)))) {
			t.Fatalf("%s: value %d is %s, DuckDB says %s", sql, i, a[i], b[i])
		}
	}
}

func isSeparator(r rune) bool { return r == '|' || r == '\n' || r == ';' || r == ' ' }

// TestClassesOfOtherNames: tensors by class that are kept from one program are another's
// where the inputs are the same, whatever they are called there.
func TestClassesOfOtherNames(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE l AS SELECT i AS id, i % 7 AS part, i // 7 % 5 AS supp, i // 7 % 5 * 3 AS w FROM range(1400) r(i)")
	s.run("CREATE TABLE f AS SELECT i AS supp, 1.0::DOUBLE / (3 + i) AS x FROM range(5) r(i)")
	s.run("CREATE TABLE g AS SELECT i AS supp, i - 1.5::DOUBLE AS y FROM range(5) r(i)")
	s.run("SET trireme.backend = 'native'")
	for _, c := range []struct{ first, where string }{{"", ""}, {"l z, ", " AND z.w = 3"}} {
		sql := `WITH score AS (
			SELECT a.id AS i, b.id AS j, sum(a.w * f.x * g.y) AS v
			FROM ` + c.first + `l a JOIN l b ON a.part = b.part JOIN f ON f.supp = a.supp JOIN g ON g.supp = b.supp
			WHERE a.w < 12` + c.where + ` GROUP BY a.id, b.id
		) SELECT i, sum(1 / (1 + exp(-v))) AS p, max(v) AS m, count(*) AS n FROM score GROUP BY i`
		sameNumbers(t, sql, s.sorted(sql), s.duckSorted(sql))
		if explained := s.run("EXPLAIN ANALYZE " + sql); !strings.Contains(explained, "classes of 1400") {
			t.Errorf("not planned over classes:\n%s", explained)
		}
	}
}
