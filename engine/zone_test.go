package engine

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
)

// settingsOfRelease1 are settings that only release 1 of DuckDB has.
var settingsOfRelease1 = []string{
	"__delta_only_variant_encoding_enabled", "custom_profiling_settings", "debug_asof_iejoin",
	"debug_checkpoint_abort", "debug_checkpoint_sleep_ms", "debug_eviction_queue_sleep_micro_seconds",
	"debug_force_external", "debug_force_no_cross_product", "debug_physical_table_scan_execution_strategy",
	"debug_skip_checkpoint_on_commit", "debug_verify_blocks", "debug_verify_vector", "debug_window_mode",
	"deprecated_using_key_syntax", "enable_caching_operators", "enable_http_logging", "enable_object_cache",
	"extension_directory", "force_bitpacking_mode", "force_mbedtls_unsafe", "force_variant_shredding",
	"http_logging_output", "lambda_syntax", "old_implicit_casting", "produce_arrow_string_view",
	"profiling_mode", "vacuum_rebuild_indexes",
}

// settingsOfRelease2 are settings that only release 2 has.
var settingsOfRelease2 = []string{
	"active_grammar_extensions", "current_dialect", "default_transaction_invalidation_policy",
	"dialect_compatibility_mode", "error_on_division_by_zero", "json_geometry_format",
	"legacy_disable_null_type", "max_execution_time", "regex_match_operator_semantics", "show_behavior",
	"table_function_identifier_conversion", "allow_extension_repositories", "approximate_join_order_threshold",
	"async_threads", "cache_local_files", "checkpoint_on_detach", "delim_join_as_cte", "enable_optimizer",
	"extension_repository_directory", "external_file_cache_local_max_block_size",
	"external_file_cache_remote_max_block_size", "external_file_cache_remote_min_block_size",
	"external_file_cache_request_sizing", "external_file_cache_spill", "fsync_mode",
	"http_client_pool_capacity", "initial_column_segment_size", "max_streaming_buffer_size",
	"operator_memory_limit", "parquet_prefetch_column_gap", "profiling_renderer_settings", "read_ahead_depth",
	"redact_http_logs", "standard_vector_size", "tracked_metrics",
}

// Every setting of this DuckDB is in the table, and no other but those of the other release.
func TestEverySettingIsClassified(t *testing.T) {
	s := openSession(t, openEngine(t))
	now, _, err := readDuckSettings(context.Background(), s.conn)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if _, ok := settingEffects[name]; !ok {
			t.Errorf("%s = %q is not classified", name, now[name])
		}
	}
	gone := settingsOfRelease1 // and those of release 2 are not yet there
	if strings.HasPrefix(s.run("SELECT library_version FROM pragma_version()"), "v1.") {
		gone = settingsOfRelease2
	}
	for _, name := range slices.Sorted(maps.Keys(settingEffects)) {
		if _, ok := now[name]; ok == slices.Contains(gone, name) {
			t.Errorf("%s: a setting of this release: %v", name, ok)
		}
	}
	now["a_setting_of_an_extension"] = "x"
	if d := compareSettings(s.engine.baseline, now); d.meaning != "a_setting_of_an_extension" {
		t.Errorf("an unknown setting changes %+v", d)
	}
}

// zoneData is times with a zone, on both sides of midnight and of a change of the
// clock, beside what has nothing to do with them.
const zoneData = `CREATE TABLE ev (made TIMESTAMPTZ, d DATE, ts TIMESTAMP, s VARCHAR, k INTEGER, zoned TIMETZ);
INSERT INTO ev SELECT TIMESTAMPTZ '2024-03-30 12:00:00+00' + to_minutes(i * 37), DATE '2024-03-30' + (i % 3)::INTEGER,
  TIMESTAMP '2024-03-30 12:00:00' + to_minutes(i * 37), '2024-03-31 0' || (i % 4) || ':30:00', i % 5, '12:00:00+02' FROM range(100) r(i);
INSERT INTO ev (k) VALUES (1), (2);
CREATE TABLE dim (k INTEGER, name VARCHAR, d DATE);
INSERT INTO dim SELECT i, chr(97 + i::INTEGER), DATE '2024-03-30' + (i % 3)::INTEGER FROM range(5) r(i);
CREATE VIEW days AS SELECT made::DATE AS day, k FROM ev;
CREATE TABLE gen (k INTEGER, s VARCHAR, d DATE GENERATED ALWAYS AS (CAST(s AS TIMESTAMPTZ)::DATE));
INSERT INTO gen SELECT i % 5, '2024-03-30 ' || (10 + i % 14) || ':30:00+00' FROM range(50) r(i);`

// zoneQueries depend on the session's time zone.
var zoneQueries = []string{
	"SELECT date_trunc('day', ev.made) AS g, count(*), sum(dim.k) FROM ev JOIN dim ON ev.k = dim.k GROUP BY 1 ORDER BY 1",
	"SELECT ev.made::VARCHAR AS g, count(*) FROM ev JOIN dim ON ev.k = dim.k GROUP BY 1 ORDER BY 1",
	"SELECT ev.made::DATE AS g, dim.name, count(*) FROM ev JOIN dim ON ev.k = dim.k GROUP BY 1, 2 ORDER BY ALL",
	"SELECT dim.name, count(*) FROM ev JOIN dim ON ev.made::DATE = dim.d GROUP BY 1 ORDER BY 1",
	"SELECT dim.name, max(date_part('hour', ev.made)), min(ev.made::TIMESTAMP) FROM ev JOIN dim ON ev.k = dim.k GROUP BY 1 ORDER BY 1",
	"SELECT dim.name, count(*) FROM ev JOIN dim ON ev.k = dim.k WHERE ev.made >= DATE '2024-03-31' GROUP BY 1 ORDER BY 1",
	"SELECT dim.name, count(*) FROM ev JOIN dim ON ev.k = dim.k WHERE ev.ts::TIMESTAMPTZ < TIMESTAMPTZ '2024-03-31 00:00:00+00' GROUP BY 1 ORDER BY 1",
	"SELECT dim.name, min(CAST(ev.s AS TIMESTAMPTZ)) FROM ev JOIN dim ON ev.k = dim.k GROUP BY 1 ORDER BY 1",
	"SELECT dim.name, count(*) FILTER (WHERE ev.s::TIMESTAMPTZ < ev.made) FROM ev JOIN dim ON ev.k = dim.k GROUP BY 1 ORDER BY 1",
	"SELECT days.day, count(*) FROM days JOIN dim ON days.k = dim.k GROUP BY 1 ORDER BY 1",
	"SELECT gen.d, count(*) FROM gen JOIN dim ON gen.k = dim.k GROUP BY 1 ORDER BY 1",
	"SELECT day, n, sum(n) OVER (ORDER BY day) FROM (SELECT ev.made::DATE AS day, count(*) AS n FROM ev JOIN dim ON ev.k = dim.k GROUP BY 1) q ORDER BY 1",
	"SELECT min(n), max(day) FROM (SELECT ev.made::DATE AS day, count(*) AS n FROM ev JOIN dim ON ev.k = dim.k GROUP BY 1) q",
	"SELECT max(x), count(*) FROM (SELECT dim.name AS x FROM ev JOIN dim ON ev.made::DATE = dim.d GROUP BY 1 UNION SELECT max(made)::VARCHAR FROM ev) q",
	"SELECT q.l, count(*) FROM dim JOIN (SELECT k, string_agg(made::VARCHAR, ';' ORDER BY made) AS l FROM ev GROUP BY k) q ON q.k = dim.k GROUP BY q.l ORDER BY ALL",
	"SELECT dim.name, strftime(max(ev.made), '%Y-%m-%d %H %Z') FROM ev JOIN dim ON ev.k = dim.k GROUP BY 1 ORDER BY 1",
}

// timelessQuery does not.
const timelessQuery = "SELECT dim.name, max(ev.d), min(ev.ts), count(*) FROM ev JOIN dim ON ev.k = dim.k GROUP BY 1 ORDER BY 1"

var zones = []string{"UTC", "Asia/Tokyo", "America/New_York", "Europe/Berlin", "Pacific/Auckland", "Asia/Kolkata", "Etc/UTC"}

// zoneSessions are sessions of one engine in different time zones.
func zoneSessions(t *testing.T) (e *Engine, sessions []testSession) {
	t.Helper()
	e = openEngine(t)
	first := openSession(t, e)
	for _, sql := range strings.Split(zoneData, ";\n") {
		first.run(sql)
	}
	for _, zone := range zones {
		s := openSession(t, e)
		s.run("SET TimeZone = '" + zone + "'")
		sessions = append(sessions, s)
	}
	return e, sessions
}

// Sessions in different zones take turns; caches and pooled connections of one
// never serve another.
func TestZonesTakeTurns(t *testing.T) {
	_, sessions := zoneSessions(t)
	for _, sql := range append([]string{timelessQuery}, zoneQueries...) {
		want := make([]string, len(sessions))
		distinct := map[string]bool{}
		for i, s := range sessions {
			s.run("SET trireme.backend = 'duckdb'")
			want[i] = s.run(sql)
			distinct[want[i]] = true
		}
		if len(distinct) < 2 != (sql == timelessQuery) {
			t.Errorf("%s: %d answers in %d zones", sql, len(distinct), len(zones))
		}
		for _, backend := range []string{"native", "decomposed", "native", "auto"} {
			for i, s := range sessions {
				s.run("SET trireme.backend = '" + backend + "'")
				got := s.run(sql)
				if got != want[i] {
					t.Errorf("%s, %s, %s: %s, want %s", zones[i], backend, sql, got, want[i])
				}
				if by := s.LastBackend(); backend != "auto" && by != backend || by == "duckdb" {
					t.Errorf("%s, %s, %s: answered by %s", zones[i], backend, sql, by)
				}
			}
		}
	}
}

// A statement that has nothing to do with zones has one tensor for all.
func TestTimelessStatementsShareTensors(t *testing.T) {
	e, sessions := zoneSessions(t)
	kept := func() int64 { return e.tensor.(*route).tensors.Bytes() }
	sessions[0].run(timelessQuery)
	before := kept()
	for _, s := range sessions[1:] {
		s.run(timelessQuery)
		if by := s.LastBackend(); by != "native" {
			t.Errorf("answered by %s", by)
		}
	}
	if now := kept(); now != before {
		t.Errorf("%d bytes of tensors after all zones, %d after one", now, before)
	}
	sessions[0].run(zoneQueries[0])
	before = kept()
	sessions[1].run(zoneQueries[0])
	if now := kept(); now <= before {
		t.Errorf("no tensor of its own for another zone: %d bytes, %d before", now, before)
	}
}

// The zone follows SET, SET LOCAL, RESET, rollbacks and DISCARD, for prepared
// statements too; parameters are read in it.
func TestZoneOfPreparedStatement(t *testing.T) {
	_, sessions := zoneSessions(t)
	s, duck := sessions[0], sessions[1]
	duck.run("SET trireme.backend = 'duckdb'")
	s.run("SET trireme.backend = 'native'")
	const sql = "SELECT date_trunc('day', ev.made) AS g, count(*) FROM ev JOIN dim ON ev.k = dim.k WHERE ev.made > $1::TIMESTAMPTZ GROUP BY 1 ORDER BY 1"
	p, err := s.Prepare(context.Background(), sql, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	answer := func(zone string) {
		t.Helper()
		for _, since := range []string{"2024-03-31 01:30:00", "2024-03-31 01:30:00+03"} {
			res, err := p.Execute(context.Background(), []Arg{{Text: since}})
			if err != nil {
				t.Fatal(err)
			}
			got, err := readAll(res)
			if err != nil {
				t.Fatal(err)
			}
			duck.run("SET TimeZone = '" + zone + "'")
			if want := duck.run(sql, since); got != want {
				t.Errorf("%s: %s, want %s", zone, got, want)
			}
		}
		if by := s.LastBackend(); by != "native" {
			t.Errorf("%s: answered by %s", zone, by)
		}
		s.want("SHOW TimeZone", zone)
	}
	answer("UTC")
	s.run("SET TimeZone = 'Asia/Tokyo'")
	answer("Asia/Tokyo")
	s.run("BEGIN")
	s.run("SET LOCAL TimeZone = 'America/New_York'")
	answer("America/New_York")
	s.run("COMMIT")
	answer("Asia/Tokyo")
	s.run("BEGIN")
	s.run("SET TimeZone = 'Europe/Berlin'")
	answer("Europe/Berlin")
	s.run("ROLLBACK")
	answer("Asia/Tokyo")
	s.run("RESET TimeZone")
	answer(s.engine.baseline[zoneSetting])
	s.run("PRAGMA TimeZone = 'Asia/Kolkata'")
	answer("Asia/Kolkata")
	s.run("RESET ALL")
	s.run("SET trireme.backend = 'native'")
	answer(s.engine.baseline[zoneSetting])
}

// RESET and DISCARD return to what the client said when it connected.
func TestStartOfSessionIsItsDefault(t *testing.T) {
	e, _ := zoneSessions(t)
	raw, err := e.NewSession(context.Background(), SessionOptions{Options: map[string]string{
		"TimeZone": "Asia/Tokyo", "DateStyle": "ISO, DMY", "application_name": "a", "options": "-c my.own=x",
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	s := testSession{raw, t}
	want := s.run(zoneQueries[0])
	for _, again := range []string{"RESET ALL", "RESET TimeZone", "DISCARD ALL"} {
		s.run("SET TimeZone = 'America/New_York'")
		if got := s.run(zoneQueries[0]); got == want {
			t.Error("the zone changes nothing")
		}
		s.run(again)
		s.want("SHOW TimeZone", "Asia/Tokyo")
		s.want("SELECT current_setting('TimeZone')", "Asia/Tokyo")
		s.want(zoneQueries[0], want)
		s.want("SHOW DateStyle", "ISO, DMY")
		s.want("SHOW my.own", "x")
	}
}

// A global zone is that of sessions that set none, new ones too, and of no session
// that does.
func TestGlobalZone(t *testing.T) {
	e, sessions := zoneSessions(t)
	base, other := sessions[len(zones)-1], openSession(t, e)
	sql := zoneQueries[0]
	baseline, tokyo := base.run(sql), sessions[1].run(sql)
	sessions[0].run("SET GLOBAL TimeZone = 'Asia/Tokyo'")
	for _, backend := range []string{"duckdb", "native", "decomposed"} {
		fresh := openSession(t, e)
		for _, c := range []struct {
			s    testSession
			want string
		}{{base, baseline}, {other, tokyo}, {fresh, tokyo}, {sessions[1], tokyo}} {
			c.s.run("SET trireme.backend = '" + backend + "'")
			c.s.want(sql, c.want)
		}
		fresh.want("SHOW TimeZone", "Asia/Tokyo")
	}
}

// Settings that change nothing in answers leave statements on tensors; others are
// named in the reason.
func TestSettingsByEffect(t *testing.T) {
	_, sessions := zoneSessions(t)
	s := sessions[1]
	for _, set := range []string{
		"SET threads = 1", "SET memory_limit = '700MB'", "SET extra_float_digits = 3", "SET application_name = 'bi'",
		"SET DateStyle = 'ISO, DMY'", "SET client_encoding = 'UTF8'", "SET statement_timeout = '10min'",
		"SET preserve_insertion_order = false", "SET search_path = 'main'", "SET search_path = \"$user\", public",
		"SET perfect_ht_threshold = 3", "SET enable_caching_operators = false",
		"CREATE SCHEMA other", "SET search_path = other, public",
	} {
		s.run(set)
		s.run(timelessQuery)
		if by := s.LastBackend(); by != "native" {
			t.Errorf("%s: answered by %s", set, by)
		}
	}
	s.run("RESET search_path")
	for set, name := range map[string]string{
		"SET integer_division = true":         "integer_division",
		"SET ieee_floating_point_ops = false": "ieee_floating_point_ops", "SET old_implicit_casting = true": "old_implicit_casting",
		"SET scalar_subquery_error_on_multiple_rows = false": "scalar_subquery_error_on_multiple_rows",
		"SET default_collation = 'nocase'":                   "default_collation", "SET Calendar = 'japanese'": "Calendar",
	} {
		s.run(set)
		s.run(timelessQuery)
		if by := s.LastBackend(); by != "duckdb" {
			t.Errorf("%s: answered by %s", set, by)
		}
		if text := s.run("EXPLAIN " + timelessQuery); !strings.Contains(text, "differ from the default") && !strings.Contains(text, "differs from the default") || !strings.Contains(text, name) {
			t.Errorf("%s: reason in %s", set, text)
		}
		s.run("SET trireme.backend = 'native'")
		if e := s.wantError(timelessQuery, "0A000"); !strings.Contains(e.Message, name) {
			t.Errorf("%s: refused: %s", set, e.Message)
		}
		s.run("SET trireme.backend = 'auto'")
		s.run("RESET " + name)
	}
	s.run(timelessQuery)
	if by := s.LastBackend(); by != "native" {
		t.Errorf("after RESET: answered by %s: %+v", by, s.own.difference)
	}
}

// An order of NULLs that is not the default concerns what is ordered only.
func TestOrderOfNulls(t *testing.T) {
	e, sessions := zoneSessions(t)
	s, other := sessions[0], sessions[1]
	for _, set := range []string{"default_null_order = 'nulls_first'", "default_order = 'desc'"} {
		name, _, _ := strings.Cut(set, " ")
		s.run("SET " + set)
		for _, one := range []testSession{s, other, openSession(t, e)} {
			for _, sql := range []string{zoneQueries[0], "SELECT * FROM (" + zoneQueries[0] + " LIMIT 2) q JOIN dim ON true ORDER BY dim.k, q.g"} {
				one.run("SET trireme.backend = 'duckdb'")
				want := one.run(sql)
				for _, backend := range []string{"native", "auto"} {
					one.run("SET trireme.backend = '" + backend + "'")
					one.want(sql, want)
				}
			}
		}
		s.run("RESET " + name)
	}
	s.run(zoneQueries[0])
	if by := s.LastBackend(); by != "native" {
		t.Errorf("after RESET: answered by %s", by)
	}
}

// What a session says of a setting does not hold for the engine's connections,
// which have the global value.
func TestGlobalMeaningAgainstOwn(t *testing.T) {
	_, sessions := zoneSessions(t)
	a, b := sessions[0], sessions[1]
	const sql = "SELECT dim.k, sum(ev.k // 2 + ev.k / 2) FROM ev JOIN dim ON ev.k = dim.k GROUP BY 1 ORDER BY 1"
	want := a.run(sql)
	a.run("SET integer_division = false")
	b.run("SET GLOBAL integer_division = true")
	a.want(sql, want)
	if by := a.LastBackend(); by != "duckdb" {
		t.Errorf("answered by %s", by)
	}
	b.run("RESET GLOBAL integer_division")
	a.want(sql, want)
	if by := a.LastBackend(); by != "native" {
		t.Errorf("answered by %s after RESET GLOBAL", by)
	}
}

// The time of the transaction is a value of statements on tensors, the one that DuckDB
// has in the same transaction and zone. Other functions of the clock are DuckDB's, also
// those that it calls CONSISTENT, and all of them in a block beside which DuckDB's rest
// would read another clock.
func TestFunctionsOfTheClock(t *testing.T) {
	_, sessions := zoneSessions(t)
	join := func(x string) string { return "SELECT max(" + x + ") FROM ev JOIN dim ON ev.k = dim.k" }
	block := func(x string) string {
		return "SELECT max(q.x) FROM dim JOIN (SELECT k, " + x + " AS x, list(d) FROM ev GROUP BY ALL) q ON q.k = dim.k"
	}
	ofTransaction := []string{
		"ev.made - now()", "current_date - ev.d", "age(ev.ts)", "age(ev.made)", "current_localtimestamp() - ev.ts", "current_localtime() > ev.ts::TIME",
	}
	var refused []string
	for _, x := range ofTransaction {
		refused = append(refused, block(x))
	}
	for i, s := range sessions {
		s.run("SET trireme.backend = 'native'")
		for _, sql := range refused {
			s.wantError(sql, "0A000")
		}
		for _, x := range ofTransaction {
			s.run("BEGIN")
			s.run("SET trireme.backend = 'duckdb'")
			want := s.run(join(x))
			for _, backend := range []string{"native", "decomposed"} {
				s.run("SET trireme.backend = '" + backend + "'")
				s.want(join(x), want)
				if by := s.LastBackend(); by != backend {
					t.Errorf("%s, %s: answered by %s, backend %s", zones[i], x, by, backend)
				}
			}
			s.run("COMMIT")
		}
		s.run("SELECT max(age(ev.ts, TIMESTAMP '2024-01-01')) FROM ev JOIN dim ON ev.k = dim.k")
	}
}
