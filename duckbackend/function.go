package duckbackend

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/trireme-db/trireme/duckbackend/texts"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// TableFunction is a table of the server's own that SQL reads as Name, as
// pg_catalog.Name or as Name(). A table or view of the user's of that name wins.
type TableFunction struct {
	Name    string
	Columns []rows.Column
	// Rows returns all rows at the moment of reading, for the connection of that id. It
	// is called by DuckDB's threads, several at a time.
	Rows func(connID uint64) (*rows.Batch, error)
}

// ScalarFunction is a function of one BIGINT that acts and says whether it could.
type ScalarFunction struct {
	Name string
	// Call is called for every row whose argument is not NULL, by DuckDB's threads,
	// on behalf of the connection of that id.
	Call func(connID uint64, arg int64) (bool, error)
}

// TextFunction is a function of so many VARCHARs that answers with another one; no
// answer is NULL, and a NULL argument has none.
type TextFunction struct {
	Name string
	Args int
	// Call is called as that of a ScalarFunction. It does not keep args.
	Call func(connID uint64, args []string) (answer string, ok bool, err error)
}

// ValueFunction is a function, or an operator, whose value follows from its arguments: DuckDB
// may call it while it plans. It is NULL where an argument is. Of one
// name there may be several with other parameters, DuckDB's own among them.
type ValueFunction struct {
	Name string
	// Params and Result are VARCHAR, JSON, BIGINT, BOOLEAN or VARCHAR[]; the result is not BIGINT or a list.
	Params []rows.Type
	Result rows.Type
	// Call gets a string, int64, bool, or []*string with nil for NULL, for each parameter and returns a string, a
	// bool, or nil for NULL. Its error does not matter once stopped says that its statement is
	// to end.
	Call func(stopped func() bool, args []any) (any, error)
}

// Functions are those of the server's that SQL may call.
type Functions struct {
	Tables  []TableFunction
	Scalars []ScalarFunction
	Texts   []TextFunction
	Values  []ValueFunction
}

// register makes functions known to all connections.
func (db *DB) register(f Functions) error {
	conn, err := db.connect()
	if err != nil {
		return err
	}
	for i := range f.Tables {
		err = errors.Join(err, conn.registerTable(&f.Tables[i]))
	}
	for i := range f.Scalars {
		err = errors.Join(err, conn.registerScalar(&f.Scalars[i]))
	}
	for i := range f.Texts {
		err = errors.Join(err, conn.registerText(&f.Texts[i]))
	}
	for i := range f.Values {
		err = errors.Join(err, conn.registerValue(&f.Values[i]))
	}
	db.replaceNames(f.Tables)
	return errors.Join(err, conn.Close())
}

func (c *Conn) registerTable(t *TableFunction) error {
	return c.registerTableFunction(t.Name, keep(t), tableCallbacks{bind: tableBindCallback(), init: tableInitCallback(), read: tableReadCallback()})
}

// tableCallbacks is how DuckDB calls a table function of ours.
type tableCallbacks struct{ bind, init, read unsafe.Pointer }

func (c *Conn) registerTableFunction(name string, extra unsafe.Pointer, callbacks tableCallbacks) error {
	f := bindings.CreateTableFunction()
	defer bindings.DestroyTableFunction(&f)
	bindings.TableFunctionSetName(f, name)
	bindings.TableFunctionSetExtraInfo(f, extra, releaseCallback())
	bindings.TableFunctionSetBind(f, callbacks.bind)
	bindings.TableFunctionSetInit(f, callbacks.init)
	bindings.TableFunctionSetFunction(f, callbacks.read)
	if bindings.RegisterTableFunction(c.handle, f) == bindings.StateError {
		return sqlerr.New(sqlerr.InternalError, "DuckDB refuses the table function %s", name)
	}
	return nil
}

func (c *Conn) registerScalar(s *ScalarFunction) error {
	return c.registerFunction(s.Name, functionTypes(rows.Type{ID: rows.BigInt}), functionType(rows.Type{ID: rows.Boolean}), c.acting(s))
}

func (c *Conn) registerText(t *TextFunction) error {
	text := rows.Type{ID: rows.Varchar}
	return c.registerFunction(t.Name, functionTypes(slices.Repeat([]rows.Type{text}, t.Args)...), functionType(text), c.acting(t))
}

func (c *Conn) registerValue(v *ValueFunction) error {
	of := c.acting(v)
	of.volatile = false
	return c.registerFunction(v.Name, functionTypes(v.Params...), functionType(v.Result), of)
}

// functionTypes makes types of parameters, which registerFunction destroys.
func functionTypes(types ...rows.Type) []bindings.LogicalType {
	made := make([]bindings.LogicalType, len(types))
	for i, t := range types {
		made[i] = functionType(t)
	}
	return made
}

// functionType makes a type of a parameter or a result; the caller destroys it.
func functionType(t rows.Type) bindings.LogicalType {
	switch t.ID {
	case rows.List:
		item := bindings.CreateLogicalType(bindings.TypeVarchar)
		defer bindings.DestroyLogicalType(&item)
		return bindings.CreateListType(item)
	case rows.JSON:
		typ := bindings.CreateLogicalType(bindings.TypeVarchar)
		bindings.LogicalTypeSetAlias(typ, t.String())
		return typ
	}
	return bindings.CreateLogicalType(columnTypes[t.ID])
}

// called is a function that DuckDB calls for chunks of rows.
type called interface {
	call(by caller, in bindings.DataChunk, out bindings.Vector) error
}

// caller is the connection on whose behalf a function is called.
type caller struct {
	connID uint64
	stop   *texts.Stop
	merged *mergedRows
}

// function is how DuckDB calls a function of ours.
type function struct {
	extra, bind, call unsafe.Pointer
	// volatile: it acts, or answers for now, so DuckDB must not call it while planning.
	volatile bool
	// collates: the collations of its arguments are applied before.
	collates bool
}

// calledOf is a function of the connections of a database.
type calledOf struct {
	called
	db *DB
}

func (c *Conn) acting(f called) function {
	return function{extra: keep(calledOf{f, c.db}), bind: scalarBindCallback(), call: scalarCallCallback(), volatile: true}
}

// registerFunction makes a function known, in the place of one with its name and types.
func (c *Conn) registerFunction(name string, params []bindings.LogicalType, result bindings.LogicalType, of function) error {
	f := bindings.CreateScalarFunction()
	defer bindings.DestroyScalarFunction(&f)
	bindings.ScalarFunctionSetName(f, name)
	for _, param := range params {
		bindings.ScalarFunctionAddParameter(f, param)
		bindings.DestroyLogicalType(&param)
	}
	defer bindings.DestroyLogicalType(&result)
	bindings.ScalarFunctionSetReturnType(f, result)
	if of.volatile {
		bindings.ScalarFunctionSetVolatile(f)
	}
	if of.collates {
		if err := pushCollations(f); err != nil {
			return err
		}
	}
	bindings.ScalarFunctionSetExtraInfo(f, of.extra, releaseCallback())
	bindings.ScalarFunctionSetBind(f, of.bind)
	bindings.ScalarFunctionSetFunction(f, of.call)
	if bindings.RegisterScalarFunction(c.handle, f) == bindings.StateError {
		return sqlerr.New(sqlerr.InternalError, "DuckDB refuses the function %s", name)
	}
	return nil
}

// replaceNames lets SQL read the functions as tables.
func (db *DB) replaceNames(tables []TableFunction) {
	names := tableNames{}
	for i := range tables {
		names[tables[i].Name] = true
	}
	bindings.AddReplacementScan(db.handle, replaceCallback(), keep(names), releaseCallback())
}

// tableNames are the names of table functions, in lower case.
type tableNames map[string]bool

// function returns the function that a table name which nothing else has stands
// for.
func (n tableNames) function(name string) (string, bool) {
	name = strings.ToLower(strings.ReplaceAll(name, `"`, ""))
	name = strings.TrimPrefix(name, "pg_catalog.")
	return name, n[name]
}

// reading is a table function that is read: its rows, of which next is the first
// that is still to be delivered. DuckDB reads with one thread.
type reading struct {
	rows    *rows.Batch
	storage []bindings.Type
	next    int
}

// newReading takes the rows of a table.
func newReading(t *TableFunction, connID uint64) (*reading, error) {
	batch, err := t.Rows(connID)
	if err != nil {
		return nil, err
	}
	r := &reading{rows: batch}
	for _, col := range t.Columns {
		r.storage = append(r.storage, columnTypes[col.Type.ID])
	}
	return r, nil
}

// fill delivers the next rows.
func (r *reading) fill(out bindings.DataChunk) {
	n := min(r.rows.N-r.next, int(bindings.VectorSize()))
	for i := range r.rows.Cols {
		writeVector(bindings.DataChunkGetVector(out, bindings.IdxT(i)), r.storage[i], &r.rows.Cols[i], r.next, r.next+n)
	}
	bindings.DataChunkSetSize(out, bindings.IdxT(n))
	r.next += n
}

// columnTypes are the types that columns of table functions may have.
var columnTypes = map[rows.TypeID]bindings.Type{
	rows.BigInt: bindings.TypeBigInt, rows.Integer: bindings.TypeInteger, rows.Double: bindings.TypeDouble,
	rows.Varchar: bindings.TypeVarchar, rows.Boolean: bindings.TypeBoolean, rows.TimestampTZ: bindings.TypeTimestampTZ,
}

// declare tells DuckDB the columns.
func (t *TableFunction) declare(info bindings.BindInfo) error {
	for _, col := range t.Columns {
		id, ok := columnTypes[col.Type.ID]
		if !ok {
			return fmt.Errorf("a column of type %s", col.Type)
		}
		typ := bindings.CreateLogicalType(id)
		bindings.BindAddResultColumn(info, col.Name, typ)
		bindings.DestroyLogicalType(&typ)
	}
	return nil
}

// stateMark begins the text of an error that brings its SQLSTATE through DuckDB.
const stateMark = "SQLSTATE "

// hintMark is before the hint of such an error.
const hintMark = "\nHINT: "

// marked is the text of an error of a function of ours.
func marked(err error) string {
	var e *sqlerr.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	text := stateMark + e.Code + ": " + e.Message
	if e.Hint != "" {
		text += hintMark + e.Hint
	}
	return text
}

// ofConnections matches what is no SQLSTATE of a statement's: one that is about the connection ends
// it, and is never in a text.
var ofConnections = regexp.MustCompile(`^(25P0[34]|57P.*|08.*|.*[^0-9A-Z].*)$`)

// unmarked takes the SQLSTATE out of an error's text, or out of a text that DuckDB
// could not cast: statements that must fail have one. Users may raise errors with texts like it.
func unmarked(text string) (code, message string, ok bool) {
	_, rest, ok := strings.Cut(text, stateMark)
	if !ok {
		return "", text, false
	}
	code, message, ok = strings.Cut(strings.TrimSuffix(rest, "' to INT32"), ": ")
	return code, message, ok && len(code) == 5 && !ofConnections.MatchString(code)
}
