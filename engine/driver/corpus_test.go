package driver_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/engine/difftest"
	"github.com/trireme-db/trireme/engine/driver"
)

// TestCorpus asks every statement of the differential corpus through
// database/sql, of the tensor engine and of DuckDB without its optimizer. The
// rows' values are TestValuesOfEveryType's subject; here both sides share them.
func TestCorpus(t *testing.T) {
	const folder = "../../testdata/corpus"
	schema, cases, err := difftest.LoadCorpus(os.DirFS(folder))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no corpus in %s", folder)
	}
	if err != nil {
		t.Fatal(err)
	}
	db := open(t, "")
	exec(t, db, schema)
	tensor := pinned(t, db, "SET trireme.backend = 'native'")
	duck := pinned(t, db, "SET trireme.backend = 'duckdb'; PRAGMA disable_optimizer")
	auto := pinned(t, db, "SET trireme.backend = 'auto'")
	compared := 0
	for _, c := range cases {
		if c.ToleranceAbs > 0 {
			continue // float sums that differ in the last bits
		}
		t.Run(c.Name, func(t *testing.T) {
			args, err := literals(duck, c.Params)
			if err != nil {
				t.Fatal(err)
			}
			want, err := answer(duck, c, args)
			if c.Expect == difftest.Error {
				wantSameError(t, err, auto, c, args)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			conn := auto
			if c.Expect == difftest.Tensor {
				conn = tensor
			}
			got, err := answer(conn, c, args)
			var e *driver.Error
			if conn == tensor && errors.As(err, &e) && e.Code == "0A000" {
				t.Skipf("what the tensor engine takes is the subject of engine's test of the corpus: %v", err)
			}
			if err != nil {
				t.Fatalf("%s\n%v", c.SQL, err)
			}
			if by := lastBackend(t, conn); c.Expect == difftest.Tensor && by != "native" {
				t.Errorf("answered by %s", by)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s\ngot\n%s\nwant\n%s", c.SQL, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			compared++
		})
	}
	t.Logf("%d statements compared", compared)
}

func pinned(t *testing.T, db *sql.DB, setup string) *sql.Conn {
	t.Helper()
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := conn.ExecContext(context.Background(), setup); err != nil {
		t.Fatal(err)
	}
	return conn
}

func lastBackend(t *testing.T, conn *sql.Conn) (by string) {
	t.Helper()
	err := conn.Raw(func(c any) error {
		by = c.(*driver.Conn).LastBackend()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return by
}

// literals are the values of SQL literals.
func literals(conn *sql.Conn, texts []string) ([]any, error) {
	values := make([]any, len(texts))
	for i, text := range texts {
		if err := conn.QueryRowContext(context.Background(), "SELECT "+text).Scan(&values[i]); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// answer gives names and types of the columns, then the rows, sorted unless
// their order is part of the answer.
func answer(conn *sql.Conn, c difftest.Case, args []any) ([]string, error) {
	rows, err := conn.QueryContext(context.Background(), c.SQL, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	var header strings.Builder
	for _, ct := range types {
		precision, scale, _ := ct.DecimalSize()
		fmt.Fprintf(&header, "%s %s(%d,%d) ", ct.Name(), ct.DatabaseTypeName(), precision, scale)
	}
	lines := []string{header.String()}
	values, targets := make([]any, len(types)), make([]any, len(types))
	for i := range values {
		targets[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		line := make([]string, len(values))
		for i, v := range values {
			if v == 0.0 {
				v = 0.0 // -0 is 0
			}
			line[i] = fmt.Sprintf("%T %v", v, v)
		}
		lines = append(lines, strings.Join(line, " | "))
	}
	if !c.Ordered {
		slices.Sort(lines[1:])
	}
	return lines, rows.Err()
}

func wantSameError(t *testing.T, want error, conn *sql.Conn, c difftest.Case, args []any) {
	t.Helper()
	_, err := answer(conn, c, args)
	var a, b *driver.Error
	if !errors.As(want, &a) || !errors.As(err, &b) || a.Code != b.Code || !strings.HasPrefix(b.Code, c.Detail) {
		t.Errorf("%s\nauto: %v\nduckdb: %v\nwant class %s", c.SQL, err, want, c.Detail)
	}
}
