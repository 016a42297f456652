package pgcatalog

import (
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/sqlfront"
)

func decimal(n int) string { return strconv.Itoa(n) }

// objectTypes are Postgres' types of OIDs that are shown as names, and the macros
// that make the OID of a text; with _name they make the name of either.
var objectTypes = map[string]string{
	"regclass": "_regclass", "regtype": "_regtype", "regproc": "_regproc", "regprocedure": "_regproc",
	"regnamespace": "_regnamespace", "regrole": "_regrole",
}

// otherTypes are DuckDB's names of types that it does not know by Postgres' name.
var otherTypes = map[string]string{
	"regoper": "VARCHAR", "regoperator": "VARCHAR", "regconfig": "VARCHAR", "regdictionary": "VARCHAR", "regcollation": "VARCHAR", // there are none
	"name": "VARCHAR", "cstring": "VARCHAR", "unknown": "VARCHAR", "aclitem": "VARCHAR", "pg_node_tree": "VARCHAR", "char": "VARCHAR",
	"sql_identifier": "VARCHAR", "character_data": "VARCHAR", "yes_or_no": "VARCHAR", "cardinal_number": "INTEGER", "time_stamp": "TIMESTAMPTZ",
	"xid": "BIGINT", "cid": "BIGINT", "xid8": "BIGINT", "oid": "UINTEGER", "int2vector": "SMALLINT[]", "oidvector": "UINTEGER[]",
}

// typeName reads the name of a type that begins at token i.
func (r *rewriter) typeName(i int) (name string, qualified bool, end int) {
	if !r.isName(i) {
		return "", false, i
	}
	name, end = r.name(i), i
	for r.is(end+1, ".") && r.isName(end+2) {
		qualified = isSystem(name)
		end += 2
		name = r.name(end)
	}
	return name, qualified, end
}

// cast handles :: at token i.
func (r *rewriter) cast(i int) int {
	name, qualified, end := r.typeName(i + 1)
	if name == "" || !r.endsOperand(i-1) {
		return i + 1
	}
	if name == "regtype" && !r.env.Stored && r.is(end+1, "[") && r.is(end+2, "]") {
		return r.typeNames(i, end+2)
	}
	if macro := r.objectType(name); macro != "" {
		start := r.operandStart(i - 1)
		r.operands[i] = start
		oid, extra := r.wantsOID(start, end+1)
		r.text.Catalog = true
		if r.holdsOID(start, i-1) {
			macro = numberMacro(macro)
		}
		before, after := r.objectCast(macro, oid)
		r.insert(r.tokens[start].Start, before)
		r.replace(i, end+1, after)
		return extra
	}
	if name == "oid" && r.isName(i-1) && functionColumns[r.name(i-1)] {
		start := r.operandStart(i - 1)
		r.operands[i] = start
		r.onlyCatalog = append(r.onlyCatalog, func() {
			r.insert(r.tokens[start].Start, r.catalog.functions["_io_oid"]+"(")
			r.replace(i, end+1, ")")
		})
		return end + 1
	}
	if isTextType(name) && r.isName(i-1) && vectors[r.name(i-1)] {
		start := r.operandStart(i - 1)
		r.operands[i] = start
		r.onlyCatalog = append(r.onlyCatalog, func() {
			r.insert(r.tokens[start].Start, "array_to_string(")
			r.replace(i, end+1, ", ' ')")
		})
		return end + 1
	}
	if other := otherTypes[name]; other != "" && (name != "char" || r.tokens[end].Kind == sqlfront.TokenQuoted) {
		r.replace(i+1, end+1, other)
	} else if qualified { // of DuckDB's own types, whose names want no quotes
		r.replace(i+1, end+1, name)
	}
	r.braces(i, end)
	return end + 1
}

// objectType is the macro of such a type; empty: it is none, or the text is kept.
func (r *rewriter) objectType(name string) string {
	if r.env.Stored {
		return ""
	}
	return objectTypes[name]
}

// typeNames handles the cast at token i to a list of types, whose last token is end.
func (r *rewriter) typeNames(i, end int) int {
	start := r.operandStart(i - 1)
	r.operands[i] = start
	r.text.Catalog = true
	if names, ok := r.bracedNames(i - 1); ok {
		before, after := r.objectCast("_regtype", r.is(start-1, "(") && r.is(start-2, "any", "some", "all"))
		for k, name := range names {
			names[k] = before + quoteText(strings.TrimSpace(name)) + after
		}
		r.replace(i-1, end+1, "["+strings.Join(names, ", ")+"]")
		return end + 1
	}
	r.insert(r.tokens[start].Start, r.catalog.functions["_type_names"]+"(")
	r.replace(i, end+1, ")")
	return end + 1
}

// endsOperand reports whether token i may be the last of an operand. No operator is:
// a cast of one is DuckDB's error, and others may want to change the operator.
func (r *rewriter) endsOperand(i int) bool {
	if i < 0 {
		return false
	}
	switch r.tokens[i].Kind {
	case sqlfront.TokenOp, sqlfront.TokenCast:
		return false
	case sqlfront.TokenPunct:
		return r.is(i, ")", "]", "}", "?")
	}
	return true
}

// functionColumns are the columns that hold names of functions, which are OIDs in Postgres.
var functionColumns = wordSet("typinput typoutput typreceive typsend typmodin typmodout typanalyze typsubscript amhandler")

// functionColumn makes such a column, tokens i to end, a number where it is compared with
// numbers: as if it were cast to regproc.
func (r *rewriter) functionColumn(i, end int, parts []string) {
	if !functionColumns[parts[len(parts)-1]] || r.is(end+1, ".", "::") {
		return
	}
	if oid, _ := r.wantsOID(i, end+1); !oid || r.isText(i-2) || r.isText(end+2) || r.is(end+2, "(") && r.isText(end+3) {
		return
	}
	r.onlyCatalog = append(r.onlyCatalog, func() {
		r.insert(r.tokens[i].Start, r.catalog.functions["_io_oid"]+"(")
		r.insert(r.tokens[end].End, ")")
	})
}

// isText reports whether token i is a string that is not cast.
func (r *rewriter) isText(i int) bool {
	return i >= 0 && i < len(r.tokens) && r.tokens[i].Kind == sqlfront.TokenString && !r.is(i+1, "::") && !r.is(i-1, "::")
}

// objectCast is what stands before and after the operand of such a cast.
func (r *rewriter) objectCast(macro string, oid bool) (before, after string) {
	if !oid {
		macro += "_name"
	}
	after = ")"
	if r.catalog.pathed[macro] {
		after = ", " + r.path() + ")"
	}
	return r.catalog.functions[macro] + "(", after
}

// numberMacros are those of objectTypes of which there is one for numbers.
var numberMacros = wordSet("_regclass _regtype _regnamespace")

// numberMacro is the macro for an operand that is a number: it looks for no name, which
// is most of the work.
func numberMacro(macro string) string {
	if numberMacros[macro] {
		return macro + "_oid"
	}
	return macro
}

// oidColumns are the columns of Postgres' catalog that hold OIDs of relations, types
// and schemas.
var oidColumns = wordSet(`oid attrelid adrelid conrelid confrelid conindid indrelid indexrelid inhrelid inhparent tgrelid tgconstrrelid tgconstrindid
	stxrelid polrelid prrelid ev_class seqrelid starelid partrelid ftrelid typrelid reltoastrelid objoid classoid classid refclassid refobjid
	atttypid typelem typarray typbasetype prorettype reloftype reltype enumtypid rngtypid rngsubtype seqtypid castsource casttarget
	relnamespace typnamespace pronamespace connamespace stxnamespace oprnamespace collnamespace opcnamespace opfnamespace extnamespace`)

// holdsOID reports whether the operand from token start to end is an OID: such a column,
// or a number in quotes.
func (r *rewriter) holdsOID(start, end int) bool {
	switch r.tokens[end].Kind {
	case sqlfront.TokenWord, sqlfront.TokenQuoted:
		return oidColumns[r.name(end)]
	case sqlfront.TokenString:
		text := r.lit(end)
		return start == end && len(text) > 2 && strings.Trim(text[1:len(text)-1], "0123456789") == ""
	}
	return false
}

// braces makes a literal of an array, '{a,b}'::text[], one of DuckDB's.
func (r *rewriter) braces(i, end int) {
	if names, ok := r.bracedNames(i - 1); ok && r.is(end+1, "[") {
		r.onlyCatalog = append(r.onlyCatalog, func() { r.replace(i-1, i, "'["+strings.Join(names, ",")+"]'") })
	}
}

// bracedNames are the elements of an array that token i is the text of, if none is in
// quotes.
func (r *rewriter) bracedNames(i int) ([]string, bool) {
	text := r.lit(i)
	if r.tokens[i].Kind != sqlfront.TokenString || !strings.HasPrefix(text, "'{") || !strings.HasSuffix(text, "}'") || strings.ContainsAny(text[2:len(text)-2], `{}"\`) {
		return nil, false
	}
	return strings.Split(text[2:len(text)-2], ","), true
}

// castCall handles CAST(x AS type) at token i.
func (r *rewriter) castCall(i int) {
	if !r.is(i+1, "(") {
		return
	}
	closing, as := r.match(i+1), -1
	for k := i + 2; k < closing; k++ {
		switch {
		case r.is(k, "(", "["):
			k = r.match(k)
		case r.is(k, "as"):
			as = k
		}
	}
	if as < 0 {
		return
	}
	name, qualified, end := r.typeName(as + 1)
	switch macro, other := r.objectType(name), otherTypes[name]; {
	case macro != "":
		oid, _ := r.wantsOID(i, closing+1)
		if r.is(closing+1, "as") && r.is(i-1, "(") && r.is(i-2, "cast") {
			outer, _, _ := r.typeName(closing + 2)
			oid = !isTextType(outer)
		}
		r.text.Catalog = true
		if r.holdsOID(i+2, as-1) {
			macro = numberMacro(macro)
		}
		before, after := r.objectCast(macro, oid)
		r.replace(i, i+2, before)
		r.replace(as, closing+1, after)
	case other != "" && (name != "char" || r.tokens[end].Kind == sqlfront.TokenQuoted):
		r.replace(as+1, end+1, other)
	case qualified:
		r.replace(as+1, end, "")
	}
}

// wantsOID reports whether a cast of the operand at token start to a type of OIDs
// is used as a number; after is the token behind it. go on is where to continue.
func (r *rewriter) wantsOID(start, after int) (oid bool, goOn int) {
	if after < len(r.tokens) && r.tokens[after].Kind == sqlfront.TokenCast {
		name, _, _ := r.typeName(after + 1)
		return !isTextType(name), after
	}
	compares := func(i int) bool { return r.is(i, "=", "<>", "!=", "<", ">", "<=", ">=") }
	if compares(start-1) || compares(after) || r.is(after, "in", "is") {
		return true, after
	}
	if !r.is(start-1, "(", ",", "[") {
		return false, after
	}
	open := r.pairs.around[start]
	if open < 0 {
		return false, after
	}
	if r.is(open, "[") || r.is(open-1, "in", "values") {
		return true, after
	}
	_, ours := r.catalog.functions[strings.ToLower(strings.Trim(r.lit(open-1), `"`))]
	return ours, after
}

func isTextType(name string) bool {
	return name == "text" || name == "varchar" || name == "name" || name == "character"
}

// operandStart is the first token of the operand of :: that ends at token i.
func (r *rewriter) operandStart(i int) int {
	for {
		if r.is(i, ")", "]") {
			subscript := r.is(i, "]")
			i = r.opens(i)
			if i > 0 && (subscript || r.isName(i-1) && !(r.tokens[i-1].Kind == sqlfront.TokenWord && beforeOperand[r.name(i-1)])) {
				i--
				if subscript && r.is(i, ")", "]") {
					continue
				}
			}
		}
		switch {
		case i > 1 && r.is(i-1, "."):
			i -= 2
		case i > 1 && r.tokens[i-1].Kind == sqlfront.TokenCast:
			if start, ok := r.operands[i-1]; ok {
				return start
			}
			i -= 2
		default:
			return i
		}
	}
}

// beforeOperand are words that stand before a parenthesis without being a function.
var beforeOperand = wordSet("select distinct all and or not when then else case by on where having between in like ilike is from join any some returning as")
