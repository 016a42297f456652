package sqlfront

import "testing"

func TestEscapesOfPatterns(t *testing.T) {
	for _, tc := range []struct{ sql, want string }{ // want empty: unchanged
		{"SELECT a LIKE 'x%', a NOT ILIKE 'x'::text, a ~~ 'x', a LIKE 'x'::varchar(3) AND b FROM t", ""},
		{`SELECT a LIKE 'x\%', a LIKE E'x\\%', a LIKE $$x\_$$`, `SELECT a LIKE 'x\%' ESCAPE '\', a LIKE E'x\\%' ESCAPE '\', a LIKE $$x\_$$ ESCAPE '\'`},
		{`SELECT a LIKE 'x\%' ESCAPE '!', a LIKE $1 ESCAPE '' FROM t`, ""},
		{"SELECT a LIKE $1 AND a NOT LIKE ? OR b ILIKE c.d IS TRUE", `SELECT a LIKE $1 ESCAPE '\' AND a NOT LIKE ? ESCAPE '\' OR b ILIKE c.d ESCAPE '\' IS TRUE`},
		{"SELECT a LIKE '%' || $1 || '%' = b, (a LIKE upper(b)) x", `SELECT a LIKE '%' || $1 || '%' ESCAPE '\' = b, (a LIKE upper(b) ESCAPE '\') x`},
		{"SELECT a LIKE $1::character varying(10) COLLATE \"C\" y", `SELECT a LIKE $1::character varying(10) COLLATE "C" ESCAPE '\' y`},
		{"SELECT a LIKE CASE WHEN b THEN c.end ELSE CASE d WHEN 1 THEN e END END, f", `SELECT a LIKE CASE WHEN b THEN c.end ELSE CASE d WHEN 1 THEN e END END ESCAPE '\', f`},
		{"SELECT a LIKE (SELECT b LIKE c FROM t) FROM t", `SELECT a LIKE (SELECT b LIKE c ESCAPE '\' FROM t) ESCAPE '\' FROM t`},
		{"SELECT a LIKE max(b) FILTER (WHERE c) OVER (ORDER BY d) e, a LIKE l[1] || text 'x'", `SELECT a LIKE max(b) FILTER (WHERE c) OVER (ORDER BY d) ESCAPE '\' e, a LIKE l[1] || text 'x' ESCAPE '\'`},
		{"SELECT a ~~ b AND a !~~* b || c", `SELECT a LIKE b ESCAPE '\' AND (a NOT ILIKE b ESCAPE '\') || c`},
		{"SELECT a OPERATOR(pg_catalog.~~) b, a OPERATOR(pg_catalog.~~) 'b'", `SELECT a LIKE b ESCAPE '\', a ~~ 'b'`},
		{"SELECT a LIKE b->>'k' OR a LIKE (b#>>'{k}')", `SELECT a LIKE (b->>'k') ESCAPE '\' OR a LIKE (jsonb_text_at(b,'{k}')) ESCAPE '\'`},
		{"CREATE TABLE t (LIKE u, a int, LIKE v INCLUDING ALL)", ""},
		{"CREATE TABLE t (a text CHECK (a LIKE b), c bool DEFAULT 'x' LIKE 'y')", `CREATE TABLE t (a text CHECK (a LIKE b ESCAPE '\'), c bool DEFAULT 'x' LIKE 'y')`},
		{"CREATE MACRO m(a, b) AS a LIKE b", `CREATE MACRO m(a, b) AS a LIKE b ESCAPE '\'`},
		{
			"SELECT 1 WHERE a || b NOT LIKE ALL (c) AND d",
			`SELECT 1 WHERE list_transform([a || b ], lambda "like x": list_reduce(list_transform(CAST(c AS VARCHAR[]), lambda "like p": "like x" NOT LIKE "like p" ESCAPE '\'), lambda "like a", "like b": "like a" AND "like b", true))[1] AND d`,
		},
		{"SELECT a LIKE ANY (SELECT b FROM t), a ILIKE ANY ()", ""},
		{"SELECT * LIKE 'a%', COLUMNS(* LIKE 'b%') FROM t", ""},
		{"SELECT a LIKE", ""},
		{"SELECT a LIKE (b", ""},
		{"SELECT a LIKE CASE b", ""},
	} {
		want := tc.want
		if want == "" {
			want = tc.sql
		}
		if got := PostgresEdits(tc.sql).Apply(tc.sql, 0, len(tc.sql)); got != want {
			t.Errorf("%s\nis  %s\nnot %s", tc.sql, got, want)
		}
	}
}
