package duckbackend

import (
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// An errorCase is a statement that fails, and parts of its error. An offset of -2 is any.
type errorCase struct {
	sql, code string
	offset    int
	message   string
	hint      string
}

func TestErrorCodes(t *testing.T) {
	c := openConn(t, openMemory(t))
	mustExec(t, c, `CREATE TABLE t(a INT PRIMARY KEY, b VARCHAR CHECK (b <> 'x'), c INT NOT NULL DEFAULT 0);
		CREATE TABLE f(a INT REFERENCES t(a)); INSERT INTO t VALUES (1,'a',0); CREATE VIEW v AS SELECT a FROM t`)
	for _, tc := range []errorCase{
		{"selec 1", sqlerr.SyntaxError, 0, "syntax error", ""},
		{"select 'é', from where", sqlerr.SyntaxError, -2, "syntax error", ""},
		{"", sqlerr.SyntaxError, -1, "empty", ""},
		{"select 1\x00", sqlerr.SyntaxError, 8, "zero byte", ""},
		{"select * from nope", sqlerr.UndefinedTable, 14, "nope does not exist", "Did you mean"},
		{"select nope.a from t", sqlerr.UndefinedTable, 7, "nope", ""},
		{"select 'ééé', zzz from t", sqlerr.UndefinedColumn, 17, "zzz", "Candidate bindings"},
		{"select t.zzz from t", sqlerr.UndefinedColumn, -2, "zzz", "Candidate bindings: : \""}, // DuckDB's words
		{"select foo(1)", sqlerr.UndefinedFunction, 7, "foo", "Did you mean"},
		{"select sum(b) from t", sqlerr.UndefinedFunction, 7, "sum(VARCHAR)", "DECIMAL"},
		{"select a from t, t t2", sqlerr.AmbiguousColumn, 7, "Ambiguous", ""},
		{"select count(*), a from t", "42803", 17, "GROUP BY", "Either add"},
		{"select 'a'::int", sqlerr.InvalidText, 10, "Could not convert", ""},
		{"select '99999'::smallint", sqlerr.NumericOutOfRange, -2, "Could not convert", ""},
		{"select 'a' like 'b' escape 'cd'", sqlerr.InvalidEscape, -2, "Invalid escape string", ""},
		{"select 'ab' like 'ax' escape 'x'", sqlerr.InvalidEscape, -2, "must not end with escape character", ""},
		{"select 1 like date '2020-01-01'", sqlerr.UndefinedFunction, -2, "~~(INTEGER", ""},
		{"select '9x'::smallint", sqlerr.InvalidText, -2, "Could not convert", ""},
		{"select '12345'::decimal(4,1)", sqlerr.NumericOutOfRange, -2, "Could not convert", ""},
		{"select 12345::decimal(4,1)", sqlerr.NumericOutOfRange, -2, "Could not cast", ""},
		{"select (select x from (values (1), (2)) v(x))", cardinalityViolation, -2, "More than one row", ""},
		{"select 300::tinyint", sqlerr.NumericOutOfRange, -2, "out of range", ""},
		{"select 9223372036854775807::bigint + 1", sqlerr.NumericOutOfRange, -2, "Overflow", ""},
		{"insert into t values (1,'a',0)", sqlerr.UniqueViolation, -2, "Duplicate key", ""},
		{"insert into t values (2,'x',0)", sqlerr.CheckViolation, -2, "CHECK", ""},
		{"insert into t values (2,'y',null)", sqlerr.NotNullViolation, -2, "NOT NULL", ""},
		{"insert into f values (7)", sqlerr.ForeignKeyViolation, -2, "foreign key", ""},
		{"create table t(a int)", sqlerr.DuplicateTable, -2, "already exists", ""},
		{"drop table nope", sqlerr.UndefinedTable, -2, "nope", ""},
		{"select * from nosuch.t", sqlerr.UndefinedTable, -2, "nosuch", ""},
		{"create table nosuch.t(a int)", "3F000", -2, "nosuch", ""},
		{"commit", sqlerr.NoActiveTransaction, -2, "no transaction", ""},
		{"select * from read_csv('/no/such.csv')", undefinedFile, -2, "No files found", ""},
		{"insert into t (zzz) values (1)", sqlerr.UndefinedColumn, -2, "zzz", ""},
		{"update t set zzz = 1", sqlerr.UndefinedColumn, -2, "zzz", ""},
		{"alter table t drop column zzz", sqlerr.UndefinedColumn, -2, "zzz", ""},
		{"select a from (select 1 as a) q join (select 1 as b) r using (a)", sqlerr.UndefinedColumn, -2, "right side", ""},
		{"insert into t (a, a) values (1, 2)", duplicateColumn, -2, "Duplicate column", ""},
		{"create table u(a int, a int)", duplicateColumn, -2, "already exists", ""},
		{"alter table t add column a int", duplicateColumn, -2, "already exists", ""},
		{"drop view t", sqlerr.WrongObjectType, -2, "is of type Table", ""},
		{"update v set a = 1", sqlerr.WrongObjectType, -2, "base table", ""},
		{"delete from v", sqlerr.WrongObjectType, -2, "base table", ""},
		{"merge into v using t on v.a = t.a when matched then delete", sqlerr.WrongObjectType, -2, "base table", ""},
		{"create index i on v(a)", sqlerr.WrongObjectType, -2, "base table", ""},
		{"create table r(a int references v(a))", sqlerr.WrongObjectType, -2, "VIEW", ""},
		{"select regexp_matches('a', '(')", sqlerr.InvalidRegexp, -2, "invalid regular expression: parentheses () not balanced", ""},
		{"select regexp_matches('a', 'a)')", sqlerr.InvalidRegexp, -2, "parentheses () not balanced", ""},
		{"select regexp_matches('a', '[a')", sqlerr.InvalidRegexp, -2, "brackets [] not balanced", ""},
		{"select regexp_matches('a', '*a')", sqlerr.InvalidRegexp, -2, "quantifier operand invalid", ""},
		{"select regexp_matches('a', 'a**')", sqlerr.InvalidRegexp, -2, "quantifier operand invalid", ""},
		{"select regexp_matches('a', 'a{1001}')", sqlerr.InvalidRegexp, -2, "invalid repetition count(s)", ""},
		{"select regexp_replace(a::varchar, '[z-a]', '') from t", sqlerr.InvalidRegexp, -2, "invalid character range", ""},
		{"select regexp_matches('a', '[[:x:]]')", sqlerr.InvalidRegexp, -2, "invalid character", ""},
		{"select regexp_matches('a', 'a\\')", sqlerr.InvalidRegexp, -2, "invalid escape", ""},
		{"select regexp_matches('a', '\\y')", sqlerr.InvalidRegexp, -2, "invalid escape", ""},
		{"select regexp_matches('a', '(?<n')", sqlerr.InvalidRegexp, -2, "invalid regular expression", ""},
		{"select regexp_matches('a', '(?z)')", sqlerr.InvalidRegexp, -2, "invalid regular expression", ""},
		{"select regexp_full_match('a', '(')", sqlerr.InvalidRegexp, -2, "invalid regular expression", ""},
		{"select regexp_extract('a', '(')", sqlerr.InvalidRegexp, -2, "invalid regular expression", ""},
		{"select regexp_split_to_array('a', '(')", sqlerr.InvalidRegexp, -2, "invalid regular expression", ""},
		{"select regexp_matches('a', p) from (values ('a'), ('(')) v(p)", sqlerr.InvalidRegexp, -2, "invalid regular expression", ""},
		{"select error('SQLSTATE P0001: of its own')", "P0001", -2, "of its own", ""},
		{"select error('SQLSTATE 25P04: x')", sqlerr.InvalidParameter, -2, "SQLSTATE 25P04: x", ""},
		{"select error('SQLSTATE 57P01: x')", sqlerr.InvalidParameter, -2, "SQLSTATE 57P01: x", ""},
		{"select error('SQLSTATE ab\x01cd: x')", sqlerr.InvalidParameter, -2, "SQLSTATE ab", ""},
		{"select nextval('zzz')", sqlerr.UndefinedTable, -2, "Sequence with name zzz", ""},
		{"select sum(sum(a)) from t", "42803", -2, "nested", ""},
		{"select a from t order by 5", "42P10", -2, "out of range", ""},
		{"select 1 + 'x'", "42725", -2, "best candidate", ""},
		{"select json_extract('x', '$')", sqlerr.InvalidText, -2, "Malformed JSON", ""},
		{"select date '2020-13-01'", datetimeOverflow, -2, "out of range", ""},
		{"select timestamp '2020-02-30 00:00:00'", datetimeOverflow, -2, "out of range", ""},
		{"select date 'x'", badDatetime, -2, "invalid date field", ""},
		{"select interval 'x'", badDatetime, -2, "INTERVAL", ""},
		{"select error('boo')", sqlerr.InvalidParameter, -2, "boo", ""},
		{"set nosuchsetting = 1", sqlerr.UndefinedObject, -2, "nosuchsetting", ""},
	} {
		wantError(t, c, tc)
	}
	if !isRelease1() { // which has these in its grammar, or not at all
		return
	}
	for _, tc := range []errorCase{
		{"with x as (insert into t values (5,'a',0) returning a) select * from x", sqlerr.FeatureNotSupported, -2, "INSERT, UPDATE or DELETE in WITH is not supported", "RETURNING"},
		{"create table l (like t)", sqlerr.FeatureNotSupported, -2, "LIKE in CREATE TABLE", "FROM old"},
		{"create table l (a int unique deferrable)", sqlerr.FeatureNotSupported, -2, "constraint of this kind", "DEFERRABLE"},
		{"alter table t set schema s", sqlerr.FeatureNotSupported, -2, "SET SCHEMA", "other schema"},
	} {
		wantError(t, c, tc)
	}
}

// wantError executes a statement that fails.
func wantError(t *testing.T, c *Conn, tc errorCase) {
	t.Helper()
	cur, err := c.Query(ctx, tc.sql)
	if err == nil {
		_, err = drainErr(cur)
	}
	if err == nil {
		t.Errorf("%q: no error", tc.sql)
		return
	}
	e := sqlerr.From(err)
	if e.Code != tc.code || (tc.offset != -2 && e.Offset != tc.offset) ||
		!strings.Contains(e.Message, tc.message) || !strings.Contains(e.Hint, tc.hint) {
		t.Errorf("%q: %s at %d %q hint %q", tc.sql, e.Code, e.Offset, e.Message, e.Hint)
	}
	if strings.Contains(e.Message, "{\"") || strings.Contains(e.Message, " Error: ") {
		t.Errorf("%q: raw message %q", tc.sql, e.Message)
	}
}

func TestAbortedTransaction(t *testing.T) {
	c := openConn(t, openMemory(t))
	mustExec(t, c, "BEGIN")
	wantCode(t, c.Exec(ctx, "BEGIN"), sqlerr.ActiveTransaction)
	_ = c.Exec(ctx, "ROLLBACK") // whether DuckDB aborted the transaction is not the point
	mustExec(t, c, "BEGIN")
	if err := c.Exec(ctx, "SELECT 'a'::INT"); err == nil {
		t.Fatal("no error")
	}
	wantCode(t, c.Exec(ctx, "SELECT 1"), sqlerr.FailedTransaction)
	stmt, err := c.Prepare(ctx, "ROLLBACK")
	if err != nil {
		t.Fatal(err)
	}
	cur, err := stmt.Execute(ctx, nil)
	drain(t, cur, err)
	if err := stmt.Close(); err != nil {
		t.Fatal(err)
	}
	mustExec(t, c, "SELECT 1")
}

func TestWriteConflict(t *testing.T) {
	db := openMemory(t)
	a, b := openConn(t, db), openConn(t, db)
	mustExec(t, a, "CREATE TABLE t(x INT); INSERT INTO t VALUES (1); BEGIN; UPDATE t SET x = 2")
	mustExec(t, b, "BEGIN")
	wantCode(t, b.Exec(ctx, "UPDATE t SET x = 3"), sqlerr.SerializationFailure)
	mustExec(t, a, "COMMIT")
}

func TestPlainErrorText(t *testing.T) {
	c := openConn(t, openMemory(t))
	mustExec(t, c, "SET errors_as_json=false")
	_, err := c.Query(ctx, "select zzz from range(1)")
	if e := wantCode(t, err, sqlerr.SyntaxError); strings.Contains(e.Message, "LINE 1") {
		t.Errorf("message %q", e.Message)
	}
}

// A full disk is one at COMMIT as well; the words of a user's text are not the system's.
func TestDiskFullAtCommit(t *testing.T) {
	for message, code := range map[string]string{
		`Failed to commit: Could not write file \"x.db.wal\": No space left on device`:                            sqlerr.DiskFull,
		`Failed to commit: Could not fsync file \"x.db.wal\": Disk quota exceeded`:                                sqlerr.DiskFull,
		`Failed to commit: Could not write file \"x.db\": File too large`:                                         sqlerr.DiskFull,
		`Failed to commit: Could not write file \"x.db.wal\": Input/output error`:                                 sqlerr.IOError,
		`Failed to commit: write-write conflict on key: \"Could not write: No space left on device\"`:             sqlerr.SerializationFailure,
		`Failed to commit: PRIMARY KEY or UNIQUE constraint violation: duplicate key \"No space left on device\"`: sqlerr.UniqueViolation,
	} {
		e := sqlerr.From(duckError(`{"exception_type":"TransactionContext","exception_message":"` + message + `"}`))
		if e.Code != code {
			t.Errorf("%s: %s", message, e.Code)
		}
	}
}
