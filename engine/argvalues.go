package engine

import (
	"errors"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// wholeText is the text of an integer.
var wholeText = regexp.MustCompile(`^\s*[+-]?[0-9]+\s*$`)

// numberText is the text of a number: sign, digits before and after the point, exponent.
var numberText = regexp.MustCompile(`^\s*[+-]?([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]{1,6}))?\s*$`)

// decimalDigitsMax is the most digits of a DECIMAL.
const decimalDigitsMax = 38

// fitted is the type with which a value of a parameter is bound, so that none of it is
// lost: of another DECIMAL than t where t has not the digits.
func fitted(t rows.Type, arg Arg) (rows.Type, error) {
	if arg.Null {
		return t, nil
	}
	switch t.ID {
	case rows.TinyInt, rows.SmallInt, rows.Integer, rows.BigInt, rows.UTinyInt, rows.USmallInt, rows.UInteger, rows.OID:
		if !wholeText.MatchString(arg.Text) {
			return t, notOf(t, arg.Text)
		}
		if !inRange(t.ID, strings.TrimSpace(arg.Text)) {
			return t, beyondRange(t, arg.Text)
		}
	case rows.HugeInt, rows.UHugeInt, rows.UBigInt:
		if !wholeText.MatchString(arg.Text) {
			return decimalFor(t, []string{arg.Text})
		}
	case rows.Decimal:
		if t.Width > 0 {
			return decimalFor(t, []string{arg.Text})
		}
	case rows.Float, rows.Double:
		return t, floatFits(t, arg.Text)
	case rows.List:
		return fittedList(t, arg.Text)
	}
	return t, nil
}

// fittedExactly is fitted for a place that takes a number of any digits: the digits behind the point
// are those of the value, as in Postgres, whatever values t has been for. NULL has none.
func fittedExactly(t rows.Type, arg Arg) (rows.Type, error) {
	if arg.Null {
		arg.Text = "0"
	}
	exact, err := decimalFor(someDigits, []string{arg.Text})
	if err == nil && t.ID == rows.Decimal && exact.ID == rows.Decimal && t.Scale == exact.Scale && t.Width >= exact.Width {
		return t, nil
	}
	return exact, err
}

func notOf(t rows.Type, text string) error {
	return sqlerr.New(sqlerr.InvalidText, "invalid input syntax for type %s: %q", strings.ToLower(t.String()), text)
}

// inRange reports whether the text of an integer is one of a type.
func inRange(id rows.TypeID, text string) bool {
	if bits, signed := integerBits[id]; signed {
		_, err := strconv.ParseInt(text, 10, bits)
		return err == nil
	}
	_, err := strconv.ParseUint(strings.TrimPrefix(text, "+"), 10, unsignedBits[id])
	return err == nil
}

// floatFits is the error for a number that a FLOAT or DOUBLE does not reach; what is not a number is
// left to DuckDB.
func floatFits(t rows.Type, text string) error {
	bits := 64
	if t.ID == rows.Float {
		bits = 32
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(text), bits)
	if errors.Is(err, strconv.ErrRange) || err == nil && f == 0 && strings.ContainsAny(mantissa(text), "123456789") {
		return beyondRange(t, text)
	}
	return nil
}

// mantissa is the text of a number without its exponent.
func mantissa(text string) string {
	if end := strings.IndexAny(text, "eE"); end >= 0 {
		return text[:end]
	}
	return text
}

func beyondRange(t rows.Type, text string) error {
	return sqlerr.New(sqlerr.NumericOutOfRange, "value %q is out of range for type %s", text, strings.ToLower(t.String()))
}

// unsignedBits are the widths of integers without sign.
var unsignedBits = map[rows.TypeID]int{rows.UTinyInt: 8, rows.USmallInt: 16, rows.UInteger: 32, rows.OID: 32}

// decimalWidths are the widths of DECIMALs that are used: another width is another plan.
var decimalWidths = []int{4, 9, 18, decimalDigitsMax}

// decimalFor is the DECIMAL that has the digits of numbers: t, if it is one that does, and
// an integer of 128 bits where only that has them. A text that is not a number is left to DuckDB.
func decimalFor(t rows.Type, texts []string) (rows.Type, error) {
	whole, scale, least := 0, 0, 0
	for _, text := range texts {
		m := numberText.FindStringSubmatch(text)
		if m == nil || m[1]+m[2] == "" {
			return t, nil
		}
		exponent, err := strconv.Atoi(m[3])
		if m[3] != "" && err != nil {
			return t, err
		}
		scale = max(scale, len(m[2])-exponent)
		digits := m[1] + m[2]
		if significant := strings.TrimLeft(digits, "0"); significant != "" {
			whole = max(whole, len(significant)-len(m[2])+exponent)
			least = max(least, len(strings.TrimRight(digits, "0"))-len(m[1])-exponent)
		}
	}
	if t.ID == rows.Decimal && least <= int(t.Scale) && whole <= int(t.Width)-int(t.Scale) && t != someDigits {
		return t, nil
	}
	if whole+scale > decimalDigitsMax {
		scale = least
	}
	for _, width := range decimalWidths {
		if whole+scale <= width {
			return rows.Type{ID: rows.Decimal, Width: uint8(width), Scale: uint8(scale)}, nil
		}
	}
	for _, t := range []rows.Type{{ID: rows.HugeInt}, {ID: rows.UHugeInt}} { // of 39 digits
		if !slices.ContainsFunc(texts, func(text string) bool { return !isHuge(t.ID, text) }) {
			return t, nil
		}
	}
	return t, sqlerr.New(sqlerr.NumericOutOfRange, "a number of more than %d digits is out of range", decimalDigitsMax).
		WithHint("Round it, or give the parameter the type double precision where it is declared.")
}

// decimalText is the text of a number that fitted has found a DECIMAL for, without an
// exponent: DuckDB does not read every exponent into a DECIMAL that has just the digits.
func decimalText(text string) string {
	m := numberText.FindStringSubmatch(text)
	if m == nil || m[3] == "" {
		return text
	}
	exponent, err := strconv.Atoi(m[3])
	digits := m[1] + m[2]
	if err != nil || digits == "" {
		return text
	}
	if strings.Trim(digits, "0") == "" {
		return "0"
	}
	sign := ""
	if strings.HasPrefix(strings.TrimSpace(text), "-") {
		sign = "-"
	}
	point := len(m[1]) + exponent
	if point <= 0 {
		return sign + "0." + strings.Repeat("0", -point) + digits
	}
	digits += strings.Repeat("0", max(0, point-len(digits)))
	whole := strings.TrimLeft(digits[:point-1], "0") + digits[point-1:point]
	return strings.TrimSuffix(sign+whole+"."+digits[point:], ".")
}

// exponentText is a number with an exponent, as an element of a list.
var exponentText = regexp.MustCompile(`[+-]?[0-9.]+[eE][+-]?[0-9]+`)

// spelledFor is the text of an argument as DuckDB reads it into the type that it was
// fitted with.
func spelledFor(t rows.Type, arg Arg) string {
	switch {
	case arg.Null:
	case t.ID == rows.Decimal:
		return decimalText(arg.Text)
	case isDecimals(t):
		return exponentText.ReplaceAllStringFunc(arg.Text, decimalText)
	}
	return arg.Text
}

// isHuge reports whether a text is an integer of 128 bits.
func isHuge(id rows.TypeID, text string) bool {
	if !wholeText.MatchString(text) {
		return false
	}
	n, ok := new(big.Int).SetString(strings.TrimSpace(text), 10)
	if id == rows.UHugeInt {
		return ok && n.Sign() >= 0 && n.BitLen() <= 128
	}
	if ok && n.Sign() < 0 {
		n.Not(n) // -1<<127 has as many bits as 1<<127 - 1
	}
	return ok && n.BitLen() <= 127
}

// fittedList is fitted for the elements of a list.
func fittedList(t rows.Type, text string) (rows.Type, error) {
	element, _, _ := strings.Cut(strings.TrimSuffix(t.Name, "[]"), "(")
	id, whole := wholeTypes[element]
	float, isFloat := floatTypes[element]
	if !whole && !isFloat && element != "DECIMAL" || strings.HasSuffix(element, "]") {
		return t, nil
	}
	var texts []string
	for item := range strings.SplitSeq(strings.Trim(strings.TrimSpace(text), "[]"), ",") {
		item = strings.Trim(strings.TrimSpace(item), `'"`)
		switch {
		case item == "" || strings.EqualFold(item, "NULL"):
		case whole && !wholeText.MatchString(item):
			return t, notOf(rows.Type{ID: id}, item)
		case whole && !inRange(id, item):
			return t, beyondRange(rows.Type{ID: id}, item)
		case isFloat:
			if err := floatFits(rows.Type{ID: float}, item); err != nil {
				return t, err
			}
		default:
			texts = append(texts, item)
		}
	}
	if whole || isFloat {
		return t, nil
	}
	var width, scale uint8
	if d, ok := listDigits(t.Name); ok {
		width, scale = d[0], d[1]
	}
	d := rows.Type{ID: rows.Decimal, Width: width, Scale: scale}
	if len(texts) == 0 {
		return t, nil
	}
	d, err := decimalFor(d, texts)
	return rows.Type{ID: rows.List, Name: d.String() + "[]"}, err
}

// wholeTypes are the integers, by DuckDB's names.
var wholeTypes = map[string]rows.TypeID{
	"TINYINT": rows.TinyInt, "SMALLINT": rows.SmallInt, "INTEGER": rows.Integer, "BIGINT": rows.BigInt, "UTINYINT": rows.UTinyInt,
	"USMALLINT": rows.USmallInt, "UINTEGER": rows.UInteger,
}

// floatTypes are those of floats.
var floatTypes = map[string]rows.TypeID{"FLOAT": rows.Float, "DOUBLE": rows.Double}

var listDecimal = regexp.MustCompile(`^DECIMAL\((\d+),(\d+)\)\[\]$`)

// listDigits are width and scale of the elements of a list of DECIMALs.
func listDigits(name string) (digits [2]uint8, ok bool) {
	m := listDecimal.FindStringSubmatch(name)
	if m == nil {
		return digits, false
	}
	for i := range digits {
		n, err := strconv.ParseUint(m[i+1], 10, 8)
		if err != nil {
			return digits, false
		}
		digits[i] = uint8(n)
	}
	return digits, true
}
