//go:build !duckdb_use_lib

package engine

import (
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// TestUser: user is the session's user wherever no column has the name, as in DuckDB, and the column where one has.
func TestUser(t *testing.T) {
	e := openEngine(t)
	ann, bob := openUser(t, e, "ann"), openUser(t, e, "bob")
	ann.run(`CREATE TABLE bare (id INT, s TEXT)`)
	ann.run(`INSERT INTO bare VALUES (1, 'a'), (2, user)`)
	ann.run(`CREATE TABLE own (id INT, "user" TEXT)`)
	ann.run(`INSERT INTO own VALUES (1, 'column')`)
	ann.run(`CREATE VIEW seen AS SELECT user AS u, user = current_user AS same`)
	ann.run("CREATE TABLE made AS SELECT user AS u")
	ann.run("CREATE MACRO me() AS user")
	ann.run("PREPARE me AS SELECT user, $1::INT")
	for _, c := range [][2]string{
		{"SELECT user", "ann"},
		{"SELECT user, current_user, session_user, current_role", "ann|ann|ann|ann"},
		{"SELECT user FROM bare WHERE id = 1", "ann"},
		{"SELECT s FROM bare WHERE s = user", "ann"},
		{"SELECT max(lower(user)) || '!' FROM bare", "ann!"},
		{"SELECT user, count(*) FROM bare GROUP BY user", "ann|2"},
		{"SELECT (SELECT user), [user], (SELECT a FROM (VALUES (user)) v(a))", "ann|[ann]|ann"},
		{"SELECT id AS user FROM bare ORDER BY user", "1;2"},
		{"SELECT user FROM own", "column"},
		{`SELECT "user", own.user FROM own`, "column|column"},
		{"SELECT user FROM own GROUP BY user", "column"},
		{"SELECT (SELECT user FROM bare LIMIT 1) FROM own", "ann"},
		{"WITH user AS (SELECT 1 AS a) SELECT * FROM user", "1"},
		{"SELECT u FROM made", "ann"},
		{"SELECT me()", "ann"},
		{"SELECT * FROM query('SELECT user')", "ann"},
		{"EXECUTE me(1)", "ann|1"},
	} {
		ann.want(c[0], c[1])
	}
	ann.want("SELECT * FROM seen", "ann|1")
	bob.want("SELECT * FROM seen", "bob|1")
	bob.want("SELECT me()", "bob")
	bob.run("UPDATE bare SET s = user WHERE id = 1")
	bob.run("DELETE FROM bare WHERE s = 'ann' AND user = 'bob'")
	bob.want("SELECT * FROM bare", "1|bob")
	bob.wantError("SELECT user(1)", sqlerr.UndefinedFunction)
	// On tensors, too.
	ann.run("CREATE TABLE k AS SELECT range AS id FROM range(10)")
	ann.run("SET trireme.backend = 'native'")
	ann.want("SELECT count(*) FROM k a JOIN k b ON a.id = b.id WHERE user = 'ann'", "10")
	ann.want("SELECT count(*) FROM k a JOIN k b ON a.id = b.id JOIN own ON own.id = a.id WHERE user = 'column'", "1")
}
