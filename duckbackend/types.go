package duckbackend

import (
	"fmt"
	"slices"
	"strings"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// duckType is a DuckDB type taken apart, with what reading its vectors needs.
// It owns logical, which close frees.
type duckType struct {
	id      bindings.Type
	sql     rows.Type
	logical bindings.LogicalType
	// children: LIST and ARRAY the element; MAP key and value; STRUCT its fields;
	// UNION its members.
	children []*duckType
	names    []string // of STRUCT fields and UNION members
	dict     []string // of an ENUM
	size     int      // of an ARRAY
}

// newDuckType takes logical apart and becomes its owner.
func newDuckType(logical bindings.LogicalType) *duckType {
	t := &duckType{id: bindings.GetTypeId(logical), logical: logical}
	switch t.id {
	case bindings.TypeEnum:
		for i := range bindings.EnumDictionarySize(logical) {
			t.dict = append(t.dict, bindings.EnumDictionaryValue(logical, bindings.IdxT(i)))
		}
	case bindings.TypeList:
		t.children = []*duckType{newDuckType(bindings.ListTypeChildType(logical))}
	case bindings.TypeArray:
		t.children = []*duckType{newDuckType(bindings.ArrayTypeChildType(logical))}
		t.size = int(bindings.ArrayTypeArraySize(logical))
	case bindings.TypeMap:
		t.children = []*duckType{
			newDuckType(bindings.MapTypeKeyType(logical)), newDuckType(bindings.MapTypeValueType(logical)),
		}
	case bindings.TypeStruct:
		for i := range bindings.StructTypeChildCount(logical) {
			t.names = append(t.names, bindings.StructTypeChildName(logical, i))
			t.children = append(t.children, newDuckType(bindings.StructTypeChildType(logical, i)))
		}
	case bindings.TypeUnion:
		for i := range bindings.UnionTypeMemberCount(logical) {
			t.names = append(t.names, bindings.UnionTypeMemberName(logical, i))
			t.children = append(t.children, newDuckType(bindings.UnionTypeMemberType(logical, i)))
		}
	}
	t.sql = t.rowsType()
	return t
}

func (t *duckType) close() {
	for _, c := range t.children {
		c.close()
	}
	bindings.DestroyLogicalType(&t.logical)
}

// simpleTypes are the DuckDB types that their id determines.
var simpleTypes = map[bindings.Type]rows.TypeID{
	bindings.TypeInvalid: rows.Invalid, bindings.TypeSQLNull: rows.SQLNull, bindings.TypeBoolean: rows.Boolean,
	bindings.TypeTinyInt: rows.TinyInt, bindings.TypeSmallInt: rows.SmallInt, bindings.TypeInteger: rows.Integer,
	bindings.TypeBigInt: rows.BigInt, bindings.TypeHugeInt: rows.HugeInt, bindings.TypeUTinyInt: rows.UTinyInt,
	bindings.TypeUSmallInt: rows.USmallInt, bindings.TypeUInteger: rows.UInteger, bindings.TypeUBigInt: rows.UBigInt,
	bindings.TypeUHugeInt: rows.UHugeInt, bindings.TypeFloat: rows.Float, bindings.TypeDouble: rows.Double,
	bindings.TypeBlob: rows.Blob, bindings.TypeBit: rows.Bit, bindings.TypeDate: rows.Date, bindings.TypeTime: rows.Time,
	bindings.TypeTimeTZ: rows.TimeTZ, bindings.TypeTimestamp: rows.Timestamp, bindings.TypeTimestampS: rows.TimestampS,
	bindings.TypeTimestampMS: rows.TimestampMS, bindings.TypeTimestampNS: rows.TimestampNS,
	bindings.TypeTimestampTZ: rows.TimestampTZ, bindings.TypeInterval: rows.Interval, bindings.TypeUUID: rows.UUID,
}

// rowsType returns the SQL type; its Name is usable in a CAST.
func (t *duckType) rowsType() rows.Type {
	if id, ok := simpleTypes[t.id]; ok {
		return rows.Type{ID: id}
	}
	switch t.id {
	case bindings.TypeVarchar:
		if bindings.LogicalTypeGetAlias(t.logical) == "JSON" {
			return rows.Type{ID: rows.JSON}
		}
		return rows.Type{ID: rows.Varchar}
	case bindings.TypeDecimal:
		return rows.Type{
			ID: rows.Decimal, Width: bindings.DecimalWidth(t.logical), Scale: bindings.DecimalScale(t.logical),
		}
	case bindings.TypeEnum:
		quoted := make([]string, len(t.dict))
		for i, s := range t.dict {
			quoted[i] = quoteText(s)
		}
		return rows.Type{ID: rows.Enum, Name: "ENUM(" + strings.Join(quoted, ", ") + ")"}
	case bindings.TypeList:
		return rows.Type{ID: rows.List, Name: t.children[0].sql.String() + "[]"}
	case bindings.TypeArray:
		return rows.Type{ID: rows.Array, Name: fmt.Sprintf("%s[%d]", t.children[0].sql, t.size)}
	case bindings.TypeStruct:
		return rows.Type{ID: rows.Struct, Name: "STRUCT(" + t.fieldList() + ")"}
	case bindings.TypeUnion:
		return rows.Type{ID: rows.Other, Name: "UNION(" + t.fieldList() + ")"}
	case bindings.TypeMap:
		return rows.Type{ID: rows.Other, Name: fmt.Sprintf("MAP(%s, %s)", t.children[0].sql, t.children[1].sql)}
	}
	if name, ok := otherTypes[t.id]; ok {
		return rows.Type{ID: rows.Other, Name: name}
	}
	return rows.Type{ID: rows.Other, Name: fmt.Sprintf("UNKNOWN_%d", t.id)}
}

// hasArray reports whether the type is an ARRAY or has one in it.
func (t *duckType) hasArray() bool {
	return t.id == bindings.TypeArray || slices.ContainsFunc(t.children, (*duckType).hasArray)
}

// withLists makes the type with a LIST in the place of every ARRAY; the caller destroys it.
func (t *duckType) withLists() bindings.LogicalType {
	children := make([]bindings.LogicalType, len(t.children))
	for i, c := range t.children {
		children[i] = c.withLists()
	}
	defer func() {
		for i := range children {
			bindings.DestroyLogicalType(&children[i])
		}
	}()
	switch t.id {
	case bindings.TypeList, bindings.TypeArray:
		return bindings.CreateListType(children[0])
	case bindings.TypeMap:
		return bindings.CreateMapType(children[0], children[1])
	case bindings.TypeStruct:
		return bindings.CreateStructType(children, t.names)
	case bindings.TypeUnion:
		return bindings.CreateUnionType(children, t.names)
	}
	list := bindings.CreateListType(t.logical) // of which the element is a copy of any type
	defer bindings.DestroyLogicalType(&list)
	return bindings.ListTypeChildType(list)
}

// otherTypes are DuckDB types that rows has no TypeID for.
var otherTypes = map[bindings.Type]string{
	bindings.TypeBigNum: "BIGNUM", bindings.TypeTimeNS: "TIME_NS",
	bindings.TypeVariant: "VARIANT", bindings.TypeGeometry: "GEOMETRY",
}

func (t *duckType) fieldList() string {
	parts := make([]string, len(t.children))
	for i, c := range t.children {
		if t.names[i] != "" {
			parts[i] = load.Quote(t.names[i]) + " "
		}
		parts[i] += c.sql.String()
	}
	return strings.Join(parts, ", ")
}
