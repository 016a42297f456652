package difftest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Step is a part of a run over one database: a change of its data, or a
// statement.
type Step struct {
	// Changes are statements that both sides execute; empty: Query is compared.
	Changes []string
	// Session are statements that every session executes, on both sides, for itself.
	Session []string
	Query   Query
	// Bound is the query with constants bound as parameters, where that is asked for.
	Bound Bound
}

// Phases of statements over one database, with a change of the data between each
// two.
const phasesPerSchema = 4

// GenerateSteps makes a random schema like GenerateWide and a run over it: random
// statements, some of them prepared with parameters, some that write, and changes
// of the data in between.
func GenerateSteps(rng *rand.Rand, perPhase int) (schema []string, steps []Step) {
	db := newWideDatabase(rng)
	schema = append(db.ddl, macros...)
	steps = []Step{{Session: []string{"CREATE OR REPLACE TEMP TABLE " + temporaryName + " AS SELECT * FROM t0"}}}
	for phase := range phasesPerSchema {
		if phase > 0 {
			steps = append(steps, Step{Changes: db.changes(rng)})
		}
		for range perPhase {
			steps = append(steps, Step{Query: newStepQuery(rng, db)})
		}
	}
	return schema, steps
}

// newStepQuery is any statement of a run.
func newStepQuery(rng *rand.Rand, db *wideDatabase) Query {
	w := newWideStatement(rng, db)
	w.prepared = rng.IntN(5) == 0
	if w.prepared {
		w.feature("prepared")
	}
	switch n := rng.IntN(100); {
	case n < 7:
		return w.write()
	case n < 16:
		return w.finish(w.hosted(), false)
	case n < 29:
		return w.ordered()
	case n < 37:
		return w.finish(w.recursion(), false)
	case n < 48:
		return w.finish(w.form(), false)
	default:
		return w.finish(w.read(), false)
	}
}

// constant is a literal of a type or, in a prepared statement, perhaps a
// parameter. cast: what stands around it does not say the type.
func (w *wideStatement) constant(typ *wideType, cast bool) string {
	if !w.prepared || w.chance(40) {
		if far := farLiterals[typ.sql]; w.db.far && len(far) > 0 && w.chance(30) {
			w.feature("far_value")
			return pick(w.rng, far)
		}
		return pick(w.rng, typ.literals)
	}
	w.parameters = append(w.parameters, typ)
	name := fmt.Sprintf("$%d", len(w.parameters))
	if cast || w.chance(40) {
		return fmt.Sprintf("CAST(%s AS %s)", name, typ.sql)
	}
	return name
}

// beside is a constant that is compared with a column. A parameter has the type that the
// column has in DuckDB: where that is not known it has a value that all types of the
// domain have, or a cast.
func (w *wideStatement) beside(c wideColumn) string {
	if c.near && c.typ.domain == numbers && w.prepared && w.chance(50) {
		return w.constant(typeNamed("UTINYINT"), false)
	}
	return w.constant(c.typ, c.near)
}

// arguments are the values of the parameters, for up to three executions. The
// last parameters may be of a condition that was given up.
func (w *wideStatement) arguments(sql string) [][]Arg {
	for n := len(w.parameters); n > 0 && !strings.Contains(sql, fmt.Sprintf("$%d", n)); n-- {
		w.parameters = w.parameters[:n-1]
	}
	if len(w.parameters) == 0 {
		return nil
	}
	w.feature("parameter")
	out := make([][]Arg, 1+w.rng.IntN(3))
	for i := range out {
		for _, typ := range w.parameters {
			arg := Arg{Text: literalText(pick(w.rng, typ.literals))}
			if w.chance(12) {
				w.feature("null_parameter")
				arg = Arg{Null: true}
			}
			out[i] = append(out[i], arg)
		}
	}
	return out
}

// literalText is the text of the value that a literal has.
func literalText(literal string) string {
	first, last := strings.IndexByte(literal, '\''), strings.LastIndexByte(literal, '\'')
	if first < 0 {
		return literal
	}
	return strings.ReplaceAll(literal[first+1:last], "''", "'")
}

// ordered is an aggregate query under ORDER BY, with LIMIT and OFFSET where the
// order is total but for equal rows.
func (w *wideStatement) ordered() Query {
	w.feature("order_by")
	s := w.topBlock().grouped()
	var terms []string
	for n, item := range s.items {
		if !item.rounded {
			terms = append(terms, fmt.Sprint(n+1, pick(w.rng, []string{"", "", " DESC", " NULLS FIRST", " DESC NULLS LAST"})))
		}
	}
	if len(terms) < len(s.items) {
		if len(terms) == 0 {
			return w.finish(s.sql, false)
		}
		return w.finish(s.sql+" ORDER BY "+strings.Join(terms, ", "), false)
	}
	w.rng.Shuffle(len(terms), func(i, j int) { terms[i], terms[j] = terms[j], terms[i] })
	s.sql += " ORDER BY " + strings.Join(terms, ", ")
	if w.chance(60) {
		w.feature("limit")
		s.sql += " LIMIT " + w.count()
		if w.chance(40) {
			w.feature("offset")
			s.sql += " OFFSET " + w.count()
		}
	}
	return w.finish(s.sql, true)
}

// count is a small number, or a parameter for one.
func (w *wideStatement) count() string {
	if w.prepared && w.chance(50) {
		w.parameters = append(w.parameters, typeNamed("UTINYINT"))
		return fmt.Sprintf("$%d", len(w.parameters))
	}
	return fmt.Sprint(w.rng.IntN(4))
}
