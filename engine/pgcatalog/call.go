package pgcatalog

import (
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// call handles a call of a function whose name is tokens i to end.
func (r *rewriter) call(i, end int, schema, name string) (int, error) {
	args, closing := r.arguments(end + 1)
	r.columnAlias(i, closing, name, args)
	if schema == "" && (!r.catalog.supplies(name) || r.env.Owns(name, true)) {
		r.scalarTable(i, closing, name)
		return end + 1, nil
	}
	if done, err := r.perform(i, end, name, args, closing); done || err != nil {
		return end + 1, err
	}
	if done, err := r.spelledCall(i, end, name, args, closing); done || err != nil {
		return end + 1, err
	}
	r.scalarTable(i, closing, name)
	switch name {
	case "current_setting":
		return r.currentSetting(i, end, schema, args, closing)
	case "set_config":
		return r.setConfig(i, end, args, closing)
	case "aclexplode":
		if !r.from[len(r.from)-1] {
			name = "_aclexplode"
		}
	case "encode":
		if len(args) == 2 { // with one it is DuckDB's
			name = "_encode"
		}
	case "generate_series":
		r.seriesTexts(args)
		r.listSeries(i, closing)
	case "substring":
		r.substring(end, args, closing)
	case "format":
		r.format(i, end, args)
		return end + 1, nil
	case "age":
		if len(args) == 1 && r.isName(args[0][1]-1) && transactionColumns[r.name(args[0][1]-1)] {
			r.replace(i, closing+1, "CAST(0 AS INTEGER)") // of a transaction's number, of which there are none
			return closing + 1, nil
		}
	case "pg_partition_ancestors": // there are no partitions
		r.text.Catalog = true
		r.replace(i, closing+1, "unnest([]::BIGINT[])")
		return closing + 1, nil
	case "pg_show_all_settings":
		r.table(i, closing, "pg_catalog", "pg_settings")
		return closing + 1, nil
	}
	if value, ok := r.sessionValue(name); ok && len(args) == 0 {
		r.replace(i, closing+1, value)
		return closing + 1, nil
	}
	if renamed := duckFunctions[name]; renamed != "" {
		r.replace(i, end+1, renamed)
		return end + 1, nil
	}
	if vectorCalls[name] != "" && len(args) == 2 && r.endsInVector(args[0]) {
		name = vectorCalls[name]
	}
	switch full, ok := r.catalog.functions[name]; {
	case r.env.Stored:
	case ok:
		r.text.Catalog = true
		r.replace(i, end+1, r.shownName(i, closing, name)+full)
		if r.catalog.pathed[name] {
			r.pathArgument(closing, len(args) == 0)
		}
	case schema == "pg_catalog":
		r.text.Catalog = true
		r.replace(i, end, "") // the name alone: a function of DuckDB's, or its error
	}
	return end + 1, nil
}

// shownName makes the number that to_regclass and to_regtype give a name, where it is not used as a number: what
// stands before the call.
func (r *rewriter) shownName(i, closing int, name string) string {
	if name != "to_regclass" && name != "to_regtype" {
		return ""
	}
	oid, _ := r.wantsOID(i, closing+1)
	if r.is(closing+1, "as") && r.is(i-1, "(") && r.is(i-2, "cast") {
		outer, _, _ := r.typeName(closing + 2)
		oid = !isTextType(outer)
	}
	if oid {
		return ""
	}
	before, after := r.objectCast(numberMacro("_"+strings.TrimPrefix(name, "to_")), false)
	r.insert(r.tokens[closing].End, after)
	return before
}

// duckFunctions are DuckDB's names of functions that it has by another one.
var duckFunctions = map[string]string{
	"json_build_object": "json_object", "jsonb_build_object": "json_object", "json_build_array": "json_array", "jsonb_build_array": "json_array",
	"row_to_json": "to_json", "to_jsonb": "to_json",
	"jsonb_array_length": "json_array_length",
}

// transactionColumns are the columns of the catalog that hold numbers of transactions.
var transactionColumns = wordSet("transactionid datfrozenxid datminmxid relfrozenxid relminmxid backend_xid backend_xmin xmin catalog_xmin")

// vectorCalls are the functions that count the elements of a vector from 0.
var vectorCalls = map[string]string{
	"generate_subscripts": "_vector_subscripts", "array_upper": "_vector_upper", "array_lower": "_vector_lower",
}

// sessionValue is what a function without arguments says of the session.
func (r *rewriter) sessionValue(name string) (string, bool) {
	if r.env.Stored {
		call, ok := StoredCalls[name]
		return call, ok
	}
	switch name {
	case "version":
		return quoteText(r.env.Version), true
	case "pg_backend_pid":
		return decimal(r.env.PID), true
	case "current_user", "session_user", "current_role":
		return quoteText(r.env.User), true
	case "current_schema":
		if len(r.env.Path) > 0 {
			return quoteText(r.env.Path[0]), true
		}
		return "NULL::VARCHAR", true
	}
	return "", false
}

// StoredCalls are what stands for such functions in definitions that are kept: calls of
// functions of the server's, which ask the session that evaluates them.
var StoredCalls = map[string]string{
	"current_user": "trireme_current_user()", "session_user": "trireme_session_user()", "current_role": "trireme_current_role()",
	"version": "trireme_version()", "pg_backend_pid": "CAST(trireme_backend_pid() AS INTEGER)", "current_schema": "trireme_current_schema(current_schema())",
}

// arguments are the token ranges of a call's arguments; open is its parenthesis.
func (r *rewriter) arguments(open int) (args [][2]int, closing int) {
	closing = r.match(open)
	start := open + 1
	for i := start; i < closing; i++ {
		switch {
		case r.is(i, "(", "["):
			i = r.match(i)
		case r.is(i, ","):
			args = append(args, [2]int{start, i})
			start = i + 1
		}
	}
	if closing > open+1 {
		args = append(args, [2]int{start, closing})
	}
	return args, closing
}

// hasEmpty reports whether an argument is missing between commas.
func hasEmpty(args [][2]int) bool {
	return slices.ContainsFunc(args, func(arg [2]int) bool { return arg[0] == arg[1] })
}

// pathArgument makes the search path the last argument of the call whose parenthesis
// closes at token closing.
func (r *rewriter) pathArgument(closing int, first bool) {
	text := r.path()
	if !first {
		text = ", " + text
	}
	// After what the last argument may have at its end.
	r.last = append(r.last, func() { r.insert(r.tokens[closing].Start, text) })
}

// path is the search path as a list: what is searched in any case comes first.
func (r *rewriter) path() string {
	list := []string{"'" + TemporarySchema + "'", "'pg_catalog'"}
	for _, schema := range r.env.Path {
		list = append(list, quoteText(schema))
	}
	return "[" + strings.Join(list, ", ") + "]"
}

func (r *rewriter) endsInVector(arg [2]int) bool {
	last := arg[1] - 1
	return r.isName(last) && vectors[r.name(last)]
}

// constant is the text of an argument that is a string, perhaps cast, or NULL.
func (r *rewriter) constant(arg [2]int) (text string, ok bool) {
	i := arg[0]
	if r.tokens[i].Kind != sqlfront.TokenString || arg[1] > i+1 && r.tokens[i+1].Kind != sqlfront.TokenCast {
		return "", false
	}
	t := r.lit(i)
	return strings.ReplaceAll(t[1:len(t)-1], "''", "'"), true
}

// currentSetting puts the value of a setting of the session's for the call; DuckDB
// has the others.
func (r *rewriter) currentSetting(i, end int, schema string, args [][2]int, closing int) (int, error) {
	if len(args) == 0 || len(args) > 2 || r.env.Stored {
		return end + 1, nil
	}
	name, constant := r.constant(args[0])
	if constant {
		value, ok := r.env.Setting(strings.ToLower(name))
		for _, set := range r.text.Settings {
			if set.Name == strings.ToLower(name) {
				value, ok = set.Value, true
			}
		}
		if ok {
			r.replace(i, closing+1, quoteText(value))
			r.integerQuotients(i, closing+1)
			return closing + 1, nil
		}
	}
	switch {
	case !constant:
		r.replace(i, args[0][0], r.settingQuery())
		r.replace(args[0][1], closing+1, ")")
		r.insert(r.tokens[closing].End, ")")
		return end + 1, nil
	case len(args) == 2 && r.is(args[1][0], "true"):
		r.replace(i, closing+1, "NULL::VARCHAR") // missing is allowed
		return closing + 1, nil
	case len(args) == 2:
		r.replace(args[1][0]-1, closing, "")
	}
	if schema != "" {
		r.replace(i, end, "")
	}
	return end + 1, nil
}

var integerTypes = wordSet("int integer int2 smallint int4 int8 bigint")

// integerQuotients handles a setting, tokens i to next, that is cast to an integer and
// divided by integers: /100 leaves the release of a server's version, which is one in
// Postgres, and a fraction in DuckDB. Of 2 * setting/100 it is the product that is
// divided, and of setting/100::numeric the divisor is none: these are DuckDB's.
func (r *rewriter) integerQuotients(i, next int) {
	at := -1
	switch name, _, end := r.typeName(next + 1); {
	case !integerTypes[name]:
	case r.is(next, "::"):
		at = end + 1
	case r.is(next, "as") && r.is(i-1, "(") && r.is(i-2, "cast") && r.is(end+1, ")"):
		i, at = i-2, end+2
	}
	if r.is(i-1, "*", "/", "//", "%", "^", "**") {
		return
	}
	for r.is(at, "/") && decimalDigits(r.lit(at+1)) && !r.is(at+2, "::", "^", "**") {
		r.replace(at, at+1, "//")
		at += 2
	}
}

func decimalDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// listSeries makes the rows of a series that is an item of a select list, where it is a
// list in DuckDB.
func (r *rewriter) listSeries(i, closing int) {
	around := r.pairs.around[i]
	if !r.is(i-1, "select", ",") || r.from[len(r.from)-1] || around >= 0 && !r.is(around+1, "select") {
		return
	}
	r.onlyCatalog = append(r.onlyCatalog, func() {
		r.insertFirst(r.tokens[i].Start, "unnest(")
		r.insert(r.tokens[closing].End, ")")
	})
}

// seriesTexts gives the texts among the arguments of a series the types of the others: DuckDB takes no texts for
// times and intervals there.
func (r *rewriter) seriesTexts(args [][2]int) {
	isText := func(n int) bool {
		return args[n][1] == args[n][0]+1 && r.tokens[args[n][0]].Kind == sqlfront.TokenString
	}
	if len(args) < 2 || len(args) > 3 || hasEmpty(args) || isText(0) && isText(1) {
		return
	}
	typed := 0
	if isText(0) {
		typed = 1
	}
	like := "CASE WHEN false THEN " + r.source(args[typed]) + " ELSE "
	for n, arg := range args {
		switch {
		case !isText(n):
		case n == 2 && !r.isNumberText(arg[0]):
			r.insert(r.tokens[arg[0]].End, "::INTERVAL")
		default:
			r.insert(r.tokens[arg[0]].Start, like)
			r.insert(r.tokens[arg[0]].End, " END")
		}
	}
}

// noGroups removes the parentheses of a pattern that begin no group.
var noGroups = strings.NewReplacer(`\(`, "", "(?", "")

// substring handles substring(text FROM pattern), and substring(text, pattern) on the
// catalog: DuckDB takes numbers only, and says so of its own spelling with a comma. The
// name is token end.
func (r *rewriter) substring(end int, args [][2]int, closing int) {
	pattern, comma := closing-1, closing-2
	if !(r.is(comma, "from") && len(args) == 1 || r.is(comma, ",") && len(args) == 2) {
		return
	}
	switch r.tokens[pattern].Kind {
	case sqlfront.TokenString:
		macro, group := "_substring", ""
		if strings.Contains(noGroups.Replace(r.lit(pattern)), "(") {
			macro, group = "_subgroup", ", 1"
		}
		r.onlyCatalog = append(r.onlyCatalog, func() {
			r.replace(end, end+1, r.catalog.functions[macro])
			r.replace(comma, comma+1, ",")
		})
		if r.is(comma, "from") && !r.isNumberText(pattern) {
			r.elsewhere = append(r.elsewhere, func() { r.firstMatch(end, comma, closing, group) })
		}
	case sqlfront.TokenParam:
		text, declared := r.env.TextParam(r.lit(pattern))
		if !r.is(comma, "from") || declared && !text { // one without a type is a text
			return
		}
		// Whether it has a group is known when it has a value: without one all of it is.
		param := r.lit(pattern)
		r.replace(pattern, pattern+1, "CASE WHEN contains(replace(replace("+param+`, '\(', ''), '(?', ''), '(') THEN `+param+" ELSE '(' || "+param+" || ')' END")
		r.firstMatch(end, comma, closing, ", 1")
	}
}

// firstMatch makes a substring the first match of its pattern, or of a group in it: NULL
// where there is none.
func (r *rewriter) firstMatch(name, comma, closing int, group string) {
	r.replace(name, name+1, "regexp_extract_all")
	r.replace(comma, comma+1, ",")
	r.replace(closing, closing+1, group+")[1]")
}

// isNumberText reports whether DuckDB takes the text at token i where it wants a number.
func (r *rewriter) isNumberText(i int) bool {
	text := r.lit(i)
	_, err := strconv.ParseFloat(strings.TrimSpace(text[1:len(text)-1]), 64)
	return err == nil
}

// settingQuery is a query for a setting's value, up to the setting's name.
func (r *rewriter) settingQuery() string {
	settings, _ := r.env.Relation("pg_settings")
	return "(SELECT st_q.st_value FROM (SELECT name AS st_name, setting AS st_value FROM (" + settings + ")) AS st_q WHERE lower(st_q.st_name) = lower("
}

// setConfig notes the setting, which is set before DuckDB executes the rest. Its name and
// value may be expressions, which are evaluated then.
func (r *rewriter) setConfig(i, end int, args [][2]int, closing int) (int, error) {
	if len(args) != 3 {
		return end + 1, nil
	}
	if !r.is(args[2][0], "true", "false") || args[2][1] > args[2][0]+1 {
		return 0, sqlerr.At(sqlerr.FeatureNotSupported, r.tokens[args[2][0]].Start, "set_config takes true or false as its third argument").
			WithHint("Write whether the setting is local to the transaction as a constant.")
	}
	set := Setting{Local: r.is(args[2][0], "true")}
	name, named := r.constant(args[0])
	value, known := r.constant(args[1])
	if named && known {
		set.Name, set.Value = strings.ToLower(name), value
		r.text.Settings = append(r.text.Settings, set)
		r.replace(i, closing+1, quoteText(value))
		return closing + 1, nil
	}
	set.Expression = "lower(CAST(" + r.source(args[0]) + " AS VARCHAR)), CAST(" + r.source(args[1]) + " AS VARCHAR)"
	for at := closing + 1; at < len(r.tokens) && r.pairs.around[i] < 0; at++ {
		if r.is(at, "from") && r.pairs.around[at] < 0 {
			set.From = r.source([2]int{at, len(r.tokens)})
			break
		}
	}
	r.text.Settings = append(r.text.Settings, set)
	// The name stays where it is: it may be a parameter.
	r.replace(i, end+2, "CASE WHEN length(CAST(")
	r.replace(args[0][1], args[0][1]+1, " AS VARCHAR)) >= 0 THEN CAST(")
	r.replace(args[1][1], closing+1, " AS VARCHAR) END")
	return end + 1, nil
}

// source is the text of tokens, with numbers for parameters that have none.
func (r *rewriter) source(tokens [2]int) string {
	start, end := r.tokens[tokens[0]].Start, r.tokens[tokens[1]-1].End
	return r.numbers().Apply(r.src, start, end)
}

// numbers are the edits that give numbers to parameters.
func (r *rewriter) numbers() (edits sqlfront.Edits) {
	for i, t := range r.tokens {
		if t.Kind == sqlfront.TokenPunct && r.is(i, "?") {
			edits = append(edits, sqlfront.Edit{Start: t.Start, End: t.End, Text: "$" + strconv.Itoa(len(edits)+1), Place: t.Start})
		}
	}
	return edits
}
