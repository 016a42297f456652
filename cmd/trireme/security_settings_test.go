package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// show is what SHOW says on a connection.
func show(t *testing.T, conn *pgx.Conn, name string) (value string) {
	t.Helper()
	if err := conn.QueryRow(context.Background(), "SHOW "+name).Scan(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

// Sessions of a role begin with its settings; what the client asks for comes before
// them, RESET returns to them, and no setting keeps anybody from connecting.
func TestSettingsOfRoles(t *testing.T) {
	g := serveGuarded(t)
	root, before := g.as(t, "root"), g.as(t, "ann")
	mustRun(t, root, "CREATE SCHEMA docks", "ALTER ROLE ann SET search_path = docks, main", "ALTER USER ann SET statement_timeout TO '7s'",
		"ALTER ROLE ann SET TIME ZONE 'Europe/Athens'", "ALTER ROLE ann SET my.word = 'a=b, \"c\"'")
	ann := g.as(t, "ann")
	for name, want := range map[string]string{"search_path": "docks, public", "statement_timeout": "7s", "timezone": "Europe/Athens", "my.word": `a=b, "c"`} {
		if got := show(t, ann, name); got != want {
			t.Errorf("%s is %s, not %s", name, got, want)
		}
	}
	if got := show(t, before, "statement_timeout"); got != "0" {
		t.Errorf("a session from before: %s", got)
	}
	mustRun(t, ann, "SET statement_timeout = '9s'", "RESET statement_timeout")
	if got := show(t, ann, "statement_timeout"); got != "7s" {
		t.Errorf("after RESET: %s", got)
	}
	config, err := pgx.ParseConfig("postgres://ann:ann-pw@" + g.address + "/trireme?sslmode=disable&statement_timeout=3000")
	if err != nil {
		t.Fatal(err)
	}
	asked, err := pgx.ConnectConfig(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	if got := show(t, asked, "statement_timeout"); got != "3s" {
		t.Errorf("the client asks for 3s: %s", got)
	}
	if err := asked.Close(context.Background()); err != nil {
		t.Error(err)
	}
	var list []string
	const listed = "SELECT s.setconfig FROM pg_db_role_setting s JOIN pg_roles r ON r.oid = s.setrole WHERE r.rolname = 'ann' AND r.rolconfig = s.setconfig"
	if err := root.QueryRow(context.Background(), listed).Scan(&list); err != nil || len(list) != 4 || list[0] != `my.word=a=b, "c"` {
		t.Errorf("%q, %v", list, err)
	}
	mustRun(t, root, "DROP SCHEMA docks", "ALTER ROLE ann SET statement_timeout TO DEFAULT", "ALTER ROLE ann RESET timezone")
	if got := show(t, g.as(t, "ann"), "statement_timeout"); got != "0" {
		t.Errorf("after TO DEFAULT: %s", got)
	}
	mustRun(t, root, "ALTER ROLE ann RESET ALL")
	if got := show(t, g.as(t, "ann"), "search_path"); got != "public" {
		t.Errorf("after RESET ALL: %s", got)
	}
}

// A role changes its own settings and nobody else's, and none that concerns others.
func TestSettingsOfOtherRolesAreForAdmins(t *testing.T) {
	g := serveGuarded(t)
	for _, user := range []string{"ann", "bob"} {
		conn := g.as(t, user)
		mustRun(t, conn, "ALTER ROLE "+user+" SET statement_timeout = 1000", "ALTER ROLE CURRENT_USER SET application_name = 'x'")
		codes(t, conn, "42501", "ALTER ROLE root SET statement_timeout = 1", "ALTER ROLE root RESET ALL", "ALTER ROLE trireme_admin SET statement_timeout = 1")
		codes(t, conn, "42704", "ALTER ROLE "+user+" SET threads = 1", "ALTER ROLE "+user+" SET enable_external_access = true", "ALTER ROLE "+user+" SET nosuch = 1",
			"ALTER ROLE "+user+" SET trireme.nosuch = 1", "ALTER ROLE "+user+" RESET nosuch")
		codes(t, conn, "22023", "ALTER ROLE "+user+" SET statement_timeout = 'soon'")
		codes(t, conn, "55P02", "ALTER ROLE "+user+" SET server_version = '1'", "ALTER ROLE "+user+" SET is_superuser = 'on'")
	}
	codes(t, g.as(t, "root"), "42704", "ALTER ROLE nobody SET statement_timeout = 1")
	codes(t, g.as(t, "root"), "42939", "ALTER ROLE trireme_read_only SET statement_timeout = 1")
	_, err := g.as(t, "root").Exec(context.Background(), "GRANT trireme_read_only TO ann WITH ADMIN OPTION")
	var e *pgconn.PgError
	if !errors.As(err, &e) || e.Code != "0A000" || e.Hint == "" {
		t.Errorf("%v", err)
	}
}

// What DuckDB buffers for clients that do not read is the server's memory.
func TestStreamBuffersAreForAdmins(t *testing.T) {
	g := serveGuarded(t)
	for _, user := range []string{"ann", "bob"} {
		codes(t, g.as(t, user), "42501", "SET streaming_buffer_size = '1GB'", "SET SESSION streaming_buffer_size = '1GB'", "RESET streaming_buffer_size",
			"PRAGMA streaming_buffer_size = '1GB'")
	}
	mustRun(t, g.as(t, "root"), "SET streaming_buffer_size = '1MB'")
}

// What a role may set is bounded: it is kept in memory by the session, and by ALTER ROLE in
// the file that is read for every login.
func TestSettingsAreBounded(t *testing.T) {
	g := serveGuarded(t)
	for _, user := range []string{"bob", "ann"} {
		conn := g.as(t, user)
		long := strings.Repeat("é", 4<<20)
		mustRun(t, conn, "SET application_name = '"+long+"'", "ALTER ROLE "+user+" SET application_name = 'short'", "SET my.word = 'a'")
		if got := show(t, conn, "application_name"); got != strings.Repeat("é", 31) {
			t.Errorf("%s: application_name has %d bytes", user, len(got))
		}
		codes(t, conn, "54000", "SET my.word = '"+long+"'", "SET \""+long+".x\" = 'a'", "SET search_path = '"+long+"'", "SELECT set_config('my.word', '"+long+"', false)",
			"ALTER ROLE "+user+" SET my.word = '"+long+"'", "ALTER ROLE "+user+" SET \""+long+".x\" = 'a'", "ALTER ROLE "+user+" SET application_name = '"+long+"'")
		part := strings.Repeat("x", 6000)
		mustRun(t, conn, "ALTER ROLE "+user+" SET my.a = '"+part+"'", "ALTER ROLE "+user+" SET my.b = '"+part+"'", "ALTER ROLE "+user+" SET my.b = '"+part+"'")
		codes(t, conn, "54000", "ALTER ROLE "+user+" SET my.c = '"+part+"'")
		mustRun(t, conn, "ALTER ROLE "+user+" RESET my.a", "ALTER ROLE "+user+" SET my.c = '"+part+"'")
		mustRun(t, g.as(t, user), "SELECT 1")
	}
	info, err := os.Stat(g.db + ".roles")
	if err != nil || info.Size() > 64<<10 {
		t.Errorf("the file of roles: %v, %v", info, err)
	}
}
