package engine

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/engine/difftest"
)

// semanticsCases are statements whose meaning is easily missed, with their rows
// (columns by "|", rows by ";", in any order), in the numbering of the design's
// page on semantics, whose golden cases they are.
var semanticsCases = []struct{ name, sql, rows string }{
	{"01", "SELECT count(*) FROM (VALUES (NULL::INT)) a(k) LEFT JOIN (VALUES (1)) b(k) ON a.k=b.k", "1"},
	{"02", "SELECT count(*), sum(b.y) FROM (VALUES (1)) a(k) LEFT JOIN (VALUES (1,5),(1,6)) b(k,y) ON a.k=b.k AND a.k<b.y-4", "1|6"},
	{"03", `SELECT c.z, count(*) FROM (VALUES (1)) a(i) LEFT JOIN ((VALUES (1,1),(1,2)) b(i,j)
		LEFT JOIN (SELECT * FROM (VALUES (1,1)) v(j,z) WHERE false) c ON b.j=c.j) ON a.i=b.i GROUP BY c.z`, "NULL|2"},
	{"04", "SELECT b.y, count(*) FROM (VALUES (1)) a(k) LEFT JOIN (VALUES (1,NULL::INT),(1,NULL)) b(k,y) ON a.k=b.k GROUP BY b.y", "NULL|2"},
	{"05", "SELECT count(*) FROM (VALUES (1)) a(k) FULL JOIN (VALUES (1,0)) b(k,y) ON a.k=b.k AND b.y>0", "2"},
	{"06", "SELECT count(*) FROM (SELECT * FROM (VALUES (1)) v(k) WHERE false) a FULL JOIN (VALUES (1)) b(k) ON a.k=b.k WHERE b.k=1", "1"},
	{"07", "SELECT sum(d.c), count(*) FROM (VALUES (1)) a(k) LEFT JOIN (SELECT k, COALESCE(y,7) c FROM (VALUES (2,NULL::INT)) b(k,y)) d ON a.k=d.k", "NULL|1"},
	{"08", "SELECT sum(d.seven), count(d.seven), count(*) FROM (VALUES (1)) a(k) LEFT JOIN (SELECT k, 7 AS seven FROM (VALUES (2,NULL::INT)) b(k,y)) d ON a.k=d.k", "NULL|0|1"},
	{"09", "SELECT COALESCE(b.y,7) g, count(*) FROM (VALUES (1),(2)) a(k) LEFT JOIN (VALUES (2,7)) b(k,y) ON a.k=b.k GROUP BY g", "7|2"},
	{"10", `SELECT count(c.z), count(*) FROM (VALUES (1)) a(k) LEFT JOIN (VALUES (2)) b(k) ON a.k=b.k
		LEFT JOIN (VALUES (NULL::INT,5),(NULL,6)) c(k,z) ON b.k IS NOT DISTINCT FROM c.k`, "2|2"},
	{"11", "SELECT l.k, count(*) FROM (VALUES (1),(NULL::INT)) l(k) FULL JOIN (VALUES (2),(NULL::INT)) r(k) ON l.k IS NOT DISTINCT FROM r.k GROUP BY 1", "1|1;NULL|2"},
	{"12", "SELECT l.k, r.k, count(*) FROM (VALUES (1),(NULL::INT)) l(k) FULL JOIN (VALUES (2),(NULL::INT)) r(k) ON l.k=r.k GROUP BY 1, 2", "1|NULL|1;NULL|2|1;NULL|NULL|2"},
	{"13", "SELECT sum(a.x*b.y+a.z) FROM (VALUES (1,2,NULL::INT),(1,1,10)) a(k,x,z) JOIN (VALUES (1,3)) b(k,y) ON a.k=b.k", "13"},
	{"14", "SELECT min(a.x*b.y), max(a.x*b.y) FROM (VALUES (-2),(1)) a(x), (VALUES (-3),(4)) b(y)", "-8|6"},
	{"15", "SELECT DISTINCT a.k FROM (VALUES (1),(2)) a(k) WHERE EXISTS (SELECT count(*) FROM (VALUES (1)) b(k) WHERE b.k=a.k)", "1;2"},
	{"15 having", "SELECT DISTINCT a.k FROM (VALUES (1),(2)) a(k) WHERE EXISTS (SELECT count(*) FROM (VALUES (1)) b(k) WHERE b.k=a.k HAVING count(*)>0)", "1"},
	{"16", "SELECT DISTINCT a.k FROM (VALUES (1),(2)) a(k) WHERE a.k NOT IN (SELECT max(b.y) FROM (VALUES (1,5)) b(k,y) WHERE b.k=a.k)", "1"},
	{"16 grouped", "SELECT DISTINCT a.k FROM (VALUES (1),(2)) a(k) WHERE a.k NOT IN (SELECT max(b.y) FROM (VALUES (1,5)) b(k,y) WHERE b.k=a.k GROUP BY b.k)", "1;2"},
	{"17 count", "SELECT v, count(*) FROM (SELECT (SELECT count(*) FROM (VALUES (1)) b(k) WHERE b.k=a.k) v FROM (VALUES (2),(NULL::INT)) a(k)) GROUP BY v", "0|2"},
	{"17 grouped", "SELECT v, count(*) FROM (SELECT (SELECT count(*) FROM (VALUES (1)) b(k) WHERE b.k=a.k GROUP BY b.k) v FROM (VALUES (2),(NULL::INT)) a(k)) GROUP BY v", "NULL|2"},
	{"17 having", "SELECT v, count(*) FROM (SELECT (SELECT count(*) FROM (VALUES (1)) b(k) WHERE b.k=a.k HAVING count(*)>0) v FROM (VALUES (2),(NULL::INT)) a(k)) GROUP BY v", "NULL|2"},
	{"17 coalesce", "SELECT v, count(*) FROM (SELECT (SELECT COALESCE(sum(b.k),5) FROM (VALUES (1)) b(k) WHERE b.k=a.k) v FROM (VALUES (2),(NULL::INT)) a(k)) GROUP BY v", "5|2"},
	{"17 constant", "SELECT v, count(*) FROM (SELECT (SELECT 42 FROM (VALUES (1)) b(k) WHERE b.k=a.k HAVING count(*)=0) v FROM (VALUES (2),(NULL::INT)) a(k)) GROUP BY v", "42|2"},
	{"18", "SELECT count(*) FROM (VALUES (1)) a(k) LEFT JOIN (VALUES (2,2)) b(k,y) ON a.k=b.k WHERE b.y NOT IN (SELECT 1 WHERE false)", "1"},
	{"19", "SELECT count(*) FROM (VALUES (1),(NULL::INT)) a(k) WHERE NOT EXISTS (SELECT 1 FROM (VALUES (1)) b(k) WHERE b.k=a.k)", "1"},
	{"20", "SELECT sum(a.x*b.y) FROM (VALUES (1048575.9990234375::DOUBLE),(-1048575.998046875)) a(x), (VALUES (1048575.9990234375::DOUBLE)) b(y)", "1024"},
	{"21", `SELECT count(*) FROM (VALUES (1),(2)) l1(k) LEFT JOIN (SELECT * FROM (VALUES (1)) v(k) WHERE false) l2 ON l1.k=l2.k
		LEFT JOIN (VALUES (1),(1)) l3(k) ON l2.k=l3.k`, "2"},
	{"22", `SELECT count(*) FROM (VALUES (1),(2)) a(i) LEFT JOIN (SELECT * FROM (VALUES (1,1)) v(i,j) WHERE false) b ON a.i=b.i
		LEFT JOIN (VALUES (1),(2),(3)) c(j) ON b.j=c.j`, "2"},
	{"23", `SELECT q2.j, count(*) FROM e q1 JOIN e q2 ON q2.k=q1.j JOIN e q3 ON q1.k=q3.j JOIN e q4 ON q1.k=q4.k GROUP BY q2.j`, "2|2;NULL|2"},
}

// valueLists are VALUES as elements of FROM.
var valueLists = regexp.MustCompile(`\(VALUES (.+?)\) (\w+)\(([\w,]+)\)`)

// TestSemantics compares every case on all backends and the meaning of its program
// with DuckDB's answer, and that with the rows that are written down; its rows are
// those of tables.
func TestSemantics(t *testing.T) {
	r := newRig(t)
	r.script("CREATE TABLE e(k INT, j INT); INSERT INTO e VALUES (2,NULL),(2,2)")
	tables := map[string]string{}
	for _, c := range semanticsCases {
		t.Run(c.name, func(t *testing.T) {
			r.t = t
			sql := valueLists.ReplaceAllStringFunc(c.sql, func(list string) string {
				m := valueLists.FindStringSubmatch(list)
				rows := "(VALUES " + m[1] + ") v(" + m[3] + ")"
				if tables[rows] == "" {
					tables[rows] = fmt.Sprintf("t%d", len(tables))
					r.script("CREATE TABLE " + tables[rows] + " AS SELECT * FROM " + rows)
				}
				return tables[rows] + " " + m[2]
			})
			want, err := r.want(sql, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := rowsText(want); got != c.rows {
				t.Errorf("DuckDB's rows are %s", got)
			}
			refused, err := r.compareAll(sql, nil, want, difftest.CompareOptions{ToleranceAbs: 1e-3})
			if err != nil {
				t.Fatalf("%s\n%v", sql, err)
			}
			if refused != "" {
				t.Errorf("%s\nrefused: %s", sql, refused)
			}
		})
	}
}

// rowsText writes rows sorted, columns by "|" and rows by ";".
func rowsText(table difftest.Table) string {
	lines := make([]string, len(table.Rows))
	for i, row := range table.Rows {
		cells := make([]string, len(row))
		for c, cell := range row {
			cells[c] = fmt.Sprint(cell)
			if cell == nil {
				cells[c] = "NULL"
			}
		}
		lines[i] = strings.Join(cells, "|")
	}
	slices.Sort(lines)
	return strings.Join(lines, ";")
}
