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
var untypedTexts = regexp.MustCompile(`^(\\x([[:xdigit:]]{2})+|\s*\{(?s:.*)\}\s*|\s*\d+-\d+-\d.*\d +[+-]\d\d(:?\d\d)?\s*)$`)

// describedMax is how many literals are asked about at once.
const describedMax = 4096

// spellLiterals writes the literals of a statement, in which drivers put the values
// of parameters in Postgres' form, as DuckDB reads them.
func (p *Prepared) spellLiterals(ctx context.Context) error {
	if !mayBeForeign(p.sql) {
		return nil
	}
	var literals []*literal
	for _, l := range sqlfront.TextLiterals(p.sql) {
		cast := ""
		if l.List && l.JSON { // DuckDB would read all of the text as JSON
			cast = "VARCHAR[]"
		}
		literals = append(literals, &literal{TextLiteral: l, cast: cast})
	}
	if err := p.inferLiterals(ctx, literals); err != nil {
		return err
	}
	var edits sqlfront.Edits
	for _, l := range literals {
		text, ok := l.spell()
		if !ok || text == l.Text {
			continue
		}
		if text = quoteText(text); l.cast != "" {
			text = "CAST(" + text + " AS " + l.cast + ")"
		}
		edits = append(edits, sqlfront.Edit{Start: l.Start, End: l.End, Text: text})
	}
	return p.edit(ctx, edits)
}

// spellPostgres gives DuckDB's spelling to what the text spells as Postgres does.
func (p *Prepared) spellPostgres(ctx context.Context) error {
	return p.edit(ctx, sqlfront.PostgresEdits(p.sql))
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
	// cast is the type of a list that DuckDB does not infer.
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

// expect takes the type that a parameter has in the literal's place.
func (l *literal) expect(t rows.Type) {
	switch {
	case t.ID == rows.Invalid:
	case l.AnyEnd > 0:
		l.List, l.Type, l.cast = true, elementTypes[t.String()], t.String()+"[]"
	case t.ID == rows.Blob, t.ID == rows.TimestampTZ, t.ID == rows.Timestamp:
		l.Type = t.ID
	case t.ID == rows.List || t.ID == rows.Array:
		element, _, _ := strings.Cut(t.Name, "[")
		l.List, l.Type = true, elementTypes[element]
	}
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
		if err := p.describeLiterals(ctx, chunk); err != nil {
			return err
		}
	}
	return nil
}

// describeLiterals gives literals the types of parameters in their places. A statement
// that does not bind with parameters there keeps its literals.
func (p *Prepared) describeLiterals(ctx context.Context, untyped []*literal) error {
	given := sqlfront.ParamCount(p.sql)
	if given+len(untyped) > paramMax {
		return nil
	}
	var b strings.Builder
	end := 0
	for i, l := range untyped {
		before := p.sql[end:l.Start]
		if l.AnyEnd > 0 { // what is compared with each element
			before = p.sql[end:l.AnyStart] + " " + p.sql[l.AnyEnd:l.Start]
		}
		b.WriteString(before + " $" + strconv.Itoa(given+i+1) + " ")
		end = l.End
	}
	b.WriteString(p.sql[end:])
	d, err := p.describe(ctx, b.String(), p.hints)
	var refused *sqlerr.Error
	switch {
	case err != nil && (ctx.Err() != nil || !errors.As(err, &refused)):
		return err
	case err != nil && len(untyped) > 1:
		return p.describeEach(ctx, untyped)
	case err != nil && untyped[0].AnyEnd > 0: // DuckDB's error for the statement as it is would be about lists
		e := *refused
		e.Offset = -1
		return &e
	case err != nil:
		return nil
	}
	for i, l := range untyped {
		if n := given + i; n < len(d.Params) {
			l.expect(d.Params[n])
		}
	}
	return nil
}

// describeEach asks for one literal at a time: one of them does not bind.
func (p *Prepared) describeEach(ctx context.Context, untyped []*literal) error {
	const askedMax = 64
	for _, l := range untyped[:min(len(untyped), askedMax)] {
		if err := p.describeLiterals(ctx, []*literal{l}); err != nil {
			return err
		}
	}
	return nil
}
