package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

func TestSetShowReset(t *testing.T) {
	for _, confined := range []bool{false, true} { // a server's sessions are
		t.Run(fmt.Sprintf("confined_%t", confined), func(t *testing.T) {
			setShowReset(openSession(t, openConfig(t, Config{Version: "test", Confined: confined})))
		})
	}
}

func setShowReset(s testSession) {
	for _, c := range []struct{ set, name, want string }{
		{"SET trireme.backend = 'DuckDB'", "trireme.backend", "duckdb"},
		{"SET SESSION trireme.registry TO off", "trireme.registry", "off"},
		{"SET trireme.threads = ' 3 '", "trireme.threads", "3"},
		{"SET trireme.estimator = 'Chain'", "trireme.estimator", "chain"},
		{"SET trireme.optimizer TO greedy", "trireme.optimizer", "greedy"},
		{"SET statement_timeout = 1500", "statement_timeout", "1500ms"},
		{"SET statement_timeout = '90s'", "statement_timeout", "90s"},
		{"SET statement_timeout TO '2min'", "statement_timeout", "2min"},
		{"SET statement_timeout TO DEFAULT", "statement_timeout", "0"},
		{"SET client_encoding TO 'utf-8'", "client_encoding", "UTF8"},
		{"SET NAMES 'UTF8'", "client_encoding", "UTF8"},
		{"SET application_name = 'it''s'", "application_name", "it's"},
		{"SET extra_float_digits = 3", "extra_float_digits", "3"},
		{"SET datestyle = 'ISO, DMY'", "DateStyle", "ISO, DMY"},
		{"SET intervalstyle = postgres", "IntervalStyle", "postgres"},
		{"SET standard_conforming_strings = on", "standard_conforming_strings", "on"},
		{"SET client_min_messages = warning", "client_min_messages", "warning"},
		{"SET bytea_output = 'hex'", "bytea_output", "hex"},
		{"SET TIME ZONE 'Europe/Berlin'", "TimeZone", "Europe/Berlin"},
		{"SET timezone = 'UTC'", "TimeZone", "UTC"},
		{"SET search_path = \"$user\", public", "search_path", "public"},
		{"SET my.variable = 'x'", "my.variable", "x"},
		{"SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED", "transaction_isolation", "repeatable read"},
		{"SET default_null_order = 'nulls_first'", "default_null_order", "NULLS_FIRST"}, // DuckDB's own
	} {
		s.wantTag(c.set, "SET")
		s.want("SHOW "+c.name, c.want)
	}
	s.want("SHOW server_version", "15.18 (Trireme test)")
	s.want("SHOW max_connections", "0")
	s.want("SHOW TRANSACTION ISOLATION LEVEL", "repeatable read")
	s.run("RESET default_null_order")
	s.run("RESET timezone")
	begins := s.run("SHOW TimeZone")
	s.run("SET TIME ZONE 'Asia/Tokyo'")
	s.wantTag("RESET TIME ZONE", "RESET")
	s.want("SHOW TimeZone", begins)
	s.wantTag("RESET ALL", "RESET")
	for name, want := range map[string]string{"trireme.backend": "auto", "trireme.registry": "on", "trireme.estimator": "best", "trireme.optimizer": "auto", "application_name": "", "extra_float_digits": "1"} {
		s.want("SHOW "+name, want)
	}
}

func TestSettingsThatAreRefused(t *testing.T) {
	s := openSession(t, openEngine(t))
	for sql, code := range map[string]string{
		"SET trireme.backend = 'fast'":        "22023",
		"SET trireme.estimator = 'oracle'":    "22023",
		"SET trireme.optimizer = 'lazy'":      "22023",
		"SET trireme.nothing = 1":             "42704",
		"SHOW trireme.nothing":                "42704",
		"SHOW wal_level":                      "42704",
		"SHOW \"no such\"":                    "42704",
		"SHOW main.nothing":                   "42P01",
		"RESET trireme.nothing":               "42704",
		"SET trireme.last_backend = 'x'":      "55P02",
		"SET server_version = '9'":            "55P02",
		"SET statement_timeout = 'soon'":      "22023",
		"SET statement_timeout = -1":          "22023",
		"SET client_encoding = 'LATIN1'":      "0A000",
		"SET datestyle = 'German'":            "0A000",
		"SET standard_conforming_strings=off": "0A000",
		"SET timezone = 'Nowhere/City'":       "22023",
		"DETACH trireme":                      "55006",
		"SET extra_float_digits = 99":         "22023",
		"SET extra_float_digits = -16":        "22023",
		"SET extra_float_digits = 'many'":     "22023",
		// Read by the planning of all sessions, unguarded.
		"SET disabled_optimizers = 'join_order'":        "55P02",
		"SET GLOBAL disabled_optimizers = 'join_order'": "55P02",
		"RESET disabled_optimizers":                     "55P02",
		"RESET GLOBAL disabled_optimizers":              "55P02",
		"PRAGMA disabled_optimizers = 'join_order'":     "55P02",
		"pragma\n disabled_optimizers='join_order'":     "55P02",
		// Drawn on the standard output of the process.
		"SET enable_progress_bar = true":        "55P02",
		"SET GLOBAL enable_progress_bar = true": "55P02",
		"PRAGMA enable_progress_bar":            "55P02",
	} {
		s.wantError(sql, code)
	}
	if _, err := s.engine.NewSession(context.Background(), SessionOptions{Options: map[string]string{"no_such": "1"}}); err == nil {
		t.Error("an unknown setting at the start of a session is accepted")
	}
}

func TestParametersAreToldOnceAndWhenChanged(t *testing.T) {
	s := openSession(t, openEngine(t))
	first := s.Parameters()
	for _, name := range []string{
		"server_version", "server_encoding", "client_encoding", "DateStyle", "TimeZone",
		"integer_datetimes", "standard_conforming_strings", "application_name",
	} {
		if _, ok := first[name]; !ok {
			t.Errorf("%s is not told", name)
		}
	}
	s.run("SET extra_float_digits = 2")
	if again := s.Parameters(); len(again) != 0 {
		t.Errorf("told again: %v", again)
	}
	s.run("SET application_name = 'a'")
	s.run("SET TIME ZONE 'Asia/Tokyo'")
	if got := s.Parameters(); !maps.Equal(got, map[string]string{"application_name": "a", "TimeZone": "Asia/Tokyo"}) {
		t.Errorf("told %v", got)
	}
}

func TestSettingsFollowTransactions(t *testing.T) {
	s := openSession(t, openEngine(t))
	zone := s.run("SHOW timezone")
	s.run("SET application_name = 'before'")
	s.run("BEGIN")
	s.run("SET application_name = 'inside'")
	s.run("SET timezone = 'Asia/Tokyo'")
	s.run("SET LOCAL statement_timeout = '1h'")
	s.want("SHOW statement_timeout", "1h")
	s.run("ROLLBACK")
	s.want("SHOW application_name", "before")
	s.want("SHOW timezone", zone)
	s.want("SELECT current_setting('TimeZone')", zone)
	s.want("SHOW statement_timeout", "0")
	s.run("BEGIN")
	s.run("SET application_name = 'inside'")
	s.run("SET LOCAL statement_timeout = '1h'")
	s.run("COMMIT")
	s.want("SHOW application_name", "inside")
	s.want("SHOW statement_timeout", "0")
	s.run("SET LOCAL statement_timeout = '1h'")
	s.want("SHOW statement_timeout", "0")
	if n := s.Notices(); !slices.Equal(n, []Notice{{"WARNING", "25P01", "SET LOCAL can only be used in transaction blocks"}}) {
		t.Errorf("notices %q", n)
	}
}

func TestStartOptions(t *testing.T) {
	e := openEngine(t)
	raw, err := e.NewSession(context.Background(), SessionOptions{User: "u", Options: map[string]string{
		"application_name": "psql", "DateStyle": "ISO", "options": `-c trireme.backend=duckdb --statement-timeout=7s -cmy.a=x\ y`,
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	s := testSession{raw, t}
	s.want("SHOW trireme.backend", "duckdb")
	s.want("SHOW statement_timeout", "7s")
	s.want("SHOW my.a", "x y")
	s.want("SHOW application_name", "psql")
}

func TestSearchPathAndPrivateBinding(t *testing.T) {
	e := openEngine(t)
	s := openSession(t, e)
	s.run("CREATE SCHEMA s2")
	s.run("CREATE TABLE s2.t (x INTEGER)")
	s.run("CREATE TABLE t (y VARCHAR)")
	if s.isPrivate() {
		t.Error("private without reason")
	}
	table := func(parts ...string) string {
		t.Helper()
		found, ok, err := s.catalogView().Table(context.Background(), parts)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return "none"
		}
		return found.Name.Schema + "." + found.Name.Name + "." + found.Columns[0].Name
	}
	check := func(want string, parts ...string) {
		t.Helper()
		if got := table(parts...); got != want {
			t.Errorf("%v: %s, want %s", parts, got, want)
		}
	}
	check("main.t.y", "T")
	check("s2.t.x", "S2", "t")
	check("main.t.y", "trireme", "t")
	check("s2.t.x", "trireme", "s2", "t")
	check("none", "nothing")
	s.run("SET search_path TO s2, public")
	s.want("SHOW search_path", "s2, public")
	if !s.isPrivate() {
		t.Error("a session with another search path shares bindings")
	}
	check("s2.t.x", "t")
	snap, _ := e.catalog.Versions.Snapshot([]load.Table{{Catalog: "trireme", Schema: "s2", Name: "t"}}, 0)
	s.run("INSERT INTO t VALUES (1)")
	if e.catalog.Versions.Unchanged(snap) {
		t.Error("a write through the search path did not move s2.t")
	}
	s.run("USE main")
	s.want("SELECT count(*) FROM t", "0")
	check("main.t.y", "t")
	s.run("RESET search_path")
	if s.isPrivate() {
		t.Errorf("still private: %+v", s.own.difference)
	}
	// Uncommitted DDL is bound privately, and others do not see it.
	other := openSession(t, e)
	s.run("BEGIN")
	s.run("ALTER TABLE t ADD COLUMN z INTEGER")
	s.want("SELECT count(z) FROM t", "0")
	if found, _, err := other.catalogView().Table(context.Background(), []string{"t"}); err != nil || len(found.Columns) != 1 {
		t.Errorf("another session sees %v, %v", found, err)
	}
	s.run("COMMIT")
	if found, _, err := other.catalogView().Table(context.Background(), []string{"t"}); err != nil || len(found.Columns) != 2 {
		t.Errorf("after commit another session sees %v, %v", found, err)
	}
	s.run("CREATE TEMP TABLE t (w INTEGER)")
	check("main.t.w", "t") // the session's own
	s.run("DISCARD ALL")
	check("main.t.y", "t")
}

func TestGlobalSettingOfAnotherSession(t *testing.T) {
	e := openEngine(t)
	a, b := openSession(t, e), openSession(t, e)
	a.want("SELECT 7 / 2", "3.5")
	b.run("SET GLOBAL integer_division = true")
	a.want("SELECT 7 / 2", "3")
	if a.own.meaning != "integer_division" {
		t.Errorf("settings that differ: %q", a.own.meaning)
	}
	b.run("RESET GLOBAL integer_division")
	a.want("SELECT 7 / 2", "3.5")
	if d := a.own.difference; d != (difference{}) {
		t.Errorf("settings that differ: %+v", d)
	}
}

func TestTimeoutUnits(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "250": 250 * time.Millisecond, "5s": 5 * time.Second, " 1.5 s ": 1500 * time.Millisecond,
		"3min": 3 * time.Minute, "2h": 2 * time.Hour, "1d": 24 * time.Hour, "2000us": 2 * time.Millisecond, "7ms": 7 * time.Millisecond,
	} {
		if got, err := parseTimeout("x", text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "s", "1 fortnight", "-5", "1e300d", "NaN"} {
		if got, err := parseTimeout("x", text); err == nil {
			t.Errorf("%q: %v without error", text, got)
		}
	}
}

// Only what may have changed DuckDB's settings makes the sessions read them again.
func TestOwnSettingsDoNotConcernOthers(t *testing.T) {
	e := openEngine(t)
	s := openSession(t, e)
	for _, c := range []struct {
		sql   string
		moves bool
	}{
		{"SET trireme.backend = 'native'", false},
		{"SET statement_timeout = '5s'", false},
		{"SET my.own = 'x'", false},
		{"RESET trireme.backend", false},
		{"SET threads = 1", true},
		{"SET GLOBAL TimeZone = 'UTC'", true},
		{"RESET ALL", true},
	} {
		before := e.settingsEpoch.Load()
		s.run(c.sql)
		if moved := e.settingsEpoch.Load() != before; moved != c.moves {
			t.Errorf("%s: settings are read again: %v", c.sql, moved)
		}
	}
}

// TestVariablesAreBounded: what SET VARIABLE keeps is counted nowhere else.
func TestVariablesAreBounded(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("SET VARIABLE a = repeat('x', 9000000)")
	s.wantError("SET VARIABLE b = repeat('y', 9000000)", sqlerr.ProgramLimit)
	s.want("SELECT length(getvariable('a')), getvariable('b')", "9000000|NULL")
	s.run("SET VARIABLE a = [1, 2]")
	s.run("SET VARIABLE b = repeat('y', 9000000)")
	s.wantError("SET VARIABLE a = range(3000000)", sqlerr.ProgramLimit)
	s.run("SET VARIABLE a = range(1000)")
	s.wantError("SET VARIABLE d = list_resize([]::INTEGER[][], 200000, [])", sqlerr.ProgramLimit) // texts of less than 1 MB
	s.wantError("SET VARIABLE d = {'a': range(200000)}", sqlerr.ProgramLimit)
	s.run("BEGIN")
	s.wantError("SET VARIABLE c = repeat('y', 9000000)", sqlerr.ProgramLimit)
	s.run("ROLLBACK")
	s.run("RESET VARIABLE b")
	s.run("SET VARIABLE c = repeat('y', 9000000)")
}
