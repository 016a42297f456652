package rows

// sampleTexts are texts of values. That of VARCHAR is a format of dates and the name of a part
// of one as well: functions that take these look at them when they are bound.
var sampleTexts = map[TypeID]string{
	Boolean: "true", TinyInt: "1", SmallInt: "1", Integer: "1", BigInt: "1", HugeInt: "1", UTinyInt: "1",
	USmallInt: "1", UInteger: "1", UBigInt: "1", UHugeInt: "1", OID: "1", Float: "1", Double: "1", Decimal: "1",
	Varchar: "year", Blob: "", Bit: "1", Date: "2000-01-01", Time: "00:00:00", TimeTZ: "00:00:00+00",
	Timestamp: "2000-01-01", TimestampS: "2000-01-01", TimestampMS: "2000-01-01", TimestampNS: "2000-01-01",
	TimestampTZ: "2000-01-01 00:00:00+00", Interval: "1 day", UUID: "00000000-0000-0000-0000-000000000000", JSON: "null",
	List: "[]",
}

// SampleText is the text of some value of the type, in DuckDB's form and without quotes in it,
// for statements that are bound and not executed; false: none is known.
func (t Type) SampleText() (string, bool) {
	text, ok := sampleTexts[t.ID]
	return text, ok
}
