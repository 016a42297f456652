package exec

import "github.com/trireme-db/trireme/fibers/kernel"

// countFresh adds 1 to the counts of coordinates. Counts that go to the reading
// step without their coordinates are kept in 32 bits where these suffice.
func (r *rowLoop) countFresh(e *env, ks []int32) {
	w := r.sink.dense
	if !r.narrow || !r.sink.out.unplaced {
		w.n = kernel.CountFresh(r.fresh.vals, ks, w.touched, w.n)
		return
	}
	if r.tally == nil {
		r.tally = make([]uint32, len(w.flags))
		e.hold(4 * int64(len(w.flags)))
	}
	w.n = kernel.TallyFresh(r.tally, ks, w.touched, w.n)
}

// countLong is scatter for a row of any length.
func (r *rowLoop) countLong(e *env, i int) {
	p := r.place[r.moving][i]
	for lo, hi := r.lead.ptr[p], r.lead.ptr[p+1]; lo < hi; lo += gasUnits {
		piece := r.lead.idx[lo:min(lo+gasUnits, hi)]
		if !e.burn(len(piece)) {
			return
		}
		r.countFresh(e, piece)
		e.cells += int64(len(piece))
	}
}

// settle ends a group whose counts alone told which coordinates are touched. It
// flags them, for the sink to order them; or hands the counts on, where nobody
// asks for coordinates.
func (r *rowLoop) settle(e *env) {
	w := r.sink.dense
	switch {
	case !r.sink.out.unplaced:
		for _, c := range w.touched[:w.n] {
			w.flags[c] = 1
		}
	case r.narrow:
		r.handOn(e)
	}
}

// handOn appends the counts to the output and clears them.
func (r *rowLoop) handOn(e *env) {
	w, o := r.sink.dense, r.sink.out
	for touched := w.touched[:w.n]; len(touched) > 0; {
		c := o.room()
		if c == nil {
			return
		}
		n := min(len(touched), c.cap-c.n)
		leaf := &c.leaves[0]
		leaf.I64 = leaf.I64[:c.n+n]
		kernel.TakeCounts(leaf.I64[c.n:], r.tally, touched[:n])
		c.n += n
		o.n += n
		if !e.burn(4 * n) {
			return
		}
		touched = touched[n:]
	}
	w.n = 0
}
