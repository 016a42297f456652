package translate

import (
	"slices"

	"github.com/trireme-db/trireme/sqlfront"
)

// order is a predicate lo < hi (strict) or lo <= hi between two columns of one
// base table's source.
type order struct {
	src    *source
	lo, hi string // SQL of the columns
	sql    string // of the predicate
	strict bool
}

// noteOrder records a predicate of one source if it is an order of two columns
// whose values compare as those of all columns equated with them do.
func (p *predicates) noteOrder(n int, e sqlfront.Expr) {
	call, ok := e.(*sqlfront.Call)
	if !ok || len(call.Args) != 2 {
		return
	}
	lo, isColumn := call.Args[0].(*sqlfront.ColumnRef)
	hi, isToo := call.Args[1].(*sqlfront.ColumnRef)
	if !isColumn || !isToo || lo.T != hi.T || !lo.T.IsInteger() {
		return
	}
	o := order{src: p.b.sources[n], sql: columnSQL(e)}
	switch call.Name {
	case ">", ">=":
		lo, hi = hi, lo
	case "<", "<=":
	default:
		return
	}
	o.lo, o.hi, o.strict = columnSQL(lo), columnSQL(hi), call.Name == "<" || call.Name == ">"
	p.orders = append(p.orders, o)
}

// impliedOrders gives a source the order of another occurrence of its table that
// follows from the orders of all: where a.src < a.dst, b.src < b.dst and c joins
// the least with the greatest, c.src < c.dst. The two are one load then, of fewer
// rows. Right because every join is inner: a row of c that has partners has their
// values.
func (p *predicates) impliedOrders() {
	below := p.closure()
	for _, s := range p.b.sources {
		for _, o := range p.orders {
			if s == o.src || s.inner != nil || s.table != o.src.table || p.inners[s.n] != nil || p.ordered(s, o.lo, o.hi) {
				continue
			}
			lo, hi := s.keyOf(o.lo), s.keyOf(o.hi)
			if lo == nil || hi == nil {
				continue
			}
			strict, known := below[[2]*class{find(lo.class), find(hi.class)}]
			if known && (strict || !o.strict) {
				s.where = append(s.where, o.sql)
				p.orders = append(p.orders, order{src: s, lo: o.lo, hi: o.hi, sql: o.sql, strict: o.strict})
			}
		}
	}
}

// ordered reports whether a source has an order of two columns, either way.
func (p *predicates) ordered(s *source, lo, hi string) bool {
	return slices.ContainsFunc(p.orders, func(o order) bool {
		return o.src == s && (o.lo == lo && o.hi == hi || o.lo == hi && o.hi == lo)
	})
}

// closure is the transitive closure of the orders over index classes; a value
// says whether some order on the way is strict.
func (p *predicates) closure() map[[2]*class]bool {
	below := map[[2]*class]bool{}
	var classes []*class
	for _, o := range p.orders {
		lo, hi := o.src.keyOf(o.lo), o.src.keyOf(o.hi)
		if lo == nil || hi == nil {
			continue // a column that nothing else reads
		}
		l, h := find(lo.class), find(hi.class)
		below[[2]*class{l, h}] = below[[2]*class{l, h}] || o.strict
		for _, c := range []*class{l, h} {
			if !slices.Contains(classes, c) {
				classes = append(classes, c)
			}
		}
	}
	for _, via := range classes {
		for _, l := range classes {
			first, ok := below[[2]*class{l, via}]
			if !ok {
				continue
			}
			for _, h := range classes {
				if second, ok := below[[2]*class{via, h}]; ok {
					below[[2]*class{l, h}] = below[[2]*class{l, h}] || first || second
				}
			}
		}
	}
	return below
}

// keyOf returns the source's key of a column, nil if it has none.
func (s *source) keyOf(sql string) *key {
	for _, k := range s.keys {
		if k.sql == sql {
			return k
		}
	}
	return nil
}
