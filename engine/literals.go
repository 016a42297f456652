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
		case '+', '-': // an offset of a time
			if i > 0 && sql[i-1] == ' ' && strings.HasPrefix(afterBlanks(strings.TrimLeft(sql[i+1:], "0123456789:"), 0), "'") {
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

// afterBlanks is what follows the blanks at i.
func afterBlanks(sql string, i int) string { return strings.TrimLeft(sql[i:], " \t\r\n\f") }

// untypedTexts are literals that mean bytes, an array or a time with a zone where one of
// these is expected, though no cast says so.
var untypedTexts = regexp.MustCompile(`^(\\x([[:xdigit:]]{2})*|\s*\{(?s:.*)\}\s*|\s*\d+-\d+-\d.*\d +[+-]\d\d(:?\d\d)?\s*)$`)

// describedMax is how many literals are asked about at once.
const describedMax = 4096

// spellLiterals writes the literals of a statement, in which drivers put the values
// of parameters in Postgres' form, as DuckDB reads them.
func (p *Prepared) spellLiterals(ctx context.Context) error {
	if !mayBeForeign(p.sql) {
		return nil
	}
	literals := literalsOf(p.sql)
	if err := p.inferLiterals(ctx, literals); err != nil {
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
	literals := slices.DeleteFunc(literalsOf(p.sql), func(l *literal) bool { return !l.Untyped })
	if len(literals) == 0 || len(literals) > describedMax {
		return false, nil
	}
	types, err := p.literalTypes(ctx, literals)
	if err != nil || types == nil {
		return false, err
	}
	for i, l := range literals {
		if err := l.expect(types[i]); err != nil {
			return false, err
		}
		if l.List || types[i].ID == rows.Varchar {
			continue
		}
		t, err := fitted(literalType(types[i]), Arg{Text: l.Text})
		if err != nil {
			return false, l.placed(err)
		}
		l.Type, l.cast, l.Text = t.ID, t.String(), spelledFor(t, Arg{Text: l.Text})
	}
	return p.writeLiterals(ctx, literals)
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
	for _, edits := range []func(string) sqlfront.Edits{sqlfront.NameEdits, sqlfront.ArrayEdits} {
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
	return p.permit(ctx)
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
	return "", false
}

// expect takes the type that a parameter has in the literal's place, if Postgres' texts of
// it are none of DuckDB's.
func (l *literal) expect(t rows.Type) error {
	switch t.ID {
	case rows.Blob, rows.TimestampTZ, rows.Timestamp:
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

// inferLiterals asks DuckDB for the types of literals that are cast to nothing: those
// that it would give parameters in their places.
func (p *Prepared) inferLiterals(ctx context.Context, literals []*literal) error {
	var untyped []*literal
	for _, l := range literals {
		if l.Untyped && untypedTexts.MatchString(l.Text) {
			untyped = append(untyped, l)
		}
	}
	switch p.class.Kind {
	case sqlfront.ClassSelect, sqlfront.ClassInsert, sqlfront.ClassUpdate, sqlfront.ClassDelete, sqlfront.ClassMerge:
	default:
		return nil
	}
	if len(untyped) == 0 {
		return nil
	}
	if err := p.session.enter(ctx); err != nil {
		return err
	}
	for chunk := range slices.Chunk(untyped, describedMax) {
		types, err := p.literalTypes(ctx, chunk)
		if err != nil {
			return err
		}
		for i := range types {
			if err := chunk[i].expect(types[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// literalTypes are the types of parameters in the places of literals; nil: the statement
// does not bind with parameters there, and keeps its literals.
func (p *Prepared) literalTypes(ctx context.Context, literals []*literal) ([]rows.Type, error) {
	given := sqlfront.ParamCount(p.sql)
	if given+len(literals) > paramMax {
		return nil, nil
	}
	var b strings.Builder
	end := 0
	for i, l := range literals {
		b.WriteString(p.sql[end:l.Start] + " $" + strconv.Itoa(given+i+1) + " ")
		end = l.End
	}
	b.WriteString(p.sql[end:])
	types, err := p.paramTypes(ctx, b.String(), p.given)
	var refused *sqlerr.Error
	if errors.As(err, &refused) && (refused.Code == sqlerr.UndefinedColumn || refused.Code == sqlerr.UndefinedTable) {
		unplaced := *refused // DuckDB's error for the statement as it is might be about lists
		unplaced.Offset = -1
		return nil, &unplaced
	}
	if err != nil {
		return nil, onlyFatal(ctx, err)
	}
	return types[given:], nil
}
