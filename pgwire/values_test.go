package pgwire

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/pgtext"
	"github.com/trireme-db/trireme/internal/rows"
)

func vecI(id rows.TypeID, v ...int64) *rows.Vector {
	return &rows.Vector{Type: rows.Type{ID: id}, I64: v}
}

func vecF(id rows.TypeID, v ...float64) *rows.Vector {
	return &rows.Vector{Type: rows.Type{ID: id}, F64: v}
}

func vecS(id rows.TypeID, v ...string) *rows.Vector {
	return &rows.Vector{Type: rows.Type{ID: id}, Str: v}
}

func vecDec(width, scale uint8, v ...int64) *rows.Vector {
	out := &rows.Vector{Type: rows.Type{ID: rows.Decimal, Width: width, Scale: scale}}
	for _, x := range v {
		if out.Type.Physical() == rows.PhysInt64 {
			out.I64 = append(out.I64, x)
		} else {
			out.I128 = append(out.I128, semiring.FromInt64(x))
		}
	}
	return out
}

func vec128(id rows.TypeID, v ...semiring.Int128) *rows.Vector {
	return &rows.Vector{Type: rows.Type{ID: id}, I128: v}
}

func vecList(name string, v ...string) *rows.Vector {
	return &rows.Vector{Type: rows.Type{ID: rows.List, Name: name}, Str: v}
}

func vecIvl(v ...rows.IntervalValue) *rows.Vector {
	return &rows.Vector{Type: rows.Type{ID: rows.Interval}, Ivl: v}
}

var (
	int128Max = semiring.Int128{Hi: math.MaxInt64, Lo: math.MaxUint64}
	int128Min = semiring.Int128{Hi: math.MinInt64}
)

// valueCase is a value of every kind with the text Postgres prints for it.
type valueCase struct {
	vec  *rows.Vector
	want []string
}

const (
	hour = int64(3600) * microsPerSecond
	leap = 11_016 // 2000-02-29
)

var valueCases = map[string]valueCase{
	"bool":     {vecI(rows.Boolean, 0, 1), []string{"f", "t"}},
	"tinyint":  {vecI(rows.TinyInt, -128, 127), []string{"-128", "127"}},
	"smallint": {vecI(rows.SmallInt, math.MinInt16, math.MaxInt16), []string{"-32768", "32767"}},
	"integer":  {vecI(rows.Integer, math.MinInt32, math.MaxInt32), []string{"-2147483648", "2147483647"}},
	"bigint": {
		vecI(rows.BigInt, math.MinInt64, 0, math.MaxInt64),
		[]string{"-9223372036854775808", "0", "9223372036854775807"},
	},
	"utinyint":  {vecI(rows.UTinyInt, 0, 255), []string{"0", "255"}},
	"usmallint": {vecI(rows.USmallInt, 0, 65535), []string{"0", "65535"}},
	"uinteger":  {vecI(rows.UInteger, 0, math.MaxUint32), []string{"0", "4294967295"}},
	"ubigint":   {vec128(rows.UBigInt, semiring.Int128{Lo: math.MaxUint64}), []string{"18446744073709551615"}},
	"hugeint": {
		vec128(rows.HugeInt, int128Min, int128Max, semiring.FromInt64(-1), semiring.Int128{Hi: 1}, semiring.Int128{}),
		[]string{
			"-170141183460469231731687303715884105728", "170141183460469231731687303715884105727", "-1",
			"18446744073709551616", "0",
		},
	},
	"uhugeint": {
		vecS(rows.UHugeInt, "340282366920938463463374607431768211455", "0", "10000"),
		[]string{"340282366920938463463374607431768211455", "0", "10000"},
	},
	"decimal(9,2)": {
		vecDec(9, 2, 0, 1, -1, 100, -12345, 999999999),
		[]string{"0.00", "0.01", "-0.01", "1.00", "-123.45", "9999999.99"},
	},
	"decimal(18,0)": {vecDec(18, 0, -100000000, 7), []string{"-100000000", "7"}},
	"decimal(18,18)": {
		vecDec(18, 18, 1, -500000000000000000),
		[]string{"0.000000000000000001", "-0.500000000000000000"},
	},
	"decimal(38,6)": {vecDec(38, 6, -1, 12345678901234), []string{"-0.000001", "12345678.901234"}},
	"float": {
		vecF(rows.Float, 0.1, 1e6, 123456, -1.5e-5, 1e-4, math.Inf(1)),
		[]string{"0.1", "1e+06", "123456", "-1.5e-05", "0.0001", "Infinity"},
	},
	"double": {
		vecF(rows.Double, 0.1, 1e15, 123456789012345, 1e-5, 1e-4, math.Inf(-1), math.NaN(), math.Copysign(0, -1), 5e-324),
		[]string{"0.1", "1e+15", "123456789012345", "1e-05", "0.0001", "-Infinity", "NaN", "-0", "5e-324"},
	},
	"varchar": {vecS(rows.Varchar, "", "é\x00x", "NULL"), []string{"", "é\x00x", "NULL"}},
	"blob":    {vecS(rows.Blob, "", "\x00a\xff"), []string{`\x`, `\x0061ff`}},
	"bit":     {vecS(rows.Bit, "1", "010101010", "11111111"), []string{"1", "010101010", "11111111"}},
	"date": {
		vecI(rows.Date, 0, leap, -719_529, -719_162, 2_932_897, dateInfinity, -dateInfinity),
		[]string{"1970-01-01", "2000-02-29", "0002-12-31 BC", "0001-01-01", "10000-01-01", "infinity", "-infinity"},
	},
	"time": {
		vecI(rows.Time, 0, 4*hour+5*60_000_000+6_789_000, 24*hour),
		[]string{"00:00:00", "04:05:06.789", "24:00:00"},
	},
	"timetz": {vecS(rows.TimeTZ, "12:34:56.5+05:30", "00:00:00-08"), []string{"12:34:56.5+05:30", "00:00:00-08"}},
	"timestamp": {
		vecI(rows.Timestamp, 0, -1, leap*microsPerDay+1, timestampInfinity, -timestampInfinity),
		[]string{"1970-01-01 00:00:00", "1969-12-31 23:59:59.999999", "2000-02-29 00:00:00.000001", "infinity", "-infinity"},
	},
	"timestamp BC": {vecI(rows.Timestamp, -719_529*microsPerDay+hour), []string{"0002-12-31 01:00:00 BC"}},
	"timestamp_s":  {vecI(rows.TimestampS, 86_399, -1), []string{"1970-01-01 23:59:59", "1969-12-31 23:59:59"}},
	"timestamp_ms": {vecI(rows.TimestampMS, 1, -1), []string{"1970-01-01 00:00:00.001", "1969-12-31 23:59:59.999"}},
	"timestamp_ns": {vecI(rows.TimestampNS, 1_000, -1_000), []string{"1970-01-01 00:00:00.000001", "1969-12-31 23:59:59.999999"}},
	"timestamptz": {
		vecI(rows.TimestampTZ, 0, timestampInfinity, 1_500_000),
		[]string{"1970-01-01 00:00:00+00", "infinity", "1970-01-01 00:00:01.5+00"},
	},
	"interval": {
		vecIvl(
			rows.IntervalValue{}, rows.IntervalValue{Months: 14, Days: 3, Micros: 4*hour + 5*60_000_000 + 6_000_000},
			rows.IntervalValue{Months: -13, Days: 1, Micros: -hour}, rows.IntervalValue{Days: -1, Micros: hour / 2},
			rows.IntervalValue{Micros: 100*hour + 1}, rows.IntervalValue{Months: 1, Days: 1}, rows.IntervalValue{Months: 12}),
		[]string{
			"00:00:00", "1 year 2 mons 3 days 04:05:06", "-1 years -1 mons +1 day -01:00:00", "-1 days +00:30:00",
			"100:00:00.000001", "1 mon 1 day", "1 year",
		},
	},
	"uuid":      {vecS(rows.UUID, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"), []string{"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"}},
	"json":      {vecS(rows.JSON, `{"a":[1,null]}`), []string{`{"a":[1,null]}`}},
	"enum":      {&rows.Vector{Type: rows.Type{ID: rows.Enum, Name: "ENUM('a')"}, Str: []string{"a"}}, []string{"a"}},
	"integer[]": {vecList("INTEGER[]", "[1, NULL]", "[]"), []string{"{1,NULL}", "{}"}},
	"varchar[]": {
		vecList("VARCHAR[]", `['a,b', 'c"d', NULL, 'NULL', '', 'it\'s', back\slash, 'a\\b=', ü]`),
		[]string{`{"a,b","c\"d",NULL,"NULL","",it's,"back\\slash","a\\b=",ü}`},
	},
	"boolean[]":         {vecList("BOOLEAN[]", "[true, false, NULL]"), []string{"{t,f,NULL}"}},
	"double[]":          {vecList("DOUBLE[]", "[nan, inf, -inf, 1e+300, 0.1]"), []string{"{NaN,Infinity,-Infinity,1e+300,0.1}"}},
	"decimal[]":         {vecList("DECIMAL(9,2)[]", "[1.50, -0.01]"), []string{"{1.50,-0.01}"}},
	"date[]":            {vecList("DATE[]", "['0044-03-15 (BC)', infinity, 2020-01-02]"), []string{`{"0044-03-15 BC",infinity,2020-01-02}`}},
	"timestamp[]":       {vecList("TIMESTAMP[]", "['2020-01-01 00:00:00.5']"), []string{`{"2020-01-01 00:00:00.5"}`}},
	"timestamptz[]":     {vecList("TIMESTAMP WITH TIME ZONE[]", "['2020-01-01 00:00:00+00']"), []string{`{"2020-01-01 00:00:00+00"}`}},
	"time[]":            {vecList("TIME[]", "['01:02:03']"), []string{"{01:02:03}"}},
	"uuid[]":            {vecList("UUID[]", "[a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11]"), []string{"{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}"}},
	"bigint[2]":         {&rows.Vector{Type: rows.Type{ID: rows.Array, Name: "BIGINT[2]"}, Str: []string{"[1, 2]"}}, []string{"{1,2}"}},
	"a list of lists":   {vecList("INTEGER[][]", "[[1], [2, 3]]"), []string{"[[1], [2, 3]]"}},
	"a list of structs": {vecList("STRUCT(a INTEGER)[]", "[{'a': 1}]"), []string{"[{'a': 1}]"}},
}

func encode(t testing.TB, add appender, v *rows.Vector, i int) []byte {
	t.Helper()
	out, err := add([]byte("keep"), v, i)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(out), "keep") {
		t.Fatal("what was in the buffer is gone")
	}
	return out[4:]
}

func TestValuesAsText(t *testing.T) {
	for name, c := range valueCases {
		add := textAppender(c.vec.Type, textStyle{})
		for i, want := range c.want {
			if got := string(encode(t, add, c.vec, i)); got != want {
				t.Errorf("%s: value %d is %q, want %q", name, i, got, want)
			}
		}
	}
	ns := vecI(rows.TimestampNS, 1_001, -1)
	for style, want := range map[textStyle][]string{
		{}:                 {"1970-01-01 00:00:00.000001", "1969-12-31 23:59:59.999999"},
		{keepsNanos: true}: {"1970-01-01 00:00:00.000001001", "1969-12-31 23:59:59.999999999"},
	} {
		for i, want := range want {
			if got := string(encode(t, textAppender(ns.Type, style), ns, i)); got != want {
				t.Errorf("nanoseconds, %+v: %q, want %q", style, got, want)
			}
		}
	}
}

// scanTarget is what pgtype decodes a type into without loss.
func scanTarget(oid uint32) any {
	switch oid {
	case pgtype.DateArrayOID:
		return new([]pgtype.Date)
	case pgtype.TimestampArrayOID:
		return new([]pgtype.Timestamp)
	}
	if elementOIDs[oid] != 0 {
		return new([]any)
	}
	switch oid {
	case pgtype.BoolOID:
		return new(bool)
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID:
		return new(int64)
	case pgtype.NumericOID:
		return new(pgtype.Numeric)
	case pgtype.Float4OID:
		return new(float32)
	case pgtype.Float8OID:
		return new(float64)
	case pgtype.ByteaOID:
		return new([]byte)
	case pgtype.VarbitOID:
		return new(pgtype.Bits)
	case pgtype.DateOID:
		return new(pgtype.Date)
	case pgtype.TimeOID:
		return new(pgtype.Time)
	case pgtype.TimestampOID:
		return new(pgtype.Timestamp)
	case pgtype.TimestamptzOID:
		return new(pgtype.Timestamptz)
	case pgtype.IntervalOID:
		return new(pgtype.Interval)
	case pgtype.UUIDOID:
		return new([16]byte)
	default:
		return new(string)
	}
}

// comparable form of what was scanned.
func scanned(v any) any {
	switch x := v.(type) {
	case *pgtype.Numeric:
		text, err := x.Value()
		if err != nil {
			return err
		}
		r, ok := new(big.Rat).SetString(text.(string)) // pgtype reads a binary zero without its scale
		if !ok {
			return text
		}
		return r.RatString()
	case *pgtype.Timestamptz:
		u := *x
		u.Time = u.Time.UTC()
		return u
	case *float64:
		return math.Float64bits(*x)
	case *[]any:
		return fmt.Sprint(*x) // NaN is not equal to itself
	default:
		return reflect.ValueOf(v).Elem().Interface()
	}
}

// TestValuesAgainstPgtype has pgx's own decoders read both formats of each
// value: they must give the same.
func TestValuesAgainstPgtype(t *testing.T) {
	for name, c := range valueCases {
		w := wireTypeOf(c.vec.Type)
		if w.oid == pgtype.TimetzOID {
			continue // pgx has no decoder for it; see TestTimeTZ
		}
		for i, text := range c.want {
			m := pgtype.NewMap()
			fromText, fromBinary := scanTarget(w.oid), scanTarget(w.oid)
			if err := m.Scan(w.oid, formatText, []byte(text), fromText); err != nil {
				t.Errorf("%s %q: pgtype does not read the text: %v", name, text, err)
				continue
			}
			bin := encode(t, binaryAppender(c.vec.Type), c.vec, i)
			if err := m.Scan(w.oid, formatBinary, bin, fromBinary); err != nil {
				t.Errorf("%s %q: pgtype does not read the binary form %x: %v", name, text, bin, err)
				continue
			}
			if a, b := scanned(fromText), scanned(fromBinary); !reflect.DeepEqual(a, b) {
				t.Errorf("%s %q: text gives %v, binary %v", name, text, a, b)
			}
			if w.size >= 0 && len(bin) != int(w.size) {
				t.Errorf("%s %q: %d bytes, announced as %d", name, text, len(bin), w.size)
			}
		}
	}
}

// TestParametersAgainstPgtype has pgx's own encoder write each value as a binary
// parameter, and compares what we read with DuckDB's text form.
func TestParametersAgainstPgtype(t *testing.T) {
	duck := map[string]string{ // where DuckDB spells otherwise than Postgres
		`\x0061ff`:               `\x00\x61\xFF`,
		`\x`:                     ``,
		"t":                      "true",
		"f":                      "false",
		"0002-12-31 BC":          "0002-12-31 (BC)",
		"0002-12-31 01:00:00 BC": "0002-12-31 (BC) 01:00:00",
		"['t', 'f', NULL]":       "['true', 'false', NULL]", // as text the elements stay as they are
	}
	for name, c := range valueCases {
		w := wireTypeOf(c.vec.Type)
		for i, text := range c.want {
			if w.oid == pgtype.TimetzOID || strings.Contains(text, "\x00") {
				continue
			}
			m := pgtype.NewMap()
			v := scanTarget(w.oid)
			if err := m.Scan(w.oid, formatText, []byte(text), v); err != nil {
				t.Errorf("%s %q: %v", name, text, err)
				continue
			}
			data, err := m.Encode(w.oid, formatBinary, v, []byte{})
			if err != nil {
				t.Errorf("%s %q: pgtype does not encode %v: %v", name, text, v, err)
				continue
			}
			got, err := decodeParam(1, w.oid, formatBinary, data)
			if err != nil {
				t.Errorf("%s %q: %v", name, text, err)
				continue
			}
			want, other := duck[text]
			if !other || c.vec.Type.ID == rows.Varchar {
				want = text
			}
			if elementOIDs[w.oid] != 0 {
				var ok bool
				if want, ok = pgtext.SpellArray(paramTypeIDs[elementOIDs[w.oid]], text); !ok {
					t.Errorf("%s %q is not read", name, text)
				}
				if binary, other := duck[want]; other {
					want = binary
				}
			}
			if w.oid == pgtype.IntervalOID {
				x := c.vec.Ivl[i]
				want = fmt.Sprintf("%d months %d days %d microseconds", x.Months, x.Days, x.Micros)
			}
			if got.Text != want || got.Null {
				t.Errorf("%s: parameter %q, want %q", name, got.Text, want)
			}
		}
	}
}

func encodeInterval(v rows.IntervalValue) []byte {
	return appendInt32(appendInt32(appendInt64(nil, v.Micros), int64(v.Days)), int64(v.Months))
}

func TestParameterForms(t *testing.T) {
	for _, c := range []struct {
		oid    uint32
		format int16
		in     string
		want   string
		code   string // of the error
	}{
		{pgtype.IntervalOID, formatBinary, string(encodeInterval(rows.IntervalValue{Months: -1, Days: 2, Micros: 3})), "-1 months 2 days 3 microseconds", ""},
		{
			pgtype.IntervalOID, formatBinary, string(encodeInterval(rows.IntervalValue{Micros: math.MinInt64})),
			"0 months 0 days -1 microseconds -9223372036854775807 microseconds", "",
		},
		{pgtype.ByteaOID, formatText, `\xDEADbeef`, `\xDE\xAD\xBE\xEF`, ""},
		{pgtype.ByteaOID, formatText, `a\\b\001`, `\x61\x5C\x62\x01`, ""},
		{pgtype.ByteaOID, formatText, `\x0`, "", "22P02"},
		{pgtype.ByteaOID, formatText, `a\9`, "", "22P02"},
		{pgtype.BoolOID, formatText, "on", "true", ""},
		{pgtype.BoolOID, formatText, " F", "false", ""},
		{pgtype.BoolOID, formatText, "maybe", "maybe", ""},
		{pgtype.DateOID, formatText, "0044-03-15 BC", "0044-03-15 (BC)", ""},
		{pgtype.TimestamptzOID, formatText, "0044-03-15 01:02:03+00 BC", "0044-03-15 (BC) 01:02:03+00", ""},
		{pgtype.TextOID, formatText, "44 BC", "44 BC", ""},
		{pgtype.JSONBOID, formatBinary, "\x01{}", "{}", ""},
		{pgtype.JSONBOID, formatBinary, "\x02{}", "", "22P03"},
		{pgtype.BoolOID, formatBinary, "\x02", "", "22P03"},
		{pgtype.TextOID, formatBinary, "\xff", "", "22021"},
		{pgtype.TimeOID, formatBinary, "\xff\xff\xff\xff\xff\xff\xff\xff", "", "22P03"},
		{pgtype.UUIDOID, formatBinary, "short", "", "22P03"},
		{pgtype.VarbitOID, formatBinary, "\x00\x00\x00\x09\x00", "", "22P03"},
		{pgtype.NumericOID, formatBinary, "\x00\x00\x00\x00\xc0\x00\x00\x00", "NaN", ""},
		{pgtype.NumericOID, formatBinary, "\x00\x01\x00\x01\x40\x00\x00\x00\x00\x07", "-70000", ""},
		{pgtype.NumericOID, formatBinary, "\x00\x01\x00\x00\x00\x00\x00\x00\x27\x10", "", "22P03"},
		{pgtype.NumericOID, formatBinary, "\x00\x02\x00\x00\x00\x00\x00\x00\x00\x01", "", "22P03"},
		{pgtype.NumericOID, formatBinary, "\x00\x01\x7f\xff\x00\x00\x00\x00\x00\x01", "1e131068", ""},
		{pgtype.NumericOID, formatBinary, "\x00\x02\x7f\xff\x40\x00\x00\x00\x00\x01\x00\x02", "-10002e131064", ""},
		{pgtype.NumericOID, formatBinary, "\x00\x01\x80\x00\x00\x00\x7f\xff\x00\x01", "0", ""},
		{pgtype.NumericOID, formatBinary, "\x00\x01\xff\xe7\x00\x00\x00\x62\x04\xd2", "12e-98", ""},
		{pgtype.NumericOID, formatBinary, "\x00\x01\x00\x00\x00\x00\x7f\xff\x00\x01", "1." + strings.Repeat("0", 40), ""},
		{pgtype.NumericOID, formatBinary, "\x00\x00\x7f\xff\x00\x00\x00\x02", "0.00", ""},
		{pgtype.NumericOID, formatBinary, "\x00\x02\x00\x0a\x00\x00\x00\x00\x00\x00\x00\x05", "5" + strings.Repeat("0", 36), ""},
		{pgtype.OIDOID, formatBinary, "\xff\xff\xff\xff", "4294967295", ""},
	} {
		v, err := decodeParam(1, c.oid, c.format, []byte(c.in))
		code := ""
		if err != nil {
			code = errorResponse(err, severityError, false).Code
		}
		if v.Text != c.want || code != c.code {
			t.Errorf("OID %d, %q: %q %s, want %q %s", c.oid, c.in, v.Text, code, c.want, c.code)
		}
	}
}

func TestTimeTZ(t *testing.T) {
	for _, text := range []string{"12:34:56.5+05:30", "00:00:00-08", "23:59:59.999999+15:59:59", "24:00:00+00"} {
		v := vecS(rows.TimeTZ, text)
		bin := encode(t, binaryAppender(v.Type), v, 0)
		got, err := decodeParam(1, pgtype.TimetzOID, formatBinary, bin)
		if err != nil {
			t.Fatal(err)
		}
		back := vecS(rows.TimeTZ, got.Text)
		if again := encode(t, binaryAppender(v.Type), back, 0); string(again) != string(bin) {
			t.Errorf("%s came back as %s", text, got.Text)
		}
	}
}

// TestOutOfRange: what the binary format cannot hold is an error, not another value.
func TestOutOfRange(t *testing.T) {
	for name, v := range map[string]*rows.Vector{
		"date":        vecI(rows.Date, math.MinInt32+2),
		"timestamp":   vecI(rows.Timestamp, -9_223_372_022_400_000_000),
		"timestamp_s": vecI(rows.TimestampS, math.MaxInt64/2),
		"bad uuid":    vecS(rows.UUID, "zz"),
		"bad bit":     vecS(rows.Bit, "012"),
		"bad timetz":  vecS(rows.TimeTZ, "12:00:00"),
	} {
		if out, err := binaryAppender(v.Type)(nil, v, 0); err == nil {
			t.Errorf("%s: encoded as %x", name, out)
		}
	}
}

// TestNumericRoundTrip compares both formats of random numbers.
func TestNumericRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		width := uint8(1 + r.IntN(38))
		scale := uint8(r.IntN(int(width) + 1))
		v := &rows.Vector{Type: rows.Type{ID: rows.Decimal, Width: width, Scale: scale}}
		x := r.Int64() >> r.IntN(64)
		if r.IntN(2) == 0 {
			x = -x
		}
		if v.Type.Physical() == rows.PhysInt64 {
			v.I64 = []int64{x}
		} else {
			v.I128 = []semiring.Int128{{Hi: x >> r.IntN(64), Lo: r.Uint64()}}
		}
		text := string(encode(t, textAppender(v.Type, textStyle{}), v, 0))
		back, ok := decodeNumeric(nil, encode(t, binaryAppender(v.Type), v, 0))
		if !ok || string(back) != text {
			t.Fatalf("DECIMAL(%d,%d): text %s, binary reads %s", width, scale, text, back)
		}
	}
}

// TestInt128Digits compares with math/big.
func TestInt128Digits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		a := semiring.Int128{Hi: (r.Int64() >> r.IntN(64)) * int64(1-2*r.IntN(2)), Lo: r.Uint64() >> r.IntN(64)}
		if got := string(appendInt128(nil, a)); got != a.String() {
			t.Fatalf("%v: %s, want %s", a, got, a.String())
		}
	}
}

// TestCivil walks the calendar day by day over the years around the eras' seams.
func TestCivil(t *testing.T) {
	leapYear := func(y int64) bool { return y%4 == 0 && (y%100 != 0 || y%400 == 0) }
	y, m, d := civil(-800_000)
	for days := int64(-799_999); days < 800_000; days++ {
		length := []int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[m-1]
		if m == 2 && leapYear(y) {
			length++
		}
		if d++; d > length {
			d, m = 1, m+1
		}
		if m > 12 {
			m, y = 1, y+1
		}
		if gy, gm, gd := civil(days); gy != y || gm != m || gd != d {
			t.Fatalf("day %d is %d-%d-%d, want %d-%d-%d", days, gy, gm, gd, y, m, d)
		}
	}
}

// TestTimesInAZone: texts of instants are what the zone's clocks show, with their
// distance from UTC.
func TestTimesInAZone(t *testing.T) {
	at := func(text string) int64 {
		x, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return x.UnixMicro()
	}
	for _, c := range []struct {
		zone string
		at   int64
		want string
	}{
		{"UTC", at("2024-03-31T00:59:59Z"), "2024-03-31 00:59:59+00"},
		{"Asia/Tokyo", at("2024-01-01T00:00:00Z"), "2024-01-01 09:00:00+09"},
		{"Asia/Kolkata", at("2024-01-01T00:00:00.5Z"), "2024-01-01 05:30:00.5+05:30"},
		{"America/St_Johns", at("1969-12-31T23:59:59.999999Z"), "1969-12-31 20:29:59.999999-03:30"},
		{"Europe/Berlin", at("2024-03-31T00:59:59Z"), "2024-03-31 01:59:59+01"},
		{"Europe/Berlin", at("2024-03-31T01:00:00Z"), "2024-03-31 03:00:00+02"},
		{"Europe/Berlin", at("1800-01-01T00:00:00Z"), "1800-01-01 00:53:28+00:53:28"},
		{"Asia/Tokyo", timestampInfinity, "infinity"},
		{"Asia/Tokyo", -timestampInfinity, "-infinity"},
		{"Asia/Tokyo", timestampInfinity - 1, "294247-01-10 04:00:54.775806+00"}, // its clocks there are beyond the type
		{"America/New_York", timestampInfinity - 1, "294247-01-09 23:00:54.775806-05"},
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		v := &rows.Vector{Type: rows.Type{ID: rows.TimestampTZ}, I64: []int64{c.at}}
		if got := string(encode(t, textAppender(v.Type, textStyle{zone: zone}), v, 0)); got != c.want {
			t.Errorf("%s: %s, want %s", c.zone, got, c.want)
		}
		v.Type.ID = rows.Timestamp
		if in, utc := encode(t, textAppender(v.Type, textStyle{zone: zone}), v, 0), encode(t, textAppender(v.Type, textStyle{}), v, 0); string(in) != string(utc) {
			t.Errorf("%s: a timestamp without a zone is %s, in UTC %s", c.zone, in, utc)
		}
	}
}
