// Package sqlerr is the one error type that reaches a client: SQLSTATE,
// message, position in the statement's text, hint, and the objects it is about.
package sqlerr

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// SQLSTATE codes in use.
const (
	FeatureNotSupported      = "0A000"
	ProtocolViolation        = "08P01"
	InvalidTransaction       = "25000"
	ActiveTransaction        = "25001"
	NoActiveTransaction      = "25P01"
	UndefinedSavepoint       = "3B001"
	IdleInTransactionTimeout = "25P03"
	TransactionTimeout       = "25P04"
	IdleSessionTimeout       = "57P05"
	FailedTransaction        = "25P02"
	InvalidParameter         = "22023"
	NumericOutOfRange        = "22003"
	InvalidText              = "22P02"
	InvalidRegexp            = "2201B"
	InvalidBinary            = "22P03"
	BadEncoding              = "22021"
	InvalidEscape            = "22025"
	DivisionByZero           = "22012"
	DatatypeMismatch         = "42804"
	WrongObjectType          = "42809"
	SyntaxError              = "42601"
	UndefinedTable           = "42P01"
	UndefinedColumn          = "42703"
	UndefinedFunction        = "42883"
	UndefinedObject          = "42704"
	DuplicateObject          = "42710"
	AmbiguousFunction        = "42725"
	IndeterminateType        = "42P18"
	DuplicateTable           = "42P07"
	AmbiguousColumn          = "42702"
	GroupingError            = "42803"
	UndefinedPrepared        = "26000"
	UndefinedPortal          = "34000"
	DuplicateCursor          = "42P03"
	InvalidCursorDefinition  = "42P11"
	InvalidDefinition        = "42P17"
	ReadOnlyTransaction      = "25006"
	NotInState               = "55000"
	DuplicatePrepared        = "42P05"
	UniqueViolation          = "23505"
	ForeignKeyViolation      = "23503"
	NotNullViolation         = "23502"
	CheckViolation           = "23514"
	DependentObjects         = "2BP01"
	DiskFull                 = "53100"
	OutOfMemory              = "53200"
	StatementTooComplex      = "54001"
	ProgramLimit             = "54000"
	TooManyConnections       = "53300"
	ObjectInUse              = "55006"
	QueryCanceled            = "57014"
	AdminShutdown            = "57P01"
	InvalidCatalogName       = "3D000"
	InvalidAuthorization     = "28000"
	IOError                  = "58030"
	SerializationFailure     = "40001"
	DeadlockDetected         = "40P01"
	LockNotAvailable         = "55P03"
	InternalError            = "XX000"
	DataCorrupted            = "XX001"
)

// ClassSyntax begins the SQLSTATEs of what a text means.
const ClassSyntax = "42"

// Object is what an error is about, as the catalog shows it; what is not known is empty.
type Object struct {
	Schema, Table, Column, Constraint string
}

// Error is an error for a client.
type Error struct {
	Code    string // SQLSTATE
	Message string
	Detail  string
	Hint    string
	// Context says where it happened, beside the statement: a line of COPY's input.
	Context string
	// Object is what the error is about.
	Object
	// Offset is the 0-based byte offset in the statement's text, or -1 when unknown.
	Offset int
	// Routine is Postgres' function that raises the error, where drivers know it by that.
	Routine string
	// Err is the cause, if any.
	Err error
	// Harmless: the statement was refused before anything of it ran, and a transaction goes
	// on as if it had not been sent.
	Harmless bool
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// New makes an Error without a position. Its message, and each of args, is shortened.
func New(code, format string, args ...any) *Error { return At(code, -1, format, args...) }

// At makes an Error at a byte offset of the statement. Its message is shortened as New does.
func At(code string, offset int, format string, args ...any) *Error {
	return &Error{Code: code, Message: shortly(format, args), Offset: offset}
}

// Wrap makes an Error out of a cause, keeping its text, which is shortened.
func Wrap(code string, err error) *Error {
	return &Error{Code: code, Message: Shortened(err.Error()), Offset: -1, Err: err}
}

// WithHint returns e with a hint, which is shortened as New does.
func (e *Error) WithHint(format string, args ...any) *Error {
	c := *e
	c.Hint = shortly(format, args)
	return &c
}

// IsHarmless reports whether an error leaves the transaction as it was.
func IsHarmless(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Harmless
}

// Harmless is an error that leaves the transaction as it was.
func Harmless(err error) error {
	e := *From(err)
	e.Harmless = true
	return &e
}

// From returns the *Error in err's chain, or wraps err as an internal error. None of its texts is
// too long: where they are, it is a copy.
func From(err error) *Error {
	var e *Error
	if !errors.As(err, &e) {
		return Wrap(InternalError, err)
	}
	if !slices.ContainsFunc(e.texts(), func(text *string) bool { return len(*text) > textMax+markMax }) {
		return e
	}
	c := *e
	for _, text := range c.texts() {
		*text = Shortened(*text)
	}
	return &c
}

// texts are those that clients are told.
func (e *Error) texts() []*string {
	return []*string{&e.Message, &e.Detail, &e.Hint, &e.Context, &e.Schema, &e.Table, &e.Column, &e.Constraint}
}

const (
	// textMax is how many bytes of a text are kept: a value that it repeats may be of any size.
	// Of one value there are valueMax, so that what follows it is there as well.
	textMax  = 8 << 10
	valueMax = 4 << 10
	// markMax is how long a text may be beside: the mark of what is left out, and a few words around
	// what has been shortened.
	markMax = 1 << 10
)

// Shortened is a text of an error without what is too much of it. It does not hold the whole text
// in memory.
func Shortened(text string) string {
	if len(text) <= textMax+markMax {
		return text
	}
	return cut(text, textMax)
}

func cut(text string, bytes int) string {
	return strings.ToValidUTF8(text[:bytes], "") + " ... (" + strconv.Itoa(len(text)) + " bytes)"
}

// shortly formats a text of bounded length.
func shortly(format string, args []any) string {
	for i, arg := range args {
		text, ok := arg.(string)
		if err, is := arg.(error); is {
			text, ok = err.Error(), true
		}
		if ok && len(text) > valueMax {
			args = slices.Clone(args)
			args[i] = cut(text, valueMax)
		}
	}
	return Shortened(fmt.Sprintf(format, args...))
}

// OtherResult is the error for a prepared statement that has other columns by now than its
// client was told. Drivers prepare it again by themselves.
func OtherResult() *Error {
	e := New(FeatureNotSupported, "cached plan must not change result type").
		WithHint("The tables behind the prepared statement have changed; prepare it again.")
	e.Routine = "RevalidateCachedQuery"
	return e
}
