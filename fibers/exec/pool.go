package exec

import (
	"sync"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
)

// Pool keeps the columns of output chunks that a step is done with for the steps
// after it. It is made for one statement and may be used by several goroutines.
// A nil Pool keeps nothing.
type Pool struct {
	account Account // counts what is kept; nil: nobody asks

	mu     sync.Mutex
	bytes  int64
	coords [][]fibers.Coord
	i64    [][]int64
	i128   [][]semiring.Int128
	f64    [][]float64
}

// NewPool returns an empty pool that accounts for what it keeps; what the account
// refuses is not kept.
func NewPool(account Account) *Pool { return &Pool{account: account} }

// Bytes is the memory kept.
func (p *Pool) Bytes() int64 {
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bytes
}

// Drop gives up all that is kept.
func (p *Pool) Drop() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hold(-p.bytes)
	p.coords, p.i64, p.i128, p.f64 = nil, nil, nil, nil
}

// hold counts bytes and reports whether they may be kept. p.mu is held.
func (p *Pool) hold(bytes int64) bool {
	p.bytes += bytes
	if p.account == nil || p.account.Hold(bytes) || bytes <= 0 {
		return true
	}
	p.account.Hold(-bytes)
	p.bytes -= bytes
	return false
}

// lend returns an empty column of chunkMax elements, one that was kept if there
// is any.
func lend[T any](p *Pool, kept func(*Pool) *[][]T) []T {
	if p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		if free := kept(p); len(*free) > 0 {
			last := len(*free) - 1
			col := (*free)[last]
			*free = (*free)[:last]
			p.hold(-columnBytes(col))
			return col[:0]
		}
	}
	return make([]T, 0, chunkMax)
}

// keep takes a column back; those of other sizes are left to the collector.
func keep[T any](p *Pool, kept func(*Pool) *[][]T, col []T) {
	if p == nil || cap(col) != chunkMax {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hold(columnBytes(col)) {
		free := kept(p)
		*free = append(*free, col)
	}
}

func columnBytes[T any](col []T) int64 {
	var one T
	switch any(one).(type) {
	case fibers.Coord:
		return 4 * int64(cap(col))
	case semiring.Int128:
		return 16 * int64(cap(col))
	default:
		return 8 * int64(cap(col))
	}
}

func keptCoords(p *Pool) *[][]fibers.Coord  { return &p.coords }
func keptI64(p *Pool) *[][]int64            { return &p.i64 }
func keptI128(p *Pool) *[][]semiring.Int128 { return &p.i128 }
func keptF64(p *Pool) *[][]float64          { return &p.f64 }

// chunk makes an empty chunk of so many entries.
func (o *output) chunk(size int) *outChunk {
	c := &outChunk{cap: size, coords: make([][]fibers.Coord, len(o.dims)), leaves: make([]fibers.Leaf, len(o.accs))}
	for m := range c.coords {
		if size == chunkMax {
			c.coords[m] = lend(o.env.pool, keptCoords)
		} else {
			c.coords[m] = make([]fibers.Coord, 0, size)
		}
	}
	for l, a := range o.accs {
		if size == chunkMax {
			c.leaves[l] = o.env.pool.leaf(o.names[l], a.elem())
			continue
		}
		leaf := fibers.NewLeaf(o.names[l], a.elem(), size)
		leaf.I64, leaf.I128, leaf.F64 = leaf.I64[:0], leaf.I128[:0], leaf.F64[:0]
		c.leaves[l] = leaf
	}
	return c
}

// leaf returns an empty leaf of chunkMax values.
func (p *Pool) leaf(name string, elem semiring.Elem) fibers.Leaf {
	leaf := fibers.Leaf{Name: name, Elem: elem}
	switch elem {
	case semiring.I64:
		leaf.I64 = lend(p, keptI64)
	case semiring.I128:
		leaf.I128 = lend(p, keptI128)
	case semiring.F64:
		leaf.F64 = lend(p, keptF64)
	}
	return leaf
}

// done gives back a chunk whose entries have been copied.
func (o *output) done(c *outChunk) {
	o.env.store(-int64(c.cap) * o.entryBytes())
	for _, col := range c.coords {
		keep(o.env.pool, keptCoords, col)
	}
	for l := range c.leaves {
		keep(o.env.pool, keptI64, c.leaves[l].I64)
		keep(o.env.pool, keptI128, c.leaves[l].I128)
		keep(o.env.pool, keptF64, c.leaves[l].F64)
	}
}
