package translate_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
	"github.com/trireme-db/trireme/translate"
)

// frame binds statements over a schema whose tables stay empty: what is known
// of their rows is what a test file says (handFacts).
type frame struct {
	conn  *duckbackend.Conn
	view  *catalog.View
	facts handFacts
}

func newFrame(t *testing.T) *frame {
	t.Helper()
	ctx := context.Background()
	db, err := duckbackend.Open(ctx, duckbackend.Config{})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.PlainConn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(conn.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	f := &frame{conn: conn, facts: handFacts{}}
	lend := func(_ context.Context, use func(*duckbackend.Conn) error) error { return use(conn) }
	f.view = catalog.New(catalog.NewVersions()).Private(lend, catalog.DefaultPath(), true)
	return f
}

// Describe implements sqlfront.Preparer.
func (f *frame) Describe(ctx context.Context, sql string, params []rows.Type) (sqlfront.Description, error) {
	d, err := f.conn.Describe(ctx, sql, params)
	return sqlfront.Description{Columns: d.Columns, Params: d.Params}, err
}

func (f *frame) translate(sql string) (*translate.Result, error) {
	ctx := context.Background()
	a, err := sqlfront.Analyze(ctx, sql, f.view, f, nil)
	if err != nil {
		return nil, err
	}
	if a.Query == nil {
		return nil, errors.New("not bound: " + a.Reason)
	}
	return translate.Translate(ctx, a.Query, f.facts)
}

// handFacts are facts as a test file gives them, by table and by expression
// ("table expression").
type handFacts map[string]handFact

type handFact struct {
	lo, hi, rows int64
	nulls        bool
	nonFinite    bool
}

// Range implements translate.Facts.
func (h handFacts) Range(_ context.Context, t load.Table, expr string, _ rows.Type) (lo, hi semiring.Int128, ok bool, err error) {
	f, ok := h[t.Name+" "+expr]
	return semiring.FromInt64(f.lo), semiring.FromInt64(f.hi), ok, nil
}

// Count implements translate.Facts.
func (h handFacts) Count(_ context.Context, t load.Table, expr string, _ rows.Type) (rowCount, nulls int64, ok bool, err error) {
	name := t.Name
	if expr != "" {
		name += " " + expr
	}
	f, ok := h[name]
	if f.nulls {
		nulls = 1
	}
	return f.rows, nulls, ok, nil
}

// Unique implements translate.Facts.
func (h handFacts) Unique(_ context.Context, t load.Table, exprs []string) (bool, error) {
	_, ok := h[t.Name+" unique "+strings.Join(exprs, ", ")]
	return ok, nil
}

// Floats implements translate.Facts.
func (h handFacts) Floats(_ context.Context, t load.Table, expr string) (nonFinite bool, absMax float64, err error) {
	f, ok := h[t.Name+" "+strings.TrimSuffix(strings.TrimPrefix(expr, "CAST("), " AS DOUBLE)")]
	return f.nonFinite || !ok, float64(max(f.hi, -f.lo)), nil
}

// set reads one line: "table rows=N", "table unique expression, .." or "table expression [lo,hi] [nulls] [nonfinite]".
func (h handFacts) set(line string) error {
	name, rest, ok := strings.Cut(line, " ")
	if !ok {
		return fmt.Errorf("a fact needs a table and a figure: %q", line)
	}
	if n, ok := strings.CutPrefix(rest, "rows="); ok {
		v, err := strconv.ParseInt(n, 10, 64)
		h[name] = handFact{rows: v}
		return err
	}
	if strings.HasPrefix(rest, "unique ") {
		h[line] = handFact{}
		return nil
	}
	var f handFact
	rest, f.nonFinite = strings.CutSuffix(rest, " nonfinite")
	rest, f.nulls = strings.CutSuffix(rest, " nulls")
	expr, interval, ok := strings.Cut(rest, " [")
	if !ok {
		return fmt.Errorf("a fact needs an interval: %q", line)
	}
	if _, err := fmt.Sscanf(interval, "%d,%d]", &f.lo, &f.hi); err != nil {
		return fmt.Errorf("%q: %w", line, err)
	}
	h[name+" "+expr] = f
	return nil
}

// TestGolden runs the files of testdata. The directives are
//
//	exec        statements that make the schema
//	facts       what is known of the tables' rows (handFacts.set)
//	translate   the program of a statement, its loads, relations and checks
//
// After a change that is meant: go test ./translate -run TestGolden -rewrite.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		f := newFrame(t)
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "exec":
				if err := f.conn.Exec(context.Background(), d.Input); err != nil {
					d.Fatalf(t, "%v", err)
				}
				return ""
			case "facts":
				for _, line := range strings.Split(d.Input, "\n") {
					if err := f.facts.set(line); err != nil {
						d.Fatalf(t, "%v", err)
					}
				}
				return ""
			case "translate":
				r, err := f.translate(d.Input)
				if err != nil {
					return err.Error() + "\n"
				}
				if err := r.Program.Check(); err != nil {
					d.Fatalf(t, "%v", err)
				}
				return describe(r)
			}
			d.Fatalf(t, "unknown directive %s", d.Cmd)
			return ""
		})
	})
}

// describe prints what a statement became, without what the program's text
// says of its inputs.
func describe(r *translate.Result) string {
	var b strings.Builder
	b.WriteString(programText(r.Program))
	for _, l := range r.Loads {
		b.WriteString("load " + l.Name + ": " + l.Table.Name)
		if l.Where != "" {
			b.WriteString(" WHERE " + l.Where)
		}
		b.WriteString("\n")
	}
	for _, rel := range r.Relations {
		fmt.Fprintf(&b, "relation %s: %d columns\n", rel.Table.Name, len(rel.Columns))
	}
	for _, c := range r.Checks {
		fmt.Fprintf(&b, "check %s: %s\n", c.Type, boundText(c.Bound))
	}
	if names := r.Checked(); len(names) > 0 {
		b.WriteString("kept for checks: " + strings.Join(names, " ") + "\n")
	}
	if r.Finish.SQL != "" {
		b.WriteString("finish: " + strings.ReplaceAll(r.Finish.SQL, "\n", " ") + "\n")
	}
	return b.String()
}

func programText(p *einsum.Program) string {
	var b strings.Builder
	for _, line := range strings.SplitAfter(p.String(), "\n") {
		if !strings.HasPrefix(line, "tensor ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

func boundText(b translate.Bound) string {
	switch b := b.(type) {
	case *translate.Interval:
		if b.Lo.Cmp(b.Hi) == 0 {
			return b.Lo.String()
		}
		return "[" + b.Lo.String() + "," + b.Hi.String() + "]"
	case *translate.LeafBound:
		return b.Tensor + "." + b.Lo
	case *translate.SumBound:
		op := " + "
		if b.Minus {
			op = " - "
		}
		return "(" + boundText(b.A) + op + boundText(b.B) + ")"
	case *translate.ProductBound:
		return boundText(b.A) + " * " + boundText(b.B)
	case *translate.HullBound:
		return "hull(" + boundText(b.A) + ", " + boundText(b.B) + ")"
	}
	return fmt.Sprintf("%T", b)
}
