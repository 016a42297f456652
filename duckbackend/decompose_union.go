package duckbackend

import (
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/optimizer/logical"
)

// A step whose cells are those of several joins, as those of a sum of tensors of
// which either may be absent, reads a relation of its cells: the coordinates of
// each of the joins, every one once. All operands are joined to its left, and what
// a leaf is where some are absent is as it is for operands that always may be.

// alternatives returns the joins whose cells together are the step's, as sets of
// operands and masks. Too many of them are not supported.
func alternatives(q *einsum.Query, body *logical.Body) ([]uint64, error) {
	var all []uint64
	for _, l := range q.Leaves {
		expr := l.Expr
		if a, ok := expr.(*einsum.Agg); ok {
			expr = a.Arg
		}
		sets, ok := body.ExactPresence(expr)
		if !ok {
			return nil, sqlerr.New(sqlerr.FeatureNotSupported, "too many joins make one step")
		}
		for _, set := range sets {
			known := false
			for _, have := range all {
				known = known || have&^set == 0 // its cells are among those
			}
			if !known {
				all = append(all, set)
			}
		}
	}
	return all, nil
}

// bindCells makes the columns of the relation of cells those of the indices.
func (s *stepSQL) bindCells(sets []uint64) {
	for _, set := range sets {
		join := &stepSQL{d: s.d, q: s.q, body: s.body, required: set, at: map[einsum.Index][]column{}}
		s.joins = append(s.joins, join)
	}
	for i, x := range s.body.Indices {
		c := column{operand: -1, sql: cellsAlias + ".i" + strconv.Itoa(i)}
		for o, op := range s.operands {
			for m, y := range op.idxs {
				if y != x {
					continue
				}
				typ, nullable := op.types[m], op.nullable[m]
				c.typ, c.nullable = typ, c.nullable || nullable
				for _, join := range s.joins {
					if join.given(o) {
						join.at[x] = append(join.at[x], column{operand: o, sql: alias(o) + "." + op.keys[m], typ: typ, nullable: nullable})
					}
				}
			}
		}
		s.at[x] = []column{c}
	}
	for _, join := range s.joins {
		join.operands = s.operands
	}
}

// cellsAlias names the relation of cells; operands have numbers from 1.
const cellsAlias = "a0"

// cells renders the relation of cells.
func (s *stepSQL) cells() lines {
	var text lines
	for i, join := range s.joins {
		var items []string
		for n, x := range s.body.Indices {
			items = append(items, join.representative(x).sql+" AS i"+strconv.Itoa(n))
		}
		if len(items) == 0 {
			items = []string{"TRUE AS present"}
		}
		from := join.from()
		if join.required&(1<<len(s.body.Operands)-1) == 0 {
			from = lines{"FROM (SELECT 1)"}
		}
		if i > 0 {
			text = append(text, "UNION")
		}
		text = slices.Concat(text, lines{"SELECT DISTINCT " + strings.Join(items, ", ")}, from, join.where())
	}
	return append(append(lines{"FROM ("}, text.indented()...), ") AS "+cellsAlias)
}

// compared is a comparison as a condition on the step's rows.
func (s *stepSQL) compared(c *einsum.Compare) string {
	return "(" + s.representative(c.L).sql + " " + c.Op.String() + " " + s.representative(c.R).sql + ")"
}

// single reports whether the step's cells are those of one join.
func (s *stepSQL) single() bool { return len(s.joins) == 0 }
