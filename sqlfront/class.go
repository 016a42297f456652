package sqlfront

// ClassKind says what a statement is, as far as its session must know.
type ClassKind uint8

// The kinds of statement.
const (
	ClassOther ClassKind = iota
	ClassEmpty
	ClassSelect // SELECT, WITH .. SELECT, VALUES, FROM, TABLE, PIVOT, DESCRIBE, SUMMARIZE
	ClassBegin
	ClassCommit
	ClassRollback
	ClassSavepoint  // Name
	ClassRelease    // Name
	ClassRollbackTo // Name
	ClassSet        // Name, Value, Scope
	ClassShow       // Name
	ClassReset      // Name; "all"
	ClassExplain    // Body, Analyze, JSON
	ClassInsert
	ClassUpdate
	ClassDelete // TRUNCATE included
	ClassMerge
	ClassCreate // Object, Target, Temp
	ClassDrop   // Object, Target
	ClassAlter  // Object, Target
	ClassCopy   // CopyFrom, CopyStdio, Target
	ClassPrepare
	ClassExecute
	ClassDeallocate // Name; Object "all"
	ClassDiscard    // Object
	ClassAttach     // Target, where it has a name; Replace
	ClassDetach     // Target
	ClassUse
	ClassCall
	ClassPragma
	ClassCheckpoint
	ClassVacuum
	ClassAnalyze
	ClassImport
	ClassExport
	ClassLoad
	ClassInstall
	ClassComment
	ClassDeclare     // Name, Cursor, Body
	ClassFetch       // Name, Cursor; MOVE included
	ClassClose       // Name, Cursor
	ClassTwoPhase    // PREPARE TRANSACTION, COMMIT PREPARED, ROLLBACK PREPARED
	ClassLock        // Tables, Value, NoWait
	ClassListen      // Name
	ClassNotify      // Name
	ClassUnlisten    // Name; "*"
	ClassReindex     // indexes need none
	ClassRole        // Role
	ClassConstraints // SET CONSTRAINTS
	ClassExtension   // CREATE EXTENSION IF NOT EXISTS of what is built in: Name
	ClassOwner       // ALTER .. OWNER TO: Value is the role, Name the tag
)

var classNames = map[ClassKind]string{
	ClassOther: "other", ClassEmpty: "empty", ClassSelect: "select", ClassBegin: "begin", ClassCommit: "commit",
	ClassRollback: "rollback", ClassSavepoint: "savepoint", ClassRelease: "release", ClassRollbackTo: "rollback to",
	ClassSet: "set", ClassShow: "show", ClassReset: "reset", ClassExplain: "explain", ClassInsert: "insert",
	ClassUpdate: "update", ClassDelete: "delete", ClassMerge: "merge", ClassCreate: "create", ClassDrop: "drop",
	ClassAlter: "alter", ClassCopy: "copy", ClassPrepare: "prepare", ClassExecute: "execute",
	ClassDeallocate: "deallocate", ClassDiscard: "discard", ClassAttach: "attach", ClassDetach: "detach",
	ClassUse: "use", ClassCall: "call", ClassPragma: "pragma", ClassCheckpoint: "checkpoint", ClassVacuum: "vacuum",
	ClassAnalyze: "analyze", ClassImport: "import", ClassExport: "export", ClassLoad: "load",
	ClassInstall: "install", ClassComment: "comment", ClassDeclare: "declare", ClassFetch: "fetch",
	ClassClose: "close", ClassTwoPhase: "two-phase", ClassLock: "lock", ClassListen: "listen", ClassNotify: "notify",
	ClassUnlisten: "unlisten", ClassReindex: "reindex", ClassRole: "role", ClassConstraints: "set constraints", ClassOwner: "owner", ClassExtension: "extension",
}

// String returns the kind in lower case.
func (k ClassKind) String() string { return classNames[k] }

// Class is what a session learns of a statement from its tokens alone. Names
// are as written, without quotes; Offset is in bytes of the text.
type Class struct {
	Kind ClassKind
	// Name of a setting, savepoint or prepared statement, lower case unless it
	// was quoted. Parts of a dotted setting are joined by a dot. Of PRAGMA and CALL the
	// folded name of the function.
	Name string
	// Value of SET: the text after = or TO, one single string without its quotes; of SET
	// VARIABLE as it is. Of
	// PREPARE and EXECUTE the text in parentheses, of LOCK the mode.
	Value string
	// Scope of SET and RESET: "", "session", "local", "global", "variable".
	Scope string
	// Body is the statement inside EXPLAIN, PREPARE, DECLARE or COPY (..), at Offset.
	Body   string
	Offset int
	// Analyze and JSON are options of EXPLAIN. OtherFormat is set for options
	// and formats that only DuckDB knows; Value is then the format, if it is that.
	// NoAnalyze is ANALYZE false.
	Analyze, JSON, OtherFormat, NoAnalyze bool
	// Unknown is the first option of EXPLAIN that nobody knows, at UnknownAt.
	Unknown   string
	UnknownAt int
	// Object is what CREATE, DROP, ALTER, COMMENT speak of: "table", "view", ...
	Object string
	// Target is the table written, the object of Object, or the database of ATTACH,
	// DETACH and COPY FROM DATABASE, as name parts.
	Target []string
	// RenamedTo is the name that ALTER TABLE and ALTER VIEW give Target; nil: none.
	RenamedTo []string
	Temp      bool // CREATE TEMP
	// Conditional is CREATE .. IF NOT EXISTS, and DROP and ALTER .. IF EXISTS.
	Conditional bool
	// Replace is CREATE OR REPLACE and ATTACH OR REPLACE.
	Replace bool
	// Cascades is DROP .. CASCADE.
	Cascades bool
	Role     *RoleStatement // of ClassRole
	// CopyFrom is COPY .. FROM; CopyStdio: from STDIN or to STDOUT.
	CopyFrom, CopyStdio bool
	// Writes are the tables and views that the statement may change, data or definition, by
	// the names that they have before.
	Writes [][]string
	// WritesUnknown: it may change tables, and which cannot be told from its text.
	WritesUnknown bool
	// Schema: it may change what names mean (DDL, ATTACH, USE, ...).
	Schema bool
	// Cursor is set for DECLARE, FETCH, MOVE and CLOSE.
	Cursor *Cursor
	// Modes are set for BEGIN, COMMIT, ROLLBACK and SET TRANSACTION.
	Modes *TransactionModes
	// Tables of LOCK. NoWait: it fails where it would have to wait.
	Tables [][]string
	NoWait bool
	// Wrong is the error of a statement that a session answers without DuckDB, where
	// it does not follow its grammar.
	Wrong error
}
