package exec

import (
	"math"
	"sync"

	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/kernel"
)

// merger puts the entries of morsels together in the order of the morsels. Morsels
// that end and begin in the same group of the sink hold parts of its entries,
// which are combined in a workspace; whatever the workers do, in that order.
type merger struct {
	crew  *crew
	modes int // leading ones in which the entries of a group agree

	mu      sync.Mutex
	waiting map[int]*output // finished morsels before which one is missing
	busy    bool            // some worker is merging

	// Of the worker that is merging.
	next int
	out  *output        // what is finished
	nest *nest          // made for the first group of several morsels
	open bool           // a group is in nest's workspace
	at   []fibers.Coord // the open group's coordinates, by mode
}

// merging is the binder of the nest that morsels are merged in: parts of one entry
// come with other entries between them.
func (b *binder) merging() *binder {
	if b.step.Output.Workspace != format.SortWorkspace {
		return b
	}
	out, step := *b, *b.step
	step.Output.Workspace = format.HashWorkspace
	out.step = &step
	return &out
}

func newMerger(c *crew) *merger {
	first := c.workers[0].entries
	out := first.sink.out.detach()
	out.env = &env{ctx: c.ctx, meter: first.env.meter, pool: first.env.pool, over: make([]bool, len(first.env.over))}
	return &merger{crew: c, modes: first.sink.modes, waiting: map[int]*output{}, out: out}
}

// add takes the entries of morsel k and merges those that are in turn, unless
// another worker is at it. It reports whether to go on.
func (m *merger) add(k int, o *output) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiting[k] = o
	if m.busy {
		return true
	}
	m.busy = true
	for m.waiting[m.next] != nil {
		o := m.waiting[m.next]
		delete(m.waiting, m.next)
		m.next++
		m.unlocked(func() { m.absorb(o) })
	}
	m.busy = false
	return m.out.env.err == nil
}

// unlocked runs f without the lock, which is held again also after a panic.
func (m *merger) unlocked(f func()) {
	m.mu.Unlock()
	defer m.mu.Lock()
	f()
}

// finish returns all entries.
func (m *merger) finish() (*output, error) {
	m.close()
	if m.nest != nil {
		m.nest.env.dismiss()
	}
	return m.out, m.out.env.err
}

// absorb adds the entries of the next morsel.
func (m *merger) absorb(o *output) {
	if o.n == 0 || m.out.env.err != nil {
		return
	}
	if o.placed != nil { // each entry is of one morsel, and where it belongs
		m.out.placed = o.placed
		m.out.n += o.n
		return
	}
	if !m.open && m.out.n > 0 && o.leads(m.modes, m.out.last(), m.out.chunks[len(m.out.chunks)-1].n-1) {
		m.reopen(o)
	}
	if m.open {
		head := o.run(m.modes, m.at)
		for head > 0 {
			n := min(head, o.chunks[0].n)
			m.replay(o.chunks[0], 0, n)
			o.dropFirst(n)
			head -= n
		}
		if o.n == 0 {
			return
		}
		m.close()
	}
	if m.out.n > math.MaxInt32-chunkMax-o.n {
		m.out.env.err = fibers.ErrTooMany
		return
	}
	m.out.chunks = append(m.out.chunks, o.chunks...)
	m.out.n += o.n
}

// reopen begins the group of the first entry of o, which entries at the end of
// the output belong to already, and moves those to the workspace.
func (m *merger) reopen(o *output) {
	if m.nest == nil {
		m.nest = m.crew.merge()
		s := m.nest.sink
		s.out.chunks, s.out.n = m.out.chunks, m.out.n
		copy(m.nest.env.over, m.out.env.over)
		m.out = s.out
	}
	if m.nest.env.err != nil { // no memory for its workspace
		return
	}
	e := m.nest.env
	m.at = m.at[:0]
	for mode, loop := range m.nest.sink.loops[:m.modes] {
		e.ix[loop] = o.chunks[0].coords[mode][0]
		m.at = append(m.at, e.ix[loop])
	}
	m.open = true
	if begin := m.nest.sink.begin; begin != nil {
		begin(e)
	}
	moved := m.out.takeRun(m.modes, m.at)
	for _, c := range moved {
		m.replay(c, 0, c.n)
	}
	m.out.release(moved)
}

// close ends the group that is open.
func (m *merger) close() {
	if !m.open {
		return
	}
	m.open = false
	if m.nest.env.err == nil {
		m.nest.sink.end(m.nest.env)
	}
}

// replay adds entries [from,to) of a chunk to the workspace.
func (m *merger) replay(c *outChunk, from, to int) {
	s, e := m.nest.sink, m.nest.env
	var buf [kernel.BatchMax]int32
	for at := from; at < to && e.burn(4*len(buf)); at += len(buf) {
		n := min(len(buf), to-at)
		slots := buf[:n]
		for i := range slots {
			for mode, loop := range s.loops {
				e.ix[loop] = c.coords[mode][at+i]
			}
			slots[i] = s.touch(e)
		}
		for l, a := range s.accs {
			a.merge(e, slots, &c.leaves[l], at)
		}
	}
}

// last is the last chunk.
func (o *output) last() *outChunk { return o.chunks[len(o.chunks)-1] }

// leads reports whether the first entry agrees with entry i of c in the first modes.
func (o *output) leads(modes int, c *outChunk, i int) bool {
	for m := range modes {
		if o.chunks[0].coords[m][0] != c.coords[m][i] {
			return false
		}
	}
	return true
}

// agrees reports whether entry i has the coordinates ix in the first modes.
func (c *outChunk) agrees(i, modes int, ix []fibers.Coord) bool {
	for m := range modes {
		if c.coords[m][i] != ix[m] {
			return false
		}
	}
	return true
}

// run counts the leading entries that have coordinates ix in the first modes.
func (o *output) run(modes int, ix []fibers.Coord) int {
	if modes == 0 {
		return o.n
	}
	n := 0
	for _, c := range o.chunks {
		for i := range c.n {
			if !c.agrees(i, modes, ix) {
				return n
			}
			n++
		}
	}
	return n
}

// takeRun removes the entries at the end that have coordinates ix in the first
// modes and returns them. Entries of a chunk that stays are copied.
func (o *output) takeRun(modes int, ix []fibers.Coord) []*outChunk {
	at := len(o.chunks)
	for at > 0 && o.chunks[at-1].agrees(0, modes, ix) {
		at--
		o.n -= o.chunks[at].n
	}
	taken := append([]*outChunk(nil), o.chunks[at:]...)
	o.chunks = o.chunks[:at]
	if at == 0 {
		return taken
	}
	c := o.chunks[at-1]
	from := c.n
	for from > 0 && c.agrees(from-1, modes, ix) {
		from--
	}
	if from == c.n {
		return taken
	}
	part := &outChunk{n: c.n - from}
	for m := range c.coords {
		part.coords = append(part.coords, append([]fibers.Coord(nil), c.coords[m][from:]...))
		c.coords[m] = c.coords[m][:from]
	}
	for l := range c.leaves {
		leaf := c.leaves[l]
		part.leaves = append(part.leaves, fibers.Leaf{
			Name: leaf.Name, Elem: leaf.Elem,
			I64: append([]int64(nil), tail(leaf.I64, from)...), I128: append(leaf.I128[:0:0], tail(leaf.I128, from)...), F64: append([]float64(nil), tail(leaf.F64, from)...),
		})
		c.leaves[l].I64, c.leaves[l].I128, c.leaves[l].F64 = head(leaf.I64, from), head(leaf.I128, from), head(leaf.F64, from)
	}
	o.n -= part.n
	c.n = from
	return append([]*outChunk{part}, taken...)
}

// dropFirst removes the first n entries, all of the first chunk.
func (o *output) dropFirst(n int) {
	c := o.chunks[0]
	o.n -= n
	if n == c.n {
		o.release(o.chunks[:1])
		o.chunks = o.chunks[1:]
		return
	}
	for m := range c.coords {
		c.coords[m] = c.coords[m][n:]
	}
	for l := range c.leaves {
		leaf := &c.leaves[l]
		leaf.I64, leaf.I128, leaf.F64 = tail(leaf.I64, n), tail(leaf.I128, n), tail(leaf.F64, n)
	}
	c.n, c.cap = c.n-n, c.cap-n
	o.env.meter.hold(-int64(n) * o.entryBytes())
}

// release gives back the bytes of chunks that are not used any more. The worker
// that made them may be at its next morsel.
func (o *output) release(chunks []*outChunk) {
	for _, c := range chunks {
		o.env.meter.hold(-int64(c.cap) * o.entryBytes())
	}
}

// head and tail are a column's values before and from entry n on; a column that
// the leaf does not use has none.
func head[T any](col []T, n int) []T { return col[:min(n, len(col))] }
func tail[T any](col []T, n int) []T { return col[min(n, len(col)):] }
