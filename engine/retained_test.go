package engine

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"unsafe"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// isPart reports whether a text holds another one in memory.
func isPart(text, whole string) bool {
	at, begin := uintptr(unsafe.Pointer(unsafe.StringData(text))), uintptr(unsafe.Pointer(unsafe.StringData(whole)))
	return text != "" && begin <= at && at < begin+uintptr(len(whole))
}

// long is a comment that no structure should hold when its statement has ended.
func long() string { return " /*" + strings.Repeat("x", 1_000_000) + "*/ " }

// What lives longer than its statement holds no long text.
func TestLongTextsAreNotKept(t *testing.T) {
	e := openEngine(t)
	s := openSession(t, e)
	s.run("CREATE TABLE a (k INTEGER, w INTEGER)")
	s.run("INSERT INTO a SELECT i, i FROM range(10) r(i)")
	texts := []string{
		"nonsense" + long(), "SELECT 'x'" + long(), "SET my.own = 'value'" + long(), "SET application_name = 'me'" + long(),
		"BEGIN" + long(), "SAVEPOINT s" + long(), "COMMIT" + long(), "SELECT 1," + long() + "2", "SELECT '" + strings.Repeat("y", 1_000_000) + "'::INTEGER",
		"SELECT count(*) FROM a x JOIN a y ON x.k = y.k" + long() + "WHERE x.w <> 1 AND y.w > 0",
	}
	for _, sql := range texts {
		_, _, _ = s.try(sql) // some are wrong
		if s.noted != nil {
			t.Errorf("the notes of %.30q stay", sql)
		}
		for _, sp := range s.tx.savepoints {
			if isPart(sp.name, sql) {
				t.Error("the name of a savepoint holds its statement")
			}
		}
		for name, value := range s.settings.values {
			if isPart(name, sql) || isPart(value, sql) {
				t.Errorf("setting %s holds %.30q", name, sql)
			}
		}
		if now := s.activity.Info(); isPart(now.Text, sql) || isPart(now.Application, sql) {
			t.Errorf("what is shown of the session holds %.30q", sql)
		}
		for _, rec := range e.activity.Recent() {
			if isPart(rec.Text, sql) || len(rec.Text) > 5000 || len(rec.Message) > 10_000 || len(rec.Reason) > 5000 {
				t.Errorf("the note of %.30q holds %d bytes", sql, len(rec.Text)+len(rec.Message))
			}
		}
	}
	for sql := range s.kept {
		if len(sql) > keptTextBytes {
			t.Errorf("a statement of %d bytes is kept", len(sql))
		}
	}
	rule := e.tensor.(*route).rule
	for _, entry := range rule.byText {
		if len(entry.key)+len(entry.sql) > 2*longTextBytes || entry.bytes > 4*longTextBytes {
			t.Errorf("auto remembers a statement in %d bytes", entry.bytes)
		}
	}
	for text := range rule.begun {
		if len(text) > longTextBytes {
			t.Errorf("auto remembers a text of %d bytes", len(text))
		}
	}
	if len(rule.byText)+len(rule.begun) == 0 {
		t.Error("auto remembers nothing")
	}
}

// A part of a text is its own where the rest is more.
func TestPartsOfTextsAreTheirOwn(t *testing.T) {
	e := openEngine(t)
	s := openSession(t, e)
	whole := long() + "SELECT 1" + long()
	p, err := s.Prepare(t.Context(), whole, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p.sql != "SELECT 1" || isPart(p.sql, whole) {
		t.Errorf("the statement's text is %.20q, a part of the message: %v", p.sql, isPart(p.sql, whole))
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// Of the types that a client declares those of parameters are kept.
func TestTypesOfNothingAreNotKept(t *testing.T) {
	s := openSession(t, openEngine(t))
	types := make([]rows.Type, 65535)
	for i := range types {
		types[i] = rows.Type{ID: rows.Integer}
	}
	for sql, n := range map[string]int{"SELECT 1": 0, "SELECT $2 + $1": 2, "SELECT '" + strings.Repeat("$", 100_000) + "', ?": 1, "DECLARE c CURSOR FOR SELECT $1": 1} {
		p, err := s.Prepare(t.Context(), sql, types)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Params()) != n || len(p.given.Declared) != n || cap(p.given.Declared) > n+8 || cap(p.hints) > 200_000 || n < 2 && cap(p.hints) > n+8 {
			t.Errorf("%.30s: %d parameters, of %d types are kept, %d to bind with", sql, len(p.Params()), cap(p.given.Declared), cap(p.hints))
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// What auto remembers is bounded by bytes: a statement may have many tables.
func TestAutoIsBoundedByBytes(t *testing.T) {
	r := newAutoRule(slog.Default(), 0)
	tables := make([]load.Table, 1000)
	for i := range tables {
		tables[i] = load.Table{Catalog: "memory", Schema: "main", Name: fmt.Sprintf("a table with a long name, of which there are many: %d", i)}
	}
	for i := range autoEntriesMax {
		sql := fmt.Sprint("SELECT ", i)
		r.remember(&autoQuery{sql: sql, tables: tables}, r.entry(sql, 1))
	}
	bytes := 0
	for _, at := range r.entries {
		bytes += at.Value.(*autoEntry).bytes
	}
	if r.bytes > autoBytesMax || r.bytes != bytes || len(r.byText) != len(r.entries) || len(r.entries) < 10 {
		t.Errorf("%d statements are remembered in %d bytes, by %d texts", len(r.entries), r.bytes, len(r.byText))
	}
}

// Notices that nobody asks for are bounded.
func TestNoticesAreBounded(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("SELECT pg_advisory_unlock(i) FROM range(5000) r(i)")
	n := s.Notices()
	if len(n) != noticesMax || n[len(n)-1].Message != "further messages are left out" {
		t.Errorf("%d notices wait, the last %v", len(n), n[max(0, len(n)-1):])
	}
	s.tell("42710", strings.Repeat("x", 1_000_000))
	if n := s.Notices(); len(n) != 1 || len(n[0].Message) > 10_000 {
		t.Errorf("%d notices", len(n))
	}
}

// Of the parts of a file one stays in memory, and it is short.
func TestPartsOfFilesAreShort(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("BEGIN")
	s.run("DECLARE c SCROLL CURSOR FOR SELECT i, repeat('x', CASE WHEN i % 1000 = 7 THEN 1000000 ELSE 10000 END) || i FROM range(4096) r(i)")
	s.run("MOVE LAST FROM c")
	store := s.cursors["c"].store
	for _, row := range []int{4096, 4000, 1008, 1009, 8, 2048, 2049, 4095} {
		if got, want := s.run(fmt.Sprint("FETCH ABSOLUTE ", row, " FROM c")), fmt.Sprintf("%dx", row-1); !strings.HasPrefix(strings.ReplaceAll(got, "|", ""), want) || !strings.HasSuffix(got, fmt.Sprint("x", row-1)) {
			t.Fatalf("row %d is %.20s", row, got)
		}
		if store.last != nil && batchBytes(store.last) > 2*spoolPartBytes {
			t.Errorf("%d bytes of the file stay in memory", batchBytes(store.last))
		}
	}
	if store.rows != 4096 || len(store.parts) < 100 {
		t.Errorf("%d rows are kept in %d parts", store.rows, len(store.parts))
	}
	s.run("COMMIT")
}
