package engine

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/activity"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// textOfTime is how a time is written for a cast to TIMESTAMPTZ.
const textOfTime = "2006-01-02 15:04:05.999999+00"

// What statements define is written as what they select is: each query and expression in
// them as a query of its own (sqlfront.Definition). What is kept asks for the user, the
// version and the schema when it is evaluated, by functions of the server's.

// storedFunctions are those functions, and those that tell the time of a statement, and of now.
func (e *Engine) storedFunctions() []duckbackend.TextFunction {
	said := func(of func(*activity.Session) string) func(conn uint64, _ []string) (string, bool, error) {
		return func(conn uint64, _ []string) (string, bool, error) {
			who := e.activity.OnConn(conn)
			if who == nil {
				return "", false, sqlerr.New(sqlerr.InternalError, "a statement asks for its session, and has none")
			}
			return of(who), true, nil
		}
	}
	user := said(func(who *activity.Session) string { return who.Info().User })
	return []duckbackend.TextFunction{
		{Name: "trireme_statement_time", Call: said(func(who *activity.Session) string { return who.Began().UTC().Format(textOfTime) })},
		{Name: "trireme_clock", Call: func(uint64, []string) (string, bool, error) { return time.Now().UTC().Format(textOfTime), true, nil }},
		{Name: "trireme_current_user", Call: user},
		{Name: "trireme_session_user", Call: user},
		{Name: "trireme_current_role", Call: user},
		{Name: "trireme_backend_pid", Call: func(conn uint64, _ []string) (string, bool, error) {
			who := e.activity.OnConn(conn)
			if who == nil {
				return "", false, nil
			}
			return strconv.FormatUint(uint64(who.Info().PID), 10), true, nil
		}},
		{Name: "trireme_version", Call: func(uint64, []string) (string, bool, error) { return e.versionText(), true, nil }},
		{Name: "trireme_current_schema", Args: 1, Call: func(_ uint64, args []string) (string, bool, error) {
			name := e.clientSchema(string([]byte(args[0])))
			return name, name != emptyPath()[0], nil
		}},
	}
}

// versionText is what version() returns: clients look for the Postgres release.
func (e *Engine) versionText() string {
	return "PostgreSQL " + serverVersion + " (Trireme " + e.cfg.Version + ")"
}

// writeDefinitions writes what the statement defines as DuckDB has it. What it has written
// stays as it is.
func (p *Prepared) writeDefinitions(ctx context.Context) error {
	if err := p.sayDefinitionSchemas(ctx); err != nil {
		return err
	}
	var edits sqlfront.Edits
	for _, d := range sqlfront.Definitions(p.sql) {
		if p.class.Kind == sqlfront.ClassCopy && d.Before == "" { // a query that is prepared by itself
			continue
		}
		own, err := p.definitionEdits(ctx, d)
		if err != nil {
			return placedIn(d, err)
		}
		edits = append(edits, own...)
	}
	if err := p.editDefinitions(ctx, edits); err != nil {
		return err
	}
	return p.bindDefinitions(ctx)
}

// editDefinitions changes the text, and keeps what it declares.
func (p *Prepared) editDefinitions(ctx context.Context, edits sqlfront.Edits) error {
	if len(edits) > 0 && p.declared == "" {
		p.declared = p.sql
	}
	return p.edit(ctx, edits)
}

// placedIn is an error of a definition's query, at its place in the statement.
func placedIn(d sqlfront.Definition, err error) error {
	e := *sqlerr.From(err)
	if e.Offset >= 0 {
		e.Offset = min(max(e.Offset-len(d.Before), 0)+d.Start, d.End)
	}
	return &e
}

// definitionEdits are the changes of one definition.
func (p *Prepared) definitionEdits(ctx context.Context, d sqlfront.Definition) (sqlfront.Edits, error) {
	var failed error
	s := p.session
	env := s.catalogEnv(ctx, p.hints, &failed)
	if env.Stored = d.Stored; d.Stored {
		env.Sequence = nil
	}
	text, err := s.engine.system.live.Rewrite(d.Query(p.sql), env)
	if err = errors.Join(failed, err); err != nil {
		return nil, err
	}
	switch {
	case len(text.Settings)+len(text.Calls) > 0:
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "functions that the session performs, such as set_config, setval and locks, are not supported here").
			WithHint("Call them in SELECT, INSERT, UPDATE or DELETE.")
	case text.Catalog:
		if err := s.engine.readyViews(ctx); err != nil {
			return nil, err
		}
	}
	return d.Within(text.Edits()), nil
}

// bindDefinitions binds expressions, so that an operator on JSON for which DuckDB has no
// function is found where it stands: of most statements DuckDB does not say where, or sees them
// only when they are executed. All other errors are those of the statement.
func (p *Prepared) bindDefinitions(ctx context.Context) error {
	for _, d := range sqlfront.Definitions(p.sql) {
		text := p.sql[d.Start:d.End]
		if d.Before == "" || !slices.ContainsFunc(jsonSigns, func(sign string) bool { return strings.Contains(text, sign) }) {
			continue
		}
		sql, err := p.session.withJSON(ctx, d.Query(p.sql))
		if err != nil {
			return err
		}
		_, err = p.session.Describe(ctx, sql, nil)
		var e *sqlerr.Error
		if errors.As(err, &e) && e.Code == sqlerr.UndefinedFunction && e.Offset >= len(d.Before) {
			return placedIn(d, err)
		}
		if err := onlyFatal(ctx, err); err != nil {
			return err
		}
	}
	return nil
}

// jsonSigns are the operators on JSON that DuckDB has for other types.
var jsonSigns = []string{"@>", "<@", "-"}
