package engine

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/paramtypes"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// paramMax is the largest parameter number of the wire protocol.
const paramMax = 1<<16 - 1

// PrepareFor is Prepare for values of which only Go's types are known: a parameter that
// is not declared has the type of its place, and the suggested one where the place leaves
// it open.
func (s *Session) PrepareFor(ctx context.Context, sql string, declared, suggested []rows.Type) (*Prepared, error) {
	return s.prepareGiven(ctx, sql, paramtypes.Given{Declared: declared, Suggested: suggested})
}

// bindTyped is bind, with types for the parameters for which DuckDB infers none.
func (p *Prepared) bindTyped(ctx context.Context) error {
	err := p.bindJSONB(ctx)
	if undetermined(err) {
		err = p.bindInferred(ctx)
	}
	err = p.bindChanged(ctx, err, sqlerr.AmbiguousFunction, p.typeLiterals) // of several functions
	err = p.bindChanged(ctx, err, sqlerr.UndefinedColumn, p.numberRows)
	err = p.bindChanged(ctx, err, sqlerr.UndefinedObject, p.numberRows) // the type tid
	err = p.bindAt(ctx, err, sqlerr.UndefinedFunction, sqlfront.JSONOperatorEdits)
	err = p.bindAt(ctx, err, sqlerr.UndefinedFunction, sqlfront.CallEdits)
	err = p.bindAt(ctx, err, sqlerr.UndefinedColumn, sqlfront.ValuesColumnEdits)
	err = p.bindAt(ctx, err, sqlerr.SyntaxError, sqlfront.CallEdits) // of a macro's name
	err = p.bindAt(ctx, err, sqlerr.SyntaxError, sqlfront.AliasEdits)
	err = p.bindAt(ctx, err, sqlerr.SyntaxError, func(sql string, offset int) sqlfront.Edits {
		return sqlfront.AuthorizationEdits(sql, offset, ownerRole)
	})
	err = p.bindChanged(ctx, err, sqlerr.FeatureNotSupported, p.spellConflict) // a constraint by its name
	err = p.bindChanged(ctx, err, sqlerr.SyntaxError, p.spellConflict)         // DO NOTHING without a key
	err = p.bindChanged(ctx, err, sqlerr.SyntaxError, p.nameColumns)           // fewer values than columns
	return p.bindChanged(ctx, err, sqlerr.GroupingError, p.group)
}

// bindInferred is bind with the types that the places of parameters give them.
func (p *Prepared) bindInferred(ctx context.Context) error {
	if _, err := p.group(ctx); err != nil { // expressions are asked about where they stand
		return err
	}
	types, err := p.paramTypes(ctx, p.sql, p.given)
	if err != nil {
		return err
	}
	p.setHints(types)
	return p.bindJSONB(ctx)
}

// bindChanged binds again where binding has failed with a code and change makes another
// text or other types of the statement; otherwise the error stays.
func (p *Prepared) bindChanged(ctx context.Context, err error, code string, change func(context.Context) (changed bool, err error)) error {
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Code != code {
		return err
	}
	changed, failed := change(ctx)
	switch {
	case failed != nil:
		return failed
	case !changed:
		return err
	}
	return p.bindTyped(ctx)
}

// bindAt binds again where binding has failed with a code at an offset at which Postgres has something that can be
// written for DuckDB; the error stays where that is nothing either.
func (p *Prepared) bindAt(ctx context.Context, failed error, code string, written func(sql string, offset int) sqlfront.Edits) error {
	var e *sqlerr.Error
	if !errors.As(failed, &e) || e.Code != code || e.Offset < 0 {
		return failed
	}
	edits := written(p.sql, e.Offset)
	if len(edits) == 0 {
		return failed
	}
	before := len(p.moved)
	if err := p.edit(ctx, edits); err != nil {
		return err
	}
	err := p.bindTyped(ctx)
	first := edits[0]
	switch {
	case !errors.As(err, &e):
		return err
	case e.Code == code && (e.Offset < 0 || e.Offset >= first.Start && e.Offset <= first.Start+len(first.Text)), e.Code == sqlerr.SyntaxError && code != e.Code:
		p.moved = p.moved[:before]
		return failed
	}
	return err
}

func undetermined(err error) bool {
	var missing *duckbackend.Undetermined
	return errors.As(err, &missing)
}

// paramTypes are the types of the parameters of a form of the statement at their places.
func (p *Prepared) paramTypes(ctx context.Context, sql string, given paramtypes.Given) ([]rows.Type, error) {
	n := sqlfront.ParamCount(sql)
	if n == 0 {
		return nil, sqlerr.New(sqlerr.ProtocolViolation, "there is no parameter $0: the first is $1")
	}
	if n > paramMax {
		return nil, sqlerr.New(sqlerr.ProtocolViolation, "there is no parameter $%d: the largest is $%d", n, paramMax)
	}
	text, err := p.expanded(ctx, sql)
	if err != nil {
		return nil, err
	}
	db := paramDatabase{p.session}
	types, err := paramtypes.Resolve(ctx, db, text, n, given)
	var e *sqlerr.Error
	if errors.As(err, &e) && e.Code == sqlerr.IndeterminateType {
		at := *e
		at.Offset = paramPlace(sql, e.Message)
		return nil, &at
	}
	if errors.As(err, &e) && text != sql {
		unplaced := *e
		unplaced.Offset = -1
		return nil, &unplaced
	}
	return types, err
}

// paramPlace is the first place of the parameter that ends a message.
func paramPlace(sql, message string) int {
	param := message[strings.LastIndexByte(message, '$'):]
	tokens, err := sqlfront.Tokens(sql)
	if err != nil {
		return -1
	}
	for _, t := range tokens {
		if t.Kind == sqlfront.TokenParam && sql[t.Start:t.End] == param {
			return t.Start
		}
	}
	return -1
}

// paramDatabase asks DuckDB for the session.
type paramDatabase struct{ *Session }

// Infer implements paramtypes.Database.
func (d paramDatabase) Infer(ctx context.Context, sql string) (params []rows.Type, columns []rows.Column, err error) {
	err = d.access()(ctx, func(c *duckbackend.Conn) (err error) {
		params, columns, err = c.Infer(ctx, sql)
		return err
	})
	return params, columns, err
}

// Function implements paramtypes.Database.
func (d paramDatabase) Function(ctx context.Context, name string) (sqlfront.Function, error) {
	return d.catalogView().Function(ctx, strings.ToLower(name))
}

// anyDigits is a number with as many digits as the value has: what Postgres calls
// numeric, as clients are told of it.
var anyDigits = rows.Type{ID: rows.Decimal}

// someDigits is the DECIMAL with which a number of any digits is bound until its value is
// known.
var someDigits = rows.Type{ID: rows.Decimal, Width: 4, Scale: 1}

// declareNumbers declares the parameters that the text casts to NUMERIC, of which DuckDB's
// would cut the digits. A number that is cast to a floating-point type is read as one: it may have more digits
// than a DECIMAL.
func (p *Prepared) declareNumbers() {
	if slices.Contains(p.given.Declared, anyDigits) {
		p.given.Declared = slices.Clone(p.given.Declared)
		for n, t := range sqlfront.AsFloats(p.sql) {
			if n > 0 && n <= len(p.given.Declared) && p.given.Declared[n-1] == anyDigits {
				p.given.Declared[n-1] = rows.Type{ID: t}
			}
		}
	}
	text, numbers := sqlfront.AsNumbers(p.sql)
	if len(numbers) == 0 {
		return
	}
	declared := slices.Clone(p.given.Declared)
	for _, n := range numbers {
		if n == 0 || n > paramMax {
			return
		}
		declared = append(declared, make([]rows.Type, max(0, n-len(declared)))...)
		if declared[n-1].ID == rows.Invalid || declared[n-1].ID == rows.Varchar {
			declared[n-1] = anyDigits
		}
	}
	if slices.ContainsFunc(numbers, func(n int) bool { return declared[n-1] != anyDigits }) {
		return // the cast is of a value of another type
	}
	p.sql, p.given.Declared = text, declared
}

// setHints gives parameters types to bind with.
func (p *Prepared) setHints(types []rows.Type) {
	p.hints, p.anyDigits = boundTypes(types), make([]bool, len(types))
	for i, t := range types {
		p.anyDigits[i] = t == anyDigits
	}
}

// boundTypes are types that DuckDB has.
func boundTypes(types []rows.Type) []rows.Type {
	bound := slices.Clone(types)
	for i, t := range bound {
		if t == anyDigits {
			bound[i] = someDigits
		}
	}
	return bound
}

// Params are the types of the parameters $1, $2, ... A DECIMAL has no width: its value
// may have any digits.
func (p *Prepared) Params() []rows.Type {
	if p.stmt == nil {
		return nil
	}
	types := slices.Clone(p.stmt.params())
	for i, t := range types {
		if t.ID == rows.Decimal {
			types[i] = anyDigits
		}
		if i < len(p.jsonbParams) && p.jsonbParams[i] {
			types[i] = rows.Type{ID: rows.JSONB}
		}
	}
	return types
}

// describedColumns are the columns as clients hear of them: where another value of a parameter gives
// a number other digits, it has any. So has every number where DuckDB has no digits for products of
// long values.
func (p *Prepared) describedColumns(ctx context.Context) ([]rows.Column, error) {
	columns, err := p.withJSONB(ctx, p.stmt.columns())
	if err != nil {
		return nil, err
	}
	isNumber := func(c rows.Column) bool { return c.Type.ID == rows.Decimal || c.Type.ID == rows.HugeInt }
	hints, varies := slices.Clone(p.stmt.params()), false
	for i, t := range hints {
		if t.ID == rows.Decimal || t.ID == rows.HugeInt {
			hints[i], varies = rows.Type{ID: rows.Decimal, Width: 38, Scale: 19}, true
		}
	}
	if !varies || !slices.ContainsFunc(columns, isNumber) {
		return columns, nil
	}
	d, err := p.describe(ctx, p.sql, hints)
	if err := onlyFatal(ctx, err); err != nil {
		return columns, err
	}
	told := err == nil && len(d.Columns) == len(columns)
	columns = slices.Clone(columns)
	for i := range columns {
		if isNumber(columns[i]) && (!told || columns[i].Type != d.Columns[i].Type) {
			columns[i].Type = anyDigits
		}
	}
	return columns, nil
}

// sameAsTold reports whether columns are those that a client was told of.
func sameAsTold(told, columns []rows.Column) bool {
	return slices.EqualFunc(told, columns, func(t, c rows.Column) bool {
		switch {
		case t.Name != c.Name:
			return false
		case t.Type == anyDigits:
			return c.Type.IsExact()
		case t.Type.ID == rows.JSONB:
			return c.Type.ID == rows.JSON
		}
		return t.Type == c.Type || isDecimals(t.Type) && isDecimals(c.Type)
	})
}

// isDecimals reports whether a type is of lists of DECIMALs.
func isDecimals(t rows.Type) bool {
	_, ok := listDigits(t.Name)
	return ok && t.ID == rows.List
}

// fit binds the statement for the values: with as many digits as they have. A text that
// is not a value of its parameter's type is an error, not the value that is nearest. The
// texts of args are replaced by those that DuckDB reads.
func (p *Prepared) fit(ctx context.Context, args []Arg) error {
	types := p.stmt.params()
	changed := false
	for i, arg := range args {
		fit := fitted
		if i < len(p.anyDigits) && p.anyDigits[i] {
			fit = fittedExactly
		}
		t, err := fit(types[i], arg)
		if err != nil {
			return ofParam(i, err)
		}
		args[i].Text = spelledFor(t, arg)
		if t == types[i] {
			continue
		}
		if !changed {
			changed = true
			p.hints = append(slices.Clone(p.hints), make([]rows.Type, max(0, len(types)-len(p.hints)))...)
		}
		p.hints[i] = t
	}
	if !changed {
		return nil
	}
	p.told = p.told || len(p.cols) > 0 // the first value does not decide for all
	err := p.bindAgain(ctx)
	if errors.Is(err, errOtherResult) && p.addDigits() {
		return p.bindAgain(ctx)
	}
	return err
}

// addDigits gives numbers without digits behind the point one there: for those DuckDB has a remainder
// of 128 bits where it has a DOUBLE for others, of which the client was told. It reports whether
// there are such.
func (p *Prepared) addDigits() (added bool) {
	for i, t := range p.hints {
		at := slices.Index(decimalWidths, int(t.Width))
		if t.ID == rows.Decimal && t.Scale == 0 && at >= 0 && at+1 < len(decimalWidths) {
			p.hints[i].Width, p.hints[i].Scale, added = uint8(decimalWidths[at+1]), 1, true
		}
	}
	return added
}

// ofParam is an error of the value of parameter $i+1.
func ofParam(i int, err error) error {
	e := *sqlerr.From(err)
	e.Message = "parameter $" + strconv.Itoa(i+1) + ": " + e.Message
	return &e
}
