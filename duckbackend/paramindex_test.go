package duckbackend

import (
	"strconv"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/rows"
)

// Each parameter gets its own value, in whatever order DuckDB meets them.
func TestParametersInAnyOrder(t *testing.T) {
	conn := openConn(t, openMemory(t))
	for _, c := range []struct{ sql, want string }{
		{"SELECT $1::VARCHAR || $2::VARCHAR || $3::VARCHAR", "abc"},
		{"SELECT $3::VARCHAR || $1::VARCHAR || $2::VARCHAR", "cab"},
		{"WITH a AS (SELECT $2::VARCHAR AS x) SELECT $3::VARCHAR || x || $1::VARCHAR FROM a WHERE $1::VARCHAR = 'a' LIMIT length($2::VARCHAR)", "cba"},
		{"SELECT $3::VARCHAR || $1::VARCHAR || $3::VARCHAR", "cac"},
		{"SELECT max(x) FROM (VALUES ($2::VARCHAR), ($1::VARCHAR)) v(x)", "b"},
	} {
		args := []Arg{{Text: "a"}, {Text: "b"}, {Text: "c"}}
		for i := range args {
			args[i].Type = rows.Type{ID: rows.Varchar}
		}
		stmt, err := conn.Prepare(ctx, c.sql)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			cur, err := stmt.Execute(ctx, args[:len(stmt.Describe().Params)])
			if err != nil {
				t.Fatal(c.sql, err)
			}
			b, err := cur.Next(ctx)
			if err != nil || b.Cols[0].Str[0] != c.want {
				t.Errorf("%s: %v, %v; want %s", c.sql, b.Cols[0].Str, err, c.want)
			}
			if err := cur.Close(); err != nil {
				t.Error(err)
			}
		}
		if err := stmt.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A statement may have as many parameters as the protocol can number.
func TestManyParameters(t *testing.T) {
	conn := openConn(t, openMemory(t))
	const n = 20000
	var sql strings.Builder
	args := make([]Arg, n)
	for i := range n {
		sql.WriteString(", $" + strconv.Itoa(n-i) + "::INTEGER")
		args[i] = Arg{Type: rows.Type{ID: rows.Integer}, Text: strconv.Itoa(i)}
	}
	cur, err := conn.Query(ctx, "SELECT list_extract(["+sql.String()[2:]+"], 5)", args...)
	if err != nil {
		t.Fatal(err)
	}
	b, err := cur.Next(ctx)
	if err != nil || b.Cols[0].I64[0] != n-5 {
		t.Errorf("the fifth is %v, %v", b.Cols[0].I64, err)
	}
	if err := cur.Close(); err != nil {
		t.Error(err)
	}
}
