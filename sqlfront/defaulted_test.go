package sqlfront

import "testing"

func TestDefaultedBy(t *testing.T) {
	for _, tc := range []struct{ sql, want string }{ // of the columns id, k, v
		{"INSERT INTO s.t (id, \"K\") VALUES (1, 2) ON CONFLICT (id) DO UPDATE SET k = 3", "v"},
		{"WITH q AS (SELECT 1) INSERT OR REPLACE INTO t AS x (k, v) SELECT 1, 2", "id"},
		{"INSERT INTO t VALUES (1, 2, 3)", ""},
		{"INSERT INTO t (SELECT id, k, v FROM u)", ""},
		{"INSERT INTO t BY NAME SELECT 1 AS id", "id k v"},
		{"INSERT INTO t DEFAULT VALUES", "id k v"},
		{"INSERT INTO t (k) VALUES (DEFAULT)", "id k v"},
		{"UPDATE t SET k = 1, v = DEFAULT WHERE id = 2", "v"},
		{"UPDATE t SET k = 1", ""},
		{"MERGE INTO t USING u ON t.id = u.id WHEN MATCHED THEN UPDATE SET k = DEFAULT", "k"},
		{"MERGE INTO t USING u ON t.id = u.id WHEN NOT MATCHED AND u.k = 1 THEN INSERT (id, k) VALUES (1, 2) WHEN NOT MATCHED THEN INSERT (id, v) VALUES (1, 2)", "k v"},
		{"MERGE INTO t USING u ON t.id = u.id WHEN NOT MATCHED THEN INSERT VALUES (1, 2, 3)", ""},
		{"MERGE INTO t USING u ON t.id = u.id WHEN NOT MATCHED THEN INSERT *", "id k v"},
	} {
		got, d := "", DefaultedBy(tc.sql)
		for _, column := range []string{"id", "k", "v"} {
			if d.Has(column) {
				got += " " + column
			}
		}
		if got != "" {
			got = got[1:]
		}
		if got != tc.want {
			t.Errorf("%s\n got %q\nwant %q", tc.sql, got, tc.want)
		}
	}
}
