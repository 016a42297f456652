package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFilesAndNetworkAreClosed tries to leave the database, also as an admin.
func TestFilesAndNetworkAreClosed(t *testing.T) {
	g := serveGuarded(t)
	secret := filepath.Join(t.TempDir(), "secret.csv")
	if err := os.WriteFile(secret, []byte("a\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(t.TempDir(), "out")
	mustRun(t, g.as(t, "root"), "CREATE TABLE t (x INTEGER)", "INSERT INTO t VALUES (1)")
	for _, user := range []string{"root", "ann"} {
		conn := g.as(t, user)
		codes(t, conn, "42501",
			"SELECT * FROM '"+secret+"'", "SELECT * FROM \""+secret+"\"", "SELECT * FROM read_csv('"+secret+"')", "SELECT * FROM read_text('"+secret+"')",
			"SELECT * FROM read_blob(['"+secret+"'])", "SELECT * FROM read_json('"+secret+"')", "SELECT * FROM read_parquet('"+secret+"')", "FROM glob('/*')",
			"SELECT * FROM query('FROM read_text(''"+secret+"'')')", "SELECT * FROM sniff_csv('"+secret+"')", "SELECT * FROM 'http://127.0.0.1:1/x.csv'",
			"SELECT * FROM read_csv('s3://x/y.csv')", "SELECT * FROM read_text('"+g.db+".roles')", "CREATE VIEW v AS SELECT * FROM read_text('"+secret+"')",
			"COPY t FROM '"+secret+"'", "COPY t FROM '"+secret+"' (FORMAT text)", "COPY t FROM E'"+secret+"' (FORMAT text)", "COPY t TO '"+target+"' (FORMAT binary)", "COPY t TO '"+target+"'", "COPY (SELECT 1) TO '"+target+"'", "EXPLAIN ANALYZE COPY t TO '"+target+"'",
			"PREPARE p AS COPY t TO '"+target+"'", "COPY t TO '"+g.db+"'", "COPY t TO '"+g.db+".roles'", "COPY t TO '"+g.db+".tmp/x'",
			"SELECT 1; COPY t TO '"+target+"'", "EXPORT DATABASE '"+target+"'", "IMPORT DATABASE '"+target+"'", "ATTACH '"+target+"' AS x",
			"ATTACH DATABASE IF NOT EXISTS '"+target+"'", "INSTALL httpfs", "FORCE INSTALL httpfs", "LOAD httpfs", "LOAD '"+target+"'",
			"CREATE SECRET s (TYPE s3, SECRET 'x')", "CREATE OR REPLACE PERSISTENT SECRET s (TYPE s3, SECRET 'x')",
			"SET enable_external_access = true", "SET GLOBAL enable_external_access = true", "RESET enable_external_access", "SET allowed_directories = ['/']",
			"SET allowed_paths = ['/etc/passwd']", "SET lock_configuration = false", "SET allowed_configs = ['x']", "SET temp_directory = '"+target+"'",
			"SET log_query_path = '"+target+"'", "SET profiling_output = '"+target+"'", "PRAGMA profile_output = '"+target+"'",
			"SET secret_directory = '"+target+"'", "SET extension_directory = '"+target+"'", "SET home_directory = '"+target+"'",
			"SET custom_extension_repository = 'http://x'", "SET autoload_known_extensions = true", "SET allow_unsigned_extensions = true",
			"CALL enable_logging(storage = 'file', storage_path = '"+target+"')", "SELECT * FROM enable_logging(storage = 'file')", "SELECT * FROM \"enable_logging\"()",
			"SELECT * FROM query('SELECT * FROM enable_' || 'logging()')", "SET logging_storage = 'file'", "SET enable_logging = true",
			"SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))", "PRAGMA import_database('"+target+"')", "CREATE MACRO m() AS TABLE FROM enable_logging()",
		)
		codes(t, conn, "42883", "SELECT getenv('HOME')")
	}
	if _, err := os.Stat(target); err == nil {
		t.Error("something was written")
	}
	// The server itself still writes: a checkpoint, a spill, a database in memory.
	root := g.as(t, "root")
	mustRun(t, root, "CHECKPOINT", "SET memory_limit = '30MB'", "CREATE TABLE big AS SELECT i, hash(i) AS h FROM range(3000000) r(i)",
		"SELECT count(*) FROM (SELECT * FROM big ORDER BY h)", "CHECKPOINT", "ATTACH ':memory:' AS m", "CREATE TABLE m.x (y INTEGER)", "DETACH m")
}

func TestOnlyOpenDirectoriesAreOpen(t *testing.T) {
	open, other := t.TempDir(), t.TempDir()
	g := serveGuarded(t, "--allow-files", open)
	ann := g.as(t, "ann")
	in := func(name string) string { return filepath.Join(open, name) }
	mustRun(t, ann, "CREATE TABLE t (x INTEGER)", "INSERT INTO t VALUES (1)", "COPY t TO '"+in("a.csv")+"'", "COPY t FROM '"+in("a.csv")+"'",
		"SELECT * FROM '"+in("a.csv")+"'", "COPY (SELECT * FROM t) TO '"+in("b.parquet")+"' (FORMAT parquet)", "SELECT * FROM '"+in("*.parquet")+"'",
		"ATTACH '"+in("other.db")+"' AS o", "CREATE TABLE o.x (y INTEGER)", "DETACH o")
	codes(t, ann, "42501", "COPY t TO '"+filepath.Join(other, "x")+"'", "COPY t TO '"+in("../x")+"'", "COPY t TO '"+in("../x")+"' (FORMAT text)", "COPY t FROM E'"+in("a.csv")+"' (FORMAT text)", "COPY t TO '"+g.db+"'", "COPY t TO '"+open+"2/x'",
		"SELECT * FROM read_text('"+in("../../../../../../etc/hostname")+"')", "SELECT * FROM read_text('/etc/hostname')", "ATTACH '"+filepath.Join(other, "x")+"' AS x",
		"COPY t TO 'http://127.0.0.1:1/x'", "LOAD httpfs", "SET allowed_directories = ['/']", "EXPORT DATABASE '"+other+"/e'")
	// What EXPORT writes can be written over: DuckDB would run it unseen.
	mustRun(t, ann, "EXPORT DATABASE '"+in("e")+"'")
	for _, user := range []string{"root", "ann"} {
		codes(t, g.as(t, user), "42501", "IMPORT DATABASE '"+in("e")+"'", "PREPARE i AS IMPORT DATABASE '"+in("e")+"'", "SELECT 1; IMPORT DATABASE '"+in("e")+"'")
	}
	mustRun(t, ann, "SELECT * FROM read_csv('"+in("a.csv")+"')", "SELECT * FROM read_csv(['"+in("a.csv")+"', '"+in("../"+filepath.Base(open)+"/a.csv")+"'], header = true)",
		"SELECT * FROM main.read_blob('"+in("*")+"')", "FROM query('FROM read_text(''"+in("a.csv")+"'')')")
	// DuckDB lets everybody read the files of the database.
	for _, user := range []string{"root", "ann", "bob"} {
		conn := g.as(t, user)
		db := g.db
		for _, path := range []string{
			"'" + db + "'", "'file:" + db + "'", "'file://" + db + "'", "'FILE:" + db + "'", "'/" + db + "'", "'" + filepath.Dir(db) + "/./x.db'", "'" + db + ".wal'", "'" + db + ".tmp/*'",
			"['" + db + "']", "['" + in("a.csv") + "', '" + db + "']", "'" + in("a.csv") + "' || ''", "concat('" + db + "')", "E'" + db + "'", "$$" + db + "$$", "getvariable('v')",
			"'" + in("*/../../"+filepath.Base(filepath.Dir(db))+"/x.db") + "'", "['" + in("a.csv") + "'] || ['" + db + "']", "'~/x.db'", "(SELECT '" + db + "')", "('" + db + "')",
		} {
			codes(t, conn, "42501", "SELECT * FROM read_blob("+path+")", "SELECT * FROM \"READ_TEXT\" ("+path+")", "SELECT * FROM read_csv(header = false, "+path+")",
				"INSERT INTO t SELECT 1 FROM read_blob("+path+")", "CREATE TABLE u AS FROM read_blob("+path+")", "CREATE VIEW v AS FROM read_blob("+path+")",
				"WITH a AS (FROM read_blob("+path+")) SELECT * FROM a", "COPY (FROM read_blob("+path+")) TO STDOUT", "EXPLAIN ANALYZE FROM read_blob("+path+")",
				"UPDATE t SET x = (SELECT 1 FROM read_blob("+path+"))", "CALL read_blob("+path+")")
		}
	}
	codes(t, ann, "42501", "CREATE MACRO m(p) AS TABLE FROM read_blob(p)", "PREPARE p AS FROM read_blob($1)", "SELECT * FROM arrow_scan(1, 2, 3)")
	codes(t, ann, "42501", "FROM '"+g.db+"'", "FROM \""+g.db+"\"")
	dir := filepath.Dir(g.db)
	if _, err := trireme(t, "", "serve", "--db", g.db, "--allow-files", dir, "--listen", "127.0.0.1:0"); err == nil {
		t.Error("the directory of the roles can be opened")
	}
	if _, err := trireme(t, "", "serve", "--db", g.db, "--allow-files", "/", "--listen", "127.0.0.1:0"); err == nil {
		t.Error("everything can be opened")
	}
	link := filepath.Join(other, "link.db")
	if err := os.Symlink(g.db, link); err != nil {
		t.Fatal(err)
	}
	if _, err := trireme(t, "", "serve", "--db", link, "--roles", filepath.Join(other, "roles"), "--allow-files", dir, "--listen", "127.0.0.1:0"); err == nil {
		t.Error("the directory of the database behind a link can be opened")
	}
	config := makeFile(t, "trireme.yaml", "log-level: warn\n")
	if _, err := trireme(t, "", "serve", "--config", config, "--allow-files", filepath.Dir(config), "--listen", "127.0.0.1:0"); err == nil {
		t.Error("the directory of the configuration can be opened")
	}
}

// TestTheOwnerOfTheMachineReadsFiles: commands without a listener are not confined.
func TestTheOwnerOfTheMachineReadsFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(file, []byte("a\n7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := trireme(t, "", "query", "--format", "csv", "SELECT * FROM '"+file+"'")
	if err != nil || out != "a\n7\n" {
		t.Error(out, err)
	}
}

// TestSettingsOfAllSessionsAreForAdmins: an ordinary user changes their own session only.
func TestSettingsOfAllSessionsAreForAdmins(t *testing.T) {
	g := serveGuarded(t)
	codes(t, g.as(t, "ann"), "42501", "SET threads = 1", "SET GLOBAL TimeZone = 'UTC'", "RESET memory_limit", "PRAGMA threads = 1", "PRAGMA enable_profiling",
		"SET GLOBAL default_order = 'DESC'", "PRAGMA default_order = 'DESC'", "CALL disable_logging()")
	mustRun(t, g.as(t, "ann"), "SET integer_division = true", "SET TimeZone = 'UTC'", "RESET integer_division", "SET default_order = 'DESC'", "SET VARIABLE v = 1")
	mustRun(t, g.as(t, "root"), "SET threads = 1", "RESET threads")
}

// TestDirectoriesAreOpenByTheirSpelling: a link that --allow-files names opens what it leads to, by
// both names; one in an open directory does not lead out of it.
func TestDirectoriesAreOpenByTheirSpelling(t *testing.T) {
	root := t.TempDir()
	real, link := filepath.Join(root, "real"), filepath.Join(root, "link")
	if err := os.Mkdir(real, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{link: real, filepath.Join(real, "out"): root} {
		if err := os.Symlink(target, name); err != nil {
			t.Fatal(err)
		}
	}
	g := serveGuarded(t, "--allow-files", link)
	ann := g.as(t, "ann")
	mustRun(t, ann, "CREATE TABLE t AS SELECT 1 AS x", "COPY t TO '"+link+"/a.csv'", "COPY t TO '"+link+"/a.txt' (FORMAT text)", "FROM '"+real+"/a.csv'", "COPY t FROM '"+link+"/a.txt' (FORMAT text)",
		"FROM read_csv('"+link+"/*.csv')", "ATTACH '"+link+"/w.db' AS w", "CREATE TABLE w.t (x INTEGER)")
	codes(t, ann, "42501", "COPY t TO '"+link+"/out/a.csv'", "COPY t TO '"+real+"/out/a.txt' (FORMAT text)", "FROM read_csv('"+link+"/../a.csv')", "ATTACH '"+link+"/out/v.db' AS v")
	codes(t, ann, "55006", "COPY t TO '"+real+"/w.db'", "COPY t TO '"+link+"/w.db' (FORMAT text)", "FROM read_blob('"+link+"/w.db')")
}

// TestPathsOfAttachedFilesAreForAdmins: an error does not tell a role where an admin's file is.
func TestPathsOfAttachedFilesAreForAdmins(t *testing.T) {
	open := t.TempDir()
	g := serveGuarded(t, "--allow-files", open)
	mustRun(t, g.as(t, "root"), "ATTACH '"+open+"/w.db' AS w")
	_, err := run(g.as(t, "ann"), "ATTACH '"+open+"/../"+filepath.Base(open)+"/w.db' AS v")
	if err == nil || strings.Contains(err.Error(), open+"/w.db") || !strings.Contains(err.Error(), "w.db") {
		t.Error(err)
	}
}
