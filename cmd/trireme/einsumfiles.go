package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/internal/coofile"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// tensorFiles makes tables of files of tensors, each file once.
type tensorFiles struct {
	session  *engine.Session
	integers bool
	errOut   io.Writer
	stored   bool                    // the database is a file, which gets no tables
	tables   map[string]*tensorTable // by file
}

// tensorFormats are the extensions of files that are read.
var tensorFormats = map[string]bool{
	".csv": true, ".parquet": true, ".mtx": true, ".tns": true, ".txt": true, ".edges": true, ".el": true, ".tsv": true,
}

// tensorTable is a table with coordinates and, mostly, values.
type tensorTable struct {
	name    string
	columns []string
	figures []float64 // rows, distinct values per column; nil: not asked for
}

// table makes the table of a file, or finds one of that name.
func (f *tensorFiles) table(ctx context.Context, path string) (*tensorTable, error) {
	if t, ok := f.tables[path]; ok {
		return t, nil
	}
	t := &tensorTable{name: f.name(path)}
	var err error
	format := extension(path)
	if f.stored && tensorFormats[format] {
		return nil, sqlerr.New(sqlerr.InvalidParameter, "%s would become a table of the database", path).
			WithHint("Over files, leave out --db; or import them first, and name the tables.")
	}
	switch format {
	case ".csv":
		err = execute(ctx, f.session, "CREATE TABLE "+quoteName(t.name)+" AS SELECT * FROM read_csv("+quoteText(path)+")")
	case ".parquet":
		err = execute(ctx, f.session, "CREATE TABLE "+quoteName(t.name)+" AS SELECT * FROM read_parquet("+quoteText(path)+")")
	case ".mtx", ".tns", ".txt", ".edges", ".el", ".tsv":
		o := &importOptions{integers: f.integers}
		o.table = t.name
		if err = execute(ctx, f.session, "BEGIN"); err == nil {
			_, err = o.file(ctx, f.session, path, map[string]bool{}, f.errOut)
		}
		if err == nil {
			err = execute(ctx, f.session, "COMMIT")
		}
	default:
		t.name = path // a table of the database
	}
	if err == nil {
		t.columns, err = columnsOf(ctx, f.session, t.name)
	}
	if err != nil {
		return nil, describedFile(path, err)
	}
	if len(t.columns) == 0 {
		return nil, sqlerr.New(sqlerr.InvalidParameter, "%s has no columns", path)
	}
	f.tables[path] = t
	return t, nil
}

// describedFile says which operand an error is of.
func describedFile(path string, err error) error {
	var e *sqlerr.Error
	if !errors.As(err, &e) || strings.Contains(e.Message, path) {
		return err
	}
	own := *e
	own.Message = path + ": " + e.Message
	return &own
}

// extension is what a file's name says of its format, without that of compression.
func extension(path string) string {
	return strings.ToLower(filepath.Ext(strings.TrimSuffix(path, ".gz")))
}

// name is a name for the table of a file that no other has.
func (f *tensorFiles) name(path string) string {
	base := filepath.Base(strings.TrimSuffix(path, ".gz"))
	base = strings.TrimSuffix(base, filepath.Ext(base))
	name := base
	for n := 2; ; n++ {
		taken := false
		for _, t := range f.tables {
			taken = taken || strings.EqualFold(t.name, name)
		}
		if !taken {
			return name
		}
		name = base + "_" + strconv.Itoa(n)
	}
}

func quoteText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// columnsOf are the names of a table's columns.
func columnsOf(ctx context.Context, s *engine.Session, table string) ([]string, error) {
	p, err := s.Prepare(ctx, "SELECT * FROM "+quoteName(table), nil)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, c := range p.Columns() {
		names = append(names, c.Name)
	}
	return names, p.Close()
}

// write computes the result into the file of --out, which is there only if all of it is.
func (j *einsumJob) write(ctx context.Context) (err error) {
	switch extension(j.out) {
	case ".csv", ".parquet":
		return execute(ctx, j.session, "COPY ("+j.statement()+j.order()+") TO "+quoteText(j.out))
	case ".tns", ".mtx":
	default:
		return sqlerr.New(sqlerr.InvalidParameter, "the name of %s does not say its format", j.out).
			WithHint("Results are written as .tns, .mtx, .csv and .parquet.")
	}
	format, _ := coofile.FormatOf(j.out)
	file, err := os.CreateTemp(filepath.Dir(j.out), ".trireme-*")
	if err != nil {
		return sqlerr.New(sqlerr.IOError, "cannot write: %v", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	err = runOne(ctx, j.session, j.statement()+j.order(), func(ctx context.Context, cur rows.Cursor, out io.Writer) error {
		return coofile.Write(ctx, out, format, cur)
	}, file)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), j.out)
}
