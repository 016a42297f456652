package sqlfront

import "testing"

func TestNameEdits(t *testing.T) {
	for _, tc := range []struct{ sql, want string }{ // want empty: unchanged
		{
			"CREATE TABLE t (at date, by text, show int, describe int NOT NULL, pivot numeric(9,2), Lambda int, qualify int, glob text, PRIMARY KEY (at, by))",
			`CREATE TABLE t ("at" date, "by" text, "show" int, "describe" int NOT NULL, "pivot" numeric(9,2), "Lambda" int, "qualify" int, "glob" text, PRIMARY KEY ("at", "by"))`,
		},
		{"CREATE TABLE public.show (show text, anti int)", `CREATE TABLE public.show ("show" text, "anti" int)`},
		{"CREATE TABLE show (id int CHECK ((at > 0)))", `CREATE TABLE "show" (id int CHECK (("at" > 0)))`},
		{"COPY public.t (at, by, unpack) FROM stdin", `COPY public.t ("at", "by", "unpack") FROM stdin`},
		{"INSERT INTO t (show, semi) VALUES (1, 2)", `INSERT INTO t ("show", "semi") VALUES (1, 2)`},
		{"INSERT INTO summarize (a) VALUES (1)", `INSERT INTO "summarize" (a) VALUES (1)`},
		{"INSERT INTO t BY NAME SELECT 1 AS a", ""},
		{"SELECT at, max(by) FROM t WHERE show = 1 AND pivot IS NULL GROUP BY at, qualify ORDER BY by", `SELECT "at", max("by") FROM t WHERE "show" = 1 AND "pivot" IS NULL GROUP BY "at", "qualify" ORDER BY "by"`},
		{"SELECT at AT TIME ZONE 'UTC', t.at, t.by FROM t", `SELECT "at" AT TIME ZONE 'UTC', t.at, t.by FROM t`},
		{"SELECT x AT TIME ZONE 'UTC', f(ORDER BY x), row_number() OVER (PARTITION BY y) FROM t GROUP BY x ORDER BY x", ""},
		{"UPDATE t SET at = 1, by = by + 1 WHERE glob = 'x'", `UPDATE t SET "at" = 1, "by" = "by" + 1 WHERE "glob" = 'x'`},
		{"ALTER TABLE t ADD COLUMN at int", `ALTER TABLE t ADD COLUMN "at" int`},
		{"ALTER TABLE t RENAME COLUMN at TO by", `ALTER TABLE t RENAME COLUMN "at" TO "by"`},
		{"ALTER TABLE ONLY t ADD CONSTRAINT c FOREIGN KEY (by) REFERENCES show(at)", `ALTER TABLE ONLY t ADD CONSTRAINT c FOREIGN KEY ("by") REFERENCES "show"("at")`},
		{"CREATE INDEX i ON show USING btree (at, by)", `CREATE INDEX i ON "show" USING btree ("at", "by")`},
		{"CREATE SEQUENCE s INCREMENT BY 1", ""},
		{"ALTER SEQUENCE s OWNED BY t.at", ""},
		{"SHOW TABLES", ""},
		{"DESCRIBE t", ""},
		{"SELECT * FROM (DESCRIBE t), (SHOW TABLES) s", ""},
		{"SELECT * FROM (SUMMARIZE FROM t), (DESCRIBE SELECT 1), (SUMMARIZE WITH c AS (SELECT 1) FROM c), (DESCRIBE VALUES (1))", ""},
		{"SELECT * FROM (PIVOT t ON a USING sum(b)) p", ""},
		{"SELECT * FROM t PIVOT (sum(a) FOR b IN (1, 2) GROUP BY c)", ""},
		{"CREATE TABLE x AS (PIVOT t ON a USING sum(b) GROUP BY c)", ""},
		{"WITH p AS (PIVOT t ON a USING sum(b)) SELECT * FROM p", ""},
		{"PIVOT t ON a USING sum(b) GROUP BY c", ""},
		{"SELECT list_transform(l, lambda x: x + 1), list_reduce(l, lambda x, y: x + y), list_reduce(lambda, 1) FROM t", `SELECT list_transform(l, lambda x: x + 1), list_reduce(l, lambda x, y: x + y), list_reduce("lambda", 1) FROM t`},
		{"SELECT a FROM t QUALIFY row_number() OVER (ORDER BY b) = 1", ""},
		{"SELECT * FROM a SEMI JOIN b USING (x)", ""},
		{"SELECT * FROM a ASOF LEFT JOIN b ON a.t >= b.t", ""},
		{"SELECT * FROM a POSITIONAL JOIN b", ""},
		{"SELECT * FROM glob('*.csv') WHERE file GLOB '*.x' AND file NOT GLOB '*.y'", ""},
		{"SELECT * FROM a UNION ALL BY NAME SELECT * FROM b", ""},
		{"FROM t SELECT * QUALIFY true", ""},
		{"SELECT 2 * at, unpack(COLUMNS(*)) FROM t", `SELECT 2 * "at", unpack(COLUMNS(*)) FROM t`},
		{"MERGE INTO t USING s ON t.a = s.a WHEN NOT MATCHED BY SOURCE THEN DELETE", ""},
		{"SELECT 'at', \"by\" -- show", ""},
	} {
		want := tc.want
		if want == "" {
			want = tc.sql
		}
		if got := NameEdits(tc.sql).Apply(tc.sql, 0, len(tc.sql)); got != want {
			t.Errorf("%s\n got %s\nwant %s", tc.sql, got, want)
		}
	}
}

func TestArrayEdits(t *testing.T) {
	for _, tc := range []struct{ sql, want string }{ // want empty: unchanged
		{
			"CREATE TABLE t (y text, CONSTRAINT c CHECK ((y = ANY (ARRAY['a'::text, 'b'::text]))))",
			"CREATE TABLE t (y text, CONSTRAINT c CHECK ((y IN ('a'::text, 'b'::text))))",
		},
		{
			"CREATE TABLE t (y varchar, CHECK (((y)::text = ANY ((ARRAY['a'::character varying, f(1, 2)])::text[]))))",
			"CREATE TABLE t (y varchar, CHECK (((y)::text IN (CAST('a'::character varying AS text), CAST(f(1, 2) AS text)))))",
		},
		{"CREATE TABLE t (y int CHECK (y <> ALL (ARRAY[1, 2]) AND y != ALL ([3])))", "CREATE TABLE t (y int CHECK (y NOT IN (1, 2) AND y NOT IN (3)))"},
		{"ALTER TABLE t ADD CHECK ((y)::text ~~ ANY (ARRAY['a%', 'b%']))", "ALTER TABLE t ADD CHECK (((y)::text ~~ ('a%') OR (y)::text ~~ ('b%')))"},
		{"ALTER TABLE t ADD CHECK (NOT y > ALL (ARRAY[1, 2]))", "ALTER TABLE t ADD CHECK (NOT (y > (1) AND y > (2)))"},
		{"ALTER TABLE t ADD CHECK (a || y ~~ ANY (ARRAY['x']))", ""},
		{
			"ALTER TABLE t ADD CHECK (y = ANY (l))",
			"ALTER TABLE t ADD CHECK ((CASE WHEN list_contains(l, y) THEN true WHEN (l) IS NULL OR len(l) > 0 AND y IS NULL OR list_count(l) < len(l) THEN NULL ELSE false END))",
		},
		{"CREATE VIEW v AS SELECT 1 = ANY (ARRAY[1, 2])", ""},
		{"SELECT 1 = ANY (ARRAY[1, 2])", ""},
		{"CREATE TABLE t (a int CHECK (a = ANY (", ""},
	} {
		want := tc.want
		if want == "" {
			want = tc.sql
		}
		if got := ArrayEdits(tc.sql).Apply(tc.sql, 0, len(tc.sql)); got != want {
			t.Errorf("%s\n got %s\nwant %s", tc.sql, got, want)
		}
	}
}
