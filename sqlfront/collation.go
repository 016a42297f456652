package sqlfront

import (
	"slices"

	"github.com/trireme-db/trireme/internal/rows"
)

// CollatedColumns says which columns of a table may be compared by a collation
// of their own; nil: none. create is DuckDB's CREATE TABLE of the table, the
// only place where DuckDB tells. A generated column beside a collated one
// counts, because it may inherit the collation without a word.
//
// An error is one of the lexer: the text was not DuckDB's.
func CollatedColumns(create string, columns []rows.Column) ([]bool, error) {
	var names []string // of columns that count if there is a COLLATE at all
	name, depth, any := "", 0, false
	l := lexer{src: create}
	for {
		t, err := l.next()
		if err != nil {
			return nil, err
		}
		text := create[t.start:t.end]
		switch {
		case t.kind == tokEOF:
			if !any {
				return nil, nil
			}
			out := make([]bool, len(columns))
			for i, c := range columns {
				out[i] = slices.Contains(names, fold(c.Name))
			}
			return out, nil
		case t.kind == tokPunct && text == "(":
			depth++
			if depth == 1 {
				name = ""
			}
		case t.kind == tokPunct && text == ")":
			depth--
		case t.kind == tokPunct && text == "," && depth == 1:
			name = ""
		case depth > 0 && name == "": // the first word of a definition
			if name = fold(text); t.kind == tokQuoted {
				name = fold(unquote(text))
			}
		case t.kind == tokWord && (fold(text) == "collate" || fold(text) == "generated"):
			any = any || fold(text) == "collate"
			names = append(names, name)
		}
	}
}

// ofCollation is why columns with a collation are DuckDB's.
const ofCollation = "collation: tensors compare texts by their bytes; keep what is compared in a column without COLLATE"

// checkCollations refuses expressions over collated columns: tensors compare
// strings by their bytes.
func (q *Query) checkCollations(roots []Expr) {
	for _, r := range roots {
		WalkExpr(r, func(e Expr) {
			if c, ok := e.(*ColumnRef); ok {
				if t := q.From[c.Source].Table; t != nil && t.Collated != nil && t.Collated[c.Column] {
					refuse(ofCollation)
				}
			}
		})
	}
}
