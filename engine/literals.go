package engine

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/pgtext"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// mayBeForeign finds statements that may have literals in which Postgres' text of a
// value is none of DuckDB's: most have none, and are not cut into tokens. It reads a text
// of any length once: a backslash, a brace after a quote, BC or an offset before one, bool, bytea
// and interval are what gives such literals away.
func mayBeForeign(sql string) bool {
	begins := func(i int, word string) bool {
		return len(sql)-i >= len(word) && strings.EqualFold(sql[i:i+len(word)], word)
	}
	for i := range len(sql) {
		switch sql[i] {
		case '\\':
			return true
		case '\'':
			if strings.HasPrefix(afterBlanks(sql, i+1), "{") {
				return true
			}
		case ' ':
			if begins(i, " BC") && strings.HasPrefix(afterBlanks(sql, i+len(" BC")), "'") {
				return true
			}
		case 'b', 'B':
			if begins(i, "bool") || begins(i, "bytea") {
				return true
			}
		case 'Z':
			if endsInMinutes(sql[:i]) && strings.HasPrefix(afterBlanks(sql, i+1), "'") {
				return true
			}
		case '+', '-': // an offset of a time, a part of an interval
			if i > 0 && (sql[i-1] == ' ' || endsInMinutes(sql[:i])) && endsNumber.MatchString(sql[i+1:min(i+1+numberMax, len(sql))]) {
				return true
			}
		case 'i', 'I':
			if begins(i, "interval") {
				return true
			}
		}
	}
	return false
}

// endsInMinutes reports whether a text ends in a time without seconds.
func endsInMinutes(text string) bool {
	n := len(text)
	return n > 3 && text[n-3] == ':' && strings.Trim(text[n-2:], "0123456789") == "" && (n < 6 || text[n-6] != ':')
}

// afterBlanks is what follows the blanks at i.
func afterBlanks(sql string, i int) string { return strings.TrimLeft(sql[i:], " \t\r\n\f") }

// endsNumber matches what follows the sign of an offset or of a part of an interval, of which
// numberMax bytes are looked at.
var endsNumber = regexp.MustCompile(`^[0-9:.]+ *('|day|mon|year)`)

const numberMax = 24

// untypedTexts are literals that mean bytes, an array, a time with a zone or before our era, or
// an interval where one of these is expected, though no cast says so.
var untypedTexts = regexp.MustCompile(`^(\\x([[:xdigit:]]{2})*|\s*\{(?s:.*)\}\s*|\s*\d+-\d+-\d.*\d +[+-]\d\d(:?\d\d)?\s*|\s*\d+-\d+-\d.* BC\s*` +
	`|\s*\d+-\d+-\d.*[ T]\d?\d:\d\d([+-]\d\d(:?\d\d)?|Z)\s*` +
	`|\s*[+-]?\d+ (year|mon|day)s?( [+-]?\d+ (mon|day)s?)*( [+-]?\d+:\d\d(:\d\d(\.\d+)?)?)?\s*)$`)

// describedMax is how many literals are asked about at once.
const describedMax = 4096

// spellLiterals writes the literals of a statement, in which drivers put the values
// of parameters in Postgres' form, as DuckDB reads them.
func (p *Prepared) spellLiterals(ctx context.Context) error {
	if !strings.ContainsAny(p.sql, "'$") {
		return nil
	}
	literals := literalsOf(p.sql)
	if mayBeForeign(p.sql) {
		if err := p.inferLiterals(ctx, literals); err != nil {
			return err
		}
	}
	if err := p.inferEnums(ctx, literals); err != nil {
		return err
	}
	_, err := p.writeLiterals(ctx, literals)
	return err
}

func literalsOf(sql string) (literals []*literal) {
	for _, l := range sqlfront.TextLiterals(sql) {
		cast := ""
		if l.List && l.JSON { // DuckDB would read all of the text as JSON
			cast = "VARCHAR[]"
		}
		literals = append(literals, &literal{TextLiteral: l, cast: cast})
	}
	return literals
}

// typeLiterals casts the literals without a type to those of their places: in a statement
// in which DuckDB finds several functions for them. It reports whether there are any.
func (p *Prepared) typeLiterals(ctx context.Context) (changed bool, err error) {
	var literals []*literal
	for _, place := range p.literalPlaces(literalsOf(p.sql)) {
		if len(place.literals) > describedMax {
			continue
		}
		typed, err := p.castLiterals(ctx, place)
		if err != nil {
			return false, err
		}
		literals = append(literals, typed...)
	}
	return p.writeLiterals(ctx, literals)
}

// castLiterals are the literals of a place, those that it gives types cast to them.
func (p *Prepared) castLiterals(ctx context.Context, place literalPlace) ([]*literal, error) {
	types, err := p.literalTypes(ctx, place)
	if err != nil || types == nil {
		return nil, err
	}
	for i, l := range place.literals {
		if err := l.expect(types[i]); err != nil {
			return nil, err
		}
		if l.List || types[i].ID == rows.Varchar {
			continue
		}
		t, err := fitted(literalType(types[i]), Arg{Text: l.Text})
		if err != nil {
			return nil, l.placed(err)
		}
		l.Type, l.cast, l.Text = t.ID, t.String(), spelledFor(t, Arg{Text: l.Text})
	}
	return place.literals, nil
}

// literalType is the type that a literal is cast to.
func literalType(t rows.Type) rows.Type {
	if t.ID == rows.Decimal {
		return someDigits
	}
	return t
}

// writeLiterals writes the literals into the statement; changed: some are not as they
// were.
func (p *Prepared) writeLiterals(ctx context.Context, literals []*literal) (changed bool, err error) {
	var edits sqlfront.Edits
	for _, l := range literals {
		text, ok := l.spell()
		if !ok || text == l.Text && l.cast == "" {
			continue
		}
		if text = quoteText(text); l.cast != "" {
			text = "CAST(" + text + " AS " + l.cast + ")"
		}
		edits = append(edits, sqlfront.Edit{Start: l.Start, End: l.End, Text: text})
	}
	return len(edits) > 0, p.edit(ctx, edits)
}

// spellPostgres gives DuckDB's spelling to what the text spells as Postgres does.
func (p *Prepared) spellPostgres(ctx context.Context) error {
	literals, err := sqlfront.LiteralEdits(p.sql)
	if err != nil {
		return err
	}
	if err := p.edit(ctx, literals); err != nil {
		return err
	}
	for _, edits := range []func(string) sqlfront.Edits{sqlfront.NameEdits, sqlfront.TypeNameEdits, sqlfront.BetweenEdits, sqlfront.ArrayEdits} {
		if err := p.edit(ctx, edits(p.sql)); err != nil {
			return err
		}
	}
	edits := sqlfront.PostgresEdits(p.sql)
	if len(edits) > 0 && (p.class.Kind == sqlfront.ClassCreate || p.class.Kind == sqlfront.ClassAlter) {
		p.declared = p.sql
	}
	return p.edit(ctx, edits)
}

// numberRows writes DuckDB's number of a row for ctid, in a statement in which no column
// has that name.
func (p *Prepared) numberRows(ctx context.Context) (changed bool, err error) {
	edits := sqlfront.CTIDEdits(p.sql)
	return len(edits) > 0, p.edit(ctx, edits)
}

// edit makes edits in the text, which is permitted anew: DuckDB will see it so.
func (p *Prepared) edit(ctx context.Context, edits sqlfront.Edits) error {
	if len(edits) == 0 {
		return nil
	}
	p.change(edits)
	return p.permit(ctx)
}

// change is edit before it is asked whether the statement may run.
func (p *Prepared) change(edits sqlfront.Edits) {
	var moved []insertion
	shift := 0
	for _, e := range edits {
		before, after := e.End-e.Start, len(e.Text)
		moved = append(moved, insertion{e.Start + shift + max(min(after, before)-1, 0), after - before})
		shift += after - before
	}
	p.sql = edits.Apply(p.sql, 0, len(p.sql))
	p.class = sqlfront.Classify(p.sql)
	p.moved = append(p.moved, moved)
}

// writeFunction writes a function as pg_dump does as DuckDB's macro.
func (p *Prepared) writeFunction() {
	if edits := sqlfront.FunctionEdits(p.sql); len(edits) > 0 {
		p.change(edits)
	}
}

// literal is a literal with what its place expects.
type literal struct {
	sqlfront.TextLiteral
	// cast is the type that it is cast to, where DuckDB does not infer it.
	cast string
}

// spell is the text for DuckDB; false: it stays, and DuckDB reads it or has the error.
func (l *literal) spell() (string, bool) {
	switch {
	case l.List:
		return pgtext.SpellArray(l.Type, l.Text)
	case l.Type != rows.Invalid:
		return pgtext.Spell(l.Type, l.Text)
	}
	return l.Text, l.cast != ""
}

// expect takes the type that a parameter has in the literal's place, if Postgres' texts of
// it are none of DuckDB's.
func (l *literal) expect(t rows.Type) error {
	switch t.ID {
	case rows.Blob, rows.TimestampTZ, rows.Timestamp, rows.Boolean, rows.Date, rows.Interval:
		l.Type = t.ID
	case rows.List, rows.Array:
		element, _, _ := strings.Cut(t.Name, "[")
		l.List, l.Type, l.cast = true, elementTypes[element], t.Name
		text, ok := l.spell()
		if !ok || t.ID == rows.Array {
			return nil
		}
		exact, err := fittedList(t, text)
		if l.cast = exact.Name; err != nil {
			return l.placed(err)
		}
	}
	return nil
}

// name casts the literal, where its text becomes another one, to the type of its place: the
// catalog shows what it means, and what DuckDB is told means it in no other place.
func (l *literal) name(t rows.Type) {
	if text, ok := l.spell(); ok && text != l.Text && l.cast == "" {
		l.cast = t.String()
	}
}

// placed is an error of the literal.
func (l *literal) placed(err error) error {
	e := *sqlerr.From(err)
	e.Offset = l.Start
	return &e
}

// elementTypes are the types whose texts differ in Postgres, by DuckDB's names.
var elementTypes = map[string]rows.TypeID{
	"BLOB": rows.Blob, "BOOLEAN": rows.Boolean, "DATE": rows.Date, "TIMESTAMP": rows.Timestamp, "TIMESTAMP WITH TIME ZONE": rows.TimestampTZ,
	"INTERVAL": rows.Interval,
}

// literalPlace is a part of a statement with the literals in it that are cast to nothing.
type literalPlace struct {
	sqlfront.Definition
	literals []*literal
}

// literalPlaces are the parts of the statement that give types to literals: all of it, or the
// definitions in it.
func (p *Prepared) literalPlaces(literals []*literal) (places []literalPlace) {
	definitions := sqlfront.Definitions(p.sql)
	if p.readsRows() {
		definitions = []sqlfront.Definition{{End: len(p.sql)}}
	}
	for _, d := range definitions {
		if d.Called || p.class.CopyStdio && d.Before == "" { // the query of a COPY comes here by itself
			continue
		}
		place := literalPlace{Definition: d}
		for _, l := range literals {
			if l.Untyped && l.Start >= d.Start && l.End <= d.End {
				place.literals = append(place.literals, l)
			}
		}
		if len(place.literals) > 0 {
			places = append(places, place)
		}
	}
	return places
}

// readsRows reports whether the statement is a query, or one that writes rows.
func (p *Prepared) readsRows() bool {
	switch p.class.Kind {
	case sqlfront.ClassSelect, sqlfront.ClassInsert, sqlfront.ClassUpdate, sqlfront.ClassDelete, sqlfront.ClassMerge:
		return true
	}
	return false
}

// inferLiterals asks DuckDB for the types of literals that are cast to nothing: those
// that it would give parameters in their places.
func (p *Prepared) inferLiterals(ctx context.Context, literals []*literal) error {
	for _, place := range p.literalPlaces(literals) {
		if p.readsRows() || place.Before == "" { // there may be many in a query
			place.literals = slices.DeleteFunc(place.literals, func(l *literal) bool { return !untypedTexts.MatchString(l.Text) })
		}
		if len(place.literals) == 0 {
			continue
		}
		if err := p.session.enter(ctx); err != nil {
			return err
		}
		for chunk := range slices.Chunk(place.literals, describedMax) {
			types, err := p.literalTypes(ctx, literalPlace{place.Definition, chunk})
			if err != nil {
				return err
			}
			for i := range types {
				if err := chunk[i].expect(types[i]); err != nil {
					return err
				}
				if !p.readsRows() {
					chunk[i].name(types[i])
				}
			}
		}
	}
	return nil
}

// literalTypes are the types of parameters in the places of literals; nil: the statement
// does not bind with parameters there, and keeps its literals.
func (p *Prepared) literalTypes(ctx context.Context, place literalPlace) ([]rows.Type, error) {
	given := sqlfront.ParamCount(p.sql)
	if given+len(place.literals) > paramMax {
		return nil, nil
	}
	edits := sqlfront.QuestionNumbers(p.sql) // each ? would have the next number
	for i, l := range place.literals {
		edits = append(edits, sqlfront.Edit{Start: l.Start, End: l.End, Text: " $" + strconv.Itoa(given+i+1) + " ", Place: l.Start})
	}
	slices.SortFunc(edits, func(a, b sqlfront.Edit) int { return a.Start - b.Start })
	text := place.Before + edits.Apply(p.sql, place.Start, place.End) + place.After
	types, err := p.paramTypes(ctx, text, p.given)
	var refused *sqlerr.Error
	if place.Before == "" && errors.As(err, &refused) && (refused.Code == sqlerr.UndefinedColumn || refused.Code == sqlerr.UndefinedTable) {
		unplaced := *refused // DuckDB's error for the statement as it is might be about lists
		unplaced.Offset = -1
		return nil, &unplaced
	}
	if err != nil {
		return nil, onlyFatal(ctx, err)
	}
	return types[given:], nil
}
