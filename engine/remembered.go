package engine

import (
	"context"
	"errors"

	"github.com/trireme-db/trireme/internal/rows"
)

// remembered is a SELECT under auto whose text DuckDB is known to answer sooner, or
// alone: it is neither bound nor translated before DuckDB has lost its patience.
// Binding asks DuckDB for descriptions, which of a join of many tables take longer
// than many a statement that only looks up keys.
type remembered struct {
	session  *Session
	prepared *Prepared
	duck     statement
	whole    statement // as prepareRouted makes it; nil until needed
}

// prepareRemembered returns nil for a text that is not remembered so. Types that
// a client gives for parameters may change what a text means.
func (s *Session) prepareRemembered(ctx context.Context, p *Prepared) (statement, error) {
	if s.settings.backend != Auto || len(p.hints) > 0 || s.recall(p.sql) == nil {
		return nil, nil
	}
	duck, err := s.prepareDuck(ctx, p)
	if err != nil {
		return nil, err
	}
	return &remembered{session: s, prepared: p, duck: duck}, nil
}

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
	if d := r.session.recall(r.prepared.sql); d != nil {
		out, ok, err := d.tryDuck(ctx, func(ctx context.Context) (outcome, error) { return r.duck.execute(ctx, args) })
		if ok || err != nil {
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

// recall returns the decision on a text if it is for DuckDB; nil: everything has to
// be asked.
func (s *Session) recall(sql string) *decision {
	route, ok := s.engine.tensor.(*route)
	if !ok || s.settings.backend != Auto {
		return nil
	}
	rule := route.rule
	rule.mu.Lock()
	defer rule.mu.Unlock()
	e := rule.byText[sql]
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
	d.settle(s.mayCancel())
	if !d.duck || d.briefly {
		return nil
	}
	return d
}
