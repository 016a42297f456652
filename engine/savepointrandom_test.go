package engine

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

var (
	savepointRounds = flag.Int("savepoint.rounds", 20, "random transactions with savepoints that are compared with what is left of them")
	savepointSeed   = flag.Uint64("savepoint.seed", 1, "seed of the random transactions with savepoints")
)

// savepointRun is a random transaction with savepoints on one engine, and on another the
// statements that are left of it, which are run when it is compared.
type savepointRun struct {
	t     *testing.T
	rnd   *rand.Rand
	under testSession // where savepoints are made
	other testSession // beside it
	plain testSession // the other engine
	left  []string    // the statements of the transaction that are left
	// wrote are the tables that others have written since the transaction's snapshot; nil: it has none.
	wrote map[string]bool
	// places are the open savepoints: their names, and how many statements were left.
	places []savepointPlace
	said   []string // everything that was said, for the report
	now    string
	others bool // whether other sessions write, so that only rows below 1000 are the transaction's
	next   int  // a key that nobody has
}

type savepointPlace struct {
	name string
	left int
}

const savepointSchema = `
CREATE OR REPLACE TABLE a (k INTEGER PRIMARY KEY, v INTEGER NOT NULL, s VARCHAR, l INTEGER[]);
CREATE OR REPLACE TABLE b (id SERIAL, k INTEGER, made TIMESTAMPTZ DEFAULT now(), note VARCHAR);
CREATE OR REPLACE TABLE d (x DOUBLE, e UUID DEFAULT uuid());
CREATE OR REPLACE TABLE e (k INTEGER);
INSERT INTO a SELECT i, i * 10, 's' || i, [i, NULL] FROM range(20) r(i)`

// TestSavepointRandom compares random transactions with savepoints, errors, DDL, COPY and
// others that write meanwhile with those statements of them that are left.
func TestSavepointRandom(t *testing.T) {
	under, plain := openEngine(t), openEngine(t)
	for round := range *savepointRounds {
		seed := *savepointSeed + uint64(round)
		r := &savepointRun{
			t: t, rnd: rand.New(rand.NewPCG(seed, 0)), others: seed%2 == 1, next: 1000,
			under: openSession(t, under), other: openSession(t, under), plain: openSession(t, plain),
		}
		r.under.choosesNative()
		for _, text := range strings.Split("DROP VIEW IF EXISTS w;DROP TABLE IF EXISTS b;DROP TABLE IF EXISTS c;"+savepointSchema, ";") {
			r.other.run(text)
			r.plain.run(text)
		}
		r.under.run("PREPARE p AS INSERT INTO a VALUES ($1, $2, 'exec', NULL)")
		r.run()
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, strings.Join(r.said, "\n"))
		}
		for _, s := range []testSession{r.under, r.other, r.plain} {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func (r *savepointRun) run() {
	r.under.run("BEGIN")
	r.said = append(r.said, "BEGIN")
	for range 5 + r.rnd.IntN(30) {
		switch n := r.rnd.IntN(12); {
		case r.under.TxStatus() == TxFailed:
			if len(r.places) == 0 {
				r.under.run("ROLLBACK")
				r.left = nil
				r.compareEnd()
				return
			}
			r.rollbackTo()
		case n < 2:
			r.savepoint()
		case n == 2 && len(r.places) > 0:
			r.rollbackTo()
		case n == 3 && len(r.places) > 0:
			r.release()
		case n == 4 && r.others:
			r.otherWrites()
		case n == 5:
			r.fail()
		default:
			r.write()
		}
		if r.t.Failed() {
			return
		}
		if r.under.TxStatus() == TxIdle { // it could not return
			r.compareEnd()
			return
		}
	}
	if r.under.TxStatus() == TxFailed {
		if len(r.places) == 0 {
			r.left = nil
		} else {
			r.rollbackTo()
		}
	}
	if r.under.TxStatus() != TxIdle {
		r.say("COMMIT")
	}
	r.compareEnd()
}

// say runs a statement of the transaction.
func (r *savepointRun) say(sql string, args ...string) (string, error) {
	if r.wrote == nil {
		r.wrote = map[string]bool{}
	}
	text, tag, err := r.under.try(sql, args...)
	r.said = append(r.said, fmt.Sprintf("%s %v => %s %v", sql, args, tag, err))
	var e *sqlerr.Error
	if errors.As(err, &e) && (e.Code == "XX000" || e.Code == "40001") {
		r.t.Errorf("%s: %v %s", sql, err, e.Detail)
	}
	return text, err
}

func (r *savepointRun) savepoint() {
	name := fmt.Sprint("s", r.rnd.IntN(4))
	if _, err := r.say("SAVEPOINT " + name); err != nil {
		r.t.Errorf("SAVEPOINT: %v", err)
	}
	r.places = append(r.places, savepointPlace{name, len(r.left)})
}

// named is the place of a random savepoint that its name means.
func (r *savepointRun) named() int {
	name := r.places[r.rnd.IntN(len(r.places))].name
	for i, p := range slices.Backward(r.places) {
		if p.name == name {
			return i
		}
	}
	return 0
}

// keep notes a statement that is left.
func (r *savepointRun) keep(sql string) { r.left = append(r.left, sql) }

// dependsOnOthers reports whether a statement before a savepoint, which ROLLBACK TO executes again, reads
// rows of a table that others have written since the transaction's snapshot, itself or in the view w. Rows
// that are added are kept, and not read again.
func (r *savepointRun) dependsOnOthers(place savepointPlace) bool {
	for _, sql := range r.left[:place.left] {
		switch c := sqlfront.Classify(sql); c.Kind {
		case sqlfront.ClassUpdate, sqlfront.ClassDelete, sqlfront.ClassMerge:
		case sqlfront.ClassInsert:
			if !sqlfront.Replaces(sql) {
				continue
			}
		default:
			continue
		}
		for _, parts := range sqlfront.Relations(sql) {
			if r.wrote[parts[0]] || parts[0] == "w" && r.wrote["a"] {
				return true
			}
		}
	}
	return false
}

func (r *savepointRun) rollbackTo() {
	i := r.named()
	sql := "ROLLBACK TO " + r.places[i].name
	want, pin := r.dependsOnOthers(r.places[i]), r.under.tx.pin
	_, _, err := r.under.try(sql)
	r.said = append(r.said, fmt.Sprintf("%s => %v", sql, err))
	var e *sqlerr.Error
	failed := errors.As(err, &e) && e.Code == sqlerr.SerializationFailure
	switch {
	case err != nil && !failed:
		r.t.Errorf("%s: %v", sql, err)
		return
	case failed && !want:
		r.t.Errorf("%s: %v %s, but others have written nothing that is read again", sql, err, e.Detail)
		return
	case !failed && want && r.under.tx.pin != pin:
		r.t.Errorf("%s has read again what others have written", sql)
		return
	case failed:
		r.under.run("ROLLBACK")
		r.left, r.places = nil, nil
		return
	}
	r.left, r.places = r.left[:r.places[i].left], r.places[:i+1]
	if r.under.tx.pin != pin { // otherwise there was nothing to undo, and nothing is executed again
		r.wrote = map[string]bool{}
	}
	if r.rnd.IntN(3) == 0 {
		r.compareWithin()
	}
}

func (r *savepointRun) release() {
	i := r.named()
	if _, err := r.say("RELEASE " + r.places[i].name); err != nil {
		r.t.Errorf("RELEASE: %v", err)
	}
	r.places = r.places[:i]
}

// otherWrites has another session commit to one or several tables, and the other engine with it.
func (r *savepointRun) otherWrites() {
	r.next += 2
	for _, c := range []struct{ table, sql string }{
		{"a", fmt.Sprintf("INSERT INTO a VALUES (%d, 1, 'other', NULL), (%d, 2, 'other', NULL)", r.next, r.next+1)},
		{"a", fmt.Sprintf("UPDATE a SET v = v + 1 WHERE k = %d", r.next)},
		{"b", fmt.Sprintf("INSERT INTO b (id, k, made, note) VALUES (%d, 1, NULL, 'other')", r.next)},
		{"d", "INSERT INTO d VALUES (0, NULL)"},
		{"e", "MERGE INTO e USING a ON e.k = a.k WHEN NOT MATCHED AND a.k < 20 THEN INSERT VALUES (a.k)"},
		{"e", "DROP VIEW IF EXISTS nothing"},
		{"e", "CREATE SCHEMA IF NOT EXISTS elsewhere"},
	} {
		if r.rnd.IntN(3) == 0 {
			continue
		}
		if r.wrote != nil {
			r.wrote[c.table] = true
		}
		r.said = append(r.said, "other: "+c.sql)
		r.other.run(c.sql)
		r.plain.run(c.sql)
	}
}

func (r *savepointRun) fail() {
	failures := []string{
		"INSERT INTO a VALUES (900, 0, 'x', NULL), (900, 0, 'y', NULL)", "INSERT INTO a VALUES (901, NULL, 'x', NULL)", "SELECT CAST('x' AS INTEGER)",
		"SELECT nothing FROM a", "SELEC", "INSERT INTO d SELECT error('no') FROM range(10)", "CREATE TABLE a (x INTEGER)", "DROP TABLE nothing",
		"UPDATE a SET v = NULL WHERE k < 1000", "INSERT INTO b (k) SELECT CASE WHEN i = 3000 THEN error('late') ELSE i END FROM range(4000) r(i)",
	}
	if _, err := r.say(failures[r.rnd.IntN(len(failures))]); err == nil {
		r.t.Error("no error")
	}
}

// write is a statement that may well fail.
func (r *savepointRun) write() {
	key, value := r.rnd.IntN(40), r.rnd.IntN(5)
	do := func(sql string, args ...string) {
		if _, err := r.say(sql, args...); err == nil {
			for i, a := range args {
				sql = strings.ReplaceAll(sql, fmt.Sprint("$", i+1), quoteText(a))
			}
			r.keep(sql)
		}
	}
	switch r.rnd.IntN(23) {
	case 0, 1:
		do(fmt.Sprintf("INSERT INTO a VALUES (%d, %d, NULL, [%d])", key, value, value))
	case 2:
		do("INSERT INTO a (k, v, s) VALUES ($1::INTEGER, $2::INTEGER, $3)", fmt.Sprint(key), fmt.Sprint(value), "it's")
	case 3:
		do(fmt.Sprintf("UPDATE a SET v = v + %d WHERE k < 1000 AND k %% 3 = %d", value, value%3))
	case 4:
		do("UPDATE a SET v = v * 2, s = 'p' WHERE k = $1::INTEGER", fmt.Sprint(key))
	case 5:
		do(fmt.Sprintf("UPDATE a SET k = k + 100 WHERE k = %d", key))
	case 6:
		do(fmt.Sprintf("DELETE FROM a WHERE k < 1000 AND k %% 7 = %d", value))
	case 7:
		do(fmt.Sprintf("INSERT INTO a VALUES (%d, %d, 'up', NULL) ON CONFLICT DO UPDATE SET v = a.v + 1", key, value))
	case 8:
		do(fmt.Sprintf("INSERT INTO a VALUES (%d, %d, 'new', NULL) ON CONFLICT DO NOTHING", key, value))
	case 9, 10:
		r.returning("INSERT INTO b (k, note) SELECT k, s FROM a WHERE k < 1000 AND k % 5 = " + fmt.Sprint(value))
	case 11:
		do("UPDATE b SET k = k + 1 WHERE id < 1000 AND k % 2 = 0")
	case 12:
		r.returning("INSERT INTO b (k) VALUES (7)")
	case 13:
		r.copy(key)
	case 14, 22:
		ddl := []string{
			"CREATE TABLE c (n INTEGER)", "ALTER TABLE c ADD COLUMN m INTEGER DEFAULT 3", "INSERT INTO c (n) VALUES (1), (2)", "DROP TABLE c",
			"INSERT INTO c (n) SELECT k FROM a WHERE k < 1000", "UPDATE c SET n = n + 1", "CREATE TABLE IF NOT EXISTS c AS SELECT 5 AS n", "ALTER TABLE c RENAME n TO n",
			"TRUNCATE c", "CREATE INDEX c_n ON c (n)", "CREATE VIEW w AS SELECT k, v FROM a WHERE k < 1000", "DROP VIEW w", "INSERT INTO c (n) SELECT k FROM w",
			"ALTER TABLE c ALTER n TYPE BIGINT", "COMMENT ON TABLE c IS 'seen'",
		}
		do(ddl[r.rnd.IntN(len(ddl))])
	case 15:
		r.uuid()
	case 16:
		r.clock()
	case 17:
		if _, err := r.say(fmt.Sprintf("EXECUTE p(%d, %d + 1)", key, value)); err == nil {
			r.keep(fmt.Sprintf("INSERT INTO a VALUES (%d, %d, 'exec', NULL)", key, value+1))
		}
	case 18:
		temporary := []string{
			"CREATE TEMP TABLE m (x INTEGER)", "INSERT INTO m VALUES (1), (2)", "UPDATE m SET x = x * 2", "DROP TABLE m", "INSERT INTO m SELECT k FROM a WHERE k < 1000",
			"CREATE OR REPLACE TEMP TABLE m AS SELECT 1 AS x", "DISCARD TEMP",
		}
		do(temporary[r.rnd.IntN(len(temporary))])
	case 19:
		if r.rnd.IntN(2) == 0 {
			do([]string{"SET TimeZone = 'Asia/Kathmandu'", "SET LOCAL TimeZone = 'America/New_York'", "SET LOCAL TimeZone = 'UTC'"}[r.rnd.IntN(3)])
			return
		}
		do("UPDATE a SET s = strftime('2020-01-01 00:00:00+00'::TIMESTAMPTZ, '%H%z') WHERE k < 1000 AND v > $1::INTEGER", fmt.Sprint(value*20))
	case 20:
		do(fmt.Sprintf("MERGE INTO a USING (SELECT %d AS k, %d AS v UNION ALL SELECT 300, 0) s ON a.k = s.k WHEN MATCHED THEN UPDATE SET v = a.v + s.v WHEN NOT MATCHED THEN INSERT (k, v) VALUES (s.k, s.v)", key, value))
	case 21:
		do("INSERT INTO b (id, k, made) SELECT -1 - a.k, sum(b.k * a.v), NULL FROM a JOIN b ON a.k = b.k WHERE a.k < 1000 AND b.id < 1000 GROUP BY a.k")
	}
}

// returning inserts rows whose numbers and times come from the session; what is left are
// those that it told.
func (r *savepointRun) returning(sql string) {
	text, err := r.say(sql + " RETURNING id, k, epoch_us(made), coalesce(quote_literal(note), 'NULL')")
	if err != nil || text == "" {
		return
	}
	var values []string
	for _, line := range strings.Split(text, ";") {
		f := strings.SplitN(line, "|", 4)
		values = append(values, fmt.Sprintf("(%s, %s, make_timestamptz(%s), %s)", f[0], f[1], f[2], f[3]))
	}
	r.keep("INSERT INTO b (id, k, made, note) VALUES " + strings.Join(values, ", "))
}

// uuid inserts what cannot be computed again.
func (r *savepointRun) uuid() {
	text, err := r.say("INSERT INTO d (x) SELECT random() FROM range(3) RETURNING x, e")
	if err != nil {
		return
	}
	for _, line := range strings.Split(text, ";") {
		x, e, _ := strings.Cut(line, "|")
		r.keep(fmt.Sprintf("INSERT INTO d VALUES ('%s', '%s')", x, e))
	}
}

// clock checks that the transaction has one time.
func (r *savepointRun) clock() {
	text, err := r.say("SELECT epoch_us(now()), epoch_us(current_timestamp)")
	if err != nil {
		return
	}
	if r.now == "" {
		r.now = text
	}
	if text != r.now {
		r.t.Errorf("the time was %s and is %s", r.now, text)
	}
}

// copy adds rows by COPY, one of which may exist already.
func (r *savepointRun) copy(key int) {
	err := copyRows(r.under, "COPY a (k, v, s) FROM STDIN", [][]string{{fmt.Sprint(key), "1", "copied"}, {fmt.Sprint(key + 200), "2", "copied"}})
	r.said = append(r.said, fmt.Sprintf("COPY of %d and %d: %v", key, key+200, err))
	if err == nil {
		r.keep(fmt.Sprintf("INSERT INTO a (k, v, s) VALUES (%d, 1, 'copied'), (%d, 2, 'copied')", key, key+200))
	}
}

// copyRows runs a COPY FROM STDIN in a session.
func copyRows(s testSession, sql string, lines [][]string) (err error) {
	ctx := context.Background()
	p, err := s.Prepare(ctx, sql, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	res, err := p.ExecuteCopy(ctx)
	if err != nil {
		return err
	}
	b := &rows.Batch{N: len(lines), Cols: make([]rows.Vector, len(lines[0]))}
	for c := range b.Cols {
		b.Cols[c].Type = rows.Type{ID: rows.Varchar}
		for _, line := range lines {
			b.Cols[c].Str = append(b.Cols[c].Str, line[c])
		}
	}
	if err := res.Receive(ctx, b, 0); err != nil {
		return errors.Join(err, res.Close())
	}
	_, err = res.Next(ctx)
	return errors.Join(err, res.Close())
}

// savepointQueries show the tables.
var savepointQueries = []string{
	"SELECT k, v, s, l FROM a ORDER BY ALL", "SELECT id, k, epoch_us(made), note FROM b ORDER BY ALL", "SELECT x, e FROM d ORDER BY ALL", "SELECT k FROM e ORDER BY k",
	"SELECT table_name, column_name FROM duckdb_columns() WHERE table_name = 'c' ORDER BY ALL",
	// A join, which the tensor engine may answer.
	"SELECT a.s, count(*), sum(b.k) FROM a JOIN b ON a.k = b.k GROUP BY a.s ORDER BY ALL",
}

func (r *savepointRun) compare(s testSession) {
	for _, q := range savepointQueries {
		got, want := s.run(q), r.plain.run(q)
		if got != want {
			r.t.Errorf("%s:\n%s\nnot\n%s", q, got, want)
		}
	}
}

// compareWithin compares what the transaction sees.
func (r *savepointRun) compareWithin() {
	r.plain.run("BEGIN")
	for _, text := range r.left {
		r.plain.run(text)
	}
	// Which of the others' rows it sees depends on whether it began anew.
	const ofOthers = "SELECT (SELECT count(*) FROM a WHERE k >= 1000), (SELECT count(*) FROM b WHERE id >= 1000), (SELECT count(*) FROM d WHERE e IS NULL), (SELECT count(*) FROM e)"
	if r.others && r.under.run(ofOthers) != r.plain.run(ofOthers) {
		r.plain.run("ROLLBACK")
		return
	}
	r.compare(r.under)
	r.compareOwn()
	r.plain.run("ROLLBACK")
}

// compareEnd compares what is committed, as another session sees it.
func (r *savepointRun) compareEnd() {
	if r.t.Failed() {
		return
	}
	r.plain.run("BEGIN")
	for _, text := range r.left {
		r.plain.run(text)
	}
	r.plain.run("COMMIT")
	r.compare(r.other)
	r.compareOwn()
}

// compareOwn compares what only the session sees.
func (r *savepointRun) compareOwn() {
	queries := []string{"SHOW timezone", "SELECT count(*) FROM duckdb_tables() WHERE temporary"}
	if r.plain.run(queries[1]) == "1" {
		queries = append(queries, "SELECT x FROM temp.m ORDER BY x")
	}
	for _, q := range queries {
		if got, want := r.under.run(q), r.plain.run(q); got != want {
			r.t.Errorf("%s: %s, not %s", q, got, want)
		}
	}
}
