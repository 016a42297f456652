package engine

import (
	"context"
	"strings"

	"github.com/trireme-db/trireme/sqlfront"
)

// DuckDB knows no lengths of texts. That of a column is kept in its comment, in a line
// before what the user has to say, so that the catalog shows it: mappers would alter the
// column every time otherwise.

// lengthMark begins such a line.
const lengthMark = "trireme: "

// lengthComment is the comment of a column of a type with a length, and with the user's
// comment.
func lengthComment(typ, text string) string {
	switch {
	case typ == "":
		return text
	case text == "":
		return lengthMark + typ
	}
	return lengthMark + typ + "\n" + text
}

// splitLength is the inverse of lengthComment.
func splitLength(comment string) (typ, text string) {
	line, rest, _ := strings.Cut(comment, "\n")
	typ, marked := strings.CutPrefix(line, lengthMark)
	if !marked {
		return "", comment
	}
	return typ, rest
}

// commentColumn is the statement for a comment; the column is SQL.
func commentColumn(column, comment string) string {
	if comment == "" {
		return "COMMENT ON COLUMN " + column + " IS NULL"
	}
	return "COMMENT ON COLUMN " + column + " IS " + quoteText(comment)
}

// lengthStatements keep the lengths of the columns of a new table.
func lengthStatements(c sqlfront.Class, lengths []sqlfront.DeclaredLength) []string {
	statements := make([]string, len(lengths))
	for i, l := range lengths {
		statements[i] = commentColumn(quoteName(append(append([]string{}, c.Target...), l.Column)), lengthComment(l.Type, ""))
	}
	return statements
}

// alteredLengths are the types of the columns that are added or get another type; without
// a length the type is empty.
func alteredLengths(alter sqlfront.AlterTable) []sqlfront.DeclaredLength {
	var lengths []sqlfront.DeclaredLength
	for _, action := range alter.Actions {
		typ, ok := "", false
		switch action.Kind {
		case sqlfront.AlterAddColumn:
			typ, ok = sqlfront.LengthOf(action.Rest), true
		case sqlfront.AlterColumn:
			typ, ok = sqlfront.AlteredLength(action.Rest)
		}
		if ok {
			lengths = append(lengths, sqlfront.DeclaredLength{Column: action.Column, Type: typ})
		}
	}
	return lengths
}

// setLength keeps the length of a column that has been added, or has got another type.
func (a *altering) setLength(ctx context.Context, column, typ string) error {
	kept, err := a.session.textRows(ctx, "SELECT coalesce(comment, '') FROM duckdb_columns() WHERE "+a.of.place()+" AND lower(column_name) = lower("+quoteText(column)+")")
	if err != nil || len(kept) == 0 {
		return err
	}
	before, text := splitLength(kept[0][0])
	if before == typ {
		return nil
	}
	return a.session.conn.Exec(ctx, commentColumn(a.of.sql()+"."+quoteName([]string{column}), lengthComment(typ, text)))
}

// prepareComment makes the statement for a comment on a column with a length; nil: it has
// none.
func (s *Session) prepareComment(ctx context.Context, p *Prepared) (statement, error) {
	comment, ok := sqlfront.ParseColumnComment(p.sql)
	if !ok {
		return nil, nil
	}
	if err := s.detachOpen(ctx); err != nil {
		return nil, err
	}
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	column := comment.Column[len(comment.Column)-1]
	c := sqlfront.Class{Kind: sqlfront.ClassAlter, Object: "table", Target: comment.Column[:len(comment.Column)-1]}
	of, err := s.relationOf(ctx, c)
	if err != nil || of == nil || of.view {
		return nil, err
	}
	kept, err := s.textRows(ctx, "SELECT coalesce(comment, '') FROM duckdb_columns() WHERE "+of.place()+" AND lower(column_name) = lower("+quoteText(column)+")")
	if err != nil || len(kept) == 0 {
		return nil, err
	}
	typ, _ := splitLength(kept[0][0])
	if typ == "" {
		return nil, nil
	}
	return &program{session: s, tag: "COMMENT", run: func(ctx context.Context) error {
		return s.conn.Exec(ctx, commentColumn(of.sql()+"."+quoteName([]string{column}), lengthComment(typ, comment.Text)))
	}}, nil
}
