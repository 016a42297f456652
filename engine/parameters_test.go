package engine

import (
	"bufio"
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// paramNames are Postgres' names of types of parameters.
var paramNames = map[rows.TypeID]string{
	rows.Boolean: "boolean", rows.SmallInt: "smallint", rows.Integer: "integer", rows.BigInt: "bigint", rows.HugeInt: "hugeint", rows.Decimal: "numeric",
	rows.Float: "real", rows.Double: "double precision", rows.Varchar: "text", rows.Blob: "bytea", rows.Date: "date", rows.Time: "time without time zone",
	rows.Timestamp: "timestamp without time zone", rows.TimestampTZ: "timestamp with time zone", rows.Interval: "interval", rows.UUID: "uuid",
	rows.JSON: "json",
}

func postgresName(t rows.Type) string {
	if t.ID != rows.List {
		return paramNames[t.ID]
	}
	element := strings.TrimSuffix(t.Name, "[]")
	for id, name := range paramNames {
		if (rows.Type{ID: id}).String() == element || id == rows.Decimal && strings.HasPrefix(element, "DECIMAL") {
			return name + "[]"
		}
	}
	return t.Name
}

// TestParameterTypes reads statements with the types that parameters have in them, on
// every backend.
func TestParameterTypes(t *testing.T) {
	file, err := os.Open("../testdata/parameters/types.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s := openSession(t, openEngine(t))
	s.run(`CREATE TABLE pf (id INT, f DOUBLE, v NUMERIC(10,2), n INT, s VARCHAR, t TEXT, d DATE, ts TIMESTAMP, tz TIMESTAMPTZ, tm TIME, iv INTERVAL, r REAL,
		b BIGINT, si SMALLINT, l INT[], lt TEXT[], bl BYTEA, bo BOOLEAN, j JSON, jb JSON, u UUID)`)
	s.run("CREATE SEQUENCE seq")
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		line := strings.Split(scanner.Text(), "\t")
		if len(line) < 2 {
			continue
		}
		sql, want := line[0], line[1]
		if got := s.paramTypes(sql); got != want {
			t.Errorf("%s\n\tgot  %s\n\twant %s", sql, got, want)
		}
	}
}

// paramTypes are the types of a statement's parameters in Postgres' words, or the error.
func (s testSession) paramTypes(sql string) string {
	p, err := s.Prepare(context.Background(), sql, nil)
	if err != nil {
		var e *sqlerr.Error
		if !errors.As(err, &e) {
			s.t.Fatal(err)
		}
		return "!" + e.Code
	}
	defer p.Close()
	var names []string
	for _, t := range p.Params() {
		names = append(names, postgresName(t))
	}
	return strings.Join(names, ", ")
}

// TestSequencesAsParameters: the name of a sequence may be a parameter.
func TestSequencesAsParameters(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE SEQUENCE seq START 7")
	p, err := s.Prepare(context.Background(), "SELECT nextval($1) AS n", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if got := p.Columns(); len(got) != 1 || got[0].Type.ID != rows.BigInt {
		t.Errorf("columns %v", got)
	}
	for _, want := range []string{"7", "8"} {
		res, err := p.Execute(context.Background(), []Arg{{Text: "seq"}})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := readAll(res); err != nil || got != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
	if got := s.run("SELECT currval($1)", "seq"); got != "8" {
		t.Errorf("currval is %s", got)
	}
}
