package sqlfront

import "github.com/trireme-db/trireme/internal/rows"

// structural are the words that pass to the parser as they are. All are
// reserved, in DuckDB or at least in their position.
var structural = map[string]bool{
	"select": true, "from": true, "where": true, "group": true, "by": true, "having": true, "order": true,
	"as": true, "and": true, "or": true, "not": true, "in": true, "between": true, "like": true, "ilike": true,
	"case": true, "when": true, "then": true, "else": true, "end": true, "join": true, "inner": true,
	"natural": true, "on": true, "using": true,
}

// refusedWords are words that begin, or belong to, something outside the
// whitelist wherever they stand unquoted, with the name of that thing. They are
// DuckDB's reserved words and those reserved as column or table names.
var refusedWords = map[string]string{
	"outer": "outer join",
	"semi":  "syntax: SEMI", "anti": "syntax: ANTI", "asof": "ASOF join", "positional": "positional join",
	"lateral": "lateral join",
	"window":  "window function", "qualify": "QUALIFY", "pivot": "PIVOT", "pivot_longer": "PIVOT",
	"pivot_wider": "PIVOT", "unpivot": "PIVOT", "tablesample": "TABLESAMPLE", "any": "subquery", "some": "subquery",
	"all": "ALL", "array": "ARRAY", "struct": "STRUCT", "map": "MAP", "columns": "COLUMNS", "lambda": "lambda",
	"only": "ONLY", "values": "VALUES", "table": "TABLE", "collate": "COLLATE",
	"isnull": "syntax: ISNULL", "notnull": "syntax: NOTNULL", "overlaps": "OVERLAPS", "at": "AT TIME ZONE",
	"fetch": "FETCH FIRST", "for": "FOR UPDATE", "into": "SELECT INTO",
	"returning": "RETURNING", "describe": "DESCRIBE", "summarize": "SUMMARIZE", "show": "SHOW",
	"generated": "syntax: GENERATED", "unpack": "UNPACK", "both": "TRIM", "leading": "TRIM", "trailing": "TRIM",
	"setof": "syntax: SETOF", "xmlelement": "syntax: XML", "xmlconcat": "syntax: XML", "xmlattributes": "syntax: XML",
	"analyse": "syntax: ANALYSE", "analyze": "syntax: ANALYZE", "asymmetric": "syntax: ASYMMETRIC",
	"symmetric": "syntax: SYMMETRIC", "collation": "COLLATE", "check": "syntax: CHECK", "column": "syntax: COLUMN",
	"constraint": "syntax: CONSTRAINT", "create": "syntax: CREATE", "default": "syntax: DEFAULT",
	"deferrable": "syntax: DEFERRABLE", "do": "syntax: DO", "foreign": "syntax: FOREIGN",
	"initially": "syntax: INITIALLY", "placing": "syntax: PLACING", "primary": "syntax: PRIMARY",
	"references": "syntax: REFERENCES", "to": "syntax: TO", "unique": "syntax: UNIQUE",
	"variadic": "syntax: VARIADIC", "authorization": "syntax: AUTHORIZATION", "binary": "syntax: BINARY",
	"concurrently": "syntax: CONCURRENTLY", "freeze": "syntax: FREEZE", "verbose": "syntax: VERBOSE",
}

// refusedCalls are words that, before an opening parenthesis, are grammar of
// their own, or functions that depend on more than their arguments.
var refusedCalls = map[string]string{
	"position": "POSITION", "overlay": "OVERLAY", "treat": "TREAT", "row": "row value",
	"unnest": "UNNEST", "alias": "function alias", "typeof": "function typeof",
	"stats": "function stats", "vector_type": "function vector_type", "current_setting": "function current_setting",
	"getvariable": "function getvariable", "getenv": "function getenv", "current_schemas": "function current_schemas",
	"current_schema": "function current_schema", "current_database": "function current_database",
	"interval": "INTERVAL", "try": "TRY", "operator": "OPERATOR",
}

// bareFunctions are grammar of their own and mean something else when quoted.
var bareFunctions = map[string]bool{"coalesce": true, "substring": true, "trim": true, "grouping": true, "grouping_id": true}

// castTypes are the types of CAST and :: by their names in lower case.
var castTypes = map[string]rows.TypeID{
	"tinyint": rows.TinyInt, "int1": rows.TinyInt, "smallint": rows.SmallInt, "int2": rows.SmallInt,
	"short": rows.SmallInt, "integer": rows.Integer, "int": rows.Integer, "int4": rows.Integer,
	"signed": rows.Integer, "bigint": rows.BigInt, "int8": rows.BigInt, "long": rows.BigInt,
	"hugeint": rows.HugeInt, "int128": rows.HugeInt, "utinyint": rows.UTinyInt, "usmallint": rows.USmallInt,
	"uinteger": rows.UInteger, "ubigint": rows.UBigInt, "real": rows.Float, "float4": rows.Float,
	"float": rows.Float, "double": rows.Double, "float8": rows.Double, "double precision": rows.Double,
	"varchar": rows.Varchar, "text": rows.Varchar, "string": rows.Varchar, "boolean": rows.Boolean,
	"bool": rows.Boolean, "date": rows.Date, "timestamp": rows.Timestamp, "datetime": rows.Timestamp,
	"decimal": rows.Decimal, "numeric": rows.Decimal, "dec": rows.Decimal, "time": rows.Time,
	"timestamptz": rows.TimestampTZ, "interval": rows.Interval, "uuid": rows.UUID, "blob": rows.Blob,
	"bytea": rows.Blob, "uhugeint": rows.UHugeInt, "int16": rows.SmallInt, "int32": rows.Integer,
	"int64": rows.BigInt, "char": rows.Varchar, "bpchar": rows.Varchar,
}

// intervalUnits are the units that may follow INTERVAL '1'.
var intervalUnits = map[string]bool{
	"year": true, "years": true, "month": true, "months": true, "day": true, "days": true, "hour": true,
	"hours": true, "minute": true, "minutes": true, "second": true, "seconds": true, "week": true, "weeks": true,
	"quarter": true, "quarters": true,
}
