package engine

import (
	"fmt"
	"sync"
	"testing"
)

// isBound reports whether a session's next Prepare of a text finds it bound.
func (s testSession) isBound(sql string) bool {
	r := s.engine.tensor.(*route)
	key, version := r.boundKey(s.Session, sql, nil)
	_, ok := r.bound.Get(key, version)
	return key != "" && ok
}

const boundJoin = "SELECT sum(p.a + q.b) FROM e p JOIN e q ON p.b = q.a"

// A text that is bound is bound anew where the catalog has changed, for a session
// that sees another catalog, and where plans are not kept.
func TestBoundTextsFollowTheCatalog(t *testing.T) {
	s := openPlanned(t)
	other := openSession(t, s.engine)
	other.run("SET trireme.backend = 'native'")
	check := func(what string) {
		t.Helper()
		want := s.duck(boundJoin)
		for _, session := range []testSession{s, other, s} {
			if got := session.run(boundJoin); got != want {
				t.Errorf("%s: %s, want %s", what, got, want)
			}
		}
		if !s.isBound(boundJoin) || !other.isBound(boundJoin) {
			t.Errorf("%s: the text is not kept", what)
		}
	}
	check("at first")
	for _, sql := range []string{
		"INSERT INTO e VALUES (1, 1)",
		"ALTER TABLE e ALTER a TYPE DECIMAL(9, 2)",
		"ALTER TABLE e ADD COLUMN c INTEGER",
		"DROP TABLE e",
		"ALTER TABLE l RENAME TO e",
		"ALTER TABLE e RENAME v TO a",
		"ALTER TABLE e RENAME k TO b",
		"CREATE TABLE hidden AS SELECT CAST(a AS TINYINT) AS a, b FROM e",
		"DROP TABLE e",
		"CREATE VIEW e AS SELECT a, b FROM hidden WHERE a > 50",
		"CREATE OR REPLACE VIEW e AS SELECT a, b FROM hidden WHERE a > 40",
	} {
		other.run(sql)
		if sql == "DROP TABLE e" {
			s.wantError(boundJoin, "42P01")
			continue
		}
		if sql == "ALTER TABLE l RENAME TO e" || sql == "ALTER TABLE e RENAME v TO a" {
			s.wantError(boundJoin, "42703")
			continue
		}
		check(sql)
	}
	other.run("SET trireme.backend = 'auto'")
	other.run("CREATE TEMP TABLE e AS SELECT 1 AS a, 1 AS b")
	other.want(boundJoin, "2")
	if other.isBound(boundJoin) || !s.isBound(boundJoin) {
		t.Error("what a session has for itself concerns the others")
	}
	s.run("SET trireme.plan_cache = 'off'")
	if s.isBound(boundJoin) {
		t.Error("found although no plans are kept")
	}
}

// Uncommitted DDL concerns its transaction only; texts are not kept meanwhile.
func TestBoundTextsDuringUncommittedDDL(t *testing.T) {
	s := openPlanned(t)
	other := openSession(t, s.engine)
	want := s.run(boundJoin)
	other.run("BEGIN")
	other.run("ALTER TABLE e ADD COLUMN c INTEGER")
	if s.isBound(boundJoin) || other.isBound(boundJoin) {
		t.Error("a text is found while the catalog is changing")
	}
	other.want(boundJoin, want)
	other.run("ROLLBACK")
	s.want(boundJoin, want)
	if !s.isBound(boundJoin) {
		t.Error("not kept after the rollback")
	}
}

// The translation of a text is that for the present facts of its tables: a column
// that gets NULLs or another range needs another one.
func TestTranslationsFollowFacts(t *testing.T) {
	s := openPlanned(t)
	const sql = "SELECT sum(p.a * q.b), count(q.b), avg(p.a) FROM e p LEFT JOIN e q ON p.b = q.a"
	for _, change := range []string{
		"CREATE TABLE other (x INTEGER)", "INSERT INTO e VALUES (NULL, 5)", "INSERT INTO e VALUES (7, NULL)", "INSERT INTO e VALUES (89, 1000000000000)",
		"DELETE FROM e WHERE a IS NULL OR b IS NULL", "DELETE FROM e",
	} {
		s.run(change)
		want := s.duck(sql)
		for range 2 {
			if got := s.run(sql); got != want {
				t.Errorf("after %s: %s, want %s", change, got, want)
			}
		}
	}
}

// Sessions share a bound statement, each with its parameters and its time zone.
func TestBoundTextsAtOnce(t *testing.T) {
	s := openPlanned(t)
	s.run("CREATE TABLE z AS SELECT i AS x, to_timestamp(i * 3600) AS at FROM range(100) r(i)")
	const byParam = "SELECT count(*) FROM l x JOIN e p ON x.v = p.a WHERE x.k = $1 AND p.b < $2"
	const byZone = "SELECT sum(extract(hour FROM p.at)) FROM z p JOIN z q ON p.x = q.x"
	type ask struct{ zone, k, b, count, sum string }
	var asks []ask
	for i, zone := range []string{"UTC", "Asia/Tokyo", "America/New_York"} {
		a := ask{zone: zone, k: fmt.Sprint(i), b: fmt.Sprint(20 + 30*i)}
		s.run("SET TimeZone = '" + zone + "'")
		a.count, a.sum = s.duck(byParam, a.k, a.b), s.duck(byZone)
		asks = append(asks, a)
	}
	var group sync.WaitGroup
	for _, a := range asks {
		session := openSession(t, s.engine)
		session.run("SET trireme.backend = 'native'")
		session.run("SET TimeZone = '" + a.zone + "'")
		group.Go(func() {
			for range 20 {
				if got, _, err := session.try(byParam, a.k, a.b); err != nil || got != a.count {
					t.Errorf("parameters %s, %s: %s, want %s; %v", a.k, a.b, got, a.count, err)
				}
				if got, _, err := session.try(byZone); err != nil || got != a.sum {
					t.Errorf("zone %s: %s, want %s; %v", a.zone, got, a.sum, err)
				}
			}
		})
	}
	group.Wait()
}

// BenchmarkBoundText is a small join from its text to its rows, with what is kept of
// its text and without.
func BenchmarkBoundText(b *testing.B) {
	s := benchSession(b, Config{Backend: Native})
	if _, _, err := s.try("CREATE TABLE e AS SELECT i % 100 AS a, i * 7 % 90 AS b FROM range(1000) r(i)"); err != nil {
		b.Fatal(err)
	}
	for _, kept := range []string{"on", "off"} {
		b.Run("plan_cache="+kept, func(b *testing.B) {
			if _, _, err := s.try("SET trireme.plan_cache = '" + kept + "'"); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, _, err := s.try(boundJoin); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
