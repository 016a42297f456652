package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/internal/coofile"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

type importOptions struct {
	databaseOptions
	table    string
	format   string
	integers bool
	replace  bool
	add      bool
	stdin    io.Reader
}

// stdinName stands for standard input among the files.
const stdinName = "-"

func newImport() *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import --db FILE FILE...",
		Short: "Import files of coordinates: Matrix Market (.mtx), FROSTT (.tns), edges (.txt, .csv), also compressed (.gz)",
		Long: `Import files of coordinates into tables, all of them or none.

Matrix Market (.mtx) gives columns i, j, value; FROSTT (.tns) i1, i2, .., value; lists of
edges (.txt, .tsv, .csv, .el, .edges, and out.NAME as KONECT has them) src, dst and, where a
line has more numbers, weight and time. Lines that begin with # or %, and a first line of names,
are no edges. Indices stay as they are in the file. The table is named after the file unless --table says otherwise;
several files with --table go into one table. The file - is standard input, with --format and
--table.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			o.stdin = cmd.InOrStdin()
			return o.run(cmd.Context(), files, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	o.addFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.table, "table", "", "table to import into (default: the file's name)")
	f.StringVar(&o.format, "format", "", "format of the files: mtx, tns or edges (default: by the file's name)")
	f.BoolVar(&o.integers, "integers", false, "values of tns and edges files are BIGINT, not DOUBLE")
	f.BoolVar(&o.replace, "replace", false, "replace tables that exist")
	f.BoolVar(&o.add, "append", false, "add to tables that exist")
	cmd.MarkFlagsMutuallyExclusive("replace", "append")
	return cmd
}

// run imports all files in one transaction.
func (o *importOptions) run(ctx context.Context, files []string, out, errOut io.Writer) error {
	return o.withSession(ctx, errOut, func(s *engine.Session) error { return o.files(ctx, s, files, out, errOut) })
}

// files imports files in one transaction of the session.
func (o *importOptions) files(ctx context.Context, s *engine.Session, files []string, out, errOut io.Writer) error {
	if err := execute(ctx, s, "BEGIN"); err != nil {
		return err
	}
	var reports []string
	made := map[string]bool{}
	for _, file := range files {
		report, err := o.file(ctx, s, file, made, errOut)
		if err != nil {
			return err
		}
		reports = append(reports, report)
	}
	if err := execute(ctx, s, "COMMIT"); err != nil {
		return err
	}
	for _, r := range reports {
		fmt.Fprintln(out, r)
	}
	return nil
}

// file imports one file; made are the tables of this import.
func (o *importOptions) file(ctx context.Context, s *engine.Session, path string, made map[string]bool, errOut io.Writer) (report string, err error) {
	started := time.Now()
	f, err := o.open(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	progress, finish, err := progressOf(f, errOut)
	if err != nil {
		return "", err
	}
	defer finish()
	text, err := decompressed(path, progress)
	if err != nil {
		return "", err
	}
	format, err := o.formatOf(path)
	if err != nil {
		return "", err
	}
	name := path
	if path == stdinName {
		name = "standard input"
	}
	r, err := coofile.NewReader(name, text, coofile.Options{Format: format, Integers: o.integers})
	if err != nil {
		return "", err
	}
	table := o.tableOf(path)
	if err := o.prepare(ctx, s, table, r.Columns(), made); err != nil {
		return "", err
	}
	n, err := s.Append(ctx, table, r)
	if err != nil {
		return "", err
	}
	took := time.Since(started)
	return fmt.Sprintf("%s: %d rows into %s in %.2f s (%.0f rows/s)", path, n, quoteName(table), took.Seconds(), float64(n)/took.Seconds()), nil
}

// open opens a file, or standard input.
func (o *importOptions) open(path string) (io.ReadCloser, error) {
	if path == stdinName {
		if o.table == "" {
			return nil, sqlerr.New(sqlerr.InvalidParameter, "standard input has no name that a table could have").WithHint("Say it: --table NAME.")
		}
		return io.NopCloser(o.stdin), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, sqlerr.New(sqlerr.IOError, "cannot import: %v", err)
	}
	return f, nil
}

func (o *importOptions) formatOf(path string) (coofile.Format, error) {
	if o.format != "" {
		return coofile.Format(o.format), nil // NewReader refuses what it does not know
	}
	format, ok := coofile.FormatOf(path)
	if !ok {
		return "", sqlerr.New(sqlerr.InvalidParameter, "the name of %s does not say its format", path).
			WithHint("Say it: --format mtx, tns or edges.")
	}
	return format, nil
}

// tableOf names the table of a file.
func (o *importOptions) tableOf(path string) string {
	if o.table != "" {
		return o.table
	}
	return coofile.NameOf(path)
}

// prepare makes the table, or finds that it is fit to be added to.
func (o *importOptions) prepare(ctx context.Context, s *engine.Session, table string, columns []rows.Column, made map[string]bool) error {
	defs := make([]string, len(columns))
	for i, c := range columns {
		defs[i] = quoteName(c.Name) + " " + c.Type.String() + " NOT NULL"
	}
	name := "main." + quoteName(table)
	create := "CREATE TABLE " + name + " (" + strings.Join(defs, ", ") + ")"
	switch {
	case o.add || made[table]:
		create = strings.Replace(create, "TABLE", "TABLE IF NOT EXISTS", 1)
	case o.replace:
		if err := execute(ctx, s, "DROP TABLE IF EXISTS "+name); err != nil {
			return err
		}
	}
	made[table] = true
	if err := execute(ctx, s, create); err != nil {
		var e *sqlerr.Error
		if errors.As(err, &e) && e.Code == sqlerr.DuplicateTable {
			return e.WithHint("Give --replace or --append, or another --table.")
		}
		return err
	}
	return sameColumns(ctx, s, name, columns)
}

// sameColumns refuses a table whose columns are not those of the file.
func sameColumns(ctx context.Context, s *engine.Session, name string, columns []rows.Column) (err error) {
	p, err := s.Prepare(ctx, "SELECT * FROM "+name, nil)
	if err != nil {
		return err
	}
	have := p.Columns()
	same := len(have) == len(columns)
	for i := 0; same && i < len(have); i++ {
		same = have[i].Type == columns[i].Type
	}
	if err := p.Close(); err != nil || same {
		return err
	}
	return sqlerr.New(sqlerr.DatatypeMismatch, "table %s has columns %s, the file %s", name, columnTexts(have), columnTexts(columns)).
		WithHint("Types must be the same, in the same order. --integers makes the values of tns and edges files BIGINT.")
}

func columnTexts(columns []rows.Column) string {
	texts := make([]string, len(columns))
	for i, c := range columns {
		texts[i] = c.Name + " " + c.Type.String()
	}
	return "(" + strings.Join(texts, ", ") + ")"
}

func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// execute runs a statement without rows.
func execute(ctx context.Context, s *engine.Session, sql string) error {
	p, err := s.Prepare(ctx, sql, nil)
	if err != nil {
		return err
	}
	res, err := p.Execute(ctx, nil)
	if err != nil {
		return errors.Join(err, p.Close())
	}
	_, err = res.Next(ctx)
	return errors.Join(err, res.Close(), p.Close())
}

// gzipMagic begins compressed files, whatever they are called.
var gzipMagic = []byte{0x1f, 0x8b}

// decompressed is the text of a file.
func decompressed(path string, in io.Reader) (io.Reader, error) {
	r := bufio.NewReaderSize(in, 1<<16)
	head, err := r.Peek(len(gzipMagic))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, sqlerr.New(sqlerr.IOError, "cannot read %s: %v", path, err)
	}
	if !bytes.Equal(head, gzipMagic) {
		return r, nil
	}
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, sqlerr.New(sqlerr.InvalidText, "%s: not a gzip file: %v", path, err)
	}
	return z, nil
}

// progressOf shows how much of a file has been read, where somebody looks at a
// terminal.
func progressOf(source io.Reader, errOut io.Writer) (in io.Reader, finish func(), err error) {
	terminal, ok := errOut.(*os.File)
	f, file := source.(*os.File)
	if !ok || !file || !term.IsTerminal(int(terminal.Fd())) {
		return source, func() {}, nil
	}
	info, err := f.Stat()
	if err != nil {
		return nil, nil, sqlerr.Wrap(sqlerr.IOError, err)
	}
	bar := progressbar.NewOptions64(info.Size(),
		progressbar.OptionSetWriter(errOut), progressbar.OptionSetDescription(filepath.Base(f.Name())),
		progressbar.OptionShowBytes(true), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	read := progressbar.NewReader(f, bar)
	return &read, func() { _ = bar.Finish() }, nil // the bar is not worth an error
}
