package duckbackend

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// comparison is an operator of SQL, over values of which nil is NULL.
type comparison struct {
	sql   string
	holds func(a, b *int) bool
}

// ofValues is an operator that does not hold where one of its operands is NULL.
func ofValues(holds func(a, b int) bool) func(a, b *int) bool {
	return func(a, b *int) bool { return a != nil && b != nil && holds(*a, *b) }
}

func sameValue(a, b *int) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

var comparisons = []comparison{
	{"=", ofValues(func(a, b int) bool { return a == b })},
	{"<>", ofValues(func(a, b int) bool { return a != b })},
	{"<", ofValues(func(a, b int) bool { return a < b })},
	{">=", ofValues(func(a, b int) bool { return a >= b })},
	{"IS DISTINCT FROM", func(a, b *int) bool { return !sameValue(a, b) }},
	{"IS NOT DISTINCT FROM", sameValue},
}

// TestComparisonsWithOuterRows: a subquery may compare columns of the outer row with its own by
// any operators together. The rows are counted here.
func TestComparisonsWithOuterRows(t *testing.T) {
	value := func(v int) *int { return &v }
	text := func(v *int) string {
		if v == nil {
			return "NULL"
		}
		return strconv.Itoa(*v)
	}
	rows := [][3]*int{ // the last column has one value
		{value(0), value(3), value(7)},
		{value(1), value(1), value(7)},
		{value(1), nil, value(7)},
		{nil, value(2), value(7)},
		{value(2), value(0), value(7)},
		{value(3), value(3), value(7)},
		{nil, nil, value(7)},
		{value(3), value(1), value(7)},
	}
	var values []string
	for _, r := range rows {
		values = append(values, "("+text(r[0])+", "+text(r[1])+", "+text(r[2])+")")
	}
	c := openConn(t, openMemory(t))
	mustExec(t, c, "CREATE TABLE t (a INTEGER, b INTEGER, c INTEGER); INSERT INTO t VALUES "+strings.Join(values, ", "))
	for _, columns := range [][2]int{{0, 1}, {1, 0}, {2, 0}, {0, 2}} {
		for _, first := range comparisons {
			for _, second := range comparisons {
				i, j := columns[0], columns[1]
				where := fmt.Sprintf("y.%[1]c %[2]s x.%[1]c AND y.%[3]c %[4]s x.%[3]c", 'a'+i, first.sql, 'a'+j, second.sql)
				outer, pairs := 0, 0
				for _, x := range rows {
					before := pairs
					for _, y := range rows {
						if first.holds(y[i], x[i]) && second.holds(y[j], x[j]) {
							pairs++
						}
					}
					if pairs > before {
						outer++
					}
				}
				sql := fmt.Sprintf(`SELECT (SELECT count(*) FROM t x WHERE EXISTS (SELECT 1 FROM t y WHERE %[1]s)),
					(SELECT count(*) FROM t x WHERE NOT EXISTS (SELECT 1 FROM t y WHERE %[1]s)),
					(SELECT count(*) FROM t x WHERE 7 IN (SELECT y.c FROM t y WHERE %[1]s)),
					(SELECT sum((SELECT count(*) FROM t y WHERE %[1]s)) FROM t x)::BIGINT`, where)
				want := fmt.Sprintf("%d|%d|%d|%d\n", outer, len(rows)-outer, outer, pairs)
				if got := query(t, c, sql); got != want {
					t.Errorf("%s: %s, want %s", where, got, want)
				}
			}
		}
	}
}
