package rows

import "fmt"

var typeNames = map[TypeID]string{
	Invalid: "INVALID", SQLNull: "\"NULL\"", Boolean: "BOOLEAN", TinyInt: "TINYINT", SmallInt: "SMALLINT",
	Integer: "INTEGER", BigInt: "BIGINT", HugeInt: "HUGEINT", UTinyInt: "UTINYINT", USmallInt: "USMALLINT",
	UInteger: "UINTEGER", UBigInt: "UBIGINT", UHugeInt: "UHUGEINT", Float: "FLOAT", Double: "DOUBLE",
	Varchar: "VARCHAR", Blob: "BLOB", Bit: "BIT", Date: "DATE", Time: "TIME", TimeTZ: "TIME WITH TIME ZONE",
	Timestamp: "TIMESTAMP", TimestampS: "TIMESTAMP_S", TimestampMS: "TIMESTAMP_MS", TimestampNS: "TIMESTAMP_NS",
	TimestampTZ: "TIMESTAMP WITH TIME ZONE", Interval: "INTERVAL", UUID: "UUID", JSON: "JSON", OID: "UINTEGER",
	Name: "VARCHAR", Char: "VARCHAR", NodeTree: "VARCHAR", JSONB: "JSON", ACL: "VARCHAR[]", RegProc: "VARCHAR", RegClass: "VARCHAR", RegType: "VARCHAR",
	RegNamespace: "VARCHAR", RegRole: "VARCHAR", NameList: "VARCHAR[]", Int2Vector: "SMALLINT[]", OIDVector: "UINTEGER[]",
}

// String returns DuckDB's spelling of the type, valid in a CAST.
func (t Type) String() string {
	if t.Name != "" {
		return t.Name
	}
	if t.ID == Decimal {
		return fmt.Sprintf("DECIMAL(%d,%d)", t.Width, t.Scale)
	}
	return typeNames[t.ID]
}
