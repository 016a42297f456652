package pgwire

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Severities of ErrorResponse and NoticeResponse.
const (
	severityError = "ERROR"
	severityFatal = "FATAL"
)

// brokenError says that the connection cannot go on: the socket failed or the
// client left. Nothing more is sent.
type brokenError struct{ err error }

func (e *brokenError) Error() string { return "connection broken: " + e.err.Error() }
func (e *brokenError) Unwrap() error { return e.err }

// fatalError is reported with severity FATAL and ends the connection.
type fatalError struct{ err *sqlerr.Error }

func (e *fatalError) Error() string { return e.err.Message }
func (e *fatalError) Unwrap() error { return e.err }

func fatalf(code, format string, args ...any) error {
	return &fatalError{sqlerr.New(code, format, args...)}
}

// statementError is a session's error with the text its offset refers to.
type statementError struct {
	err error
	// text is the whole query, start the byte offset in it of the statement that
	// failed.
	text  string
	start int
}

func (e *statementError) Error() string { return e.err.Error() }
func (e *statementError) Unwrap() error { return e.err }

// errorResponse makes the message for err. A context's own error stands for
// what ended the context: canceled says that a client asked for it.
func errorResponse(err error, severity string, canceled bool) *pgproto3.ErrorResponse {
	var e *sqlerr.Error
	switch {
	case errors.As(err, &e):
		e = sqlerr.From(err)
	case errors.Is(err, context.DeadlineExceeded):
		e = sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to statement timeout")
	case errors.Is(err, context.Canceled) && canceled:
		e = sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to user request")
	case errors.Is(err, context.Canceled):
		e = sqlerr.New(sqlerr.AdminShutdown, "terminating connection due to administrator command")
	default:
		e = sqlerr.From(err)
	}
	msg := &pgproto3.ErrorResponse{
		Severity: severity, SeverityUnlocalized: severity,
		Code: e.Code, Message: cString(e.Message), Detail: cString(e.Detail), Hint: cString(e.Hint), Where: cString(e.Context),
		Routine:    e.Routine,
		SchemaName: cString(e.Schema), TableName: cString(e.Table), ColumnName: cString(e.Column), ConstraintName: cString(e.Constraint),
	}
	var s *statementError
	if errors.As(err, &s) && e.Offset >= 0 {
		msg.Position = characterPosition(s.text, s.start+e.Offset)
	}
	return msg
}

// characterPosition converts a byte offset to a 1-based position in characters.
func characterPosition(text string, offset int) int32 {
	return int32(utf8.RuneCountInString(text[:min(offset, len(text))])) + 1
}

// cString makes s fit a NUL-terminated field.
func cString(s string) string { return strings.ReplaceAll(s, "\x00", "\\0") }

// panicError reports a recovered panic.
func panicError(v any) error {
	return fatalf(sqlerr.InternalError, "%s", cString(fmt.Sprint(v)))
}
