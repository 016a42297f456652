package lower_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/engine/difftest"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
	"github.com/trireme-db/trireme/sqlfront/lower"
)

// oracle is DuckDB without its optimizer: it binds statements, and answers them
// as they are and as they are lowered.
type oracle struct {
	conn *duckbackend.Conn
	view *catalog.View
}

func newOracle(t *testing.T) *oracle {
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
	o := &oracle{conn: conn}
	o.exec(t, "SET threads = 1")
	return o
}

// exec runs a script, after which the catalog is read again.
func (o *oracle) exec(t *testing.T, sql string) {
	t.Helper()
	if err := o.conn.Exec(context.Background(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	lend := func(_ context.Context, use func(*duckbackend.Conn) error) error { return use(o.conn) }
	o.view = catalog.New(catalog.NewVersions()).Private(lend, catalog.DefaultPath(), true)
}

// Describe implements sqlfront.Preparer.
func (o *oracle) Describe(ctx context.Context, sql string, params []rows.Type) (sqlfront.Description, error) {
	d, err := o.conn.Describe(ctx, sql, params)
	return sqlfront.Description{Columns: d.Columns, Params: d.Params}, err
}

// SerializeSQL implements sqlfront.TreePreparer.
func (o *oracle) SerializeSQL(ctx context.Context, sql string) (string, error) {
	return o.conn.SerializeSQL(ctx, sql)
}

// DeserializeSQL implements sqlfront.TreePreparer.
func (o *oracle) DeserializeSQL(ctx context.Context, tree string) (string, error) {
	return o.conn.DeserializeSQL(ctx, tree)
}

func (o *oracle) answer(sql string) (difftest.Table, error) {
	ctx := context.Background()
	cur, err := o.conn.Query(ctx, sql)
	if err != nil {
		return difftest.Table{}, err
	}
	out, err := difftest.Collect(ctx, cur)
	return out, errors.Join(err, cur.Close())
}

// outcome is what became of a statement.
type outcome struct {
	unbound string // the front end's reason
	refused string // the lowering's reason
	lowered *sqlfront.Query
	printed string
	rows    int
}

// check binds and lowers a statement and compares the answers of what was said
// and what it became. The error says where they differ.
func (o *oracle) check(sql string) (outcome, error) {
	a, err := sqlfront.Analyze(context.Background(), sql, o.view, o, nil)
	if err != nil {
		return outcome{}, fmt.Errorf("%s\nanalyze: %w", sql, err)
	}
	if a.Query == nil {
		return outcome{unbound: a.Reason}, nil
	}
	before := sqlfront.PrintQuery(a.Query)
	q, err := lower.Lower(a.Query)
	var no *lower.Unsupported
	if errors.As(err, &no) {
		return outcome{refused: no.Reason}, nil
	}
	if err != nil {
		return outcome{}, fmt.Errorf("%s\nlower: %w", sql, err)
	}
	if after := sqlfront.PrintQuery(a.Query); after != before {
		return outcome{}, fmt.Errorf("%s\nlowering changed the bound query\nfrom %s\nto %s", sql, before, after)
	}
	out := outcome{lowered: q, printed: sqlfront.PrintQuery(q)}
	if err := checkForm(q, true); err != nil {
		return out, fmt.Errorf("%s\nlowered %s\n%w", sql, out.printed, err)
	}
	want, err := o.answer(sql)
	if err != nil {
		return out, fmt.Errorf("%s\n%w", sql, err)
	}
	out.rows = len(want.Rows)
	got, err := o.answer(out.printed)
	if err == nil {
		err = difftest.Compare(want, got, difftest.CompareOptions{})
	}
	if err != nil {
		bound := "the bound query has the statement's answer"
		if b, berr := o.answer(before); berr != nil {
			bound = "the bound query fails: " + berr.Error()
		} else if difftest.Compare(want, b, difftest.CompareOptions{}) != nil {
			bound = "the bound query has another answer, too"
		}
		return out, fmt.Errorf("%s\nbound %s\nlowered %s\n%s\n%w", sql, before, out.printed, bound, err)
	}
	return out, nil
}

// checkForm reports what the lowered dialect does not have.
func checkForm(q *sqlfront.Query, top bool) error {
	if q.Tree != nil || q.Sets != nil || q.SetOp != sqlfront.NoSetOp && !(top && q.SetOp == sqlfront.UnionAll) {
		return errors.New("a block of the bound dialect is left")
	}
	for _, a := range q.Arms {
		if err := checkForm(a, true); err != nil {
			return err
		}
	}
	var err error
	q.Roots(func(root sqlfront.Expr) {
		sqlfront.WalkExpr(root, func(e sqlfront.Expr) {
			switch e := e.(type) {
			case *sqlfront.Subquery, *sqlfront.OuterRef:
				err = errors.New("a subquery is left")
			case *sqlfront.ColumnRef:
				if e.Source >= len(q.From) || e.Column >= len(q.From[e.Source].Columns) || q.From[e.Source].Columns[e.Column].Type != e.T {
					err = fmt.Errorf("column %d of source %d, %s %s, is not there", e.Column, e.Source, e.Name, e.T)
				}
			}
		})
	})
	aliases := map[string]bool{}
	for _, s := range q.From {
		if aliases[s.Alias] {
			err = errors.Join(err, fmt.Errorf("alias %s twice", s.Alias))
		}
		aliases[s.Alias] = true
		if s.Query != nil {
			if s.Query.Plain() {
				err = errors.Join(err, fmt.Errorf("source %s is a plain block", s.Alias))
			}
			err = errors.Join(err, checkForm(s.Query, false), checkColumns(s.Query, s.Columns))
		}
		for _, b := range s.Bag {
			if !b.Plain() {
				err = errors.Join(err, fmt.Errorf("bag %s has a block that is not plain", s.Alias))
			}
			err = errors.Join(err, checkForm(b, false), checkColumns(b, s.Columns))
		}
	}
	for _, a := range q.Anti {
		if !a.Query.Distinct || len(a.Keys) == 0 || len(a.Keys) != len(a.Query.Select) || len(a.Keys) != len(a.NullSafe) {
			err = errors.Join(err, errors.New("the query of an anti join is not its keys' values"))
		}
		err = errors.Join(err, checkForm(a.Query, false))
	}
	return err
}

// checkColumns compares what a block selects with the columns of its source.
func checkColumns(q *sqlfront.Query, cols []rows.Column) error {
	if len(q.Select) != len(cols) {
		return fmt.Errorf("%d columns, %d selected", len(cols), len(q.Select))
	}
	for i, c := range cols {
		if t := q.Select[i].Expr.Type(); t != c.Type {
			return fmt.Errorf("column %s is %s, selected as %s", c.Name, c.Type, t)
		}
	}
	return nil
}
