package engine

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/rows"
)

// plainTexts are texts of every type that has plain ones, and of what is close to one.
var plainTexts = []string{
	"0", "-0", "7", "007", "-128", "128", "32767", "-32769", "2147483647", "2147483648", "999999999999999999", "-999999999999999999",
	"9223372036854775807", "1000000000000000000", "+1", " 1", "1 ", "1_000", "", "-", "1.5", "-1.25", "0.5", ".5", "1.", "1.125", "99.99", "999.99", "-0.01",
	"1e5", "1E-5", "-1.5e+10", "1e99", "1e308", "1e-400", "1e", "e5", "0x10", "nan", "inf", "12345678901234567890.123456789012345678", "0.1", "3.141592653589793",
	"t", "f", "true", "false", "T", "TRUE", "yes", "on", "1970-01-01", "2000-02-29", "1900-02-29", "1999-12-31", "0001-01-01", "0000-01-01", "9999-12-31",
	"2020-1-1", "2020-13-01", "2020-00-10", "2020-04-31", "20200101", "infinity", "epoch", "2020-01-01 00:00:00", "2020-01-01 23:59:59.999999", "2020-01-01 24:00:00",
	"2020-01-01T01:02:03", "2020-01-01 01:02:03.5", "2020-01-01 01:02:03.1234567", "2020-01-01 01:02:60", "2020-01-01 01:02", "1969-12-31 23:59:59.5",
	"0001-01-01 00:00:00", "2020-01-01 01:02:03+00", "2020-01-01 01:02:03.25+00", "2020-01-01 01:02:03+02", "2020-01-01 01:02:03Z", "2020-01-01 01:02:03.", "2020-01-01+00",
}

// TestPlainIsDuckDBs compares what is read with DuckDB's cast, also of texts with a
// change at a random place.
func TestPlainIsDuckDBs(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("SET timezone = 'America/New_York'")
	texts := append([]string{}, plainTexts...)
	random := rand.New(rand.NewPCG(7, 11))
	for range 4000 {
		text := []byte(plainTexts[random.IntN(len(plainTexts))])
		if len(text) > 0 {
			text[random.IntN(len(text))] = "0123456789-+.:e "[random.IntN(16)]
			texts = append(texts, string(text))
		}
	}
	for _, typ := range []rows.Type{
		{ID: rows.Boolean},
		{ID: rows.TinyInt},
		{ID: rows.SmallInt},
		{ID: rows.Integer},
		{ID: rows.BigInt},
		{ID: rows.Double},
		{ID: rows.Date},
		{ID: rows.Timestamp},
		{ID: rows.TimestampTZ},
		{ID: rows.Decimal, Width: 4, Scale: 2},
		{ID: rows.Decimal, Width: 18, Scale: 0},
		{ID: rows.Decimal, Width: 9, Scale: 9},
		{ID: rows.Decimal, Width: 18, Scale: 6},
		{ID: rows.Decimal, Width: 38, Scale: 2},
		{ID: rows.Varchar},
	} {
		var plain []string
		for _, text := range texts {
			in, out := rows.Vector{Type: rows.Type{ID: rows.Varchar}, Str: []string{text}}, rows.Vector{}
			if !readPlain(typ, &in, 1, &out) {
				continue
			}
			value := fmt.Sprint(out.I64)
			if typ.ID == rows.Double {
				value = fmt.Sprint(out.F64)
			}
			plain = append(plain, fmt.Sprintf("(%s, %s)", quoteText(text), quoteText(strings.Trim(value, "[]"))))
		}
		if typ.ID == rows.Varchar || typ.Width > plainDigits {
			if len(plain) > 0 {
				t.Errorf("%s has plain texts", typ)
			}
			continue
		}
		if len(plain) == 0 {
			t.Errorf("no text is plain for %s", typ)
			continue
		}
		s.want("SELECT a, b FROM (VALUES "+strings.Join(plain, ", ")+") v(a, b) WHERE "+held(typ)+" IS DISTINCT FROM b", "")
	}
}

// held is SQL for the text of what a vector holds for a cast to a type.
func held(t rows.Type) string {
	cast := "CAST(a AS " + t.String() + ")"
	switch t.ID {
	case rows.Double: // whose texts are several
		return "CASE WHEN " + cast + " = CAST(b AS DOUBLE) THEN b END"
	case rows.Boolean:
		return cast + "::INTEGER::VARCHAR"
	case rows.Date:
		return "(" + cast + " - DATE '1970-01-01')::VARCHAR"
	case rows.Timestamp, rows.TimestampTZ:
		return "epoch_us(" + cast + ")::VARCHAR"
	case rows.Decimal:
		return "replace(" + cast + "::VARCHAR, '.', '')::BIGINT::VARCHAR"
	}
	return cast + "::VARCHAR"
}
