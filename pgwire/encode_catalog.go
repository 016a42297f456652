package pgwire

import (
	"encoding/binary"
	"strconv"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// appendVectorText writes int2vector and oidvector: the numbers with blanks between them.
func appendVectorText(dst []byte, v *rows.Vector, i int) ([]byte, error) {
	elements, ok := parseList(v.Str[i])
	if !ok {
		return dst, badText("vector", v.Str[i])
	}
	for n, e := range elements {
		if n > 0 {
			dst = append(dst, ' ')
		}
		dst = append(dst, e.Text...)
	}
	return dst, nil
}

// binaryVectorAppender writes them as arrays that count from 0.
func binaryVectorAppender(t rows.Type) appender {
	element, appendElement := uint32(pgtype.Int2OID), appendInt16
	if t.ID == rows.OIDVector {
		element, appendElement = pgtype.OIDOID, appendInt32
	}
	size := int64(len(appendElement(nil, 0)))
	return func(dst []byte, v *rows.Vector, i int) ([]byte, error) {
		elements, ok := parseList(v.Str[i])
		if !ok {
			return dst, badText("vector", v.Str[i])
		}
		dst = appendInt32(appendInt32(dst, 1), 0) // dimensions, no NULLs
		dst = binary.BigEndian.AppendUint32(dst, element)
		dst = appendInt32(appendInt32(dst, int64(len(elements))), 0) // from element 0
		for _, e := range elements {
			n, err := strconv.ParseInt(e.Text, 10, 64)
			if err != nil {
				return dst, badText("vector", v.Str[i])
			}
			dst = appendElement(appendInt32(dst, size), n)
		}
		return dst, nil
	}
}

// appendCharBinary writes "char", which is one byte: the empty text is zero.
func appendCharBinary(dst []byte, v *rows.Vector, i int) ([]byte, error) {
	if v.Str[i] == "" {
		return append(dst, 0), nil
	}
	return append(dst, v.Str[i][0]), nil
}

// appendObjectBinary writes what is an OID in Postgres' binary format, and the name of the
// object here.
func appendObjectBinary(dst []byte, v *rows.Vector, i int) ([]byte, error) {
	if v.Str[i] == "-" {
		return appendInt32(dst, 0), nil
	}
	n, err := strconv.ParseUint(v.Str[i], 10, 32)
	if err != nil {
		return dst, sqlerr.New(sqlerr.FeatureNotSupported, "%q, the name of an object, has no binary format", v.Str[i]).
			WithHint("Ask for the text format, or cast the column to oid or text.")
	}
	return binary.BigEndian.AppendUint32(dst, uint32(n)), nil
}
