package sqlfront

import "testing"

func TestBetweenEdits(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT x BETWEEN SYMMETRIC 2 AND 1":                              "SELECT (x BETWEEN 2 AND 1 OR x BETWEEN 1 AND 2)",
		"SELECT - x.y + 1 not between symmetric f(a, b) AND -b::INT":      "SELECT (- x.y + 1 NOT BETWEEN f(a, b) AND -b::INT AND - x.y + 1 NOT BETWEEN -b::INT AND f(a, b))",
		"SELECT NOT s || 't' BETWEEN SYMMETRIC 'z' AND 'a' AND c":         "SELECT NOT (s || 't' BETWEEN 'z' AND 'a' OR s || 't' BETWEEN 'a' AND 'z') AND c",
		"SELECT a = b BETWEEN SYMMETRIC 1 AND 2 OR c BETWEEN 1 AND 2":     "SELECT a = (b BETWEEN 1 AND 2 OR b BETWEEN 2 AND 1) OR c BETWEEN 1 AND 2",
		"SELECT x BETWEEN SYMMETRIC 1 AND 2, y BETWEEN SYMMETRIC 3 AND 4": "SELECT (x BETWEEN 1 AND 2 OR x BETWEEN 2 AND 1), (y BETWEEN 3 AND 4 OR y BETWEEN 4 AND 3)",
		"SELECT 'symmetric', x BETWEEN ASYMMETRIC 1 AND 2":                "SELECT 'symmetric', x BETWEEN ASYMMETRIC 1 AND 2",
		"SELECT CASE x WHEN 1 THEN 2 END BETWEEN SYMMETRIC 1 AND 2":       "SELECT CASE x WHEN 1 THEN 2 END BETWEEN SYMMETRIC 1 AND 2",
	} {
		if got := BetweenEdits(sql).Apply(sql, 0, len(sql)); got != want {
			t.Errorf("%s\nis  %s\nnot %s", sql, got, want)
		}
	}
}

func TestLiteralEdits(t *testing.T) {
	for sql, want := range map[string]string{
		`SELECT E'a\u00e9', E'a\n'`:                      `SELECT 'aé', E'a\n'`,
		"SELECT B'101', b'1'\n'0'::INT, x'4F', X''":      "SELECT CAST('101' AS BIT), CAST('10' AS BIT)::INT, CAST('01001111' AS BIT), CAST('' AS BIT)",
		`SELECT U&'d\0061t\+00006''\\'`:                  "",
		`SELECT U&'d\0061t\+000061''\\', u&"d\0061""ta"`: `SELECT 'data''\', "da""ta"`,
		`SELECT U&'d!0061!!\' UESCAPE '!' AS x`:          `SELECT 'da!\' AS x`,
		`SELECT U&'\D83D\DE00', U&''`:                    `SELECT '😀', ''`,
		`SELECT U&'\00zz'`:                               "",
		`SELECT U&'\D83D'`:                               "",
		`SELECT U&'\0000'`:                               "",
		"SELECT 0x1F, 0B101+0o17, 0xFFFF_FFFF_FFFF_FFFF_FF, a0x1, 0 x1, 1x1, 0xg, '0x1F'": "SELECT 31, 5+15, 4722366482869645213695, a0x1, 0 x1, 1x1, 0xg, '0x1F'",
		"SELECT B'102'":   "",
		"SELECT 1, x'4G'": "",
		`SELECT E'\xff'`:  "",
		`SELECT 'B', "x", b, x 'y', N'abc', E'a\\b', $$B'101'$$`: `SELECT 'B', "x", b, x 'y', N'abc', E'a\\b', $$B'101'$$`,
	} {
		edits, err := LiteralEdits(sql)
		if got := edits.Apply(sql, 0, len(sql)); err == nil && got != want || err != nil && want != "" {
			t.Errorf("%s\nis  %s, %v\nnot %s", sql, got, err, want)
		}
	}
}

func TestTypeNameEdits(t *testing.T) {
	for sql, want := range map[string]string{
		`CREATE TABLE t (a "numeric", "numeric" "numeric"(3,1), b "jsonb" DEFAULT '1'::"jsonb", "time" "time"[], c "Numeric")`: `CREATE TABLE t (a numeric, "numeric" numeric(3,1), b jsonb DEFAULT '1'::jsonb, "time" time[], c "Numeric")`,
		`SELECT "numeric", x AS "time", CAST(x AS "numeric"), CAST(x AS "varchar"(3)), y::"bit" FROM "varchar" "bit"`:          `SELECT "numeric", x AS "time", CAST(x AS numeric), CAST(x AS varchar(3)), y::bit FROM "varchar" "bit"`,
		`ALTER TABLE t ADD COLUMN "time" "timestamptz"`:                                                                        `ALTER TABLE t ADD COLUMN "time" timestamptz`,
	} {
		if got := TypeNameEdits(sql).Apply(sql, 0, len(sql)); got != want {
			t.Errorf("%s\nis  %s\nnot %s", sql, got, want)
		}
	}
}

func TestWrittenAt(t *testing.T) {
	for _, c := range []struct {
		sql                string
		at                 int
		operator, function string
	}{
		{"SELECT a LIKE b", 9, "LIKE", ""},
		{"SELECT a not ilike b", 9, "NOT ILIKE", ""},
		{"SELECT a not ilike b", 13, "NOT ILIKE", ""},
		{"SELECT a SIMILAR TO b", 9, "SIMILAR TO", ""},
		{"SELECT a ~~ b", 9, "~~", ""},
		{"SELECT a OPERATOR(pg_catalog.!~) b", 9, "!~", ""},
		{"SELECT like_escape(a, b)", 7, "", "like_escape"},
		{`SELECT pg_catalog."Abs"(a)`, 7, "", "Abs"},
		{"SELECT a", 7, "", ""},
		{"SELECT a", 99, "", ""},
	} {
		if operator, function := WrittenAt(c.sql, c.at); operator != c.operator || function != c.function {
			t.Errorf("%s at %d: %q, %q", c.sql, c.at, operator, function)
		}
	}
}
