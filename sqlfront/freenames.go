package sqlfront

import (
	"maps"
	"slices"
	"strings"
)

// freeNames are words that are names like others in Postgres, which writes them without
// quotes, and grammar in DuckDB.
var freeNames = []string{
	"anti", "asof", "at", "by", "describe", "glob", "lambda", "pivot", "pivot_longer", "pivot_wider", "positional", "qualify", "semi", "show",
	"summarize", "unpack", "unpivot",
}

// beforeBy are the words that make one clause with BY.
var beforeBy = []string{"group", "order", "partition", "partitioned", "sorted", "distributed", "increment", "owned", "generated", "matched", "union"}

// beforeNames are the words that a name or an expression follows, and none of DuckDB's clauses.
var beforeNames = wordsOf("select", "where", "and", "or", "not", "when", "then", "else", "case", "between", "having", "on", "like", "ilike",
	"returning", "from", "join", "into", "update", "table", "exists", "only", "column", "add", "drop", "alter", "rename", "to", "constraint",
	"index", "set", "references", "copy", "by", "view", "type", "truncate", "distinct")

// beforeTables are those of them that a name before a parenthesis follows.
var beforeTables = wordsOf("into", "table", "exists", "only", "references", "copy", "view")

// beforeStatements are the words and signs behind which DuckDB takes a statement in parentheses.
var beforeStatements = wordsOf("from", "join", "as", "in", "exists", ",", "(", "=", "any", "all")

// statementNames are the words that begin statements of DuckDB's.
var statementNames = wordsOf("describe", "pivot", "pivot_longer", "pivot_wider", "show", "summarize", "unpivot")

// beginQueries are the words that begin a query.
var beginQueries = wordsOf("from", "select", "with", "values", "table")

func wordsOf(words ...string) map[string]bool {
	set := map[string]bool{}
	for _, w := range words {
		set[w] = true
	}
	return set
}

// NameEdits put quotes around words that are names to Postgres where they stand, and grammar
// to DuckDB. Where DuckDB has a meaning for one it stays.
func NameEdits(sql string) Edits {
	if !mayHaveFreeNames(sql) {
		return nil
	}
	tokens, err := Tokens(sql)
	if err != nil {
		return nil
	}
	d := newDialect(sql, tokens)
	for i, t := range tokens {
		if t.Kind == TokenWord && slices.Contains(freeNames, d.word(i)) && d.isFreeName(i) {
			d.edit(i, i, `"`+sql[t.Start:t.End]+`"`)
		}
	}
	return d.edits
}

// mayHaveFreeNames finds texts that may have one, without reading BY of most queries as such.
func mayHaveFreeNames(sql string) bool {
	before := ""
	for i := 0; i < len(sql); i++ {
		if !isNameByte(sql[i]) {
			if sql[i] == ',' || sql[i] == '(' || sql[i] == '.' {
				before = ""
			}
			continue
		}
		start := i
		for i < len(sql) && isNameByte(sql[i]) {
			i++
		}
		word := sql[start:i]
		i--
		if slices.ContainsFunc(freeNames, func(w string) bool { return strings.EqualFold(w, word) }) &&
			!(strings.EqualFold(word, "by") && slices.ContainsFunc(beforeBy, func(w string) bool { return strings.EqualFold(w, before) })) {
			return true
		}
		before = word
	}
	return false
}

// isFreeName reports whether the word at token i is a name.
func (d *dialect) isFreeName(i int) bool {
	if !d.beginsName(i) {
		return false
	}
	word, before, after := d.word(i), d.word(i-1), d.word(i+1)
	switch {
	case after == "(":
		return beforeTables[before] || before == "on" && d.word(0) == "create"
	case word == "by":
		return !slices.Contains(beforeBy, before) && !(before == "distinct" && after == "name")
	case word == "lambda":
		return !d.beginsLambda(i)
	case word == "glob":
		return before != "not"
	case statementNames[word] && before == "(" && (i < 2 || beforeStatements[d.word(i-2)]):
		return !d.beginsOperand(i+1) && !beginQueries[after]
	case statementNames[word] && before == "(" && d.beginsOperand(i+1): // a column and its type, or a statement
		return d.word(0) == "create" && !d.hasBefore(i, "select", "as")
	}
	return true
}

// beginsName reports whether a name or an expression may begin at token i.
func (d *dialect) beginsName(i int) bool {
	if i == 0 {
		return false
	}
	switch before := d.word(i - 1); d.tokens[i-1].Kind {
	case TokenWord:
		return beforeNames[before] && (before != "by" || slices.Contains(beforeBy, d.word(i-2)))
	case TokenPunct:
		return slices.Contains([]string{"(", ",", "["}, before)
	case TokenOp:
		return before != "*" || d.endsOperand(i-2)
	}
	return false
}

// beginsOperand reports whether token i is a name, a value or a parenthesis: behind the word
// of a statement it is what the statement is about.
func (d *dialect) beginsOperand(i int) bool {
	if i >= len(d.tokens) {
		return false
	}
	switch d.tokens[i].Kind {
	case TokenWord:
		return !conditionEnds[d.word(i)] && d.word(i) != "in" && d.word(i) != "between" && d.word(i) != "like" && d.word(i) != "ilike"
	case TokenQuoted, TokenString:
		return true
	}
	return d.word(i) == "("
}

// beginsLambda reports whether the word at token i is followed by parameters and a colon.
func (d *dialect) beginsLambda(i int) bool {
	for i++; i < len(d.tokens) && (d.tokens[i].Kind == TokenWord || d.tokens[i].Kind == TokenQuoted); i += 2 {
		if d.word(i+1) == ":" {
			return true
		}
		if d.word(i+1) != "," {
			return false
		}
	}
	return false
}

// hasBefore reports whether one of the words stands before token i.
func (d *dialect) hasBefore(i int, words ...string) bool {
	for j := range i {
		if d.tokens[j].Kind == TokenWord && slices.Contains(words, d.word(j)) {
			return true
		}
	}
	return false
}

// spelledTypes are the types that other edits spell, and know by names without quotes.
var spelledTypes = map[string]bool{
	"numeric": true, "decimal": true, "jsonb": true, "timestamptz": true, "timestamp": true, "timetz": true, "time": true,
	"varchar": true, "bpchar": true, "bit": true, "varbit": true,
}

// TypeNameEdits take the quotes from the names of such types.
func TypeNameEdits(sql string) Edits {
	if !strings.Contains(sql, `"`) || !HasWord(sql, slices.Collect(maps.Keys(spelledTypes))...) {
		return nil
	}
	tokens, err := Tokens(sql)
	if err != nil {
		return nil
	}
	d := newDialect(sql, tokens)
	for i, t := range tokens {
		if t.Kind == TokenQuoted && spelledTypes[d.name(i)] && d.isTypeWithLength(i) && d.word(i-1) != "." {
			d.edit(i, i, d.name(i))
		}
	}
	return d.edits
}
