package engine

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/difftest"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/translate"
)

var (
	diffQueries = flag.Int("diff.queries", 1000, "random statements that the differential test compares")
	diffSeed    = flag.Uint64("diff.seed", 1, "seed of the differential test's random statements")
)

// rig is an engine beside the oracle: DuckDB given the user's own text on a
// connection without its optimizer.
type rig struct {
	t       *testing.T
	engine  *Engine
	session *Session
	db      *duckbackend.DB
	oracle  *duckbackend.Conn
	// patience is how long the oracle may take for an answer; 0: as long as it does.
	patience time.Duration
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := openRig(t, 0)
	t.Cleanup(r.close)
	return r
}

// openRig is newRig for a caller that closes it; threads 0: those of the machine.
func openRig(t *testing.T, threads int) *rig {
	t.Helper()
	ctx := context.Background()
	e, err := Open(ctx, Config{Threads: threads, FirstPatience: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.NewSession(ctx, SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	db, err := duckbackend.Open(ctx, duckbackend.Config{Threads: threads})
	if err != nil {
		t.Fatal(err)
	}
	oracle, err := db.PlainConn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return &rig{t: t, engine: e, session: s, db: db, oracle: oracle}
}

func (r *rig) close() {
	wantIdle(r.t, r.engine)
	for _, close := range []func() error{r.session.Close, r.engine.Close, r.oracle.Close, r.db.Close} {
		if err := close(); err != nil {
			r.t.Error(err)
		}
	}
}

// script runs statements on both sides.
func (r *rig) script(sql string) {
	r.t.Helper()
	ctx := context.Background()
	if err := r.oracle.Exec(ctx, sql); err != nil {
		r.t.Fatal(err)
	}
	statements, err := r.session.Split(sql)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, s := range statements {
		if _, err := r.run(s.Text, nil); err != nil {
			r.t.Fatalf("%s: %v", s.Text, err)
		}
	}
}

// run executes a statement in the session.
func (r *rig) run(sql string, args []Arg) (difftest.Table, error) {
	return r.runDeclared(sql, nil, args)
}

// runDeclared is run with parameters of declared types.
func (r *rig) runDeclared(sql string, types []rows.Type, args []Arg) (difftest.Table, error) {
	ctx := context.Background()
	p, err := r.session.Prepare(ctx, sql, types)
	if err != nil {
		return difftest.Table{}, err
	}
	res, err := p.Execute(ctx, args)
	if err != nil {
		return difftest.Table{}, errors.Join(err, p.Close())
	}
	out, err := difftest.Collect(ctx, res)
	return out, errors.Join(err, res.Close(), p.Close())
}

// want is the oracle's answer.
func (r *rig) want(sql string, args []Arg) (difftest.Table, error) {
	ctx := context.Background()
	if r.patience > 0 {
		limited, cancel := context.WithTimeout(ctx, r.patience)
		defer cancel()
		ctx = limited
	}
	var bound []duckbackend.Arg
	if len(args) > 0 {
		types, err := r.argTypes(ctx, sql, args)
		if err != nil {
			return difftest.Table{}, err
		}
		for i, a := range args {
			bound = append(bound, duckbackend.Arg{Type: types[i], Null: a.Null, Text: a.Text})
		}
	}
	cur, err := r.oracle.Query(ctx, sql, bound...)
	if err != nil {
		return difftest.Table{}, err
	}
	out, err := difftest.Collect(ctx, cur)
	return out, errors.Join(err, cur.Close())
}

// argTypes are the types that DuckDB infers for the values of parameters; where it infers
// none, those that the engine finds at their places.
func (r *rig) argTypes(ctx context.Context, sql string, args []Arg) ([]rows.Type, error) {
	d, err := r.oracle.Describe(ctx, sql, nil)
	if !undetermined(err) {
		return d.Params, err
	}
	p, err := r.session.Prepare(ctx, sql, nil)
	if err != nil {
		return nil, err
	}
	types := slices.Clone(p.stmt.params())
	for i, a := range args {
		if types[i], err = fitted(types[i], a); err != nil {
			break
		}
	}
	return types, errors.Join(err, p.Close())
}

// dropTables empties both databases.
func (r *rig) dropTables() {
	r.t.Helper()
	tables, err := r.want("SELECT schema_name, table_name FROM duckdb_tables() WHERE NOT temporary", nil)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, row := range tables.Rows {
		r.script(fmt.Sprintf("DROP TABLE %s.%s", load.Quote(row[0].(string)), load.Quote(row[1].(string))))
	}
	types, err := r.want("SELECT type_name FROM duckdb_types() WHERE NOT internal", nil)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, row := range types.Rows {
		r.script("DROP TYPE " + load.Quote(row[0].(string)))
	}
	schemas, err := r.want("SELECT schema_name FROM duckdb_schemas() WHERE NOT internal AND schema_name <> 'main'", nil)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, row := range schemas.Rows {
		r.script("DROP SCHEMA " + load.Quote(row[0].(string)))
	}
}

// setting is one way to answer.
type setting struct {
	name     string
	backend  Backend
	by       string // who must have answered
	registry string
	classes  bool // planned over classes wherever it can be
}

var settings4 = []setting{
	{name: "native", backend: Native, by: "native", registry: "on"},
	{name: "general kernels", backend: Native, by: "native", registry: "off"},
	{name: "classes", backend: Native, by: "native", registry: "on", classes: true},
	{name: "decomposed", backend: Decomposed, by: "decomposed", registry: "on"},
}

func (r *rig) set(s setting) {
	r.t.Helper()
	// Rewrites do not pay for so few rows: they are searched for where no time counts.
	optimizer := "exact"
	if s.name == "native" {
		optimizer = "auto"
	}
	for _, sql := range []string{
		"SET trireme.backend = '" + s.backend.String() + "'", "SET trireme.registry = '" + s.registry + "'", "SET trireme.optimizer = '" + optimizer + "'",
	} {
		if _, err := r.run(sql, nil); err != nil {
			r.t.Fatal(err)
		}
	}
	r.session.settings.planning.classes = s.classes
}

// compareAll asks every backend and the interpreter, and compares with want.
// It returns the reason when native refuses, and fails on any difference.
func (r *rig) compareAll(sql string, args []Arg, want difftest.Table, opts difftest.CompareOptions) (refused string, err error) {
	if refused, err := r.compareBackends(sql, args, want, opts); refused != "" || err != nil {
		return refused, err
	}
	got, err := interpAnswer(r.t, r.session, sql, args)
	if errors.Is(err, errParts) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("interp: %w", err)
	}
	if err := difftest.Compare(want, got, opts); err != nil {
		return "", fmt.Errorf("interp: %w", err)
	}
	return "", nil
}

// compareBackends is compareAll without the interpreter, which is given the text past the
// session.
func (r *rig) compareBackends(sql string, args []Arg, want difftest.Table, opts difftest.CompareOptions) (refused string, err error) {
	for _, s := range settings4 {
		r.set(s)
		got, err := r.run(sql, args)
		if reason, no := refusal(err); no {
			if s.backend == Native {
				return reason, nil
			}
			return "", fmt.Errorf("%s refused what native answered: %w", s.name, err)
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", s.name, err)
		}
		if by := r.session.LastBackend(); by != s.by {
			return "", fmt.Errorf("%s: answered by %s", s.name, by)
		}
		if err := difftest.Compare(want, got, opts); err != nil {
			return "", fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return "", nil
}

// refusal returns the reason when a forced backend has declined.
func refusal(err error) (reason string, no bool) {
	var e *sqlerr.Error
	if errors.As(err, &e) && e.Code == sqlerr.FeatureNotSupported {
		_, reason, no = strings.Cut(e.Message, "cannot answer this statement: ")
	}
	return reason, no
}

// literalArgs turns SQL literals into parameter values.
func literalArgs(literals []string) []Arg {
	var out []Arg
	for _, l := range literals {
		switch {
		case strings.EqualFold(l, "NULL"):
			out = append(out, Arg{Null: true})
		case strings.HasSuffix(l, "'"):
			text := l[strings.IndexByte(l, '\'')+1 : len(l)-1]
			out = append(out, Arg{Text: strings.ReplaceAll(text, "''", "'")})
		default:
			out = append(out, Arg{Text: l})
		}
	}
	return out
}

func TestCorpus(t *testing.T) {
	schema, cases, err := difftest.LoadCorpus(os.DirFS("../testdata/corpus"))
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t)
	r.script(schema)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			r.t = t
			r.corpusCase(c)
		})
	}
}

func (r *rig) corpusCase(c difftest.Case) {
	args := literalArgs(c.Params)
	opts := difftest.CompareOptions{Ordered: c.Ordered, ToleranceAbs: c.ToleranceAbs}
	want, err := r.want(c.SQL, args)
	if c.Expect == difftest.Error {
		r.corpusError(c, args, err)
		return
	}
	if err != nil {
		r.t.Fatalf("oracle: %v", err)
	}
	refused, err := r.compareAll(c.SQL, args, want, opts)
	if err != nil {
		r.t.Fatalf("%s\n%v", c.SQL, err)
	}
	if refused != "" && c.Expect == difftest.Tensor {
		r.t.Fatalf("%s\nrefused: %s", c.SQL, refused)
	}
	if refused == "" && c.Expect == difftest.DuckDB {
		r.t.Fatalf("%s\nanswered on tensors, expected DuckDB (%s)", c.SQL, c.Detail)
	}
	r.set(setting{backend: Auto, registry: "on"})
	got, err := r.run(c.SQL, args)
	if err == nil {
		err = difftest.Compare(want, got, opts)
	}
	if err != nil {
		r.t.Fatalf("%s\nauto: %v", c.SQL, err)
	}
}

// corpusError: every backend fails, with the same SQLSTATE class; a forced one
// may refuse instead.
func (r *rig) corpusError(c difftest.Case, args []Arg, want error) {
	if want == nil {
		r.t.Fatalf("%s\nthe oracle answers", c.SQL)
	}
	for _, b := range []Backend{Auto, Native, Decomposed, DuckDB} {
		r.set(setting{backend: b, registry: "on"})
		_, err := r.run(c.SQL, args)
		if err == nil {
			r.t.Fatalf("%s\n%s answers, DuckDB says %v", c.SQL, b, want)
		}
		code := sqlerr.From(err).Code
		forced := b == Native || b == Decomposed
		if code[:2] != c.Detail && !(forced && code == sqlerr.FeatureNotSupported) {
			r.t.Errorf("%s\n%s: %s %v, want class %s", c.SQL, b, code, err, c.Detail)
		}
	}
}

// TestRandomQueries compares generated statements. Run it for as long as
// wanted: go test ./engine -run RandomQueries -diff.queries 1000000 -diff.seed 7.
func TestRandomQueries(t *testing.T) {
	seen, answered, nonEmpty := 0, 0, 0
	r := newRig(t)
	reasons := map[string]int{}
	for n := uint64(0); seen < *diffQueries; n++ {
		rng := rand.New(rand.NewPCG(*diffSeed, n))
		generate := difftest.Generate
		if n%10 == 9 {
			generate = difftest.GenerateFloats
		}
		schema, queries := generate(rng)
		eligible := slices.DeleteFunc(queries, func(q difftest.Query) bool { return !q.Eligible })
		a, full := r.compareSchema(t, fmt.Sprintf("seed %d schema %d", *diffSeed, n), schema, eligible, reasons)
		seen += len(eligible)
		answered += a
		nonEmpty += full
		if t.Failed() {
			return
		}
	}
	t.Logf("%d statements, native answered %d, %d with rows; refusals: %v", seen, answered, nonEmpty, sortedCounts(reasons))
	if answered*100 < seen*95 {
		t.Errorf("native answered %d of %d eligible statements, want 95%%", answered, seen)
	}
	if nonEmpty*100 < seen*35 {
		t.Errorf("%d of %d statements have rows, want 35%%", nonEmpty, seen)
	}
}

// compareSchema runs the statements over one random schema.
func (r *rig) compareSchema(t *testing.T, name string, schema []string, queries []difftest.Query, reasons map[string]int) (answered, nonEmpty int) {
	t.Run(name, func(t *testing.T) {
		r.t = t
		r.dropTables()
		r.script(strings.Join(schema, ";\n"))
		for _, q := range queries {
			want, err := r.want(q.SQL, nil)
			if err != nil && sqlerr.From(err).Code == sqlerr.InternalError {
				reasons["(oracle) INTERNAL error of DuckDB, which is no answer"]++
				continue
			}
			if err != nil {
				t.Fatalf("oracle: %v\n%s;\n%s", err, strings.Join(schema, ";\n"), q.SQL)
			}
			refused, err := r.compareAll(q.SQL, nil, want, difftest.CompareOptions{Ordered: q.Ordered, ToleranceAbs: q.ToleranceAbs})
			if err != nil {
				t.Fatalf("%v\n%s;\n%s", err, strings.Join(schema, ";\n"), q.SQL)
			}
			if refused != "" {
				reasons[refused]++
				continue
			}
			answered++
			if len(want.Rows) > 0 {
				nonEmpty++
			}
		}
	})
	return answered, nonEmpty
}

func sortedCounts(m map[string]int) []string {
	var out []string
	for k, v := range m {
		out = append(out, fmt.Sprintf("%d x %s", v, k))
	}
	sort.Strings(out)
	return out
}

var (
	_ rows.Cursor = (*interpCursor)(nil)
	_ error       = (*translate.Ineligible)(nil)
)
