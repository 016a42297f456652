package engine

import (
	"context"
	"slices"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// duckKinds are the kinds that DuckDB gives to statements of a class. Rights, versions
// of tables and command tags follow the class, and DuckDB runs what it reads itself: a
// statement of which the two say different things does not run.
var duckKinds = map[sqlfront.ClassKind][]duckbackend.StatementKind{
	sqlfront.ClassSelect:     {duckbackend.KindSelect},
	sqlfront.ClassShow:       {duckbackend.KindSelect},
	sqlfront.ClassInsert:     {duckbackend.KindInsert},
	sqlfront.ClassUpdate:     {duckbackend.KindUpdate},
	sqlfront.ClassDelete:     {duckbackend.KindDelete},
	sqlfront.ClassMerge:      {duckbackend.KindMerge},
	sqlfront.ClassCreate:     {duckbackend.KindCreate},
	sqlfront.ClassDrop:       {duckbackend.KindDrop},
	sqlfront.ClassDeallocate: {duckbackend.KindDrop},
	sqlfront.ClassAlter:      {duckbackend.KindAlter},
	sqlfront.ClassComment:    {duckbackend.KindAlter},
	sqlfront.ClassCopy:       {duckbackend.KindCopy, duckbackend.KindCopyDatabase},
	sqlfront.ClassExport:     {duckbackend.KindExport},
	sqlfront.ClassExplain:    {duckbackend.KindExplain},
	sqlfront.ClassPrepare:    {duckbackend.KindPrepare},
	sqlfront.ClassExecute:    {duckbackend.KindExecute},
	sqlfront.ClassSet:        {duckbackend.KindSet},
	sqlfront.ClassReset:      {duckbackend.KindSet},
	sqlfront.ClassUse:        {duckbackend.KindSet},
	sqlfront.ClassAttach:     {duckbackend.KindAttach},
	sqlfront.ClassDetach:     {duckbackend.KindDetach},
	sqlfront.ClassCall:       {duckbackend.KindCall},
	sqlfront.ClassCheckpoint: {duckbackend.KindCall},
	sqlfront.ClassVacuum:     {duckbackend.KindVacuum},
	sqlfront.ClassAnalyze:    {duckbackend.KindVacuum},
	sqlfront.ClassLoad:       {duckbackend.KindLoad},
	sqlfront.ClassInstall:    {duckbackend.KindLoad},
	sqlfront.ClassPragma:     {duckbackend.KindPragma, duckbackend.KindSelect, duckbackend.KindSet, duckbackend.KindCall},
}

// mustAgree returns the error for statements of a class that DuckDB takes for something
// else. IMPORT DATABASE is whatever its file says.
func mustAgree(c sqlfront.Class) func(duckbackend.StatementKind) error {
	return func(k duckbackend.StatementKind) error {
		if c.Kind == sqlfront.ClassImport || slices.Contains(duckKinds[c.Kind], k) {
			return nil
		}
		return sqlerr.New(sqlerr.SyntaxError, "the statement is %s to DuckDB and %s to the server", k, c.Kind).
			WithHint("It was not run. Write it in the plain form, without unusual blanks or words.")
	}
}

// prepareClassed prepares a text that the session has read as c on its own connection.
func (s *Session) prepareClassed(ctx context.Context, c sqlfront.Class, sql string) (*duckbackend.Stmt, error) {
	stmt, err := s.conn.PrepareAs(ctx, sql, mustAgree(c))
	if err != nil || c.Kind != sqlfront.ClassExplain && c.Kind != sqlfront.ClassPrepare {
		return stmt, err
	}
	// DuckDB says EXPLAIN and PREPARE, not of what.
	if err := s.bodyMustAgree(ctx, c); err != nil {
		return nil, closeAfter(shift(err, c.Offset), stmt.Close)
	}
	return stmt, nil
}

// bodyMustAgree is mustAgree for the statement inside another.
func (s *Session) bodyMustAgree(ctx context.Context, c sqlfront.Class) error {
	body, err := s.conn.PrepareAs(ctx, c.Body, mustAgree(sqlfront.Classify(c.Body)))
	if err != nil {
		return err
	}
	return body.Close()
}

// makingFunctions are table functions that make tables when they are selected from.
var makingFunctions = map[string]bool{"dbgen": true, "dsdgen": true}

// makesTables reports whether a SELECT calls one of them.
func makesTables(sql string) bool {
	return slices.ContainsFunc(sqlfront.NamedCalls(sql), func(c sqlfront.NamedCall) bool { return makingFunctions[c.Name] })
}
