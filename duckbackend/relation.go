package duckbackend

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// QueryRelation runs sql, in which the rows of rel are the table name, with
// rel's column names and types. Rows keep their order where sql gives none. The
// rows go into a temporary table that the Cursor drops when it is closed; rel is
// read to its end but not closed. sql must not need a connection of its own.
func (c *Conn) QueryRelation(ctx context.Context, name string, rel rows.Cursor, sql string, args []Arg) (rows.Cursor, error) {
	if err := c.makeRelation(ctx, name, rel); err != nil {
		return nil, err
	}
	drop := func() error { return c.dropTemp(ctx, name) }
	cur, err := c.Query(ctx, sql, args...)
	if err != nil {
		return nil, errors.Join(err, drop())
	}
	closeStmt := cur.onClose
	cur.onClose = func() error { return errors.Join(closeStmt(), drop()) }
	return cur, nil
}

// RelationPrefix begins the names of relations that stand beside a client's objects: Guard's
// permit refuses objects of such a name, so that none is taken for another.
const RelationPrefix = "trireme "

// MakeRelation creates the temporary table name with the rows of rel, under rel's
// column names and types, until DropRelation. rel is read to its end but not
// closed. After an error there is no table. Guard's permit is not asked.
func (c *Conn) MakeRelation(ctx context.Context, name string, rel rows.Cursor) error {
	return c.makeRelation(ctx, name, rel)
}

// DropRelation drops what MakeRelation has made, also when ctx is done.
func (c *Conn) DropRelation(ctx context.Context, name string) error { return c.dropTemp(ctx, name) }

// makeRelation creates the temporary table name with the rows of rel; after an
// error there is none.
func (c *Conn) makeRelation(ctx context.Context, name string, rel rows.Cursor) error {
	columns := rel.Columns()
	defs := make([]string, len(columns))
	for i, col := range columns {
		t := col.Type
		if t.ID == rows.SQLNull {
			t.ID = rows.Integer
		}
		if t.TextLosesValue() {
			return sqlerr.New(sqlerr.FeatureNotSupported, "column %s: a value of type %s cannot be made of its text", load.Quote(col.Name), t)
		}
		defs[i] = load.Quote(col.Name) + " " + t.String()
	}
	if err := c.ExecOwn(ctx, "CREATE TEMP TABLE "+load.Quote(name)+" ("+strings.Join(defs, ", ")+")"); err != nil {
		return withoutOffset(err)
	}
	if err := c.appendRows(ctx, load.Table{Catalog: "temp", Schema: "main", Name: name}, rel); err != nil {
		return errors.Join(err, c.dropTemp(ctx, name))
	}
	return nil
}

// dropTemp drops a temporary table, also when ctx is done. In an aborted
// transaction there is nothing to drop: the rollback does it.
func (c *Conn) dropTemp(ctx context.Context, name string) error {
	err := c.Exec(context.WithoutCancel(ctx), "DROP TABLE IF EXISTS temp.main."+load.Quote(name))
	var e *sqlerr.Error
	if errors.As(err, &e) && (e.Code == sqlerr.FailedTransaction || e.Code == sqlerr.AdminShutdown) {
		return nil
	}
	return err
}

// AppendRows writes the rows of rel into a table, whose columns are those of rel in
// number and order, and closes nothing. It is faster than INSERT.
func (c *Conn) AppendRows(ctx context.Context, table load.Table, rel rows.Cursor) error {
	return c.appendRows(ctx, table, rel)
}

// appendRows writes the rows of rel into a table.
func (c *Conn) appendRows(ctx context.Context, table load.Table, rel rows.Cursor) error {
	a := &relationAppender{}
	defer a.close()
	_, err := c.runIdle(ctx, func() error { return a.open(c, table, rel.Columns()) })
	if err != nil {
		return err
	}
	for {
		batch, err := rel.Next(ctx)
		if err != nil {
			return err
		}
		if batch == nil {
			break
		}
		if _, err := c.runIdle(ctx, func() error { return a.append(batch) }); err != nil {
			return err
		}
	}
	_, err = c.runIdle(ctx, func() error {
		if bindings.AppenderClose(a.handle) == bindings.StateError {
			return a.err()
		}
		return nil
	})
	return err
}

// relationAppender writes batches through one data chunk.
type relationAppender struct {
	handle bindings.Appender
	chunk  bindings.DataChunk
	cols   []rows.Column
	// storage is the layout of each column's vector; exotic types are written as
	// VARCHAR and cast by the appender.
	storage []bindings.Type
}

func (a *relationAppender) open(c *Conn, table load.Table, cols []rows.Column) error {
	a.cols = cols
	if bindings.AppenderCreateExt(c.handle, table.Catalog, table.Schema, table.Name, &a.handle) == bindings.StateError {
		return a.err()
	}
	if n := bindings.AppenderColumnCount(a.handle); int(n) != len(cols) {
		return sqlerr.New(sqlerr.DatatypeMismatch, "rows of %d columns cannot be added to table %s, which has %d", len(cols), load.Quote(table.Name), n)
	}
	logical := make([]bindings.LogicalType, len(cols))
	defer func() {
		for i := range logical {
			bindings.DestroyLogicalType(&logical[i])
		}
	}()
	for i, col := range cols {
		if err := a.mustHold(i); err != nil {
			return err
		}
		t := bindings.AppenderColumnType(a.handle, bindings.IdxT(i))
		id := bindings.GetTypeId(t)
		switch {
		case id == bindings.TypeDecimal:
			id = bindings.DecimalInternalType(t)
		case col.Type.Physical() == rows.PhysString && id != bindings.TypeBlob:
			bindings.DestroyLogicalType(&t)
			t = bindings.CreateLogicalType(bindings.TypeVarchar)
			id = bindings.TypeVarchar
		}
		logical[i] = t
		a.storage = append(a.storage, id)
	}
	a.chunk = bindings.CreateDataChunk(logical)
	return nil
}

// mustHold refuses values that are not of the type of the column that they would be written
// into. Texts are cast.
func (a *relationAppender) mustHold(i int) error {
	col := a.cols[i]
	if col.Type.Physical() == rows.PhysString || col.Type.ID == rows.SQLNull {
		return nil
	}
	t := newDuckType(bindings.AppenderColumnType(a.handle, bindings.IdxT(i)))
	defer t.close()
	if t.sql.String() != col.Type.String() {
		return sqlerr.New(sqlerr.DatatypeMismatch, "column %s: values of type %s cannot be added to one of type %s", load.Quote(col.Name), col.Type, t.sql)
	}
	return nil
}

func (a *relationAppender) err() error {
	text := bindings.AppenderError(a.handle)
	if text == "" {
		return sqlerr.New(sqlerr.InternalError, "DuckDB could not append to a table")
	}
	data := bindings.AppenderErrorData(a.handle)
	defer bindings.DestroyErrorData(&data)
	if bindings.ErrorDataErrorType(data) == bindings.ErrorTypeOutOfMemory { // which the text does not say
		text = "Out of Memory Error: " + text
	}
	return withoutOffset(duckError(text))
}

func (a *relationAppender) close() {
	if a.chunk.Ptr != nil {
		bindings.DestroyDataChunk(&a.chunk)
	}
	if a.handle.Ptr != nil {
		bindings.AppenderDestroy(&a.handle)
	}
}

// append writes a batch in pieces of DuckDB's vector size.
func (a *relationAppender) append(b *rows.Batch) error {
	size := int(bindings.VectorSize())
	for lo := 0; lo < b.N; lo += size {
		hi := min(lo+size, b.N)
		bindings.DataChunkReset(a.chunk)
		if err := unfailing(func() error {
			for i := range b.Cols {
				writeVector(bindings.DataChunkGetVector(a.chunk, bindings.IdxT(i)), a.storage[i], &b.Cols[i], lo, hi)
			}
			return nil
		}); err != nil {
			return err
		}
		bindings.DataChunkSetSize(a.chunk, bindings.IdxT(hi-lo))
		if bindings.AppendDataChunk(a.handle, a.chunk) == bindings.StateError {
			return a.err()
		}
	}
	return nil
}

// writeVector copies rows [lo, hi) of src into a vector laid out as storage.
func writeVector(vec bindings.Vector, storage bindings.Type, src *rows.Vector, lo, hi int) {
	writeNulls(vec, src, lo, hi)
	data := bindings.VectorGetData(vec)
	n := hi - lo
	switch src.Type.Physical() {
	case rows.PhysInt64:
		writeInt64(data, storage, src.I64[lo:hi])
	case rows.PhysInt128:
		writeInt128(data, storage, src.I128[lo:hi])
	case rows.PhysFloat64:
		if storage == bindings.TypeDouble {
			copy(unsafe.Slice((*float64)(data), n), src.F64[lo:hi])
			return
		}
		for i, v := range src.F64[lo:hi] {
			unsafe.Slice((*float32)(data), n)[i] = float32(v)
		}
	case rows.PhysInterval:
		copy(unsafe.Slice((*rows.IntervalValue)(data), n), src.Ivl[lo:hi])
	default:
		writeTexts(vec, data, storage, src, lo, hi)
	}
}

// writeTexts copies strings. Short ones stand in the vector itself, where they are
// written without a call into DuckDB.
func writeTexts(vec bindings.Vector, data unsafe.Pointer, storage bindings.Type, src *rows.Vector, lo, hi int) {
	inline := unsafe.Slice((*[4 + inlineLen]byte)(data), hi-lo)
	for i, s := range src.Str[lo:hi] {
		switch {
		case src.IsNull(lo + i):
		case len(s) <= inlineLen && storage == bindings.TypeVarchar:
			slot := &inline[i]
			*slot = [4 + inlineLen]byte{}
			binary.NativeEndian.PutUint32(slot[:4], uint32(len(s)))
			copy(slot[4:], s)
		default:
			bindings.VectorAssignStringElementLen(vec, bindings.IdxT(i), unsafe.Slice(unsafe.StringData(s), len(s)))
		}
	}
}

func writeNulls(vec bindings.Vector, src *rows.Vector, lo, hi int) {
	if src.Nulls == nil {
		return
	}
	bindings.VectorEnsureValidityWritable(vec)
	mask := unsafe.Slice((*uint64)(bindings.VectorGetValidity(vec)), (hi-lo+63)/64)
	for i := lo; i < hi; i++ {
		if src.IsNull(i) {
			mask[(i-lo)>>6] &^= 1 << (uint(i-lo) & 63)
		}
	}
}

func writeInt64(data unsafe.Pointer, storage bindings.Type, src []int64) {
	switch storage {
	case bindings.TypeBoolean, bindings.TypeTinyInt, bindings.TypeUTinyInt:
		narrow(unsafe.Slice((*int8)(data), len(src)), src)
	case bindings.TypeSmallInt, bindings.TypeUSmallInt:
		narrow(unsafe.Slice((*int16)(data), len(src)), src)
	case bindings.TypeInteger, bindings.TypeUInteger, bindings.TypeDate:
		narrow(unsafe.Slice((*int32)(data), len(src)), src)
	default: // BIGINT, DECIMAL of 10 to 18 digits, TIME and the TIMESTAMPs
		copy(unsafe.Slice((*int64)(data), len(src)), src)
	}
}

// narrow keeps the low bits, which are the value in two's complement.
func narrow[D int8 | int16 | int32](dst []D, src []int64) {
	for i, v := range src {
		dst[i] = D(v)
	}
}

func writeInt128(data unsafe.Pointer, storage bindings.Type, src []semiring.Int128) {
	if storage == bindings.TypeUBigInt {
		dst := unsafe.Slice((*uint64)(data), len(src))
		for i, v := range src {
			dst[i] = v.Lo
		}
		return
	}
	dst := unsafe.Slice((*hugeInt)(data), len(src))
	for i, v := range src {
		dst[i] = hugeInt{lower: v.Lo, upper: uint64(v.Hi)}
	}
}
