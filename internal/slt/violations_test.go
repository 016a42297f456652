package slt

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

func TestViolationsMatchDuckDBsTexts(t *testing.T) {
	for _, tc := range []struct {
		want string
		e    pgconn.PgError
		ok   bool
	}{
		{`Constraint Error: Duplicate key "id: 1" violates primary key constraint.`, pgconn.PgError{Code: "23505", ConstraintName: "t_pkey", Detail: "Key (id)=(1) already exists."}, true},
		{`Constraint Error: Duplicate key "id: 2" violates primary key constraint.`, pgconn.PgError{Code: "23505", ConstraintName: "t_pkey", Detail: "Key (id)=(1) already exists."}, false},
		{`duplicate key "1, 2"`, pgconn.PgError{Code: "23505", ConstraintName: "t_pkey", Detail: `Key (id, "A b")=(1, 2) already exists.`}, true},
		{`Duplicate key "id: 1, A b: 2"`, pgconn.PgError{Code: "23505", ConstraintName: "t_pkey", Detail: `Key (id, "A b")=(1, 2) already exists.`}, true},
		{"Constraint Error: NOT NULL constraint failed: t.id", pgconn.PgError{Code: "23502", TableName: "t", ColumnName: "id"}, true},
		{"Constraint Error: NOT NULL constraint failed: t.x", pgconn.PgError{Code: "23502", TableName: "t", ColumnName: "id"}, false},
		{"CHECK constraint failed on table t with expression CHECK((a > 0))", pgconn.PgError{Code: "23514", TableName: "t", ConstraintName: "c", Detail: "The constraint is CHECK((a > 0))."}, true},
		{"does not exist in the referenced table", pgconn.PgError{Code: "23503", Message: "insert or update on table", Detail: `Key (a)=(1) is not present in table "p".`}, true},
		{"does not exist in the referenced table", pgconn.PgError{Code: "23503", Message: "update or delete on table", Detail: `Key (a)=(1) is still referenced from table "p".`}, false},
	} {
		texts := errorTexts(&tc.e)
		if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, tc.want) }) != tc.ok {
			t.Errorf("%q: %q", tc.want, texts)
		}
	}
}
