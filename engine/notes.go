package engine

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/activity"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// notes are what is noted of one execution. All methods work on nil, of what runs
// for nobody.
type notes struct {
	statement *activity.Statement
	class     sqlfront.Class
	sql       string
	args      []Arg
	types     []rows.Type // of args
	// trace gathers what a slow statement did; nil: slow ones are not looked for.
	trace *trace
}

// beginNotes starts the notes of an execution; the session's are these until the
// next one begins.
func (s *Session) beginNotes(sql string, class sqlfront.Class) *notes {
	n := &notes{sql: sql, class: class}
	n.statement = s.activity.Begin(s.textToKeep(sql, class), class.Kind.String(), s.settings.get("application_name"), time.Now())
	if s.engine.slowQueryNs.Load() > 0 {
		n.trace = &trace{}
	}
	s.noted = n
	return n
}

// textToKeep is a statement's text for the activity's notes. Long ones are cut there, perhaps before
// the word that tells of a secret; what the values of EXECUTE are its own text does not tell.
func (s *Session) textToKeep(sql string, class sqlfront.Class) string {
	if class.Kind == sqlfront.ClassExecute {
		if named := s.statementNamed(class.Name); named != nil && sqlfront.MayCarrySecret(named.sql) {
			return sqlfront.RedactValues(sql)
		}
	}
	if len(sql) > activity.TextMaxBytes {
		return sqlfront.Redact(sql)
	}
	return sql
}

func (n *notes) add(p activity.Phase, d time.Duration) {
	if n != nil {
		n.statement.Add(p, d)
	}
}

// answered says who answers a statement.
func (n *notes) answered(by Backend, reason string) {
	if n != nil {
		n.statement.Answered(by.String(), reason)
	}
}

// because says why DuckDB answers.
func (n *notes) because(reason string) {
	if n != nil {
		n.statement.Because(reason)
	}
}

// tracing is where an execution leaves what it does; nil: nobody asks.
func (n *notes) tracing() *trace {
	if n == nil {
		return nil
	}
	return n.trace
}

// endNotes completes the notes of an execution and logs them.
func (s *Session) endNotes(ctx context.Context, n *notes, rowCount int64, err error) {
	if n == nil {
		return
	}
	code, message := "00000", ""
	if err != nil {
		e := sqlerr.From(err)
		code, message = e.Code, e.Message
	}
	rec := n.statement.End(rowCount, code, message)
	s.rest()
	if rec != nil {
		s.logStatement(ctx, n, rec)
	}
	if s.noted == n { // a session that rests keeps neither text nor arguments
		s.noted = nil
	}
}

// rest notes what the session is in between statements.
func (s *Session) rest() {
	switch s.TxStatus() {
	case TxActive:
		s.activity.Rest(activity.InTransaction)
	case TxFailed:
		s.activity.Rest(activity.InFailed)
	default:
		s.activity.Rest(activity.Idle)
	}
}

// noteRefused notes a statement that could not be prepared.
func (s *Session) noteRefused(ctx context.Context, sql string, took time.Duration, err error) {
	class := sqlfront.Class{}
	if c := sqlfront.Classify(sql); c.Kind == sqlfront.ClassExecute {
		class = c
	}
	n := s.beginNotes(sql, class)
	n.add(activity.Bind, took)
	s.endNotes(ctx, n, 0, err)
}

// logStatement logs a statement: failed ones at info, slow ones as a warning with
// their plan, others at debug level. Texts are redacted.
func (s *Session) logStatement(ctx context.Context, n *notes, rec *activity.Record) {
	log, slow := s.engine.log, time.Duration(s.engine.slowQueryNs.Load())
	switch {
	case slow > 0 && rec.Took >= slow:
		log.LogAttrs(ctx, slog.LevelWarn, "slow statement", append(statementAttrs(rec), slog.String("plan", s.planOf(ctx, n, rec)))...)
	case rec.Code != "00000":
		log.LogAttrs(ctx, slog.LevelInfo, "statement failed", statementAttrs(rec)...)
	case log.Enabled(ctx, slog.LevelDebug):
		log.LogAttrs(ctx, slog.LevelDebug, "statement", statementAttrs(rec)...)
	}
}

func statementAttrs(rec *activity.Record) []slog.Attr {
	attrs := []slog.Attr{
		slog.Uint64("query_id", rec.ID), slog.Uint64("pid", uint64(rec.PID)), slog.String("user", rec.User), slog.String("database", rec.Database),
		slog.String("application_name", rec.Application), slog.String("kind", rec.Kind), slog.String("backend", rec.Backend),
		slog.Int64("rows", rec.Rows), slog.String("sqlstate", rec.Code), slog.Float64("ms", inMilliseconds(rec.Took)),
	}
	for _, p := range activity.Phases() {
		attrs = append(attrs, slog.Float64(p.String()+"_ms", inMilliseconds(rec.Phase(p))))
	}
	if rec.Reason != "" {
		attrs = append(attrs, slog.String("reason", rec.Reason))
	}
	if rec.Message != "" {
		attrs = append(attrs, slog.String("error", sqlfront.RedactMessage(rec.Text, rec.Message)))
	}
	return append(attrs, slog.String("statement", sqlfront.Redact(rec.Text)))
}

// planOf is the EXPLAIN of what an execution did; of DuckDB's part, its plan.
func (s *Session) planOf(ctx context.Context, n *notes, rec *activity.Record) string {
	for _, text := range []string{n.sql, rec.Text} {
		if sqlfront.MayCarrySecret(text) {
			return sqlfront.RedactMessage(text, "")
		}
	}
	if rec.Backend == Native.String() || rec.Backend == Decomposed.String() {
		x := explanation{Backend: rec.Backend, planning: s.settings.planning, analyzed: true, trace: n.trace.complete(), rows: rec.Rows, took: rec.Took}
		return x.text()
	}
	switch n.class.Kind {
	case sqlfront.ClassSelect, sqlfront.ClassInsert, sqlfront.ClassUpdate, sqlfront.ClassDelete, sqlfront.ClassMerge:
	default:
		return ""
	}
	plan, err := s.engine.duckPlanOf(context.WithoutCancel(ctx), n)
	if err != nil {
		return "not known: " + err.Error()
	}
	return plan
}

// complete leaves out what had not been planned when the execution ended.
func (t *trace) complete() trace {
	if t == nil {
		return trace{}
	}
	out := trace{account: t.account}
	for _, p := range t.programs {
		if len(p.plans) > 0 {
			out.programs = append(out.programs, p)
		}
	}
	return out
}

// duckPlanTimeout bounds the planning of a statement that has been slow.
const duckPlanTimeout = 2e9

// duckPlanOf is DuckDB's plan of a statement that has ended, made on another
// connection: what only its session sees is an error.
func (e *Engine) duckPlanOf(ctx context.Context, n *notes) (text string, err error) {
	ctx, cancel := context.WithTimeout(ctx, duckPlanTimeout)
	defer cancel()
	var args []duckbackend.Arg
	for i, a := range n.args {
		args = append(args, duckbackend.Arg{Type: n.types[i], Null: a.Null, Text: a.Text})
	}
	err = e.workers.lend(ctx, func(c *duckbackend.Conn) error {
		cur, err := c.Query(ctx, "EXPLAIN "+n.sql, args...)
		if err != nil {
			return err
		}
		for {
			b, err := cur.Next(ctx)
			if err != nil || b == nil {
				return errors.Join(err, cur.Close())
			}
			for i := range b.N {
				text += b.Cols[len(b.Cols)-1].Str[i]
			}
		}
	})
	return text, err
}

// SetSlowQuery sets the time from which on a statement is logged with its plan;
// 0: none is.
func (e *Engine) SetSlowQuery(threshold time.Duration) { e.slowQueryNs.Store(int64(threshold)) }

// Activity is what the sessions of the engine do.
func (e *Engine) Activity() *activity.Registry { return e.activity }
