package difftest

import (
	"fmt"
	"slices"
	"strings"
)

// boundMax bounds the values of trees: they stay in SMALLINT, so that no condition
// raises an error, which DuckDB would evaluate on rows of its plan's choice.
const boundMax = 30000

// treeTypes are the types of a tree's leaves.
var treeTypes = map[string]bool{
	"SMALLINT": true, "INTEGER": true, "BIGINT": true, "HUGEINT": true, "DECIMAL(4,1)": true, "DECIMAL(9,2)": true,
	"DECIMAL(18,4)": true, "DOUBLE": true, "FLOAT": true,
}

func isTreeLeaf(c wideColumn) bool { return c.absMax <= 150 && treeTypes[c.typ.sql] }

func isExactLeaf(c wideColumn) bool { return isTreeLeaf(c) && !c.typ.float }

// across is a random condition over the columns of several relations.
func (b *wideBlock) across(depth int, columns ...[]wideColumn) (string, bool) {
	joined := *b
	joined.columns = slices.Concat(columns...)
	return joined.condition(depth, isTreeLeaf)
}

// computed is a tree as a column of that name.
func (b *wideBlock) computed(name string) (item string, c wideColumn, ok bool) {
	leaf, typ := isExactLeaf, "DECIMAL(18,4)"
	if b.chance(30) {
		leaf, typ = isTreeLeaf, "DOUBLE"
	}
	item, bound, ok := b.expression(2, leaf)
	return item, wideColumn{sql: name, typ: typeNamed(typ), near: true, absMax: bound, nullable: true}, ok
}

// treeCalls keep values small and exact; of infinities and NaN some raise errors.
var treeCalls = []string{
	"floor(%s)", "ceil(%s)", "round(%s)", "sign(%s)", "trunc(%s)", "CAST(%s AS INTEGER)", "CAST(%s AS BIGINT)", "CAST(%s AS DOUBLE)",
	"CAST(%s AS DECIMAL(18,3))", "(%s %% 3)", "if(%s > 1, 1, 0)",
}

// expression is a random expression over small numbers of all elements of FROM, whose values
// are exact, and a bound of theirs.
func (b *wideBlock) expression(depth int, leaf func(wideColumn) bool) (sql string, bound float64, ok bool) {
	if depth == 0 || b.chance(15) {
		return b.treeLeaf(leaf)
	}
	l, lBound, lOK := b.expression(depth-1, leaf)
	r, rBound, rOK := b.expression(depth-1, leaf)
	if !lOK || !rOK {
		return "", 0, false
	}
	if lBound+rBound > boundMax {
		return l, lBound, true
	}
	switch n := b.rng.IntN(16); {
	case n < 4:
		return fmt.Sprintf("(%s + %s)", l, r), lBound + rBound, true
	case n < 7:
		return fmt.Sprintf("(%s - %s)", l, r), lBound + rBound, true
	case n < 9 && lBound*rBound <= boundMax:
		return fmt.Sprintf("(%s * %s)", l, r), lBound * rBound, true
	case n == 9:
		return "(-" + l + ")", lBound, true
	case n == 10:
		return "abs(" + l + ")", lBound, true
	case n == 11:
		return fmt.Sprintf("coalesce(%s, %s)", l, r), max(lBound, rBound), true
	case n == 12:
		return fmt.Sprintf("nullif(%s, %s)", l, r), lBound, true
	case n == 13:
		return fmt.Sprintf("%s(%s, %s)", pick(b.rng, []string{"greatest", "least"}), l, r), max(lBound, rBound), true
	case n == 14 && !b.db.special:
		return fmt.Sprintf(pick(b.rng, treeCalls), l), lBound + 1, true
	default:
		condition, ok := b.condition(depth-1, leaf)
		return fmt.Sprintf("CASE WHEN %s THEN %s ELSE %s END", condition, l, r), max(lBound, rBound), ok
	}
}

func (b *wideBlock) treeLeaf(leaf func(wideColumn) bool) (sql string, bound float64, ok bool) {
	if b.chance(12) {
		return pick(b.rng, []string{"1", "2", "3", "(-1)", "0.5"}), 3, true
	}
	c, ok := b.number(leaf)
	if !ok {
		return "", 0, false
	}
	b.noteType(c)
	return c.sql, c.absMax + 3, true
}

// condition is a random condition over trees.
func (b *wideBlock) condition(depth int, leaf func(wideColumn) bool) (string, bool) {
	if depth > 0 && b.chance(45) {
		l, lOK := b.condition(depth-1, leaf)
		r, rOK := b.condition(depth-1, leaf)
		return fmt.Sprintf(pick(b.rng, []string{"(%s AND %s)", "(%s OR %s)", "(NOT %s OR %s)", "((%s) IS NOT TRUE AND %s)"}), l, r), lOK && rOK
	}
	if b.chance(20) {
		return b.simple(b.columns)
	}
	l, _, lOK := b.expression(depth, leaf)
	r, _, rOK := b.expression(depth, leaf)
	form := pick(b.rng, []string{"%[1]s = %[2]s", "%[1]s <> %[2]s", "%[1]s < %[2]s", "%[1]s >= %[2]s", "%[1]s IS NULL", "%[1]s IN (%[2]s, 1)", "%[1]s BETWEEN -2 AND %[2]s", "%[1]s IS DISTINCT FROM %[2]s"})
	if !strings.Contains(form, "%[2]s") {
		return "(" + fmt.Sprintf(form, l) + ")", lOK
	}
	return "(" + fmt.Sprintf(form, l, r) + ")", lOK && rOK
}
