package engine

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// hostedText is what the text of a hosted statement was bound to, all of whose parts
// are bound: DuckDB need not be asked about them again. Sessions share it; it is
// immutable.
type hostedText struct {
	cut    *sqlfront.Cutting
	body   []rows.Column
	blocks map[*sqlfront.Block]*hostedBlock
	tables []load.Table
	desc   duckbackend.Description
	reason string // why the statement as a whole is not answered
}

// hostedKey is what the text of a statement is kept under, as boundKey says; empty
// also where the session orders rows by other rules than the default ones.
func (s *Session) hostedKey(p *Prepared) (r *route, key string, version uint64) {
	r, ok := s.engine.tensor.(*route)
	if !ok || s.foreignSettings() != "" || s.order() != "" {
		return nil, "", 0
	}
	key, version = r.boundKey(s, p.sql, p.hints)
	return r, key, version
}

// knownHosted is the statement of a text that is kept; nil: it is not. DuckDB prepares
// the text when it is to execute it.
func (s *Session) knownHosted(p *Prepared) *hosted {
	r, key, version := s.hostedKey(p)
	if key == "" {
		return nil
	}
	t, ok := r.hosted.Get(key, version)
	if !ok {
		return nil
	}
	return &hosted{
		session: s, route: r, duck: &duckStatement{session: s, desc: t.desc, class: p.class, sql: p.sql}, backend: s.settings.backend, schema: version,
		cut: t.cut, body: t.body, blocks: maps.Clone(t.blocks), tables: slices.Clip(t.tables), reason: t.reason,
	}
}

// keepHosted keeps what a text was bound to, if the catalog has been the same
// meanwhile.
func (s *Session) keepHosted(p *Prepared, h *hosted, key string, version uint64) {
	if r, again, now := s.hostedKey(p); key != "" && again == key && now == version && h.allBound() {
		r.hosted.Keep(key, version, &hostedText{cut: h.cut, body: h.body, blocks: maps.Clone(h.blocks), tables: slices.Clone(h.tables), desc: h.duck.desc, reason: h.reason})
	}
}

// allBound reports whether no part of the statement is known to DuckDB alone: what a
// text of which it reads a file means may change although the catalog does not.
func (h *hosted) allBound() bool {
	if len(h.cut.Blocks) != 1 {
		return false
	}
	b := h.cut.Blocks[0]
	got := h.blocks[b]
	switch {
	case got == nil:
		return false
	case h.duck.class.Kind == sqlfront.ClassSelect:
		return got.answer != nil
	}
	return h.duck.class.Kind == sqlfront.ClassInsert && got.sel != nil && b.Whole == "" && h.cut.Inserts(b)
}

// prepareHosted finds blocks in a statement, or finds them known; nil when none can be
// answered on tensors, with the reason. The reason given is why the statement as a whole
// cannot.
func (s *Session) prepareHosted(ctx context.Context, p *Prepared, reason string) (_ *hosted, why string, err error) {
	if h := s.knownHosted(p); h != nil {
		return h, reason, nil
	}
	_, key, version := s.hostedKey(p)
	var made *duckStatement
	h, why, err := s.host(ctx, p, reason, func() (*duckStatement, error) {
		stmt, err := s.prepareDuck(ctx, p)
		if err != nil {
			return nil, err
		}
		made = stmt.(*duckStatement)
		return made, nil
	})
	if h == nil && made != nil {
		err = errors.Join(err, made.close())
	}
	if h != nil && err == nil {
		s.keepHosted(p, h, key, version)
	}
	return h, why, err
}
