package difftest_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"

	"github.com/trireme-db/trireme/engine/difftest"
)

const corpusDir = "../../testdata/corpus"

// oracle is one DuckDB connection with the optimizer off.
type oracle struct {
	db   *sql.DB
	conn *sql.Conn
}

func newOracle(t *testing.T) *oracle {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	o := &oracle{db, conn}
	for _, setup := range []string{"PRAGMA disable_optimizer", "SET threads=1"} {
		if err := o.exec(setup); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// load replaces everything in the database by the given statements' tables.
func (o *oracle) load(t *testing.T, ddl []string) {
	t.Helper()
	fresh := []string{"USE memory", "DETACH DATABASE IF EXISTS fresh", "ATTACH ':memory:' AS fresh", "USE fresh"}
	for _, statement := range slices.Concat(fresh, ddl) {
		if err := o.exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

func (o *oracle) exec(text string) error {
	_, err := o.conn.ExecContext(context.Background(), text)
	return err
}

// query returns the column names and the rows as text, read to the end so that
// errors at run time show.
func (o *oracle) query(text string) (columns []string, table [][]any, err error) {
	result, err := o.conn.QueryContext(context.Background(), text)
	if err != nil {
		return nil, nil, err
	}
	defer result.Close()
	columns, err = result.Columns()
	if err != nil {
		return nil, nil, err
	}
	for result.Next() {
		row := make([]any, len(columns))
		targets := make([]any, len(columns))
		for i := range row {
			targets[i] = &row[i]
		}
		if err := result.Scan(targets...); err != nil {
			return nil, nil, err
		}
		table = append(table, row)
	}
	return columns, table, result.Err()
}

// run executes a case, with its parameters through PREPARE.
func (o *oracle) run(c difftest.Case) ([]string, [][]any, error) {
	if c.Params == nil {
		return o.query(c.SQL)
	}
	if err := o.exec("PREPARE p AS " + c.SQL); err != nil {
		return nil, nil, err
	}
	columns, table, err := o.query(fmt.Sprintf("EXECUTE p(%s)", strings.Join(c.Params, ", ")))
	if dropErr := o.exec("DEALLOCATE p"); err == nil {
		err = dropErr
	}
	return columns, table, err
}

func loadCorpus(t *testing.T) (string, []difftest.Case) {
	t.Helper()
	schema, cases, err := difftest.LoadCorpus(os.DirFS(corpusDir))
	if err != nil {
		t.Fatal(err)
	}
	return schema, cases
}
