package logical

import (
	"math/bits"
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
)

// pattern is a query's leaves as what permutations of its indices map: the
// factors that are accesses and comparisons. Indices that occur in other factors
// keep their places.
type pattern struct {
	body   *Body
	inputs map[string]*einsum.Input
	pieces []piece
	labels map[string]uint16
	known  map[string]int // parts by their keys, and how many have it
	// Sets of indices: those that may change places, and per index those that it
	// never equals and those that it has a factor with.
	loose        uint64
	unequal, met [maxBits]uint64
	colour       [maxBits]uint64
	work         int // images tried
}

// piece is a factor: what it is but for its indices, and these; either: in any
// order.
type piece struct {
	label  uint16
	args   []uint8
	either bool
}

// reducesAll reports whether an aggregate is over all indices that are not free.
func (p *pattern) reducesAll(a *einsum.Agg) bool {
	var set uint64
	for _, x := range a.Idxs {
		set |= 1 << p.body.index(x)
	}
	return set == p.body.All()&^p.body.Free
}

// collect adds the factors of a leaf. role tells apart what must not change
// places: leaves, and the value of a guard from its conditions.
func (p *pattern) collect(role string, e einsum.Expr) {
	m, ok := e.(*einsum.Map)
	if !ok || m.Op != semiring.Guard {
		p.product(role, e)
		return
	}
	p.product(role+"?", m.Args[0])
	for _, c := range m.Args[1:] {
		p.factor(role+"!", c)
	}
}

// product adds the arguments of a product, or of what is like one: their order
// does not matter, and it is present where all of them are.
func (p *pattern) product(role string, e einsum.Expr) {
	m, ok := e.(*einsum.Map)
	if !ok || m.Op != semiring.Mul && m.Op != semiring.And && m.Op != semiring.Plus {
		p.factor(role, e)
		return
	}
	for _, a := range m.Args {
		if inner, ok := a.(*einsum.Map); ok && inner.Op == m.Op {
			p.product(role, a)
		} else {
			p.factor(role, a)
		}
	}
}

func (p *pattern) factor(role string, e einsum.Expr) {
	switch e := e.(type) {
	case *einsum.Access:
		p.access(role, e)
	case *einsum.Compare:
		p.compare(role, e)
	default:
		for _, x := range einsum.Free(e) {
			p.loose &^= 1 << p.body.index(x)
		}
	}
}

func (p *pattern) access(role string, a *einsum.Access) {
	x := piece{}
	label := role + "\x00" + a.Tensor + "\x00" + a.Leaf
	for _, arg := range a.Args {
		if arg.Const != nil {
			label += "\x00" + arg.Const.String()
			continue
		}
		label += "\x00"
		x.args = append(x.args, uint8(p.body.index(arg.Index)))
	}
	in := p.inputs[a.Tensor]
	x.either = in != nil && in.Symmetric && len(x.args) == 2
	p.add(label, x)
}

func (p *pattern) compare(role string, c *einsum.Compare) {
	l, r, op := uint8(p.body.index(c.L)), uint8(p.body.index(c.R)), c.Op
	switch op {
	case semiring.Gt:
		l, r, op = r, l, semiring.Lt
	case semiring.Ge:
		l, r, op = r, l, semiring.Le
	}
	p.add(role+"\x00"+op.String(), piece{args: []uint8{l, r}, either: op.Info().Comm})
}

// add adds a factor.
func (p *pattern) add(label string, x piece) {
	n, ok := p.labels[label]
	if !ok {
		n = uint16(len(p.labels))
		p.labels[label] = n
	}
	x.label = n
	p.pieces = append(p.pieces, x)
	p.known[p.key(&x, nil)]++
	var set uint64
	for _, a := range x.args {
		set |= 1 << a
	}
	for s := set; s != 0; s &= s - 1 {
		p.met[bits.TrailingZeros64(s)] |= set
	}
}

// key is equal for equal factors, each index replaced by its image; image nil:
// by itself.
func (p *pattern) key(x *piece, image *[maxBits]int8) string {
	key := make([]byte, 0, 16)
	key = append(key, byte(x.label), byte(x.label>>8))
	for _, a := range x.args {
		if image != nil {
			a = uint8(image[a])
		}
		key = append(key, a)
	}
	if x.either && key[2] > key[3] {
		key[2], key[3] = key[3], key[2]
	}
	return string(key)
}

// unlike finds the indices that are never equal: those of an entry of a hollow
// tensor, and those that a comparison sets apart. Neither is NULL then, so that
// one is less than the other.
func (p *pattern) unlike(q *einsum.Query) {
	b := p.body
	_, arg := aggOf(q.Leaves[0].Expr)
	everywhere := b.Atoms()
	for _, set := range b.Presence(arg) {
		everywhere &= set
	}
	for _, i := range members(everywhere) {
		var set uint64
		if i < len(b.Operands) {
			op := &b.Operands[i]
			if in := p.inputs[op.Tensor]; in == nil || !in.Hollow || op.hasConstants() {
				continue
			}
			set = op.Set
		} else {
			m := &b.Masks[i-len(b.Operands)]
			switch m.Compare.Op {
			case semiring.Ne, semiring.Lt, semiring.Gt:
				set = m.Set
			}
		}
		for s := set; s != 0; s &= s - 1 {
			p.unequal[bits.TrailingZeros64(s)] |= set &^ (s & -s)
		}
	}
}

// orders says of each index which others are greater.
type orders [maxBits]uint64

// order breaks the symmetry: of all assignments that satisfy the body and are
// images of each other, so many, one is in the order that it returns.
//
// One index after another becomes the least of its orbit under the permutations
// that are left: those that map the body, the comparisons so far included, to
// itself. When the values of an orbit always differ, its least value stands at
// one of the orbit's places, each place as often as any other.
func (p *pattern) order() (times int64, above *orders) {
	times, above = 1, &orders{}
	for {
		p.paint()
		least, orbit := p.orbit()
		size := int64(bits.OnesCount64(orbit))
		if size < 2 || times > symmetryMax/size {
			break
		}
		times *= size
		above[least] |= orbit &^ (1 << least)
		for s := above[least] & orbit; s != 0; s &= s - 1 {
			p.add("<", piece{args: []uint8{uint8(least), uint8(bits.TrailingZeros64(s))}})
		}
	}
	return times, above
}

// masks returns the comparisons that tell an order, without those that follow
// from others.
func (p *pattern) masks(above *orders) []einsum.Expr {
	var out []einsum.Expr
	for x := range p.body.Indices {
		for _, y := range members(above[x] &^ above.beyond(above[x])) {
			out = append(out, &einsum.Compare{Op: semiring.Lt, L: p.body.Indices[x], R: p.body.Indices[y]})
		}
	}
	return out
}

// differ drops, of a query in that order, comparisons by <> that follow from it.
func (p *pattern) differ(q *einsum.Query, above *orders) *einsum.Query {
	follows := func(e einsum.Expr) bool {
		c, ok := e.(*einsum.Compare)
		if !ok || c.Op != semiring.Ne {
			return false
		}
		x, y := p.body.index(c.L), p.body.index(c.R)
		return (above[x]|above.beyond(above[x]))>>y&1 == 1 || (above[y]|above.beyond(above[y]))>>x&1 == 1
	}
	out := &einsum.Query{Name: q.Name, Idxs: q.Idxs}
	for _, l := range q.Leaves {
		expr := einsum.Rewrite(l.Expr, func(e einsum.Expr) einsum.Expr {
			m, ok := e.(*einsum.Map)
			if !ok || m.Op != semiring.Mul && m.Op != semiring.And && m.Op != semiring.Guard || !slices.ContainsFunc(m.Args, follows) {
				return e
			}
			from := 0
			if m.Op == semiring.Guard {
				from = 1 // its first argument is a value
			}
			args := slices.Concat(m.Args[:from], slices.DeleteFunc(slices.Clone(m.Args[from:]), follows))
			if len(args) < 2 { // and(x) is not x
				return e
			}
			return &einsum.Map{Op: m.Op, Args: args}
		})
		out.Leaves = append(out.Leaves, einsum.Leaf{Name: l.Name, Expr: expr})
	}
	return out
}

// beyond is the set of all that is greater than one of a set.
func (above *orders) beyond(set uint64) uint64 {
	var out uint64
	for s := set; s != 0; s &= s - 1 {
		out |= above[bits.TrailingZeros64(s)]
	}
	if out&^set == 0 {
		return out
	}
	return out | above.beyond(out|set)
}

// orbit returns an index and its largest orbit of indices that always differ,
// under permutations that keep these together; one index alone when there is
// none.
func (p *pattern) orbit() (least int, orbit uint64) {
	for s := p.loose; s != 0; s &= s - 1 {
		x := bits.TrailingZeros64(s)
		if o := p.orbitOf(x); bits.OnesCount64(o) > bits.OnesCount64(orbit) {
			least, orbit = x, o
		}
	}
	return least, orbit
}

func (p *pattern) orbitOf(x int) uint64 {
	together := uint64(1) << x
	for s := p.alike(x) & p.unequal[x]; s != 0; s &= s - 1 {
		if y := bits.TrailingZeros64(s); together&^p.unequal[y] == 0 {
			together |= 1 << y
		}
	}
	if o := p.imagesIn(x, together); bits.OnesCount64(o) > 1 {
		return o
	}
	for s := p.alike(x) & p.unequal[x]; s != 0; s &= s - 1 {
		if o := p.imagesIn(x, s&-s|1<<x); bits.OnesCount64(o) > 1 {
			return o
		}
	}
	return 1 << x
}

// alike returns the indices of the colour of x, without x.
func (p *pattern) alike(x int) uint64 {
	var out uint64
	for s := p.loose &^ (1 << x); s != 0; s &= s - 1 {
		if y := bits.TrailingZeros64(s); p.colour[y] == p.colour[x] {
			out |= 1 << y
		}
	}
	return out
}

// imagesIn returns the indices that a permutation which keeps a set together
// puts in the place of x, one of them; x alone when the search has not come to its
// end, because a part of an orbit is none: a permutation may take it elsewhere.
func (p *pattern) imagesIn(x int, set uint64) uint64 {
	out := uint64(1) << x
	for s := set &^ out; s != 0; s &= s - 1 {
		y := bits.TrailingZeros64(s)
		m := mapping{pattern: p, set: set}
		for i := range m.image {
			if m.image[i] = int8(i); p.loose>>i&1 == 1 {
				m.image[i] = -1
			}
		}
		if m.put(x, y, p.loose) {
			out |= 1 << y
		}
	}
	if p.work > symmetryWork {
		return 1 << x
	}
	return out
}

// mapping is a permutation of the loose indices that is being found.
type mapping struct {
	*pattern
	image [maxBits]int8 // -1: none yet
	used  uint64
	set   uint64 // is mapped to itself
}

// put gives x the image y and finds images of the other indices that are left, x
// among them, so that every factor is mapped to one.
func (m *mapping) put(x, y int, left uint64) bool {
	m.work++
	if m.work > symmetryWork || m.used>>y&1 == 1 || m.colour[x] != m.colour[y] || m.set>>x&1 != m.set>>y&1 {
		return false
	}
	m.image[x] = int8(y)
	m.used |= 1 << y
	left &^= 1 << x
	if m.keeps(x) && m.complete(left) {
		return true
	}
	m.image[x] = -1
	m.used &^= 1 << y
	return false
}

// complete finds the images of the indices that are left.
func (m *mapping) complete(left uint64) bool {
	if left == 0 {
		return true
	}
	// One that has a factor with an index placed already is soon refuted.
	next := bits.TrailingZeros64(left)
	for s := left; s != 0; s &= s - 1 {
		if x := bits.TrailingZeros64(s); m.met[x]&m.loose&^left != 0 {
			next = x
			break
		}
	}
	for s := m.loose &^ m.used; s != 0; s &= s - 1 {
		if m.put(next, bits.TrailingZeros64(s), left) {
			return true
		}
	}
	return false
}

// keeps reports whether every factor of x all of whose indices have images is
// mapped to one that there is as often. Since different factors have different
// images, every factor is an image then.
func (m *mapping) keeps(x int) bool {
	for i := range m.pieces {
		f := &m.pieces[i]
		if !slices.Contains(f.args, uint8(x)) || slices.ContainsFunc(f.args, func(a uint8) bool { return m.image[a] < 0 }) {
			continue
		}
		if m.known[m.key(f, &m.image)] != m.known[m.key(f, nil)] {
			return false
		}
	}
	return true
}

// paint gives the loose indices colours that no permutation changes, from what
// stands around them.
func (p *pattern) paint() {
	for x := range p.body.Indices {
		p.colour[x] = spread(uint64(p.body.Indices[x].Domain))
		if p.loose>>x&1 == 0 {
			p.colour[x] = spread(^uint64(x))
		}
	}
	for classes := 0; ; {
		seen := map[uint64]bool{}
		for x := range p.body.Indices {
			seen[p.colour[x]] = true
		}
		if len(seen) <= classes {
			return
		}
		classes = len(seen)
		var around [maxBits]uint64
		for i := range p.pieces {
			p.look(&p.pieces[i], &around)
		}
		for s := p.loose; s != 0; s &= s - 1 {
			x := bits.TrailingZeros64(s)
			p.colour[x] = spread(p.colour[x] ^ spread(around[x]))
		}
	}
}

// look adds a factor, as each of its indices sees it, to what is around them.
func (p *pattern) look(f *piece, around *[maxBits]uint64) {
	h := uint64(f.label)
	for at, a := range f.args {
		if f.either {
			at = 0
		}
		h += spread(p.colour[a] + uint64(at))
	}
	for at, a := range f.args {
		if f.either {
			at = 0
		}
		around[a] += spread(spread(h) + uint64(at))
	}
}
