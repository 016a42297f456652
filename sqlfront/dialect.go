package sqlfront

import (
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
)

// bareNumeric is the precision of NUMERIC and DECIMAL without one, whose values have any
// number of digits in Postgres.
var bareNumeric = strings.TrimPrefix(rows.BareNumeric.String(), "DECIMAL")

// dialectWords are the words that may begin or be in such things.
var dialectWords = []string{
	"numeric", "decimal", "dec", "for", "btree", "operator", "regclass", "exists", "time", "timetz", "timestamp", "timestamptz", "varbit", "varying",
	"uuid_generate_v4", "fillfactor", "oids", "tablespace", "concurrently", "deferrable", "initially", "like", "ilike", "stored", "user",
	"current_timestamp", "current_date", "current_time", "localtimestamp", "localtime",
}

// mayBeDialect finds texts that may have something to spell.
func mayBeDialect(sql string) bool {
	return strings.Contains(sql, "~") || strings.Contains(sql, ".*)") || mayBeJSON(sql) || HasWord(sql, dialectWords...)
}

// PostgresEdits are the changes that give DuckDB's spelling to what Postgres spells in
// another way, where the text alone shows what is meant: NUMERIC without a precision,
// the operators that search for regular expressions, the escape character of LIKE, FOR UPDATE, which a snapshot that
// fails on conflicts makes unnecessary, the access method btree, sequences as regclass, and
// rows that are cast: (t.*)::text.
func PostgresEdits(sql string) Edits {
	if !mayBeDialect(sql) {
		return nil
	}
	tokens, err := Tokens(sql)
	if err != nil {
		return nil
	}
	d := newDialect(sql, tokens)
	for i := 0; i < len(tokens); {
		next := d.token(i)
		for ; i < next; i++ {
			if text := d.ends[i]; text != "" { // after what has been made of the token itself
				d.edits = append(d.edits, d.insertion(tokens[i].End, i, text))
			}
		}
	}
	return d.sorted()
}

type dialect struct {
	typeFinder
	edits Edits
	// begins are insertions before operands, of which a later one comes first at its place.
	begins Edits
	// ends are what stands behind patterns, by their last tokens.
	ends map[int]string
	// links are the first tokens of operands that end with an operator on JSON and its
	// second operand, by their last ones.
	links map[int]int
	// concats are the last tokens of what is joined as JSON.
	concats map[int]bool
	// opened is closing the other way round; nil until it is asked for.
	opened map[int]int
	// settings are the commas of SET clauses; nil until they are asked for.
	settings map[int]bool
	// noNames is where a part ends in which DuckDB takes the words of the clock for columns: the
	// condition of a CHECK, or what ON CONFLICT sets.
	noNames int
}

func newDialect(sql string, tokens []Token) *dialect {
	return &dialect{typeFinder: *newTypeFinder(sql, tokens), ends: map[int]string{}, links: map[int]int{}, concats: map[int]bool{}}
}

func pairTokens(src string, tokens []Token) map[int]int {
	closing := map[int]int{}
	var open []int
	for i, t := range tokens {
		if t.Kind != TokenPunct {
			continue
		}
		switch src[t.Start] {
		case '(', '[', '{':
			open = append(open, i)
		case ')', ']', '}':
			if len(open) > 0 {
				closing[open[len(open)-1]] = i
				open = open[:len(open)-1]
			}
		}
	}
	return closing
}

// token handles what begins at token i and returns where to go on.
func (d *dialect) token(i int) (next int) {
	switch d.tokens[i].Kind {
	case TokenOp:
		if !d.likeOperator(d.word(i), i, i) && !d.search(d.word(i), i, i) {
			d.jsonOperator(i)
		}
		return i + 1
	case TokenCast:
		if d.word(i+1) == "regclass" && d.isSequence(i-1) {
			d.edit(i, i+1, "")
			return i + 2
		}
		return i + 1
	case TokenPunct:
		if d.word(i) == "?" {
			d.jsonOperator(i)
		}
		return max(d.wholeRow(i), i+1)
	case TokenWord:
	default:
		return i + 1
	}
	switch d.word(i) {
	case "numeric", "decimal", "dec":
		if d.word(i+1) != "(" && d.isType(i) {
			d.edit(i, i, d.src[d.tokens[i].Start:d.tokens[i].End]+bareNumeric)
		}
	case "time", "timetz", "timestamp", "timestamptz":
		return d.timeDigits(i)
	case "uuid_generate_v4":
		if d.word(i+1) == "(" && d.word(i-1) != "." {
			d.edit(i, i, "gen_random_uuid")
		}
	case "bit", "varbit":
		return d.bits(i)
	case "with":
		return d.storage(i)
	case "tablespace":
		return d.tablespace(i)
	case "cast":
		if d.word(i+1) == "(" && d.word(i+3) == "as" && d.word(i+4) == "regclass" && d.word(i+5) == ")" && d.isSequenceAt(i+2, i) {
			d.edit(i, i+1, "")
			d.edit(i+3, i+5, "")
			return i + 6
		}
	case "for":
		return d.locking(i)
	case "like", "ilike":
		d.like(i)
	case "concurrently":
		if i == 2 && d.word(0) == "drop" && d.word(1) == "index" {
			d.edit(i, i, "")
		}
	case "current_timestamp", "current_date", "current_time", "localtimestamp", "localtime":
		d.clockWord(i)
	case "check":
		if i < d.declares {
			d.noNames = max(d.noNames, d.closing[i+1])
		}
	case "do":
		if d.word(i+1) == "update" {
			d.noNames = len(d.tokens)
		}
	case "returning":
		d.noNames = 0
	case "deferrable", "initially":
		d.atOnce(i)
	case "using":
		if d.word(i+1) == "btree" && d.word(i+2) == "(" && d.word(0) == "create" {
			d.edit(i, i+1, "")
			return i + 2
		}
	case "operator":
		return d.operator(i)
	case "stored":
		d.stored(i)
	case "user":
		if d.word(i-1) == "default" && i < d.declares {
			d.edit(i, i, "current_user")
		}
	case "select":
		if d.word(i+1) == "from" && d.word(i-1) == "(" && d.word(i-2) == "exists" {
			d.edits = append(d.edits, d.insertion(d.tokens[i].End, i, " 1"))
		}
	}
	return i + 1
}

// clockWords are the calls for the words that ask for the time without parentheses.
var clockWords = map[string]string{
	"current_timestamp": "get_current_timestamp()", "current_date": "current_date()", "current_time": "get_current_time()",
	"localtimestamp": "current_localtimestamp()", "localtime": "current_localtime()",
}

// clockWord writes such a word as a call where DuckDB would look for a column alone.
func (d *dialect) clockWord(i int) {
	before, after := d.word(i-1), d.word(i+1)
	isSet := after == "=" && (before == "set" || d.assigns(i-1))
	if i < d.noNames && before != "." && before != "as" && after != "." && after != "(" && !isSet {
		d.edit(i, i, clockWords[d.word(i)])
	}
}

// timeDigits removes the digits of a second from a type of times that takes none in DuckDB:
// TIMESTAMP alone does. What is declared so is shown so (see DeclaredLength).
func (d *dialect) timeDigits(i int) (next int) {
	if d.word(i+1) != "(" || d.word(i+3) != ")" || !d.isTypeWithLength(i) {
		return i + 1
	}
	zoned := d.word(i+4) == "with" && d.word(i+5) == "time" && d.word(i+6) == "zone"
	if d.word(i) != "timestamp" || zoned {
		d.edit(i+1, i+3, "")
	}
	return i + 4
}

// bits makes the types of texts of bits DuckDB's one, of any length.
func (d *dialect) bits(i int) (next int) {
	end := i
	if d.word(i) == "bit" {
		if end++; d.word(end) != "varying" {
			return i + 1
		}
	}
	if !d.isTypeWithLength(i) {
		return i + 1
	}
	if d.word(end+1) == "(" && d.word(end+3) == ")" {
		end += 3
	}
	d.edit(i, end, "BIT")
	return end + 1
}

// isTypeWithLength is isType for a name that a length may follow.
func (d *dialect) isTypeWithLength(i int) bool {
	return d.isType(i) || d.word(i-1) == "as" && d.inCast(i)
}

// storage removes what Postgres is told of how it stores a table or an index.
func (d *dialect) storage(i int) (next int) {
	end, ok := d.closing[i+1]
	if !ok || d.word(0) != "create" || !storageOptions[d.word(i+2)] {
		return i + 1
	}
	d.edit(i, end, "")
	return end + 1
}

// tablespace removes TABLESPACE and its name from the end of a definition.
func (d *dialect) tablespace(i int) (next int) {
	if d.word(0) != "create" || d.word(i-1) != ")" || i+1 >= len(d.tokens) || i+2 < len(d.tokens) && d.word(i+2) != ";" && d.word(i+2) != "as" {
		return i + 1
	}
	d.edit(i, i+1, "")
	return i + 2
}

// atOnce removes NOT DEFERRABLE and INITIALLY IMMEDIATE from a definition: constraints are
// checked at once.
func (d *dialect) atOnce(i int) {
	switch {
	case d.word(0) != "create" && d.word(0) != "alter":
	case d.word(i) == "deferrable" && d.word(i-1) == "not":
		d.edit(i-1, i, "")
	case d.word(i) == "initially" && d.word(i+1) == "immediate":
		d.edit(i, i+1, "")
	}
}

// storageOptions are the options of tables and indexes that come first in such a list.
var storageOptions = map[string]bool{
	"fillfactor": true, "oids": true, "parallel_workers": true, "autovacuum_enabled": true, "toast_tuple_target": true, "user_catalog_table": true, "deduplicate_items": true,
}

// isSequence reports whether token i says which sequence the function before it is called for.
// DuckDB wants to see that as a text.
func (d *dialect) isSequence(i int) bool { return d.isSequenceAt(i, i) }

// isSequenceAt is isSequence for an argument that begins with token first.
func (d *dialect) isSequenceAt(i, first int) bool {
	if first < 2 || d.word(first-1) != "(" || !sequenceCalls[d.word(first-2)] {
		return false
	}
	return d.tokens[i].Kind == TokenString || d.tokens[i].Kind == TokenParam
}

func (d *dialect) edit(first, last int, text string) {
	start := d.tokens[first].Start
	d.edits = append(d.edits, Edit{Start: start, End: d.tokens[last].End, Text: text, Place: start})
}

// locking removes FOR UPDATE and the like. What two transactions change is changed by one
// of them, whether they have locked it or not.
func (d *dialect) locking(i int) (next int) {
	at := i + 1
	switch {
	case d.word(at) == "no" && d.word(at+1) == "key" && d.word(at+2) == "update":
		at += 3
	case d.word(at) == "key" && d.word(at+1) == "share":
		at += 2
	case d.word(at) == "update" || d.word(at) == "share":
		at++
	default:
		return i + 1
	}
	if d.word(at) == "of" {
		for at += 2; at < len(d.tokens) && (d.word(at) == "." || d.word(at) == ","); at += 2 {
		}
	}
	switch {
	case d.word(at) == "nowait":
		at++
	case d.word(at) == "skip" && d.word(at+1) == "locked":
		at += 2
	}
	d.edit(i, min(at, len(d.tokens))-1, "")
	return at
}

// stored makes a generated column that is to be stored one that DuckDB calculates when it is
// read, which has the same values.
func (d *dialect) stored(i int) {
	if d.word(i-1) != ")" {
		return
	}
	if open := d.opening(i - 1); d.word(open-1) == "as" && i < d.declares {
		d.edit(i, i, "VIRTUAL")
	}
}

// operator handles OPERATOR(pg_catalog.~), at token i.
func (d *dialect) operator(i int) (next int) {
	op := i + 2
	if d.word(op) == "pg_catalog" && d.word(op+1) == "." {
		op += 2
	}
	if d.word(i+1) != "(" || op+1 >= len(d.tokens) || d.tokens[op].Kind != TokenOp || d.word(op+1) != ")" {
		return i + 1
	}
	sign := d.word(op)
	if sign == "~" && d.isFoldedPattern(op+2) {
		sign = "~*"
	}
	if !d.likeOperator(sign, i, op+1) && !d.search(sign, i, op+1) {
		d.edit(i, op+1, sign)
	}
	return op + 2
}

// isFoldedPattern reports whether token i is a pattern for names as psql makes it of
// one without quotes, in lower case. DuckDB keeps the case that such a name was
// written with, and finds it in any.
func (d *dialect) isFoldedPattern(i int) bool {
	if i >= len(d.tokens) || d.tokens[i].Kind != TokenString {
		return false
	}
	text := d.src[d.tokens[i].Start:d.tokens[i].End]
	return strings.HasPrefix(text, "'^(") && strings.HasSuffix(text, ")$'") && text == strings.ToLower(text)
}

// searches are the operators that search for a regular expression, with its flags. DuckDB's
// match the whole text, and know no case to ignore.
var searches = map[string]string{"~": "(?s)", "!~": "(?s)", "~*": "(?is)", "!~*": "(?is)"}

// endOfSearch stands behind the pattern of such an operator.
const endOfSearch = " || ').*')"

// search makes such an operator one that matches the whole text; it is written with tokens
// first to last.
func (d *dialect) search(sign string, first, last int) bool {
	flags, found := searches[sign]
	if !found || !d.endsOperand(first-1) || isQuantifier(d.word(last+1)) {
		return false
	}
	end := d.operandEnd(last + 1)
	if end >= len(d.tokens) {
		return false
	}
	d.edit(first, last, strings.TrimSuffix(sign, "*")+" ('"+flags+".*(?:' ||")
	d.ends[end] += endOfSearch
	return true
}

// endsOperand reports whether token i may be the last of an operand, so that an operator
// behind it has two.
func (d *dialect) endsOperand(i int) bool {
	if i < 0 {
		return false
	}
	switch t := d.tokens[i]; t.Kind {
	case TokenOp, TokenCast:
		return false
	case TokenPunct:
		return slices.Contains([]string{")", "]", "}", "?"}, d.word(i))
	case TokenWord:
		return !beforeOperand[d.word(i)] && d.word(i) != "in" && d.word(i) != "is"
	}
	return true
}

// operandEnd is the last token of the operand that begins at token i; the number of tokens
// where none does.
func (d *dialect) operandEnd(i int) int {
	if d.word(i) == "(" {
		i = d.match(i)
	}
	for i+1 < len(d.tokens) {
		switch {
		case d.word(i+1) == "." || d.tokens[i+1].Kind == TokenCast:
			i += 2
		case d.word(i+1) == "(" || d.word(i+1) == "[":
			i = d.match(i + 1)
		default:
			return i
		}
	}
	return i
}

// match is the token that closes the bracket at token i; the number of tokens if none does.
func (d *dialect) match(i int) int {
	if end, ok := d.closing[i]; ok {
		return end
	}
	return len(d.tokens)
}
