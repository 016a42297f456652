package engine

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// explainable are the statements that EXPLAIN takes. With ANALYZE DuckDB executes others,
// too: a BEGIN or a SET of which the session would not know.
var explainable = map[sqlfront.ClassKind]bool{
	sqlfront.ClassSelect: true, sqlfront.ClassInsert: true, sqlfront.ClassUpdate: true, sqlfront.ClassDelete: true, sqlfront.ClassMerge: true,
	sqlfront.ClassCreate: true, sqlfront.ClassCopy: true, sqlfront.ClassExecute: true, sqlfront.ClassShow: true,
}

// prepareExplain makes the statement for EXPLAIN; nil when it is in a format that only
// DuckDB has, which does not show the plan of another backend.
func (s *Session) prepareExplain(ctx context.Context, p *Prepared) (statement, error) {
	c := p.class
	if c.Unknown != "" {
		return nil, sqlerr.At(sqlerr.SyntaxError, c.UnknownAt, "unrecognized EXPLAIN option %q", c.Unknown).
			WithHint("EXPLAIN takes ANALYZE, VERBOSE, FORMAT, and COSTS, BUFFERS, TIMING, SUMMARY, SETTINGS and WAL, which change nothing.")
	}
	body := sqlfront.Classify(c.Body)
	if body.Kind == sqlfront.ClassExecute {
		return s.explainExecute(ctx, p, body)
	}
	if !explainable[body.Kind] && body.Kind != sqlfront.ClassOther && body.Kind != sqlfront.ClassEmpty { // DuckDB has the error of these
		return nil, sqlerr.At(sqlerr.SyntaxError, c.Offset, "EXPLAIN does not take %s", firstWord(c.Body)).
			WithHint("It takes SELECT, INSERT, UPDATE, DELETE, MERGE, CREATE, COPY and EXECUTE.")
	}
	ours := body.Kind == sqlfront.ClassSelect && !body.WritesUnknown && s.engine.tensor != nil
	if s.settings.backend == DuckDB && (c.JSON || c.Analyze || c.OtherFormat) { // as DuckDB has it
		ours = false
	}
	if ours && c.OtherFormat && c.Value != "" {
		if err := s.admitFormat(ctx, c); err != nil {
			return nil, err
		}
	}
	if !ours || c.OtherFormat {
		if c.NoAnalyze { // DuckDB reads no more than the word ANALYZE
			return nil, sqlerr.New(sqlerr.FeatureNotSupported, "EXPLAIN with ANALYZE off is not supported here: DuckDB would execute the statement").
				WithHint("Leave the option out.")
		}
		if !c.OtherFormat {
			return s.prepareExplainOther(ctx, p)
		}
		return nil, nil
	}
	e := &explain{session: s, body: c.Body, offset: c.Offset, opt: ExplainOptions{Analyze: c.Analyze, JSON: c.JSON}}
	query, err := s.prepareAs(ctx, c.Body, &Prepared{session: s, given: p.given})
	if err != nil {
		return nil, shift(err, c.Offset)
	}
	e.body, e.types, e.opt.width = query.sql, query.Params(), rowWidth(query.Columns())
	return e, query.Close()
}

// admitFormat refuses a format that only DuckDB has for a statement that it does not answer.
func (s *Session) admitFormat(ctx context.Context, c sqlfront.Class) error {
	by := s.settings.backend
	if by == Auto && sqlfront.ParamCount(c.Body) == 0 {
		e := &explain{session: s, body: c.Body}
		_, reason, err := s.engine.tensor.Explain(ctx, s, c.Body, e.opt)
		decided := (*errDecided)(nil)
		if errors.As(err, &decided) {
			return nil
		}
		if err != nil {
			return shift(err, c.Offset)
		}
		if reason != "" {
			hosted, err := e.hostText(ctx, reason)
			if err != nil {
				return shift(err, c.Offset)
			}
			if hosted == "" {
				return nil
			}
		}
		by = Native
	}
	return sqlerr.New(sqlerr.FeatureNotSupported, "EXPLAIN shows a plan of backend %s as TEXT or JSON, not as %s", by, strings.ToUpper(c.Value)).
		WithHint("Write EXPLAIN (FORMAT JSON), or SET trireme.backend = 'duckdb' for DuckDB's plan.")
}

// explainExecute is EXPLAIN of the statement that EXECUTE names, with its arguments.
func (s *Session) explainExecute(ctx context.Context, p *Prepared, body sqlfront.Class) (statement, error) {
	n := s.statementNamed(body.Name)
	if n == nil || n.query == nil {
		return nil, errNotNamed(body.Name)
	}
	items := sqlfront.SplitList(body.Value)
	types, text := n.query.Params(), n.query.sql
	if err := checkArguments(len(types), items); err != nil {
		return nil, err
	}
	for i, t := range types {
		items[i] = argumentValue(items[i], t)
	}
	before, _ := strings.CutSuffix(p.sql, p.class.Body)
	own := *p
	own.sql = before + sqlfront.ReplaceParams(text, func(n int) string { return items[n-1] })
	own.class = sqlfront.Classify(own.sql)
	stmt, err := s.prepareExplain(ctx, &own)
	if stmt == nil && err == nil {
		return s.prepareDuck(ctx, &own)
	}
	return stmt, err
}

// explain is EXPLAIN of a SELECT: one text column, a row per line, or one row
// for JSON.
type explain struct {
	session *Session
	body    string
	offset  int
	opt     ExplainOptions
	types   []rows.Type // of the parameters, whose values are explained
}

func (e *explain) params() []rows.Type { return e.types }
func (e *explain) close() error        { return nil }

// withValues writes the values of parameters into the SELECT.
func (e *explain) withValues(args []Arg) (string, error) {
	values := make([]string, len(args))
	for i, arg := range args {
		t := boundTypes(e.types)[i]
		t, err := fitted(t, arg)
		if err != nil {
			return "", ofParam(i, err)
		}
		value := "NULL"
		if !arg.Null {
			value = quoteText(spelledFor(t, arg))
		}
		values[i] = "CAST(" + value + " AS " + t.String() + ")"
	}
	return sqlfront.ReplaceParams(e.body, func(n int) string { return values[n-1] }), nil
}

func (e *explain) columns() []rows.Column {
	return planColumns(e.opt.JSON)
}

func (e *explain) execute(ctx context.Context, args []Arg) (outcome, error) {
	if len(args) > 0 {
		body, err := e.withValues(args)
		if err != nil {
			return outcome{}, err
		}
		own := *e
		own.body = body
		e = &own
	}
	text, err := e.decidedText(ctx)
	if err != nil {
		return outcome{}, shift(err, e.offset)
	}
	if e.opt.JSON {
		text = planDocuments(text)
	}
	return planOutcome(text, e.opt.JSON), nil
}

// decidedText is the explanation by who answers. With ANALYZE each side has the time that
// it has for the statement itself, but one after the other.
func (e *explain) decidedText(ctx context.Context) (string, error) {
	if e.session.settings.backend == DuckDB {
		return e.duckText(ctx, "")
	}
	text, err := e.tensorText(ctx)
	decided := (*errDecided)(nil)
	if !errors.As(err, &decided) {
		return text, err
	}
	return e.inTurn(ctx, decided)
}

// inTurn is the explanation of a SELECT that auto has DuckDB answer, or begin.
func (e *explain) inTurn(ctx context.Context, decided *errDecided) (string, error) {
	if !e.opt.Analyze || decided.patience == 0 {
		return e.duckText(ctx, decided.why)
	}
	within, cancel := context.WithTimeoutCause(ctx, decided.patience, errImpatient)
	defer cancel()
	text, err := e.duckText(within, decided.why)
	if !impatient(ctx, within, err) {
		return text, err
	}
	own := *e
	own.opt.before = &nativeTurn{why: "DuckDB has not answered within " + milliseconds(decided.patience), patience: decided.then}
	if text, err = own.tensorText(ctx); !errors.As(err, &decided) {
		return text, err
	}
	return e.duckText(ctx, decided.why)
}

// tensorText is the explanation of a SELECT that is answered on tensors, as a whole or in
// part, or by DuckDB because it cannot be: *errDecided where it could.
func (e *explain) tensorText(ctx context.Context) (string, error) {
	text, reason, err := e.session.engine.tensor.Explain(ctx, e.session, e.body, e.opt)
	if err != nil || reason == "" {
		return text, err
	}
	if text, err = e.hostText(ctx, reason); text == "" && err == nil {
		text, err = e.duckText(ctx, reason)
	}
	return text, err
}

// duckText is the explanation of a SELECT that DuckDB answers, and why.
func (e *explain) duckText(ctx context.Context, reason string) (string, error) {
	switch backend := e.session.settings.backend; {
	case backend != Auto && backend != DuckDB:
		return "", sqlerr.Harmless(refuse(backend, reason))
	case sqlfront.HasProgram(e.body):
		return "", refuseProgram(reason)
	}
	head := DuckDB.String()
	doc := map[string]any{"backend": head}
	prefix := "EXPLAIN ANALYZE "
	if !e.opt.Analyze {
		prefix = "EXPLAIN "
		f, err := e.duckFigures(ctx)
		if err != nil {
			return "", err
		}
		head += "  " + f.String()
		doc["Plan"] = f.document(DuckDB.String())
	}
	plan, err := e.session.duckPlan(ctx, prefix, e.body)
	if err != nil {
		return "", err
	}
	if reason != "" {
		head += "\nreason: " + reason
	}
	if !e.opt.JSON {
		return "backend: " + head + "\n\n" + plan, nil
	}
	doc["reason"], doc["plan"] = reason, plan
	text, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return "", sqlerr.Wrap(sqlerr.InternalError, err)
	}
	return string(text), nil
}

// duckPlan is DuckDB's own EXPLAIN of a statement as text: prefix is how it begins.
func (s *Session) duckPlan(ctx context.Context, prefix, sql string) (text string, err error) {
	if err := s.detachOpen(ctx); err != nil {
		return "", err
	}
	if err := s.bodyMustAgree(ctx, sqlfront.Class{Body: sql}); err != nil {
		return "", err
	}
	cursor, err := s.conn.Query(ctx, prefix+sql)
	if err != nil {
		return "", shift(err, -len(prefix))
	}
	defer func() {
		if cerr := cursor.Close(); err == nil {
			err = cerr
		}
	}()
	var out strings.Builder
	for {
		b, err := cursor.Next(ctx)
		if err != nil || b == nil {
			return out.String(), err
		}
		for i := range b.N {
			out.WriteString(b.Cols[len(b.Cols)-1].Str[i])
		}
	}
}
