package sqlfront

// Relations are the names that a text has where a relation can stand, in parts: those of tables
// and views that it reads or writes, and also those of common table expressions and of functions
// in FROM. A few are of columns, as in EXTRACT(year FROM x). A string names a relation, too.
func Relations(sql string) [][]string {
	r := &relationReader{sql: sql, tokens: tokensOf(sql), levels: make([]fromLevel, 1)}
	for r.at < len(r.tokens) {
		r.step()
	}
	return r.found
}

type relationReader struct {
	sql    string
	tokens []token
	at     int
	found  [][]string
	// next: a relation can stand here. after: one stood just before, or a name for one that
	// follows a colon.
	next, after bool
	levels      []fromLevel // of parentheses and brackets
}

// fromLevel is whether a list of relations is under way, and whether it has a JOIN, of which USING
// names columns.
type fromLevel struct{ list, joined bool }

// step reads one token, or a name.
func (r *relationReader) step() {
	t := r.tokens[r.at]
	level := &r.levels[len(r.levels)-1]
	r.at++
	next, after := r.next, r.after
	r.next, r.after = false, false
	switch text := r.sql[t.start:t.end]; {
	case text == "(" || text == "[" || text == "{":
		r.next = next && text == "("
		r.levels = append(r.levels, fromLevel{list: r.next})
	case text == ")" || text == "]" || text == "}":
		if len(r.levels) > 1 {
			r.levels = r.levels[:len(r.levels)-1]
		}
	case text == ",":
		r.next = level.list
	case text == ":":
		r.next = after
	case next && (t.kind == tokString || t.kind == tokSpecial):
		if name, ok := valueText(text); ok {
			r.found = append(r.found, []string{name}, []string{lastPart(name)})
		}
		r.after = true
	case next && (t.kind == tokWord || t.kind == tokQuoted):
		r.at--
		r.name()
		r.after = true
		if t.kind == tokWord {
			r.word(fold(text), level)
		}
	case t.kind == tokWord:
		r.word(fold(text), level)
	}
}

// name reads a name in parts.
func (r *relationReader) name() {
	var parts []string
	for r.at < len(r.tokens) {
		part, ok := tokenName(r.sql, r.tokens[r.at])
		if !ok {
			break
		}
		parts = append(parts, part)
		r.at++
		if r.at == len(r.tokens) || !isText(r.sql, r.tokens[r.at], ".") {
			break
		}
		r.at++
	}
	r.found = append(r.found, parts)
}

// word reads a word that is not in quotes: it may be before a relation, or end a list of them.
func (r *relationReader) word(word string, level *fromLevel) {
	switch word {
	case "from":
		if r.isDistinct() {
			return
		}
		*level = fromLevel{list: true}
		r.next = true
	case "using":
		if level.joined {
			return
		}
		level.list, r.next = true, true
	case "join":
		level.list, level.joined, r.next = true, true, true
	case "into", "update", "table", "only", "lateral", "describe", "desc", "summarize", "show", "pivot", "pivot_wider", "unpivot", "pivot_longer", "view", "references":
		r.next = true
	case "select", "where", "group", "having", "order", "limit", "offset", "window", "qualify", "union", "except", "intersect", "set", "returning", "when", "values":
		*level = fromLevel{}
	}
}

// isDistinct reports whether the word just read is of IS [NOT] DISTINCT FROM.
func (r *relationReader) isDistinct() bool {
	before := wordAt(r.sql, r.tokens, r.at-3)
	return wordAt(r.sql, r.tokens, r.at-2) == "distinct" && (before == "is" || before == "not")
}
