package engine

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// insertion is a text of ours within a statement: bytes bytes at offset at; below zero:
// so many are gone.
type insertion struct{ at, bytes int }

// paramMax is the largest parameter number of the wire protocol.
const paramMax = 1<<16 - 1

// typeLists gives the parameters in ANY($1) and ALL($1) their types: DuckDB takes
// lists there, and does not infer them. Where the client has not said, an element
// has the type that the parameter has in a plain comparison.
func (p *Prepared) typeLists(ctx context.Context) error {
	found := sqlfront.ListParams(p.sql)
	if len(found) == 0 {
		return nil
	}
	most := 0
	for _, f := range found {
		most = max(most, f.Number)
	}
	if most > paramMax {
		return nil // DuckDB has the error
	}
	if err := p.session.enter(ctx); err != nil {
		return err
	}
	hints := slices.Clone(p.hints)
	for len(hints) < most {
		hints = append(hints, rows.Type{})
	}
	if slices.ContainsFunc(found, func(f sqlfront.ListParam) bool { return hints[f.Number-1].ID != rows.List }) {
		if err := p.inferElements(ctx, found, hints); err != nil {
			return err
		}
	}
	p.castLists(found, hints)
	p.hints = hints
	return nil
}

// inferElements asks DuckDB for the types of the parameters in the statement
// without the words ANY and ALL.
func (p *Prepared) inferElements(ctx context.Context, found []sqlfront.ListParam, hints []rows.Type) error {
	plain := []byte(p.sql)
	for _, f := range found {
		copy(plain[f.WordStart:f.WordEnd], strings.Repeat(" ", f.WordEnd-f.WordStart))
	}
	scalar := slices.Clone(hints)
	for _, f := range found {
		scalar[f.Number-1] = rows.Type{}
	}
	d, err := p.describe(ctx, string(plain), scalar)
	if err != nil {
		var refused *sqlerr.Error
		if !errors.As(err, &refused) || ctx.Err() != nil {
			return err
		}
		if _, whole := p.describe(ctx, p.sql, hints); whole != nil {
			return err // DuckDB's error for the statement as it is would be about lists
		}
		return nil
	}
	for _, f := range found {
		if n := f.Number - 1; hints[n].ID != rows.List && n < len(d.Params) && d.Params[n].ID != rows.Invalid {
			hints[n] = rows.Type{ID: rows.List, Name: d.Params[n].String() + "[]"}
		}
	}
	return nil
}

// castLists writes the types into the statement.
func (p *Prepared) castLists(found []sqlfront.ListParam, hints []rows.Type) {
	var b strings.Builder
	var inserted []insertion
	end := 0
	add := func(text string) {
		inserted = append(inserted, insertion{b.Len(), len(text)})
		b.WriteString(text)
	}
	for _, f := range found {
		t := hints[f.Number-1]
		if t.ID != rows.List {
			continue
		}
		b.WriteString(p.sql[end:f.Start])
		add("CAST(")
		b.WriteString(p.sql[f.Start:f.End])
		add(" AS " + t.Name + ")")
		end = f.End
	}
	b.WriteString(p.sql[end:])
	p.sql = b.String()
	p.moved = append(p.moved, inserted)
}

// place moves an error's position back to where it is in the client's text.
func (p *Prepared) place(err error) error {
	if err == nil || len(p.moved) == 0 {
		return err
	}
	e := *sqlerr.From(err)
	if e.Offset < 0 {
		return err
	}
	for _, layer := range slices.Backward(p.moved) {
		at := e.Offset
		for _, in := range layer {
			if e.Offset > in.at {
				at -= min(in.bytes, e.Offset-in.at)
			}
		}
		e.Offset = at
	}
	return &e
}
