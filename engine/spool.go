package engine

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"io"
	"os"
	"sort"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/spill"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// spoolBytes is how much of a spool stays in memory; what comes later goes to a
// file that nobody else sees.
const spoolBytes = 8 << 20

// spool keeps rows that were read ahead of their reader, or that may be read
// again. Rows are numbered from 0.
type spool struct {
	share      *spill.Share
	limitBytes int
	heldBytes  int
	parts      []spoolPart
	rows       int64
	file       *os.File
	fileBytes  int64
	// last is the part decoded last, unless it is long.
	last     *rows.Batch
	lastPart int
}

// spoolPart is one batch: in memory, or size bytes of the file from offset on.
type spoolPart struct {
	first        int64 // its first row's number
	batch        *rows.Batch
	offset, size int64
}

func newSpool(share *spill.Share) *spool { return newSpoolAmong(share, 0) }

// newSpoolAmong is a spool that leaves room in memory for n others; its file is of a share.
func newSpoolAmong(share *spill.Share, n int) *spool {
	return &spool{share: share, limitBytes: spoolBytes / (n + 1), lastPart: -1}
}

// spoolPartBytes is about how long a part in the file is, unless it is one row that is longer: the
// part that was read last stays in memory.
const spoolPartBytes = 128 << 10

// add keeps a copy of a batch.
func (s *spool) add(b *rows.Batch) error {
	if size := batchBytes(b); s.heldBytes+size <= s.limitBytes {
		s.heldBytes += size
		s.append(spoolPart{batch: copyBatch(b)}, b.N)
		return nil
	}
	before := s.rows
	for from := 0; from < b.N; {
		piece, part := b, spoolPart{}
		to := pieceEnd(b, from)
		if to-from < b.N {
			piece = pickRows(b, sequence(from, to))
		}
		if err := s.write(piece, &part); err != nil {
			return errors.Join(err, s.cut(before))
		}
		s.append(part, piece.N)
		from = to
	}
	return nil
}

func (s *spool) append(part spoolPart, rowCount int) {
	part.first = s.rows
	s.parts = append(s.parts, part)
	s.rows += int64(rowCount)
}

// pieceEnd is where the rows of a batch from one on are enough for a part of the file.
func pieceEnd(b *rows.Batch, from int) int {
	for to, bytes := from, 0; to < b.N; to++ {
		for c := range b.Cols {
			bytes += cellBytes
			if text := b.Cols[c].Str; text != nil {
				bytes += len(text[to])
			}
		}
		if bytes > spoolPartBytes {
			return max(to, from+1)
		}
	}
	return b.N
}

func (s *spool) write(b *rows.Batch, part *spoolPart) error {
	if s.file == nil {
		f, err := os.CreateTemp("", "trireme-rows-*")
		if err != nil {
			return spoolError(err)
		}
		s.file = f
		// Without a name it goes when it is closed, however the process ends.
		if err := os.Remove(f.Name()); err != nil {
			return spoolError(err)
		}
	}
	var buf bytes.Buffer
	if err := gob.NewEncoder(&buf).Encode(b); err != nil {
		return spoolError(err)
	}
	if err := s.share.Take(int64(buf.Len())); err != nil {
		return err
	}
	if _, err := s.file.WriteAt(buf.Bytes(), s.fileBytes); err != nil {
		s.share.Give(int64(buf.Len()))
		return spoolError(err)
	}
	part.offset, part.size = s.fileBytes, int64(buf.Len())
	s.fileBytes += part.size
	return nil
}

func spoolError(err error) error {
	e := sqlerr.Wrap(sqlerr.IOError, err)
	e.Message = "rows that wait for their reader cannot be kept: " + e.Message
	return e.WithHint("They are kept in files of the system's directory for temporary files, which TMPDIR names.")
}

// bytes is about what the spool takes in memory and in its file.
func (s *spool) bytes() int64 { return int64(s.heldBytes) + s.fileBytes }

// cut forgets the rows from a number on; batches are kept or forgotten whole, and the
// number is that of the first of one.
func (s *spool) cut(first int64) error {
	for len(s.parts) > 0 && s.parts[len(s.parts)-1].first >= first {
		last := &s.parts[len(s.parts)-1]
		if last.batch != nil {
			s.heldBytes -= batchBytes(last.batch)
		} else {
			s.share.Give(s.fileBytes - last.offset)
			s.fileBytes = last.offset
		}
		s.rows = last.first
		*last = spoolPart{}
		s.parts = s.parts[:len(s.parts)-1]
	}
	s.last, s.lastPart = nil, -1
	if s.file == nil {
		return nil
	}
	if err := s.file.Truncate(s.fileBytes); err != nil {
		return spoolError(err)
	}
	return nil
}

// join makes one batch of the last two, if they are in memory and small and the first of
// them has no row before a number.
func (s *spool) join(first int64) {
	n := len(s.parts)
	if n < 2 {
		return
	}
	before, last := &s.parts[n-2], &s.parts[n-1]
	if before.batch == nil || last.batch == nil || before.first < first || before.batch.N+last.batch.N > fewRows {
		return
	}
	s.heldBytes -= batchBytes(before.batch) + batchBytes(last.batch)
	appendBatch(before.batch, last.batch)
	s.heldBytes += batchBytes(before.batch)
	*last = spoolPart{}
	s.parts = s.parts[:n-1]
}

// appendBatch adds the rows of a batch to those of another with the same columns.
func appendBatch(to, from *rows.Batch) {
	n := to.N + from.N
	for c := range to.Cols {
		a, b := &to.Cols[c], &from.Cols[c]
		a.I64, a.I128, a.F64 = appendValues(a.I64, to.N, b.I64, from.N), appendValues(a.I128, to.N, b.I128, from.N), appendValues(a.F64, to.N, b.F64, from.N)
		a.Str, a.Ivl = appendValues(a.Str, to.N, b.Str, from.N), appendValues(a.Ivl, to.N, b.Ivl, from.N)
		if a.Nulls != nil || b.Nulls != nil {
			nulls := make([]uint64, (n+63)/64)
			copy(nulls, a.Nulls)
			a.Nulls = nulls
		}
		for i := range from.N {
			if b.IsNull(i) {
				a.SetNull(to.N+i, n)
			}
		}
	}
	to.N = n
}

// appendValues adds the first values of b to the first of a, where there are any.
func appendValues[T any](a []T, na int, b []T, nb int) []T {
	if b == nil {
		return a
	}
	return append(a[:na], b[:nb]...)
}

// between is a cursor over count rows from a number on.
func (s *spool) between(columns []rows.Column, first, count int64) rows.Cursor {
	return &spoolCursor{spool: s, columns: columns, next: first, end: first + count}
}

// spoolCursor reads a part of a spool, and leaves it.
type spoolCursor struct {
	spool     *spool
	columns   []rows.Column
	next, end int64
}

// Columns returns the columns.
func (c *spoolCursor) Columns() []rows.Column { return c.columns }

// Close does nothing: the rows stay.
func (*spoolCursor) Close() error { return nil }

// Next returns the rest of a batch of the spool.
func (c *spoolCursor) Next(ctx context.Context) (*rows.Batch, error) {
	if err := ctx.Err(); c.next >= c.end || err != nil {
		return nil, err
	}
	b, at, err := c.spool.at(c.next)
	if err != nil {
		return nil, err
	}
	n := int(min(int64(b.N-at), c.end-c.next))
	c.next += int64(n)
	if n == b.N {
		return b, nil
	}
	return pickRows(b, sequence(at, at+n)), nil
}

// at returns the batch that holds a row, and where in it the row is. The batch is
// valid until the next call.
func (s *spool) at(row int64) (b *rows.Batch, index int, err error) {
	n := sort.Search(len(s.parts), func(i int) bool { return s.parts[i].first > row }) - 1
	part := &s.parts[n]
	if part.batch != nil {
		return part.batch, int(row - part.first), nil
	}
	if s.lastPart != n {
		decoded := &rows.Batch{}
		in := io.NewSectionReader(s.file, part.offset, part.size)
		if err := gob.NewDecoder(in).Decode(decoded); err != nil {
			return nil, 0, spoolError(err)
		}
		if batchBytes(decoded) > 2*spoolPartBytes { // one row, of which there is nothing else to be read
			return decoded, int(row - part.first), nil
		}
		s.last, s.lastPart = decoded, n
	}
	return s.last, int(row - part.first), nil
}

// close gives memory and file back; it may be called several times.
func (s *spool) close() error {
	f := s.file
	s.share.Give(s.fileBytes)
	*s = spool{share: s.share, limitBytes: s.limitBytes, lastPart: -1}
	if f == nil {
		return nil
	}
	if err := f.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return spoolError(err)
	}
	return nil
}

// cellBytes is about what a value takes, a text beside its bytes.
const cellBytes = 16

// batchBytes is about what a copy of a batch takes.
func batchBytes(b *rows.Batch) int {
	const vectorBytes, wideBytes, longBytes = 200, 16, 8
	size := 0
	for i := range b.Cols {
		v := &b.Cols[i]
		size += vectorBytes + longBytes*(len(v.Nulls)+len(v.I64)+len(v.F64)) + wideBytes*(len(v.I128)+len(v.Ivl))
		for _, text := range v.Str {
			size += cellBytes + len(text)
		}
	}
	return size
}

// pickRows copies rows of a batch, in the order given.
func pickRows(b *rows.Batch, picked []int) *rows.Batch {
	out := &rows.Batch{N: len(picked), Cols: make([]rows.Vector, len(b.Cols))}
	for c := range b.Cols {
		from := &b.Cols[c]
		to := rows.Vector{Type: from.Type}
		to.I64 = pickValues(from.I64, picked)
		to.I128 = pickValues(from.I128, picked)
		to.F64 = pickValues(from.F64, picked)
		to.Str = pickValues(from.Str, picked)
		to.Ivl = pickValues(from.Ivl, picked)
		for i, row := range picked {
			if from.IsNull(row) {
				to.SetNull(i, len(picked))
			}
		}
		out.Cols[c] = to
	}
	return out
}

func pickValues[T any](from []T, picked []int) []T {
	if from == nil {
		return nil
	}
	to := make([]T, len(picked))
	for i, row := range picked {
		to[i] = from[row]
	}
	return to
}
