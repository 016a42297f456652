package engine

import "testing"

// DEFAULT is a value for a generated column, and the only one.
func TestGeneratedColumnsTakeDefault(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE gg (a INTEGER, b INTEGER GENERATED ALWAYS AS (a * 2) STORED, c INTEGER DEFAULT 9, d INTEGER AS (a + 1))")
	s.wantTag("INSERT INTO gg VALUES (1, DEFAULT, 3)", "INSERT 0 1")
	s.wantTag("INSERT INTO public.gg VALUES (1, DEFAULT, 3, DEFAULT), (2, DEFAULT, DEFAULT, DEFAULT);", "INSERT 0 2")
	s.wantTag("INSERT INTO gg (d, a, \"B\", c) VALUES (DEFAULT, 5, DEFAULT, 6)", "INSERT 0 1")
	s.wantTag("INSERT INTO gg (c, b) VALUES ($1, DEFAULT)", "INSERT 0 1", "7")
	s.wantTag("INSERT INTO gg VALUES ($1, DEFAULT, $2)", "INSERT 0 1", "8", "80")
	s.wantTag("INSERT INTO gg VALUES (9)", "INSERT 0 1")
	s.wantTag("INSERT INTO gg (a, c) VALUES (11, 12)", "INSERT 0 1")
	s.want("SELECT * FROM gg ORDER BY a NULLS LAST, c", "1|2|3|2;1|2|3|2;2|4|9|3;5|10|6|6;8|16|80|9;9|18|9|10;11|22|12|12;NULL|NULL|7|NULL")
	s.wantTag("UPDATE gg SET b = DEFAULT WHERE a = 5", "UPDATE 1")
	s.wantTag("UPDATE gg SET d = DEFAULT, a = 6, b = DEFAULT, c = c + 1 WHERE a = 5", "UPDATE 1")
	s.want("SELECT * FROM gg WHERE a IN (5, 6)", "6|12|7|7")
	for _, sql := range []string{
		"INSERT INTO gg VALUES (7, 8)", "INSERT INTO gg VALUES (7, DEFAULT, 9), (7, 8, 9)", "INSERT INTO gg SELECT 10, 20", "INSERT INTO gg (a, b) VALUES (1, 2)",
		"UPDATE gg SET a = 1, b = 2",
	} {
		s.wantError(sql, "428C9")
	}
	s.want("SELECT count(*) FROM gg", "8")
}

// A PIVOT of all values of a column is described with its columns, and gives them however often it runs.
func TestPivotOfAllValuesIsDescribed(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE b (k INTEGER, w INTEGER)")
	s.run("INSERT INTO b VALUES (1, 2), (1, 3), (2, 4)")
	for _, sql := range []string{"PIVOT b ON k USING sum(w);", "FROM (PIVOT b ON k USING sum(w))", "WITH q AS (PIVOT b ON k USING sum(w)) SELECT * FROM q -- all"} {
		p, err := s.Prepare(t.Context(), sql, nil)
		if err != nil {
			t.Fatal(err)
		}
		if columns := p.Columns(); len(columns) != 2 || columns[0].Name != "1" || columns[1].Name != "2" {
			t.Errorf("%s: the columns are %v", sql, columns)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		s.want(sql, "5|4")
	}
	s.run("BEGIN")
	s.run("INSERT INTO b VALUES (3, 6)")
	s.want("PIVOT b ON k USING sum(w)", "5|4|6")
	s.run("COMMIT")
}
