package duckbackend

/*
#include <stdint.h>
#include <stdlib.h>

extern void triremeRelease(void *);
extern void *triremeCopy(void *);
extern void triremeTableBind(void *);
extern void triremeTableInit(void *);
extern void triremeTableRead(void *, void *);
extern void triremeScalarBind(void *);
extern void triremeOperationBind(void *);
extern void triremeReplace(void *, char *, void *);
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime/cgo"
	"slices"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/trireme-db/trireme/duckbackend/texts"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// DuckDB calls functions of ours through C. What belongs to one is kept by a
// handle in memory of C's, because DuckDB may not hold pointers of Go's. A panic
// must not pass through C: it becomes the statement's error.

// keep makes a handle for v that DuckDB may hold until triremeRelease.
func keep(v any) unsafe.Pointer {
	p := C.malloc(C.size_t(unsafe.Sizeof(cgo.Handle(0))))
	*(*cgo.Handle)(p) = cgo.NewHandle(v)
	return p
}

// kept returns what keep was given.
func kept[T any](p unsafe.Pointer) T { return (*(*cgo.Handle)(p)).Value().(T) }

func releaseCallback() unsafe.Pointer       { return unsafe.Pointer(C.triremeRelease) }
func copyCallback() unsafe.Pointer          { return unsafe.Pointer(C.triremeCopy) }
func tableBindCallback() unsafe.Pointer     { return unsafe.Pointer(C.triremeTableBind) }
func tableInitCallback() unsafe.Pointer     { return unsafe.Pointer(C.triremeTableInit) }
func tableReadCallback() unsafe.Pointer     { return unsafe.Pointer(C.triremeTableRead) }
func scalarBindCallback() unsafe.Pointer    { return unsafe.Pointer(C.triremeScalarBind) }
func operationBindCallback() unsafe.Pointer { return unsafe.Pointer(C.triremeOperationBind) }
func replaceCallback() unsafe.Pointer       { return unsafe.Pointer(C.triremeReplace) }

// guarded calls f and gives its error, or its panic, to fail. Neither is refused memory.
func guarded(fail func(string), f func() error) {
	_ = unfailing(func() error {
		if err := withoutPanic(f); err != nil {
			fail(sqlerr.Shortened(marked(err)))
		}
		return nil
	})
}

// limitClasses begin the SQLSTATEs of limits: insufficient resources, program limits, and the
// end of a statement by others.
var limitClasses = []string{"53", "54", "57"}

// limited calls f, a function of ours that DuckDB has called for rows. Its error goes to fail, or is
// returned where it is a limit: what a statement gets no more of, and not what is wrong
// with a value. The caller frees that text.
func limited(fail func(string), f func() error) (limit *C.char) {
	guarded(fail, func() error {
		err := f()
		if e := (*sqlerr.Error)(nil); raisesLimits && errors.As(err, &e) && slices.Contains(limitClasses, e.Code[:2]) {
			limit = C.CString(sqlerr.Shortened(marked(err)))
			return nil
		}
		return err
	})
	return limit
}

// withoutPanic calls f and makes an error of its panic.
func withoutPanic(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.New(fmt.Sprint(p))
		}
	}()
	return f()
}

//export triremeRelease
func triremeRelease(p unsafe.Pointer) {
	(*(*cgo.Handle)(p)).Delete()
	C.free(p)
}

//export triremeCopy
func triremeCopy(p unsafe.Pointer) unsafe.Pointer { return keep(kept[any](p)) }

//export triremeTableBind
func triremeTableBind(p unsafe.Pointer) {
	info := bindings.BindInfo{Ptr: p}
	guarded(func(text string) { bindings.BindSetError(info, text) }, func() error {
		var client bindings.ClientContext
		bindings.TableFunctionGetClientContext(info, &client)
		defer bindings.DestroyClientContext(&client)
		bindings.BindSetBindData(info, keep(uint64(bindings.ClientContextGetConnectionId(client))), releaseCallback())
		return kept[*TableFunction](bindings.BindGetExtraInfo(info)).declare(info)
	})
}

//export triremeTableInit
func triremeTableInit(p unsafe.Pointer) {
	info := bindings.InitInfo{Ptr: p}
	guarded(func(text string) { bindings.InitSetError(info, text) }, func() error {
		connID := kept[uint64](bindings.InitGetBindData(info))
		r, err := newReading(kept[*TableFunction](bindings.InitGetExtraInfo(info)), connID)
		if err != nil {
			return err
		}
		bindings.InitSetMaxThreads(info, 1)
		bindings.InitSetInitData(info, keep(r), releaseCallback())
		return nil
	})
}

//export triremeTableRead
func triremeTableRead(p, chunk unsafe.Pointer) {
	info := bindings.FunctionInfo{Ptr: p}
	guarded(func(text string) { bindings.FunctionSetError(info, text) }, func() error {
		kept[*reading](bindings.FunctionGetInitData(info)).fill(bindings.DataChunk{Ptr: chunk})
		return nil
	})
}

//export triremeScalarBind
func triremeScalarBind(p unsafe.Pointer) {
	info := bindings.BindInfo{Ptr: p}
	guarded(func(text string) { bindings.ScalarFunctionBindSetError(info, text) }, func() error {
		var client bindings.ClientContext
		bindings.ScalarFunctionGetClientContext(info, &client)
		defer bindings.DestroyClientContext(&client)
		of, id := kept[calledOf](bindings.ScalarFunctionBindGetExtraInfo(info)), uint64(bindings.ClientContextGetConnectionId(client))
		bindings.ScalarFunctionSetBindData(info, keep(of.db.callerOf(id)), releaseCallback())
		bindings.ScalarFunctionSetBindDataCopy(info, copyCallback())
		if v, ok := of.called.(*ValueFunction); ok {
			return v.admit(info)
		}
		return nil
	})
}

//export triremeScalarCall
func triremeScalarCall(p, input, output unsafe.Pointer) *C.char {
	info, in, out := bindings.FunctionInfo{Ptr: p}, bindings.DataChunk{Ptr: input}, bindings.Vector{Ptr: output}
	return limited(func(text string) { bindings.ScalarFunctionSetError(info, text) }, func() error {
		f := kept[calledOf](bindings.ScalarFunctionGetExtraInfo(info))
		return f.call(kept[caller](bindings.ScalarFunctionGetBindData(info)), in, out)
	})
}

// call calls the function for every row of a chunk.
func (s *ScalarFunction) call(by caller, in bindings.DataChunk, out bindings.Vector) error {
	n := int(bindings.DataChunkGetSize(in))
	if n == 0 {
		return nil
	}
	vec := bindings.DataChunkGetVector(in, 0)
	args := unsafe.Slice((*int64)(bindings.VectorGetData(vec)), n)
	results := unsafe.Slice((*bool)(bindings.VectorGetData(out)), n)
	valid := bindings.VectorGetValidity(vec)
	for i := range n {
		if valid != nil && !bindings.ValidityRowIsValid(valid, bindings.IdxT(i)) {
			bindings.VectorEnsureValidityWritable(out)
			bindings.ValiditySetRowInvalid(bindings.VectorGetValidity(out), bindings.IdxT(i))
			continue
		}
		ok, err := s.Call(by.connID, args[i])
		if err != nil {
			return err
		}
		results[i] = ok
	}
	return nil
}

// call calls the function for every row of a chunk.
func (t *TextFunction) call(by caller, in bindings.DataChunk, out bindings.Vector) error {
	args, vecs := make([]string, t.Args), make([]bindings.Vector, t.Args)
	for c := range vecs {
		vecs[c] = bindings.DataChunkGetVector(in, bindings.IdxT(c))
	}
	for i := range int(bindings.DataChunkGetSize(in)) {
		given := true
		for c, vec := range vecs {
			if given = given && isValid(vec, i); given {
				args[c] = string(stringBytes(bindings.VectorGetData(vec), i))
			}
		}
		answer, ok := "", false
		if given {
			var err error
			answer, ok, err = t.Call(by.connID, args)
			if by.stop.IsSet() {
				return errInterrupted()
			}
			if err != nil {
				return err
			}
		}
		if !ok {
			bindings.VectorEnsureValidityWritable(out)
			bindings.ValiditySetRowInvalid(bindings.VectorGetValidity(out), bindings.IdxT(i))
			continue
		}
		bindings.VectorAssignStringElementLen(out, bindings.IdxT(i), []byte(answer))
	}
	return nil
}

//export triremeOperationBind
func triremeOperationBind(p unsafe.Pointer) {
	info := bindings.BindInfo{Ptr: p}
	guarded(func(text string) { bindings.ScalarFunctionBindSetError(info, text) }, func() error {
		var client bindings.ClientContext
		bindings.ScalarFunctionGetClientContext(info, &client)
		defer bindings.DestroyClientContext(&client)
		of := kept[operationOf](bindings.ScalarFunctionBindGetExtraInfo(info))
		stop := of.db.stopOf(uint64(bindings.ClientContextGetConnectionId(client)))
		bindings.ScalarFunctionSetBindData(info, keep(stop), releaseCallback())
		bindings.ScalarFunctionSetBindDataCopy(info, copyCallback())
		return nil
	})
}

//export triremeOperationCall
func triremeOperationCall(p, input, output unsafe.Pointer) *C.char {
	info, in, out := bindings.FunctionInfo{Ptr: p}, bindings.DataChunk{Ptr: input}, bindings.Vector{Ptr: output}
	return limited(func(text string) { bindings.ScalarFunctionSetError(info, text) }, func() error {
		of := kept[operationOf](bindings.ScalarFunctionGetExtraInfo(info))
		return of.op.run(kept[*texts.Stop](bindings.ScalarFunctionGetBindData(info)), in, out)
	})
}

// call calls the function for every row of a chunk.
func (v *ValueFunction) call(by caller, in bindings.DataChunk, out bindings.Vector) error {
	args := make([]any, len(v.Params))
	for i := range int(bindings.DataChunkGetSize(in)) {
		given := true
		for c, t := range v.Params {
			if args[c] = argumentAt(t, bindings.DataChunkGetVector(in, bindings.IdxT(c)), i); args[c] == nil {
				given = false
				break
			}
		}
		var answer any
		if given {
			var err error
			answer, err = v.Call(by.stop.IsSet, args)
			if by.stop.IsSet() {
				return errInterrupted()
			}
			if err != nil {
				return err
			}
		}
		switch answer := answer.(type) {
		case string:
			bindings.VectorAssignStringElementLen(out, bindings.IdxT(i), []byte(answer))
		case bool:
			unsafe.Slice((*bool)(bindings.VectorGetData(out)), i+1)[i] = answer
		default:
			bindings.VectorEnsureValidityWritable(out)
			bindings.ValiditySetRowInvalid(bindings.VectorGetValidity(out), bindings.IdxT(i))
		}
	}
	return nil
}

// admit refuses arguments that are not JSON, or texts, where JSON is wanted, and texts alone that
// are not constants: DuckDB makes JSON of everything.
func (v *ValueFunction) admit(info bindings.BindInfo) error {
	wanted, given := 0, 0
	for i, t := range v.Params {
		if t.ID != rows.JSON {
			continue
		}
		wanted++
		id, alias, constant, err := v.typeOfArgument(info, i)
		if err != nil {
			return err
		}
		switch id {
		case bindings.TypeVarchar:
			if alias == t.String() || constant {
				given++
			}
		case bindings.TypeStringLiteral, bindings.TypeSQLNull, bindings.TypeInvalid: // becomes what is wanted
			given++
		default:
			return sqlerr.New(sqlerr.UndefinedFunction, "%s takes JSON as its argument %d", v.Name, i+1)
		}
	}
	if wanted > 0 && given == 0 {
		return sqlerr.New(sqlerr.UndefinedFunction, "%s takes JSON, not texts", v.Name).WithHint("Cast the text: x::jsonb.")
	}
	return nil
}

// typeOfArgument is the type of an argument, with its name where it has one, and whether it is
// constant. DuckDB copies the argument to tell of it, which it does not for a subquery.
func (v *ValueFunction) typeOfArgument(info bindings.BindInfo, i int) (id bindings.Type, alias string, constant bool, err error) {
	arg := bindings.ScalarFunctionBindGetArgument(info, bindings.IdxT(i))
	if arg.Ptr == nil {
		return bindings.TypeInvalid, "", false, sqlerr.New(sqlerr.FeatureNotSupported, "%s takes no subquery as its argument %d", v.Name, i+1).
			WithHint("Put the subquery into FROM and give its column: SELECT f(q.x) FROM (SELECT ..) q(x).")
	}
	defer bindings.DestroyExpression(&arg)
	typ := bindings.ExpressionReturnType(arg)
	if typ.Ptr == nil { // an argument that is not bound yet
		return bindings.TypeInvalid, "", false, nil
	}
	defer bindings.DestroyLogicalType(&typ)
	return bindings.GetTypeId(typ), bindings.LogicalTypeGetAlias(typ), bindings.ExpressionIsFoldable(arg), nil
}

// argumentAt is element i of a vector as a ValueFunction gets it; nil: it is NULL.
func argumentAt(t rows.Type, vec bindings.Vector, i int) any {
	if !isValid(vec, i) {
		return nil
	}
	data := bindings.VectorGetData(vec)
	switch t.ID {
	case rows.BigInt:
		return at[int64](data, i)
	case rows.Boolean:
		return at[bool](data, i)
	case rows.List:
		entry := at[bindings.ListEntry](data, i)
		from, n := bindings.ListEntryMembers(&entry)
		child := bindings.ListVectorGetChild(vec)
		list := make([]*string, n)
		for k := range list {
			if isValid(child, int(from)+k) {
				item := string(stringBytes(bindings.VectorGetData(child), int(from)+k))
				list[k] = &item
			}
		}
		return list
	}
	return string(stringBytes(data, i))
}

//export triremeReplace
func triremeReplace(p unsafe.Pointer, name *C.char, data unsafe.Pointer) {
	info := bindings.ReplacementScanInfo{Ptr: p}
	guarded(func(text string) { bindings.ReplacementScanSetError(info, text) }, func() error {
		if f, ok := kept[tableNames](data).function(C.GoString(name)); ok {
			bindings.ReplacementScanSetFunctionName(info, f)
		}
		return nil
	})
}
