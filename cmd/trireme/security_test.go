package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// guarded is a server with the users root, an admin, ann and bob, who only
// reads; the password of each is the name with "-pw".
type guarded struct{ address, db, files string }

func serveGuarded(t *testing.T, args ...string) guarded {
	t.Helper()
	dir := t.TempDir()
	g := guarded{db: filepath.Join(dir, "x.db"), files: t.TempDir()}
	for name, role := range map[string]string{"root": "trireme_admin", "ann": "", "bob": "trireme_read_only"} {
		add := []string{"user", "add", name, "--db", g.db}
		if role != "" {
			add = append(add, "--role", role)
		}
		if out, err := trireme(t, name+"-pw\n", add...); err != nil {
			t.Fatal(out, err)
		}
	}
	g.address = serve(t, append([]string{"--db", g.db, "--auth", "scram"}, args...)...)
	return g
}

func (g guarded) try(user, password string) (*pgx.Conn, error) {
	return pgx.Connect(context.Background(), "postgres://"+user+":"+password+"@"+g.address+"/trireme?sslmode=disable")
}

func (g guarded) as(t *testing.T, user string) *pgx.Conn {
	t.Helper()
	conn, err := g.try(user, user+"-pw")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// run sends a text as psql does.
func run(conn *pgx.Conn, sql string) ([]*pgconn.Result, error) {
	return conn.PgConn().Exec(context.Background(), sql).ReadAll()
}

func mustRun(t *testing.T, conn *pgx.Conn, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		if _, err := run(conn, sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// codes runs each statement, rolls back what it leaves open, and demands its
// SQLSTATE.
func codes(t *testing.T, conn *pgx.Conn, want string, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		_, err := run(conn, sql)
		var e *pgconn.PgError
		if !asPgError(err, &e) {
			t.Errorf("%s\n is not refused: %v", sql, err)
		} else if e.Code != want {
			t.Errorf("%s\n is refused with %s: %s; want %s", sql, e.Code, e.Message, want)
		}
		mustRun(t, conn, "ROLLBACK")
	}
}

func TestTrustStaysOnLoopback(t *testing.T) {
	for _, listen := range []string{"0.0.0.0:0", ":0", "[::]:0"} {
		_, err := trireme(t, "", "serve", "--listen", listen)
		if err == nil || !strings.Contains(err.Error(), "not a loopback address") {
			t.Errorf("%s: %v", listen, err)
		}
	}
	serve(t, "--listen", "0.0.0.0:0", "--insecure-trust")
}

func TestUsersOfTheCommandLogIn(t *testing.T) {
	g := serveGuarded(t)
	mustRun(t, g.as(t, "ann"), "SELECT 1")
	for user, password := range map[string]string{"ann": "root-pw", "nobody": "x", "trireme": "", "trireme_admin": "x"} {
		if _, err := g.try(user, password); err == nil {
			t.Errorf("%s comes in", user)
		}
	}
	// While the server runs:
	for _, args := range [][]string{{"password", "ann"}, {"add", "eve"}} {
		if out, err := trireme(t, "new-pw\n", append([]string{"user", "--db", g.db}, args...)...); err != nil {
			t.Fatal(out, err)
		}
	}
	if _, err := g.try("ann", "ann-pw"); err == nil {
		t.Error("the old password is still right")
	}
	for _, user := range []string{"ann", "eve"} {
		conn, err := g.try(user, "new-pw")
		if err != nil {
			t.Fatal(err)
		}
		if user == "eve" {
			if _, err := trireme(t, "", "user", "drop", "eve", "--db", g.db); err != nil {
				t.Fatal(err)
			}
			_, err := run(conn, "SELECT 1")
			wantCode(t, err, "28000") // an open session has lost its rights, too
		}
		_ = conn.Close(context.Background())
	}
	out, err := trireme(t, "", "user", "list", "--db", g.db)
	if err != nil || !strings.Contains(out, "bob") || strings.Contains(out, "eve") || strings.Contains(out, "SCRAM") {
		t.Error(out, err)
	}
	if _, err := trireme(t, "\n", "user", "add", "empty", "--db", g.db); err == nil {
		t.Error("an empty password is taken")
	}
	if _, err := trireme(t, "x\n", "user", "add", "x"); err == nil {
		t.Error("a user of no server")
	}
}

// TestUserOfTheServersEnvironment: a variable that says serve what its file is says so to
// user as well, as in a container; a flag goes before it.
func TestUserOfTheServersEnvironment(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TRIREME_DB", filepath.Join(dir, "a.db"))
	for _, args := range [][]string{{"user", "add", "ann"}, {"user", "add", "bob", "--db", filepath.Join(dir, "b.db")}} {
		if _, err := trireme(t, "secret\n", args...); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := trireme(t, "", "user", "list"); err != nil || !strings.Contains(out, "ann") || strings.Contains(out, "bob") {
		t.Error(out, err)
	}
}

func TestRolesBySQL(t *testing.T) {
	g := serveGuarded(t)
	root, ann := g.as(t, "root"), g.as(t, "ann")
	mustRun(t, root, "CREATE ROLE carl LOGIN PASSWORD 'carl-pw'", "CREATE USER dora PASSWORD 'x'", "CREATE TABLE t (x INTEGER)")
	carl := g.as(t, "carl")
	mustRun(t, carl, "INSERT INTO t VALUES (1)")
	mustRun(t, root, "GRANT trireme_read_only TO carl")
	codes(t, carl, "42501", "INSERT INTO t VALUES (2)") // from the next statement on
	mustRun(t, root, "REVOKE trireme_read_only FROM carl")
	mustRun(t, carl, "INSERT INTO t VALUES (2)")
	mustRun(t, root, "ALTER ROLE carl NOLOGIN")
	if _, err := g.try("carl", "carl-pw"); err == nil || !strings.Contains(err.Error(), "not permitted to log in") {
		t.Errorf("without LOGIN: %v", err)
	}
	mustRun(t, root, "ALTER ROLE carl LOGIN PASSWORD NULL")
	if _, err := g.try("carl", "carl-pw"); err == nil {
		t.Error("a password that was taken away is right")
	}
	mustRun(t, root, "ALTER ROLE carl PASSWORD 'carl-pw' VALID UNTIL '2001-01-01'")
	if _, err := g.try("carl", "carl-pw"); err == nil {
		t.Error("a password that has expired is right")
	}
	mustRun(t, root, "DROP ROLE carl, dora", "DROP ROLE IF EXISTS carl")
	_, err := run(carl, "SELECT 1")
	wantCode(t, err, "28000")
	codes(t, ann, "42501", "CREATE ROLE x", "DROP ROLE bob", "ALTER ROLE ann SUPERUSER", "ALTER ROLE bob PASSWORD 'x'",
		"GRANT trireme_admin TO ann", "REVOKE trireme_read_only FROM bob", "ALTER ROLE ann LOGIN")
	codes(t, root, "55006", "REVOKE trireme_admin FROM root", "ALTER ROLE root NOSUPERUSER PASSWORD 'x'", "ALTER ROLE CURRENT_USER NOLOGIN", "ALTER ROLE root PASSWORD NULL", "ALTER ROLE root VALID UNTIL '2001-01-01'", "GRANT trireme_read_only TO root", "DROP ROLE root")
	if out, err := trireme(t, "", "user", "drop", "root", "--db", g.db); err == nil {
		t.Errorf("the last administrator is dropped: %s", out)
	}
	g.as(t, "root") // with the password as it was
	codes(t, root, "25001", "BEGIN; CREATE ROLE x")
	codes(t, root, "42710", "CREATE ROLE ann")
	codes(t, root, "42704", "DROP ROLE nobody")
	codes(t, root, "0A000", "GRANT SELECT ON t TO ann", "PREPARE p AS CREATE ROLE x", "CREATE ROLE x PASSWORD 'md5"+strings.Repeat("0", 32)+"'")
	// Everybody changes their own password, as psql's \password does.
	mustRun(t, ann, "ALTER USER ann PASSWORD 'other'", "ALTER USER CURRENT_USER PASSWORD 'ann-pw'")
	mustRun(t, g.as(t, "ann"), "SHOW password_encryption")
}

func TestNamesOfRolesHaveTheirRightsUnderTrust(t *testing.T) {
	db := filepath.Join(t.TempDir(), "x.db")
	if _, err := trireme(t, "", "user", "add", "bob", "--no-password", "--role", "trireme_read_only", "--db", db); err != nil {
		t.Fatal(err)
	}
	g := guarded{address: serve(t, "--db", db)}
	mustRun(t, g.as(t, "whoever"), "CREATE TABLE t (x INTEGER)")
	codes(t, g.as(t, "bob"), "42501", "INSERT INTO t VALUES (1)")
}

func TestSecretsAreNotInTheFilesOfTheServer(t *testing.T) {
	g := serveGuarded(t)
	mustRun(t, g.as(t, "root"), "CREATE ROLE carl LOGIN PASSWORD 'Xyzzy-secret'", "CHECKPOINT")
	files, err := os.ReadDir(filepath.Dir(g.db))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(filepath.Dir(g.db), f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), "Xyzzy") {
			t.Errorf("%s has a password", f.Name())
		}
	}
}

// A session's database may be gone: another one has detached it, or the transaction that
// attached it was rolled back.
func TestDatabasesThatAreGone(t *testing.T) {
	g := serveGuarded(t)
	ann, other := g.as(t, "ann"), g.as(t, "ann")
	for _, lose := range []func(){
		func() {
			mustRun(t, ann, "ATTACH ':memory:' AS lost", "USE lost")
			mustRun(t, other, "DETACH lost")
		},
		func() { mustRun(t, ann, "BEGIN", "ATTACH ':memory:' AS lost", "USE lost", "ROLLBACK") },
	} {
		lose()
		codes(t, ann, "42704", "CHECKPOINT", "FROM checkpoint()", "CALL checkpoint()", "SELECT * FROM system.main.checkpoint()", "SHOW TABLES", "CREATE TABLE t (x INTEGER)")
		mustRun(t, ann, "SELECT 1", "RESET search_path", "CHECKPOINT", "CREATE TABLE t (x INTEGER)", "DROP TABLE t")
	}
}
