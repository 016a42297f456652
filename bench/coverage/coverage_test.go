package coverage_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trireme-db/trireme/bench/coverage"
	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/engine/difftest"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

var (
	rewrite = flag.Bool("rewrite", false, "write COVERAGE.tsv anew")
	only    = flag.String("only", "", "a query to run alone")
)

const coverageFile = "COVERAGE.tsv"

// queryTimeout ends what would run for ever.
const queryTimeout = 2 * time.Minute

// TestCoverage runs every query on every backend, compares the answers with
// DuckDB's, and who answered with the committed file (C3).
func TestCoverage(t *testing.T) {
	queries, err := coverage.Queries()
	if err != nil {
		t.Fatal(err)
	}
	rigs := map[string]*rig{}
	var now []coverage.Entry
	for _, q := range queries {
		if *only != "" && q.Name != *only {
			continue
		}
		if rigs[q.Data] == nil {
			rigs[q.Data] = newRig(t, q.Data)
		}
		e := coverage.Entry{Name: q.Name, Family: q.Family, HeldOut: q.HeldOut()}
		t.Run(q.Name, func(t *testing.T) { rigs[q.Data].all(t, &q, &e) })
		now = append(now, e)
	}
	for _, r := range coverage.Reasons(now) {
		t.Logf("%4d  %s", r.Queries, r.Text)
	}
	for _, total := range coverage.Totals(now) {
		t.Logf("%s: native answered %d of %d, under auto %d", total.Family, total.Native, total.Queries, total.Auto)
	}
	if *only == "" {
		checkFile(t, now)
	}
}

// checkFile compares with the committed file, or writes it. A query that was
// native before and is not now fails the test, and nothing is written.
func checkFile(t *testing.T, now []coverage.Entry) {
	text, err := os.ReadFile(coverageFile)
	if err != nil {
		t.Fatal(err)
	}
	before, err := coverage.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	change := coverage.Compare(before, now)
	switch {
	case !strings.HasPrefix(engine.DuckDBVersion(), "v1."):
		// The file is about release 1. What is lost in another has its meaning there.
		for _, e := range now {
			if slices.Contains(change.Lost, e.Name) && !sqlfront.DependsOnRelease(e.Reason) {
				t.Errorf("%s: %s", e.Name, e.Reason)
			}
		}
	case len(change.Lost) > 0:
		t.Errorf("native answered these before and does not now: %s", strings.Join(change.Lost, ", "))
	case *rewrite:
		if err := os.WriteFile(coverageFile, []byte(coverage.Format(now)), 0o644); err != nil {
			t.Fatal(err)
		}
	case len(change.Won) > 0:
		t.Logf("native answers more than %s says; make it anew with go test ./bench/coverage -rewrite: %s", coverageFile, strings.Join(change.Won, ", "))
	}
}

// rig is an engine beside DuckDB over the same data. DuckDB has its optimizer:
// joins that are written with commas are cross products without it.
type rig struct {
	session *engine.Session
	oracle  *duckbackend.Conn
}

func newRig(t *testing.T, data string) *rig {
	t.Helper()
	ctx := context.Background()
	script, err := coverage.Script(data, coverage.ScaleTest)
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.Open(ctx, engine.Config{FirstPatience: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.NewSession(ctx, engine.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	db, err := duckbackend.Open(ctx, duckbackend.Config{})
	if err != nil {
		t.Fatal(err)
	}
	oracle, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, close := range []func() error{s.Close, e.Close, oracle.Close, db.Close} {
			if err := close(); err != nil {
				t.Error(err)
			}
		}
	})
	r := &rig{session: s, oracle: oracle}
	if err := oracle.Exec(ctx, script); err != nil {
		t.Fatalf("data set %s: %v", data, err)
	}
	statements, err := s.Split(script)
	if err != nil {
		t.Fatal(err)
	}
	for _, st := range statements {
		if _, err := r.run(ctx, st.Text); err != nil {
			t.Fatalf("data set %s: %s: %v", data, st.Text, err)
		}
	}
	return r
}

// run executes a statement in the session.
func (r *rig) run(ctx context.Context, sql string) (difftest.Table, error) {
	p, err := r.session.Prepare(ctx, sql, nil)
	if err != nil {
		return difftest.Table{}, err
	}
	res, err := p.Execute(ctx, nil)
	if err != nil {
		return difftest.Table{}, errors.Join(err, p.Close())
	}
	out, err := difftest.Collect(ctx, res)
	return out, errors.Join(err, res.Close(), p.Close())
}

// ask is DuckDB's answer to a statement.
func (r *rig) ask(ctx context.Context, sql string) (difftest.Table, error) {
	cur, err := r.oracle.Query(ctx, sql)
	if err != nil {
		return difftest.Table{}, err
	}
	out, err := difftest.Collect(ctx, cur)
	return out, errors.Join(err, cur.Close())
}

// withCheck runs a statement by run and returns what is compared: its rows, or
// those of its check.
func withCheck(ctx context.Context, q *coverage.Query, file string, run func(context.Context, string) (difftest.Table, error)) (difftest.Table, error) {
	out, err := run(ctx, strings.ReplaceAll(q.SQL, "{file}", file))
	if err == nil && q.Check != "" {
		out, err = run(ctx, strings.ReplaceAll(q.Check, "{file}", file))
	}
	if err == nil && q.Undo != "" {
		_, err = run(ctx, q.Undo)
	}
	return out, err
}

// all runs a query on every backend and notes who took it.
func (r *rig) all(t *testing.T, q *coverage.Query, e *coverage.Entry) {
	ctx, cancel := context.WithTimeout(context.Background(), queryTimeout)
	defer cancel()
	want, err := withCheck(ctx, q, filepath.Join(t.TempDir(), "want"), r.ask)
	if err != nil {
		t.Fatalf("DuckDB: %v", err)
	}
	by, reason := r.one(ctx, t, q, engine.Native, want)
	e.Native, e.Reason = by == engine.Native.String(), reason
	if e.Native {
		if by, reason := r.one(ctx, t, q, engine.Decomposed, want); by != engine.Decomposed.String() {
			t.Errorf("decomposed refused what native answered: %s", reason)
		}
	}
	e.Auto, _ = r.one(ctx, t, q, engine.Auto, want)
	switch {
	case t.Failed():
		e.Native, e.Reason = false, "wrong"
	case e.Native && e.Auto == engine.DuckDB.String():
		e.Reason = "auto: " + r.autoReason(ctx, t, q)
	}
}

// one runs a query on a backend and compares its rows. It returns who answered
// and, when a forced backend did not, why.
func (r *rig) one(ctx context.Context, t *testing.T, q *coverage.Query, b engine.Backend, want difftest.Table) (by, reason string) {
	t.Helper()
	r.set(ctx, t, engine.DuckDB)
	if _, err := r.run(ctx, "SELECT 1"); err != nil { // LastBackend is of this before
		t.Fatal(err)
	}
	r.set(ctx, t, b)
	file := filepath.Join(t.TempDir(), "got")
	taken := ""
	got, err := withCheck(ctx, q, file, func(ctx context.Context, sql string) (difftest.Table, error) {
		if taken != "" { // the check and the undoing are DuckDB's
			r.set(ctx, t, engine.DuckDB)
		}
		out, err := r.run(ctx, sql)
		if taken == "" {
			taken = r.session.LastBackend()
		}
		return out, err
	})
	var refused *sqlerr.Error
	if errors.As(err, &refused) && refused.Code == sqlerr.FeatureNotSupported && (b == engine.Native || b == engine.Decomposed) {
		_, reason, _ = strings.Cut(refused.Message, "cannot answer this statement: ")
		return "", reason
	}
	if err == nil {
		err = difftest.Compare(want, got, difftest.CompareOptions{Ordered: q.Ordered, ToleranceAbs: tolerance(q, want)})
	}
	if err != nil {
		t.Errorf("%s: %v\n%s", b, err, q.SQL)
	}
	if taken == engine.DuckDB.String() && b != engine.Auto {
		return taken, "no part of the statement ran on tensors"
	}
	return taken, ""
}

func (r *rig) set(ctx context.Context, t *testing.T, b engine.Backend) {
	t.Helper()
	if _, err := r.run(ctx, fmt.Sprintf("SET trireme.backend = '%s'", b)); err != nil {
		t.Fatal(err)
	}
}

// autoReason is what EXPLAIN gives as the reason for DuckDB.
func (r *rig) autoReason(ctx context.Context, t *testing.T, q *coverage.Query) string {
	t.Helper()
	out, err := r.run(ctx, "EXPLAIN "+q.SQL)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range out.Rows {
		if reason, ok := strings.CutPrefix(fmt.Sprint(row[0]), "reason: "); ok {
			return reason
		}
	}
	return ""
}

// toleranceRel is how far floats may be apart, relative to the sum of |term|:
// sums are added up in another order.
const toleranceRel = 1e-9

// tolerance is absolute: from the query's bound, or from the largest float of the
// answer.
func tolerance(q *coverage.Query, want difftest.Table) float64 {
	if q.TermsMax > 0 {
		return toleranceRel * q.TermsMax
	}
	largest := 0.0
	for _, row := range want.Rows {
		for _, cell := range row {
			if f, ok := cell.(float64); ok && !math.IsInf(f, 0) && !math.IsNaN(f) {
				largest = max(largest, math.Abs(f))
			}
		}
	}
	return toleranceRel * largest
}
