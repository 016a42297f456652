package cache

import (
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// Bounds of what is looked up while planning.
const (
	// lookupMax is the number of entries up to which a tensor's entries can be
	// found by any mode; the lists take four bytes per entry, mode and coordinate.
	lookupMax = 100_000
	// answersMax is the number of answers kept per Base.
	answersMax = 4096
)

// places lists the entries of each coordinate of a mode.
type places struct {
	ptr     []int32 // per coordinate, its first place in entries
	entries []int32
}

// Entries lists the entries that have a coordinate in a mode; ok is false for
// tensors too large to be asked.
func (b *Base) Entries(mode int, c fibers.Coord) (entries []int32, ok bool) {
	dim := b.COO.Dims[mode]
	if b.COO.N > lookupMax || dim > 4*lookupMax {
		return nil, false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.places[mode]
	if p == nil {
		p = newPlaces(b.COO.Coords[mode][:b.COO.N], dim)
		if b.places == nil {
			b.places = map[int]*places{}
		}
		b.places[mode] = p
	}
	if c < 0 || int(c) >= dim {
		return nil, true
	}
	return p.entries[p.ptr[c]:p.ptr[c+1]], true
}

func newPlaces(col []fibers.Coord, dim int) *places {
	p := &places{ptr: make([]int32, dim+1), entries: make([]int32, len(col))}
	for _, x := range col {
		p.ptr[x+1]++
	}
	for x := range dim {
		p.ptr[x+1] += p.ptr[x]
	}
	next := append([]int32(nil), p.ptr[:dim]...)
	for e, x := range col {
		p.entries[next[x]] = int32(e)
		next[x]++
	}
	return p
}

// Fixed is what an answer about a part of a tensor hangs on: a constant of one
// mode, and the tensor in whose classes its coordinates were looked up.
type Fixed struct {
	Mode    int
	Coord   fibers.Coord
	Partner *Base
}

// Answer returns what find says of a part, remembered.
func (b *Base) Answer(key Fixed, find func() stats.TensorStats) stats.TensorStats {
	b.mu.Lock()
	s, ok := b.answers[key]
	b.mu.Unlock()
	if ok {
		return s
	}
	s = find()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.answers == nil || len(b.answers) >= answersMax {
		b.answers = map[Fixed]stats.TensorStats{}
	}
	b.answers[key] = s
	return s
}
