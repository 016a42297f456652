package duckbackend

import (
	"errors"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// LastValue is the function of Postgres' lastval(): what currval says of the sequence of which the connection has drawn
// a number last. It is known where NotesDrawn is true.
const LastValue = "trireme_lastval"

// lastValue is that function.
type lastValue struct{}

// registerLastValue makes it known.
func (db *DB) registerLastValue() error {
	conn, err := db.connect()
	if err != nil {
		return err
	}
	err = conn.registerFunction(LastValue, nil, functionType(rows.Type{ID: rows.BigInt}), conn.acting(lastValue{}))
	return errors.Join(err, conn.Close())
}

func (lastValue) call(_ caller, in bindings.DataChunk, out bindings.Vector) error {
	n := int(bindings.DataChunkGetSize(in))
	if n == 0 {
		return nil
	}
	number, ok := lastDrawn()
	if !ok {
		return sqlerr.New(sqlerr.NotInState, "lastval is not yet defined in this session")
	}
	results := unsafe.Slice((*int64)(bindings.VectorGetData(out)), n)
	for i := range results {
		results[i] = number
	}
	return nil
}
