package engine

import "testing"

// TestBreaksInLiterals: a line break in a literal or a name is part of it, however the
// SQL around it is laid out.
func TestBreaksInLiterals(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE \"x\ny\" (k INTEGER, \"s\n\nt\" VARCHAR)")
	s.run("CREATE TABLE z (k INTEGER, v INTEGER)")
	s.run("INSERT INTO \"x\ny\" VALUES (1, 'a\nb'), (2, 'a\n  b'), (3, 'a\n    b'), (4, 'a b')")
	s.run("INSERT INTO z VALUES (1, 10), (2, 20), (3, 30), (4, 40)")
	for _, c := range []struct{ sql, want string }{
		{"SELECT count(*), sum(z.v) FROM \"x\ny\" x JOIN z USING (k) WHERE x.\"s\n\nt\" = 'a\nb'", "1|10"},
		{"SELECT count(*), sum(z.v) FROM \"x\ny\" x JOIN z USING (k) WHERE x.\"s\n\nt\" IN ('a\nb', 'a\n  b')", "2|30"},
		{"SELECT x.\"s\n\nt\" = 'a\n  b' AS \"r\ns\", sum(z.v) FROM \"x\ny\" x JOIN z USING (k) GROUP BY 1 ORDER BY 1", "0|80;1|20"},
		{"SELECT sum(CASE WHEN x.\"s\n\nt\" = 'a\nb' THEN z.v ELSE 0 END) FROM \"x\ny\" x JOIN z USING (k)", "10"},
		{"SELECT count(DISTINCT x.\"s\n\nt\" || '\n') FROM \"x\ny\" x LEFT JOIN z ON x.k = z.k AND x.\"s\n\nt\" <> 'a\nb'", "4"},
		{"SELECT count(*) FROM \"x\ny\" x FULL JOIN z ON x.k = z.k AND x.\"s\n\nt\" = 'a\n  b'", "7"},
		{"SELECT sum(x.v) FROM (SELECT k, 'a\nb' AS s, v FROM z UNION ALL SELECT k, \"s\n\nt\", 100 FROM \"x\ny\") x JOIN \"x\ny\" y ON x.s = y.\"s\n\nt\"", "500"},
		{"SELECT max(x.\"s\n\nt\") FROM \"x\ny\" x JOIN z USING (k) WHERE x.\"s\n\nt\" < 'a\n b' OR z.v = 0", "a\n  b"},
		{"SELECT count(*) FROM z JOIN \"x\ny\" x ON z.k = x.k WHERE EXISTS (SELECT 1 FROM \"x\ny\" y WHERE y.k = z.k AND y.\"s\n\nt\" = E'a\\nb')", "1"},
	} {
		for _, backend := range []string{"duckdb", "native", "decomposed"} {
			s.run("SET trireme.backend = " + backend)
			got, _, err := s.try(c.sql)
			if err != nil && backend != "duckdb" {
				if _, _, plain := s.try("SET trireme.backend = auto"); plain != nil {
					t.Fatal(plain)
				}
				got, _, err = s.try(c.sql)
			}
			if got != c.want || err != nil {
				t.Errorf("%s\n %s: %q, want %q: %v", c.sql, backend, got, c.want, err)
			}
		}
	}
}
