package duckbackend

import (
	"bytes"
	"encoding/hex"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// uuidText renders a UUID, which DuckDB stores with the top bit flipped.
func uuidText(v hugeInt) string {
	var raw [16]byte
	upper := v.upper ^ (1 << 63)
	for i := range 8 {
		raw[i] = byte(upper >> (56 - 8*i))
		raw[8+i] = byte(v.lower >> (56 - 8*i))
	}
	var text [36]byte
	for i, part := range [5][2]int{{0, 4}, {4, 6}, {6, 8}, {8, 10}, {10, 16}} {
		hex.Encode(text[2*part[0]+i:], raw[part[0]:part[1]])
		if part[1] < 16 {
			text[2*part[1]+i] = '-'
		}
	}
	return string(text[:])
}

// valueAt makes a DuckDB value of element i of vec; the caller destroys it.
// Complexity: linear in the size of the value.
func valueAt(t *duckType, vec bindings.Vector, i int) (bindings.Value, error) {
	if !isValid(vec, i) {
		return bindings.CreateNullValue(), nil
	}
	v, err := presentValue(t, vec, i)
	if err == nil && v.Ptr == nil { // DuckDB could not make it, and says no more
		return v, sqlerr.New(sqlerr.InternalError, "a value of type %s cannot be read", t.sql)
	}
	return v, err
}

// presentValue is valueAt for an element that is not NULL.
func presentValue(t *duckType, vec bindings.Vector, i int) (bindings.Value, error) {
	data := bindings.VectorGetData(vec)
	switch t.id {
	case bindings.TypeList, bindings.TypeArray, bindings.TypeMap, bindings.TypeStruct, bindings.TypeUnion:
		return nestedValue(t, vec, data, i)
	}
	if v, ok := integerValue(t, data, i); ok {
		return v, nil
	}
	if v, ok := timeValue(t, data, i); ok {
		return v, nil
	}
	switch t.id {
	case bindings.TypeBoolean:
		return bindings.CreateBool(at[bool](data, i)), nil
	case bindings.TypeFloat:
		return bindings.CreateFloat(at[float32](data, i)), nil
	case bindings.TypeDouble:
		return bindings.CreateDouble(at[float64](data, i)), nil
	case bindings.TypeVarchar:
		b := stringBytes(data, i)
		if bytes.IndexByte(b, 0) >= 0 {
			return bindings.Value{}, errNulInside()
		}
		return bindings.CreateVarcharLength(string(b), bindings.IdxT(len(b))), nil
	case bindings.TypeBlob:
		return bindings.CreateBlob(stringBytes(data, i)), nil
	case bindings.TypeBit:
		bit := bindings.NewBit(stringBytes(data, i))
		defer bindings.DestroyBit(&bit)
		return bindings.CreateBit(bit), nil
	case bindings.TypeBigNum:
		return bigNumValue(stringBytes(data, i)), nil
	case bindings.TypeUUID:
		h := at[hugeInt](data, i)
		return bindings.CreateUUID(bindings.NewUHugeInt(h.lower, h.upper^(1<<63))), nil
	case bindings.TypeEnum:
		return bindings.CreateEnumValue(t.logical, enumCode(t, data, i)), nil
	}
	return bindings.Value{}, sqlerr.New(sqlerr.FeatureNotSupported, "values of type %s cannot be read", t.sql).
		WithHint("CAST the column to VARCHAR.")
}

// errNulInside keeps the text of a value from ending at a character of one of its parts.
func errNulInside() error {
	return sqlerr.New(sqlerr.BadEncoding, "a text inside of a value holds the character 0x00, at which the text of the whole would end").
		WithHint("Select the text by itself, or replace(.., chr(0), '').")
}

func integerValue(t *duckType, data unsafe.Pointer, i int) (bindings.Value, bool) {
	switch t.id {
	case bindings.TypeTinyInt:
		return bindings.CreateInt8(at[int8](data, i)), true
	case bindings.TypeSmallInt:
		return bindings.CreateInt16(at[int16](data, i)), true
	case bindings.TypeInteger:
		return bindings.CreateInt32(at[int32](data, i)), true
	case bindings.TypeBigInt:
		return bindings.CreateInt64(at[int64](data, i)), true
	case bindings.TypeHugeInt:
		h := at[hugeInt](data, i)
		return bindings.CreateHugeInt(bindings.NewHugeInt(h.lower, int64(h.upper))), true
	case bindings.TypeUTinyInt:
		return bindings.CreateUInt8(at[uint8](data, i)), true
	case bindings.TypeUSmallInt:
		return bindings.CreateUInt16(at[uint16](data, i)), true
	case bindings.TypeUInteger:
		return bindings.CreateUInt32(at[uint32](data, i)), true
	case bindings.TypeUBigInt:
		return bindings.CreateUInt64(at[uint64](data, i)), true
	case bindings.TypeUHugeInt:
		h := at[hugeInt](data, i)
		return bindings.CreateUHugeInt(bindings.NewUHugeInt(h.lower, h.upper)), true
	case bindings.TypeDecimal:
		return bindings.CreateDecimal(bindings.NewDecimal(t.sql.Width, t.sql.Scale, decimalDigits(t, data, i))), true
	}
	return bindings.Value{}, false
}

func decimalDigits(t *duckType, data unsafe.Pointer, i int) bindings.HugeInt {
	var v int64
	switch bindings.DecimalInternalType(t.logical) {
	case bindings.TypeSmallInt:
		v = int64(at[int16](data, i))
	case bindings.TypeInteger:
		v = int64(at[int32](data, i))
	case bindings.TypeBigInt:
		v = at[int64](data, i)
	default:
		h := at[hugeInt](data, i)
		return bindings.NewHugeInt(h.lower, int64(h.upper))
	}
	return bindings.NewHugeInt(uint64(v), v>>63)
}

func timeValue(t *duckType, data unsafe.Pointer, i int) (bindings.Value, bool) {
	switch t.id {
	case bindings.TypeDate:
		return bindings.CreateDate(bindings.NewDate(at[int32](data, i))), true
	case bindings.TypeTime:
		return bindings.CreateTime(bindings.NewTime(at[int64](data, i))), true
	case bindings.TypeTimeNS:
		return bindings.CreateTimeNS(bindings.NewTimeNS(at[int64](data, i))), true
	case bindings.TypeTimeTZ:
		return bindings.CreateTimeTZValue(bindings.NewTimeTZ(at[uint64](data, i))), true
	case bindings.TypeTimestamp:
		return bindings.CreateTimestamp(bindings.NewTimestamp(at[int64](data, i))), true
	case bindings.TypeTimestampTZ:
		return bindings.CreateTimestampTZ(bindings.NewTimestamp(at[int64](data, i))), true
	case bindings.TypeTimestampS:
		return bindings.CreateTimestampS(bindings.NewTimestampS(at[int64](data, i))), true
	case bindings.TypeTimestampMS:
		return bindings.CreateTimestampMS(bindings.NewTimestampMS(at[int64](data, i))), true
	case bindings.TypeTimestampNS:
		return bindings.CreateTimestampNS(bindings.NewTimestampNS(at[int64](data, i))), true
	case bindings.TypeInterval:
		v := at[struct {
			months, days int32
			micros       int64
		}](data, i)
		return bindings.CreateInterval(bindings.NewInterval(v.months, v.days, v.micros)), true
	}
	return bindings.Value{}, false
}

// bigNumValue decodes DuckDB's BIGNUM: three header bytes (length, sign in the
// top bit), then the magnitude big-endian; a negative number is stored with all
// bits flipped.
func bigNumValue(raw []byte) bindings.Value {
	const header = 3
	negative := raw[0]&0x80 == 0
	digits := make([]byte, 0, len(raw)-header)
	for _, b := range raw[header:] {
		if negative {
			b = ^b
		}
		digits = append(digits, b)
	}
	n := bindings.NewBigNum(digits, negative)
	defer bindings.DestroyBigNum(&n)
	return bindings.CreateBigNum(n)
}

// nestedValue makes the value of a list, array, map, struct or union.
func nestedValue(t *duckType, vec bindings.Vector, data unsafe.Pointer, i int) (bindings.Value, error) {
	switch t.id {
	case bindings.TypeList:
		entry := at[listEntry](data, i)
		values, err := valueRange(t.children[0], bindings.ListVectorGetChild(vec), entry.offset, entry.length)
		if err != nil {
			return bindings.Value{}, err
		}
		defer destroyValues(values)
		return bindings.CreateListValue(t.children[0].logical, values), nil
	case bindings.TypeArray:
		values, err := valueRange(t.children[0], bindings.ArrayVectorGetChild(vec), uint64(i*t.size), uint64(t.size))
		if err != nil {
			return bindings.Value{}, err
		}
		defer destroyValues(values)
		return bindings.CreateArrayValue(t.children[0].logical, values), nil
	case bindings.TypeMap:
		return mapValue(t, vec, at[listEntry](data, i))
	case bindings.TypeUnion:
		tag := at[uint8](bindings.VectorGetData(bindings.StructVectorGetChild(vec, 0)), i)
		member, err := valueAt(t.children[tag], bindings.StructVectorGetChild(vec, bindings.IdxT(tag)+1), i)
		if err != nil {
			return bindings.Value{}, err
		}
		defer func() { bindings.DestroyValue(&member) }()
		if bindings.IsNullValue(member) { // a union takes no NULL of another type
			bindings.DestroyValue(&member)
			member = typedValue(t.children[tag], bindings.CreateNullValue())
		}
		return bindings.CreateUnionValue(t.logical, bindings.IdxT(tag), member), nil
	default:
		values := make([]bindings.Value, 0, len(t.children))
		defer func() { destroyValues(values) }()
		for c, child := range t.children {
			v, err := valueAt(child, bindings.StructVectorGetChild(vec, bindings.IdxT(c)), i)
			if err != nil {
				return bindings.Value{}, err
			}
			values = append(values, v)
		}
		return bindings.CreateStructValue(t.logical, values), nil
	}
}

func mapValue(t *duckType, vec bindings.Vector, entry listEntry) (bindings.Value, error) {
	pairs := bindings.ListVectorGetChild(vec)
	keys, err := valueRange(t.children[0], bindings.StructVectorGetChild(pairs, 0), entry.offset, entry.length)
	if err != nil {
		return bindings.Value{}, err
	}
	defer destroyValues(keys)
	values, err := valueRange(t.children[1], bindings.StructVectorGetChild(pairs, 1), entry.offset, entry.length)
	if err != nil {
		return bindings.Value{}, err
	}
	defer destroyValues(values)
	return bindings.CreateMapValue(t.logical, keys, values), nil
}

// listEntry is the layout of duckdb_list_entry.
type listEntry struct{ offset, length uint64 }

// valueBytes is about what an element takes while the text of a nested value is made: as
// a value, as one in the value around it, and as a part of the text.
const valueBytes = 200

// valueRange makes the values of elements [offset, offset+length) of vec.
func valueRange(t *duckType, vec bindings.Vector, offset, length uint64) ([]bindings.Value, error) {
	if free := freeMemory(); length > uint64(max(free, 0))/valueBytes {
		return nil, sqlerr.New(sqlerr.OutOfMemory, "a value of %d elements is too large to be read", length).
			WithHint("It needs more than the half of --memory-limit that is DuckDB's. Read it in parts: unnest() makes rows of it.")
	}
	values := make([]bindings.Value, 0, length)
	for i := offset; i < offset+length; i++ {
		v, err := valueAt(t, vec, int(i))
		if err != nil {
			destroyValues(values)
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}

func destroyValues(values []bindings.Value) {
	for i := range values {
		bindings.DestroyValue(&values[i])
	}
}

func enumCode(t *duckType, data unsafe.Pointer, i int) uint64 {
	switch bindings.EnumInternalType(t.logical) {
	case bindings.TypeUTinyInt:
		return uint64(at[uint8](data, i))
	case bindings.TypeUSmallInt:
		return uint64(at[uint16](data, i))
	default:
		return uint64(at[uint32](data, i))
	}
}

func stringBytes(data unsafe.Pointer, i int) []byte {
	return unsafe.Slice((*duckString)(data), i+1)[i].bytes()
}

// at returns element i of an array of T.
func at[T any](data unsafe.Pointer, i int) T {
	return unsafe.Slice((*T)(data), i+1)[i]
}

func isValid(vec bindings.Vector, i int) bool {
	mask := bindings.VectorGetValidity(vec)
	return mask == nil || at[uint64](mask, i>>6)&(1<<(uint(i)&63)) != 0
}
