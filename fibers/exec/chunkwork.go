package exec

import "github.com/trireme-db/trireme/fibers/kernel"

// chunkWork is a fused step's leaves over chunks, column by column.
type chunkWork struct {
	sums    []chunkSum   // per leaf; nil: not of this form, or there are groups
	columns []columnLeaf // per leaf; nil where sums has it
	lanes   *lanes
	first   int // the batch's first entry
}

// chunkWork binds all leaves; nil where some leaf cannot be evaluated by columns.
// Without groups all entries end in one slot.
func (b *binder) chunkWork(accs []accumulator, one bool) *chunkWork {
	w := &chunkWork{sums: make([]chunkSum, len(accs)), columns: make([]columnLeaf, len(accs)), lanes: newLanes(len(b.operands))}
	for l, acc := range accs {
		if one {
			w.sums[l] = b.chunkSum(l, acc)
		}
		if w.sums[l] != nil {
			continue
		}
		if w.columns[l] = b.columnLeaf(l, acc); w.columns[l] == nil {
			return nil
		}
	}
	return w
}

// takeColumns visits the entries of a chunk column by column. False when a function
// has no value for some entry, and then nothing of what it did counts.
func (f *fusion) takeColumns(c *outChunk) bool {
	e, w := f.nest.env, f.work
	if f.from.unplaced && !f.open {
		f.begin()
	}
	for from := 0; from < c.n; from += kernel.BatchMax {
		w.first = from
		w.lanes.begin(min(kernel.BatchMax, c.n-from))
		w.lanes.at[0].off = int32(from)
		for _, leaf := range w.columns {
			if leaf == nil {
				continue
			}
			if leaf.evaluate(e, w.lanes); leaf.faulty() {
				return false
			}
		}
		if !f.from.unplaced {
			f.visit(c, from, from+w.lanes.n, f.addLane)
			continue
		}
		slot := f.nest.sink.touch(e)
		for _, leaf := range w.columns {
			if leaf != nil {
				leaf.reduce(e, slot)
			}
		}
	}
	for _, s := range w.sums {
		if s != nil {
			s.addUp(e, c, f.nest.sink.touch(e))
		}
	}
	return true
}

// addLane is sink.take for an entry whose values are in columns.
func (f *fusion) addLane(e *env) {
	s, w := f.nest.sink, f.work
	slot, lane := s.touch(e), int(e.pos[f.binder.operands[0].last()])-w.first
	e.cells++
	for _, leaf := range w.columns {
		leaf.add(e, lane, slot)
	}
}
