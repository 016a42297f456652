package engine

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// remembered is a SELECT under auto whose text DuckDB is known to answer sooner, or
// alone, or one that is new: it is neither bound nor translated
// before DuckDB has lost its patience. Binding asks DuckDB for descriptions, which of
// a join of many tables take longer than many a statement that only looks up keys.
type remembered struct {
	session  *Session
	prepared *Prepared
	duck     *duckStatement
	whole    statement // as prepareRouted makes it; nil until needed
}

// prepareRemembered returns nil for a text that is neither.
func (s *Session) prepareRemembered(ctx context.Context, p *Prepared) (statement, error) {
	if s.settings.backend != Auto {
		return nil, nil
	}
	if s.recall(p.sql) == nil && !s.beginsUnbound(p.sql) {
		return nil, nil
	}
	duck, err := s.prepareDuck(ctx, p)
	if err != nil {
		return nil, err
	}
	return &remembered{session: s, prepared: p, duck: duck.(*duckStatement)}, nil
}

// bindsBeside reports whether statements are bound on another connection than the
// session's, on which DuckDB may be at work.
func (s *Session) bindsBeside() bool {
	return s.mayCancel() && !s.block && !s.isPrivate() && s.foreignSettings() == ""
}

// beginsUnbound reports whether a text begins on DuckDB before it is bound: it is
// new, DuckDB does not get it wrong, and it means the same on another connection.
func (s *Session) beginsUnbound(sql string) bool {
	route, ok := s.engine.tensor.(*route)
	return ok && s.bindsBeside() && route.rule.isNew(sql) && !doubtful(sql) && !sqlfront.HasProgram(sql)
}

// doubtful reports whether a text has words of statements some of which DuckDB gets
// wrong: recursions (misfiltered), IS DISTINCT FROM, EXISTS beside <>, and OR beside two tests for
// NULL (LosesNulls).
func doubtful(sql string) bool {
	return sqlfront.HasWord(sql, "exists") && (strings.Contains(sql, "<>") || strings.Contains(sql, "!=")) ||
		sqlfront.HasWord(sql, "recursive") || sqlfront.HasWord(sql, "distinct") && distinctFrom.MatchString(sql) ||
		sqlfront.HasWord(sql, "or") && len(isNull.FindAllStringIndex(sql, 2)) == 2
}

var (
	distinctFrom = regexp.MustCompile(`(?i)\bdistinct\s+from\b`)
	isNull       = regexp.MustCompile(`(?i)\bis\s+null\b|\bisnull\b`)
)

func (r *remembered) params() []rows.Type    { return r.duck.params() }
func (r *remembered) columns() []rows.Column { return r.duck.columns() }

func (r *remembered) close() error {
	err := r.duck.close()
	if r.whole != nil {
		err = errors.Join(err, r.whole.close())
	}
	return err
}

// execute asks DuckDB while that is the choice. A statement that DuckDB does not
// end in time is decided again, which then is for native (chooseFirst).
func (r *remembered) execute(ctx context.Context, args []Arg) (outcome, error) {
	d := r.session.recall(r.prepared.sql)
	if d == nil && r.whole == nil {
		d = r.begin(args)
	}
	if d != nil {
		native := &onTensors{args: args}
		out, by, err := d.tryDuck(ctx, func(ctx context.Context) (outcome, error) { return r.duck.execute(ctx, args) }, r.turn(ctx, d, native))
		switch by {
		case byTensors:
			if native.routed == nil { // blocks of the statement
				return out, err
			}
			return native.answered(out, err)
		case byDuckDB:
			r.session.noted.because(d.why)
			return out, err
		}
	}
	if r.whole == nil {
		whole, err := r.session.prepareRouted(ctx, r.prepared)
		if err != nil {
			return outcome{}, err
		}
		r.whole = whole
	}
	return r.whole.execute(ctx, args)
}

// turn is what native does when DuckDB has had its time: bind the statement, and begin.
func (r *remembered) turn(ctx context.Context, d *decision, native *onTensors) func() turn {
	return func() turn {
		if r.whole == nil && !r.session.bindsBeside() {
			return inTurn()
		}
		if r.whole == nil && d.bind == nil {
			whole, _, err := r.session.bindBeside(ctx, r.prepared, r.duck, native.args)
			if err != nil && ctx.Err() == nil {
				d.rule.log.Warn("a statement cannot be bound beside DuckDB", "error", err)
			}
			r.whole = whole
		}
		switch whole := r.whole.(type) {
		case *routed:
			native.routed = whole
			return native.turn(d)()
		case *hosted:
			return whole.turn(d, native.args)()
		case nil:
			return turn{}
		}
		return inTurn()
	}
}

// begin is the decision for a text that is new: DuckDB begins, and where it has not
// ended soon, the statement is bound beside it. nil: it is not new.
func (r *remembered) begin(args []Arg) *decision {
	s := r.session
	if !s.beginsUnbound(r.prepared.sql) {
		return nil
	}
	bind := func(ctx context.Context) (a *autoQuery, err error) {
		r.whole, a, err = s.bindBeside(ctx, r.prepared, r.duck, args)
		return a, err
	}
	return &decision{choice: choice{duck: true}, rule: s.engine.tensor.(*route).rule, why: unknownReason, bind: bind, sql: r.prepared.sql}
}

// bindBeside binds a text as prepareRouted does, but not on the session's connection,
// on which DuckDB executes it. A nil statement is DuckDB's alone.
func (s *Session) bindBeside(ctx context.Context, p *Prepared, duck *duckStatement, args []Arg) (statement, *autoQuery, error) {
	stmt, reason, err := s.planTensor(ctx, p.sql, p.hints)
	if err != nil {
		return nil, nil, err
	}
	if t, ok := stmt.(*tensorSelect); ok {
		return &routed{session: s, prepared: p, backend: Auto, tensor: t}, t.autoQuery(s, args), nil
	}
	h, _, err := s.host(ctx, p, reason, func() (*duckStatement, error) { return duck, nil })
	if h == nil || err != nil {
		return nil, nil, err
	}
	return h, h.autoQuery(args), nil
}

// recall returns the decision on a text if it is for DuckDB; nil: everything has to
// be asked.
func (s *Session) recall(sql string) *decision {
	route, ok := s.engine.tensor.(*route)
	if !ok || s.settings.backend != Auto {
		return nil
	}
	rule, key := route.rule, textKey(sql)
	rule.mu.Lock()
	defer rule.mu.Unlock()
	e := rule.byText[key]
	if e == nil {
		return nil
	}
	snap, reason := s.engine.catalog.Versions.Snapshot(e.tables, s.tx.pin)
	if reason != "" {
		return nil
	}
	d := &decision{rule: rule, entry: e, versions: versionsText(snap)}
	if !d.atVersions() {
		return nil
	}
	d.settle(s.mayCancel(), s.bindsBeside())
	if !d.duck || d.briefly {
		return nil
	}
	return d
}
