//go:build !duckdb_use_lib

package duckbackend

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

func violationIn(t *testing.T, err error) *Violation {
	t.Helper()
	var v *Violation
	if !errors.As(err, &v) {
		t.Fatalf("error %v does not say what it violates", err)
	}
	return v
}

// openGuarded opens a database whose changes are all permitted.
func openGuarded(t *testing.T) *DB {
	t.Helper()
	db := openMemory(t)
	if err := db.Guard(func(Change) error { return nil }); err != nil {
		t.Fatal(err)
	}
	return db
}

func TestViolationsSayWhatWasChecked(t *testing.T) {
	c := openConn(t, openGuarded(t))
	for _, sql := range []string{
		`CREATE SCHEMA "s.x"`,
		`CREATE TABLE "s.x"."p.q" (g INTEGER GENERATED ALWAYS AS (id + 1), id INTEGER PRIMARY KEY, u INTEGER, n INTEGER NOT NULL, c INTEGER, CHECK (n > 0), CHECK (c > 0), UNIQUE (n, u))`,
		`CREATE TABLE "s.x".r (a INTEGER, b INTEGER REFERENCES "s.x"."p.q" (id))`,
		`CREATE UNIQUE INDEX "r:i" ON "s.x".r ((a + 1), b)`,
		`INSERT INTO "s.x"."p.q" (id, u, n) VALUES (1, 1, 1), (2, 2, 2)`,
		`INSERT INTO "s.x".r VALUES (1, 1)`,
	} {
		mustExec(t, c, sql)
	}
	primary := &ViolatedIndex{Name: "PRIMARY_p.q_0", Primary: true, Columns: []int{0}}
	for sql, want := range map[string]Violation{
		`INSERT INTO "s.x"."p.q" (id, u, n) VALUES (3, 3, NULL)`:                {Message: "NOT NULL constraint failed: p.q.n"},
		`INSERT INTO "s.x"."p.q" (id, u, n) VALUES (3, 3, -3)`:                  {Message: "CHECK constraint failed on table p.q with expression CHECK((n > 0))"},
		`UPDATE "s.x"."p.q" SET c = n - 5`:                                      {Message: "CHECK constraint failed on table p.q with expression CHECK((c > 0))"},
		`INSERT INTO "s.x"."p.q" (id, u, n) VALUES (1, 3, 3)`:                   {Index: primary, Message: `Duplicate key "id: 1" violates primary key constraint.`},
		`INSERT INTO "s.x"."p.q" (id, u, n) SELECT 5, range, 9 FROM range(500)`: {Index: primary, Message: `PRIMARY KEY or UNIQUE constraint violation: duplicate key "5"`},
		`INSERT INTO "s.x"."p.q" (id, u, n) VALUES (3, 1, 1)`: {
			Index: &ViolatedIndex{Name: "UNIQUE_p.q_4", Columns: []int{2, 1}}, Message: `Duplicate key "n: 1, u: 1" violates unique constraint.`,
		},
		`INSERT INTO "s.x".r VALUES (1, 1)`: {
			Index: &ViolatedIndex{Name: "r:i", Columns: []int{0, 1}}, Message: `Duplicate key "(a + 1): 2, b: 1" violates unique constraint.`,
		},
		`INSERT INTO "s.x".r VALUES (1, 7)`: {
			Key: &ViolatedKey{Schema: "s.x", Table: "p.q", From: []int{1}, To: []int{0}},
		},
		`DELETE FROM "s.x"."p.q"`: {
			Key: &ViolatedKey{Deletes: true, Schema: "s.x", Table: "r", From: []int{1}, To: []int{0}},
		},
	} {
		v := *violationIn(t, c.Exec(context.Background(), sql))
		want.Database, want.Schema, want.Table = CatalogName, "s.x", "p.q"
		if v.Table == "r" {
			want.Table = "r"
		}
		if want.Message == "" {
			want.Message = v.Message
		}
		if want.Index == nil {
			v.Index = nil
		}
		if want.Key == nil {
			v.Key = nil
		}
		if !reflect.DeepEqual(v, want) {
			t.Errorf("%s:\n%+v %+v %+v\nwant\n%+v %+v %+v", sql, v, v.Index, v.Key, want, want.Index, want.Key)
		}
	}
}

// At COMMIT it is found which rows others have added meanwhile.
func TestViolationsOfCommitSayWhatWasChecked(t *testing.T) {
	db := openGuarded(t)
	c := openConn(t, db)
	for _, sql := range []string{
		"CREATE SCHEMA s", "CREATE TABLE a (i INTEGER PRIMARY KEY)", "CREATE TABLE s.a (x INTEGER, i INTEGER UNIQUE)", "CREATE TABLE z (i INTEGER PRIMARY KEY)",
	} {
		mustExec(t, c, sql)
	}
	other := openConn(t, db)
	for _, sql := range []string{"BEGIN", "INSERT INTO a VALUES (1)", "INSERT INTO s.a VALUES (1, 7)", "INSERT INTO z VALUES (1)"} {
		mustExec(t, other, sql)
	}
	mustExec(t, c, "INSERT INTO s.a VALUES (2, 7)")
	v := violationIn(t, other.Exec(context.Background(), "COMMIT"))
	want := &Violation{
		Database: CatalogName, Schema: "s", Table: "a", Index: &ViolatedIndex{Name: "UNIQUE_a_0", Columns: []int{1}},
		Message: `PRIMARY KEY or UNIQUE constraint violation: duplicate key "7"`,
	}
	if !reflect.DeepEqual(v, want) {
		t.Errorf("%+v %+v", v, v.Index)
	}
}

// Others in the process who use DuckDB have its errors as they are.
func TestViolationsOfOthersAreDuckDBs(t *testing.T) {
	c := openConn(t, openMemory(t))
	mustExec(t, c, "CREATE TABLE k (i INTEGER PRIMARY KEY)")
	mustExec(t, c, "INSERT INTO k VALUES (1)")
	e := sqlerr.From(c.Exec(context.Background(), "INSERT INTO k VALUES (1)"))
	if v := new(Violation); errors.As(e, &v) || e.Message != `Duplicate key "i: 1" violates primary key constraint.` {
		t.Errorf("%+v", e)
	}
}

// A key may be any text, and say what a message of the server's would.
func TestViolationsAreNotMadeUp(t *testing.T) {
	c := openConn(t, openGuarded(t))
	mustExec(t, c, "CREATE TABLE k (s VARCHAR PRIMARY KEY)")
	const key = "VIOLATION 1:a1:b1:c00"
	mustExec(t, c, "INSERT INTO k VALUES ('"+key+"')")
	v := violationIn(t, c.Exec(context.Background(), "INSERT INTO k VALUES ('"+key+"')"))
	if v.Table != "k" || v.Message != `Duplicate key "s: `+key+`" violates primary key constraint.` {
		t.Errorf("%+v", v)
	}
	mustExec(t, c, "INSERT INTO k VALUES ('SQLSTATE 0A000: no')")
	if code := sqlerr.From(c.Exec(context.Background(), "INSERT INTO k VALUES ('SQLSTATE 0A000: no')")).Code; code != sqlerr.UniqueViolation {
		t.Errorf("the code is %s", code)
	}
	if v, message := violationOf("VIOLATION 1:a99:b"); v != nil || message != "VIOLATION 1:a99:b" {
		t.Errorf("%+v, %q", v, message)
	}
}
