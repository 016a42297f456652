package duckbackend

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// duckMessage is DuckDB's error under errors_as_json.
type duckMessage struct {
	Type     string `json:"exception_type"`
	Message  string `json:"exception_message"`
	Subtype  string `json:"error_subtype"`
	Entry    string `json:"type"` // kind of the missing catalog entry
	Position string `json:"position"`
}

// ErrInternal is the cause of an error that DuckDB calls internal: it fails over a
// statement that it accepts, and may not over another text that means the same. One
// that DuckDB calls fatal does not have it: nothing can follow that.
var ErrInternal = errors.New("internal error of DuckDB")

// ErrInvalidated is the cause of an error after which the database does nothing any more:
// it could not be written. What has been acknowledged is in its log, and is there when it
// is opened again.
var ErrInvalidated = errors.New("the database is closed by DuckDB")

// invalidates reports whether an error leaves the database, or the instance, closed. The
// beginnings of texts are DuckDB's own; a user's text comes later in a message, or with
// another type.
func (m *duckMessage) invalidates() bool {
	if m.Type == "FATAL" {
		return true
	}
	for _, begin := range []string{
		`Checkpoint failed for database "` + CatalogName + `". The database has been invalidated.`,
		`Database "` + CatalogName + `" has been invalidated because `,
	} {
		if m.Type == "IO" && strings.HasPrefix(m.Message, begin) {
			return true
		}
	}
	return false
}

var closedText = regexp.MustCompile(`^(?:Checkpoint failed for database "(.*?)"\. The database has been invalidated\.|Database "(.*?)" has been invalidated because )`)

// closedDatabase is the database that DuckDB has closed as an error says; empty: it says so of none.
func closedDatabase(err error) string {
	if err == nil {
		return ""
	}
	m := closedText.FindStringSubmatch(sqlerr.From(err).Message)
	if m == nil {
		return ""
	}
	return m[1] + m[2]
}

// duckError makes a *sqlerr.Error of DuckDB's error text, which is JSON (after
// a prefix for parser errors), or plain where a session has changed the setting.
func duckError(text string) error {
	var m duckMessage
	start := strings.IndexByte(text, '{')
	if start < 0 || json.Unmarshal([]byte(text[start:]), &m) != nil || m.Type == "" {
		m = plainMessage(text)
	}
	var violation *Violation
	if m.Type == "Constraint" || m.Type == "TransactionContext" {
		violation, m.Message = violationOf(m.Message)
	}
	e := &sqlerr.Error{Code: errorCode(&m), Message: m.Message, Offset: -1}
	if violation != nil {
		e.Err = violation
	}
	if m.Type == "INTERNAL" {
		e.Err = ErrInternal
	}
	if m.invalidates() {
		e.Err = ErrInvalidated
	}
	if offset, err := strconv.Atoi(m.Position); err == nil {
		e.Offset = offset
	}
	hasKey := e.Code == sqlerr.UniqueViolation || e.Code == sqlerr.ForeignKeyViolation // a text of a user's
	if code, message, ok := unmarked(e.Message); ok && !hasKey {
		e.Code = code
		e.Message, e.Hint, _ = strings.Cut(message, hintMark)
	}
	if e.Code == sqlerr.QueryCanceled {
		return errInterrupted()
	}
	splitHint(e)
	explainRegexp(e)
	explainLimit(e)
	explainDependents(e)
	explainMissing(e)
	if isClosed(e.Message) && e.Hint == "" {
		e.Hint = hintClosed
	}
	e.Message = isNotOfKind.ReplaceAllString(e.Message, "$1 is not a $2")
	return sqlerr.From(e)
}

// plainMessage splits "Binder Error: text" into type and message.
func plainMessage(text string) duckMessage {
	kind, rest, ok := strings.Cut(text, " Error: ")
	if !ok || strings.ContainsAny(kind, "\n:") {
		return duckMessage{Message: text}
	}
	if i := strings.Index(rest, "\n\nLINE "); i >= 0 {
		rest = rest[:i]
	}
	return duckMessage{Type: kind, Message: rest}
}

// splitHint moves DuckDB's suggestions out of the message.
func splitHint(e *sqlerr.Error) {
	e.Message = strings.TrimRight(e.Message, "\n\t ")
	for _, mark := range []string{"Did you mean ", "Candidate bindings: ", "Candidate functions:", "Either add it "} {
		if i := strings.Index(e.Message, "\n"+mark); i >= 0 {
			e.Hint = withoutOwn(strings.TrimSpace(e.Message[i+1:]))
			e.Message = strings.TrimRight(e.Message[:i], "\n\t ")
			return
		}
		if i := strings.Index(e.Message, "\n\t"+mark); i >= 0 {
			e.Hint = strings.ReplaceAll(strings.TrimSpace(e.Message[i+2:]), "\n\t", "\n")
			e.Message = strings.TrimRight(e.Message[:i], "\n\t ")
			return
		}
	}
}

// withoutOwn drops names of the server's own databases from a suggestion; empty: there is
// no other.
func withoutOwn(hint string) string {
	const before, after = `Did you mean "`, `"?`
	if !strings.HasPrefix(hint, before) || !strings.HasSuffix(hint, after) {
		return hint
	}
	names := hint[len(before) : len(hint)-len(after)]
	list := slices.DeleteFunc(strings.Split(names, " or "), func(n string) bool { return strings.HasPrefix(n, CatalogName+"_") })
	if len(list) == 0 {
		return ""
	}
	return before + strings.Join(list, " or ") + after
}

// explainLimit says of limits that are the server's what can be done: DuckDB advises to
// change settings that are fixed here, or that have nothing to do with it.
func explainLimit(e *sqlerr.Error) {
	switch {
	case strings.HasPrefix(e.Message, "Max expression depth limit of "):
		e.Code = sqlerr.StatementTooComplex
		e.Message, _, _ = strings.Cut(e.Message, " Use ")
		e.Hint = "A chain of operators is as deep as it is long, and so is a FROM of many tables and a chain of common table expressions. concat(a, b, ..) and list_sum([a, b, ..]) are flat. " +
			"The server's --max-expression-depth says how deep, " + strconv.Itoa(ExpressionDepthMax) + " at most."
	case strings.HasPrefix(e.Message, "DECIMAL type width must be between"):
		e.Hint = "Write DECIMAL(38,s) with the digits behind the point that are needed, or DOUBLE."
	case strings.Contains(e.Message, "\n\nPlease try installing and loading "):
		e.Message, _, _ = strings.Cut(e.Message, "\n\n")
		e.Hint = "The server loads no extensions. Use VARCHAR for addresses, and what DuckDB has built in for other values."
	case e.Code == sqlerr.OutOfMemory && (strings.Contains(e.Message, "(bad allocation)") || e.Message == "Allocation failure"):
		e.Message, _, _ = strings.Cut(e.Message, "\n")
		e.Hint = "One value, or a step of its computation, needs more than the half of --memory-limit that is DuckDB's. Make it in parts."
	}
}

// explainDependents says what CASCADE does here: in DuckDB it takes tables along.
func explainDependents(e *sqlerr.Error) {
	message, advises := strings.CutSuffix(e.Message, "\nUse DROP...CASCADE to drop all dependents.")
	if e.Code == sqlerr.DependentObjects && advises {
		e.Message = message
		e.Hint = "Change or drop what depends on it first. CASCADE takes along defaults that a sequence counts, foreign keys, functions and indexes, but no table that is not named."
	}
}

// codeOfType is the SQLSTATE of a DuckDB exception type where nothing more
// specific is known.
var codeOfType = map[string]string{
	"Parser":                 sqlerr.SyntaxError,
	"Syntax":                 sqlerr.SyntaxError,
	"Binder":                 sqlerr.SyntaxError,
	"Catalog":                sqlerr.UndefinedObject,
	"Conversion":             sqlerr.InvalidText,
	"Out of Range":           sqlerr.NumericOutOfRange,
	"Decimal":                sqlerr.NumericOutOfRange,
	"Divide by Zero":         sqlerr.DivisionByZero,
	"Mismatch Type":          sqlerr.DatatypeMismatch,
	"Invalid type":           sqlerr.DatatypeMismatch,
	"Invalid Input":          sqlerr.InvalidParameter,
	"Invalid Configuration":  sqlerr.InvalidParameter,
	"Settings":               sqlerr.InvalidParameter,
	"Parameter Not Allowed":  sqlerr.InvalidParameter,
	"Parameter Not Resolved": sqlerr.InvalidParameter,
	"Not implemented":        sqlerr.FeatureNotSupported,
	"Missing Extension":      sqlerr.FeatureNotSupported,
	"Extension Autoloading":  sqlerr.FeatureNotSupported,
	"Constraint":             sqlerr.CheckViolation,
	"Dependency":             sqlerr.DependentObjects,
	"Permission":             "42501", // insufficient privilege
	"Sequence":               "2200H", // sequence generator limit exceeded
	"INTERRUPT":              sqlerr.QueryCanceled,
	"Interrupt":              sqlerr.QueryCanceled,
	"Out of Memory":          sqlerr.OutOfMemory,
	"IO":                     sqlerr.IOError,
	"HTTP":                   sqlerr.IOError,
	"Network":                sqlerr.IOError,
	"Serialization":          sqlerr.DataCorrupted,
	"TransactionContext":     sqlerr.InvalidTransaction,
}

// errorCode returns the SQLSTATE of a DuckDB error.
func errorCode(m *duckMessage) string {
	if strings.Contains(m.Message, "launched in read-only mode") {
		return "25006" // read-only SQL transaction
	}
	if isLocked(m.Message) || isClosed(m.Message) {
		return codeOfType["Permission"]
	}
	if strings.Contains(m.Message, "Unique file handle conflict") { // FROM 'x.db' of a file that is attached
		return sqlerr.ObjectInUse
	}
	if (m.Type == "IO" || m.Type == "FATAL") && isDiskFull(m.Message) {
		return sqlerr.DiskFull
	}
	if m.Type == "IO" && strings.HasPrefix(m.Message, "No files found that match the pattern") {
		return undefinedFile
	}
	if isEscape(m.Message) {
		return sqlerr.InvalidEscape
	}
	code := ""
	switch m.Type {
	case "Binder":
		code = binderCode(m)
	case "Catalog":
		code = catalogCode(m)
	case "Constraint":
		code = constraintCode(m.Message)
	case "TransactionContext":
		code = transactionCode(m.Message)
	case "Conversion":
		code = conversionCode(m.Message)
	case "Invalid Input":
		code = inputCode(m.Message)
	}
	if code == "" {
		code = codeOfType[m.Type]
	}
	if code == "" {
		code = sqlerr.InternalError // INTERNAL, FATAL and whatever DuckDB does not classify
	}
	return code
}

// SQLSTATEs of dates and times.
const (
	badDatetime      = "22007"
	datetimeOverflow = "22008"
)

// conversionCode is the SQLSTATE of a value that a cast refuses.
func conversionCode(message string) string {
	switch {
	case strings.Contains(message, "field value out of range"):
		return datetimeOverflow
	case strings.Contains(message, "out of range"), tooLarge.MatchString(message):
		return sqlerr.NumericOutOfRange
	case strings.HasPrefix(message, "invalid date field"), strings.HasPrefix(message, "invalid timestamp field"), strings.HasPrefix(message, "invalid time field"):
		return badDatetime
	case strings.HasPrefix(message, "Could not convert string ") && strings.Contains(message, " to INTERVAL"):
		return badDatetime
	}
	return ""
}

// inputCode is the SQLSTATE of what DuckDB calls invalid input.
func inputCode(message string) string {
	switch {
	case strings.HasPrefix(message, "Malformed JSON"):
		return sqlerr.InvalidText
	case strings.HasPrefix(message, "More than one row returned by a subquery"):
		return cardinalityViolation
	}
	return ""
}

// isEscape reports whether an error is of the ESCAPE of a pattern.
func isEscape(message string) bool {
	return strings.HasPrefix(message, "Like pattern must not end with escape character") || strings.HasPrefix(message, "Invalid escape string")
}

const (
	cardinalityViolation = "21000"
	undefinedFile        = "58P01"
)

// tooLarge are DuckDB's messages for texts of numbers, and numbers, that a type does not hold.
var tooLarge = regexp.MustCompile(`^Could not (?:convert string ['"][+-]?\d+(?:\.\d*)?['"] to (?:U?INT\d+|DECIMAL)|cast value [+-]?\d+(?:\.\d*)? to DECIMAL)`)

// missingForms are DuckDB's messages for what its parser reads and nothing does: what is
// not supported, and what to do.
var missingForms = map[string][2]string{
	"A CTE needs a SELECT":                        {"INSERT, UPDATE or DELETE in WITH", "Send the statements one after another, in a transaction: RETURNING gives the rows of each."},
	"T_AlterObjectSchemaStmt":                     {"SET SCHEMA", "Make the object in the other schema, a table by CREATE TABLE other.t AS FROM t, and drop this one."},
	"Non-column index element not supported yet!": {"ON CONFLICT of an expression", "Write MERGE INTO t USING .. ON (a condition) WHEN MATCHED THEN .. WHEN NOT MATCHED THEN INSERT .., or ON CONFLICT of columns."},
	"ColumnDef type not handled yet":              {"LIKE in CREATE TABLE", "CREATE TABLE new AS FROM old LIMIT 0 takes the columns. Write defaults and constraints."},
	"Constraint not implemented!":                 {"a constraint of this kind", "Constraints are checked at once: leave DEFERRABLE and INITIALLY DEFERRED out."},
	"FOREIGN KEY constraints cannot use CASCADE, SET NULL or SET DEFAULT": {
		"CASCADE, SET NULL or SET DEFAULT of a foreign key",
		"NO ACTION and RESTRICT are there. Delete the rows that refer to a row, or set their columns, in a transaction before the one that deletes or changes that row.",
	},
	"ALTER SEQUENCE option not supported yet!":    {"this form of ALTER SEQUENCE", "INCREMENT, MINVALUE, MAXVALUE, START, RESTART, CYCLE and OWNED BY are there. For the rest drop the sequence and make it anew."},
	"No support for that ALTER TABLE option yet!": {"this form of ALTER TABLE", "A constraint is checked for all rows when it is added: leave VALIDATE CONSTRAINT out."},
}

// explainMissing says so.
func explainMissing(e *sqlerr.Error) {
	if form, ok := missingForms[e.Message]; ok {
		e.Code, e.Message, e.Hint = sqlerr.FeatureNotSupported, form[0]+" is not supported", form[1]
	}
	if e.Code == cardinalityViolation && e.Hint == "" { // what follows advises to take any of the rows
		e.Message, _, _ = strings.Cut(e.Message, "\n\n")
		e.Hint = "Add a condition that leaves one row, an aggregate, or LIMIT 1."
	}
}

// duplicateColumn is the SQLSTATE of a column that is there already.
const duplicateColumn = "42701"

func binderCode(m *duckMessage) string {
	switch m.Subtype {
	case "COLUMN_NOT_FOUND":
		return sqlerr.UndefinedColumn
	case "NO_MATCHING_FUNCTION":
		return sqlerr.UndefinedFunction
	}
	for _, c := range []struct{ part, code string }{
		{"an only update base table", sqlerr.WrongObjectType},
		{"an only delete from base table", sqlerr.WrongObjectType},
		{"an only merge into base tables", sqlerr.WrongObjectType},
		{"an only create an index on a base table", sqlerr.WrongObjectType},
		{"annot reference a VIEW with a FOREIGN KEY", sqlerr.WrongObjectType},
		{"Ambiguous reference to", sqlerr.AmbiguousColumn},
		{"Referenced table ", sqlerr.UndefinedTable},
		{"does not have a column named", sqlerr.UndefinedColumn},
		{"does not have a column with name", sqlerr.UndefinedColumn},
		{"Referenced update column ", sqlerr.UndefinedColumn},
		{"cannot be referenced before it is defined", sqlerr.UndefinedColumn}, // an alias, where no column has the name
		{"on right side of join", sqlerr.UndefinedColumn},
		{"on left side of join", sqlerr.UndefinedColumn},
		{"Duplicate column name ", duplicateColumn},
		{"Could not choose a best candidate function", "42725"}, // ambiguous function
		{"ORDER term out of range", "42P10"},                    // invalid column reference
		{"function calls cannot be nested", sqlerr.GroupingError},
		{"must appear in the GROUP BY clause", sqlerr.GroupingError},
		{"cannot contain aggregates", sqlerr.GroupingError},
		{"cannot contain window functions", "42P20"}, // windowing error
		{"Cannot compare values of type", sqlerr.DatatypeMismatch},
		{"Cannot mix values of type", sqlerr.DatatypeMismatch},
		{"LIMIT/OFFSET cannot be negative", "2201W"}, // invalid row count in LIMIT clause
		{"does not exist", sqlerr.UndefinedObject},
	} {
		if strings.Contains(m.Message, c.part) {
			return c.code
		}
	}
	return ""
}

func catalogCode(m *duckMessage) string {
	exists := m.Subtype == "ENTRY_ALREADY_EXISTS"
	switch {
	case m.Entry == "Table" || m.Entry == "View":
		if exists {
			return sqlerr.DuplicateTable
		}
		return sqlerr.UndefinedTable
	case strings.Contains(m.Entry, "Function"):
		if exists {
			return "42723" // duplicate function
		}
		return sqlerr.UndefinedFunction
	case m.Entry == "Schema":
		if exists {
			return "42P06" // duplicate schema
		}
		return "3F000" // invalid schema name
	case strings.HasPrefix(m.Message, "Index with name ") && strings.HasSuffix(m.Message, "already exists!"):
		return sqlerr.DuplicateTable // relations have names of one kind
	case strings.HasPrefix(m.Message, "Could not drop the table because"):
		return sqlerr.DependentObjects
	case strings.HasPrefix(m.Message, "Column with name ") && strings.Contains(m.Message, "already exists"):
		return duplicateColumn
	case strings.HasPrefix(m.Message, "Existing object ") || isNotOfKind.MatchString(m.Message):
		return sqlerr.WrongObjectType
	case m.Entry == "Sequence" || strings.HasPrefix(m.Message, "Sequence with name "):
		if exists {
			return sqlerr.DuplicateTable // relations have names of one kind
		}
		return sqlerr.UndefinedTable
	case strings.HasPrefix(m.Message, "Table with name "):
		return sqlerr.UndefinedTable
	case strings.HasPrefix(m.Message, "Schema with name "):
		return "3F000"
	case strings.Contains(m.Message, "Database ") || strings.Contains(m.Message, "Catalog \""):
		return sqlerr.InvalidCatalogName
	case exists:
		return "42710" // duplicate object
	}
	return ""
}

// isNotOfKind is DuckDB's message for an object of another kind, whose article is always "an".
var isNotOfKind = regexp.MustCompile(`^(\S.*) is not an (table|view|sequence|schema|type|macro|function|table macro)$`)

func constraintCode(message string) string {
	switch {
	case strings.Contains(message, "NOT NULL"):
		return sqlerr.NotNullViolation
	case strings.Contains(message, "foreign key"):
		return sqlerr.ForeignKeyViolation
	case strings.Contains(message, "Duplicate key"), strings.Contains(message, "unique constraint"),
		strings.Contains(message, "duplicate key"), strings.Contains(message, "PRIMARY KEY"), strings.Contains(message, "contains duplicates"):
		return sqlerr.UniqueViolation
	}
	return ""
}

func transactionCode(message string) string {
	if reason, commits := strings.CutPrefix(message, commitMark); commits {
		if code := constraintCode(reason); code != "" {
			return code
		}
		if strings.HasPrefix(reason, "Could not ") { // write, fsync; a user's text begins nothing
			if isDiskFull(reason) {
				return sqlerr.DiskFull
			}
			return sqlerr.IOError
		}
	}
	switch {
	case strings.Contains(message, "transaction is aborted"):
		return sqlerr.FailedTransaction
	case strings.Contains(message, "within a transaction"):
		return sqlerr.ActiveTransaction
	case strings.Contains(message, "no transaction is active"):
		return sqlerr.NoActiveTransaction
	case strings.Contains(message, "another transaction has"), strings.Contains(message, "onflict"): // "Transaction conflict", "Conflict on tuple"
		return sqlerr.SerializationFailure
	}
	return ""
}

// isDiskFull reports whether a message has the operating system's words for it, or for a file that may not grow.
func isDiskFull(message string) bool {
	return strings.Contains(message, "No space left on device") || strings.Contains(message, "Disk quota exceeded") || strings.Contains(message, "File too large")
}

// canceled returns error 57014 when ctx is done.
func canceled(ctx context.Context) error {
	err := ctx.Err()
	if err == nil {
		return nil
	}
	e := sqlerr.Wrap(sqlerr.QueryCanceled, err)
	e.Message = "canceling statement due to user request"
	if errors.Is(err, context.DeadlineExceeded) {
		e.Message = "canceling statement due to statement timeout"
	}
	return e
}

// errInterrupted is the error of a result that Interrupt stopped.
func errInterrupted() error {
	return sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to user request")
}

func isCancel(err error) bool {
	var e *sqlerr.Error
	return errors.As(err, &e) && e.Code == sqlerr.QueryCanceled
}

func isOutOfMemory(err error) bool {
	var e *sqlerr.Error
	return errors.As(err, &e) && e.Code == sqlerr.OutOfMemory
}

// attachError sharpens the error of attaching a database file.
func attachError(path string, err error) error {
	e := *sqlerr.From(err)
	e.Offset = -1
	text := e.Message
	switch {
	case strings.Contains(text, "Could not set lock"), strings.Contains(text, "already attached"),
		strings.Contains(text, "being used by another process"):
		e.Code = sqlerr.ObjectInUse
		e.Message = "the database " + strconv.Quote(path) + " is in use: " + text
		e.Hint = "Stop the process that holds the file, or connect to it."
	case strings.Contains(text, "not a valid DuckDB database"), e.Code == sqlerr.DataCorrupted,
		strings.Contains(text, "Corrupt"), strings.Contains(text, "corrupt"), strings.Contains(text, "checksum"),
		e.Code == sqlerr.InternalError:
		e.Code = sqlerr.DataCorrupted
		e.Message = "cannot open database " + strconv.Quote(path) + ": " + text
		e.Hint = "The file is not a DuckDB database or is damaged; restore it from a backup or choose another path."
	case strings.Contains(text, "version number"):
		e.Code = sqlerr.FeatureNotSupported
		e.Hint = "The file was written by another version of DuckDB."
	case e.Code == sqlerr.IOError:
		e.Message = "cannot open database " + strconv.Quote(path) + ": " + text
		e.Hint = "Check that the path exists and that this user may read and write it."
	}
	return &e
}

func errCursorClosed() error {
	return sqlerr.New(sqlerr.UndefinedPortal, "the result is closed")
}

// withoutOffset drops an offset that counts in a text of ours, not in the user's.
func withoutOffset(err error) error {
	if err == nil {
		return nil
	}
	e := *sqlerr.From(err)
	e.Offset = -1
	return &e
}
