package sqlfront

import (
	"context"
	"math/rand"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// randomExpr writes an expression over the columns of t.
func randomExpr(r *rand.Rand, depth int) string {
	leaves := []string{
		"a", "b", "c", "ti", "h", "a", "b", "c", "ti", "h", "dec", "f", "a", "b", "c", "ti", "h", "u", "f", "r", "dec", "s", "d", "ts", "p", "m", "iv",
		"1", "2", "100", "-1", "300", "70000", "3000000000", "1.5", "0.25", "12.340", "1e3", "'x'", "'2020-01-01'", "NULL", "true",
		"DATE '2020-01-01'", "INTERVAL 1 DAY", "99999999999999999999",
	}
	if depth == 0 {
		return leaves[r.Intn(len(leaves))]
	}
	sub := func() string { return randomExpr(r, r.Intn(depth)) }
	switch r.Intn(14) {
	case 0, 1, 2, 3, 4:
		ops := []string{"+", "-", "*", "/", "%", "||", "=", "<"}
		return "(" + sub() + " " + ops[r.Intn(len(ops))] + " " + sub() + ")"
	case 5:
		return "(- " + sub() + ")"
	case 6:
		return "CASE WHEN " + sub() + " = " + sub() + " THEN " + sub() + " ELSE " + sub() + " END"
	case 7:
		return "CASE WHEN p THEN " + sub() + " WHEN a = 1 THEN " + sub() + " END"
	case 8:
		return "coalesce(" + sub() + ", " + sub() + ")"
	case 9:
		types := []string{"INTEGER", "BIGINT", "DOUBLE", "DECIMAL(9,2)", "VARCHAR", "SMALLINT", "HUGEINT", "REAL"}
		return "CAST(" + sub() + " AS " + types[r.Intn(len(types))] + ")"
	case 10:
		fns := []string{"abs", "round", "floor", "sqrt", "year", "lower", "length", "ceil", "sign"}
		return fns[r.Intn(len(fns))] + "(" + sub() + ")"
	case 11:
		return "greatest(" + sub() + ", " + sub() + ")"
	case 12:
		return "(" + sub() + " IN (" + sub() + ", " + sub() + "))"
	default:
		return "(" + sub() + " IS NULL AND " + sub() + " BETWEEN " + sub() + " AND " + sub() + ")"
	}
}

// TestInferredTypes compares the type of every node of random expressions with
// what DuckDB says of it.
func TestInferredTypes(t *testing.T) {
	d := newDuck(t)
	r := rand.New(rand.NewSource(3))
	compared, nodes, inferred := 0, 0, 0
	for range *mutations / 5 {
		agg := []string{"DISTINCT ", "sum", "avg", "min", "max"}[r.Intn(5)]
		text := "SELECT " + agg + "(" + randomExpr(r, 1+r.Intn(3)) + ") AS z FROM t"
		before := d.described
		a, err := d.analyze(text)
		if err != nil {
			continue
		}
		if a.Query == nil {
			if strings.HasPrefix(a.Reason, "type of") {
				t.Errorf("%s\n%s", text, a.Reason)
			}
			continue
		}
		compared++
		if d.described == before+1 {
			inferred++
		}
		root := a.Query.GroupBy
		if len(a.Query.Aggs) > 0 {
			root = a.Query.Aggs[0].Args
		}
		var list []Expr
		var texts []string
		for _, e := range root {
			WalkExpr(e, func(e Expr) {
				if _, literal := e.(*Literal); !literal {
					text := PrintExpr(e, func(c *ColumnRef) string { return load.Quote(c.Name) })
					if e.Type().ID == rows.SQLNull { // of a column DuckDB says INTEGER
						text = "coalesce(" + text + ", CAST(NULL AS TINYINT))"
					}
					list = append(list, e)
					texts = append(texts, text)
				}
			})
		}
		if len(list) == 0 {
			continue
		}
		desc, err := d.Describe(context.Background(), "SELECT "+strings.Join(texts, ", ")+" FROM t", nil)
		if err != nil {
			t.Errorf("%s\nnodes: %v", text, err)
			continue
		}
		for i, c := range desc.Columns {
			nodes++
			want := list[i].Type()
			if want.ID == rows.SQLNull {
				want = rows.Type{ID: rows.TinyInt}
			}
			if c.Type != want {
				t.Errorf("%s\nnode %s has type %s, DuckDB says %s", text, texts[i], want, c.Type)
			}
		}
	}
	t.Logf("%d statements, %d of them without a probe, %d nodes", compared, inferred, nodes)
	if compared < *mutations/50 || inferred < *mutations/500 {
		t.Errorf("too few statements: %d, %d without a probe", compared, inferred)
	}
}
