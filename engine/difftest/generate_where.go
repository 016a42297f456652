package difftest

import (
	"fmt"
	"strings"
)

// makeWhere adds up to two predicates, each over one occurrence.
func (b *block) makeWhere() {
	for range pick(b.rng, []int{0, 0, 1, 1, 2}) {
		usable := b.refs(func(c column) bool { return !b.inexact(c) })
		if len(usable) == 0 {
			return
		}
		r := pick(b.rng, usable)
		if r.column.sum && r.column.typ != typeHugeint && r.column.typ != typeDouble {
			continue
		}
		b.noteType(r.column)
		b.where = append(b.where, b.predicate(r))
	}
}

func (b *block) whereClause() string {
	if len(b.where) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(b.where, " AND ")
}

// predicate is a condition on one occurrence: a simple one, or a combination.
func (b *block) predicate(r ref) string {
	b.feature("predicate")
	switch b.rng.IntN(10) {
	case 0:
		b.feature("predicate_not")
		return "NOT (" + b.simple(r) + ")"
	case 1:
		b.feature("predicate_or")
		others := b.refsOf(r.occ)
		other := pick(b.rng, others)
		if b.inexact(other.column) || other.column.sum {
			other = r
		}
		return "(" + b.simple(r) + " OR " + b.simple(other) + ")"
	case 2:
		b.feature("predicate_case")
		return fmt.Sprintf("CASE WHEN %s THEN 1 ELSE 0 END = 1", b.simple(r))
	default:
		return b.simple(r)
	}
}

// simple is a condition on one column.
func (b *block) simple(r ref) string {
	if r.column.typ == typeVarchar && b.chance(25) {
		return b.ofType(r)
	}
	literal := func() string { return keyLiteral(b.rng, r.column.typ) }
	operator := func() string { return pick(b.rng, []string{"=", "<>", "<", "<=", ">", ">="}) }
	switch b.rng.IntN(9) {
	case 0:
		b.feature("predicate_null")
		return r.sql + pick(b.rng, []string{" IS NULL", " IS NOT NULL", " IS NOT NULL"})
	case 1:
		b.feature("predicate_in")
		return fmt.Sprintf("%s %s (%s, %s)", r.sql, pick(b.rng, []string{"IN", "IN", "NOT IN"}), literal(), literal())
	case 2:
		b.feature("predicate_between")
		return fmt.Sprintf("%s BETWEEN %s AND %s", r.sql, literal(), literal())
	case 3:
		b.feature("predicate_coalesce")
		return fmt.Sprintf("coalesce(%s, %s) %s %s", r.sql, literal(), operator(), literal())
	case 4, 5:
		if r.column.key {
			b.feature("key_constant")
		}
		return r.sql + " = " + literal()
	case 6:
		return r.sql + " " + operator() + " " + literal()
	default:
		return b.ofType(r)
	}
}

// ofType is a condition that only columns of the type can have.
func (b *block) ofType(r ref) string {
	switch r.column.typ {
	case typeVarchar:
		if b.chance(50) {
			b.feature("predicate_like")
			return r.sql + pick(b.rng, []string{" LIKE 'a%'", " NOT LIKE '%s'", " LIKE '_'", " LIKE '%t%'"})
		}
		b.feature("predicate_function")
		return fmt.Sprintf(pick(b.rng, []string{"lower(%s) = 'a'", "length(%s) > 1", "%s || 'x' = 'ax'", "upper(%s) = 'A'"}), r.sql)
	case typeDate:
		b.feature("predicate_function")
		return fmt.Sprintf(pick(b.rng, []string{"year(%s) = 2024", "extract(month FROM %s) > 1"}), r.sql)
	case typeBoolean:
		return pick(b.rng, []string{"", "NOT "}) + r.sql
	case typeDouble, typeDecimal, typeDecimal38:
		b.feature("predicate_function")
		return fmt.Sprintf("abs(%s) <= 2", r.sql)
	default:
		b.feature("predicate_function")
		return fmt.Sprintf(pick(b.rng, []string{"%s %% 2 = 0", "abs(%s) > 1", "-%s < 2", "%s + 1 > 1"}), r.sql)
	}
}
