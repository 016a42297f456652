package pgcatalog

import (
	"regexp"
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// Functions of Postgres that DuckDB has as expressions of others.

// spelling is such an expression: what stands before the first argument, between the
// arguments, and behind the last.
type spelling struct {
	args                   int
	before, between, after string
}

// scalarSpellings are those of functions that return a value.
var scalarSpellings = map[string]spelling{
	// Numbers of texts, for locks: not those of Postgres.
	"hashtext":         {1, "((hash(CAST(", "", " AS VARCHAR)) % 4294967296)::BIGINT - 2147483648)::INTEGER"},
	"hashtextextended": {2, "(hash(CAST(", " AS VARCHAR), CAST(", " AS BIGINT)) // 2)::BIGINT"},
	"width_bucket":     {4, "list_transform([[(", ")::DOUBLE, (", ")::DOUBLE]], lambda wb: " + bucketOf("wb[1]", "wb[2]", "wb[3]", "wb[4]") + ")[1]"},
}

// bucketOf is in which of so many buckets between two bounds a value is.
func bucketOf(value, low, high, count string) string {
	return strings.NewReplacer("v.", value, "l.", low, "h.", high, "n.", count).Replace(`CASE WHEN v. IS NULL OR l. IS NULL OR h. IS NULL OR n. IS NULL THEN NULL
 WHEN n. <= 0 THEN error('2201G: count must be greater than zero') WHEN l. = h. THEN error('2201G: lower bound cannot equal upper bound')
 WHEN l. < h. AND v. < l. OR l. > h. AND v. > l. THEN 0
 WHEN l. < h. AND v. >= h. OR l. > h. AND v. <= h. THEN n. + 1
 ELSE floor((v. - l.) * n. / (h. - l.)) + 1 END::INTEGER`)
}

// storedBucket writes width_bucket of plain names and numbers in a definition, where DuckDB may take no lambda.
func (r *rewriter) storedBucket(i int, args [][2]int, closing int) bool {
	if !r.env.Stored || hasEmpty(args) {
		return false
	}
	for at := args[0][0]; at < closing; at++ {
		if r.tokens[at].Kind == sqlfront.TokenCast || r.is(at, "(", "?") {
			return false
		}
	}
	text := make([]string, len(args))
	for n, arg := range args {
		text[n] = "(" + r.source(arg) + ")::DOUBLE"
	}
	r.replace(i, closing+1, "("+bucketOf(text[0], text[1], text[2], text[3])+")")
	r.skip = closing + 1
	return true
}

// rowSpellings are lists whose elements are the rows of functions that return sets, with the
// name of the column; empty: that of the function.
var rowSpellings = map[string]struct {
	spelling
	column string
}{
	"json_array_elements":       {spelling{1, "json_transform_strict(", "", `, '["JSON"]')`}, "value"},
	"jsonb_array_elements":      {spelling{1, "json_transform_strict(", "", `, '["JSON"]')`}, "value"},
	"json_array_elements_text":  {spelling{1, "json_transform_strict(", "", `, '["VARCHAR"]')`}, "value"},
	"jsonb_array_elements_text": {spelling{1, "json_transform_strict(", "", `, '["VARCHAR"]')`}, "value"},
	"json_object_keys":          {spelling{1, "json_keys(", "", ")"}, ""},
	"jsonb_object_keys":         {spelling{1, "json_keys(", "", ")"}, ""},
	"regexp_split_to_table":     {spelling{2, "regexp_split_to_array(", ", ", ")"}, ""},
	"string_to_table":           {spelling{2, "string_split(", ", ", ")"}, ""},
}

// spelledCall writes a call, whose name is tokens i to end, in DuckDB's words; false: it
// stays.
func (r *rewriter) spelledCall(i, end int, name string, args [][2]int, closing int) (bool, error) {
	if s, ok := scalarSpellings[name]; ok && len(args) == s.args {
		if name == "width_bucket" && r.storedBucket(i, args, closing) {
			return true, nil
		}
		r.spell(i, end, s, args, closing)
		return true, nil
	}
	if s, ok := rowSpellings[name]; ok && len(args) == s.args {
		r.spellRows(i, end, name, args, closing)
		return true, nil
	}
	if done, err := r.jsonCall(i, end, name, args, closing); done || err != nil {
		return done, err
	}
	switch {
	case name == "unnest" && len(args) > 1 && r.isTable(i):
		r.unnestTogether(i, end, args, closing)
		return true, nil
	case len(args) == 2 && (name == "to_date" || name == "to_timestamp"):
		return true, r.parseTime(i, end, name, args, closing)
	case len(args) == 2 && (name == "encode" || name == "decode" || name == "to_char"):
		return r.constantFormat(i, end, name, args, closing), nil
	case clockCalls[name] != "" && len(args) == 0:
		r.replace(i, closing+1, clockCalls[name])
		return true, nil
	case name == "lastval" && len(args) == 0 && r.env.LastValue != "":
		r.replace(i, closing+1, r.env.LastValue+"()")
		return true, nil
	case name == "lastval" && len(args) == 0:
		return false, sqlerr.At(sqlerr.FeatureNotSupported, r.tokens[i].Start, "lastval is not supported").
			WithHint("Use INSERT .. RETURNING, or currval with the name of the sequence.")
	}
	return false, nil
}

// spell writes s in place of the name and the parentheses of a call.
func (r *rewriter) spell(i, end int, s spelling, args [][2]int, closing int) {
	r.replace(i, end+2, s.before)
	for _, arg := range args[:len(args)-1] {
		r.replace(arg[1], arg[1]+1, s.between)
	}
	r.replace(closing, closing+1, s.after)
}

// spellRows writes a call of a function that returns rows, whose name is tokens i to end.
func (r *rewriter) spellRows(i, end int, name string, args [][2]int, closing int) {
	s, column := rowSpellings[name].spelling, rowSpellings[name].column
	if !r.isTable(i) {
		s.before, s.after = "unnest("+s.before, s.after+")"
		r.spell(i, end, s, args, closing)
		return
	}
	alias, ordinality := r.tableAlias(closing)
	lists := alias >= 0 && r.is(alias+1, "(")
	after := ")"
	switch {
	case alias < 0:
		after += " AS " + name
	case column == "" && !lists:
		column = r.lit(alias)
	case !lists && !ordinality:
		r.values = append(r.values, valueTable{i, alias, column})
	}
	if column == "" {
		column = name
	}
	if ordinality {
		s.before = "(SELECT ol.ov AS " + column + ", ol.oi AS ordinality FROM (SELECT unnest(list_transform(" + s.before
		s.after += ", lambda ov, oi: {'ov': ov, 'oi': oi})) AS ol) AS oq" + after
		r.replace(closing+1, closing+3, "")
	} else {
		s.before, s.after = "(SELECT unnest("+s.before, s.after+") AS "+column+after
	}
	r.spell(i, end, s, args, closing)
}

// timePatterns are the patterns of Postgres' texts of times as strptime writes them; a
// longer one comes before its beginnings.
var timePatterns = [][2]string{
	{"YYYY", "%Y"},
	{"YY", "%y"},
	{"MM", "%m"},
	{"MONTH", "%B"},
	{"MON", "%b"},
	{"DDD", "%j"},
	{"DD", "%d"},
	{"DAY", "%A"},
	{"DY", "%a"},
	{"HH24", "%H"},
	{"HH12", "%I"},
	{"HH", "%I"},
	{"MI", "%M"},
	{"SS", "%S"},
	{"MS", "%f"},
	{"US", "%f"},
	{"AM", "%p"},
	{"PM", "%p"},
	{"TZH:TZM", "%z"},
	{"TZH", "%z"},
	{"OF", "%z"},
	{"TZ", "%Z"},
	{"FM", ""},
}

// timeFormat is a pattern as strptime writes it; false: it has what that cannot say.
func timeFormat(pattern string) (string, bool) {
	var b strings.Builder
next:
	for pattern != "" {
		for _, p := range timePatterns {
			if len(pattern) >= len(p[0]) && strings.EqualFold(pattern[:len(p[0])], p[0]) {
				b.WriteString(p[1])
				pattern = pattern[len(p[0]):]
				continue next
			}
		}
		switch c := pattern[0]; {
		case c == '"' && strings.Contains(pattern[1:], `"`):
			end := 1 + strings.Index(pattern[1:], `"`)
			b.WriteString(strings.ReplaceAll(pattern[1:end], "%", "%%"))
			pattern = pattern[end+1:]
			continue
		case c >= 'a' && c <= 'z' && c != 't' || c >= 'A' && c <= 'Z' && c != 'T':
			return "", false
		case c == '%':
			b.WriteByte('%')
			fallthrough
		default:
			b.WriteByte(c)
		}
		pattern = pattern[1:]
	}
	return b.String(), true
}

// parseTime makes to_date and to_timestamp with a pattern strptime with its format.
func (r *rewriter) parseTime(i, end int, name string, args [][2]int, closing int) error {
	pattern, ok := r.constant(args[1])
	if !ok {
		return sqlerr.At(sqlerr.FeatureNotSupported, r.tokens[args[1][0]].Start, "%s takes a pattern that is a constant", name).
			WithHint("Write the pattern as a text, or use strptime.")
	}
	format, ok := timeFormat(pattern)
	if !ok {
		return sqlerr.At(sqlerr.FeatureNotSupported, r.tokens[args[1][0]].Start, "%s does not support the pattern %q", name, pattern).
			WithHint("Use strptime, which has formats of its own.")
	}
	typ := map[string]string{"to_date": "DATE", "to_timestamp": "TIMESTAMPTZ"}[name]
	r.replace(i, end+2, "CAST(strptime(")
	r.replace(args[1][0], args[1][1], quoteText(format))
	r.replace(closing, closing+1, ") AS "+typ+")")
	return nil
}

// encodings are what encode is for each of its formats.
var encodings = map[string]spelling{
	"hex": {2, "lower(hex(", "", "))"}, "base64": {2, "to_base64(", "", ")"}, "escape": {2, "CAST(", "", " AS VARCHAR)"},
}

// decodings are the same of decode.
var decodings = map[string]spelling{"hex": {2, "unhex(", "", ")"}, "base64": {2, "from_base64(", "", ")"}, "escape": {2, "CAST(", "", " AS BLOB)"}}

// clockCalls are the functions that tell another time than that of the transaction.
var clockCalls = map[string]string{
	"statement_timestamp": "CAST(trireme_statement_time() AS TIMESTAMPTZ)", "clock_timestamp": "CAST(trireme_clock() AS TIMESTAMPTZ)",
}

// shownPatterns are the patterns of to_char as strftime writes them; a longer one comes before
// its beginnings.
var shownPatterns = strings.NewReplacer("YYYY", "%Y", "MM", "%m", "DD", "%d", "HH24", "%H", "HH12", "%I", "HH", "%I", "AM", "%p", "MI", "%M", "SS", "%S",
	"MS", "%g", "US", "%f", "TZ", "%Z", "Mon", "%b", "Dy", "%a")

// shownPattern is a text of such patterns.
var shownPattern = regexp.MustCompile(`^(YYYY|MM|DD|HH24|HH12|HH|AM|MI|SS|MS|US|TZ|Mon|Dy|[-:/., T])*$`)

// constantFormat writes a call whose second argument is a constant: the macros of the catalog
// are for the others. False: it stays.
func (r *rewriter) constantFormat(i, end int, name string, args [][2]int, closing int) bool {
	format, ok := r.constant(args[1])
	s := encodings[strings.ToLower(format)]
	switch {
	case name == "decode":
		s = decodings[strings.ToLower(format)]
	case name == "encode" && r.nameIs(args[0][0], "sha256") && r.is(args[0][0]+1, "(") && r.match(args[0][0]+1) == args[0][1]-1:
		s.before, s.after = s.before+"unhex(", ")"+s.after // DuckDB's is a text already
	case name == "to_char":
		ok = ok && shownPattern.MatchString(format)
		s = spelling{2, "strftime(", "", ", " + quoteText(shownPatterns.Replace(format)) + ")"}
	}
	if !ok || s.args == 0 {
		return false
	}
	r.replace(i, end+2, s.before)
	r.replace(args[0][1], closing+1, s.after)
	return true
}
