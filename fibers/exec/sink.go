package exec

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/kernel"
	"github.com/trireme-db/trireme/internal/invariant"
)

// sink takes the cells of the innermost loop. Its group is the part of the nest
// inside the first `group` loops, which bind the first `modes` modes of the output: at
// the group's end entries are finished.
type sink struct {
	kind  format.Workspace
	accs  []accumulator
	out   *output
	loops []int // the loop that binds each output mode
	modes int
	group int
	touch func(*env) int32 // the slot of the current output coordinates, now an entry
	begin func(*env)       // the group begins (nil: nothing to do)
	held  func() bool      // whether the innermost loop holds cells that flush adds (may be nil)
	flush func(*env)       // before the end: what the innermost loop still holds (may be nil)
	end   func(*env)       // the group ends: append what it collected
	dense *denseSpace      // DenseWorkspace
}

func (b *binder) newSink(e *env, accs []accumulator) *sink {
	out := &b.step.Output
	s := &sink{kind: out.Workspace, accs: accs}
	s.out = &output{env: e, accs: accs, row: make([]fibers.Coord, len(out.Order))}
	for l := range b.query.Leaves {
		s.out.names = append(s.out.names, b.query.Leaves[l].Name)
	}
	for _, ix := range out.Order {
		s.loops = append(s.loops, b.loopOf[ix.Name])
		s.out.dims = append(s.out.dims, b.dim(ix.Name))
	}
	if s.modes, s.group = b.grouped(s.loops); s.modes == len(s.loops) {
		s.kind = format.None
	}
	if modes := s.out.dims[s.modes:]; s.kind == format.DenseWorkspace && len(modes) > 1 && slotsOf(modes) > denseSlotsMax {
		s.kind = format.HashWorkspace
	}
	switch s.kind {
	case format.None:
		s.bindAppend(e)
	case format.DenseWorkspace:
		s.bindDense(e)
	case format.HashWorkspace:
		s.bindTable((*hashSpace).slot)
	case format.SortWorkspace:
		s.bindTable((*hashSpace).next)
	default:
		panic(invariant.Failed("exec: workspace %d", s.kind))
	}
	invariant.Check(s.modes >= out.Prefix, "exec: %d of %d modes of the prefix", s.modes, out.Prefix)
	return s
}

// grouped returns how many modes of the output the outermost loops bind in their order,
// each of loops that binds one, and by how many loops. Between them may be loops that
// have one coordinate: entries come in the order of the output all the same. A step to
// which another is fused has its loops in the order of that one's entries alone.
func (b *binder) grouped(loops []int) (modes, group int) {
	for d := 0; modes < len(loops) && d < len(b.step.Loops); d++ {
		switch {
		case loops[modes] == d:
			modes, group = modes+1, d+1
		case b.fused || slices.Contains(loops, d) || !b.oneCoordinate(d):
			return modes, group
		}
	}
	return modes, group
}

// oneCoordinate reports whether loop d has at most one coordinate each time, since a
// level of an operand that every cell has is a list without a second one.
func (b *binder) oneCoordinate(d int) bool {
	for n, o := range b.operands {
		for l, ix := range o.idx {
			if b.loopOf[ix.Name] == d && b.required.has(n) && b.single(newTerm(n, o.tensor.Levels[l], o.tensor.Dims[l], o.slots[l], o.slots[l+1])) {
				return true
			}
		}
	}
	return false
}

// prefix writes the coordinates of the modes that the group's loops bind.
func (s *sink) prefix(e *env) {
	for m, d := range s.loops[:s.modes] {
		s.out.row[m] = e.ix[d]
	}
}

// around runs body as the group.
func (s *sink) around(body func(*env)) func(*env) {
	return func(e *env) {
		if s.begin != nil {
			s.begin(e)
		}
		body(e)
		if s.flush != nil {
			s.flush(e)
		}
		if e.err == nil {
			s.end(e)
		}
	}
}

// take adds the current cell.
func (s *sink) take(e *env) {
	slot := s.touch(e)
	e.cells++
	for _, a := range s.accs {
		a.cell(e, slot)
	}
}

// known returns the test whether the slot of all that is inside loop d is an entry
// already; nil: it has several, or that is not told without a search.
func (s *sink) known(d int) func(*env) bool {
	if s.group > d {
		return nil
	}
	for _, bound := range s.loops {
		if bound > d {
			return nil
		}
	}
	switch s.kind {
	case format.None:
		return func(e *env) bool { return e.cell || s.held != nil && s.held() }
	case format.DenseWorkspace:
		return func(e *env) bool { return s.dense.flags[s.dense.at(e)] != 0 }
	default:
		return nil
	}
}

// bindAppend: one entry per group, in slot 0.
func (s *sink) bindAppend(e *env) {
	for _, a := range s.accs {
		e.hold(a.grow(1))
	}
	s.begin = func(e *env) {
		e.cell = false
		for _, a := range s.accs {
			a.clear(0)
		}
	}
	s.touch = func(e *env) int32 {
		e.cell = true
		return 0
	}
	s.end = func(e *env) {
		if e.cell {
			s.prefix(e)
			s.out.append(0)
		}
	}
}

// denseSpace is one slot per coordinate of the last output mode, or of the last
// ones, row by row.
type denseSpace struct {
	flags   []uint8 // 1: touched
	touched []fibers.Coord
	n       int
	at      func(*env) fibers.Coord // the slot of the current coordinates
}

func (s *sink) bindDense(e *env) {
	free := s.loops[s.modes:]
	invariant.Check(len(free) > 0, "exec: a dense workspace over no output mode")
	s.out.slotted = s.out.dims[s.modes:]
	slots := slotsOf(s.out.slotted)
	held := 5 * int64(slots)
	for _, a := range s.accs {
		held += fibers.ElemBytes(a.elem()) * int64(slots)
	}
	if !e.hold(held) {
		return
	}
	// One place more than coordinates: the touched list is written branch-free.
	w := &denseSpace{flags: make([]uint8, slots), touched: make([]fibers.Coord, slots+1)}
	s.dense = w
	for _, a := range s.accs {
		a.grow(slots)
	}
	w.at = slotOf(free, s.out.slotted)
	s.touch = func(e *env) int32 {
		c := w.at(e)
		w.touched[w.n] = c
		w.n += int(1 - w.flags[c])
		w.flags[c] = 1
		return c
	}
	if len(free) == 1 {
		loop := free[0]
		s.touch = func(e *env) int32 {
			c := e.ix[loop]
			w.touched[w.n] = c
			w.n += int(1 - w.flags[c])
			w.flags[c] = 1
			return c
		}
	}
	s.end = func(e *env) {
		s.prefix(e)
		if !s.out.unplaced {
			w.sort()
		}
		for from := 0; from < w.n; from += gasUnits {
			piece := w.touched[from:min(from+gasUnits, w.n)]
			s.out.appendFiber(piece)
			w.forget(piece, !s.out.unplaced)
			if !e.burn(4 * len(piece)) {
				return
			}
		}
		w.n = 0
	}
}

// denseSlotsMax bounds the slots of a dense workspace of several modes: domains may
// have grown since the plan was made. Larger ones are hashed.
const denseSlotsMax = 1 << 26

// slotsOf is the product of dimensions; beyond denseSlotsMax, some more than that.
func slotsOf(dims []int) int {
	slots := 1
	for i, dim := range dims {
		if slots *= dim; i > 0 && slots > denseSlotsMax {
			return slots
		}
	}
	return slots
}

// slotOf numbers the coordinates of some loops row by row.
func slotOf(loops, dims []int) func(*env) fibers.Coord {
	if len(loops) == 1 {
		loop := loops[0]
		return func(e *env) fibers.Coord { return e.ix[loop] }
	}
	return func(e *env) fibers.Coord {
		at := fibers.Coord(0)
		for m, d := range loops {
			at = at*fibers.Coord(dims[m]) + e.ix[d]
		}
		return at
	}
}

// scanShare is the share of touched coordinates, one in so many, from which
// scanning the flags beats sorting the list.
const scanShare = 256

// sort puts the touched coordinates in order.
func (w *denseSpace) sort() {
	switch {
	case w.n == len(w.flags):
		for c := range w.n {
			w.touched[c] = fibers.Coord(c)
		}
		return
	case w.n*scanShare < len(w.flags):
		slices.Sort(w.touched[:w.n])
		return
	}
	flagged(w.flags, w.touched)
}

// forget clears the flags of touched coordinates, which may be in order.
func (w *denseSpace) forget(touched []fibers.Coord, sorted bool) {
	if first, ok := kernel.Run(touched); ok && sorted {
		clear(w.flags[first:][:len(touched)])
		return
	}
	for _, c := range touched {
		w.flags[c] = 0
	}
}

// flagged writes the coordinates whose flag is 1, and no other value but 0 occurs,
// to dst and returns how many they are. It skips eight flags at once.
func flagged(flags []uint8, dst []fibers.Coord) int {
	n, c := 0, 0
	for ; c+8 <= len(flags); c += 8 {
		word := binary.LittleEndian.Uint64(flags[c:])
		for ; word != 0; word &= word - 1 {
			dst[n] = fibers.Coord(c + bits.TrailingZeros64(word)/8)
			n++
		}
	}
	for ; c < len(flags); c++ {
		if flags[c] != 0 {
			dst[n] = fibers.Coord(c)
			n++
		}
	}
	return n
}

// bindTable: slots with keys, which find looks for.
func (s *sink) bindTable(find func(*hashSpace, *env, []int) int32) {
	free := s.loops[s.modes:]
	t := newHashSpace(s.out.dims[s.modes:])
	s.touch = func(e *env) int32 {
		slot := find(t, e, free)
		if slot == t.fresh {
			t.fresh++
			if int(t.fresh) > t.room {
				t.room = max(64, 2*t.room)
				held := 8 * int64(t.words) * int64(t.room)
				for _, a := range s.accs {
					held += a.grow(t.room)
				}
				e.hold(held)
			}
		}
		return slot
	}
	s.end = func(e *env) {
		s.prefix(e)
		t.flush(e, s)
	}
}

// hashSpace maps packed coordinates of the output modes outside the prefix to
// slots by open addressing; at most half of its places are taken.
type hashSpace struct {
	dims   []int
	word   []int  // per mode, which word of a key
	shift  []uint // and where in it
	words  int
	keys   []uint64 // words per slot
	places []int32  // slot+1, 0: free
	where  []int32  // place of each slot
	key    []uint64
	cols   [][]fibers.Coord // unpacked keys while flushing
	fresh  int32            // slots in use
	room   int              // slots that the accumulators hold
	log    uint
}

func newHashSpace(dims []int) *hashSpace {
	t := &hashSpace{dims: dims, log: 6, words: 1}
	used := uint(0)
	for _, dim := range dims {
		width := uint(bits.Len(uint(max(dim-1, 1))))
		if used+width > 64 {
			used = 0
			t.words++
		}
		t.word, t.shift = append(t.word, t.words-1), append(t.shift, used)
		used += width
	}
	t.places = make([]int32, 1<<t.log)
	t.key = make([]uint64, t.words)
	t.cols = make([][]fibers.Coord, len(dims))
	return t
}

// slot returns the slot of the current coordinates; it equals t.fresh when they
// are new, and the caller then takes it.
func (t *hashSpace) slot(e *env, loops []int) int32 {
	t.pack(e, loops)
	mask := uint64(len(t.places) - 1)
	p := hashWords(t.key) >> (64 - t.log)
	for t.places[p] != 0 {
		slot := t.places[p] - 1
		if slices.Equal(t.keys[int(slot)*t.words:int(slot+1)*t.words], t.key) {
			return slot
		}
		p = (p + 1) & mask
	}
	if 2*(int(t.fresh)+1) > len(t.places) {
		t.rehash(e)
		return t.slot(e, loops)
	}
	t.places[p] = t.fresh + 1
	t.where = append(t.where, int32(p))
	t.keys = append(t.keys, t.key...)
	return t.fresh
}

// pack makes the key of the current coordinates.
func (t *hashSpace) pack(e *env, loops []int) {
	clear(t.key)
	for m, d := range loops {
		t.key[t.word[m]] |= uint64(uint32(e.ix[d])) << t.shift[m]
	}
}

// next is slot where the cells of an entry follow one another (SortWorkspace): the
// coordinates are those of the last slot, or new. No place is looked at.
func (t *hashSpace) next(e *env, loops []int) int32 {
	t.pack(e, loops)
	if n := len(t.keys); n > 0 && slices.Equal(t.keys[n-t.words:], t.key) {
		return t.fresh - 1
	}
	t.keys = append(t.keys, t.key...)
	return t.fresh
}

func hashWords(key []uint64) uint64 {
	h := uint64(0)
	for _, w := range key {
		h = (h ^ w ^ w>>32) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h * 0xbf58476d1ce4e5b9
}

func (t *hashSpace) rehash(e *env) {
	t.log++
	t.places = make([]int32, 1<<t.log)
	e.hold(4 * int64(len(t.places)))
	mask := uint64(len(t.places) - 1)
	for slot := range t.where {
		p := hashWords(t.keys[slot*t.words:(slot+1)*t.words]) >> (64 - t.log)
		for t.places[p] != 0 {
			p = (p + 1) & mask
		}
		t.places[p], t.where[slot] = int32(slot)+1, int32(p)
		if !e.burn(1) {
			return // the traversal stops; nobody reads the table again
		}
	}
}

// flush appends the slots in the order of their coordinates and empties the table.
func (t *hashSpace) flush(e *env, s *sink) {
	n := len(t.keys) / t.words
	cols := t.cols
	for m, dim := range t.dims {
		width := uint(bits.Len(uint(max(dim-1, 1))))
		cols[m] = slices.Grow(cols[m][:0], n)[:n]
		for slot := range n {
			cols[m][slot] = fibers.Coord(t.keys[slot*t.words+t.word[m]] >> t.shift[m] & (1<<width - 1))
		}
		if !e.burn(n) {
			return
		}
	}
	perm, err := fibers.SortEntries(e.ctx, t.dims, cols, n)
	if err != nil {
		e.err = err
		return
	}
	for i := range n {
		slot := int32(i)
		if perm != nil {
			slot = perm[i]
		}
		for m := range cols {
			s.out.row[s.modes+m] = cols[m][slot]
		}
		s.out.append(slot)
		for _, a := range s.accs {
			a.clear(slot)
		}
		if len(t.where) > 0 {
			t.places[t.where[slot]] = 0
		}
		if !e.burn(4) {
			return
		}
	}
	t.keys, t.where, t.fresh = t.keys[:0], t.where[:0], 0
}
