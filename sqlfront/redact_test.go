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
		`DO $$ BEGIN ALTER ROLE a PASSWORD 'Xyzzy'; END $$`,
		`DO $$ BEGIN CREATE USER a IDENTIFIED BY 'Xyzzy'; EXECUTE 'password'; END $$`,
		`do $x$ password 'Xyzzy`,
		`CREATE ROL a PASSWORD Xyzzy`,
		`CREATE SERVER s FOREIGN DATA WRAPPER f OPTIONS (key Xyzzy)`,
		`CREATE USER MAPPING FOR a SERVER s OPTIONS (password 'Xyzzy')`,
		`GRANT b TO a PASSWORD Xyzzy`,
		`SET SESSION AUTHORIZATION a PASSWORD Xyzzy`,
		`PRAGMA key = 'Xyzzy'`,
		`PRAGMA secret Xyzzy`,
		`CALL login('a', 'Xyzzy', token := 'Xyzzy')`,
		`password Xyzzy`,
		`Xyzzysecret`,
		`; 'Xyzzy' password`,
		`CREATE ROLE a PASSWORD; 'Xyzzy'`,
		`ALTER ROLE a PASSWORD 'x'; -- Xyzzy`,
		`-- the password is Xyzzy` + "\n" + `SELECT 1`,
		`/* Xyzzy */ SELECT token FROM t`,
		`SELECT 1 /* password 'Xyzzy' */`,
		`SELECT 1 -- Xyzzy is the secret`,
		`/* password Xyzzy */`,
		`SELECT set_config('my.password', 'Xyzzy', false)`,
		`SELECT * FROM read_csv('s3://b/x?secret=Xyzzy')`,
		`COPY t TO 's3://b/x?token=Xyzzy'`,
		`COPY t TO 'x' (api_key Xyzzy)`,
		`UPDATE u SET password = Xyzzy WHERE id = 1`,
		`UPDATE u SET password = "Xyzzy"`,
		`SELECT {password: Xyzzy}`,
		`INSERT INTO u (name, passwd) VALUES ('a', 'Xyzzy')`,
		`INSERT INTO u VALUES ('Xyzzy', 'password')`,
		`EXPLAIN SELECT 1 WHERE pwd = 'Xyzzy'`,
		`PREPARE p AS UPDATE u SET token = 'Xyzzy'`,
		`DECLARE c CURSOR FOR SELECT 'Xyzzy' AS secret`,
		`COMMENT ON COLUMN u.password IS 'Xyzzy'`,
		`CREATE TABLE u (password VARCHAR DEFAULT 'Xyzzy')`,
		`SELECT "a password 'Xyzzy`,
		`SELECT 'Xyzzy', password 'x`,
		`SELECT 'Xyzzy' /* password`,
		`SELECT U&'Xyzzy' AS passphrase`,
		`SET my.key TO Xyzzy`,
		`SET VARIABLE v = (SELECT 'Xyzzy' AS password)`,
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
		`UPDATE u SET password = 'x', n = 2`:         `UPDATE u SET password = '<hidden>', n = '<hidden>'`,
		`DO $$ password $$; SELECT 1`:                `DO '<hidden>'; SELECT 1`,
		`CREATE ROL a PASSWORD 'x'`:                  `CREATE '<hidden>'`,
		`SET s3_secret_access_key = 'x';`:            `SET s3_secret_access_key = '<hidden>';`,
		`SELECT key FROM t WHERE key = 'a' -- key`:   `SELECT key FROM t WHERE key = 'a' -- key`,
		`CREATE TABLE t (id INT PRIMARY KEY)`:        `CREATE TABLE t (id INT PRIMARY KEY)`,
		`SELECT token FROM t JOIN u USING (token)`:   `SELECT token FROM t JOIN u USING (token)`,
		`COPY t (key) FROM STDIN`:                    `COPY '<hidden>'`,
	} {
		if got := Redact(sql); got != want {
			t.Errorf("%s\nbecame %s, want %s", sql, got, want)
		}
	}
	if got, want := Redact(`SELECT 'a'; ALTER ROLE r PASSWORD 'x'; SELECT 'b'`), `SELECT 'a'; ALTER ROLE r PASSWORD '<hidden>'; SELECT 'b'`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestRedactValues(t *testing.T) {
	for sql, want := range map[string]string{
		`EXECUTE p('x', 2, $1)`: `EXECUTE p('<hidden>', '<hidden>', $1)`,
		`EXECUTE p`:             `EXECUTE p`,
		`EXECUTE p($$x$$) -- y`: `EXECUTE p('<hidden>')'<hidden>'`,
		`EXECUTE p('x`:          `EXECUTE p('<hidden>'`,
	} {
		if got := RedactValues(sql); got != want {
			t.Errorf("%s\nbecame %s, want %s", sql, got, want)
		}
	}
}

func TestMayCarrySecret(t *testing.T) {
	for sql, want := range map[string]bool{
		`SELECT 1`: false, `SELECT $1`: false, `SELECT token FROM t`: false, `SELECT token FROM t WHERE id = $1`: true,
		`SELECT token FROM t WHERE id = ?`: true, `SELECT token FROM t WHERE id = 1`: true, `ALTER ROLE a PASSWORD 'x'`: true,
		`EXECUTE p(1)`: false, RedactValues(`EXECUTE p(1)`): true,
	} {
		if got := MayCarrySecret(sql); got != want {
			t.Errorf("%s: %t", sql, got)
		}
	}
}
