package engine

import (
	"context"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/trireme-db/trireme/engine/cache"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/internal/rows"
)

// stateRows are rows of a recursion as coordinates, one column per column of the
// recursion, in the domains of its state.
type stateRows struct {
	n      int
	coords [][]fibers.Coord
	times  []int64 // how often each occurs; nil: once
}

// newStateRows has no rows and room for some.
func newStateRows(columns, room int) *stateRows {
	r := &stateRows{coords: make([][]fibers.Coord, columns)}
	for c := range r.coords {
		r.coords[c] = make([]fibers.Coord, 0, room)
	}
	return r
}

// add appends row i of columns.
func (r *stateRows) add(coords [][]fibers.Coord, i int) {
	for c := range r.coords {
		r.coords[c] = append(r.coords[c], coords[c][i])
	}
	r.n++
}

// occurs says that the row added last occurs so often.
func (r *stateRows) occurs(times int64) {
	if times == 1 && r.times == nil {
		return
	}
	for len(r.times) < r.n-1 {
		r.times = append(r.times, 1)
	}
	r.times = append(r.times, times)
}

// occurrences is how often row i occurs.
func (r *stateRows) occurrences(i int) int64 {
	if i < len(r.times) {
		return r.times[i]
	}
	return 1
}

// seenRows is the set of all rows found so far: a bitmap of coordinates where
// there is one column; else pages of a bitmap of one column for every value of the
// others.
type seenRows struct {
	wide   int // the column of the bitmap
	others []int
	bits   []uint64
	pages  map[uint64]*seenPage // of two columns, by the other's coordinate and the page
	texts  map[string]*seenPage // of more
	last   *seenPage            // and its key in pages
	lastID uint64
	near   seenNear
	key    []byte
	bytes  int64 // of all pages and bits
}

// seenPageLog is the logarithm of the rows of a page: those that neighbours in a
// frontier share, and few enough for rows that are far apart.
const seenPageLog = 9

type seenPage [1 << seenPageLog / 64]uint64

// seenPageBytes is what a page costs with its place among the pages; its key, where
// it is a text, comes on top.
const seenPageBytes = 1<<seenPageLog/8 + 48

// newSeenRows is empty. The column wide gets the bitmap, or (-1) the one with most
// values.
func newSeenRows(domains []*cache.Domain, wide int) *seenRows {
	s := &seenRows{wide: max(wide, 0)}
	for c, d := range domains {
		if wide < 0 && d.Values().Len() > domains[s.wide].Values().Len() {
			s.wide = c
		}
	}
	for c := range domains {
		if c != s.wide {
			s.others = append(s.others, c)
		}
	}
	switch len(s.others) {
	case 0:
	case 1:
		s.pages = map[uint64]*seenPage{}
	default:
		s.texts = map[string]*seenPage{}
	}
	return s
}

// add adds row i of columns; isNew is false if it was there.
func (s *seenRows) add(coords [][]fibers.Coord, i int) (isNew bool) {
	c := uint32(coords[s.wide][i])
	word, bit := c/64, uint64(1)<<(c%64)
	if len(s.others) == 0 {
		if int(word) >= len(s.bits) {
			s.reach(int(word))
		}
		isNew = s.bits[word]&bit == 0
		s.bits[word] |= bit
		return isNew
	}
	p := s.page(coords, i, c>>seenPageLog)
	word %= uint32(len(p))
	isNew = p[word]&bit == 0
	p[word] |= bit
	return isNew
}

// addAll adds rows of one column and appends those that were not there to unseen.
func (s *seenRows) addAll(column, unseen []fibers.Coord) []fibers.Coord {
	words := s.bits
	for _, c := range column {
		word, bit := int(uint32(c)/64), uint64(1)<<(uint32(c)%64)
		if word >= len(words) {
			s.reach(word)
			words = s.bits
		}
		if words[word]&bit == 0 {
			words[word] |= bit
			unseen = append(unseen, c)
		}
	}
	return unseen
}

// marked starts rows of one column that are only marked, all below dim, to be
// gathered by since. It takes a copy of the bitmap.
func (s *seenRows) marked(dim int) (before []uint64) {
	if words := (dim + 63) / 64; words > len(s.bits) {
		s.reach(words - 1)
	}
	return slices.Clone(s.bits)
}

// mark adds rows of one column, all below the limit given to marked.
func (s *seenRows) mark(column []fibers.Coord) {
	words := s.bits
	for _, c := range column {
		words[uint32(c)/64] |= 1 << (uint32(c) % 64)
	}
}

// since are the rows that were not there before, in ascending order: what they lead
// to is then looked up in the order in which it is stored.
func (s *seenRows) since(before []uint64) []fibers.Coord {
	n := 0
	for i, word := range s.bits {
		n += bits.OnesCount64(word &^ before[i])
	}
	unseen := make([]fibers.Coord, 0, n)
	for i, word := range s.bits {
		for word &^= before[i]; word != 0; word &= word - 1 {
			unseen = append(unseen, fibers.Coord(64*i+bits.TrailingZeros64(word)))
		}
	}
	return unseen
}

// reach lets the bitmap have a word.
func (s *seenRows) reach(word int) {
	s.bytes -= 8 * int64(cap(s.bits))
	s.bits = append(s.bits, make([]uint64, word+1)...)
	s.bytes += 8 * int64(cap(s.bits))
}

// seenNear are the pages of two columns that have been asked for with one coordinate of
// the narrow one, by their number.
type seenNear struct {
	of    fibers.Coord
	pages []*seenPage
	there []uint32 // the numbers of those that are not nil
}

// addBeside adds rows of two columns that have one coordinate in the narrow one, and
// appends those of the wide one that were not there to unseen.
func (s *seenRows) addBeside(narrow fibers.Coord, column, unseen []fibers.Coord) []fibers.Coord {
	if near := &s.near; near.of != narrow {
		for _, page := range near.there {
			near.pages[page] = nil
		}
		near.of, near.there = narrow, near.there[:0]
	}
	for _, c := range column {
		page := uint32(c) >> seenPageLog
		var p *seenPage
		if int(page) < len(s.near.pages) {
			p = s.near.pages[page]
		}
		if p == nil {
			p = s.nearPage(page)
		}
		word, bit := uint32(c)/64%uint32(len(p)), uint64(1)<<(uint32(c)%64)
		if p[word]&bit == 0 {
			p[word] |= bit
			unseen = append(unseen, c)
		}
	}
	return unseen
}

// nearPage remembers a page.
func (s *seenRows) nearPage(page uint32) *seenPage {
	near := &s.near
	if grow := int(page) + 1 - len(near.pages); grow > 0 {
		near.pages = append(near.pages, make([]*seenPage, grow)...)
	}
	p := s.pageBeside(near.of, page)
	near.pages[page] = p
	near.there = append(near.there, page)
	return p
}

// pageBeside finds a page of two columns, or makes it.
func (s *seenRows) pageBeside(narrow fibers.Coord, page uint32) *seenPage {
	id := uint64(uint32(narrow))<<32 | uint64(page)
	if s.last != nil && s.lastID == id {
		return s.last
	}
	p := s.pages[id]
	if p == nil {
		p = &seenPage{}
		s.pages[id] = p
		s.bytes += seenPageBytes
	}
	s.last, s.lastID = p, id
	return p
}

// page finds the page of a row, or makes it.
func (s *seenRows) page(coords [][]fibers.Coord, i int, page uint32) *seenPage {
	if s.pages != nil {
		return s.pageBeside(coords[s.others[0]][i], page)
	}
	s.key = binary.LittleEndian.AppendUint32(s.key[:0], page)
	for _, c := range s.others {
		s.key = binary.LittleEndian.AppendUint32(s.key, uint32(coords[c][i]))
	}
	p := s.texts[string(s.key)]
	if p == nil {
		p = &seenPage{}
		s.texts[string(s.key)] = p
		s.bytes += seenPageBytes + int64(len(s.key)) + stringBytes
	}
	return p
}

// stateCursor delivers rows as values, each as often as it occurs.
type stateCursor struct {
	columns []rows.Column
	domains []*cache.Domain
	parts   []*stateRows
	at      int   // row of parts[0]
	more    int64 // how often it is still to come; 0: not begun
	coords  [][]fibers.Coord
	batch   rows.Batch
	account *account // of what is found
	release func()
}

// Columns returns the columns of the recursion.
func (c *stateCursor) Columns() []rows.Column { return c.columns }

// Next decodes the next rows.
func (c *stateCursor) Next(ctx context.Context) (*rows.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	for len(c.parts) > 0 && c.at == c.parts[0].n {
		c.parts, c.at = c.parts[1:], 0
	}
	if len(c.parts) == 0 {
		return nil, nil
	}
	if c.batch.Cols == nil {
		c.batch.Cols, c.coords = make([]rows.Vector, len(c.columns)), make([][]fibers.Coord, len(c.columns))
	}
	part := c.parts[0]
	if part.times == nil {
		c.batch.N = min(entriesPerBatch, part.n-c.at)
		for k := range c.coords {
			c.coords[k] = part.coords[k][c.at : c.at+c.batch.N]
		}
		c.at += c.batch.N
	} else {
		c.repeat(part)
	}
	for k, d := range c.domains {
		decode(d.Values(), c.coords[k], &c.batch.Cols[k])
		c.batch.Cols[k].Type = c.columns[k].Type
	}
	return &c.batch, nil
}

// repeat writes the coordinates of the next rows of a part, each as often as it
// occurs.
func (c *stateCursor) repeat(part *stateRows) {
	for k := range c.coords {
		c.coords[k] = make([]fibers.Coord, 0, entriesPerBatch)
	}
	c.batch.N = 0
	for c.at < part.n && c.batch.N < entriesPerBatch {
		if c.more == 0 {
			c.more = part.occurrences(c.at)
		}
		n := min(c.more, int64(entriesPerBatch-c.batch.N))
		for k := range c.coords {
			for range n {
				c.coords[k] = append(c.coords[k], part.coords[k][c.at])
			}
		}
		c.batch.N += int(n)
		if c.more -= n; c.more == 0 {
			c.at++
		}
	}
}

// Close gives up what the cursor holds.
func (c *stateCursor) Close() error {
	if c.release != nil {
		c.release()
		c.release = nil
	}
	return nil
}
