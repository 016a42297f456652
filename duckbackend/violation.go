package duckbackend

import (
	"strconv"
	"strings"
)

// Violation is the cause of an error of a constraint: what DuckDB was checking. Columns are numbers
// of columns that are stored, from 0, without the generated ones. It is known on Linux only.
type Violation struct {
	Database, Schema, Table string
	// Index is the index that was looked into last, of the row that violates a key; nil: none was.
	Index *ViolatedIndex
	// Key is the foreign key that was checked last; nil: none was.
	Key *ViolatedKey
	// Message is DuckDB's.
	Message string
}

// ViolatedIndex is an index, or a primary key or UNIQUE.
type ViolatedIndex struct {
	Name    string
	Primary bool
	Columns []int
}

// ViolatedKey is a foreign key. Deletes: the row is one to which others refer.
type ViolatedKey struct {
	Deletes bool
	// Schema and Table are of the other table, than which rows are written of.
	Schema, Table string
	// From are the columns that refer to To.
	From, To []int
}

// Error is DuckDB's message.
func (v *Violation) Error() string { return v.Message }

const (
	violationMark = "VIOLATION "
	commitMark    = "Failed to commit: "
	// primaryIndex is the IndexConstraintType of a primary key.
	primaryIndex = "2"
)

// violationOf takes what was being checked out of a message; nil: it does not say.
func violationOf(message string) (*Violation, string) {
	rest, commits := strings.CutPrefix(message, commitMark)
	rest, ok := strings.CutPrefix(rest, violationMark)
	if !ok {
		return nil, message
	}
	r := markReader{rest: rest}
	v := &Violation{Database: r.text(), Schema: r.text(), Table: r.text()}
	if r.flag() {
		v.Index = &ViolatedIndex{Name: r.text(), Primary: r.next(1) == primaryIndex, Columns: r.numbers()}
	}
	if r.flag() {
		v.Key = &ViolatedKey{Deletes: r.flag(), Schema: r.text(), Table: r.text(), From: r.numbers(), To: r.numbers()}
	}
	if r.bad {
		return nil, message
	}
	v.Message = r.rest
	if commits {
		return v, commitMark + r.rest
	}
	return v, r.rest
}

// markReader reads what is before a message.
type markReader struct {
	rest string
	bad  bool // something else was there
}

func (r *markReader) next(bytes int) string {
	if r.bad || bytes > len(r.rest) {
		r.bad = true
		return ""
	}
	text := r.rest[:bytes]
	r.rest = r.rest[bytes:]
	return text
}

// number reads a number up to what ends it.
func (r *markReader) number(end string) int {
	text, rest, ok := strings.Cut(r.rest, end)
	n, err := strconv.Atoi(text)
	if !ok || err != nil || n < 0 {
		r.bad = true
		return 0
	}
	r.rest = rest
	return n
}

func (r *markReader) flag() bool   { return r.next(1) == "1" }
func (r *markReader) text() string { return r.next(r.number(":")) }

func (r *markReader) numbers() (list []int) {
	for range r.number(":") {
		if r.bad {
			return nil
		}
		list = append(list, r.number(","))
	}
	return list
}
