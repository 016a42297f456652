package duckbackend

import (
	"errors"
	"slices"
	"sync"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// MergeOnce is the function that the conditions of a MERGE call with the number of a row that is
// to be changed: it is true, and an error for a row that the statement has changed before. DuckDB
// itself takes one of several source rows for a row, whichever comes first.
const MergeOnce = "trireme_merge_once"

// mergeOnce is that function.
type mergeOnce struct{}

// registerMergeOnce makes it known.
func (db *DB) registerMergeOnce() error {
	conn, err := db.connect()
	if err != nil {
		return err
	}
	err = conn.registerFunction(MergeOnce, functionTypes(rows.Type{ID: rows.BigInt}), functionType(rows.Type{ID: rows.Boolean}), conn.acting(mergeOnce{}))
	return errors.Join(err, conn.Close())
}

// call notes the rows of a chunk. None is NULL: those of other sources have no match.
func (mergeOnce) call(by caller, in bindings.DataChunk, out bindings.Vector) error {
	n := int(bindings.DataChunkGetSize(in))
	if n == 0 {
		return nil
	}
	ids := unsafe.Slice((*int64)(bindings.VectorGetData(bindings.DataChunkGetVector(in, 0))), n)
	results := unsafe.Slice((*bool)(bindings.VectorGetData(out)), n)
	for i := range results {
		results[i] = true
	}
	if slices.Min(ids) < 0 {
		return sqlerr.New(codeOfType["Invalid Input"], "a row has no negative number")
	}
	if !by.merged.add(ids) {
		return sqlerr.New(cardinalityViolation, "MERGE command cannot affect row a second time").
			WithHint("Ensure that not more than one source row matches any one target row.")
	}
	return nil
}

// mergedRows are the rows that a statement has changed, a bit each: the numbers of a table's rows
// are dense.
type mergedRows struct {
	mu     sync.Mutex
	blocks map[int64]*[mergedBlock / 64]uint64
}

// mergedBlock is how many numbers a block has.
const mergedBlock = 1 << 14

// add notes rows; false: one of them is there.
func (m *mergedRows) add(ids []int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		block := m.blocks[id/mergedBlock]
		if block == nil {
			if m.blocks == nil {
				m.blocks = map[int64]*[mergedBlock / 64]uint64{}
			}
			block = new([mergedBlock / 64]uint64)
			m.blocks[id/mergedBlock] = block
		}
		word, bit := id%mergedBlock/64, uint64(1)<<(id%64)
		if block[word]&bit != 0 {
			return false
		}
		block[word] |= bit
	}
	return true
}

// forget ends what a statement has changed.
func (m *mergedRows) forget() {
	m.mu.Lock()
	m.blocks = nil
	m.mu.Unlock()
}
