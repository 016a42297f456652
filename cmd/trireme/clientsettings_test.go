package main

import (
	"context"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// connectWith is connect with parameters in the startup message.
func connectWith(t *testing.T, address string, params map[string]string) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig("postgres://trireme@" + address + "/trireme?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(config.RuntimeParams, params)
	conn, err := pgx.ConnectConfig(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return conn
}

// What drivers and tools say when they connect leaves their joins on tensors, in
// the zone that they ask for.
func TestClientsThatSetTheirZone(t *testing.T) {
	ctx := context.Background()
	address := serve(t)
	setup := connect(t, address)
	for _, sql := range []string{
		"CREATE TABLE ev (made TIMESTAMPTZ, k INTEGER)",
		"INSERT INTO ev SELECT TIMESTAMPTZ '2024-03-30 12:00:00+00' + to_minutes(i * 37), i % 5 FROM range(100) r(i)",
		"CREATE TABLE dim (k INTEGER, name VARCHAR)",
		"INSERT INTO dim SELECT i, chr(97 + i::INTEGER) FROM range(5) r(i)",
	} {
		if _, err := setup.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	// Nothing in this has to do with zones.
	const plain = "SELECT count(*) FROM ev JOIN dim ON ev.k = dim.k"
	const zoned = "SELECT date_trunc('day', ev.made) AS g, count(*) AS n FROM ev JOIN dim ON ev.k = dim.k WHERE ev.made > $1 GROUP BY 1 ORDER BY 1"
	one := func(conn *pgx.Conn, want, sql string) {
		t.Helper()
		var got string
		if err := conn.QueryRow(ctx, sql).Scan(&got); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", sql, got, err, want)
		}
	}
	type day struct {
		G time.Time
		N int64
	}
	clients := map[string]*pgx.Conn{}
	for _, zone := range []string{"Asia/Tokyo", "America/New_York", "UTC"} {
		clients[zone] = connectWith(t, address, map[string]string{
			"TimeZone": zone, "DateStyle": "ISO, MDY", "extra_float_digits": "3", "client_encoding": "UTF8",
			"application_name": "a tool", "statement_timeout": "60000",
		})
	}
	for _, backend := range []string{"auto", "native", "decomposed"} {
		for zone, conn := range clients {
			location, err := time.LoadLocation(zone)
			if err != nil {
				t.Fatal(err)
			}
			answer := func(backend string) []day {
				t.Helper()
				if _, err := conn.Exec(ctx, "SET trireme.backend = '"+backend+"'"); err != nil {
					t.Fatal(err)
				}
				found, err := conn.Query(ctx, zoned, time.Date(2024, 3, 31, 1, 0, 0, 0, location))
				if err != nil {
					t.Fatal(err)
				}
				days, err := pgx.CollectRows(found, pgx.RowToStructByPos[day])
				if err != nil || len(days) < 2 {
					t.Fatalf("%d days, %v", len(days), err)
				}
				return days
			}
			answeredBy := func() {
				if backend != "auto" { // who that asks depends on how fast it is
					one(conn, backend, "SHOW trireme.last_backend")
				}
			}
			want := answer("duckdb")
			one(conn, zone, "SHOW TimeZone")
			got := answer(backend)
			answeredBy()
			for i := range max(len(got), len(want)) {
				if i >= len(got) || i >= len(want) || !got[i].G.Equal(want[i].G) || got[i].N != want[i].N {
					t.Errorf("%s, %s: %v, want %v", zone, backend, got, want)
					break
				}
				if h, m, s := got[i].G.In(location).Clock(); h+m+s != 0 {
					t.Errorf("%s: %v is no day of the zone", zone, got[i].G)
				}
			}
			one(conn, "100", plain)
			answeredBy()
		}
	}
}

// TestTextsOfInstants: the text of an instant is that of DuckDB's cast in the session's
// zone, in results and in COPY, whenever the zone was set. Of the seconds of mean solar
// time, long ago, DuckDB's text leaves out what Postgres' has.
func TestTextsOfInstants(t *testing.T) {
	ctx := context.Background()
	address := serve(t)
	run := func(conn *pgx.Conn, sql string) [][]byte {
		t.Helper()
		results, err := conn.PgConn().Exec(ctx, sql).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		var out [][]byte
		for _, r := range results {
			for _, row := range r.Rows {
				out = append(out, row...)
			}
		}
		return out
	}
	run(connect(t, address), "CREATE TABLE z AS SELECT TIMESTAMPTZ '1975-02-03 04:05:06.789+00' + to_days((i * 97)::INTEGER) + to_seconds(i * 4711) AS x FROM range(200) r(i)")
	for _, zone := range []string{"UTC", "Asia/Tokyo", "Asia/Kolkata", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Africa/Monrovia"} {
		conn := connectWith(t, address, map[string]string{"TimeZone": zone})
		if zone == "Europe/Berlin" {
			run(conn, "SET TimeZone = 'Asia/Tokyo'")
			run(conn, "BEGIN; SET LOCAL TimeZone = 'UTC'; COMMIT; SET TIME ZONE 'Europe/Berlin'")
		}
		cells := run(conn, "SELECT x, x::VARCHAR FROM z ORDER BY x")
		if len(cells) != 400 {
			t.Fatalf("%d cells", len(cells))
		}
		for i := 0; i < len(cells); i += 2 {
			if string(cells[i]) != string(cells[i+1]) {
				t.Errorf("%s: %s, DuckDB %s", zone, cells[i], cells[i+1])
				break
			}
		}
		var copied, want strings.Builder
		if _, err := conn.PgConn().CopyTo(ctx, &copied, "COPY (SELECT x FROM z ORDER BY x) TO STDOUT"); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.PgConn().CopyTo(ctx, &want, "COPY (SELECT x::VARCHAR FROM z ORDER BY x) TO STDOUT"); err != nil {
			t.Fatal(err)
		}
		if copied.String() != want.String() {
			t.Errorf("%s: COPY gives %.40q, of texts %.40q", zone, copied.String(), want.String())
		}
	}
}
