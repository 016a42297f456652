package main

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/lib/pq"

	_ "github.com/trireme-db/trireme/engine/driver"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

const parameterFolder = "../../testdata/parameters"

// parameterCase is a line of the matrix: a statement whose parameters' types the client
// leaves to the server, and what PostgreSQL makes of it.
type parameterCase struct {
	sql    string
	values []any
	want   string
	inline string // where the client writes the values into the statement
}

func readParameterCases(t *testing.T) (cases []parameterCase) {
	t.Helper()
	text, err := os.ReadFile(parameterFolder + "/matrix.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(strings.NewReader(string(text))); lines.Scan(); {
		fields := strings.Split(lines.Text(), "\t")
		if len(fields) < 3 {
			continue
		}
		c := parameterCase{sql: fields[0], want: fields[2], inline: fields[len(fields)-1]}
		for v := range strings.SplitSeq(fields[1], " | ") {
			c.values = append(c.values, v)
		}
		cases = append(cases, c)
	}
	return cases
}

// errNotItsOwn says that a forced backend has refused a statement, with a reason.
var errNotItsOwn = errors.New("not a statement of the backend's")

// parametersTaken is how many percent of the cases a backend answers at least.
var parametersTaken = map[string]int{"duckdb": 100, "native": 30, "decomposed": 30}

// runCase runs a case in a transaction that is rolled back, and spells what comes out.
type runCase func(sql string, values []any) (string, error)

// postgresForm are the cases of which a value is written as only Postgres does, so that
// drivers that take Go's values do not take it.
var postgresForm = regexp.MustCompile(`^(\{.*|\\x.*|off|on|P[0-9].*)$`)

func checkParameters(t *testing.T, inline, goValues bool, run runCase) {
	t.Helper()
	for _, c := range readParameterCases(t) {
		if goValues && slices.ContainsFunc(c.values, func(v any) bool { return postgresForm.MatchString(v.(string)) }) {
			continue
		}
		want := c.want
		if inline {
			want = c.inline
		}
		got, err := run(c.sql, c.values)
		if errors.Is(err, errNotItsOwn) {
			continue
		}
		if err != nil {
			got = "!" + stateOf(err)
		}
		if got != want && !(strings.HasPrefix(c.sql, "explain") && err == nil) {
			t.Errorf("%s with %q\n\tgot  %s (%v)\n\twant %s", c.sql, c.values, got, err, want)
		}
	}
}

// stateOf is the SQLSTATE of an error of any of the clients.
func stateOf(err error) string {
	var fromPgx *pgconn.PgError
	var fromPq *pq.Error
	var own *sqlerr.Error
	switch {
	case errors.As(err, &fromPgx):
		return fromPgx.Code
	case errors.As(err, &fromPq):
		return string(fromPq.Code)
	case errors.As(err, &own):
		return own.Code
	}
	return err.Error()
}

func readSchema(t *testing.T) string {
	t.Helper()
	schema, err := os.ReadFile(parameterFolder + "/schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	return string(schema)
}

// startParameters starts a server with the tables of the matrix.
func startParameters(t *testing.T) *server {
	t.Helper()
	ctx, server := context.Background(), startServer(t)
	conn, err := pgx.Connect(ctx, "postgres://trireme@"+server.address+"/trireme")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, readSchema(t)); err != nil {
		t.Fatal(err)
	}
	return server
}

// TestParameterMatrix takes every way of Go's clients through the matrix.
func TestParameterMatrix(t *testing.T) {
	ctx := context.Background()
	url := "postgres://trireme@" + startParameters(t).address + "/trireme"
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	for _, mode := range []pgx.QueryExecMode{
		pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
	} {
		t.Run("pgx "+mode.String(), func(t *testing.T) {
			checkParameters(t, mode == pgx.QueryExecModeSimpleProtocol, false, func(sql string, values []any) (string, error) {
				return pgxCase(ctx, conn, mode, sql, values)
			})
		})
	}
	for _, backend := range []string{"duckdb", "native", "decomposed"} {
		t.Run("backend "+backend, func(t *testing.T) {
			conn, err := pgx.Connect(ctx, url) // with no statements of another backend
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close(ctx)
			if _, err := conn.Exec(ctx, "SET trireme.backend = '"+backend+"'"); err != nil {
				t.Fatal(err)
			}
			refused := map[string]int{}
			checkParameters(t, false, false, func(sql string, values []any) (string, error) {
				out, err := pgxCase(ctx, conn, pgx.QueryExecModeCacheStatement, sql, values)
				var e *pgconn.PgError
				if errors.As(err, &e) && e.Code == sqlerr.FeatureNotSupported {
					if _, reason, refuses := strings.Cut(e.Message, "cannot answer this statement: "); refuses {
						refused[reason]++
						return "", errNotItsOwn
					}
				}
				return out, err
			})
			n := 0
			for _, reason := range slices.Sorted(maps.Keys(refused)) {
				n += refused[reason]
				t.Logf("%d statements are not %s's: %s", refused[reason], backend, reason)
			}
			if all := len(readParameterCases(t)); all-n < all*parametersTaken[backend]/100 {
				t.Errorf("%s refused %d of %d statements", backend, n, all)
			}
		})
	}
	t.Run("lib/pq", func(t *testing.T) { checkDatabase(t, "postgres", url+"?sslmode=disable") })
	t.Run("in process", func(t *testing.T) {
		db, err := sql.Open("trireme", "")
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.Exec(readSchema(t)); err != nil {
			t.Fatal(err)
		}
		db.SetMaxOpenConns(1)
		checkParameters(t, false, true, func(sql string, values []any) (string, error) { return databaseCase(db, sql, values) })
	})
}

// parameterPrograms are the programs of testdata/clients that go through the matrix; inline:
// they write the values into the statement.
func parameterPrograms(t *testing.T) (programs []parameterProgram) {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	cache = filepath.Join(cache, "trireme", "clients")
	python, modules, jar := filepath.Join(cache, "python", "bin", "python"), filepath.Join(cache, "node", "node_modules"), filepath.Join(cache, "jdbc", "postgresql.jar")
	rust := filepath.Join(cache, "rust", "release", "parameters")
	java := []string{"java", "-cp", jar, filepath.Join(clientsFolder, "jdbc", "Parameters.java")}
	for _, driver := range []string{"psycopg", "psycopg2", "asyncpg"} {
		programs = append(programs, parameterProgram{
			driver, driver == "psycopg2",
			[]string{python},
			[]string{python, "-B", filepath.Join(clientsFolder, "python", "parameters.py")},
			[]string{driver},
		})
	}
	return append(programs,
		parameterProgram{"node-postgres", false, []string{"node", modules}, []string{"env", "NODE_PATH=" + modules, "node", filepath.Join(clientsFolder, "node", "parameters.js")}, nil},
		parameterProgram{"JDBC", false, []string{"java", "javac", jar}, java, []string{"extended"}},
		parameterProgram{"JDBC simple", true, []string{"java", "javac", jar}, java, []string{"simple"}},
		parameterProgram{"tokio-postgres", false, []string{rust}, []string{rust}, nil},
	)
}

// parameterProgram is run with host, port and file, and further arguments after them.
type parameterProgram struct {
	name    string
	inline  bool
	needs   []string
	command []string
	more    []string
}

// TestParameterPrograms takes the other clients through the matrix.
func TestParameterPrograms(t *testing.T) {
	server := startParameters(t)
	ctx := t.Context()
	host, port, err := net.SplitHostPort(server.address)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parameterPrograms(t) {
		t.Run(p.name, func(t *testing.T) {
			program := clientProgram(p.name, p.needs)
			if missing := program.absent(); missing != "" {
				if os.Getenv("CI") != "" {
					t.Fatalf("%s is not installed: run testdata/clients/install", missing)
				}
				t.Skipf("%s is not installed: run testdata/clients/install", missing)
			}
			var complaints bytes.Buffer
			cmd := exec.CommandContext(ctx, p.command[0], slices.Concat(p.command[1:], []string{host, port, parameterFolder + "/matrix.tsv"}, p.more)...)
			cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
			cmd.Stderr = &complaints
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, complaints.String())
			}
			compareParameters(t, p, out)
		})
	}
}

// compareParameters compares what a program printed with the matrix. A driver may refuse a
// value before the server does.
func compareParameters(t *testing.T, p parameterProgram, out []byte) {
	t.Helper()
	lines := bufio.NewScanner(bytes.NewReader(out))
	cases := readParameterCases(t)
	for _, c := range cases {
		var line struct{ Got string }
		if !lines.Scan() {
			t.Fatalf("the program ended before %s", c.sql)
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		want := c.want
		if p.inline {
			want = c.inline
		}
		refused := line.Got == "!client" && strings.HasPrefix(want, "!22")
		if line.Got != want && !refused && line.Got != "-" && !(strings.HasPrefix(c.sql, "explain") && !strings.HasPrefix(line.Got, "!")) {
			t.Errorf("%s with %q\n\tgot  %s\n\twant %s", c.sql, c.values, line.Got, want)
		}
	}
}

func pgxCase(ctx context.Context, conn *pgx.Conn, mode pgx.QueryExecMode, sql string, values []any) (out string, err error) {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, tx.Rollback(ctx)) }()
	found, err := tx.Query(ctx, sql, append([]any{mode}, values...)...)
	if err != nil {
		return "", err
	}
	return spellRows(found)
}

func spellRows(found pgx.Rows) (string, error) {
	lines, err := pgx.CollectRows(found, func(row pgx.CollectableRow) (string, error) {
		cells, err := row.Values()
		return spellCells(cells), err
	})
	return strings.Join(lines, " / "), err
}

func spellCells(cells []any) string {
	texts := make([]string, len(cells))
	for i, c := range cells {
		if texts[i] = fmt.Sprint(c); c == nil {
			texts[i] = "NULL"
		}
		if b, ok := c.([]byte); ok {
			texts[i] = string(b)
		}
	}
	return strings.Join(texts, "|")
}

func checkDatabase(t *testing.T, driver, url string) {
	t.Helper()
	db, err := sql.Open(driver, url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	checkParameters(t, false, true, func(sql string, values []any) (string, error) { return databaseCase(db, sql, values) })
}

func databaseCase(db *sql.DB, text string, values []any) (out string, err error) {
	tx, err := db.Begin()
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, tx.Rollback()) }()
	found, err := tx.Query(text, values...)
	if err != nil {
		return "", err
	}
	defer found.Close()
	columns, err := found.Columns()
	if err != nil {
		return "", err
	}
	var lines []string
	for found.Next() {
		cells, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := found.Scan(into...); err != nil {
			return "", err
		}
		lines = append(lines, spellCells(cells))
	}
	return strings.Join(lines, " / "), found.Err()
}
