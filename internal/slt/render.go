package slt

import (
	"encoding/hex"
	"math"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"
)

// Values that the format spells with a word.
const (
	nullText  = "NULL"
	emptyText = "(empty)"
)

// render gives a cell the spelling of the dialect; letter is the type letter of
// its column in the query.
func render(cell Cell, oid uint32, dialect Dialect, letter byte) string {
	switch {
	case cell.Null:
		return nullText
	case dialect == SQLite:
		return renderSQLite(cell.Text, oid, letter)
	}
	text := duckText(cell.Text, oid)
	if text == "" {
		return emptyText
	}
	return strings.ReplaceAll(text, "\x00", `\0`)
}

// renderSQLite prints by the query's letter: I cuts off, R has three decimals.
func renderSQLite(text string, oid uint32, letter byte) string {
	switch letter {
	case 'I':
		switch {
		case oid == pgtype.BoolOID && text == "t":
			return "1"
		case oid == pgtype.BoolOID:
			return "0"
		}
		if f, err := strconv.ParseFloat(text, 64); err == nil && strings.ContainsAny(text, ".e") {
			return strconv.FormatFloat(math.Trunc(f), 'f', 0, 64)
		}
		return text
	case 'R':
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return strconv.FormatFloat(f, 'f', 3, 64)
		}
		return text
	}
	if text == "" {
		return emptyText
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '@'
		}
		return r
	}, text)
}

// duckText turns the wire's text, which is Postgres's, into that of DuckDB's
// cast to VARCHAR.
func duckText(text string, oid uint32) string {
	if element, ok := arrayElements[oid]; ok {
		return duckList(text, element)
	}
	switch oid {
	case pgtype.BoolOID:
		if text == "t" {
			return "true"
		}
		return "false"
	case pgtype.Float4OID:
		return unsigned(duckFloat(text, 32))
	case pgtype.Float8OID:
		return unsigned(duckFloat(text, 64))
	case pgtype.ByteaOID:
		return duckBlob(text)
	case pgtype.IntervalOID:
		return duckInterval(text)
	case pgtype.DateOID, pgtype.TimestampOID, pgtype.TimestamptzOID:
		if before, bc := strings.CutSuffix(text, " BC"); bc {
			date, clock, _ := strings.Cut(before, " ")
			return strings.TrimSpace(date + " (BC) " + clock)
		}
	}
	return text
}

// The range in which DuckDB prints floats without exponent.
const (
	fixedMin = 1e-4
	fixedMax = 1e16
)

// duckFloat prints a float with the fewest digits that read back, a point always.
func duckFloat(text string, bits int) string {
	f, err := strconv.ParseFloat(text, bits)
	switch {
	case err != nil:
		return text
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	if a := math.Abs(f); a != 0 && (a < fixedMin || a >= fixedMax) {
		return strconv.FormatFloat(f, 'e', -1, bits)
	}
	text = strconv.FormatFloat(f, 'f', -1, bits)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// unsigned drops the sign of zero and of NaN, which no comparison sees and which
// depends on the order of rows.
func unsigned(text string) string {
	switch text {
	case "-0.0", "-nan":
		return text[1:]
	}
	return text
}

// duckBlob prints printable ASCII as it is and all else as \xNN.
func duckBlob(text string) string {
	data, err := hex.DecodeString(strings.TrimPrefix(text, `\x`))
	if err != nil {
		return text
	}
	var b strings.Builder
	for _, c := range data {
		if c >= ' ' && c <= '~' && c != '\\' && c != '\'' && c != '"' {
			b.WriteByte(c)
			continue
		}
		b.WriteString(`\x` + strings.ToUpper(hex.EncodeToString([]byte{c})))
	}
	return b.String()
}

// duckInterval spells months out, has no plus after a negative part, and counts
// one backwards in the singular.
func duckInterval(text string) string {
	words := strings.Fields(strings.ReplaceAll(text, "+", ""))
	for i, w := range words {
		w = strings.Replace(w, "mon", "month", 1)
		if i > 0 && words[i-1] == "-1" {
			w = strings.TrimSuffix(w, "s")
		}
		words[i] = w
	}
	return strings.Join(words, " ")
}

// isNumeric and isFloat say how cells of a column may be compared.
func isNumeric(oid uint32) bool {
	switch oid {
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.NumericOID:
		return true
	}
	return isFloat(oid)
}

func isFloat(oid uint32) bool { return oid == pgtype.Float4OID || oid == pgtype.Float8OID }
