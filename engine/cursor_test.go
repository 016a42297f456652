package engine

import (
	"context"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/spill"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// play runs statements with what they answer: rows, a tag after "=>", or an
// SQLSTATE after "!".
func (s testSession) play(script string) {
	s.t.Helper()
	for _, line := range strings.Split(strings.TrimSpace(script), "\n") {
		line = strings.TrimSpace(line)
		if sql, code, ok := strings.Cut(line, " ! "); ok {
			s.wantError(sql, code)
		} else if sql, tag, ok := strings.Cut(line, " => "); ok {
			s.wantTag(sql, tag)
		} else {
			sql, rows, _ := strings.Cut(line, " : ")
			s.want(strings.TrimSuffix(sql, " :"), rows)
		}
	}
}

func TestCursorForward(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.play(`
		DECLARE c CURSOR FOR SELECT 1 ! 25P01
		BEGIN => BEGIN
		DECLARE c CURSOR FOR SELECT i FROM range(5) r(i) ORDER BY i => DECLARE CURSOR
		FETCH c : 0
		FETCH 2 FROM c : 1;2
		FETCH RELATIVE 1 FROM c : 3
		MOVE c => MOVE 1
		FETCH c => FETCH 0
		FETCH ALL FROM c => FETCH 0
		CLOSE c => CLOSE CURSOR
		FETCH c ! 34000
		ROLLBACK => ROLLBACK
		BEGIN => BEGIN
		DECLARE c NO SCROLL CURSOR FOR SELECT i FROM range(5) r(i) ORDER BY i => DECLARE CURSOR
		MOVE FORWARD 3 IN c => MOVE 3
		FETCH ABSOLUTE 5 FROM c : 4
		FETCH PRIOR FROM c ! 55000
		COMMIT => ROLLBACK
		FETCH c ! 34000
		BEGIN => BEGIN
		DECLARE c CURSOR FOR SELECT i FROM range(5000) r(i) ORDER BY i => DECLARE CURSOR
		MOVE BACKWARD ALL IN c => MOVE 0
		MOVE 4000 FROM c => MOVE 4000
		FETCH 1 FROM c : 4000
		MOVE BACKWARD ALL IN c => MOVE 4000
		FETCH 2 FROM c : 0;1
		MOVE ALL IN c => MOVE 4998
		MOVE BACKWARD ALL IN c => MOVE 5000
		FETCH 1 FROM c : 0
		CREATE TABLE written (a INTEGER) => CREATE TABLE
		FETCH 1 FROM c : 1
		MOVE BACKWARD ALL IN c ! 55000
		ROLLBACK => ROLLBACK
		BEGIN => BEGIN
		DECLARE c NO SCROLL CURSOR FOR SELECT i FROM range(5) r(i) => DECLARE CURSOR
		MOVE 1 FROM c => MOVE 1
		MOVE BACKWARD ALL IN c ! 55000
		ROLLBACK => ROLLBACK
		BEGIN => BEGIN
		DECLARE c CURSOR FOR SELECT 1 => DECLARE CURSOR
		DECLARE c CURSOR FOR SELECT 1 ! 42P03
		ROLLBACK => ROLLBACK
		BEGIN => BEGIN
		CLOSE nope ! 34000
		ROLLBACK => ROLLBACK
		BEGIN => BEGIN
		DECLARE c CURSOR FOR INSERT INTO t VALUES (1) ! 42P01
		ROLLBACK => ROLLBACK
		DECLARE c CURSOR WITH HOLD FOR SHOW TimeZone ! 42601
		DECLARE c CURSOR WITH HOLD FOR SELECT nothing ! 42703
	`)
}

func TestCursorScroll(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.play(`
		BEGIN => BEGIN
		DECLARE c SCROLL CURSOR FOR SELECT i FROM range(1, 6) r(i) ORDER BY i => DECLARE CURSOR
		FETCH BACKWARD 2 FROM c => FETCH 0
		FETCH LAST FROM c : 5
		FETCH NEXT FROM c => FETCH 0
		FETCH PRIOR FROM c : 5
		FETCH BACKWARD 2 FROM c : 4;3
		FETCH FORWARD 0 FROM c : 3
		FETCH RELATIVE 0 FROM c : 3
		FETCH RELATIVE -1 FROM c : 2
		FETCH ABSOLUTE -2 FROM c : 4
		FETCH FIRST FROM c : 1
		FETCH -1 FROM c => FETCH 0
		FETCH 0 FROM c => FETCH 0
		FETCH ALL FROM c : 1;2;3;4;5
		FETCH BACKWARD ALL FROM c : 5;4;3;2;1
		FETCH ABSOLUTE 0 FROM c => FETCH 0
		FETCH ABSOLUTE 9 FROM c => FETCH 0
		FETCH PRIOR FROM c : 5
		MOVE ABSOLUTE 2 IN c => MOVE 1
		FETCH 1 FROM c : 3
		MOVE BACKWARD ALL IN c => MOVE 2
		MOVE ALL IN c => MOVE 5
		MOVE LAST IN c => MOVE 1
		MOVE 0 IN c => MOVE 1
		FETCH RELATIVE -99 FROM c => FETCH 0
		FETCH RELATIVE 9223372036854775807 FROM c => FETCH 0
		CLOSE ALL => CLOSE CURSOR ALL
		COMMIT => COMMIT
	`)
}

// Cursors go on while other statements run, each where it was.
func TestCursorsInterleaved(t *testing.T) {
	e := openEngine(t)
	s := openSession(t, e)
	s.run("CREATE TABLE n AS SELECT i::INTEGER AS i FROM range(10000) r(i)")
	s.run("BEGIN")
	s.run("DECLARE a CURSOR FOR SELECT i FROM n ORDER BY i")
	s.run("DECLARE b SCROLL CURSOR FOR SELECT i + 100 FROM n ORDER BY i")
	s.run("DECLARE c CURSOR FOR SELECT count(*) FROM n x JOIN n y ON x.i = y.i GROUP BY x.i % 3 ORDER BY 1")
	s.want("FETCH 2 FROM a", "0;1")
	s.want("FETCH 2 FROM b", "100;101")
	s.want("FETCH c", "3333")
	s.run("DELETE FROM n WHERE i > 5") // cursors do not see it
	s.want("FETCH 2 FROM a", "2;3")
	s.want("SELECT count(*) FROM n", "6")
	s.want("FETCH RELATIVE 9000 FROM a", "9003")
	s.want("FETCH LAST FROM b", "10099")
	s.want("FETCH 5 FROM c", "3333;3334")
	s.run("COMMIT")
	s.want("SELECT count(*) FROM n", "6")
}

func TestCursorWithHold(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE n AS SELECT i::INTEGER AS i FROM range(5000) r(i)")
	s.play(`
		DECLARE outside CURSOR WITH HOLD FOR SELECT i FROM n ORDER BY i => DECLARE CURSOR
		FETCH outside : 0
		BEGIN => BEGIN
		DECLARE held CURSOR WITH HOLD FOR SELECT i FROM n ORDER BY i => DECLARE CURSOR
		DECLARE gone CURSOR FOR SELECT i FROM n ORDER BY i => DECLARE CURSOR
		FETCH held : 0
		DELETE FROM n => DELETE 5000
		COMMIT => COMMIT
		FETCH held : 1
		FETCH gone ! 34000
		FETCH outside : 1
		MOVE 4997 IN held => MOVE 4997
		FETCH ALL FROM held : 4999
		BEGIN => BEGIN
		DECLARE undone CURSOR WITH HOLD FOR SELECT 1 => DECLARE CURSOR
		ROLLBACK => ROLLBACK
		FETCH undone ! 34000
		FETCH 2 FROM outside : 2;3
		DISCARD ALL => DISCARD ALL
		FETCH outside ! 34000
	`)
}

// A cursor that only goes forward reads no more than it is asked for.
func TestCursorReadsOnlyWhatIsFetched(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("BEGIN")
	// Without end, for practical purposes; and an error after a million rows.
	s.run("DECLARE c CURSOR FOR SELECT CASE WHEN i > 1000000 THEN error('too far') ELSE i END FROM range(100000000000) r(i)")
	s.want("FETCH 3 FROM c", "0;1;2")
	s.wantTag("CLOSE c", "CLOSE CURSOR")
	s.run("DECLARE c CURSOR FOR SELECT CASE WHEN i > 1000000 THEN error('too far') ELSE i END FROM range(100000000000) r(i)")
	s.want("FETCH c", "0")
	s.wantTag("COMMIT", "COMMIT")
	s.run("BEGIN")
	s.run("DECLARE c CURSOR FOR SELECT CASE WHEN i > 1000000 THEN error('too far') ELSE i END FROM range(100000000000) r(i)")
	s.want("FETCH c", "0")
	// Another statement needs the connection: the rest is read, and its error is told.
	if _, _, err := s.try("SELECT 1"); err == nil || !strings.Contains(err.Error(), "too far") {
		t.Errorf("error %v", err)
	}
	s.wantStatus(TxFailed)
	s.run("ROLLBACK")
}

func TestCursorParameters(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("BEGIN")
	s.run("DECLARE c CURSOR FOR SELECT i FROM range(10) r(i) WHERE i >= $1::BIGINT ORDER BY i", "7")
	s.want("FETCH ALL FROM c", "7;8;9")
	s.run("COMMIT")
}

// A FETCH whose reader leaves early has moved the cursor all the same.
func TestFetchLeftEarly(t *testing.T) {
	s := openSession(t, openEngine(t))
	ctx := context.Background()
	s.run("BEGIN")
	s.run("DECLARE c CURSOR FOR SELECT i FROM range(10000) r(i) ORDER BY i")
	p, err := s.Prepare(ctx, "FETCH 5000 FROM c", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := p.Execute(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := res.Next(ctx); err != nil {
		t.Fatal(err)
	}
	if err := res.Close(); err != nil {
		t.Fatal(err)
	}
	s.want("FETCH c", "5000")
	s.run("COMMIT")
}

// What waits for its reader stays in bounds in memory and is the same from a file.
func TestSpool(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("BEGIN")
	s.run(`DECLARE c SCROLL CURSOR FOR SELECT i, i::HUGEINT * 1000000007, i / 3.0, CASE WHEN i % 3 > 0 THEN 'row ' || i END,
		to_days(i::INTEGER), -0.0::DOUBLE, 'nan'::DOUBLE FROM range(20000) r(i) ORDER BY i`)
	cur := s.cursors["c"]
	cur.store.limitBytes = 100_000
	want := s.run("FETCH ALL FROM c")
	if cur.store.file == nil || cur.store.heldBytes > 100_000 {
		t.Fatalf("%d bytes are held, file %v", cur.store.heldBytes, cur.store.file)
	}
	s.run("MOVE ABSOLUTE 0 IN c")
	if got := s.run("FETCH ALL FROM c"); got != want || strings.Count(got, ";") != 19_999 {
		t.Error("rows of the file differ from those read first")
	}
	s.want("FETCH ABSOLUTE 7000 FROM c", "6999|6999000048993|2333|NULL|{0 6999 0}|-0|NaN")
	s.run("COMMIT")
	if cur.store.file != nil {
		t.Error("the file is open after the cursor's end")
	}
}

// Rows that wait for a reader have a bounded room, which closing gives back.
func TestWaitingRowsAreBounded(t *testing.T) {
	space := spill.NewSpace(16 << 20)
	s := openSession(t, openConfig(t, Config{Version: "test", Spill: space}))
	const many = "SELECT repeat('x', 100) || i FROM range(1000000) t(i)"
	for declare, full := range map[string]string{
		"DECLARE c NO SCROLL CURSOR FOR ": "SELECT 1", // for which the rest is read
		"DECLARE c SCROLL CURSOR FOR ":    "MOVE LAST IN c",
	} {
		s.run("BEGIN")
		s.run(declare + many)
		s.run("FETCH 1 FROM c")
		s.wantError(full, sqlerr.ProgramLimit)
		s.run("ROLLBACK")
		if used := space.Used(); used != 0 {
			t.Errorf("%s: %d bytes are taken", declare, used)
		}
	}
	s.run("BEGIN")
	s.run("DECLARE c CURSOR WITH HOLD FOR " + many)
	s.wantError("COMMIT", sqlerr.ProgramLimit) // for which the rows are read
	if used := space.Used(); used != 0 {
		t.Errorf("WITH HOLD: %d bytes are taken", used)
	}
	s.want("SELECT 1", "1")
}

// TestHeldCursorBesideABlock: a cursor that is held outside of a transaction reads on when
// several statements begin one of their own.
func TestHeldCursorBesideABlock(t *testing.T) {
	s := openSession(t, openEngine(t))
	ctx := context.Background()
	s.run("CREATE TABLE b AS SELECT i FROM range(100000) r(i)")
	s.run("DECLARE h CURSOR WITH HOLD FOR SELECT i FROM b ORDER BY i")
	if err := s.BeginImplicit(ctx); err != nil {
		t.Fatal(err)
	}
	s.want("SELECT 1", "1")
	s.want("FETCH 2 FROM h", "0;1")
	s.want("SELECT 2", "2")
	if err := s.EndImplicit(ctx, true); err != nil {
		t.Fatal(err)
	}
	s.want("FETCH 1 FROM h", "2")
}
