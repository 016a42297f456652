package copyfmt

import (
	"bytes"
	"encoding/binary"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Signature begins the binary format.
const Signature = "PGCOPY\n\xff\r\n\x00"

// binaryHead is the signature, flags and length of the extension.
const binaryHead = len(Signature) + 8

// flagsCritical are those of the flags that a reader must know; hasOIDs is one of
// them that no reader takes any more.
const (
	flagsCritical = 0xffff0000
	hasOIDs       = 1 << 16
)

// binaryState is how far the binary format has been read.
type binaryState struct {
	began bool
	skip  int // of the header's extension
}

func (r *Reader) badBinary(format string, args ...any) error {
	return r.fail(sqlerr.New(CodeBadCopy, format, args...))
}

// binaryBegin reads the header; false: it is not there yet.
func (r *Reader) binaryBegin() (bool, error) {
	head := r.buf[r.pos:]
	known := min(len(head), len(Signature))
	if !bytes.Equal(head[:known], []byte(Signature)[:known]) || (r.last && len(head) < len(Signature)) {
		return false, r.fileError("COPY file signature not recognized")
	}
	if len(head) < binaryHead && !r.last {
		return false, nil
	}
	if len(head) < len(Signature)+4 {
		return false, r.fileError("invalid COPY file header (missing flags)")
	}
	flags := binary.BigEndian.Uint32(head[len(Signature):])
	switch {
	case flags&hasOIDs != 0:
		return false, r.fileError("invalid COPY file header (WITH OIDS)")
	case flags&flagsCritical != 0:
		return false, r.fileError("unrecognized critical flags in COPY file header")
	case len(head) < binaryHead:
		return false, r.fileError("invalid COPY file header (missing length)")
	}
	switch length := int32(binary.BigEndian.Uint32(head[len(Signature)+4:])); {
	case length < 0:
		return false, r.fileError("invalid COPY file header (missing length)")
	case length > BatchBytes:
		return false, r.fileError("invalid COPY file header (wrong length)")
	default:
		r.binary.began, r.binary.skip = true, int(length)
	}
	r.pos += binaryHead
	return true, nil
}

// fileError is an error of the header, before any row.
func (r *Reader) fileError(message string) error { return sqlerr.New(CodeBadCopy, "%s", message) }

// binaryRow reads one row; false: there is no whole one.
func (r *Reader) binaryRow() (bool, error) {
	if r.ended {
		r.pos = len(r.buf)
		return false, nil
	}
	if !r.binary.began {
		if ok, err := r.binaryBegin(); !ok || err != nil {
			return false, err
		}
	}
	n := min(r.binary.skip, len(r.buf)-r.pos)
	r.binary.skip -= n
	r.pos += n
	if r.last && r.binary.skip > 0 {
		return false, r.fileError("invalid COPY file header (wrong length)")
	}
	rest := r.buf[r.pos:]
	if len(rest) < 2 {
		if r.last && len(rest) > 0 {
			return false, r.unexpectedEnd()
		}
		return false, nil // Postgres takes a stream without trailer as well
	}
	count := int16(binary.BigEndian.Uint16(rest))
	if count == -1 {
		r.ended = true
		if len(rest) > 2 {
			return false, r.badBinary("received copy data after EOF marker")
		}
		r.pos = len(r.buf)
		return false, nil
	}
	if int(count) != len(r.target.Columns) {
		r.line++
		return false, r.badBinary("row field count is %d, expected %d", count, len(r.target.Columns))
	}
	return r.binaryFields(rest)
}

func (r *Reader) unexpectedEnd() error {
	r.line++
	return r.badBinary("unexpected EOF in COPY data")
}

// binaryFields reads the fields of a row whose count stands at the start of rest.
func (r *Reader) binaryFields(rest []byte) (bool, error) {
	r.fields = r.fields[:0]
	at := 2
	for i := range r.target.Columns {
		if len(rest) < at+4 {
			return r.incomplete(i)
		}
		size := int(int32(binary.BigEndian.Uint32(rest[at:])))
		at += 4
		f := field{null: size == -1}
		if !f.null {
			switch {
			case size < 0 || size > RowBytesMax:
				r.line++
				return false, r.failIn(sqlerr.New(CodeBadCopy, "invalid field size"), i, nil)
			case len(rest) < at+size:
				return r.incomplete(i)
			}
			f.text = rest[at : at+size]
			at += size
		}
		r.fields = append(r.fields, f)
	}
	r.line++
	r.pos += at
	for i := range r.fields {
		if err := r.convertField(i); err != nil {
			return false, r.failIn(err, i, nil)
		}
	}
	r.push(nil)
	return true, nil
}

// incomplete waits for the rest of a column of a row, if there is one to come.
func (r *Reader) incomplete(column int) (bool, error) {
	if !r.last {
		return false, nil
	}
	r.line++
	return false, r.failIn(sqlerr.New(CodeBadCopy, "unexpected EOF in COPY data"), column, nil)
}
