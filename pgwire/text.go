package pgwire

import (
	"github.com/trireme-db/trireme/internal/rows"
)

// AppendText appends row i of v, which is not NULL, in Postgres's text format, times
// with a zone in UTC, for those who print rows without the wire.
func AppendText(dst []byte, v *rows.Vector, i int) ([]byte, error) {
	return textAppender(v.Type, textStyle{keepsNanos: true})(dst, v, i)
}
