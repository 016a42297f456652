package pairwise

import (
	"cmp"
	"slices"
)

// pair is the classes of a product.
type pair struct {
	batch, contracted, left, right class
}

func newPair(a, b *Tensor, out []int32, dims map[int32]int) (p *pair, err error) {
	var batch, contracted, left, right []int32
	for _, x := range a.Indices {
		both, kept := slices.Contains(b.Indices, x), slices.Contains(out, x)
		switch {
		case both && kept:
			batch = append(batch, x)
		case both:
			contracted = append(contracted, x)
		case kept:
			left = append(left, x)
		}
	}
	for _, x := range b.Indices {
		if !slices.Contains(a.Indices, x) && slices.Contains(out, x) {
			right = append(right, x)
		}
	}
	p = &pair{}
	for _, c := range []struct {
		to      *class
		indices []int32
	}{{&p.batch, batch}, {&p.contracted, contracted}, {&p.left, left}, {&p.right, right}} {
		if *c.to, err = newClass(c.indices, dims); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// matrix is a side as entries in the order of batch, row and column; those that differ
// in summed indices only are one.
func (p *pair) matrix(t *Tensor, rows, columns class) []entry {
	batch, row, column := p.batch.positions(t), rows.positions(t), columns.positions(t)
	out := make([]entry, len(t.Values))
	for e, v := range t.Values {
		out[e] = entry{batch: batch[e], row: row[e], column: column[e], value: v}
	}
	if !slices.IsSortedFunc(out, order) {
		slices.SortFunc(out, order)
	}
	n := 0
	for e := range out {
		if n > 0 && order(out[n-1], out[e]) == 0 {
			out[n-1].value += out[e].value
			continue
		}
		out[n] = out[e]
		n++
	}
	return out[:n]
}

func order(x, y entry) int {
	if c := cmp.Compare(x.batch, y.batch); c != 0 {
		return c
	}
	if c := cmp.Compare(x.row, y.row); c != 0 {
		return c
	}
	return cmp.Compare(x.column, y.column)
}

// multiply is the product of matrices batch by batch, in ascending order.
func (p *pair) multiply(a, b []entry) []entry {
	var out []entry
	acc := newAccumulator(p.right.size)
	rows := newRowIndex(p.contracted.size)
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].batch < b[j].batch:
			i++
			continue
		case b[j].batch < a[i].batch:
			j++
			continue
		}
		iEnd, jEnd := batchEnd(a, i), batchEnd(b, j)
		rows.fill(b[j:jEnd])
		for i < iEnd {
			row := a[i].row
			for ; i < iEnd && a[i].row == row; i++ {
				for _, e := range rows.row(a[i].column) {
					acc.add(e.column, a[i].value*e.value)
				}
			}
			out = acc.flush(out, a[i-1].batch, row)
		}
		j = jEnd
	}
	return out
}

func batchEnd(es []entry, at int) int {
	end := at
	for end < len(es) && es[end].batch == es[at].batch {
		end++
	}
	return end
}

// denseMost is the number of positions up to which rows and accumulators are arrays.
const denseMost = 1 << 20

// rowIndex finds the rows of a batch of the right matrix.
type rowIndex struct {
	entries []entry
	dense   []int32 // per row: where it starts, plus one; 0: it is empty
	filled  []uint64
	hashed  map[uint64]int32
}

func newRowIndex(size uint64) *rowIndex {
	if size <= denseMost {
		return &rowIndex{dense: make([]int32, size)}
	}
	return &rowIndex{hashed: map[uint64]int32{}}
}

func (r *rowIndex) fill(entries []entry) {
	for _, at := range r.filled {
		r.dense[at] = 0
	}
	r.entries, r.filled = entries, r.filled[:0]
	clear(r.hashed)
	for e := range entries {
		if e > 0 && entries[e].row == entries[e-1].row {
			continue
		}
		if r.dense == nil {
			r.hashed[entries[e].row] = int32(e + 1)
			continue
		}
		r.dense[entries[e].row] = int32(e + 1)
		r.filled = append(r.filled, entries[e].row)
	}
}

func (r *rowIndex) row(at uint64) []entry {
	start := int32(0)
	if r.dense != nil {
		start = r.dense[at]
	} else {
		start = r.hashed[at]
	}
	if start == 0 {
		return nil
	}
	end := int(start)
	for end < len(r.entries) && r.entries[end].row == at {
		end++
	}
	return r.entries[start-1 : end]
}

// accumulator gathers one row of the product.
type accumulator struct {
	dense   []float64
	seen    []bool
	hashed  map[uint64]float64
	touched []uint64
}

func newAccumulator(size uint64) *accumulator {
	if size <= denseMost {
		return &accumulator{dense: make([]float64, size), seen: make([]bool, size)}
	}
	return &accumulator{hashed: map[uint64]float64{}}
}

func (a *accumulator) add(at uint64, v float64) {
	if a.dense == nil {
		if _, ok := a.hashed[at]; !ok {
			a.touched = append(a.touched, at)
		}
		a.hashed[at] += v
		return
	}
	if !a.seen[at] {
		a.seen[at] = true
		a.touched = append(a.touched, at)
	}
	a.dense[at] += v
}

// flush appends the row in ascending order and empties the accumulator.
func (a *accumulator) flush(out []entry, batch, row uint64) []entry {
	slices.Sort(a.touched)
	for _, at := range a.touched {
		e := entry{batch: batch, row: row, column: at}
		if a.dense != nil {
			e.value = a.dense[at]
			a.dense[at], a.seen[at] = 0, false
		} else {
			e.value = a.hashed[at]
		}
		out = append(out, e)
	}
	clear(a.hashed)
	a.touched = a.touched[:0]
	return out
}

// tensor spreads positions into coordinates.
func (p *pair) tensor(entries []entry, out []int32, dims map[int32]int) *Tensor {
	t := &Tensor{Indices: slices.Clone(out), Values: make([]float64, len(entries))}
	at := map[int32]int{}
	for k, x := range out {
		t.Dims = append(t.Dims, dims[x])
		t.Coords = append(t.Coords, make([]int32, len(entries)))
		at[x] = k
	}
	for i := range entries {
		e := &entries[i]
		t.Values[i] = e.value
		write := func(x, c int32) { t.Coords[at[x]][i] = c }
		p.batch.coords(e.batch, write)
		p.left.coords(e.row, write)
		p.right.coords(e.column, write)
	}
	return t
}
