package notation

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// tables are the relations that the tests' session has.
var tables = map[string][]string{
	`"a"`: {"i", "k", "v"}, `"b"`: {"k", "j", "v"}, `"s"."a"`: {"x", "y", "z", "w"}, `"one"`: {"v"}, `"e"`: {"src", "dst"},
	`"odd name"`: {"the row", `the "col`, "v"}, `"dup"`: {"a", "A", "v"},
}

// typeOf is the type of a column: most are INTEGER.
func typeOf(column string) rows.TypeID {
	switch column {
	case "w":
		return rows.Double
	case "name":
		return rows.Varchar
	}
	return rows.Integer
}

// asked is the session's answer; a query with WITH has the columns that its text names.
func testEnv(asked *[]string) Env {
	return Env{
		Columns: func(_ context.Context, query string) ([]rows.Column, error) {
			typed := func(names []string) (out []rows.Column) {
				for _, n := range names {
					out = append(out, rows.Column{Name: n, Type: rows.Type{ID: typeOf(n)}})
				}
				return out
			}
			*asked = append(*asked, query)
			_, from, _ := strings.Cut(query, "SELECT * FROM ")
			from, _ = strings.CutSuffix(from, " AS t")
			if c, ok := tables[from]; ok {
				return typed(c), nil
			}
			if strings.HasPrefix(query, "WITH") || strings.HasPrefix(from, "(") {
				return typed([]string{"p", "q", "r"}), nil
			}
			return nil, sqlerr.New(sqlerr.UndefinedTable, "no table %s", from)
		},
		Owns: func(context.Context, string) (bool, error) { return false, nil },
	}
}

const product = `SELECT t1."i" AS "i", t2."j" AS "j", SUM(t1."v" * t2."v") AS "value" FROM "a" AS t1, "b" AS t2 WHERE t1."k" = t2."k" GROUP BY t1."i", t2."j"`

func TestExpand(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{"SELECT 1", "SELECT 1"},
		{"SELECT 'einsum(''i'', a)'", "SELECT 'einsum(''i'', a)'"},
		{"SELECT einsum('i', a) FROM t", "SELECT einsum('i', a) FROM t"}, // no table: DuckDB's error
		{"SELECT * FROM einsum", "SELECT * FROM einsum"},
		{"SELECT * FROM s.einsum('i', a)", "SELECT * FROM s.einsum('i', a)"},
		{"SELECT * FROM einsum('ik,kj->ij', 'a', 'b')", product},
		{"explain select * from EinSum('ik,kj->ij', a, b);", "explain " + product + ";"},
		{"SELECT i FROM einsum('ik,kj->ij', a, b)", "SELECT i FROM (" + product + ") AS einsum"},
		{"SELECT * FROM einsum('ik,kj->ij', a, b) AS c WHERE c.i = 3", "SELECT * FROM (" + product + ") AS c WHERE c.i = 3"},
		{"SELECT * FROM einsum('ik,kj->ij', a, b) WHERE i = 3", "SELECT * FROM (" + product + ") AS einsum WHERE i = 3"},
		{"SELECT * FROM x JOIN LATERAL einsum('ik,kj->ij', a, b) c ON true", "SELECT * FROM x JOIN LATERAL (" + product + ") c ON true"},
		{"SELECT x, (SELECT sum(value) FROM x, einsum('ik,kj->ij', a, b)) FROM y", "SELECT x, (SELECT sum(value) FROM x, (" + product + ") AS einsum) FROM y"},
		{"INSERT INTO t (SELECT * FROM einsum('ik,kj->ij', a, b))", "INSERT INTO t (" + product + ")"},
		{"DELETE FROM t USING einsum('ik,kj->ij', a, b) WHERE t.i = einsum.i", "DELETE FROM t USING (" + product + ") AS einsum WHERE t.i = einsum.i"},
		{
			"SELECT * FROM einsum('i->i', 'a(i; v)') CROSS JOIN einsum('->', one)",
			`SELECT * FROM (SELECT t1."i" AS "i", SUM(t1."v") AS "value" FROM "a" AS t1 GROUP BY t1."i") AS einsum CROSS JOIN (SELECT SUM(t1."v") AS "value" FROM "one" AS t1 HAVING COUNT(*) > 0)`,
		},
		{
			"SELECT * FROM einsum('xyz', s.a)",
			`SELECT t1."x" AS "x", t1."y" AS "y", t1."z" AS "z", SUM(t1."w") AS "value" FROM "s"."a" AS t1 GROUP BY t1."x", t1."y", t1."z"`,
		},
		{
			`SELECT * FROM einsum('ab->a', '"odd name"("the row", "the ""col"; v)')`,
			`SELECT t1."the row" AS "a", SUM(t1."v") AS "value" FROM "odd name" AS t1 GROUP BY t1."the row"`,
		},
		{
			"SELECT * FROM einsum('ab,bc,ca->', e, e, e, 'count')",
			`SELECT COUNT(*) AS "value" FROM "e" AS t1, "e" AS t2, "e" AS t3 WHERE t1."dst" = t2."src" AND t2."dst" = t3."src" AND t1."src" = t3."dst" HAVING COUNT(*) > 0`,
		},
		{
			"SELECT * FROM einsum('ab,bc->ac', 'e(src, dst)', 'e(src, dst)')",
			`SELECT t1."src" AS "a", t2."dst" AS "c", SUM(1) AS "value" FROM "e" AS t1, "e" AS t2 WHERE t1."dst" = t2."src" GROUP BY t1."src", t2."dst"`,
		},
		{
			"SELECT * FROM einsum('ii->i', a, semiring := 'max_plus')",
			`SELECT t1."i" AS "i", MAX(t1."v") AS "value" FROM "a" AS t1 WHERE t1."i" = t1."k" GROUP BY t1."i"`,
		},
		{
			"SELECT * FROM einsum('ij,ij->', a, a, semiring => 'or_and')",
			`SELECT MAX(CASE WHEN t1."v" <> 0 AND t2."v" <> 0 THEN 1 ELSE 0 END) AS "value" FROM "a" AS t1, "a" AS t2 WHERE t1."i" = t2."i" AND t1."k" = t2."k" HAVING COUNT(*) > 0`,
		},
		{
			"SELECT * FROM einsum('ij,j->i', a, (SELECT k, max(v) FROM b GROUP BY k))",
			"",
		},
		{
			"SELECT * FROM einsum('xX->xX', (SELECT i, k, v FROM a))",
			`SELECT t1."p" AS "x", t1."q" AS "X_1", SUM(t1."r") AS "value" FROM (SELECT i, k, v FROM a) AS t1 GROUP BY t1."p", t1."q"`,
		},
		{
			"SELECT * FROM einsum('...k,k->...', s.a, 'b(k; v)')",
			`SELECT t1."x" AS "d2", t1."y" AS "d1", SUM(t1."w" * t2."v") AS "value" FROM "s"."a" AS t1, "b" AS t2 WHERE t1."z" = t2."k" GROUP BY t1."x", t1."y"`,
		},
	} {
		var asked []string
		got, err := Expand(context.Background(), c.sql, testEnv(&asked))
		if c.want == "" {
			var e *sqlerr.Error
			if !errors.As(err, &e) || !strings.Contains(e.Message, "operand 2 has 2 modes") {
				t.Errorf("%s: %v", c.sql, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		if got.SQL != c.want {
			t.Errorf("%s\n%s\nwant\n%s", c.sql, got.SQL, c.want)
		}
		if got.Changed() != (c.sql != c.want) {
			t.Errorf("%s: changed %v", c.sql, got.Changed())
		}
	}
}

// TestScope: what an operand that may be a common table expression is asked with.
func TestScope(t *testing.T) {
	sum := `SELECT t1."i" AS "i", SUM(t1."v") AS "value" FROM "a" AS t1 GROUP BY t1."i"`
	for _, c := range []struct{ sql, want string }{
		{"WITH c AS (SELECT 1, 2, 3) SELECT * FROM einsum('ij->', c)", `WITH c AS (SELECT 1, 2, 3) SELECT * FROM "c" AS t`},
		{
			"WITH RECURSIVE c(x, y) AS MATERIALIZED (SELECT 1, 2), d AS (SELECT * FROM einsum('i->', 'a(i; v)')), e AS (SELECT 4) SELECT * FROM e JOIN einsum('ij->', d) ON true",
			`WITH RECURSIVE c(x, y) AS MATERIALIZED (SELECT 1, 2), d AS (SELECT SUM(t1."v") AS "value" FROM "a" AS t1 HAVING COUNT(*) > 0), e AS (SELECT 4) SELECT * FROM "d" AS t`,
		},
		{"WITH c AS (SELECT 1) SELECT (WITH d AS (SELECT 2) SELECT value FROM einsum('ij->', d))", `WITH c AS (SELECT 1), d AS (SELECT 2) SELECT * FROM "d" AS t`},
		{"SELECT (WITH d AS (SELECT 2) SELECT 1), x FROM einsum('i->i', 'a(i; v)') x", `SELECT * FROM "a" AS t`},
		{"SELECT * FROM einsum('ij->', (SELECT * FROM einsum('i->i', 'a(i; v)')))", `SELECT * FROM (` + sum + `) AS t`},
	} {
		var asked []string
		if _, err := Expand(context.Background(), c.sql, testEnv(&asked)); err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		if last := asked[len(asked)-1]; last != c.want {
			t.Errorf("%s\n%s\nwant\n%s", c.sql, last, c.want)
		}
	}
}

// TestExpandErrors: every error is at the character that is wrong, marked by ^ here.
func TestExpandErrors(t *testing.T) {
	for _, c := range []struct{ sql, code, message string }{
		{"SELECT 'x', v FROM einsum('ik,kj->i^z', a, b)", sqlerr.SyntaxError, "in no term"},
		{"SELECT * FROM einsum('ik,^kj', a, one)", sqlerr.SyntaxError, "operand 2 has 0 modes"},
		{"SELECT * FROM einsum('ik,^kj', a)", sqlerr.SyntaxError, "1 operand"},
		{"SELECT * FROM einsum(^$1, a)", sqlerr.SyntaxError, "a string"},
		{"SELECT * FROM einsum(^)", sqlerr.SyntaxError, "a string"},
		{"SELECT * FROM einsum(^'i' || 'j', a)", sqlerr.SyntaxError, "a string"},
		{"SELECT * FROM einsum('ik', ^nothing)", sqlerr.UndefinedTable, "no table"},
		{"SELECT * FROM einsum('ik', '^nothing')", sqlerr.UndefinedTable, "no table"},
		{"SELECT * FROM einsum('ik', 'a(i, ^z; v)')", sqlerr.UndefinedColumn, "no column"},
		{"SELECT * FROM einsum('ik', 'a(i, k; ^z)')", sqlerr.UndefinedColumn, "no column"},
		{`SELECT * FROM einsum('ik', '"odd name"("the ""col", ^z)')`, sqlerr.UndefinedColumn, "no column"},
		{"SELECT * FROM einsum('ik', 'a(i, k; v^, x)')", sqlerr.SyntaxError, "a closing parenthesis"},
		{"SELECT * FROM einsum('ik', 'a(i ^k)')", sqlerr.SyntaxError, "a comma"},
		{"SELECT * FROM einsum('ik', 'a ^b')", sqlerr.SyntaxError, "the end, or columns"},
		{"SELECT * FROM einsum('ik', 'a(i, k) ^b')", sqlerr.SyntaxError, "the end"},
		{"SELECT * FROM einsum('ik', '^')", sqlerr.SyntaxError, "name of a table"},
		{"SELECT * FROM einsum('ik', ^a + 1)", sqlerr.SyntaxError, "an operand is"},
		{"SELECT * FROM einsum('ik', ^17)", sqlerr.SyntaxError, "an operand is"},
		{"SELECT * FROM einsum('ik', a, semiring := '^max')", sqlerr.InvalidParameter, "no semiring"},
		{"SELECT * FROM einsum('ik', a, '^max')", sqlerr.InvalidParameter, "no semiring"},
		{"SELECT * FROM einsum('ik^-kj', a, 'b')", sqlerr.SyntaxError, "unexpected character '-'"},
		{"SELECT * FROM einsum('ik^-kj', 'a', 'b')", sqlerr.SyntaxError, "unexpected character '-'"},
		{"SELECT * FROM einsum('ik', a, semiring := ^max)", sqlerr.SyntaxError, "is a string"},
		{"SELECT * FROM einsum('ij', ^dup)", sqlerr.AmbiguousColumn, "named"},
	} {
		sql, at := strings.Replace(c.sql, "^", "", 1), strings.Index(c.sql, "^")
		var asked []string
		_, err := Expand(context.Background(), sql, testEnv(&asked))
		var e *sqlerr.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		if e.Code != c.code || e.Offset != at || !strings.Contains(e.Message, c.message) {
			t.Errorf("%s\n%s at %d: %s; want %s at %d: %s", sql, e.Code, e.Offset, e.Message, c.code, at, c.message)
		}
	}
}

func TestOffset(t *testing.T) {
	sql := "SELECT x FROM einsum('i->i', 'a(i; v)'), y"
	var asked []string
	text, err := Expand(context.Background(), sql, testEnv(&asked))
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []string{"x FROM", ", y", "y"} {
		if got := text.Offset(strings.LastIndex(text.SQL, of)); got != strings.LastIndex(sql, of) {
			t.Errorf("%q is at %d, want %d", of, got, strings.LastIndex(sql, of))
		}
	}
	if got := text.Offset(strings.Index(text.SQL, "SUM")); got != strings.Index(sql, "einsum") {
		t.Errorf("SUM is at %d", got)
	}
}

// TestOwned: a function of the user's of that name is theirs.
func TestOwned(t *testing.T) {
	var asked []string
	env := testEnv(&asked)
	env.Owns = func(context.Context, string) (bool, error) { return true, nil }
	sql := "SELECT * FROM einsum(1)"
	if text, err := Expand(context.Background(), sql, env); err != nil || text.Changed() {
		t.Errorf("%v, %v", text, err)
	}
}

func FuzzExpand(f *testing.F) {
	f.Add("WITH c AS (SELECT 1) SELECT * FROM c, einsum('ik,kj->ij', 'a(i, k; v)', b, semiring := 'count') x")
	f.Add("SELECT * FROM tensor('tensor A(0,1,2) { n i64, w f64 } T(i,I) = n: A.n(i,I,$2) | v: A.w(i,I,$2)', 'A=s.a(x, y, z; w)', E := (SELECT 1))")
	f.Fuzz(func(t *testing.T, sql string) {
		var asked []string
		_, err := Expand(context.Background(), sql, testEnv(&asked))
		var e *sqlerr.Error
		if err != nil && (!errors.As(err, &e) || e.Offset > len(sql)) {
			t.Fatalf("%q: %v", sql, err)
		}
	})
}

const degreesCall = "tensor('tensor e(0,0) { n pattern } T(i) = n: or(j) e.n(i,j)'"

// TestProgram: the SELECT that stands for a program.
func TestProgram(t *testing.T) {
	standIn := func(columns, program, from, counts string) string {
		return "SELECT " + columns + " FROM " + from + " HAVING CAST('SQLSTATE 0A000: a tensor program runs in a statement and in the views of the main schema that it reads, not here: " + program + "' AS INTEGER) = count(1)" + counts
	}
	const (
		whole  = "tensor e(0,0) { n pattern } T(i) = n: or(j) e.n(i,j)"
		column = `CAST(NULL AS INTEGER) AS "i", CAST(NULL AS HUGEINT) AS "n"`
		counts = ` + count(t1."src") + count(t1."dst")`
	)
	same := standIn(column, whole, `"e" AS t1`, counts)
	for _, c := range []struct{ sql, want string }{
		{"SELECT * FROM " + degreesCall + ")", same},
		{"SELECT i FROM x, " + degreesCall + ")", "SELECT i FROM x, (" + same + ") AS tensor"},
		{"SELECT i FROM Tensor" + degreesCall[len("tensor"):] + ", 'e = e') d", "SELECT i FROM (" + same + ") d"},
		{"INSERT INTO t SELECT * FROM " + degreesCall + ", e := e)", "INSERT INTO t " + same},
		{"SELECT * FROM " + degreesCall + ", E => 's.a(x, y)')", standIn(column, whole, `"s"."a" AS t1`, ` + count(t1."x") + count(t1."y")`)},
		{
			"SELECT * FROM tensor('tensor A(0,1,2) { n i64, w f64 } T(i,I) = n: A.n(i,I,$2) | v: A.w(i,I,$2)', 'A=s.a(x, y, z; w)')",
			standIn(`CAST(NULL AS INTEGER) AS "i", CAST(NULL AS INTEGER) AS "I_2", CAST(NULL AS DOUBLE) AS "v"`, "tensor A(0,1,2) { n i64, w f64 } T(i,I) = n: A.n(i,I,$2) | v: A.w(i,I,$2)",
				`"s"."a" AS t1`, ` + count(t1."x") + count(t1."y") + count(t1."z") + count(t1."w") + count(t1."z" = $2)`),
		},
	} {
		var asked []string
		got, err := Expand(context.Background(), c.sql, testEnv(&asked))
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		if got.SQL != c.want {
			t.Errorf("%s\n%s\nwant\n%s", c.sql, got.SQL, c.want)
		}
	}
}

// TestProgramErrors: every error is at the character that is wrong, marked by ~ here.
func TestProgramErrors(t *testing.T) {
	for _, c := range []struct{ sql, code, message string }{
		{"SELECT * FROM tensor(~$1)", sqlerr.SyntaxError, "the program, a string"},
		{"SELECT * FROM tensor(~)", sqlerr.SyntaxError, "the program, a string"},
		{"SELECT 'x' FROM tensor('tensor e(0,0) { n pattern } T(i) = n: or(j) ~f.n(i,j)')", sqlerr.SyntaxError, "f"},
		{"SELECT * FROM tensor('tensor e(0,0) { n ~patern } T(i) = n: e.n(i,i)')", sqlerr.SyntaxError, "an element type"},
		{"SELECT * FROM tensor('tensor e(0,0) { n pattern } T(i) = n: e.n(''it''''s'',i) ~)')", sqlerr.SyntaxError, "expected"},
		{"SELECT * FROM tensor('tensor e(0,0) { n pattern }\n T(i,~k) = n: or(j) e.n(i,j)')", sqlerr.SyntaxError, "line 2"},
		{"SELECT * FROM tensor('tensor e(0,0) { n pattern } T(i) = ~m: or(j) e.n(i,j)')", sqlerr.SyntaxError, "leaf 0 is not n"},
		{"SELECT * FROM tensor('tensor ~e(0,0) { m pattern } T(i) = n: or(j) e.m(i,j)')", sqlerr.SyntaxError, "leaf 0 is not n"},
		{"SELECT * FROM tensor('tensor e(0,0) { n pattern } T(i) = n: or(j) e.n(i,j) | ~v: e.n(i,j)')", sqlerr.SyntaxError, "leaf v"},
		{"SELECT * FROM tensor('tensor e(0,0) { n pattern } T(i) = n: or(j) e.n(i,j) | ~v: sum(j) e.n(j,i)')", sqlerr.SyntaxError, "leaf v"},
		{"SELECT * FROM tensor('~')", sqlerr.SyntaxError, "no query"},
		{"SELECT * FROM tensor('tensor ~x(0,0) { n pattern } T(i) = n: or(j) x.n(i,j)')", sqlerr.UndefinedTable, "no table"},
		{"SELECT * FROM " + degreesCall + ", e := ~x)", sqlerr.UndefinedTable, "no table"},
		{"SELECT * FROM " + degreesCall + ", 'e=~x')", sqlerr.UndefinedTable, "no table"},
		{"SELECT * FROM " + degreesCall + ", ~f := e)", sqlerr.SyntaxError, "no tensor f"},
		{"SELECT * FROM " + degreesCall + ", '~f=e')", sqlerr.SyntaxError, "no tensor f"},
		{"SELECT * FROM " + degreesCall + ", e := e, ~e := e)", sqlerr.SyntaxError, "two operands"},
		{"SELECT * FROM " + degreesCall + ", ~7)", sqlerr.SyntaxError, "by the name of its tensor"},
		{"SELECT * FROM " + degreesCall + ", e~)", sqlerr.SyntaxError, "by the name of its tensor"},
		{"SELECT * FROM " + degreesCall + ", e :=~)", sqlerr.SyntaxError, "by the name of its tensor"},
		{"SELECT * FROM " + degreesCall + ", 'e ~e')", sqlerr.SyntaxError, "by the name of its tensor"},
		{"SELECT * FROM " + degreesCall + ", 'e=~7')", sqlerr.SyntaxError, "the name of a table"},
		{"SELECT * FROM " + degreesCall + ", 'e=e(src ~dst)')", sqlerr.SyntaxError, "a comma"},
		{"SELECT * FROM " + degreesCall + ", 'e=e(src, ~)')", sqlerr.SyntaxError, "name of a column"},
		{"SELECT * FROM " + degreesCall + ", 'e=e(src, dst) ~x')", sqlerr.SyntaxError, "the end"},
		{"SELECT * FROM " + degreesCall + ", 'e=e(src, ~x)')", sqlerr.UndefinedColumn, "no column"},
		{"SELECT * FROM " + degreesCall + ", e := '~s.a')", sqlerr.DatatypeMismatch, "4 columns"},
		{"SELECT * FROM " + degreesCall + ", e := ~dup)", sqlerr.AmbiguousColumn, "named"},
		{"SELECT * FROM " + degreesCall + ", e := 's.a(x, ~w)')", sqlerr.DatatypeMismatch, "DOUBLE"},
		{"SELECT * FROM tensor('tensor A(0) { n i64, v i64 } T(i) = n: A.n(i)', A := 's.a(x; ~w)')", sqlerr.DatatypeMismatch, "declared i64"},
		{"SELECT * FROM tensor('~tensor e(0,0) { n pattern } T(i) = n: e.n(''a'',i)')", sqlerr.DatatypeMismatch, "constant"},
	} {
		sql, at := strings.Replace(c.sql, "~", "", 1), strings.Index(c.sql, "~")
		var asked []string
		_, err := Expand(context.Background(), sql, testEnv(&asked))
		var e *sqlerr.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		if e.Code != c.code || e.Offset != at || !strings.Contains(e.Message, c.message) {
			t.Errorf("%s\n%s at %d: %s; want %s at %d: %s", sql, e.Code, e.Offset, e.Message, c.code, at, c.message)
		}
	}
}
