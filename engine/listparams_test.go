package engine

import (
	"context"
	"testing"

	"github.com/trireme-db/trireme/internal/rows"
)

func TestListParameters(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t AS SELECT i::INTEGER AS i, 'n' || i AS n, (i / 4)::DECIMAL(9,2) AS d FROM range(10) r(i)")
	ints, texts := rows.Type{ID: rows.List, Name: "INTEGER[]"}, rows.Type{ID: rows.List, Name: "VARCHAR[]"}
	for _, c := range []struct {
		sql      string
		hints    []rows.Type
		arg      string
		wantType string
		want     string
	}{
		{"SELECT count(*) FROM t WHERE i = ANY($1)", nil, "[1, 3, NULL, 99]", "INTEGER[]", "2"},
		{"SELECT count(*) FROM t WHERE i = ANY ( $1 )", []rows.Type{ints}, "['1', '3']", "INTEGER[]", "2"},
		{"SELECT count(*) FROM t WHERE n = SOME($1)", nil, "[n1, n2]", "VARCHAR[]", "2"},
		{"SELECT count(*) FROM t WHERE n <> ALL($1)", []rows.Type{texts}, "[n1, n2]", "VARCHAR[]", "8"},
		{"SELECT count(*) FROM t WHERE d = ANY($1)", nil, "[0.25, 0.50]", "DECIMAL(9,2)[]", "2"},
		{"SELECT count(*) FROM t a JOIN t b ON a.i = b.i WHERE a.i = ANY($1) -- any($2)", nil, "[1, 3]", "INTEGER[]", "2"},
		{"DELETE FROM t WHERE i = ANY($1) RETURNING i", nil, "[9]", "INTEGER[]", "9"},
	} {
		p, err := s.Prepare(context.Background(), c.sql, c.hints)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		if got := p.Params(); len(got) != 1 || got[0].String() != c.wantType {
			t.Errorf("%s: parameters %v, want %s", c.sql, got, c.wantType)
		}
		res, err := p.Execute(context.Background(), []Arg{{Text: c.arg}})
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		if got, err := readAll(res); err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.sql, got, err, c.want)
		}
	}
	// Positions are those of the client's text.
	e := s.wantError("SELECT i FROM t WHERE i = ANY($1) AND nothing", "42703")
	if e.Offset != 38 {
		t.Errorf("offset %d", e.Offset)
	}
}
