package exec

import (
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/kernel"
)

// batcher cuts a loop's run into batches of the leader's entries and narrows each
// to those that every filter admits.
type batcher struct {
	*loop
	valued  []bool   // per term, then per optional one, whether its positions are wanted
	passes  []bool   // per term, whether it admits every coordinate of the loop
	sources []source // per term, then per optional one, for the current batch
	lead    *term
	at      int32 // the batch's first entry in the leader's fiber
	sel     kernel.Selection
	ks, es  [kernel.BatchMax]int32
	all     [kernel.BatchMax]int32 // coordinates of a block that leads
	// numbered: somebody reads coordinates also where a block leads.
	numbered bool
	union    *unionLead // not nil: the union of the optional terms may lead
}

// source says where a term's values are for the selected entries: position
// off+ix[s], or off+s with ix nil.
type source struct {
	off int32
	ix  []int32
	buf []int32
}

func newBatcher(l *loop) batcher {
	all := len(l.terms) + len(l.optional)
	f := batcher{loop: l, valued: make([]bool, all), passes: make([]bool, len(l.terms)), sources: make([]source, all)}
	for i, t := range l.terms {
		f.passes[i] = t.full()
	}
	for i := range f.sources {
		f.sources[i].buf = make([]int32, kernel.BatchMax)
	}
	return f
}

// batchable reports whether a loop's terms are of the kinds that batches know.
func batchable(l *loop) bool {
	for _, t := range l.terms {
		if t.kind > format.Hash {
			return false
		}
	}
	return true
}

// full reports whether a term admits every coordinate of the loop: blocks bound
// it, and a bytemap may have every coordinate below its dimension.
func (t *term) full() bool {
	if b, ok := t.level.(*fibers.BytemapLevel); ok {
		return len(b.Idx) == len(b.Present)
	}
	return t.block()
}

// present is the presence bytes of a bytemap term's fiber, by coordinate.
func (t *term) present() []uint8 {
	return t.level.(*fibers.BytemapLevel).Present[t.base:]
}

// selectBatch sets f.sel to the entries of the batch that pass every filter.
func (f *batcher) selectBatch(e *env, n int32) {
	f.sel = kernel.Selection{}
	if f.lead.idx != nil {
		f.sel.Ks = f.lead.fiber()[f.at : f.at+n]
	} else {
		f.sel.Ks = f.all[:n]
		// A block leads where all terms are blocks: positions do without coordinates.
		if f.numbered || len(f.masks) > 0 {
			for i := range n {
				f.all[i] = f.at + i
			}
		}
	}
	for i, t := range f.terms {
		switch {
		case t == f.lead || f.passes[i]:
		case t.kind == format.Bytemap:
			f.sel = kernel.KeepMarked(f.sel, t.present(), f.ks[:], f.es[:])
		case t.seek == byMark && t.marks.slots:
			f.sel = kernel.KeepSlots(f.sel, t.marks.at, f.ks[:], f.es[:])
		case t.seek == byMark:
			f.sel = kernel.KeepMarked(f.sel, t.marks.bytes, f.ks[:], f.es[:])
		case t.seek == byPlace:
			f.sel = kernel.KeepPlaced(f.sel, t.places.at, t.lo, t.n, f.ks[:], f.es[:])
		case t.seek == byBits:
			f.sel = kernel.KeepInside(f.sel, t.bits, f.ks[:], f.es[:])
		default:
			f.sources[i].off = t.cur // where locate starts again
			f.keepFound(e, t)
		}
	}
	if len(f.masks) > 0 {
		f.keepMasked(e)
	}
}

// keepFound narrows the selection to coordinates that a search finds.
func (f *batcher) keepFound(e *env, t *term) {
	f.keep(func(k int32) bool {
		_, ok := t.find(e, k)
		return ok
	})
}

func (f *batcher) keepMasked(e *env) {
	f.keep(func(k int32) bool {
		e.ix[f.d] = k
		for _, mask := range f.masks {
			if !mask(e) {
				return false
			}
		}
		return true
	})
}

func (f *batcher) keep(pass func(k int32) bool) {
	n := 0
	for i, k := range f.sel.Ks {
		if !pass(k) {
			continue
		}
		at := int32(i)
		if f.sel.Es != nil {
			at = f.sel.Es[i]
		}
		f.ks[n], f.es[n] = k, at
		n++
	}
	f.sel = kernel.Selection{Ks: f.ks[:n], Es: f.es[:n]}
}

// locate finds the positions of term i for the selected entries.
func (f *batcher) locate(e *env, i int) {
	if i >= len(f.terms) {
		if f.union != nil && f.union.located[i-len(f.terms)] {
			return
		}
		if f.merged {
			f.locateMerged(e, i-len(f.terms))
		} else {
			f.locateOptional(e, i)
		}
		return
	}
	t, src := f.terms[i], &f.sources[i]
	switch {
	case t.shared: // one position for all
		for s := range f.sel.Ks {
			src.buf[s] = t.base
		}
		src.off, src.ix = 0, src.buf[:len(f.sel.Ks)]
	case t == f.lead && !t.byKey:
		src.off, src.ix = t.lo+f.at, f.sel.Es
	case t.byKey && f.lead.block():
		src.off, src.ix = t.base+f.at, f.sel.Es // consecutive, no gather
	case t.byKey && f.consecutive(t, src):
	case t.byKey && t.base >= 0:
		src.off, src.ix = t.base, f.sel.Ks
	case t.byKey: // a block whose first coordinate is beyond its position
		for s, k := range f.sel.Ks {
			src.buf[s] = t.base + k
		}
		src.off, src.ix = 0, src.buf[:len(f.sel.Ks)]
	case t.seek == byPlace:
		kernel.Positions(f.sel.Ks, t.places.at, src.buf)
		src.off, src.ix = 0, src.buf[:len(f.sel.Ks)]
	case t.seek == byMark:
		kernel.Positions(f.sel.Ks, t.marks.at, src.buf)
		src.off, src.ix = 0, src.buf[:len(f.sel.Ks)]
	default:
		end := t.cur
		t.cur = src.off
		for s, k := range f.sel.Ks {
			src.buf[s], _ = t.find(e, k)
		}
		t.cur = end
		src.off, src.ix = 0, src.buf[:len(f.sel.Ks)]
	}
}

// consecutive sets the positions of a block's entries where the selected coordinates
// follow one another, and reports whether they do.
func (f *batcher) consecutive(t *term, src *source) bool {
	first, ok := kernel.Run(f.sel.Ks)
	if ok {
		src.off, src.ix = t.base+first, nil
	}
	return ok
}

// locateOptional finds the positions of optional term i-len(f.terms) for the
// selected entries, -1 where it has none.
func (f *batcher) locateOptional(e *env, i int) {
	t, src := f.optional[i-len(f.terms)], &f.sources[i]
	src.off, src.ix = 0, src.buf[:len(f.sel.Ks)]
	switch {
	case t.runs != nil:
		for s, k := range f.sel.Ks {
			src.ix[s] = t.lookup(e, k)
		}
	case t.absent:
		kernel.FillColumn(src.ix, -1)
	case t.kind == format.Bytemap:
		kernel.PlacesMarked(f.sel.Ks, t.present()[:t.dim], t.base, src.ix)
	case t.seek == byPlace:
		kernel.PlacesPlaced(f.sel.Ks, t.places.at, t.lo, t.n, src.ix)
	case t.seek == byMerge && !t.block():
		t.cur = kernel.PlacesMerged(f.sel.Ks, t.fiber(), t.cur, t.lo, src.ix)
	default:
		for s, k := range f.sel.Ks {
			pos, ok := t.find(e, k)
			if !ok {
				pos = -1
			}
			src.ix[s] = pos
		}
	}
}
