package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/lib/pq"
)

// goClients are the clients in Go, which run in the test itself.
func goClients() []clientRun {
	run := func(name, module string, steps func(ctx context.Context, at clientServer) goSteps) clientRun {
		return clientRun{
			name: name, steps: stepNames(), skips: map[string]string{}, absent: func() string { return "" },
			run: func(ctx context.Context, t *testing.T, at clientServer, report func(step, failure string)) string {
				take(steps(ctx, at), report)
				return moduleVersion(t, module)
			},
		}
	}
	return []clientRun{
		run("pgx", "github.com/jackc/pgx/v5", func(ctx context.Context, at clientServer) goSteps { return &pgxSteps{goClient: goClient{ctx, at}} }),
		run("database/sql with pgx", "github.com/jackc/pgx/v5", func(ctx context.Context, at clientServer) goSteps {
			return &sqlSteps{goClient: goClient{ctx, at}, driver: "pgx", copyIn: copyByPgx}
		}),
		run("database/sql with lib/pq", "github.com/lib/pq", func(ctx context.Context, at clientServer) goSteps {
			return &sqlSteps{goClient: goClient{ctx, at}, driver: "postgres", copyIn: copyByPQ}
		}),
	}
}

// moduleVersion is that of go.mod.
func moduleVersion(t *testing.T, module string) string {
	raw, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(raw), module+" v")
	if !found {
		t.Fatalf("no version of %s", module)
	}
	return strings.Fields(after)[0]
}

// goSteps are the steps of the table.
type goSteps interface {
	connect() error
	create() error
	load() error
	copy() error
	tensors() error
	prepared() error
	stream() error
	cancel() error
	errors() error
	metadata() error
	close() error
}

func take(s goSteps, report func(step, failure string)) {
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"connect", s.connect},
		{"create", s.create},
		{"load", s.load},
		{"copy", s.copy},
		{"tensors", s.tensors},
		{"prepared", s.prepared},
		{"stream", s.stream},
		{"cancel", s.cancel},
		{"errors", s.errors},
		{"metadata", s.metadata},
	} {
		failure := ""
		if err := step.do(); err != nil {
			failure = err.Error()
		}
		report(step.name, failure)
		if step.name == "connect" && failure != "" {
			return
		}
	}
	if err := s.close(); err != nil {
		report("connect", "closing: "+err.Error())
	}
}

// goClient is what they share.
type goClient struct {
	ctx context.Context
	at  clientServer
}

func (c goClient) url() string {
	return "postgres://trireme@" + c.at.address + "/trireme?sslmode=disable"
}

// in puts the schema for the mark in a text.
func (c goClient) in(sql string) string { return strings.ReplaceAll(sql, "@", c.at.schema) }

const (
	goTables = "CREATE SCHEMA @; CREATE TABLE @.item (id INTEGER PRIMARY KEY, kind VARCHAR NOT NULL, price INTEGER); " +
		"CREATE TABLE @.sale (shop VARCHAR, item INTEGER, qty INTEGER); CREATE TABLE @.copied (n INTEGER, word VARCHAR, raw BLOB, moment TIMESTAMPTZ)"
	goJoin    = "SELECT s.shop, sum(s.qty * i.price) AS total FROM @.sale s JOIN @.item i ON s.item = i.id GROUP BY s.shop ORDER BY s.shop"
	goRows    = 1_000_000
	goLarge   = "SELECT i, 'row ' || i AS name FROM range(1000000) r(i)"
	goEndless = "SELECT count(*) FROM range(10000000) a(x), range(10000000) b(y) WHERE x * y % 7 = 3"
	goSales   = 300
)

var goItems = [][]any{{1, "oar", 4}, {2, "sail", 90}, {3, "ram", 700}}

func goSale(i int) []any {
	shop, qty := any(fmt.Sprintf("shop %d", i%7)), any(i)
	if i%11 == 0 {
		shop = nil
	}
	if i%5 == 0 {
		qty = nil
	}
	return []any{shop, i % 4, qty}
}

// goTotals are what goJoin answers.
func goTotals() string {
	totals := map[string]int64{}
	for i := range goSales {
		s := goSale(i)
		name, item := "~", s[1].(int)
		if s[0] != nil {
			name = s[0].(string)
		}
		if item == 0 {
			continue
		}
		totals[name] += 0
		if s[2] != nil {
			totals[name] += int64(s[2].(int) * goItems[item-1][2].(int))
		}
	}
	names := make([]string, 0, len(totals))
	for name := range totals {
		names = append(names, name)
	}
	slices.Sort(names)
	var out strings.Builder
	for _, name := range names {
		fmt.Fprintf(&out, "%s=%d;", name, totals[name])
	}
	return out.String()
}

// everyByte has all bytes, backwards too.
var everyByte = func() []byte {
	var b []byte
	for i := range 512 {
		b = append(b, byte(i^(-(i >> 8))))
	}
	return b
}()

// goValues are values with the type that their parameter is cast to.
var goValues = []struct {
	value any
	cast  string
}{
	{true, "BOOLEAN"},
	{int64(-32768), "SMALLINT"},
	{int64(2147483647), "INTEGER"},
	{int64(-9223372036854775808), "BIGINT"},
	{0.1, "DOUBLE"},
	{"-12345.67", "DECIMAL(9,2)"},
	{"it's é \\ \"quoted\" {1,2}", "VARCHAR"},
	{`\x0041`, "VARCHAR"},
	{everyByte, "BLOB"},
	{everyByte[:1], "BLOB"},
	{[]byte("\x00A"), "BLOB"},
	{time.Date(2000, 2, 29, 0, 0, 0, 0, time.UTC), "DATE"},
	{time.Date(1999, 12, 31, 23, 59, 59, 123456000, time.UTC), "TIMESTAMP"},
	{time.Date(2024, 3, 31, 1, 2, 3, 4000, time.UTC), "TIMESTAMPTZ"},
	{"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "UUID"},
	{nil, "INTEGER"},
}

// sameValue compares what came back with what was sent.
func sameValue(got, want any) error {
	if g, ok := got.(time.Time); ok {
		got = g.UTC()
	}
	if g, ok := got.([]byte); ok {
		if w, text := want.(string); text {
			want = []byte(w)
		}
		if bytes.Equal(g, want.([]byte)) {
			return nil
		}
	}
	if fmt.Sprintf("%T %v", got, got) != fmt.Sprintf("%T %v", want, want) {
		return fmt.Errorf("got %T %v, want %T %v", got, got, want, want)
	}
	return nil
}

// hasCode requires an error with a SQLSTATE.
func hasCode(err error, code string) error {
	var a *pgconn.PgError
	var b *pq.Error
	switch {
	case errors.As(err, &a) && a.Code == code, errors.As(err, &b) && string(b.Code) == code:
		return nil
	}
	return fmt.Errorf("want %s: %w", code, err)
}

// totalsOf reads what goJoin answers.
func totalsOf(next func() bool, scan func(...any) error) (string, error) {
	var out strings.Builder
	for next() {
		var shop *string
		var total *int64
		if err := scan(&shop, &total); err != nil {
			return "", err
		}
		name, sum := "~", int64(0)
		if shop != nil {
			name = *shop
		}
		if total != nil {
			sum = *total
		}
		fmt.Fprintf(&out, "%s=%d;", name, sum)
	}
	return out.String(), nil
}

// readsLarge reads the rows of goLarge.
func readsLarge(next func() bool, scan func(...any) error) error {
	n := 0
	for ; next(); n++ {
		var i int
		var name string
		if err := scan(&i, &name); err != nil {
			return err
		}
		if i != n || name != fmt.Sprintf("row %d", n) {
			return fmt.Errorf("row %d is %d, %q", n, i, name)
		}
	}
	if n != goRows {
		return fmt.Errorf("%d rows", n)
	}
	return nil
}

// copied are the rows that go through COPY.
func copiedRow(i int) []any {
	word := any(fmt.Sprintf("word\t%d\n\\é,\"", i))
	if i%9 == 0 {
		word = nil
	}
	return []any{i, word, everyByte[:i%200], time.Date(2020, 1, 1, 0, 0, i, 0, time.UTC)}
}

const copiedRows = 1000

// pgxSteps are those of pgx itself.
type pgxSteps struct {
	goClient
	conn *pgx.Conn
}

var pgxModes = []pgx.QueryExecMode{
	pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
}

func (s *pgxSteps) connect() (err error) {
	if s.conn, err = pgx.Connect(s.ctx, s.url()); err != nil {
		return err
	}
	var n int
	if err := s.conn.QueryRow(s.ctx, "SELECT 40 + $1::INTEGER", 2).Scan(&n); err != nil || n != 42 {
		return fmt.Errorf("%d, %w", n, err)
	}
	return nil
}

func (s *pgxSteps) create() error {
	_, err := s.conn.Exec(s.ctx, s.in(goTables), pgx.QueryExecModeSimpleProtocol)
	return err
}

// load takes a batch, then a pipeline.
func (s *pgxSteps) load() error {
	batch := &pgx.Batch{}
	for _, item := range goItems {
		batch.Queue(s.in("INSERT INTO @.item VALUES ($1, $2, $3)"), item...)
	}
	batch.Queue(s.in("SELECT count(*) FROM @.item")).QueryRow(func(row pgx.Row) error {
		var n int
		if err := row.Scan(&n); err != nil || n != len(goItems) {
			return fmt.Errorf("%d items, %w", n, err)
		}
		return nil
	})
	if err := s.conn.SendBatch(s.ctx, batch).Close(); err != nil {
		return err
	}
	p := s.conn.PgConn().StartPipeline(s.ctx)
	for i := range goSales {
		values := make([][]byte, 3)
		for c, v := range goSale(i) {
			if v != nil {
				values[c] = fmt.Append(nil, v)
			}
		}
		p.SendQueryParams(s.in("INSERT INTO @.sale VALUES ($1, $2, $3)"), values, nil, nil, nil)
	}
	if err := p.Sync(); err != nil {
		return err
	}
	for range goSales {
		res, err := p.GetResults()
		if err != nil {
			return err
		}
		if got := res.(*pgconn.ResultReader).Read(); got.Err != nil || got.CommandTag.String() != "INSERT 0 1" {
			return fmt.Errorf("%s, %w", got.CommandTag, got.Err)
		}
	}
	return p.Close()
}

func (s *pgxSteps) copy() error {
	n, err := s.conn.CopyFrom(s.ctx, pgx.Identifier{s.at.schema, "copied"}, []string{"n", "word", "raw", "moment"},
		pgx.CopyFromSlice(copiedRows, func(i int) ([]any, error) { return copiedRow(i), nil }))
	if err != nil || n != copiedRows {
		return fmt.Errorf("%d rows, %w", n, err)
	}
	rows, err := s.conn.Query(s.ctx, s.in("SELECT * FROM @.copied ORDER BY n"))
	if err != nil {
		return err
	}
	for i := 0; rows.Next(); i++ {
		got, err := rows.Values()
		if err != nil {
			return err
		}
		for c, want := range copiedRow(i) {
			if c > 0 && got[c] != nil {
				err = sameValue(got[c], want)
			}
			if err != nil || (got[c] == nil) != (want == nil) {
				return fmt.Errorf("row %d: %v, %w", i, got, err)
			}
		}
	}
	if rows.Err() != nil {
		return rows.Err()
	}
	var out bytes.Buffer
	tag, err := s.conn.PgConn().CopyTo(s.ctx, &out, s.in("COPY (SELECT n FROM @.copied ORDER BY n) TO STDOUT"))
	if err != nil || tag.RowsAffected() != copiedRows || !strings.HasPrefix(out.String(), "0\n1\n2\n") {
		return fmt.Errorf("%s, %.20q, %w", tag, out.String(), err)
	}
	return nil
}

func (s *pgxSteps) tensors() error {
	for _, backend := range []string{"native", "duckdb"} {
		if _, err := s.conn.Exec(s.ctx, "SET trireme.backend = '"+backend+"'"); err != nil {
			return err
		}
		for _, mode := range pgxModes {
			rows, err := s.conn.Query(s.ctx, s.in(goJoin), mode)
			if err != nil {
				return err
			}
			got, err := totalsOf(rows.Next, rows.Scan)
			if err := errors.Join(err, rows.Err()); err != nil || got != goTotals() {
				return fmt.Errorf("%s in %v: %s, %w", backend, mode, got, err)
			}
			var by string
			if err := s.conn.QueryRow(s.ctx, "SHOW trireme.last_backend").Scan(&by); err != nil || by != backend {
				return fmt.Errorf("answered by %s, %w", by, err)
			}
		}
	}
	_, err := s.conn.Exec(s.ctx, "RESET trireme.backend")
	return err
}

// prepared takes parameters in every mode: the simple protocol writes them into the
// text of the statement.
func (s *pgxSteps) prepared() error {
	for _, mode := range pgxModes {
		for _, v := range goValues {
			if mode == pgx.QueryExecModeSimpleProtocol && v.cast == "BLOB" {
				continue // a cast by the name of DuckDB's type means DuckDB's text; columns and bytea are below
			}
			var null bool
			got := any(nil)
			sql := fmt.Sprintf("SELECT CAST($1 AS %s), $2::INTEGER IS NULL", v.cast)
			if v.cast == "UUID" || strings.HasPrefix(v.cast, "DECIMAL") {
				sql = fmt.Sprintf("SELECT CAST(CAST($1 AS %s) AS VARCHAR), $2::INTEGER IS NULL", v.cast)
			}
			if err := s.conn.QueryRow(s.ctx, sql, mode, v.value, nil).Scan(&got, &null); err != nil {
				return fmt.Errorf("%v, %s: %w", mode, v.cast, err)
			}
			if n, ok := asInt64(got); ok {
				got = n
			}
			if err := sameValue(got, v.value); err != nil || !null {
				return fmt.Errorf("%v, %s: %w", mode, v.cast, err)
			}
		}
		if err := s.bytesAndLists(mode); err != nil {
			return fmt.Errorf("%v: %w", mode, err)
		}
	}
	return nil
}

// asInt64 widens an integer.
func asInt64(v any) (int64, bool) {
	switch n := v.(type) {
	case int16:
		return int64(n), true
	case int32:
		return int64(n), true
	}
	return 0, false
}

// bytesAndLists stores every byte and finds it again, and lists.
func (s *pgxSteps) bytesAndLists(mode pgx.QueryExecMode) error {
	if _, err := s.conn.Exec(s.ctx, "CREATE OR REPLACE TEMP TABLE kept (n INTEGER, b BLOB, l INTEGER[], w VARCHAR[])", mode); err != nil {
		return err
	}
	for n := range 256 {
		raw := everyByte[n : n+1]
		if n == 0 {
			raw = everyByte
		}
		ints, words := []int32{1, int32(n)}, []string{"a b", "c,\"d\\", "NULL", "it's"}
		if _, err := s.conn.Exec(s.ctx, "INSERT INTO kept VALUES ($1, $2, $3, $4)", mode, n, raw, ints, words); err != nil {
			return err
		}
		var got, cast []byte
		var list []int32
		var texts []string
		err := s.conn.QueryRow(s.ctx, "SELECT b, l, w, $1::bytea FROM kept WHERE b = $1 AND n = ANY($2) AND l = $3", mode, raw, ints, ints).Scan(&got, &list, &texts, &cast)
		if err != nil || !bytes.Equal(got, raw) || !bytes.Equal(cast, raw) || !slices.Equal(list, ints) || !slices.Equal(texts, words) {
			return fmt.Errorf("%d: %x, %v, %q, %w", n, got, list, texts, err)
		}
	}
	return nil
}

func (s *pgxSteps) stream() error {
	rows, err := s.conn.Query(s.ctx, goLarge)
	if err != nil {
		return err
	}
	return errors.Join(readsLarge(rows.Next, rows.Scan), rows.Err())
}

func (s *pgxSteps) cancel() error {
	timer := time.AfterFunc(300*time.Millisecond, func() { _ = s.conn.PgConn().CancelRequest(s.ctx) })
	defer timer.Stop()
	_, err := s.conn.Exec(s.ctx, goEndless)
	if err := hasCode(err, "57014"); err != nil {
		return err
	}
	if _, err := s.conn.Exec(s.ctx, "SET statement_timeout = 200"); err != nil {
		return err
	}
	_, err = s.conn.Exec(s.ctx, goEndless)
	if err := hasCode(err, "57014"); err != nil {
		return err
	}
	_, err = s.conn.Exec(s.ctx, "RESET statement_timeout")
	return err
}

func (s *pgxSteps) errors() error {
	for sql, code := range map[string]string{
		"SELEC 1": "42601", "SELECT * FROM absent": "42P01", s.in("INSERT INTO @.item VALUES (1, 'oar', 1)"): "23505",
	} {
		for _, mode := range pgxModes {
			_, err := s.conn.Exec(s.ctx, sql, mode)
			if err := hasCode(err, code); err != nil {
				return fmt.Errorf("%s in %v: %w", sql, mode, err)
			}
		}
	}
	tx, err := s.conn.Begin(s.ctx)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(s.ctx, s.in("INSERT INTO @.item VALUES (7, 'keel', 1)")); err != nil {
		return err
	}
	_, err = tx.Exec(s.ctx, s.in("INSERT INTO @.item VALUES (1, 'oar', 1)"))
	failed := hasCode(err, "23505")
	_, err = tx.Exec(s.ctx, "SELECT 1")
	if err := errors.Join(failed, hasCode(err, "25P02"), tx.Rollback(s.ctx)); err != nil {
		return err
	}
	var n int
	if err := s.conn.QueryRow(s.ctx, s.in("SELECT count(*) FROM @.item")).Scan(&n); err != nil || n != len(goItems) {
		return fmt.Errorf("%d items, %w", n, err)
	}
	for _, mode := range pgxModes {
		if err := s.nested(mode); err != nil {
			return fmt.Errorf("nested transactions in %v: %w", mode, err)
		}
	}
	return nil
}

// nested leaves and fails transactions within another, which goes on.
func (s *pgxSteps) nested(mode pgx.QueryExecMode) error {
	tx, err := s.conn.Begin(s.ctx)
	if err != nil {
		return err
	}
	insert := s.in("INSERT INTO @.item VALUES ($1, 'keel', 1)")
	_, err = tx.Exec(s.ctx, insert, mode, 7)
	err = errors.Join(err, pgx.BeginFunc(s.ctx, tx, func(inner pgx.Tx) error {
		_, err := inner.Exec(s.ctx, insert, mode, 8)
		return err
	}))
	failed := pgx.BeginFunc(s.ctx, tx, func(inner pgx.Tx) error {
		if _, err := inner.Exec(s.ctx, s.in("DELETE FROM @.item WHERE id < $1"), mode, 3); err != nil {
			return err
		}
		_, err := inner.Exec(s.ctx, insert, mode, 7)
		return err
	})
	var ids []int32
	if err = errors.Join(err, hasCode(failed, "23505")); err == nil {
		err = tx.QueryRow(s.ctx, s.in("SELECT array_agg(id ORDER BY id) FROM @.item"), mode).Scan(&ids)
	}
	if got := fmt.Sprint(ids); err == nil && got != "[1 2 3 7 8]" {
		err = fmt.Errorf("items %s", got)
	}
	return errors.Join(err, tx.Rollback(s.ctx))
}

func (s *pgxSteps) metadata() error {
	d, err := s.conn.Prepare(s.ctx, "described", s.in("SELECT id, kind, 1::DECIMAL(9,2) AS d FROM @.item WHERE id = $1"))
	if err != nil {
		return err
	}
	got := fmt.Sprint(d.ParamOIDs)
	for _, f := range d.Fields {
		got += fmt.Sprintf(" %s %d %d", f.Name, f.DataTypeOID, f.TypeModifier)
	}
	if want := "[23] id 23 -1 kind 25 -1 d 1700 589830"; got != want {
		return fmt.Errorf("%s, want %s", got, want)
	}
	rows, err := s.conn.Query(s.ctx, "SELECT column_name FROM information_schema.columns WHERE table_schema = $1 AND table_name = 'item' ORDER BY ordinal_position", s.at.schema)
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || !slices.Equal(names, []string{"id", "kind", "price"}) {
		return fmt.Errorf("%v, %w", names, err)
	}
	return nil
}

func (s *pgxSteps) close() error { return s.conn.Close(s.ctx) }
