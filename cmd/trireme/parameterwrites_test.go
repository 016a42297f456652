package main

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
)

// parameterWrites are statements that return no rows in every client, with the texts of their
// parameters, a question and its answer, or the SQLSTATE of the error.
var parameterWrites = []struct {
	sql         string
	values      []any
	check, want string
}{
	{"create table made as select id, v * $1 as v, $2 as s from pm where f < $3", []any{"1.115", "007", "2.5"}, "select v::text, s from made", "11.15000|007"},
	{"create table made as select id + $1 as id from pm", []any{"1.5"}, "", "!22P02"},
	{"create table made as with q as (select $1 as x) select x from q", []any{"1.50"}, "select x from made", "1.50"},
	{"create table made as values ($1, 2.5), ($2, 3)", []any{"x", "007"}, "select col0 from made order by 1", "007 / x"},
	{"insert into pm(id, v) select id + $1, v * $2 from pm where f < $3", []any{"5", "1.115", "2.5"}, "select v::text from pm where id = 7", "11.15"},
	{"insert into pm(id, v) select id + $1, v from pm", []any{"0.5"}, "", "!22P02"},
	{"insert into pk(id, v, f) values ($1, $2, $3) on conflict (id) do update set v = pk.v * $4, f = excluded.f + $5", []any{"1", "3", "0.5", "1.1", "0.25"}, "select v::text, f::numeric(20,6)::text from pk", "11.00|0.750000"},
	{"insert into pk(id, v) values ($1, $2) on conflict (id) do update set v = $3 where pk.f < $4", []any{"1", "3", "2.555", "2.5"}, "select v::text from pk", "2.56"},
	{"insert into pk(id, v) values ($1, $2) on conflict (id) do update set v = $3 where pk.f < $4", []any{"1", "3", "2.555", "1.5"}, "select v::text from pk", "10.00"},
	{"insert into pk(id, v) values ($1, $2) on conflict (id) do update set id = pk.id + $3", []any{"1", "3", "0.5"}, "", "!22P02"},
	{"insert into pk(id, v) values ($1, $2) on conflict (id) do nothing", []any{"1", "2.5"}, "select v::text from pk", "10.00"},
	{"merge into pk using pm on pm.id = pk.id + $1 when matched and pk.v > $2 then update set v = pk.v * $3 when not matched then insert (id, v) values ($4, pm.v * $5)", []any{"1", "9.999", "1.115", "8", "0.1"}, "select id::text, v::text from pk order by id", "1|11.15"},
	{"merge into pk using pm on pm.id = pk.id + $1 when matched and pk.v > $2 then update set v = pk.v * $3 when not matched then insert (id, v) values ($4, pm.v * $5)", []any{"5", "9.999", "1.115", "8", "0.115"}, "select id::text, v::text from pk order by id", "1|10.00 / 8|1.15"},
	{"merge into pk using pm on pm.id = pk.id + $1 when matched then delete", []any{"1"}, "select count(*)::text from pk", "0"},
	{"merge into pk using (select id - $1 as id, $2 as s from pm) q on q.id = pk.id when matched then update set s = q.s", []any{"1", "007"}, "select s from pk", "007"},
	{"merge into pk using pm on pm.id = pk.id + $1 when matched then update set id = $2", []any{"1", "2.5"}, "", "!22P02"},
	{"update pk set v = pk.v * $1, f = pm.f + $2 from pm where pm.id = pk.id + $3", []any{"1.115", "0.25", "1"}, "select v::text, f::numeric(20,6)::text from pk", "11.15|2.250000"},
	{"update pk set v = $1, s = $2, m = $3, d = $4, iv = $5, u = $6, bo = $7", []any{"2.555", "1.50", "sad", "2024-02-29", "1.5 days", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12", "f"}, "select v::text, s, m::text, d::text, iv::text, u::text, bo::text from pk", "2.56|1.50|sad|2024-02-29|1 day 12:00:00|a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12|false"},
	{"delete from pk using pm where pm.id = pk.id + $1 and pm.f * $2 > $3", []any{"1", "1.5", "2.9"}, "select count(*)::text from pk", "0"},
	{"delete from pk using pm where pm.id = pk.id + $1", []any{"1.5"}, "", "!22P02"},
}

// TestParameterWrites: what statements with parameters write, in every mode of pgx but the one in which
// the client writes the values, and on every backend.
func TestParameterWrites(t *testing.T) {
	ctx := context.Background()
	url := "postgres://trireme@" + startParameters(t).address + "/trireme"
	for _, backend := range []string{"auto", "native", "decomposed", "duckdb"} {
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(ctx)
		if _, err := conn.Exec(ctx, "SET trireme.backend = '"+backend+"'"); err != nil {
			t.Fatal(err)
		}
		for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec} {
			t.Run(fmt.Sprint(backend, " ", mode), func(t *testing.T) {
				for _, c := range parameterWrites {
					if got, err := writeCase(ctx, conn, mode, c.sql, c.values, c.check); got != c.want {
						t.Errorf("%s with %q\n\tgot  %s (%v)\n\twant %s", c.sql, c.values, got, err, c.want)
					}
				}
			})
		}
	}
}

// writeCase executes a statement and asks what there is, in a transaction that is rolled back.
func writeCase(ctx context.Context, conn *pgx.Conn, mode pgx.QueryExecMode, sql string, values []any, check string) (string, error) {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return "", err
	}
	defer tx.Rollback(ctx)
	if _, err := tx.Exec(ctx, sql, append([]any{mode}, values...)...); err != nil {
		return "!" + stateOf(err), err
	}
	if _, err := tx.Exec(ctx, "SET LOCAL trireme.backend = 'duckdb'"); err != nil {
		return "", err
	}
	found, err := tx.Query(ctx, check)
	if err != nil {
		return "", err
	}
	return spellRows(found)
}
