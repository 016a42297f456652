package engine

import (
	"errors"

	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/exec"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// A tensor program in a statement, tensor('..'), is the program of a block: what stands
// for it in the text DuckDB can describe and not execute. Everything that would have
// DuckDB answer instead is an error here.

// refuseProgram is the error of a statement with a program that would be DuckDB's.
func refuseProgram(reason string) error {
	if reason == "" {
		reason = "the statement is DuckDB's"
	}
	return sqlerr.New(sqlerr.FeatureNotSupported, "tensor(..) cannot be answered here: %s", reason).WithHint("DuckDB runs no tensor programs. Store the program's rows first, CREATE TABLE t AS SELECT * FROM tensor(..), outside of a transaction that has written to its operands.")
}

// refuseProgram refuses a statement that would execute a program on DuckDB; one that
// only defines a view with it does not.
func (d *duckStatement) refuseProgram() error {
	if !sqlfront.HasProgram(d.sql) || d.class.Kind == sqlfront.ClassCreate && d.class.Object == "view" {
		return nil
	}
	if d.session.settings.backend == DuckDB {
		return sqlerr.New(sqlerr.FeatureNotSupported, "backend duckdb runs no tensor programs").
			WithHint("SET trireme.backend = 'auto', 'native' or 'decomposed'.")
	}
	return refuseProgram(d.reason)
}

// writtenError gives the failures of a program that the user wrote their SQLSTATE: no
// other backend has another answer.
func writtenError(err error) error {
	switch {
	case errors.Is(err, exec.ErrDomain):
		return sqlerr.New(sqlerr.NumericOutOfRange, "%s", err).WithHint("The argument of a function such as sqrt or ln is outside of its domain: select(x, y, z) chooses where it is evaluated.")
	case errors.Is(err, errOverflow), errors.Is(err, fibers.ErrSumOverflow):
		return sqlerr.New(sqlerr.NumericOutOfRange, "a value of a tensor does not fit 128 bits").
			WithHint("Declare the leaf f64 to get approximate values.")
	}
	return lateError(err)
}
