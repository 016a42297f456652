package sqlfront

import (
	"slices"
	"strings"
)

// AssignedMark is the function of a Form whose second argument is assigned to its first.
const AssignedMark = "trireme_assigned"

// Form is a SELECT in which the parameters of a part of a statement stand in places of
// the same types. DuckDB has syntax trees of SELECT alone.
type Form struct {
	SQL string
	// Offset is where SQL stands in the statement, -1: it does not stand there as it is.
	Offset int
	// Target is a SELECT of the columns that the rows of SQL are inserted into; empty:
	// they go nowhere.
	Target string
}

// Forms are the parts of a statement that may have parameters, in the order in which
// Postgres looks at them; none of a statement that takes none. A `?` becomes $1, $2, ..
func Forms(sql string) []Form {
	numbered := numberQuestions(sql)
	f := &former{src: numbered, tokens: tokensOf(numbered), moved: numbered != sql}
	f.end = len(f.tokens)
	if f.is(f.end-1, ";") {
		f.end--
	}
	if f.is(0, "explain") {
		f.at = f.explained()
	}
	f.statement()
	return f.forms
}

// numberQuestions writes every ? as the parameter that it is.
func numberQuestions(sql string) string { return QuestionNumbers(sql).Apply(sql, 0, len(sql)) }

// former cuts a statement, tokens[at:end], at the words between its clauses.
type former struct {
	src     string
	tokens  []token
	at, end int
	with    string // WITH .., before the verb
	moved   bool   // offsets are not the statement's
	forms   []Form
}

func (f *former) is(i int, texts ...string) bool {
	if i < 0 || i >= len(f.tokens) {
		return false
	}
	return slices.Contains(texts, fold(f.src[f.tokens[i].start:f.tokens[i].end]))
}

// text is what stands in tokens[lo:hi].
func (f *former) text(lo, hi int) string {
	if lo >= hi || hi > len(f.tokens) {
		return ""
	}
	return f.src[f.tokens[lo].start:f.tokens[hi-1].end]
}

func (f *former) add(form Form) {
	form.SQL, form.Offset = f.with+form.SQL, -1
	f.forms = append(f.forms, form)
}

// addPart adds tokens[lo:hi] as they stand.
func (f *former) addPart(lo, hi int, target string) {
	f.add(Form{SQL: f.text(lo, hi), Target: target})
	if lo < hi && f.with == "" && !f.moved {
		f.forms[len(f.forms)-1].Offset = f.tokens[lo].start
	}
}

// next is the first token from lo on, outside of parentheses, that is one of the words;
// hi: none is.
func (f *former) next(lo, hi int, words ...string) int {
	depth := 0
	for i := lo; i < hi; i++ {
		switch {
		case f.is(i, "(", "[", "{"):
			depth++
		case f.is(i, ")", "]", "}"):
			depth--
		case depth != 0 || !f.is(i, words...):
		case f.is(i, "from") && f.is(i-1, "distinct"), f.is(i, "on") && !f.is(i+1, "conflict") && !slices.Contains(words, "when"):
		default:
			return i
		}
	}
	return hi
}

// closing is the bracket that closes the one at token i; the end: none does.
func (f *former) closing(i int) int {
	for depth := 0; i < f.end; i++ {
		switch {
		case f.is(i, "(", "[", "{"):
			depth++
		case f.is(i, ")", "]", "}"):
			depth--
		}
		if depth == 0 {
			return i
		}
	}
	return i
}

// split cuts tokens[lo:hi] at the commas outside of parentheses.
func (f *former) split(lo, hi int) (parts [][2]int) {
	for lo < hi {
		end := f.next(lo, hi, ",")
		parts = append(parts, [2]int{lo, end})
		lo = end + 1
	}
	return parts
}

// explained is where the statement begins that EXPLAIN explains.
func (f *former) explained() int {
	i := 1
	if f.is(i, "(") {
		i = f.closing(i) + 1
	}
	for f.is(i, "analyze", "analyse", "verbose") {
		i++
	}
	return i
}

func (f *former) statement() {
	verb := f.at
	if f.is(verb, "with") {
		verb = f.next(verb, f.end, "select", "from", "values", "insert", "update", "delete", "merge")
	}
	write := map[string]func(verb int){"update": f.update, "delete": f.delete, "insert": f.insert, "merge": f.merge}[fold(f.text(verb, verb+1))]
	switch {
	case write != nil:
		if verb > f.at {
			f.with = f.text(f.at, verb) + "\n"
		}
		write(verb)
	case f.is(verb, "create"):
		if as := f.next(verb, f.end, "as"); as < f.end {
			f.addPart(as+1, f.end, "")
		}
	case f.is(verb, "execute"), verb >= f.end:
	default:
		f.addPart(f.at, f.end, "")
	}
}

// table splits what names a table, tokens[lo:hi], into its name and what its columns
// are qualified with.
func (f *former) table(lo, hi int) (name, alias string) {
	end := lo + 1
	for f.is(end, ".") {
		end += 2
	}
	last := end - 1
	if f.is(end, "as") {
		last = end + 1
	} else if end < hi {
		last = end
	}
	return f.text(lo, end), f.text(last, last+1)
}

func (f *former) update(verb int) {
	set := f.next(verb, f.end, "set")
	if f.is(verb+1, "only") && set > verb+2 {
		verb++
	}
	from := f.next(set, f.end, "from", "where", "returning")
	_, alias := f.table(verb+1, set)
	items := f.assignments(set+1, from, alias)
	source := f.text(verb+1, set)
	where := f.next(from, f.end, "where", "returning")
	if f.is(from, "from") {
		source += ", " + f.text(from+1, where)
	}
	f.selection(items, source, where)
}

// selection adds a SELECT of items, with the WHERE and the RETURNING from token i on.
func (f *former) selection(items []string, source string, i int) {
	returning := f.next(i, f.end, "returning")
	if returning < f.end {
		items = append(items, f.text(returning+1, f.end))
	}
	sql := "SELECT " + strings.Join(append(items, "1"), ", ") + " FROM " + source
	if f.is(i, "where") {
		sql += " " + f.text(i, returning)
	}
	f.add(Form{SQL: sql})
}

func (f *former) delete(verb int) {
	using := f.next(verb, f.end, "using", "where", "returning")
	where := f.next(using, f.end, "where", "returning")
	source := f.text(verb+2, using)
	if f.is(using, "using") {
		source += ", " + f.text(using+1, where)
	}
	f.selection(nil, source, where)
}

// assignments are the assignments of SET, tokens[lo:hi], marked.
func (f *former) assignments(lo, hi int, alias string) (items []string) {
	for _, part := range f.split(lo, hi) {
		equal := f.next(part[0], part[1], "=")
		columns, values := [][2]int{{part[0], equal}}, [][2]int{{equal + 1, part[1]}}
		if f.is(part[0], "(") {
			columns = f.split(part[0]+1, equal-1)
			first := equal + 1
			if f.is(first, "row") {
				first++
			}
			if f.is(first+1, "select", "with", "from", "values") {
				items = append(items, "EXISTS "+f.text(first, part[1]))
				continue
			}
			if f.is(first, "(") {
				values = f.split(first+1, part[1]-1)
			}
		}
		for i := 0; i < len(columns) && i < len(values); i++ {
			if value := f.text(values[i][0], values[i][1]); !f.is(values[i][0], "default") {
				column := alias + "." + f.text(columns[i][0], columns[i][0]+1)
				items = append(items, AssignedMark+"("+column+", "+value+"\n)")
			}
		}
	}
	return items
}

func (f *former) insert(verb int) {
	into := f.next(verb, f.end, "into")
	body := into + 2
	for f.is(body, ".") {
		body += 2
	}
	table := f.text(into+1, body)
	alias := table
	if f.is(body, "as") {
		alias = f.text(body+1, body+2)
		body += 2
	}
	target := "SELECT * FROM " + table
	if f.is(body, "(") && !f.is(body+1, "select", "with", "from", "values", "(") {
		end := f.closing(body)
		target = "SELECT " + f.text(body+1, end) + " FROM " + table
		body = end + 1
	}
	for f.is(body, "by") {
		if f.is(body+1, "name") {
			target = ""
		}
		body += 2
	}
	conflict := f.next(body, f.end, "on", "returning")
	returning := f.next(conflict, f.end, "returning")
	if !f.is(body, "default") {
		f.addPart(body, conflict, target)
	}
	if f.is(conflict, "on") {
		f.conflict(conflict, returning, table, alias)
	}
	if returning < f.end {
		f.add(Form{SQL: "SELECT " + f.text(returning+1, f.end) + " FROM " + table + " AS " + f.lastName(alias)})
	}
}

// lastName is the last part of a name.
func (f *former) lastName(name string) string {
	tokens := tokensOf(name)
	if len(tokens) == 0 {
		return name
	}
	return name[tokens[len(tokens)-1].start:]
}

// conflict is ON CONFLICT .. DO UPDATE: names are the table's, then those of the row that
// was to be inserted.
func (f *former) conflict(lo, hi int, table, alias string) {
	set := f.next(lo, hi, "set")
	if set == hi {
		return
	}
	where := f.next(set, hi, "where")
	alias = f.lastName(alias)
	items := append(f.assignments(set+1, where, alias), "1")
	f.add(Form{SQL: "SELECT (SELECT ROW(" + strings.Join(items, ", ") + ") FROM " + table + " AS " + alias + " " + f.text(where, hi) +
		"\n) FROM " + table + " AS excluded"})
}

// merge has a form for every clause of MERGE INTO.
func (f *former) merge(verb int) {
	using := f.next(verb, f.end, "using")
	target := f.text(verb+2, using)
	name, alias := f.table(verb+2, using)
	on := using + 1
	for on < f.end && !f.is(on, "on", "using", "when") {
		on = f.closing(on) + 1
	}
	source := f.text(using+1, on)
	when := f.next(on, f.end, "when", "returning")
	if f.is(on, "on") {
		f.add(Form{SQL: "SELECT 1 FROM " + target + ", " + source + " WHERE " + f.text(on+1, when)})
	}
	for when < f.end && f.is(when, "when") {
		end := f.clauseEnd(when + 1)
		then := f.clauseThen(when+1, end)
		if and := f.next(when+1, then, "and"); and < then {
			f.add(Form{SQL: "SELECT 1 FROM " + target + ", " + source + " WHERE " + f.text(and+1, then)})
		}
		if set := f.next(then, end, "set"); set < end {
			items := append(f.assignments(set+1, end, alias), "1")
			f.add(Form{SQL: "SELECT " + strings.Join(items, ", ") + " FROM " + target + ", " + source})
		}
		if values := f.next(then, end, "values"); values < end {
			columns := "*"
			if f.is(then+2, "(") {
				columns = f.text(then+3, f.closing(then+2))
			}
			f.add(Form{SQL: "SELECT " + f.text(values+2, end-1) + " FROM " + source, Target: "SELECT " + columns + " FROM " + name})
		}
		when = end
	}
	if when < f.end {
		f.add(Form{SQL: "SELECT " + f.text(when+1, f.end) + " FROM " + target + ", " + source})
	}
}

// clauseThen is the THEN of a clause of MERGE, which is none of a CASE in its condition.
func (f *former) clauseThen(i, end int) int {
	for cases := 0; i < end; i++ {
		switch {
		case f.is(i, "case"):
			cases++
		case f.is(i, "end"):
			cases--
		case cases == 0 && f.is(i, "then"):
			return i
		}
	}
	return i
}

// clauseEnd is where a clause of MERGE ends: WHEN of a CASE is none.
func (f *former) clauseEnd(i int) int {
	for cases := 0; i < f.end; i++ {
		switch {
		case f.is(i, "case"):
			cases++
		case f.is(i, "end"):
			cases--
		case cases == 0 && f.is(i, "when") && f.is(i+1, "matched", "not"), cases == 0 && f.is(i, "returning"):
			return i
		}
	}
	return i
}
