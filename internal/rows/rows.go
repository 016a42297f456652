// Package rows says what a result is: columns with SQL types, batches of
// column vectors, and the Cursor that delivers them.
//
// Invariants:
//
//	R1. A Batch, and every slice in it, is valid until the next call of Next or
//	    Close on the Cursor that returned it. Who keeps data copies it.
//	R2. In a Vector exactly the slice named by Type.Physical() is used; it has
//	    at least N elements. An element whose row is NULL has an arbitrary value.
//	R3. A Cursor is used by one goroutine at a time. Close is idempotent and
//	    must be called, also after an error.
package rows

import (
	"context"
	"unsafe"

	"github.com/trireme-db/trireme/einsum/semiring"
)

// TypeID names a SQL type of DuckDB.
type TypeID uint8

// The SQL types. Other stands for types that only DuckDB handles (UNION, MAP,
// VARIANT, GEOMETRY, ...); their values travel as DuckDB's text.
const (
	Invalid TypeID = iota
	SQLNull
	Boolean
	TinyInt
	SmallInt
	Integer
	BigInt
	HugeInt
	UTinyInt
	USmallInt
	UInteger
	UBigInt
	UHugeInt
	Float
	Double
	Decimal
	Varchar
	Blob
	Bit
	Date
	Time
	TimeTZ
	Timestamp
	TimestampS
	TimestampMS
	TimestampNS
	TimestampTZ
	Interval
	UUID
	Enum
	JSON
	// OID is UINTEGER where it is the number of an object of Postgres' catalog.
	OID
	// The types of columns of Postgres' catalog whose values are texts in DuckDB: names,
	// single characters, expressions, lists of privileges, and the names of objects.
	Name
	Char
	NodeTree
	// JSONB is JSON, of which clients are told by this name.
	JSONB
	ACL
	RegProc
	RegClass
	RegType
	RegNamespace
	RegRole
	// NameList is a list of names, VARCHAR[].
	NameList
	// Int2Vector and OIDVector are lists there, SMALLINT[] and UINTEGER[].
	Int2Vector
	OIDVector
	List
	Array
	Struct
	Other
)

// Type is a SQL type. Types are comparable with ==; List and Array carry
// their element type in Name only.
type Type struct {
	ID    TypeID
	Width uint8 // DECIMAL: number of digits
	Scale uint8 // DECIMAL: digits after the point
	// Name is DuckDB's spelling where ID does not determine it (ENUM, LIST,
	// STRUCT, Other), else empty. Type.String gives the spelling of any type.
	Name string
}

// BareNumeric is the type of NUMERIC and DECIMAL without a precision.
var BareNumeric = Type{ID: Decimal, Width: 38, Scale: 10}

// Physical says which slice of a Vector holds the values of a type.
type Physical uint8

const (
	// PhysInt64: BOOLEAN (0, 1), integers of at most 64 bits but UBIGINT, DATE
	// (days since 1970-01-01), TIME and TIMESTAMP (microseconds; S, MS and NS in
	// their own unit), DECIMAL of at most 18 digits (unscaled).
	PhysInt64 Physical = iota
	// PhysInt128: HUGEINT, UBIGINT, DECIMAL of more than 18 digits (unscaled).
	PhysInt128
	// PhysFloat64: FLOAT (widened), DOUBLE.
	PhysFloat64
	// PhysString: VARCHAR, ENUM, JSON, those of Postgres' catalog (text); BLOB (the
	// bytes); UUID, UHUGEINT, TIMETZ, BIT and all nested types as DuckDB's text.
	PhysString
	// PhysInterval: INTERVAL.
	PhysInterval
)

// Physical returns the representation of values of type t.
func (t Type) Physical() Physical {
	switch t.ID {
	case Boolean, TinyInt, SmallInt, Integer, BigInt, UTinyInt, USmallInt, UInteger, OID,
		Date, Time, Timestamp, TimestampS, TimestampMS, TimestampNS, TimestampTZ, SQLNull:
		return PhysInt64
	case HugeInt, UBigInt:
		return PhysInt128
	case Decimal:
		if t.Width <= 18 {
			return PhysInt64
		}
		return PhysInt128
	case Float, Double:
		return PhysFloat64
	case Interval:
		return PhysInterval
	default:
		return PhysString
	}
}

// IsInteger reports whether t is one of the exact integer types.
func (t Type) IsInteger() bool { return t.ID >= TinyInt && t.ID <= UHugeInt }

// IsJSONList reports whether values are lists of JSON. DuckDB casts a text to such a type
// as JSON itself, where it casts one to other lists element by element.
func (t Type) IsJSONList() bool { return t.ID == List && t.Name == "JSON[]" }

// IsExact reports whether t is an integer or DECIMAL.
func (t Type) IsExact() bool { return t.IsInteger() || t.ID == Decimal }

// IsFloat reports whether t is FLOAT or DOUBLE.
func (t Type) IsFloat() bool { return t.ID == Float || t.ID == Double }

// Column is a named, typed column of a result.
type Column struct {
	Name string
	Type Type
}

// Origin is the column of a table that a result's column is, and the type of the user's
// that it has. The zero Origin is neither.
type Origin struct {
	Table  uint32 // its OID
	Column int    // from 1
	Type   uint32 // the OID of an enumeration
}

// IntervalValue is DuckDB's INTERVAL: three fields that do not mix.
type IntervalValue struct {
	Months int32
	Days   int32
	Micros int64
}

// Vector is one column of a Batch (see R1, R2).
type Vector struct {
	Type Type
	// Nulls has bit i set (word i/64) where row i is NULL; nil: no row is.
	Nulls []uint64
	I64   []int64
	I128  []semiring.Int128
	F64   []float64
	Str   []string
	Ivl   []IntervalValue
}

// IsNull reports whether row i is NULL.
func (v *Vector) IsNull(i int) bool {
	return v.Nulls != nil && v.Nulls[i>>6]&(1<<(uint(i)&63)) != 0
}

// SetNull marks row i of a vector of n rows as NULL.
func (v *Vector) SetNull(i, n int) {
	if v.Nulls == nil {
		v.Nulls = make([]uint64, (n+63)/64)
	}
	v.Nulls[i>>6] |= 1 << (uint(i) & 63)
}

// Batch is a horizontal slice of a result: N rows, one Vector per column.
type Batch struct {
	N    int
	Cols []Vector
}

// Bytes is how much memory the batch takes, but for its NULLs. Texts that values share
// count for each of them.
func (b *Batch) Bytes() int {
	bytes := 0
	for i := range b.Cols {
		v := &b.Cols[i]
		bytes += sizeOf(v.I64) + sizeOf(v.I128) + sizeOf(v.F64) + sizeOf(v.Str) + sizeOf(v.Ivl)
		for _, s := range v.Str {
			bytes += len(s)
		}
	}
	return bytes
}

func sizeOf[T any](values []T) int {
	var zero T
	return len(values) * int(unsafe.Sizeof(zero))
}

// Cursor delivers a result batch by batch.
type Cursor interface {
	// Columns returns the columns, known before the first batch.
	Columns() []Column
	// Next returns the next batch with at least one row, or nil at the end.
	// It stops with the context's error when ctx is done.
	Next(ctx context.Context) (*Batch, error)
	Close() error
}
