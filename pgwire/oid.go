package pgwire

import (
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/trireme-db/trireme/internal/rows"
)

// wireType is a SQL type as RowDescription states it.
type wireType struct {
	oid    uint32
	size   int16 // bytes; -1: variable
	typmod int32 // -1: none
}

// numericTypmod is Postgres's packing of precision and scale.
func numericTypmod(width, scale uint8) int32 { return (int32(width)<<16 | int32(scale)) + 4 }

// wireTypeOf maps a SQL type of DuckDB to the Postgres type that holds all its
// values. Types that Postgres has no counterpart for travel as text.
func wireTypeOf(t rows.Type) wireType {
	if item, ok := elementType(t); ok {
		return wireType{arrayOIDs[wireTypeOf(item).oid], -1, -1}
	}
	switch t.ID {
	case rows.Boolean:
		return wireType{pgtype.BoolOID, 1, -1}
	case rows.TinyInt, rows.SmallInt, rows.UTinyInt:
		return wireType{pgtype.Int2OID, 2, -1}
	case rows.Integer, rows.USmallInt:
		return wireType{pgtype.Int4OID, 4, -1}
	case rows.BigInt, rows.UInteger:
		return wireType{pgtype.Int8OID, 8, -1}
	case rows.HugeInt, rows.UBigInt, rows.UHugeInt:
		return wireType{pgtype.NumericOID, -1, -1}
	case rows.Decimal:
		if t.Width == 0 || t == rows.BareNumeric {
			return wireType{pgtype.NumericOID, -1, -1}
		}
		return wireType{pgtype.NumericOID, -1, numericTypmod(t.Width, t.Scale)}
	case rows.OID:
		return wireType{pgtype.OIDOID, 4, -1}
	case rows.Float:
		return wireType{pgtype.Float4OID, 4, -1}
	case rows.Double:
		return wireType{pgtype.Float8OID, 8, -1}
	case rows.Blob:
		return wireType{pgtype.ByteaOID, -1, -1}
	case rows.Bit:
		return wireType{pgtype.VarbitOID, -1, -1}
	case rows.Date:
		return wireType{pgtype.DateOID, 4, -1}
	case rows.Time:
		return wireType{pgtype.TimeOID, 8, -1}
	case rows.TimeTZ:
		return wireType{pgtype.TimetzOID, 12, -1}
	case rows.TimestampS:
		return wireType{pgtype.TimestampOID, 8, 0}
	case rows.TimestampMS:
		return wireType{pgtype.TimestampOID, 8, 3}
	case rows.Timestamp, rows.TimestampNS:
		return wireType{pgtype.TimestampOID, 8, -1}
	case rows.TimestampTZ:
		return wireType{pgtype.TimestamptzOID, 8, -1}
	case rows.Interval:
		return wireType{pgtype.IntervalOID, 16, -1}
	case rows.UUID:
		return wireType{pgtype.UUIDOID, 16, -1}
	case rows.JSON:
		return wireType{pgtype.JSONOID, -1, -1}
	}
	if w, ok := catalogTypes[t.ID]; ok {
		return w
	}
	return wireType{pgtype.TextOID, -1, -1}
}

// catalogTypes are the types of columns of Postgres' catalog.
var catalogTypes = map[rows.TypeID]wireType{
	rows.JSONB: {pgtype.JSONBOID, -1, -1},
	rows.Name:  {pgtype.NameOID, 64, -1}, rows.Char: {pgtype.QCharOID, 1, -1}, rows.NodeTree: {194, -1, -1}, rows.ACL: {1034, -1, -1},
	rows.RegProc: {24, 4, -1}, rows.RegClass: {2205, 4, -1}, rows.RegType: {2206, 4, -1}, rows.RegNamespace: {4089, 4, -1}, rows.RegRole: {4096, 4, -1},
	rows.Int2Vector: {22, -1, -1}, rows.OIDVector: {30, -1, -1},
}

// paramType maps a parameter's OID to the SQL type that Prepare is told: NUMERIC is a
// DECIMAL without a width. What an OID means that is not listed is left to inference.
func paramType(oid uint32) rows.Type {
	if _, ok := elementOIDs[oid]; ok {
		return listParamType(oid)
	}
	return rows.Type{ID: paramTypeIDs[oid]}
}

var paramTypeIDs = map[uint32]rows.TypeID{
	pgtype.BoolOID:        rows.Boolean,
	pgtype.Int2OID:        rows.SmallInt,
	pgtype.Int4OID:        rows.Integer,
	pgtype.Int8OID:        rows.BigInt,
	pgtype.OIDOID:         rows.UInteger,
	pgtype.Float4OID:      rows.Float,
	pgtype.Float8OID:      rows.Double,
	pgtype.NumericOID:     rows.Decimal,
	pgtype.TextOID:        rows.Varchar,
	pgtype.VarcharOID:     rows.Varchar,
	pgtype.BPCharOID:      rows.Varchar,
	pgtype.NameOID:        rows.Varchar,
	pgtype.ByteaOID:       rows.Blob,
	pgtype.BitOID:         rows.Bit,
	pgtype.VarbitOID:      rows.Bit,
	pgtype.DateOID:        rows.Date,
	pgtype.TimeOID:        rows.Time,
	pgtype.TimetzOID:      rows.TimeTZ,
	pgtype.TimestampOID:   rows.Timestamp,
	pgtype.TimestamptzOID: rows.TimestampTZ,
	pgtype.IntervalOID:    rows.Interval,
	pgtype.UUIDOID:        rows.UUID,
	pgtype.JSONOID:        rows.JSON,
	pgtype.JSONBOID:       rows.JSON,
}

// paramOID is what ParameterDescription says of a parameter: the client's own
// OID where it gave one, else that of the inferred type, else text.
func paramOID(declared uint32, inferred rows.Type) uint32 {
	if declared != 0 {
		return declared
	}
	return wireTypeOf(inferred).oid
}
