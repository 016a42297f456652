package engine

import (
	"context"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// What the catalog has to show and DuckDB does not keep is in the comment of its column,
// table, sequence or index, in a line before what the user has to say: the length of a column's text, without
// which mappers would alter the column every time, the names of a table's constraints, the column that a
// sequence belongs to, and that an index is a constraint.

// markBegin begins such a line.
const markBegin = "trireme: "

// markedComment is the comment of an object with a mark, which may be empty, and with the
// user's comment.
func markedComment(mark, text string) string {
	switch {
	case mark == "" && !strings.HasPrefix(text, markBegin):
		return text
	case text == "":
		return markBegin + mark
	}
	return markBegin + mark + "\n" + text
}

// splitComment is the inverse of markedComment.
func splitComment(comment string) (mark, text string) {
	line, rest, _ := strings.Cut(comment, "\n")
	mark, marked := strings.CutPrefix(line, markBegin)
	if !marked {
		return "", comment
	}
	return mark, rest
}

// commentOn is the statement for a comment on an object of a kind; its name is SQL.
func commentOn(kind, name, comment string) string {
	if comment == "" {
		return "COMMENT ON " + kind + " " + name + " IS NULL"
	}
	return "COMMENT ON " + kind + " " + name + " IS " + quoteText(comment)
}

// lengthStatements keep the lengths of the columns of a new table.
func lengthStatements(c sqlfront.Class, lengths []sqlfront.DeclaredLength) []string {
	statements := make([]string, len(lengths))
	for i, l := range lengths {
		statements[i] = commentOn("COLUMN", quoteName(append(append([]string{}, c.Target...), l.Column)), markedComment(l.Type, ""))
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
	kept, err := a.session.commentOf(ctx, a.of, column)
	if err != nil || kept == nil {
		return err
	}
	before, text := splitComment(*kept)
	if before == typ {
		return nil
	}
	return a.session.conn.Exec(ctx, commentOn("COLUMN", a.of.sql()+"."+quoteName([]string{column}), markedComment(typ, text)))
}

// commentOf is the comment of a table, or of its column if one is named; nil: there is no
// such thing.
func (s *Session) commentOf(ctx context.Context, of relation, column string) (*string, error) {
	query := "SELECT coalesce(comment, '') FROM duckdb_tables() WHERE " + of.place()
	if column != "" {
		query = "SELECT coalesce(comment, '') FROM duckdb_columns() WHERE " + of.place() + " AND " + load.FoldedSQL("column_name") + " = " + quoteText(load.Fold(column))
	}
	kept, err := s.textRows(ctx, query)
	if err != nil || len(kept) == 0 {
		return nil, err
	}
	return &kept[0][0], nil
}

// prepareComment makes the statement for a comment on an object with a mark; nil:
// there is none, and the text is not like one.
func (s *Session) prepareComment(ctx context.Context, p *Prepared) (statement, error) {
	comment, marked := sqlfront.ParseComment(p.sql)
	object := p.class.Object
	relation := (object == "view" || object == "table") && len(p.class.Target) > 0
	if !marked && !relation {
		return nil, nil
	}
	if err := s.detachOpen(ctx); err != nil {
		return nil, err
	}
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	if relation {
		of, err := s.relationOf(ctx, sqlfront.Class{Kind: sqlfront.ClassAlter, Object: "table", Target: p.class.Target})
		if err != nil {
			return nil, err
		}
		if of != nil && of.view != (object == "view") {
			is := map[bool]string{true: "VIEW", false: "TABLE"}[of.view]
			return nil, sqlerr.New(sqlerr.WrongObjectType, "%q is not a %s", of.name, object).WithHint("Write COMMENT ON %s.", is)
		}
	}
	if !marked {
		return nil, nil
	}
	name, kept, err := s.commented(ctx, comment)
	if err != nil || kept == nil {
		return nil, err
	}
	mark, _ := splitComment(*kept)
	if mark == "" && !strings.HasPrefix(comment.Text, markBegin) {
		return nil, nil
	}
	return &program{session: s, tag: "COMMENT", run: func(ctx context.Context) error {
		return s.conn.Exec(ctx, commentOn(strings.ToUpper(comment.Kind), name, markedComment(mark, comment.Text)))
	}}, nil
}

// commented is the name in SQL of what a statement comments on, and the comment that it has; nil:
// there is no such thing.
func (s *Session) commented(ctx context.Context, comment sqlfront.Comment) (name string, kept *string, err error) {
	c := sqlfront.Class{Kind: sqlfront.ClassAlter, Object: comment.Kind, Target: comment.Name}
	if in, ok := listings[comment.Kind]; ok && comment.Kind != "table" {
		list, err := s.textRows(ctx, "SELECT database_name, schema_name, "+in.name+", coalesce(comment, '') FROM "+in.function+" WHERE "+
			load.FoldedSQL(in.name)+" = "+quoteText(load.Fold(c.Target[len(c.Target)-1]))+" AND "+s.placeOf(c)+" ORDER BY "+s.firstPlace(c)+" LIMIT 1")
		if err != nil || len(list) == 0 {
			return "", nil, err
		}
		return quoteName(list[0][:3]), &list[0][3], nil
	}
	c.Object = "table"
	of, err := s.relationOf(ctx, c)
	if err != nil || of == nil || of.view {
		return "", nil, err
	}
	name = of.sql()
	if comment.Column != "" {
		name += "." + quoteName([]string{comment.Column})
	}
	kept, err = s.commentOf(ctx, *of, comment.Column)
	return name, kept, err
}
