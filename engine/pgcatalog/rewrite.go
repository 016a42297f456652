package pgcatalog

import (
	"cmp"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/sqlfront"
)

// Env is what the session knows and the catalog's database cannot.
type Env struct {
	User, Version string
	// PID is the number of the session's backend.
	PID int
	// Path are the schemas of the session's search path.
	Path []string
	// Setting is the value of a setting that the session keeps; false: it keeps none
	// of that name.
	Setting func(name string) (string, bool)
	// Sequence is the schema of a sequence by its name, and its schema's if that is not
	// empty; false: there is none.
	Sequence func(schema, name string) (string, bool)
	// Relation is a query for a relation that depends on the session: pg_settings,
	// pg_roles; false: it does not.
	Relation func(name string) (string, bool)
	// Owns reports whether an unqualified name is that of a function, or of a table or
	// view, of the user's.
	Owns func(name string, function bool) bool
	// Scalar reports whether a function returns one value, and no rows.
	Scalar func(name string) bool
	// HasColumn reports whether the table or view that a name means, perhaps with its
	// schema, has a column.
	HasColumn func(table []string, column string) bool
	// MergeOnce is the function that is true, or an error, of a row that MERGE changes.
	MergeOnce string
	// LastValue is the function of lastval; empty: it is not known.
	LastValue string
	// Stored: the text is of a definition that is kept. What the session says is asked for
	// when it is evaluated, and nothing of the catalog is in it: DuckDB reads definitions
	// while it opens a database, when there is no catalog yet.
	Stored bool
	// TextParam reports whether the client says of a parameter, $1, that it is a text, and
	// whether it says what it is at all.
	TextParam func(param string) (text, declared bool)
}

// Text is a statement as DuckDB gets it.
type Text struct {
	SQL string
	// Catalog: the statement reads the catalog's database.
	Catalog bool
	// Session: it shows what the session knows at this moment.
	Session bool
	// Settings are those that the statement sets by set_config, in order.
	Settings []Setting
	// Calls are what the session performs, in order. Answers: after the statement's own
	// parameters comes one with an Answer for each call and row that was true, with
	// semicolons between them.
	Calls   []Call
	Answers bool
	edits   sqlfront.Edits
	// outputs are what the text shows of its columns; columnTypes those of the catalog's.
	outputs     []output
	columnTypes map[string]string
}

// Setting is a call of set_config.
type Setting struct {
	Name, Value string
	// Expression is SQL for both, with the statement's parameters, if they are not constant.
	Expression string
	// From is the statement's FROM with what follows, over whose rows Expression is; empty:
	// it has none.
	From  string
	Local bool
}

// Changed reports whether the text differs from the user's.
func (t *Text) Changed() bool { return len(t.edits) > 0 }

// Edits are the changes of the user's text, in its order.
func (t *Text) Edits() sqlfront.Edits { return t.edits }

// Offset is the place in the user's text of a place in SQL.
func (t *Text) Offset(offset int) int { return t.edits.Offset(offset) }

func byPlace(a, b sqlfront.Edit) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
}

// rewriter is the rewriting of one statement.
type rewriter struct {
	catalog *Catalog
	env     *Env
	src     string
	tokens  []sqlfront.Token
	pairs   brackets
	edits   sqlfront.Edits
	text    Text
	// from says of each parenthesis that is open whether names stand for tables here.
	from []bool
	// aliases are the relations of the catalog by the names that the statement gives
	// them.
	aliases map[string]string
	// mentions are these relations in the order of the text.
	mentions []mention
	// operands are the first tokens of the operands of casts that have been handled.
	operands map[int]int
	// common are the names of common table expressions.
	common map[string]bool
	// tables are the first and the last tokens of names that stand for tables of the
	// user's.
	tables [][2]int
	// values are calls in FROM whose rows are values; names are the tokens of names without
	// a table that may mean one of them.
	values []valueTable
	names  []int
	// skip is the token up to which all has been handled.
	skip int
	// onlyCatalog are changes that hold for statements on the catalog alone, because
	// DuckDB gives the same text another meaning.
	onlyCatalog []func()
	// elsewhere are changes of statements on other tables alone.
	elsewhere []func()
	// last are changes that come after all others at their places.
	last []func()
}

// mention is a relation of the catalog at a token.
type mention struct {
	at   int
	name string
}

// Rewrite makes a statement one that DuckDB can execute. Errors carry the offset in
// sql.
func (c *Catalog) Rewrite(sql string, env *Env) (Text, error) {
	tokens, err := sqlfront.Tokens(sql)
	if err != nil {
		return Text{}, err
	}
	r := &rewriter{catalog: c, env: env, src: sql, tokens: tokens, pairs: pairBrackets(sql, tokens), from: []bool{false}, aliases: map[string]string{}, operands: map[int]int{}}
	for i := 0; i < len(tokens); {
		next, err := r.token(i)
		if err != nil {
			return Text{}, err
		}
		i = max(next, r.skip)
	}
	r.readSequences()
	r.readValues()
	r.mergeOnce()
	changes := r.elsewhere
	if r.text.Catalog {
		changes = append(r.onlyCatalog, r.last...)
	}
	for _, change := range changes {
		change()
	}
	if len(r.edits) > 0 {
		r.nameColumns()
	}
	if r.text.Catalog {
		r.outputs()
		r.text.columnTypes = c.columnTypes
	}
	return r.finish(), nil
}

func (r *rewriter) finish() Text {
	slices.SortStableFunc(r.edits, byPlace)
	at := 0
	for _, e := range r.edits {
		if e.Start < at {
			// Two changes of one place: what looks like an operand or a clause here is none.
			// The statement stays as it is, and the error that it has is DuckDB's.
			return Text{SQL: r.src}
		}
		at = e.End
	}
	r.text.SQL, r.text.edits = r.edits.Apply(r.src, 0, len(r.src)), r.edits
	return r.text
}

// token handles what begins at token i and returns where to go on.
func (r *rewriter) token(i int) (next int, err error) {
	t := r.tokens[i]
	switch t.Kind {
	case sqlfront.TokenWord, sqlfront.TokenQuoted:
		return r.word(i)
	case sqlfront.TokenCast:
		return r.cast(i), nil
	case sqlfront.TokenPunct:
		r.bracket(i)
	}
	return i + 1, nil
}

// bracket keeps track of parentheses.
func (r *rewriter) bracket(i int) {
	switch top := len(r.from) - 1; r.lit(i) {
	case "(":
		if r.catalogOID(i); r.skip > i {
			return
		}
		r.from = append(r.from, r.from[top] && r.is(i-1, "from", "join", ",", "("))
	case ")":
		if top > 0 {
			r.from = r.from[:top]
		}
	}
}

// clauses are the words after which names stand for tables, or for columns again.
var clauses = map[string]bool{
	"from": true, "join": true,
	"where": false, "group": false, "order": false, "having": false, "limit": false, "select": false, "union": false,
	"intersect": false, "except": false, "on": false, "using": false, "window": false, "set": false,
}

func (r *rewriter) word(i int) (int, error) {
	if r.is(i-1, ".") {
		return i + 1, nil
	}
	if r.tokens[i].Kind == sqlfront.TokenWord {
		w := r.name(i)
		if from, ok := clauses[w]; ok && (w != "from" || r.beginsFrom(i)) {
			from = from || w == "using" && r.is(0, "delete", "merge", "with", "explain") && !r.is(i+1, "(")
			r.from[len(r.from)-1] = from
			return i + 1, nil
		}
		switch w {
		case "at":
			r.reservedAlias(i)
			return i + 1, nil
		case "with":
			r.commonTable(i + 1)
			return i + 1, nil
		case "collate":
			if r.nameIs(i+1, "pg_catalog") && r.is(i+2, ".") {
				r.replace(i, i+4, "")
				return i + 4, nil
			}
		case "cast":
			r.castCall(i)
			return i + 1, nil
		case "any", "some":
			r.onlyCatalog = append(r.onlyCatalog, func() { r.anyOf(i) })
			return i + 1, nil
		}
	}
	return r.chain(i)
}

// beginsFrom reports whether FROM at token i begins a clause: it does not in IS DISTINCT
// FROM, and between arguments, as in extract(year FROM d).
func (r *rewriter) beginsFrom(i int) bool {
	if r.is(i-1, "distinct") && r.is(i-2, "is", "not") {
		return false
	}
	open := r.pairs.around[i]
	if open < 0 || !r.isName(open-1) || beforeCall[r.name(open-1)] {
		return true
	}
	return r.is(open+1, "select", "from", "with", "delete")
}

// commonTable notes the names of a WITH clause.
func (r *rewriter) commonTable(i int) {
	if r.is(i, "recursive") {
		i++
	}
	for i < len(r.tokens) && r.isName(i) {
		if r.common == nil {
			r.common = map[string]bool{}
		}
		r.common[r.name(i)] = true
		if i++; r.is(i, "(") {
			i = r.match(i) + 1
		}
		for r.is(i, "as", "not", "materialized") {
			i++
		}
		if !r.is(i, "(") {
			return
		}
		if i = r.match(i) + 1; !r.is(i, ",") {
			return
		}
		i++
	}
}

// chain handles a name, qualified or not, that begins at token i.
func (r *rewriter) chain(i int) (int, error) {
	var parts []string
	end := i
	for {
		parts = append(parts, r.name(end))
		if !r.is(end+1, ".") || !r.isName(end+2) {
			break
		}
		end += 2
	}
	begin := i
	if len(parts) > 2 && parts[0] == "trireme" && isSystem(parts[1]) {
		begin, parts = i+2, parts[1:]
	}
	call := r.is(end+1, "(")
	switch {
	case len(parts) >= 2 && isSystem(parts[0]):
		if call && len(parts) == 2 {
			return r.call(i, end, parts[0], parts[1])
		}
		r.relation(i, begin, parts, end)
	case len(parts) == 1 && call:
		if r.mayCall(i) {
			return r.call(i, end, "", parts[0])
		}
	case len(parts) == 1:
		r.unqualified(i, parts[0])
	}
	if (len(parts) <= 2 || len(parts) == 3 && parts[0] == "trireme") && !call && r.from[len(r.from)-1] && r.is(i-1, "from", "join", ",", "only", "(") {
		r.tables = append(r.tables, [2]int{i, end})
	}
	r.functionColumn(i, end, parts)
	r.vector(i, end, parts[len(parts)-1])
	r.systemColumn(i, end, parts)
	return end + 1, nil
}

// systemColumn handles alias.tableoid, and the schema of temporary objects.
func (r *rewriter) systemColumn(i, end int, parts []string) {
	switch {
	case len(parts) == 2 && parts[1] == "xmin":
		r.onlyCatalog = append(r.onlyCatalog, func() {
			if name := r.aliases[parts[0]]; name != "" && name != "pg_replication_slots" {
				r.replace(i, end+1, "0::BIGINT") // no row has a transaction
			}
		})
	case parts[len(parts)-1] == "tableoid" && len(parts) <= 2 && !r.is(i-1, "as"):
		r.onlyCatalog = append(r.onlyCatalog, func() {
			name := r.firstRelation(i)
			if len(parts) == 2 {
				name = r.aliases[parts[0]]
			}
			if oid := r.catalog.systemOIDs[name]; oid != "" {
				r.replace(i, end+1, oid)
			}
		})
	case len(parts) > 1 && (parts[0] == "pg_temp" || parts[0] == TemporarySchema):
		r.replace(i, i+1, "temp")
	}
}

// firstRelation is the first relation of the catalog in the FROM of the query that token i
// belongs to, or of the next one around it that has any; empty: there is none.
func (r *rewriter) firstRelation(i int) string {
	for around := r.pairs.around[i]; ; i, around = around, r.pairs.around[around] {
		for _, m := range r.mentions {
			if r.pairs.around[m.at] == around && !r.setOperation(i, m.at, around) {
				return m.name
			}
		}
		if around < 0 {
			return ""
		}
	}
}

// setOperation reports whether a UNION or the like of the bracket around stands between two
// tokens.
func (r *rewriter) setOperation(i, j, around int) bool {
	for at := min(i, j); at < max(i, j); at++ {
		if r.pairs.around[at] == around && r.is(at, "union", "intersect", "except") {
			return true
		}
	}
	return false
}

func isSystem(schema string) bool { return schema == "pg_catalog" || schema == "information_schema" }

// relation handles a qualified name that is no function's.
func (r *rewriter) relation(i, begin int, parts []string, end int) {
	if len(parts) > 2 { // a column, of a table that goes by its name alone
		r.replace(i, begin+2, "")
		return
	}
	r.table(i, end, parts[0], parts[1])
}

// unqualified handles a name without schema that is no function's.
func (r *rewriter) unqualified(i int, name string) {
	if r.tokens[i].Kind == sqlfront.TokenWord {
		switch name {
		case "current_user", "session_user", "current_role", "current_schema":
			if value, ok := r.sessionValue(name); ok && !r.is(i-1, "as") {
				r.replace(i, i+1, value)
			}
			return
		}
	}
	if !r.from[len(r.from)-1] && r.mayCall(i) && !r.is(i-1, "end") {
		r.names = append(r.names, i)
	}
	if r.from[len(r.from)-1] && r.is(i-1, "from", "join", ",", "(", "only") && !r.common[name] {
		if _, ok := r.known("pg_catalog", name); ok && !r.env.Owns(name, false) {
			r.table(i, i, "pg_catalog", name)
		}
	}
}

// known returns what stands for a relation of Postgres.
func (r *rewriter) known(schema, name string) (string, bool) {
	if schema == "pg_catalog" {
		if sql, ok := r.env.Relation(name); ok {
			return "(" + sql + ")", true
		}
	}
	full, ok := r.catalog.relations[schema+"."+name]
	return full, ok
}

// table puts what stands for a relation in place of tokens i to end.
func (r *rewriter) table(i, end int, schema, name string) {
	if r.env.Stored {
		return
	}
	full, ok := r.known(schema, name)
	if name == "pg_class" && ok && !r.counts() {
		full = r.catalog.database + ".pg." + uncounted
	}
	r.text.Catalog = true
	r.text.Session = r.text.Session || strings.HasPrefix(full, "(")
	alias := end + 1
	if r.is(alias, "as") {
		alias++
	}
	r.aliases[name] = name
	r.mentions = append(r.mentions, mention{i, name})
	if r.hasAlias(alias) {
		r.aliases[r.name(alias)] = name
	}
	switch {
	case !ok:
		return // DuckDB has it, or the error
	}
	if !strings.HasSuffix(full, "."+name) && !r.hasAlias(alias) {
		full += " AS " + name
	}
	r.replace(i, end+1, full)
}

// afterTable are words that may follow a table and are no alias of it.
var afterTable = wordSet(`where join left right inner outer full cross natural on using group order having limit offset union
	intersect except window fetch for tablesample lateral asof semi anti positional qualify returning select with when`)

func (r *rewriter) hasAlias(i int) bool {
	return r.isName(i) && !(r.tokens[i].Kind == sqlfront.TokenWord && afterTable[r.name(i)])
}

// beforeCall are words after which a name and a parenthesis are a call.
var beforeCall = wordSet(`select distinct all and or not when then else case by on where having between in like ilike is from join
	returning limit offset lateral using any some end set values`)

// mayCall reports whether the unqualified name at i is that of a function: not that of
// a table with its columns.
func (r *rewriter) mayCall(i int) bool {
	if i == 0 {
		return false
	}
	switch r.tokens[i-1].Kind {
	case sqlfront.TokenWord:
		return beforeCall[r.name(i-1)]
	case sqlfront.TokenOp:
		return true
	case sqlfront.TokenPunct:
		return r.is(i-1, "(", ",", "[", ":")
	}
	return false
}

// Vectors count from 0 in Postgres, and are printed without braces.
var vectors = wordSet("indkey indclass indoption indcollation proargtypes")

// vector corrects the subscripts of a vector whose name is tokens i to end, and compares
// it as a text with a text.
func (r *rewriter) vector(i, end int, name string) {
	if !vectors[name] {
		return
	}
	if r.is(end+1, "=") && end+2 < len(r.tokens) && r.tokens[end+2].Kind == sqlfront.TokenString {
		r.onlyCatalog = append(r.onlyCatalog, func() {
			r.insert(r.tokens[i].Start, "array_to_string(")
			r.insert(r.tokens[end].End, ", ' ')")
		})
	}
	if !r.is(end+1, "[") {
		return
	}
	closing := r.match(end + 1)
	r.onlyCatalog = append(r.onlyCatalog, func() {
		r.insert(r.tokens[end+1].End, "(")
		r.insert(r.tokens[closing].Start, ") + 1")
	})
}

func (r *rewriter) replace(from, to int, text string) {
	end := len(r.src)
	if to < len(r.tokens) {
		end = r.tokens[to].Start
	}
	if to > 0 && to-1 < len(r.tokens) && text != "" {
		end = r.tokens[to-1].End
	}
	start := r.tokens[from].Start
	r.edits = append(r.edits, sqlfront.Edit{Start: start, End: end, Text: text, Place: start})
}

func (r *rewriter) insert(at int, text string) {
	r.edits = append(r.edits, sqlfront.Edit{Start: at, End: at, Text: text, Place: at})
}

// insertFirst is insert before what has been inserted at the same place.
func (r *rewriter) insertFirst(at int, text string) {
	r.edits = slices.Insert(r.edits, 0, sqlfront.Edit{Start: at, End: at, Text: text, Place: at})
}

// lit is the text of token i, empty outside the statement.
func (r *rewriter) lit(i int) string {
	if i < 0 || i >= len(r.tokens) {
		return ""
	}
	return r.src[r.tokens[i].Start:r.tokens[i].End]
}

// is reports whether token i is one of the keywords or signs.
func (r *rewriter) is(i int, words ...string) bool {
	if i < 0 || i >= len(r.tokens) || r.tokens[i].Kind == sqlfront.TokenQuoted || r.tokens[i].Kind == sqlfront.TokenString {
		return false
	}
	t := r.lit(i)
	for _, w := range words {
		if strings.EqualFold(t, w) {
			return true
		}
	}
	return false
}

func (r *rewriter) isName(i int) bool {
	return i >= 0 && i < len(r.tokens) && (r.tokens[i].Kind == sqlfront.TokenWord || r.tokens[i].Kind == sqlfront.TokenQuoted)
}

// name is the name at token i in lower case, without quotes.
func (r *rewriter) name(i int) string {
	t := r.lit(i)
	if r.tokens[i].Kind == sqlfront.TokenQuoted {
		t = strings.ReplaceAll(t[1:len(t)-1], `""`, `"`)
	}
	return strings.ToLower(t)
}

func (r *rewriter) nameIs(i int, name string) bool { return r.isName(i) && r.name(i) == name }

// brackets are the pairs of brackets: the other one of each, and of every token the
// one that it is in; -1: none. nesting is how many are in one another at most.
type brackets struct {
	other, around []int
	nesting       int
}

func pairBrackets(src string, tokens []sqlfront.Token) brackets {
	b := brackets{other: make([]int, len(tokens)), around: make([]int, len(tokens))}
	var open []int
	for i, t := range tokens {
		b.other[i], b.around[i] = -1, -1
		sign := byte(0)
		if t.Kind == sqlfront.TokenPunct {
			sign = src[t.Start]
		}
		if strings.IndexByte(")]}", sign) >= 0 && len(open) > 0 {
			from := open[len(open)-1]
			open = open[:len(open)-1]
			b.other[i], b.other[from] = from, i
		}
		if len(open) > 0 {
			b.around[i] = open[len(open)-1]
		}
		if strings.IndexByte("([{", sign) >= 0 {
			open = append(open, i)
			b.nesting = max(b.nesting, len(open))
		}
	}
	return b
}

// match is the token that closes the bracket at token i; the last one if none does.
func (r *rewriter) match(i int) int {
	if other := r.pairs.other[i]; other > i {
		return other
	}
	return len(r.tokens) - 1
}

// opens is the token that opens the bracket at token i; the first if none does.
func (r *rewriter) opens(i int) int { return max(r.pairs.other[i], 0) }

func quoteText(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}
