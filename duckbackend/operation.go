package duckbackend

import (
	"bytes"
	"errors"
	"slices"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/trireme-db/trireme/duckbackend/texts"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// textOperation is a function on texts that stands in the place of DuckDB's function with
// this name and these types. DuckDB's own neither asks whether its statement was
// interrupted, nor is bounded in what it takes: of 200 bytes without b, LIKE of a column
// '%a%a%a%b' takes 0.2 s, and with one % more over 10 s (release 1.5.6).
type textOperation struct {
	name    string
	texts   int  // how many arguments are texts
	limited bool // a DOUBLE follows them: results below it are 0
	returns bindings.Type
	// call calculates a row into result, which has the type returns.
	call func(w *textWork, args [3][]byte, limit float64, result unsafe.Pointer) error
}

// textWork is what the rows of a chunk have in common.
type textWork struct {
	stop *texts.Stop
	// text and pattern are in lower case; pattern is that of folded.
	text, pattern, folded []byte
}

// textOperations are all of them, in groups that are alike.
func textOperations() []*textOperation {
	ops := []*textOperation{
		distance("levenshtein", texts.Levenshtein), distance("editdist3", texts.Levenshtein), distance("damerau_levenshtein", texts.Damerau),
		{name: "~~~", texts: 2, returns: bindings.TypeBoolean, call: func(w *textWork, args [3][]byte, _ float64, result unsafe.Pointer) (err error) {
			*(*bool)(result), err = texts.Glob(w.stop, args[0], args[1])
			return err
		}},
	}
	for name, f := range map[string]func(a, b []byte) float64{"jaro_similarity": texts.Jaro, "jaro_winkler_similarity": texts.JaroWinkler} {
		ops = append(ops, similarity(name, f, false), similarity(name, f, true))
	}
	for name, escape := range map[string]string{"~~": "like_escape", "!~~": "not_like_escape", "~~*": "ilike_escape", "!~~*": "not_ilike_escape"} {
		not, fold := name[0] == '!', name[len(name)-1] == '*'
		ops = append(ops, like(name, false, not, fold), like(escape, true, not, fold))
	}
	return ops
}

func distance(name string, of func(stop *texts.Stop, a, b []byte) (int64, error)) *textOperation {
	return &textOperation{name: name, texts: 2, returns: bindings.TypeBigInt, call: func(w *textWork, args [3][]byte, _ float64, result unsafe.Pointer) (err error) {
		*(*int64)(result), err = of(w.stop, args[0], args[1])
		return err
	}}
}

func similarity(name string, of func(a, b []byte) float64, limited bool) *textOperation {
	return &textOperation{name: name, texts: 2, limited: limited, returns: bindings.TypeDouble, call: func(_ *textWork, args [3][]byte, limit float64, result unsafe.Pointer) error {
		s := of(args[0], args[1])
		if s < limit {
			s = 0
		}
		*(*float64)(result) = s
		return nil
	}}
}

func like(name string, escaped, not, fold bool) *textOperation {
	op := &textOperation{name: name, texts: 2, returns: bindings.TypeBoolean}
	if escaped {
		op.texts = 3
	}
	op.call = func(w *textWork, args [3][]byte, _ float64, result unsafe.Pointer) error {
		escape := texts.NoEscape
		switch {
		case len(args[2]) > 1:
			return sqlerr.New(sqlerr.InvalidEscape, "Invalid escape string. Escape string must be empty or one character.")
		case len(args[2]) == 1:
			escape = int(args[2][0])
		case escaped:
			escape = 0
		}
		text, pattern := args[0], args[1]
		if fold {
			text, pattern = w.fold(text, pattern)
		}
		matches, err := texts.Like(w.stop, text, pattern, escape)
		*(*bool)(result) = matches != not
		return err
	}
	return op
}

// replaceFunctions puts the operations in the places of DuckDB's functions.
func (db *DB) replaceFunctions() error {
	if !replacesFunctions {
		return nil
	}
	conn, err := db.connect()
	if err != nil {
		return err
	}
	for _, op := range textOperations() {
		params := functionTypes(slices.Repeat([]rows.Type{{ID: rows.Varchar}}, op.texts)...)
		if op.limited {
			params = append(params, bindings.CreateLogicalType(bindings.TypeDouble))
		}
		err := conn.registerFunction(op.name, params, bindings.CreateLogicalType(op.returns), function{extra: keep(operationOf{db, op}), bind: operationBindCallback(), call: operationCallCallback(), collates: op.returns == bindings.TypeBoolean})
		if err != nil {
			_ = conn.Close() // nothing was done on it
			return err
		}
	}
	return conn.Close()
}

// operationOf is an operation of the connections of a database.
type operationOf struct {
	db *DB
	op *textOperation
}

// fold is a text and a pattern in lower case, until the next call.
func (w *textWork) fold(text, pattern []byte) (lowerText, lowerPattern []byte) {
	w.text = appendLower(w.text[:0], text)
	if w.folded == nil || !bytes.Equal(w.folded, pattern) { // it seldom changes from row to row
		w.folded, w.pattern = pattern, appendLower(w.pattern[:0], pattern)
	}
	return w.text, w.pattern
}

// argument is an argument of a function in a chunk.
type argument struct{ data, valid unsafe.Pointer }

func (c argument) isValid(i int) bool {
	return c.valid == nil || at[uint64](c.valid, i>>6)&(1<<(uint(i)&63)) != 0
}

// run calculates the rows of a chunk.
func (o *textOperation) run(stop *texts.Stop, in bindings.DataChunk, out bindings.Vector) error {
	var columns [4]argument
	for c := range bindings.DataChunkGetColumnCount(in) {
		vec := bindings.DataChunkGetVector(in, c)
		columns[c] = argument{bindings.VectorGetData(vec), bindings.VectorGetValidity(vec)}
	}
	results := bindings.VectorGetData(out)
	size := map[bindings.Type]int{bindings.TypeBoolean: 1, bindings.TypeBigInt: 8, bindings.TypeDouble: 8}[o.returns]
	w := &textWork{stop: stop}
rows:
	for i := range int(bindings.DataChunkGetSize(in)) {
		for _, c := range columns {
			if !c.isValid(i) {
				bindings.VectorEnsureValidityWritable(out)
				bindings.ValiditySetRowInvalid(bindings.VectorGetValidity(out), bindings.IdxT(i))
				continue rows
			}
		}
		var args [3][]byte
		for c := range o.texts {
			args[c] = stringBytes(columns[c].data, i)
		}
		limit := 0.0
		if o.limited {
			limit = at[float64](columns[o.texts].data, i)
		}
		err := o.call(w, args, limit, unsafe.Add(results, i*size))
		if errors.Is(err, texts.ErrStopped) {
			return errInterrupted()
		}
		if err != nil {
			return err
		}
	}
	return nil
}
