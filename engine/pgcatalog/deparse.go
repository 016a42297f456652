package pgcatalog

import (
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/pgtext"
	"github.com/trireme-db/trireme/sqlfront"
)

// DuckDB writes expressions from its own trees, in its words. Clients that restore them, or
// read them, expect those of Postgres.

// Anybody may have any text written. Each bracket within another one is a call within a call here,
// which copies what it has in it.
const (
	nestingMax = 1000
	textMax    = 1 << 20
)

// names are how a client sees the schemas of types.
type names struct {
	path  []string
	known func(schema string) string
	quote func(schema string) string
}

// ExpressionText is DuckDB's text of an expression or a query in the words of Postgres, as
// far as there are some: casts, types, literals, arrays, regular expressions and operators on
// JSON. Types of the user's have their schemas where the path does not find them. A text that is
// longer than textMax, or has more than nestingMax brackets in one another, stays as it is.
func ExpressionText(sql string, path []string, known, quote func(schema string) string) (string, error) {
	if len(sql) > textMax {
		return sql, nil
	}
	tokens, err := sqlfront.Tokens(sql)
	if err != nil || len(tokens) == 0 {
		return sql, err
	}
	pairs := pairBrackets(sql, tokens)
	if pairs.nesting > nestingMax {
		return sql, nil
	}
	d := &deparser{src: sql, tokens: tokens, pairs: pairs, names: names{path, known, quote}}
	return sql[:tokens[0].Start] + d.text(0, len(tokens)) + sql[tokens[len(tokens)-1].End:], nil
}

type deparser struct {
	src    string
	tokens []sqlfront.Token
	pairs  brackets
	names
}

func (d *deparser) lit(i int) string {
	if i < 0 || i >= len(d.tokens) {
		return ""
	}
	return d.src[d.tokens[i].Start:d.tokens[i].End]
}

// closing is the token that closes the bracket at token i; -1: none does.
func (d *deparser) closing(i int) int {
	if i < len(d.tokens) && d.pairs.other[i] > i {
		return d.pairs.other[i]
	}
	return -1
}

// name is a name or word without quotes.
func (d *deparser) name(i int) string {
	if i >= 0 && i < len(d.tokens) && d.tokens[i].Kind == sqlfront.TokenQuoted {
		text := d.lit(i)
		return strings.ReplaceAll(text[1:len(text)-1], `""`, `"`)
	}
	return strings.ToLower(d.lit(i))
}

// text writes tokens i to end with the blanks between them.
func (d *deparser) text(i, end int) string {
	var b strings.Builder
	for i < end {
		text, next := d.token(i, end)
		if next > end {
			text, next = d.lit(i), i+1
		}
		b.WriteString(text)
		if next < end {
			b.WriteString(d.src[d.tokens[next-1].End:d.tokens[next].Start])
		}
		i = next
	}
	return b.String()
}

// token writes what begins with token i and returns where to go on.
func (d *deparser) token(i, end int) (text string, next int) {
	if kind := d.tokens[i].Kind; kind != sqlfront.TokenWord && kind != sqlfront.TokenQuoted || d.lit(i-1) == "." {
		return d.lit(i), i + 1
	}
	first := i
	if d.lit(i) == "main" && d.lit(i+1) == "." && d.lit(i+3) == "(" { // a function of DuckDB's
		i += 2
	}
	open := i + 1
	if open >= end || d.lit(open) != "(" {
		return d.lit(first), first + 1
	}
	if closing := d.closing(open); closing > open && closing < end {
		if text, ok := d.call(d.name(i), open, closing); ok {
			return text, closing + 1
		}
	}
	return d.lit(i), i + 1
}

// searchBegins are the beginnings of patterns by which the operators that search for one match
// the whole text.
var searchBegins = map[string]string{"'(?s).*(?:'": "~", "'(?is).*(?:'": "~*"}

// operatorCalls are functions that DuckDB, or the server, has for operators of Postgres'.
var operatorCalls = map[string]string{
	"jsonb_at": "#>", "jsonb_text_at": "#>>", "jsonb_delete_path": "#-", "jsonb_exists": "?", "jsonb_exists_any": "?|", "jsonb_exists_all": "?&",
	"jsonb_contains": "@>", "jsonb_contained": "<@", "jsonb_delete": "-", "jsonb_concat": "||",
	"jsonb_eq": "=", "jsonb_ne": "<>", "jsonb_lt": "<", "jsonb_le": "<=", "jsonb_gt": ">", "jsonb_ge": ">=",
}

// escapedLikes are the functions of LIKE with a character that escapes.
var escapedLikes = map[string]string{"like_escape": "LIKE", "not_like_escape": "NOT LIKE", "ilike_escape": "ILIKE", "not_ilike_escape": "NOT ILIKE"}

// storedWords are what StoredCalls stand for, by the functions that they call.
var storedWords = map[string]string{
	"trireme_current_user": "CURRENT_USER", "trireme_session_user": "SESSION_USER", "trireme_current_role": "CURRENT_ROLE",
	"trireme_version": "version()", "trireme_backend_pid": "pg_backend_pid()", "trireme_current_schema": "CURRENT_SCHEMA",
	"trireme_lastval": "lastval()",
}

// call writes a call, whose parentheses are tokens open and closing; false: it stays.
func (d *deparser) call(name string, open, closing int) (string, bool) {
	args := d.arguments(open, closing)
	arg := func(n int) string { return d.text(args[n][0], args[n][1]) }
	sign, escaped := operatorCalls[name], escapedLikes[name]
	switch {
	case name == "cast":
		return d.cast(open+1, closing)
	case storedWords[name] != "":
		return storedWords[name], true
	case name == "count_star" && len(args) == 0:
		return "count(*)", true
	case name == "list_value" && len(args) > 0:
		return "ARRAY[" + d.text(open+1, closing) + "]", true
	case name == "any" && d.name(open+1) == "select" && d.name(open+2) == "unnest" && d.lit(open+3) == "(" && d.closing(open+3) == closing-1:
		return "ANY (" + d.text(open+4, closing-1) + ")", true
	case name == "regexp_full_match" && len(args) == 2:
		return d.search(args)
	case sign != "" && len(args) == 2:
		return "(" + arg(0) + " " + sign + " " + arg(1) + ")", true
	case escaped != "" && len(args) == 3:
		return "(" + arg(0) + " " + escaped + " " + arg(1) + " ESCAPE " + arg(2) + ")", true
	}
	return "", false
}

// arguments are the ranges of tokens of a call's arguments.
func (d *deparser) arguments(open, closing int) (args [][2]int) {
	first := open + 1
	for i := first; i <= closing; i++ {
		if i == closing || d.lit(i) == "," {
			if i > first {
				args = append(args, [2]int{first, i})
			}
			first = i + 1
			continue
		}
		if end := d.closing(i); end > i {
			i = end
		}
	}
	return args
}

// search writes regexp_full_match(x, (('(?s).*(?:' || p) || ').*')) as x ~ p.
func (d *deparser) search(args [][2]int) (string, bool) {
	first, last := args[1][0], args[1][1]-1
	sign := searchBegins[d.lit(first+2)]
	if sign == "" || d.lit(first) != "(" || d.lit(first+1) != "(" || d.lit(first+3) != "||" ||
		d.lit(last) != ")" || d.lit(last-1) != "').*'" || d.lit(last-2) != "||" || d.lit(last-3) != ")" {
		return "", false
	}
	return "(" + d.text(args[0][0], args[0][1]) + " " + sign + " " + d.text(first+4, last-3) + ")", true
}

// cast writes what is in the parentheses of CAST, tokens first to end.
func (d *deparser) cast(first, end int) (string, bool) {
	as := -1
	for i := first; i < end; i++ {
		if d.tokens[i].Kind == sqlfront.TokenWord && d.name(i) == "as" {
			as = i
		}
		if close := d.closing(i); close > i {
			i = close
		}
	}
	if as <= first || as+1 >= end {
		return "", false
	}
	typ, ok := d.typeText(as+1, end)
	if !ok {
		return "", false
	}
	if as == first+1 && d.tokens[first].Kind == sqlfront.TokenString {
		if end == as+2 && typeNames[strings.ToUpper(d.name(as+1))] == "" { // of a type whose schema is not said, but found for the column
			return d.lit(first), true
		}
		text := d.lit(first)
		return literalText(strings.ReplaceAll(text[1:len(text)-1], "''", "'"), typ), true
	}
	operand := d.text(first, as)
	if d.lit(first) != "(" || d.closing(first) != as-1 {
		operand = "(" + operand + ")"
	}
	return operand + "::" + typ, true
}

// typeNames are Postgres' names of DuckDB's types.
var typeNames = map[string]string{
	"VARCHAR": "text", "TEXT": "text", "DOUBLE": "double precision", "FLOAT": "real", "REAL": "real", "BLOB": "bytea", "BYTEA": "bytea", "BIGINT": "bigint",
	"INTEGER": "integer", "SMALLINT": "smallint", "TINYINT": "smallint", "UTINYINT": "smallint", "USMALLINT": "integer", "UINTEGER": "bigint",
	"UBIGINT": "numeric(20,0)", "HUGEINT": "numeric(38,0)", "DATE": "date", "TIME": "time without time zone", "TIME WITH TIME ZONE": "time with time zone",
	"TIMESTAMP": "timestamp without time zone", "TIMESTAMP_S": "timestamp without time zone", "TIMESTAMP_MS": "timestamp without time zone",
	"TIMESTAMP_NS": "timestamp without time zone", "TIMESTAMP WITH TIME ZONE": "timestamp with time zone", "TIMESTAMPTZ": "timestamp with time zone",
	"TIMETZ": "time with time zone", "INTERVAL": "interval", "UUID": "uuid", "JSON": "jsonb", "BOOLEAN": "boolean", "BIT": "bit varying",
	"DECIMAL": "numeric", "NUMERIC": "numeric", "DECIMAL(38,10)": "numeric",
}

// typeText is Postgres' name of the type that tokens first to end name; false: it has none.
func (d *deparser) typeText(first, end int) (string, bool) {
	dimensions := ""
	for end-2 > first && d.lit(end-1) == "]" && d.lit(end-2) == "[" {
		dimensions += "[]"
		end -= 2
	}
	var words strings.Builder
	for i := first; i < end; i++ {
		switch {
		case i > first && d.tokens[i-1].Kind == sqlfront.TokenWord && d.tokens[i].Kind == sqlfront.TokenWord:
			words.WriteByte(' ')
		case d.tokens[i].Kind == sqlfront.TokenQuoted && end > first+1:
			return d.userType(first, end, dimensions)
		}
		words.WriteString(strings.ToUpper(strings.Trim(d.lit(i), `"`)))
	}
	name := words.String()
	if known := typeNames[name]; known != "" {
		return known + dimensions, true
	}
	if digits, ok := strings.CutPrefix(name, "DECIMAL("); ok {
		return "numeric(" + digits + dimensions, true
	}
	return d.userType(first, end, dimensions)
}

// userType names a type of the user's, with its schema where the path does not find it.
func (d *deparser) userType(first, end int, dimensions string) (string, bool) {
	schema := "main"
	switch {
	case end == first+3 && d.lit(first+1) == ".":
		schema = d.name(first)
	case end == first+5 && d.lit(first+1) == "." && d.lit(first+3) == ".": // behind the database
		schema = d.name(first + 2)
	case end != first+1:
		return "", false
	}
	shown := d.known(schema)
	name := d.quote(d.name(end-1)) + dimensions
	if slices.Contains(d.path, shown) {
		return name, true
	}
	return d.quote(shown) + "." + name, true
}

// literalText is a literal of a type.
func literalText(text, typ string) string {
	switch {
	case typ == "boolean" && (text == "t" || text == "true"):
		return "true"
	case typ == "boolean" && (text == "f" || text == "false"):
		return "false"
	case typ == "bytea":
		text = byteaText(text)
	case strings.HasSuffix(typ, "[]"):
		text = arrayText(text, strings.TrimSuffix(typ, "[]"))
	}
	return quoteText(text) + "::" + typ
}

// byteaText writes bytes, which DuckDB's text has as they are where they are printed, as hexadecimal digits.
func byteaText(text string) string {
	var b strings.Builder
	b.WriteString(`\x`)
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+3 < len(text) && text[i+1] == 'x' {
			b.WriteString(strings.ToLower(text[i+2 : i+4]))
			i += 3
			continue
		}
		const digits = "0123456789abcdef"
		b.WriteByte(digits[text[i]>>4])
		b.WriteByte(digits[text[i]&15])
	}
	return b.String()
}

// arrayText is DuckDB's text of a list as Postgres writes arrays; the text itself if it is
// none.
func arrayText(text, element string) string {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "[")
	if !ok {
		return text
	}
	elements := []string{}
	for rest = strings.TrimLeft(rest, " "); rest != "" && rest != "]"; rest = strings.TrimLeft(rest, " ") {
		var one string
		quoted := rest[0] == '\'' || rest[0] == '"'
		switch {
		case rest[0] == '[' || rest[0] == '{':
			return text // of lists or structures
		case quoted:
			if one, rest, ok = pgtext.CutQuoted(rest, rest[0]); !ok {
				return text
			}
		default:
			end := strings.IndexAny(rest, ",]")
			if end < 0 {
				return text
			}
			one, rest = strings.TrimRight(rest[:end], " "), rest[end:]
		}
		if quoted || !strings.EqualFold(one, "NULL") {
			if element == "bytea" {
				one = byteaText(one)
			}
			one = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(one) + `"`
		}
		elements = append(elements, one)
		rest = strings.TrimPrefix(strings.TrimLeft(rest, " "), ",")
	}
	return "{" + strings.Join(elements, ",") + "}"
}
