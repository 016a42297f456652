package einsum

import (
	"maps"
	"slices"
	"strconv"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

// Key returns a text that is equal only for expressions of equal meaning: equal
// up to the names of bound indices, the order of the arguments of commutative
// maps, of a guard's conditions and of an aggregate's indices, and the direction
// of comparisons. Such expressions nearly always have equal keys: bound indices
// are told apart by refining colours (each round an index learns the colours
// around it), and where rounds do not tell them apart, by singling one out. Only
// patterns of many indices, all alike to the second look, may get two keys. The
// cost is a few passes over e per bound index, squared where all look alike.
//
// Every access is of the same program, and a bound index is bound once (E4).
func Key(e Expr) string { return ExprString(Canonical(e)) }

// Key returns a text that is equal only for queries that define the same
// tensor, mode for mode and leaf for leaf, whatever the names of the query and
// of its indices.
func (q *Query) Key() string {
	to := map[string]Index{}
	for m, x := range q.Idxs {
		to[x.Name] = Index{Name: "\x01" + strconv.Itoa(m), Domain: x.Domain}
	}
	key := strconv.Itoa(len(q.Idxs))
	for _, l := range q.Leaves {
		key += " | " + nameString(l.Name) + ": " + Key(Rename(l.Expr, to))
	}
	return key
}

// Canonical returns the expression that Key prints: arguments in a fixed order,
// bound indices named by their first appearance with a byte that no name of the
// notation starts with unless quoted.
func Canonical(e Expr) Expr {
	c := &colouring{colour: map[string]uint64{}}
	bound := Bound(e)
	for _, x := range bound {
		c.colour[x.Name] = mix(1, uint64(x.Domain))
	}
	c.refine(e, bound)
	for round := uint64(2); c.split(e, bound, round); round++ {
	}
	sorted := c.sort(e)
	names := map[string]string{}
	for _, x := range inOrder(sorted) {
		if _, ok := c.colour[x.Name]; ok && names[x.Name] == "" {
			names[x.Name] = "\x00" + strconv.Itoa(len(names))
		}
	}
	for _, x := range bound { // those that occur nowhere
		if names[x.Name] == "" {
			names[x.Name] = "\x00" + strconv.Itoa(len(names))
		}
	}
	return orderAggs(MapIndices(sorted, func(x Index) Index {
		if name, ok := names[x.Name]; ok {
			x.Name = name
		}
		return x
	}))
}

// colouring gives every bound index a colour that does not depend on names.
type colouring struct{ colour map[string]uint64 }

// refine recolours until no round tells more indices apart.
func (c *colouring) refine(e Expr, bound []Index) {
	for classes := -1; ; {
		seen := map[uint64]bool{}
		for _, x := range bound {
			seen[c.colour[x.Name]] = true
		}
		if len(seen) <= classes {
			return
		}
		classes = len(seen)
		if classes == len(bound) {
			return
		}
		around := map[string]uint64{}
		c.look(e, 3, around)
		for _, x := range bound {
			c.colour[x.Name] = mix(c.colour[x.Name], around[x.Name])
		}
	}
}

// split singles out one of the indices that share the least shared colour: the
// one after which the expression looks least, so that indices that only look
// alike from nearby are told apart. It returns false when no colour is shared.
func (c *colouring) split(e Expr, bound []Index, round uint64) bool {
	tied := c.tied(bound)
	if len(tied) == 0 {
		return false
	}
	before := c.colour
	var best map[string]uint64
	var least uint64
	for _, x := range tied {
		c.colour = maps.Clone(before)
		c.colour[x.Name] = mix(c.colour[x.Name], round)
		c.refine(e, bound)
		if h := c.hash(e); best == nil || h < least {
			best, least = c.colour, h
		}
	}
	c.colour = best
	return true
}

// tied returns the indices of the least colour that several share.
func (c *colouring) tied(bound []Index) []Index {
	classes := map[uint64][]Index{}
	for _, x := range bound {
		classes[c.colour[x.Name]] = append(classes[c.colour[x.Name]], x)
	}
	var found []Index
	for colour, class := range classes {
		if len(class) > 1 && (found == nil || colour < c.colour[found[0].Name]) {
			found = class
		}
	}
	return found
}

// look adds to every index what stands around each of its occurrences; path
// describes the way from the root to e.
func (c *colouring) look(e Expr, path uint64, around map[string]uint64) {
	h := mix(path, c.hash(e))
	switch e := e.(type) {
	case *Access:
		for m, a := range e.Args {
			if a.Const == nil {
				around[a.Index.Name] += mix(h, uint64(m))
			}
		}
	case *Compare:
		e = directed(e)
		around[e.L.Name] += mix(h, 1)
		around[e.R.Name] += mix(h, 1+order(e.Op.Info().Comm))
	case *Agg:
		for _, x := range e.Idxs {
			around[x.Name] += mix(h, 3)
		}
		c.look(e.Arg, h, around)
	case *Map:
		for i, a := range e.Args {
			c.look(a, mix(h, position(e.Op, i)), around)
		}
	case *Literal:
	default:
		panic(invariant.Failed("einsum: unknown Expr %T", e))
	}
}

// order is 0 where the order of two operands does not matter.
func order(comm bool) uint64 {
	if comm {
		return 0
	}
	return 1
}

// position is equal for arguments of op that may change places.
func position(op semiring.Op, i int) uint64 {
	switch {
	case op.Info().Comm:
		return 0
	case op == semiring.Guard:
		return uint64(min(i, 1))
	default:
		return uint64(i)
	}
}

// hash is equal for expressions equal up to order and names of bound indices
// of one colour.
func (c *colouring) hash(e Expr) uint64 {
	switch e := e.(type) {
	case *Access:
		h := mixString(mixString(4, e.Tensor), e.Leaf)
		for _, a := range e.Args {
			if a.Const != nil {
				h = mixString(mix(h, 5), a.Const.String())
			} else {
				h = mix(h, c.of(a.Index))
			}
		}
		return h
	case *Literal:
		return mixString(6, literalString(e))
	case *Compare:
		e = directed(e)
		l, r := c.of(e.L), c.of(e.R)
		if e.Op.Info().Comm && r < l {
			l, r = r, l
		}
		return mix(mix(mix(7, uint64(e.Op)), l), r)
	case *Agg:
		h := mix(mix(8, uint64(e.Op)), c.hash(e.Arg))
		var idxs uint64
		for _, x := range e.Idxs {
			idxs += mix(9, c.of(x))
		}
		return mix(h, idxs)
	case *Map:
		h := mix(10, uint64(e.Op))
		order, hashes := c.argOrder(e)
		for _, i := range order {
			h = mix(h, hashes[i])
		}
		return h
	default:
		panic(invariant.Failed("einsum: unknown Expr %T", e))
	}
}

func (c *colouring) of(x Index) uint64 {
	if colour, ok := c.colour[x.Name]; ok {
		return colour
	}
	return mixString(11, x.Name)
}

// argOrder returns the arguments' order, by position, then by hash, and the
// hashes of the arguments where they stand: to hash them again at every level of
// a deep expression would double the work with each.
func (c *colouring) argOrder(m *Map) (out []int, hashes []uint64) {
	out = make([]int, len(m.Args))
	hashes = make([]uint64, len(m.Args))
	for i, a := range m.Args {
		out[i] = i
		hashes[i] = c.hash(a)
	}
	slices.SortStableFunc(out, func(i, j int) int {
		if pi, pj := position(m.Op, i), position(m.Op, j); pi != pj {
			return compareUint(pi, pj)
		}
		return compareUint(hashes[i], hashes[j])
	})
	return out, hashes
}

func compareUint(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	default:
		return 0
	}
}

// sort puts arguments and comparisons in order.
func (c *colouring) sort(e Expr) Expr {
	return Rewrite(e, func(e Expr) Expr {
		switch e := e.(type) {
		case *Map:
			args := make([]Expr, len(e.Args))
			order, _ := c.argOrder(e)
			for to, from := range order {
				args[to] = e.Args[from]
			}
			return &Map{Op: e.Op, Args: args}
		case *Compare:
			d := directed(e)
			if d.Op.Info().Comm && c.of(d.R) < c.of(d.L) {
				d = &Compare{Op: d.Op, L: d.R, R: d.L}
			}
			return d
		}
		return e
	})
}

// directed writes > and >= as < and <=.
func directed(c *Compare) *Compare {
	switch c.Op {
	case semiring.Gt:
		return &Compare{Op: semiring.Lt, L: c.R, R: c.L}
	case semiring.Ge:
		return &Compare{Op: semiring.Le, L: c.R, R: c.L}
	default:
		return c
	}
}

// inOrder returns the indices of accesses and comparisons, left to right, with
// repetitions.
func inOrder(e Expr) []Index {
	var out []Index
	Walk(e, func(e Expr) bool {
		switch e := e.(type) {
		case *Access:
			for _, a := range e.Args {
				if a.Const == nil {
					out = append(out, a.Index)
				}
			}
		case *Compare:
			out = append(out, e.L, e.R)
		}
		return true
	})
	return out
}

// orderAggs sorts the indices of aggregates, which canonical names order.
func orderAggs(e Expr) Expr {
	return Rewrite(e, func(e Expr) Expr {
		a, ok := e.(*Agg)
		if !ok {
			return e
		}
		idxs := slices.Clone(a.Idxs)
		slices.SortFunc(idxs, func(x, y Index) int {
			if len(x.Name) != len(y.Name) {
				return len(x.Name) - len(y.Name)
			}
			return slices.Compare([]byte(x.Name), []byte(y.Name))
		})
		return &Agg{Op: a.Op, Idxs: idxs, Arg: a.Arg}
	})
}

// mix hashes a pair (multiply and xor-shift); the result is the same in every
// run, so that plans are.
func mix(h, v uint64) uint64 {
	h = (h ^ (v + 0x9e3779b97f4a7c15 + h<<6 + h>>2)) * 0xff51afd7ed558ccd
	h ^= h >> 32
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>29
}

func mixString(h uint64, s string) uint64 {
	h = mix(h, uint64(len(s)))
	for i := range len(s) {
		h = mix(h, uint64(s[i]))
	}
	return h
}
