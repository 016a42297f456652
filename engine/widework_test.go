package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/trireme-db/trireme/engine/difftest"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// wideWorker is a rig with a session for every way to answer.
type wideWorker struct {
	*rig
	ways []wideWay
	// kept are prepared statements of native that are executed again after each
	// change of the data.
	kept  []keptStatement
	count *wideCount
}

// wideWay is a session that answers in one way.
type wideWay struct {
	setting
	session *Session
}

type keptStatement struct {
	prepared *Prepared
	query    difftest.Query
}

// keptMax bounds the statements that are executed again; one of keptEvery is kept.
const (
	keptMax   = 8
	keptEvery = 5
)

// wideTimeout is long for any statement over a few rows.
const wideTimeout = time.Minute

func openWide(t *testing.T) *wideWorker {
	w := &wideWorker{rig: openRig(t, 1)}
	for _, s := range append(append([]setting(nil), settings4...), setting{name: "auto", backend: Auto, registry: "on"}) {
		session, err := w.engine.NewSession(context.Background(), SessionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		w.ways = append(w.ways, wideWay{s, session})
		w.as(len(w.ways)-1, func() {
			w.set(s)
		})
	}
	w.waits(wideTimeout)
	return w
}

// waits sets how long a statement may take, on all sides.
func (w *wideWorker) waits(long time.Duration) {
	w.patience = long
	for i := range w.ways {
		w.as(i, func() { w.must(fmt.Sprintf("SET statement_timeout = '%dms'", long.Milliseconds())) })
	}
}

func (w *wideWorker) close() {
	for _, way := range w.ways {
		if err := way.session.Close(); err != nil {
			w.t.Error(err)
		}
	}
	w.rig.close()
}

// as does something in the session of one way.
func (w *wideWorker) as(way int, do func()) {
	saved := w.session
	w.session = w.ways[way].session
	do()
	w.session = saved
}

// must runs a statement of the test's own.
func (w *wideWorker) must(sql string) {
	if _, err := w.run(sql, nil); err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
}

// schema runs the steps over one schema and returns what differed.
func (w *wideWorker) schema(schema []string, steps []difftest.Step, count *wideCount) (faults []string) {
	w.count = count
	w.dropTables()
	w.script(strings.Join(schema, ";\n"))
	defer w.forget()
	history := append([]string(nil), schema...)
	fault := func(q difftest.Query, err error) {
		count.wrong++
		faults = append(faults, fmt.Sprintf("%v\n%s;\n%s\n%s", err, strings.Join(history, ";\n"), queryText(q), w.shrunk(schema[0], q)))
	}
	for _, step := range steps {
		if len(step.Session) > 0 {
			history = append(history, step.Session...)
			w.everywhere(step.Session)
			continue
		}
		for _, sql := range step.Changes {
			count.changes++
			history = append(history, sql)
			w.script(sql)
		}
		if len(step.Changes) > 0 {
			for _, k := range w.kept {
				if err := w.again(k); err != nil {
					fault(k.query, fmt.Errorf("after a change, prepared before: %w", err))
				}
			}
			continue
		}
		count.seen++
		q := w.form(step)
		if err := w.query(q, true); err != nil {
			fault(q, err)
		}
		if len(faults) >= *wideErrors {
			return faults
		}
	}
	return faults
}

// everywhere executes statements in every session.
func (w *wideWorker) everywhere(statements []string) {
	for _, sql := range statements {
		w.script(sql)
		for i := range w.ways {
			w.as(i, func() { w.must(sql) })
		}
	}
}

// queryText is a statement with its parameters, to be read.
func queryText(q difftest.Query) string {
	text := q.SQL + ";"
	for i, args := range q.Args {
		text += fmt.Sprintf("\n-- parameters %v", args)
		if len(q.Written) > 0 {
			text += fmt.Sprintf(" of %v, written:\n%s;", q.Types, q.Written[i])
		}
	}
	return text
}

// forget closes the kept statements.
func (w *wideWorker) forget() {
	for _, k := range w.kept {
		if err := k.prepared.Close(); err != nil {
			w.t.Error(err)
		}
	}
	w.kept = nil
}

// wideExecution is one execution of a query.
type wideExecution struct {
	query difftest.Query
	args  []Arg
	// oracle is the text that the oracle is given, with oracleArgs.
	oracle     string
	oracleArgs []Arg
}

// executions are those of a query, one at least.
func executions(q difftest.Query) []wideExecution {
	if len(q.Args) == 0 {
		return []wideExecution{{query: q, oracle: q.SQL}}
	}
	out := make([]wideExecution, len(q.Args))
	for i, args := range q.Args {
		x := wideExecution{query: q, oracle: q.SQL}
		for _, a := range args {
			x.args = append(x.args, Arg(a))
		}
		if x.oracleArgs = x.args; len(q.Written) > 0 {
			x.oracle, x.oracleArgs = q.Written[i], nil
		}
		out[i] = x
	}
	return out
}

// query compares the answers to one statement, or errors.
func (w *wideWorker) query(q difftest.Query, keep bool) error {
	if q.Check != "" {
		return w.write(q)
	}
	var p *Prepared
	answered, nonEmpty := true, false
	for n, x := range executions(q) {
		want, wantErr := w.want(x.oracle, x.oracleArgs)
		if wantErr != nil {
			wantErr = w.oracleError(wantErr)
			if wantErr == nil {
				return nil
			}
		}
		native, err := w.native(&p, x)
		answered, err = w.judge(0, x, want, wantErr, native, err)
		if err != nil || !answered {
			return errors.Join(err, closePrepared(p))
		}
		nonEmpty = nonEmpty || len(want.Rows) > 0
		if n > 0 || w.count.seen%*wideEvery > 0 {
			continue
		}
		if err := w.others(x, want, wantErr); err != nil {
			return errors.Join(err, closePrepared(p))
		}
	}
	w.count.answered++
	if nonEmpty {
		w.count.nonEmpty++
	}
	if keep && len(w.kept) < keptMax && w.count.seen%keptEvery == 0 {
		w.kept = append(w.kept, keptStatement{p, q})
		return nil
	}
	return closePrepared(p)
}

func closePrepared(p *Prepared) error {
	if p == nil {
		return nil
	}
	return p.Close()
}

// others asks all backends but native.
func (w *wideWorker) others(x wideExecution, want difftest.Table, wantErr error) (err error) {
	for i := 1; i < len(w.ways) && err == nil; i++ {
		w.as(i, func() {
			got, gotErr := w.runDeclared(x.query.SQL, x.query.Types, x.args)
			_, err = w.judge(i, x, want, wantErr, got, gotErr)
		})
	}
	return err
}

// native executes a statement, which is prepared once.
func (w *wideWorker) native(p **Prepared, x wideExecution) (difftest.Table, error) {
	ctx := context.Background()
	if *p == nil {
		prepared, err := w.ways[0].session.Prepare(ctx, x.query.SQL, x.query.Types)
		if err != nil {
			return difftest.Table{}, err
		}
		*p = prepared
	}
	res, err := (*p).Execute(ctx, x.args)
	if err != nil {
		return difftest.Table{}, err
	}
	out, err := difftest.Collect(ctx, res)
	return out, errors.Join(err, res.Close())
}

// again executes a statement that has been prepared before the data changed.
func (w *wideWorker) again(k keptStatement) error {
	x := executions(k.query)[0]
	want, err := w.want(x.oracle, x.oracleArgs)
	if err != nil {
		if err = w.oracleError(err); err == nil {
			return nil
		}
	}
	got, gotErr := w.native(&k.prepared, x)
	_, err = w.judge(0, x, want, err, got, gotErr)
	return err
}

// oracleError is the oracle's error, which a backend has to have as well; nil: an
// internal one, what DuckDB does not support or does not finish, which are no answers.
func (w *wideWorker) oracleError(err error) error {
	e := sqlerr.From(err)
	if e.Code == sqlerr.QueryCanceled {
		w.count.timeouts["oracle"]++
		return nil
	}
	w.count.errorClasses[e.Code[:2]]++
	if e.Code == sqlerr.InternalError || e.Code[:2] == "0A" {
		return nil
	}
	return e
}

// errNoStatement says that the oracle does not accept a statement.
var errNoStatement = errors.New("no statement of DuckDB's")

// judge compares what a backend says with what the oracle says; taken is false
// where it has refused, or did not finish.
func (w *wideWorker) judge(
	way int, x wideExecution, want difftest.Table, wantErr error, got difftest.Table, err error,
) (taken bool, fault error) {
	name := w.ways[way].name
	if wantErr != nil {
		if sqlerr.From(wantErr).Code[:2] == "42" {
			return false, fmt.Errorf("%w: %w", errNoStatement, wantErr)
		}
	}
	reason, no := refusal(err)
	switch {
	case no:
		w.count.refused[name]++
		if way == 0 {
			w.count.reasons[reason]++
		} else if wantErr == nil {
			return false, fmt.Errorf("%s refused what native answered: %w", name, err)
		}
		return false, nil
	case err != nil && sqlerr.From(err).Code == sqlerr.QueryCanceled:
		w.count.timeouts[name]++
		w.t.Logf("%s did not finish in %s: %s", name, wideTimeout, queryText(x.query))
		return false, nil
	case wantErr == nil && err != nil && w.isOptimizers(x, err):
		w.count.optimizers++
		if sqlerr.From(err).Code == sqlerr.InternalError {
			w.t.Logf("DuckDB's optimizer fails: %v: %s", err, queryText(x.query))
		}
		return false, nil
	case wantErr != nil && err == nil && w.isAvoided(x, got):
		w.count.avoided++
		return true, nil
	case wantErr != nil:
		if err == nil || sqlerr.From(err).Code[:2] != sqlerr.From(wantErr).Code[:2] {
			return false, fmt.Errorf("%s says %s, DuckDB %w", name, fmt.Sprint(err), wantErr)
		}
		return true, nil
	case err != nil:
		return false, fmt.Errorf("%s: %w", name, err)
	}
	w.count.executed++
	w.count.taken[name]++
	fault = w.compare(x, want, got)
	if fault != nil && w.isAvoided(x, got) {
		w.count.optimizers++
		w.t.Logf("DuckDB's optimizer changes the answer: %v: %s", fault, queryText(x.query))
		return true, nil
	}
	if fault != nil {
		return true, fmt.Errorf("%s: %w", name, fault)
	}
	return true, nil
}

// isAvoided reports whether DuckDB's optimizer makes the answer got where the oracle,
// which evaluates all that is written, has another one or an error: it leaves out columns
// that nothing reads, as the tensor engine does, and takes some conditions wrong.
func (w *wideWorker) isAvoided(x wideExecution, got difftest.Table) bool {
	want, err := w.optimized(x)
	return err == nil && w.compare(x, want, got) == nil
}

// isOptimizers reports whether err is an error that DuckDB's optimizer makes of the
// statement itself, which the oracle answers without it: an internal one, or that of a
// row on which it evaluates a condition before the join that drops the row.
func (w *wideWorker) isOptimizers(x wideExecution, err error) bool {
	_, its := w.optimized(x)
	if its == nil || sqlerr.From(its).Code != sqlerr.From(err).Code {
		return false
	}
	return sqlerr.From(err).Code == sqlerr.InternalError || sqlerr.From(its).Message == sqlerr.From(err).Message
}

// optimized is what DuckDB says to a statement that its optimizer has seen, or writes.
func (w *wideWorker) optimized(x wideExecution) (difftest.Table, error) {
	w.oracleRuns("PRAGMA enable_optimizer")
	defer w.oracleRuns("PRAGMA disable_optimizer")
	if x.query.Check != "" {
		return w.oracleWrites(x)
	}
	return w.want(x.oracle, x.oracleArgs)
}

func (w *wideWorker) oracleRuns(sql string) {
	if err := w.oracle.Exec(context.Background(), sql); err != nil {
		w.t.Fatal(err)
	}
}

func (w *wideWorker) compare(x wideExecution, want, got difftest.Table) error {
	q := x.query
	if len(q.Written) > 0 {
		want, got = asBound(x, want, got)
	}
	return difftest.Compare(want, got, difftest.CompareOptions{Ordered: q.Ordered, ToleranceAbs: q.ToleranceAbs, EqualIntervals: true})
}

// write compares what a statement has written, by every backend in a transaction
// that is rolled back; UPDATE and DELETE are then executed for good.
func (w *wideWorker) write(q difftest.Query) error {
	x := executions(q)[0]
	want, wantErr := w.oracleWrites(x)
	if wantErr != nil {
		if wantErr = w.oracleError(wantErr); wantErr == nil {
			return nil
		}
	}
	taken := false
	for i := range w.ways {
		if i > 0 && (!taken || w.count.seen%*wideEvery > 0) {
			break
		}
		var fault error
		w.as(i, func() {
			got, err := w.written(q.Check, w.run, func() error {
				_, err := w.runDeclared(q.SQL, q.Types, x.args)
				if err == nil {
					w.set(setting{backend: DuckDB, registry: "on"})
				}
				return err
			})
			w.set(w.ways[i].setting)
			taken, fault = w.judge(i, x, want, wantErr, got, err)
		})
		if fault != nil {
			return fault
		}
		if i == 0 && taken {
			w.count.answered++
			w.count.nonEmpty++
		}
	}
	if wantErr != nil || !strings.HasPrefix(q.SQL, "UPDATE") && !strings.HasPrefix(q.SQL, "DELETE") {
		return nil
	}
	return w.writeForGood(x, taken)
}

// oracleWrites is what the oracle's execution writes.
func (w *wideWorker) oracleWrites(x wideExecution) (difftest.Table, error) {
	return w.written(x.query.Check, w.want, func() error {
		_, err := w.want(x.oracle, x.oracleArgs)
		return err
	})
}

// written is what an execution writes, by what check shows before it is undone.
func (w *wideWorker) written(check string, run func(string, []Arg) (difftest.Table, error), execute func() error) (out difftest.Table, err error) {
	command := func(sql string) {
		if _, err := run(sql, nil); err != nil {
			w.t.Fatalf("%s: %v", sql, err)
		}
	}
	command("BEGIN")
	if err = execute(); err == nil {
		out, err = run(check, nil)
	}
	command("ROLLBACK")
	return out, err
}

// writeForGood executes a statement on both sides, by native if it takes it, and
// compares what both then have.
func (w *wideWorker) writeForGood(x wideExecution, taken bool) error {
	auto := len(w.ways) - 1
	by := auto
	if taken {
		by = 0
	}
	var got difftest.Table
	var err error
	w.as(by, func() { _, err = w.runDeclared(x.query.SQL, x.query.Types, x.args) })
	if err != nil && w.isOptimizers(x, err) {
		w.count.optimizers++
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s, outside of a transaction: %w", w.ways[by].name, err)
	}
	if _, err := w.want(x.oracle, x.oracleArgs); err != nil {
		return fmt.Errorf("only the second time: %w", err)
	}
	want, err := w.want(x.query.Check, nil)
	if err != nil {
		return err
	}
	w.as(auto, func() { got, err = w.run(x.query.Check, nil) })
	if err == nil {
		err = difftest.Compare(want, got, difftest.CompareOptions{EqualIntervals: true})
	}
	if err != nil {
		return fmt.Errorf("%s, outside of a transaction: %w", w.ways[by].name, err)
	}
	return nil
}
