package sqlfront

import (
	"context"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// TestPrintLowered: bags, anti joins, texts and set operations are printed as SQL
// with the rows that they stand for.
func TestPrintLowered(t *testing.T) {
	d := newDuck(t)
	insert := "INSERT INTO edge VALUES (1, 2), (1, NULL), (NULL, 2); INSERT INTO vertex VALUES (1, 7), (NULL, 8), (3, 9)"
	if _, err := d.conn.ExecContext(context.Background(), insert); err != nil {
		t.Fatal(err)
	}
	integer := rows.Type{ID: rows.Integer}
	cols := []rows.Column{{Name: "x", Type: integer}, {Name: "y", Type: integer}}
	table := func(name string) Source {
		return Source{Alias: name, Table: &Table{Name: load.Table{Catalog: "memory", Schema: "main", Name: name}}, Columns: cols}
	}
	column := func(n int, name string) *ColumnRef {
		return &ColumnRef{Source: 0, Column: n, Name: name, T: integer}
	}
	edges := &Query{From: []Source{table("edge")}, Select: []SelectItem{{column(0, "src"), "x"}, {column(1, "dst"), "y"}}, Columns: cols}
	ids := &Query{
		From: []Source{table("vertex")}, Distinct: true, GroupBy: []Expr{column(0, "id")},
		Select: []SelectItem{{&GroupRef{T: integer}, "id"}}, Columns: cols[:1],
	}
	bag := Source{Alias: "b", Bag: []*Query{edges, edges}, Columns: cols}
	text := Source{Alias: "p", Text: "SELECT 4, 5", Columns: cols}
	count := func(from Source, anti ...Anti) *Query {
		bigint := rows.Type{ID: rows.BigInt}
		return &Query{
			From: []Source{from}, Anti: anti, Aggs: []*AggCall{{Func: "count", T: bigint}},
			Select: []SelectItem{{&AggRef{T: bigint}, "n"}},
		}
	}
	x := []Expr{column(0, "x")}
	cases := []struct {
		q    *Query
		want string
	}{
		{count(bag), "6"},
		{count(text), "1"},
		{count(bag, Anti{Query: ids, Keys: x, NullSafe: []bool{false}}), "2"},
		{count(bag, Anti{Query: ids, Keys: x, NullSafe: []bool{true}}), "0"},
		{count(bag, Anti{Query: ids}), "0"},
		{count(text, Anti{Query: ids, Keys: x, NullSafe: []bool{false}}), "1"},
		{&Query{SetOp: Except, Arms: []*Query{edges, edges}, Select: []SelectItem{{&GroupRef{N: 1, T: integer}, "y"}}}, ""},
		{&Query{
			SetOp: Intersect, Arms: []*Query{edges, edges}, Select: []SelectItem{{&GroupRef{N: 0, T: integer}, "x"}},
			OrderBy: []OrderItem{{Expr: &GroupRef{N: 0, T: integer}, NullsFirst: true}},
		}, "<nil> 1 1"},
	}
	for _, c := range cases {
		printed := PrintQuery(c.q)
		got, err := d.result(printed, true)
		if err != nil {
			t.Errorf("%s: %v", printed, err)
			continue
		}
		if rows := strings.NewReplacer("[", "", "]", "").Replace(strings.Join(got[1:], " ")); rows != c.want {
			t.Errorf("%s\n got %s\nwant %s", printed, rows, c.want)
		}
	}
}
