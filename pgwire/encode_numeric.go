package pgwire

import (
	"bytes"
	"math/bits"
	"strconv"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/rows"
)

// Signs of Postgres's binary numeric.
const (
	numericPositive = 0x0000
	numericNegative = 0x4000
	numericNaN      = 0xC000
	numericPosInf   = 0xD000
	numericNegInf   = 0xF000
)

// groupDigits is the number of decimal digits in one digit of a binary numeric.
const groupDigits = 4

// appendInt128 appends decimal digits.
func appendInt128(dst []byte, a semiring.Int128) []byte {
	if v, ok := a.Int64(); ok {
		return strconv.AppendInt(dst, v, 10)
	}
	if a.Hi < 0 {
		dst = append(dst, '-')
		a = a.Neg() // the minimum stays itself, which read unsigned is its magnitude
	}
	const chunk = 1e19 // the largest power of ten in a uint64; exceeds the high word
	q, r := bits.Div64(uint64(a.Hi), a.Lo, chunk)
	if q != 0 {
		dst = strconv.AppendUint(dst, q, 10)
		var pad [20]byte
		low := strconv.AppendUint(pad[:0], r, 10)
		for n := len(low); n < 19; n++ {
			dst = append(dst, '0')
		}
		return append(dst, low...)
	}
	return strconv.AppendUint(dst, r, 10)
}

// appendUnscaled appends the digits of an unscaled DECIMAL or a wide integer.
func appendUnscaled(dst []byte, v *rows.Vector, i int, p rows.Physical) []byte {
	switch p {
	case rows.PhysInt64:
		return strconv.AppendInt(dst, v.I64[i], 10)
	case rows.PhysInt128:
		return appendInt128(dst, v.I128[i])
	default:
		return append(dst, v.Str[i]...)
	}
}

// textNumericAppender prints unscaled numbers with their point in place. One without a
// precision has no zeros behind its digits.
func textNumericAppender(t rows.Type) appender {
	p, scale := t.Physical(), int(t.Scale)
	if t.ID != rows.Decimal {
		scale = 0
	}
	return func(dst []byte, v *rows.Vector, i int) ([]byte, error) {
		if scale == 0 {
			return appendUnscaled(dst, v, i, p), nil
		}
		var scratch [48]byte
		digits := appendUnscaled(scratch[:0], v, i, p)
		if digits[0] == '-' {
			dst, digits = append(dst, '-'), digits[1:]
		}
		if t == rows.BareNumeric {
			dst = bytes.TrimRight(appendPoint(dst, digits, scale), "0")
			return bytes.TrimSuffix(dst, []byte{'.'}), nil
		}
		return appendPoint(dst, digits, scale), nil
	}
}

// appendPoint appends digits with a point before the last scale of them.
func appendPoint(dst, digits []byte, scale int) []byte {
	whole := len(digits) - scale
	if whole <= 0 {
		dst = append(dst, '0', '.')
		for ; whole < 0; whole++ {
			dst = append(dst, '0')
		}
		return append(dst, digits...)
	}
	dst = append(dst, digits[:whole]...)
	dst = append(dst, '.')
	return append(dst, digits[whole:]...)
}

// binaryNumericAppender writes Postgres's binary numeric.
func binaryNumericAppender(t rows.Type) appender {
	p, scale := t.Physical(), int(t.Scale)
	if t.ID != rows.Decimal {
		scale = 0
	}
	return func(dst []byte, v *rows.Vector, i int) ([]byte, error) {
		var scratch [48]byte
		digits, shown := appendUnscaled(scratch[:0], v, i, p), scale
		if t == rows.BareNumeric {
			shown = max(scale-(len(digits)-len(bytes.TrimRight(digits, "0"))), 0)
		}
		return appendNumericBinary(dst, digits, scale, shown), nil
	}
}

// appendNumericBinary appends an unscaled decimal number (digits, perhaps after
// '-') with scale digits after the point, of which the first ones are to be shown: counts, weight of the first group,
// sign, scale, then the groups of four digits, zero groups at both ends left out.
func appendNumericBinary(dst, digits []byte, scale, shown int) []byte {
	sign := int64(numericPositive)
	if digits[0] == '-' {
		sign, digits = numericNegative, digits[1:]
	}
	// Position k counts decimal places left of the point: digit j has place
	// len(digits)-scale-1-j, and belongs to group floor(place/4).
	place := len(digits) - scale - 1
	at := len(dst)
	dst = append(dst, 0, 0, 0, 0, 0, 0, 0, 0)
	first, last := 0, 0 // last: bytes up to the last group that is not zero
	started := false
	for j := 0; j < len(digits); {
		group := floorDiv(place-j, groupDigits)
		value := int64(0)
		for k := place - j; k >= group*groupDigits; k-- {
			value *= 10
			if j < len(digits) {
				value += int64(digits[j] - '0')
				j++
			}
		}
		if value == 0 && !started {
			continue
		}
		if !started {
			started, first = true, group
		}
		dst = appendInt16(dst, value)
		if value != 0 {
			last = len(dst)
		}
	}
	if !started {
		sign, last = numericPositive, at+8
	}
	dst = dst[:last]
	header := appendInt16(dst[at:at], int64(last-at-8)/2)
	header = appendInt16(header, int64(first))
	header = appendInt16(header, sign)
	appendInt16(header, int64(shown))
	return dst
}

// floorDiv divides rounding towards minus infinity; b is positive.
func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
