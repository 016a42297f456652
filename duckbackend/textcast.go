package duckbackend

/*
#include <stdlib.h>

extern void *duckdb_client_context_get_config_option(void *context, const char *name, void *scope);

extern void triremeCastBind(void *);
extern void triremeCastInit(void *);
extern void triremeCastRead(void *, void *);
*/
import "C"

import (
	"errors"
	"strconv"
	"strings"
	"sync/atomic"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// caster casts vectors to texts on a connection of its own, while the one that it works
// for has a result open: SELECT CAST(c0 AS VARCHAR), .. FROM a table function that
// delivers the vectors. What DuckDB's C interface makes of single values does not: it has
// no error for a value that has no text, which ends the process, and knows no session's
// time zone.
type caster struct {
	of     *Conn
	handle bindings.Connection
	// zone is what the time zone and the calendar of the connection were set to.
	zone string
	// vectors are those to be cast; the table function takes them.
	vectors []bindings.Vector
	types   []*duckType
	n       int
}

// castFunction is the name of the table function.
const castFunction = "trireme_cast"

// registerCast makes the table function known.
func (db *DB) registerCast() error {
	c, err := db.connect()
	if err != nil {
		return err
	}
	err = c.registerTableFunction(castFunction, keep(db), tableCallbacks{
		bind: unsafe.Pointer(C.triremeCastBind), init: unsafe.Pointer(C.triremeCastInit), read: unsafe.Pointer(C.triremeCastRead),
	})
	return errors.Join(err, c.Close())
}

// casterOf is the caster whose own connection has a number; nil: it is no caster's.
func (db *DB) casterOf(id uint64) *caster {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.casters[id]
}

// casts returns the connection's caster, for its session's settings as they are now. It
// runs inside the connection's operation.
func (c *Conn) casts() (*caster, error) {
	if c.caster == nil {
		made := &caster{of: c}
		if bindings.Connect(c.db.handle, &made.handle) == bindings.StateError {
			return nil, sqlerr.New(sqlerr.InternalError, "DuckDB could not open a connection")
		}
		if err := made.run("SET errors_as_json = true"); err != nil { // before anything interrupts it
			bindings.Disconnect(&made.handle)
			return nil, err
		}
		c.caster = made
		c.db.mu.Lock()
		c.db.casters[connectionID(made.handle)] = made
		c.db.mu.Unlock()
		c.casting.Store(&made.handle)
	}
	zone := "SET SESSION TimeZone = " + quoteText(c.setting("TimeZone")) + "; SET SESSION Calendar = " + quoteText(c.setting("Calendar"))
	if c.caster.zone != zone {
		c.caster.zone = "" // until both are set
		if err := c.caster.run(zone); err != nil {
			return nil, err
		}
		c.caster.zone = zone
	}
	return c.caster, nil
}

// closeCaster gives the caster's connection back; nothing works on it.
func (c *Conn) closeCaster() {
	if c.caster == nil {
		return
	}
	c.casting.Store(nil)
	c.db.mu.Lock()
	delete(c.db.casters, connectionID(c.caster.handle))
	c.db.mu.Unlock()
	bindings.Disconnect(&c.caster.handle)
	c.caster = nil
}

// setting is the value of a setting in the session.
func (c *Conn) setting(name string) string {
	var client bindings.ClientContext
	bindings.ConnectionGetClientContext(c.handle, &client)
	defer bindings.DestroyClientContext(&client)
	cname := C.CString(name)
	defer C.free(unsafe.Pointer(cname))
	v := bindings.Value{Ptr: C.duckdb_client_context_get_config_option(client.Ptr, cname, nil)}
	if v.Ptr == nil {
		return ""
	}
	defer bindings.DestroyValue(&v)
	return bindings.GetVarchar(v)
}

func (k *caster) run(sql string) error {
	var res bindings.Result
	defer bindings.DestroyResult(&res)
	if bindings.Query(k.handle, sql, &res) == bindings.StateError {
		return duckError(bindings.ResultError(&res))
	}
	return nil
}

// cast returns the texts of n elements of vectors as columns of a chunk, which the caller
// destroys. Arrays are cast to lists before: in the text of an ARRAY no element has quotes,
// so that its value does not come back from it.
func (k *caster) cast(vectors []bindings.Vector, types []*duckType, n int) (bindings.DataChunk, error) {
	k.vectors, k.types, k.n = vectors, types, n
	defer func() { k.vectors, k.types = nil, nil }()
	items := make([]string, len(vectors))
	for i, t := range types {
		value := "c" + strconv.Itoa(i)
		if t.hasArray() {
			value = systemCall("cast_to_type", value, listsColumn(i))
		}
		items[i] = "CAST(" + t.zoneTexts(value, 0) + " AS VARCHAR)"
	}
	var res bindings.Result
	defer bindings.DestroyResult(&res)
	if bindings.Query(k.handle, "SELECT "+strings.Join(items, ", ")+" FROM "+castFunction+"()", &res) == bindings.StateError {
		return bindings.DataChunk{}, withoutOffset(duckError(bindings.ResultError(&res)))
	}
	chunk := bindings.FetchChunk(res)
	if chunk.Ptr == nil || int(bindings.DataChunkGetSize(chunk)) != n {
		return chunk, sqlerr.New(sqlerr.InternalError, "DuckDB did not cast values to texts: %s", bindings.ResultError(&res))
	}
	return chunk, nil
}

// listsColumn is the name of the column that has the type of column i with lists for
// arrays, and of whose values none is read.
func listsColumn(i int) string { return "t" + strconv.Itoa(i) }

//export triremeCastBind
func triremeCastBind(p unsafe.Pointer) {
	info := bindings.BindInfo{Ptr: p}
	guarded(func(text string) { bindings.BindSetError(info, text) }, func() error {
		var client bindings.ClientContext
		bindings.TableFunctionGetClientContext(info, &client)
		defer bindings.DestroyClientContext(&client)
		k := kept[*DB](bindings.BindGetExtraInfo(info)).casterOf(uint64(bindings.ClientContextGetConnectionId(client)))
		if k == nil {
			return sqlerr.New(codeOfType["Permission"], "the function %s is the server's own", castFunction)
		}
		for i, t := range k.types {
			bindings.BindAddResultColumn(info, "c"+strconv.Itoa(i), t.logical)
		}
		for i, t := range k.types {
			if t.hasArray() {
				typ := t.withLists()
				bindings.BindAddResultColumn(info, listsColumn(i), typ)
				bindings.DestroyLogicalType(&typ)
			}
		}
		bindings.BindSetBindData(info, keep(k), releaseCallback())
		return nil
	})
}

// castReading says whether the vectors have been delivered.
type castReading struct{ done atomic.Bool }

//export triremeCastInit
func triremeCastInit(p unsafe.Pointer) {
	info := bindings.InitInfo{Ptr: p}
	guarded(func(text string) { bindings.InitSetError(info, text) }, func() error {
		bindings.InitSetMaxThreads(info, 1)
		bindings.InitSetInitData(info, keep(&castReading{}), releaseCallback())
		return nil
	})
}

//export triremeCastRead
func triremeCastRead(p, chunk unsafe.Pointer) {
	info, out := bindings.FunctionInfo{Ptr: p}, bindings.DataChunk{Ptr: chunk}
	guarded(func(text string) { bindings.FunctionSetError(info, text) }, func() error {
		if kept[*castReading](bindings.FunctionGetInitData(info)).done.Swap(true) {
			bindings.DataChunkSetSize(out, 0)
			return nil
		}
		k := kept[*caster](bindings.FunctionGetBindData(info))
		for i, vec := range k.vectors {
			bindings.VectorReferenceVector(bindings.DataChunkGetVector(out, bindings.IdxT(i)), vec)
		}
		bindings.DataChunkSetSize(out, bindings.IdxT(k.n))
		return nil
	})
}

// castTexts casts the columns of a chunk that have no other form than a text; the result
// has a vector for each of them. Without any it is empty.
func (cur *Cursor) castTexts(n int) (texts bindings.DataChunk, err error) {
	var vectors []bindings.Vector
	var types []*duckType
	for i, r := range cur.readers {
		if r.castsToText() {
			vectors = append(vectors, bindings.DataChunkGetVector(cur.chunk, bindings.IdxT(i)))
			types = append(types, r.typ)
		}
	}
	if len(vectors) == 0 {
		return texts, nil
	}
	k, err := cur.conn.casts()
	if err != nil {
		return texts, err
	}
	return k.cast(vectors, types, n)
}

// castsToText reports whether values are read as the texts that DuckDB casts them to.
func (r *columnReader) castsToText() bool {
	switch r.typ.id {
	case bindings.TypeVarchar, bindings.TypeBlob, bindings.TypeEnum, bindings.TypeUUID:
		return false
	}
	return r.rows.Physical() == rows.PhysString
}
