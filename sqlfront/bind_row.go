package sqlfront

import (
	"slices"

	"github.com/trireme-db/trireme/internal/rows"
)

// Row values are taken apart. Two rows are equal where their fields are, NULLs
// too: the answer is never NULL. So it is in a list; a query of several columns
// answers as one of one column does, where a row with a NULL is a NULL.

// rowsOf returns the fields of row values; false: not all are rows.
func rowsOf(list ...exprNode) (fields [][]exprNode, ok bool) {
	for _, e := range list {
		r, row := e.(*rowNode)
		if !row || len(r.list) == 0 {
			return nil, false
		}
		if fields = append(fields, r.list); len(r.list) != len(fields[0]) {
			refuse("row value")
		}
	}
	return fields, true
}

// comparedRows binds a comparison of two row values; nil: it is another call.
func (b *block) comparedRows(e *callNode, cl clause) Expr {
	if len(e.args) != 2 {
		return nil
	}
	fields, ok := rowsOf(e.args...)
	if !ok {
		return nil
	}
	same := b.sameRow(b.bindList(fields[0], cl), b.bindList(fields[1], cl))
	switch e.name {
	case "=", "is not distinct from":
		return same
	case "<>", "is distinct from":
		return &Call{Name: "not", Args: []Expr{same}, T: boolean}
	}
	refuse("row value")
	return nil
}

// listedRow binds a row value in a list of them; nil: there are other values.
func (b *block) listedRow(e *inNode, cl clause) Expr {
	fields, ok := rowsOf(append([]exprNode{e.arg}, e.list...)...)
	if !ok {
		return nil
	}
	var any Expr
	for _, list := range fields[1:] {
		same := b.sameRow(b.bindList(fields[0], cl), b.bindList(list, cl))
		any = joined("or", any, same)
	}
	if e.not {
		return &Call{Name: "not", Args: []Expr{any}, T: boolean}
	}
	return any
}

// joined is two predicates with AND or OR between them; nil is none.
func joined(name string, l, r Expr) Expr {
	if l == nil {
		return r
	}
	return &Call{Name: name, Args: []Expr{l, r}, T: boolean}
}

func (b *block) sameRow(l, r []Expr) Expr {
	b.comparableFields(l, r)
	var out Expr
	for i := range l {
		out = joined("and", out, &Call{Name: "is not distinct from", Args: []Expr{l[i], r[i]}, T: boolean})
	}
	return out
}

// comparableFields refuses fields that DuckDB may compare in another type than it
// does values that stand alone: there a literal takes the type of the other side.
func (b *block) comparableFields(l, r []Expr) {
	fields := slices.Concat(l, r)
	if slices.ContainsFunc(fields, hasAggRef) {
		refuse("row value")
	}
	b.resolve(fields)
	number := func(t rows.Type) bool { return isSigned(t) || t.ID == rows.Double }
	for i := range l {
		if x, y := l[i].Type(), r[i].Type(); x != y && !(number(x) && number(y)) {
			refuse("row value")
		}
	}
}

// rowQuery is a row value IN a query of several columns, as questions to queries of
// none.
type rowQuery struct {
	equal   Expr // the query has the row
	missing Expr // the query has a row with a NULL
	some    Expr // the query has a row
	isNull  Expr // the row has a NULL
}

// rowQuery binds the questions; nil: e is no row IN a query.
func (b *block) rowQuery(e *subqueryNode, cl clause) *rowQuery {
	row, ok := e.arg.(*rowNode)
	if !ok {
		return nil
	}
	if e.op != "" || len(row.list) == 0 {
		refuse("row value")
	}
	out := &rowQuery{}
	fields := b.bindList(row.list, cl)
	for _, f := range fields {
		out.isNull = joined("or", out.isNull, isNull(f))
	}
	out.equal = b.hasRow(e, func(cols []Expr) Expr {
		if len(cols) != len(fields) {
			refuse("row value")
		}
		b.comparableFields(fields, cols)
		var all Expr
		for i, c := range cols {
			all = joined("and", all, &Call{Name: "=", Args: []Expr{b.seenFrom(fields[i], 1), c}, T: boolean})
		}
		return all
	})
	out.missing = b.hasRow(e, func(cols []Expr) Expr {
		var any Expr
		for _, c := range cols {
			any = joined("or", any, isNull(c))
		}
		return any
	})
	out.some = b.hasRow(e, func([]Expr) Expr { return nil })
	return out
}

func isNull(e Expr) Expr { return &Call{Name: "is null", Args: []Expr{e}, T: boolean} }

// hasRow asks whether a query of no outer columns has a row for which a condition
// on its columns is TRUE.
func (b *block) hasRow(e *subqueryNode, condition func(cols []Expr) Expr) Expr {
	q, names := b.bindOrText(e.query, b.ctes, b)
	nameOutputs(q, names)
	q.outerRefs(1, func(*OuterRef, int) { refuse("row value") })
	around := &Query{From: []Source{{Alias: "rows", Query: q, Columns: q.Columns}}}
	cols := make([]Expr, len(q.Columns))
	for i, c := range q.Columns {
		if c.Type.ID == rows.SQLNull {
			refuse("NULL in a subquery")
		}
		cols[i] = &ColumnRef{Column: i, Name: c.Name, T: c.Type}
	}
	if where := condition(cols); where != nil {
		around.Where = bothTrue(nil, where)
	}
	selectOne(around)
	return &Subquery{Kind: Exists, Query: around, T: boolean}
}

// bothTrue appends a predicate to conjuncts, cut at its ANDs.
func bothTrue(list []Expr, e Expr) []Expr {
	c, ok := e.(*Call)
	switch {
	case ok && c.Name == "and":
		for _, arg := range c.Args {
			list = bothTrue(list, arg)
		}
		return list
	case ok && c.Name == "or":
		common, rest := factored(c)
		list = append(list, common...)
		if rest == nil {
			return list
		}
		return append(list, rest)
	}
	return append(list, e)
}

// value is the answer with its three values.
func (r *rowQuery) value() Expr {
	unknown := joined("or", r.missing, joined("and", r.isNull, r.some))
	null := &Literal{SQL: "NULL", T: rows.Type{ID: rows.SQLNull}}
	return &Case{T: boolean, Whens: []When{
		{Cond: r.equal, Then: &Literal{SQL: "true", T: boolean}}, {Cond: unknown, Then: &Cast{Arg: null, T: boolean}},
	}, Else: &Literal{SQL: "false", T: boolean}}
}

// conjuncts are predicates that are all TRUE where the answer is TRUE, or with not
// where it is FALSE.
func (r *rowQuery) conjuncts(not bool) []Expr {
	if !not {
		return []Expr{r.equal}
	}
	no := func(e Expr) Expr { return &Call{Name: "not", Args: []Expr{e}, T: boolean} }
	return []Expr{no(r.equal), no(r.missing), joined("or", no(r.isNull), no(r.some))}
}

// rowConjuncts binds [NOT] a row IN a query where only TRUE counts; false: e is
// something else.
func (b *block) rowConjuncts(e exprNode) (list []Expr, ok bool) {
	not := false
	for c, is := e.(*callNode); is && c.name == "not"; c, is = e.(*callNode) {
		not, e = !not, c.args[0]
	}
	s, is := e.(*subqueryNode)
	if !is || s.kind != InQuery {
		return nil, false
	}
	if r := b.rowQuery(s, clauseWhere); r != nil {
		return r.conjuncts(not), true
	}
	return nil, false
}
