package engine

import "testing"

// The alias of a function whose rows are values is the value, and the name of its column
// where the function has none for it.
func TestAliasesOfValuesInFrom(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE docs (id INTEGER, j JSON)")
	s.run(`INSERT INTO docs VALUES (1, '[{"k":"p","n":1},{"k":"q","n":2}]'), (2, '[]')`)
	s.run("CREATE TABLE tags (tag TEXT, n BIGINT)")
	for _, backend := range []string{"auto", "duckdb"} {
		s.run("SET trireme.backend = '" + backend + "'")
		for _, c := range []struct{ sql, want string }{
			{"SELECT g FROM generate_series(1, 2) g", "1;2"},
			{"SELECT g + 1, g::TEXT, 'n' || g FROM generate_series(1, 1) AS g", "2|1|n1"},
			{"SELECT count(g), sum(g) FROM generate_series(1, 3) g", "3|6"},
			{"SELECT g.* FROM generate_series(1, 2) g", "1;2"},
			{"SELECT g.g FROM generate_series(1, 2) g WHERE g > 1", "2"},
			{"SELECT g.generate_series FROM generate_series(1, 2) g", "1;2"},
			{"SELECT generate_series + 1 FROM generate_series(1, 2) g", "2;3"},
			{"SELECT i FROM range(2) t(i)", "0;1"},
			{"SELECT sum(x) FROM unnest([1, 2]) x", "3"},
			{"SELECT x, ordinality FROM unnest(['a', 'b']) WITH ORDINALITY x", "a|1;b|2"},
			{"SELECT docs.id, x FROM docs, unnest([id, 7]) x ORDER BY 1, 2", "1|1;1|7;2|2;2|7"},
			{"FROM generate_series(1, 2) SELECT *", "1;2"},
			{"SELECT id, e->>'k' FROM docs, jsonb_array_elements(docs.j) e ORDER BY 2", "1|p;1|q"},
			{"SELECT id, e.value->>'k' FROM docs, jsonb_array_elements(docs.j) AS e ORDER BY 2", "1|p;1|q"},
			{"SELECT id, value->>'k', e->>'n' FROM docs, jsonb_array_elements(docs.j) e ORDER BY 2", "1|p|1;1|q|2"},
			{"SELECT id, v->>'k' FROM docs, jsonb_array_elements(docs.j) e(v) ORDER BY 2", "1|p;1|q"},
			{"SELECT id, (SELECT count(*) FROM jsonb_array_elements(j) e WHERE (e->>'n')::INT > 1) FROM docs ORDER BY 1", "1|1;2|0"},
			{"SELECT id FROM docs WHERE EXISTS (SELECT 1 FROM jsonb_array_elements(j) e WHERE e->>'k' = 'p')", "1"},
			{"SELECT e->>'k' AS e FROM docs, jsonb_array_elements(docs.j) e ORDER BY e DESC", "q;p"},
			{"SELECT e->>'k', count(*) FROM docs, jsonb_array_elements(docs.j) e GROUP BY e->>'k' ORDER BY 1", "p|1;q|1"},
			{"SELECT e, count(*) FROM jsonb_array_elements_text('[\"x\",\"x\"]') e GROUP BY e", "x|2"},
			{"SELECT x FROM docs, LATERAL jsonb_array_elements(j) e, LATERAL jsonb_array_elements_text(json_array(e->'n')) x ORDER BY x", "1;2"},
			{"SELECT e::INT FROM jsonb_array_elements('[2]') e UNION ALL SELECT e::INT + 1 FROM jsonb_array_elements('[2]') e ORDER BY 1", "2;3"},
			{"SELECT e, o FROM jsonb_array_elements_text('[\"x\",\"y\"]') WITH ORDINALITY AS t(e, o)", "x|1;y|2"},
			{"SELECT id, value->>'k', ordinality FROM docs, jsonb_array_elements(j) WITH ORDINALITY ORDER BY 3", "1|p|1;1|q|2"},
			{"WITH x AS (SELECT e->>'k' AS e FROM docs, jsonb_array_elements(j) e) SELECT e FROM x ORDER BY e", "p;q"},
			{"SELECT tags.tag, tag FROM tags, jsonb_array_elements('[1]') tag", ""},
			{"SELECT k FROM jsonb_object_keys('{\"a\":1}') k", "a"},
		} {
			if got := s.run(c.sql); got != c.want {
				t.Errorf("%s: %s\nis  %s\nnot %s", backend, c.sql, got, c.want)
			}
		}
	}
	s.run("RESET trireme.backend")
	for sql, want := range map[string]string{
		"SELECT * FROM generate_series(1, 1) g": "g", "SELECT * FROM jsonb_array_elements('[1]') e": "value",
		"SELECT e FROM jsonb_array_elements('[1]') e": "e", "SELECT * FROM generate_series(1, 1)": "generate_series",
	} {
		p, err := s.Prepare(t.Context(), sql, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Columns()[0].Name; got != want {
			t.Errorf("%s: column %s, not %s", sql, got, want)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s.run("CREATE VIEW elements AS SELECT id, e->>'k' AS k FROM docs, jsonb_array_elements(j) e")
	s.want("SELECT k, count(*) FROM elements GROUP BY k ORDER BY k", "p|1;q|1")
	s.run("CREATE TABLE made AS SELECT g AS n, 'x' || g AS s FROM generate_series(1, 2) g")
	s.want("SELECT n + 1, s FROM made ORDER BY n", "2|x1;3|x2")
	s.run("CREATE TABLE named AS SELECT * FROM generate_series(1, 1) g")
	s.want("SELECT g FROM named", "1")
	s.run("INSERT INTO tags (tag) SELECT tag FROM jsonb_array_elements_text('[\"a\",\"b\"]') tag")
	s.run("INSERT INTO tags SELECT 'x' || g, g FROM generate_series(1, 2) g")
	s.want("SELECT tag, n FROM tags ORDER BY tag", "a|NULL;b|NULL;x1|1;x2|2")
	s.wantTag("DELETE FROM tags USING generate_series(1, 1) g WHERE n = g", "DELETE 1")
	s.wantTag("UPDATE tags SET n = e::BIGINT FROM jsonb_array_elements('[5]') e WHERE n = 2", "UPDATE 1")
	s.want("SELECT n FROM tags WHERE n IS NOT NULL", "5")
}
