package pgcatalog

import (
	"slices"
	"strings"

	"github.com/trireme-db/trireme/sqlfront"
)

// What a view reads, in DuckDB's text of it. Names without a schema are those of the view's
// own, or of the default one.

// viewReader finds the tables in the text of a view. To it, all names are the user's.
func (c *Catalog) viewReader(sql string) (*rewriter, error) {
	tokens, err := sqlfront.Tokens(sql)
	if err != nil {
		return nil, err
	}
	env := &Env{
		Setting: func(string) (string, bool) { return "", false }, Relation: func(string) (string, bool) { return "", false },
		Owns: func(string, bool) bool { return true }, Scalar: func(string) bool { return false },
		HasColumn: func([]string, string) bool { return true },
		TextParam: func(string) (text, declared bool) { return false, false },
	}
	r := &rewriter{catalog: c, env: env, src: sql, tokens: tokens, pairs: pairBrackets(sql, tokens), from: []bool{false}, aliases: map[string]string{}, operands: map[int]int{}}
	for i := 0; i < len(tokens); {
		next, err := r.token(i)
		if err != nil {
			return nil, err
		}
		i = max(next, r.skip)
	}
	r.edits = nil
	r.tables = slices.DeleteFunc(r.tables, func(t [2]int) bool { return t[0] == t[1] && r.common[r.name(t[0])] })
	return r, nil
}

// ViewTables are the tables that a view of a schema reads, each as schema.name in lower
// case, one a line.
func (c *Catalog) ViewTables(sql, schema string) (string, error) {
	r, err := c.viewReader(sql)
	if err != nil {
		return "", err
	}
	var names []string
	for _, t := range r.tables {
		in := schema
		if t[1] > t[0] {
			in = r.name(t[1] - 2)
		}
		names = append(names, strings.ToLower(in)+"."+r.name(t[1]))
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), "\n"), nil
}

// ViewText is the text of a view of a schema for clients that search a path: the tables
// that are not found by it have their schemas, by the names that clients
// know and in quotes where they need them.
func (c *Catalog) ViewText(sql, schema string, path []string, known, quote func(schema string) string) (string, error) {
	r, err := c.viewReader(sql)
	if err != nil {
		return "", err
	}
	first := slices.IndexFunc(path, func(in string) bool { return !strings.HasPrefix(in, "pg_") })
	for _, t := range r.tables {
		shown := known(schema)
		switch {
		case t[1] > t[0]:
			switch in := r.name(t[1] - 2); {
			case first >= 0 && path[first] == known(in): // where it is found first
				r.replace(t[0], t[1], "")
			case known(in) != in || t[1]-t[0] > 2: // not with the database
				r.replace(t[0], t[1]-1, quote(known(in)))
			}
		case !slices.Contains(path, shown):
			r.insert(r.tokens[t[0]].Start, quote(shown)+".")
		}
	}
	slices.SortStableFunc(r.edits, byPlace)
	return ExpressionText(r.edits.Apply(sql, 0, len(sql)), path, known, quote)
}
