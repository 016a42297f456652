package pgcatalog

import (
	"regexp"
	"strings"

	"github.com/trireme-db/trireme/sqlfront"
)

// What tools write in statements on the catalog and DuckDB has in another form.

// systemOID finds the relations of Postgres' catalog and their OIDs in the statement
// that makes the table of them.
var systemOID = regexp.MustCompile(`\('(pg_\w+)', (\d+)\)`)

func readSystemOIDs(statement string) map[string]string {
	oids := map[string]string{}
	for _, m := range systemOID.FindAllStringSubmatch(statement, -1) {
		oids[m[1]] = m[2]
	}
	return oids
}

// catalogOID puts the number for (SELECT oid FROM pg_class WHERE relname='pg_x'), which
// DuckDB refuses in the condition of an outer join; i is its parenthesis.
func (r *rewriter) catalogOID(i int) {
	at := i + 1
	if r.env.Stored || !r.is(at, "select") || !r.nameIs(at+1, "oid") || !r.is(at+2, "from") {
		return
	}
	if at += 3; r.nameIs(at, "pg_catalog") && r.is(at+1, ".") {
		at += 2
	}
	if !r.nameIs(at, "pg_class") || !r.is(at+1, "where") || !r.nameIs(at+2, "relname") || !r.is(at+3, "=") || at+4 >= len(r.tokens) ||
		r.tokens[at+4].Kind != sqlfront.TokenString || r.match(i) != at+5 {
		return
	}
	oid := r.catalog.systemOIDs[strings.Trim(r.lit(at+4), "'")]
	if oid == "" {
		return
	}
	r.text.Catalog = true
	r.replace(i, at+6, oid)
	r.skip = at + 6
}

// scalarTable makes a call in FROM of a function that returns one value, which Postgres
// lets stand there, a query of one row, whose column has the name of the alias, or of the
// function.
func (r *rewriter) scalarTable(i, closing int, name string) {
	if !r.isTable(i) || !r.env.Scalar(name) && (!sessionTables[name] || r.env.Owns(name, true)) {
		return
	}
	r.insert(r.tokens[i].Start, "(SELECT ")
	r.insert(r.tokens[closing].End, r.tableEnd(closing, name))
}

// tableEnd ends a query that stands for such a call: its column has the name of the alias,
// or of the function.
func (r *rewriter) tableEnd(closing int, name string) string {
	switch alias, _ := r.tableAlias(closing); {
	case alias < 0:
		return " AS " + name + ") AS " + name
	case !r.is(alias+1, "("):
		name = r.lit(alias)
	}
	return " AS " + name + ")"
}

// sessionTables are such functions that DuckDB has not.
var sessionTables = wordSet("string_to_array version current_user session_user pg_backend_pid")

// isTable reports whether a call at token i stands for a table.
func (r *rewriter) isTable(i int) bool {
	return r.from[len(r.from)-1] && r.is(i-1, "from", "join", ",", "lateral", "using")
}

// anyOf makes x = ANY (list), where the list is a column, a call: DuckDB makes a subquery
// of it, and has none in the condition of an outer join.
func (r *rewriter) anyOf(i int) {
	closing := i + 1
	if !r.is(i-1, "=") || !r.is(closing, "(") || !r.isName(i+2) || !r.endsOperand(i-2) {
		return
	}
	closing = r.match(closing)
	for k := i + 3; k < closing; k += 2 {
		if !r.is(k, ".") || !r.isName(k+1) {
			return
		}
	}
	start := r.operandStart(i - 2)
	if !r.is(start-1, "and", "or", "on", "where", "(", "not", "when", "having") {
		return
	}
	r.insertFirst(r.tokens[start].Start, r.catalog.functions["_is_any"]+"(")
	r.replace(i-1, i+2, ",")
}

// reservedAlias quotes AT, which is an alias of pgAdmin's and a word of DuckDB's.
func (r *rewriter) reservedAlias(i int) {
	alias := r.from[len(r.from)-1] && (r.isName(i-1) || r.is(i-1, ")")) && !r.is(i+1, "time", "(")
	if alias || r.is(i+1, ".") {
		r.onlyCatalog = append(r.onlyCatalog, func() { r.replace(i, i+1, `"`+r.lit(i)+`"`) })
	}
}

// formats are the specifiers of format: what is written around an argument.
var formats = map[byte][2]string{'s': {"coalesce((", ")::VARCHAR, '')"}, 'I': {".pg.quote_ident((", ")::VARCHAR)"}, 'L': {".pg.quote_nullable((", ")::VARCHAR)"}}

// format makes Postgres' format with a constant text a concatenation: DuckDB's has
// specifiers of its own.
func (r *rewriter) format(i, end int, args [][2]int) {
	if len(args) == 0 || args[0][1] != args[0][0]+1 || r.tokens[args[0][0]].Kind != sqlfront.TokenString {
		return
	}
	text := r.lit(args[0][0])
	texts, verbs, ok := cutFormat(text[1 : len(text)-1])
	if !ok || len(verbs) != len(args)-1 {
		return
	}
	if strings.ContainsAny(string(verbs), "IL") && !strings.Contains(text, "{") {
		r.text.Catalog = true
	}
	change := func() {
		r.replace(i, end+1, "concat")
		r.replace(args[0][0], args[0][1], "'"+texts[0]+"'")
		for n, arg := range args[1:] {
			around := formats[verbs[n]]
			if strings.HasPrefix(around[0], ".") {
				around[0] = r.catalog.database + around[0]
			}
			r.insertFirst(r.tokens[arg[0]].Start, around[0])
			r.insert(r.tokens[arg[1]-1].End, around[1]+", '"+texts[n+1]+"'")
		}
	}
	r.last = append(r.last, change)
	if len(verbs) > 0 && !strings.Contains(text, "{") { // braces are DuckDB's specifiers
		r.elsewhere = append(r.elsewhere, change)
	}
}

// cutFormat cuts the text of format, as it stands between its quotes, at the specifiers;
// false: it has others than these, or places and widths.
func cutFormat(text string) (texts []string, verbs []byte, ok bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch {
		case i == len(text):
			return nil, nil, false
		case text[i] == '%':
			b.WriteByte('%')
		case formats[text[i]][0] != "":
			texts, verbs = append(texts, b.String()), append(verbs, text[i])
			b.Reset()
		default:
			return nil, nil, false
		}
	}
	return append(texts, b.String()), verbs, true
}
