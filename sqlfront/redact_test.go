package sqlfront

import (
	"strings"
	"testing"
)

func TestRedactHidesSecrets(t *testing.T) {
	const secret = "Xyzzy"
	for _, sql := range []string{
		`CREATE ROLE a LOGIN PASSWORD 'Xyzzy'`,
		`create user "a" with encrypted password 'Xyzzy' login`,
		`ALTER ROLE a PASSWORD $$Xyzzy$$`,
		`ALTER USER a PASSWORD E'Xyzzy\''`,
		`ALTER /* x */ USER a PASSWORD -- y` + "\n" + `'Xyzzy'`,
		`PREPARE p AS ALTER ROLE a PASSWORD 'Xyzzy'`,
		`SELECT 1; ALTER ROLE a PASSWORD 'Xyzzy'; SELECT 2`,
		`CREATE SECRET s (TYPE s3, KEY_ID 'Xyzzy', SECRET 'Xyzzy')`,
		`CREATE OR REPLACE PERSISTENT SECRET s (TYPE s3, SECRET Xyzzy)`,
		`EXPLAIN ANALYZE CREATE TEMPORARY SECRET (TYPE s3, SECRET "Xyzzy")`,
		`SET s3_secret_access_key = 'Xyzzy'`,
		`SET GLOBAL s3_session_token TO Xyzzy`,
		`SET http_proxy_password="Xyzzy"`,
		`PRAGMA add_parquet_key('name', 'Xyzzy')`,
		`ATTACH 'postgres:dbname=a password=Xyzzy' AS p`,
		`COPY t TO 'x' (FORMAT parquet, ENCRYPTION_CONFIG {footer_key_value: 'Xyzzy'})`,
		`ALTER ROLE a PASSWORD 'Xyzzy`,
		`ALTER ROLE a PASSWORD $x$Xyzzy`,
		`SELECT 1 WHERE password = 'Xyzzy'`,
		`CREATE ROL a PASSWORD 'Xyzzy'`,
		`SELECT 'SCRAM-SHA-256$4096:Xyzzy'`,
		`ALTER ROLE a PASSWORD 'it''sXyzzy'`,
		`CREATE ROLE a PASSWORD Xyzzy LOGIN`,
		`ALTER USER a PASSWORD "Xyzzy"`,
		`CREATE ROLE a LOGIN PASSWORD pw_Xyzzy`,
		`CREATE ROLE a PASSWORD=Xyzzy`,
		`CREATE ROLE a PASSWORD 1 Xyzzy`,
		`ALTER ROLE a PASSWROD 'Xyzzy'`,
		`ALTER ROLE a PASSWROD Xyzzy`,
		`CREATE USER a IDENTIFIED BY 'Xyzzy'`,
		`CREATE USER a IDENTIFIED BY Xyzzy`,
		`CREATE ROLE a PASSWORD 'x'Xyzzy'`,
		`CREATE ROLE a PASSWORD 'x' -- Xyzzy`,
		`CREATE ROLE a PASSWORD /* Xyzzy */ 'x'`,
		`CREATE ROLE a PASSWORD 'x' LOGIN -- Xyzzy` + "\n; SELECT 1",
		`CREATE SECRET s (TYPE s3) -- Xyzzy`,
		`COPY t TO 's3://key:Xyzzy@host/x'`,
		`ATTACH '/x/enc.db' AS enc (ENCRYPTION_KEY Xyzzy, bogus)`,
	} {
		if got := Redact(sql); strings.Contains(got, secret) {
			t.Errorf("%s\nis shown as %s", sql, got)
		}
	}
}

func TestRedactLeavesOtherStatements(t *testing.T) {
	for _, sql := range []string{
		``, `SELECT 'a' FROM t WHERE "b" = 'c'`, `INSERT INTO secret VALUES (1)`, `CREATE TABLE secret (x INTEGER)`,
		`SET search_path = 'a'`, `COPY t FROM 'file.csv'`, `SELECT 1; SELECT 2;`, `-- only a comment`,
	} {
		if got := Redact(sql); got != sql && !strings.Contains(sql, "secret") {
			t.Errorf("%s\nbecame %s", sql, got)
		}
	}
	for sql, want := range map[string]string{
		`ALTER ROLE a RENAME TO b`: `ALTER ROLE a RENAME TO b`, `ALTER ROLE a SET search_path = 'x'`: `ALTER ROLE a SET search_path = '<hidden>'`,
		`CREATE ROLE a LOGIN IN ROLE b, "C" ADMIN d`: `CREATE ROLE a LOGIN IN ROLE b, "C" ADMIN d`,
		`COPY t FROM 's3://host/x@y'`:                `COPY t FROM 's3://host/x@y'`,
	} {
		if got := Redact(sql); got != want {
			t.Errorf("%s\nbecame %s, want %s", sql, got, want)
		}
	}
	if got, want := Redact(`SELECT 'a'; ALTER ROLE r PASSWORD 'x'; SELECT 'b'`), `SELECT 'a'; ALTER ROLE r PASSWORD '<hidden>'; SELECT 'b'`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
