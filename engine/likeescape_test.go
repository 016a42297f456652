package engine

import "testing"

// A backslash escapes in every pattern, wherever it comes from.
func TestEscapesInPatterns(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE lk (t TEXT, p TEXT)")
	s.run(`INSERT INTO lk VALUES ('50%', '50\%'), ('500', '50\%'), ('a_b', 'a\_b'), ('axb', 'a\_b'), ('c\d', 'c\\d')`)
	s.run("CREATE VIEW lv AS SELECT t FROM lk WHERE t LIKE p")
	for _, backend := range []string{"auto", "native", "decomposed", "duckdb"} {
		s.run("SET trireme.backend = '" + backend + "'")
		for _, c := range []struct {
			sql, want string
			args      []string
		}{
			{`SELECT t, count(*) FROM lk WHERE t LIKE $1 GROUP BY t`, "a_b|1", []string{`%\_%`}},
			{`SELECT t, count(*) FROM lk WHERE t LIKE $1 GROUP BY t`, "50%|1", []string{`50\%`}},
			{`SELECT t, count(*) FROM lk WHERE t LIKE $1 || '%' GROUP BY t`, "50%|1", []string{`50\%`}},
			{`SELECT t, count(*) FROM lk WHERE t ILIKE $1 GROUP BY t`, "a_b|1", []string{`A\_B`}},
			{`SELECT t, count(*) FROM lk WHERE t NOT LIKE $1 AND t LIKE $2 GROUP BY t`, "axb|1", []string{`%\_%`, "a%"}},
			{`SELECT t, count(*) FROM lk WHERE upper(t) LIKE upper('%A\_%') GROUP BY t`, "a_b|1", nil},
			{`SELECT t, count(*) FROM lk WHERE t ~~ p GROUP BY t ORDER BY t`, `50%|1;a_b|1;c\d|1`, nil},
			{`SELECT t, count(*) FROM lk WHERE t LIKE '50\%' GROUP BY t`, "50%|1", nil},
			{`SELECT t, count(*) FROM lv GROUP BY t ORDER BY t`, `50%|1;a_b|1;c\d|1`, nil},
		} {
			if got := s.run(c.sql, c.args...); got != c.want {
				t.Errorf("%s: %s %q\nis  %s\nnot %s", backend, c.sql, c.args, got, c.want)
			}
		}
	}
	s.run("RESET trireme.backend")
	s.want(`SELECT 'a\b' LIKE 'a\b', 'ab' LIKE 'a\b', 'a\b' LIKE 'a\b' ESCAPE '', 'c\' LIKE 'c\\'`, "0|1|1|1")
	s.wantError(`SELECT t LIKE 'c\' FROM lk`, "22025")
	s.run("CREATE TABLE checked (t TEXT CHECK (t NOT LIKE '%' || chr(92) || '%%'))")
	s.wantError("INSERT INTO checked VALUES ('50%')", "23514")
	s.run("PREPARE lp(TEXT) AS SELECT t FROM lk WHERE t LIKE $1")
	s.want(`EXECUTE lp('50\%')`, "50%")
	s.run(`CREATE TABLE made AS SELECT t FROM lk WHERE t LIKE p`)
	s.want("SELECT count(*) FROM made", "3")
	s.wantTag(`DELETE FROM lk WHERE t NOT LIKE $1 AND t LIKE $2`, "DELETE 1", `%\_%`, "a%")
	s.want("SELECT string_agg(t, ' ' ORDER BY t) FROM lk", `50% 500 a_b c\d`)
}
