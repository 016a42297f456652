//go:build !duckdb_use_lib

package duckbackend

// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb20SequenceCatalogEntry9NextValueERNS_15DuckTransactionE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb20SequenceCatalogEntry12CurrentValueEv
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb13WriteAheadLog18WriteSequenceValueENS_13SequenceValueE
// #include "allocate.h"
// #include "sequence.h"
import "C"

// NotesDrawn: it is noted which connection has drawn which numbers.
const NotesDrawn = true

// takeDrawn adds the sequences of which the connection has drawn numbers since the last call.
func (c *Conn) takeDrawn() (sequences []uint64) {
	var some [16]uint64
	for {
		n := C.triremeTakeDrawn(c.context, (*C.uint64_t)(&some[0]), C.size_t(len(some)))
		sequences = append(sequences, some[:n]...)
		if n < C.size_t(len(some)) {
			return sequences
		}
	}
}

func (c *Conn) noteDrawn(sequence uint64, number int64) bool {
	return C.triremeNoteDrawn(c.context, C.uint64_t(sequence), C.int64_t(number)) != 0
}

// lastDrawn is what lastval says where this thread evaluates it; false: nothing.
func lastDrawn() (int64, bool) {
	var number C.int64_t
	context := C.triremeEvaluating()
	if context == nil || C.triremeLastDrawn(context, &number) == 0 {
		return 0, false
	}
	return int64(number), true
}

func (c *Conn) forgetNumbers() { C.triremeForgetNumbers(c.context) }
func (c *Conn) forgetDrawn()   { C.triremeForgetDrawn(c.context) }

func (c *Conn) setLogging(logging C.int) bool { return C.triremeLogging(c.context, logging) != 0 }

// logging calls fn, in which nextval only logs how far sequences have counted; false: there is no
// memory for that.
func (c *Conn) logging(fn func() error) (bool, error) {
	if !c.setLogging(1) {
		return false, nil
	}
	defer c.setLogging(0)
	return true, fn()
}
