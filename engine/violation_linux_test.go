//go:build !duckdb_use_lib

package engine

import (
	"errors"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// wantObject checks an error's message, its detail and what it is about.
func (s testSession) wantObject(sql, message, detail string, of sqlerr.Object) {
	s.t.Helper()
	_, _, err := s.try(sql)
	var e *sqlerr.Error
	if !errors.As(err, &e) {
		s.t.Errorf("%s: %v", sql, err)
		return
	}
	if e.Message != message || e.Detail != detail || e.Object != of {
		s.t.Errorf("%s: %q, %q, %+v\nwant %q, %q, %+v", sql, e.Message, e.Detail, e.Object, message, detail, of)
	}
}

// TestViolatedConstraints: an error of a constraint says which one it is, as in Postgres.
func TestViolatedConstraints(t *testing.T) {
	e := openEngine(t)
	s := openSession(t, e)
	for _, sql := range []string{
		`CREATE SCHEMA "S p"`,
		`CREATE TABLE p (g INTEGER GENERATED ALWAYS AS (id + 1), id INTEGER PRIMARY KEY, u VARCHAR UNIQUE, n INTEGER NOT NULL, c INTEGER CONSTRAINT pos CHECK (c > 0), "A b" INTEGER, CONSTRAINT pair UNIQUE ("A b", n))`,
		`CREATE TABLE f (x INTEGER, y INTEGER REFERENCES p, z VARCHAR CONSTRAINT "to u" REFERENCES p (u), FOREIGN KEY (y) REFERENCES p)`,
		`CREATE UNIQUE INDEX "F i" ON f ((x + 1), y)`,
		`CREATE TABLE "S p"."T.t" ("c.d" INTEGER NOT NULL, b INTEGER)`,
		`ALTER TABLE "S p"."T.t" ADD UNIQUE (b)`,
		`INSERT INTO p (id, u, n, c, "A b") VALUES (1, 'one', 1, 1, 1), (2, 'two', 2, 2, 2)`,
		`INSERT INTO f VALUES (1, 1, 'one')`,
		`INSERT INTO "S p"."T.t" VALUES (1, 1)`,
	} {
		s.run(sql)
	}
	const public = "public"
	pkey := sqlerr.Object{Schema: public, Table: "p", Constraint: "p_pkey"}
	pair := sqlerr.Object{Schema: public, Table: "p", Constraint: "pair"}
	s.wantObject("INSERT INTO p (id, n) VALUES (1, 3)", `duplicate key value violates unique constraint "p_pkey"`, "Key (id)=(1) already exists.", pkey)
	s.wantObject("INSERT INTO p (id, n) VALUES (3, 3), (3, 3)", `duplicate key value violates unique constraint "p_pkey"`, "Key (id)=(3) already exists.", pkey)
	s.wantObject("INSERT INTO p (id, n) SELECT 9, range FROM range(5000)", `duplicate key value violates unique constraint "p_pkey"`, "Key (id)=(9) already exists.", pkey)
	s.wantObject("UPDATE p SET id = 5 RETURNING id", `update or delete on table "p" violates foreign key constraint "f_y_fkey" on table "f"`, `Key (id)=(1) is still referenced from table "f".`,
		sqlerr.Object{Schema: public, Table: "f", Constraint: "f_y_fkey"})
	s.wantObject("INSERT INTO p (id, u, n) VALUES (3, 'one', 3)", `duplicate key value violates unique constraint "p_u_key"`, "Key (u)=(one) already exists.",
		sqlerr.Object{Schema: public, Table: "p", Constraint: "p_u_key"})
	s.wantObject(`INSERT INTO p (id, n, "A b") VALUES (3, 1, 1)`, `duplicate key value violates unique constraint "pair"`, `Key ("A b", n)=(1, 1) already exists.`, pair)
	s.wantObject(`INSERT INTO p (id, n, "A b") VALUES (3, 7, 7), (4, 7, 7)`, `duplicate key value violates unique constraint "pair"`, `Key ("A b", n)=(7, 7) already exists.`, pair)
	s.wantObject("INSERT INTO f VALUES (1, 1, 'one')", `duplicate key value violates unique constraint "F i"`, "Key ((x + 1), y)=(2, 1) already exists.",
		sqlerr.Object{Schema: public, Table: "f", Constraint: "F i"})
	s.wantObject(`INSERT INTO "s P"."t.T" VALUES (2, 1)`, `duplicate key value violates unique constraint "T.t_b_key"`, "Key (b)=(1) already exists.",
		sqlerr.Object{Schema: "S p", Table: "T.t", Constraint: "T.t_b_key"})

	s.wantObject("INSERT INTO p (id, n) VALUES (3, NULL)", `null value in column "n" of relation "p" violates not-null constraint`, "", sqlerr.Object{Schema: public, Table: "p", Column: "n"})
	s.wantObject(`UPDATE "S p"."T.t" SET "c.d" = NULL`, `null value in column "c.d" of relation "T.t" violates not-null constraint`, "",
		sqlerr.Object{Schema: "S p", Table: "T.t", Column: "c.d"})
	s.wantObject(`INSERT INTO "s P"."t.T" (b) VALUES (2)`, `null value in column "c.d" of relation "T.t" violates not-null constraint`, "",
		sqlerr.Object{Schema: "S p", Table: "T.t", Column: "c.d"})
	pos := sqlerr.Object{Schema: public, Table: "p", Constraint: "pos"}
	s.wantObject("INSERT INTO p (id, n, c) VALUES (3, 3, 0)", `new row for relation "p" violates check constraint "pos"`, "The constraint is CHECK((c > 0)).", pos)
	s.wantObject("UPDATE p SET c = -1", `new row for relation "p" violates check constraint "pos"`, "The constraint is CHECK((c > 0)).", pos)

	s.wantObject("INSERT INTO f VALUES (2, 7, 'one')", `insert or update on table "f" violates foreign key constraint "f_y_fkey"`, `Key (y)=(7) is not present in table "p".`,
		sqlerr.Object{Schema: public, Table: "f", Constraint: "f_y_fkey"})
	s.wantObject("INSERT INTO f VALUES (2, 1, 'six')", `insert or update on table "f" violates foreign key constraint "to u"`, `Key (z)=(six) is not present in table "p".`,
		sqlerr.Object{Schema: public, Table: "f", Constraint: "to u"})
	s.wantObject("DELETE FROM p WHERE id = 1", `update or delete on table "p" violates foreign key constraint "f_y_fkey" on table "f"`, `Key (id)=(1) is still referenced from table "f".`,
		sqlerr.Object{Schema: public, Table: "f", Constraint: "f_y_fkey"})

	// In a transaction, and where only COMMIT finds it.
	s.run("BEGIN")
	s.run("INSERT INTO p (id, n) VALUES (4, 4)")
	s.wantObject("INSERT INTO p (id, n) VALUES (4, 5)", `duplicate key value violates unique constraint "p_pkey"`, "Key (id)=(4) already exists.", pkey)
	s.run("ROLLBACK")
	s.run("BEGIN")
	s.run(`INSERT INTO "S p"."T.t" VALUES (7, 7)`)
	s.run(`INSERT INTO p (id, n, "A b") VALUES (6, 6, 6)`)
	openSession(t, e).run(`INSERT INTO p (id, n, "A b") VALUES (7, 6, 6)`)
	s.wantObject("COMMIT", `duplicate key value violates unique constraint "pair"`, `Key ("A b", n)=(6, 6) already exists.`, pair)
}

// TestViolatedConstraintsBeingAdded: ALTER TABLE and CREATE INDEX say which one the rows violate.
func TestViolatedConstraintsBeingAdded(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE g (i INTEGER, j INTEGER)")
	s.run("INSERT INTO g VALUES (1, NULL), (1, NULL)")
	s.run("CREATE TABLE h (i INTEGER PRIMARY KEY)")
	of := func(constraint string) sqlerr.Object {
		return sqlerr.Object{Schema: "public", Table: "g", Constraint: constraint}
	}
	const duplicates = "Data contains duplicates on indexed column(s)."
	s.wantObject("CREATE UNIQUE INDEX gi ON g (i)", `could not create unique index "gi"`, duplicates, of("gi"))
	s.wantObject("CREATE UNIQUE INDEX ON g (i)", `could not create unique index "g_i_idx"`, duplicates, of("g_i_idx"))
	s.wantObject("ALTER TABLE g ADD CONSTRAINT one UNIQUE (i)", `could not create unique index "one"`, duplicates, of("one"))
	s.wantObject("ALTER TABLE g ADD PRIMARY KEY (i)", `could not create unique index "g_pkey"`, duplicates, of("g_pkey"))
	s.wantObject("ALTER TABLE g ADD CONSTRAINT big CHECK (i > 1)", `check constraint "big" of relation "g" is violated by some row`, "The constraint is CHECK((i > 1)).", of("big"))
	s.wantObject("ALTER TABLE g ADD CONSTRAINT gh FOREIGN KEY (i) REFERENCES h", `insert or update on table "g" violates foreign key constraint "gh"`, "", of("gh"))
	s.wantObject("ALTER TABLE g ALTER j SET NOT NULL", `null value in column "j" of relation "g" violates not-null constraint`, "", sqlerr.Object{Schema: "public", Table: "g", Column: "j"})
}

// TestViolationsThatAreNotKnown: what the catalog does not show is not made up.
func TestViolationsThatAreNotKnown(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TEMP TABLE own (a INTEGER PRIMARY KEY, b INTEGER CHECK (b > 0))")
	s.wantObject("INSERT INTO own VALUES (1, 0)", `new row for relation "own" violates check constraint "own_b_check"`, "The constraint is CHECK((b > 0)).",
		sqlerr.Object{Schema: "pg_temp_1", Table: "own", Constraint: "own_b_check"})
	s.run("CREATE TABLE t (a INTEGER CONSTRAINT before PRIMARY KEY)")
	s.run("BEGIN")
	s.run("DROP TABLE t")
	s.run("CREATE TABLE t (a INTEGER CONSTRAINT after PRIMARY KEY)")
	s.wantObject("INSERT INTO t VALUES (1), (1)", `PRIMARY KEY or UNIQUE constraint violation: duplicate key "1"`, "", sqlerr.Object{Schema: "public", Table: "t"})
	s.run("ROLLBACK")
	s.run("CREATE TABLE k (a VARCHAR, b VARCHAR, UNIQUE (a, b))")
	s.run("INSERT INTO k VALUES ('1, b: 2', '3')")
	s.wantObject("INSERT INTO k VALUES ('1, b: 2', '3')", `duplicate key value violates unique constraint "k_a_b_key"`, "", sqlerr.Object{Schema: "public", Table: "k", Constraint: "k_a_b_key"})
}

// TestUpsertsOfViolations: what ON CONFLICT does not take is the error of its constraint.
func TestUpsertsOfViolations(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (a INTEGER PRIMARY KEY, b INTEGER UNIQUE)")
	s.run("INSERT INTO t VALUES (1, 1), (2, 2)")
	s.wantObject("INSERT INTO t VALUES (1, 2) ON CONFLICT (a) DO UPDATE SET b = excluded.b", `duplicate key value violates unique constraint "t_b_key"`, "Key (b)=(2) already exists.",
		sqlerr.Object{Schema: "public", Table: "t", Constraint: "t_b_key"})
	s.wantObject("MERGE INTO t USING (SELECT 1 AS a) s ON false WHEN NOT MATCHED THEN INSERT VALUES (s.a, 9)", `duplicate key value violates unique constraint "t_pkey"`, "Key (a)=(1) already exists.",
		sqlerr.Object{Schema: "public", Table: "t", Constraint: "t_pkey"})
	if _, _, err := s.try("CREATE TABLE t2 AS SELECT error('Duplicate key \"a: 1\" violates unique constraint.') FROM t"); err != nil && !strings.Contains(err.Error(), "Duplicate key") {
		t.Error(err)
	}
}
