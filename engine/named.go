package engine

import (
	"context"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/pgtext"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// named is a prepared statement with a name. One whose parameters have names is DuckDB's own:
// then query is nil.
type named struct {
	query *Prepared
	class sqlfront.Class
	sql   string // what was prepared
	text  string // PREPARE itself; what the client has sent in a message
	made  time.Time
	// byMessage: a message has named it, not PREPARE.
	byMessage bool
}

// preparable are the statements that PREPARE takes.
var preparable = map[sqlfront.ClassKind]bool{
	sqlfront.ClassSelect: true, sqlfront.ClassInsert: true, sqlfront.ClassUpdate: true, sqlfront.ClassDelete: true, sqlfront.ClassMerge: true,
}

// preparation is PREPARE. The query is prepared when it is executed, so that an
// implicit transaction sees what came before.
type preparation struct {
	session *Session
	class   sqlfront.Class
	text    string
	query   *Prepared // nil: handed over
}

func (s *Session) preparePrepare(ctx context.Context, p *Prepared) (statement, error) {
	c := p.class
	if !preparable[sqlfront.Classify(c.Body).Kind] {
		return nil, sqlerr.At(sqlerr.SyntaxError, c.Offset, "a statement is prepared for SELECT, INSERT, UPDATE, DELETE, MERGE or VALUES")
	}
	if sqlfront.HasNamedParams(c.Body) {
		stmt, err := s.prepareDuck(ctx, p)
		return &duckPreparation{stmt, s, c, p.sql}, err
	}
	types, err := s.parameterTypes(ctx, c.Value)
	if err != nil {
		return nil, err
	}
	query, err := s.prepare(ctx, c.Body, types)
	if err != nil {
		return nil, shift(err, c.Offset)
	}
	return &preparation{session: s, class: c, text: p.sql, query: query}, nil
}

// parameterTypes reads the types of PREPARE by asking DuckDB what they are.
func (s *Session) parameterTypes(ctx context.Context, list string) ([]rows.Type, error) {
	items := sqlfront.SplitList(list)
	if len(items) == 0 {
		return nil, nil
	}
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	var casts []string
	for _, item := range items {
		casts = append(casts, "CAST(NULL AS "+item+")")
	}
	sql, err := s.withJSON(ctx, "SELECT "+strings.Join(casts, ", "))
	if err != nil {
		return nil, err
	}
	d, err := s.describeCatalog(ctx, sql, nil)
	if err != nil {
		e := *sqlerr.From(err)
		e.Offset = -1
		return nil, &e
	}
	types := make([]rows.Type, len(d.Columns))
	for i, col := range d.Columns {
		types[i] = col.Type
	}
	return types, nil
}

func (*preparation) params() []rows.Type    { return nil }
func (*preparation) columns() []rows.Column { return nil }

func (d *preparation) close() error {
	if d.query == nil {
		return nil
	}
	return d.query.Close()
}

func (d *preparation) execute(context.Context, []Arg) (outcome, error) {
	s, name := d.session, d.class.Name
	if err := s.mustBeNew(name); err != nil {
		return outcome{}, err
	}
	if d.query == nil {
		return outcome{}, sqlerr.New(sqlerr.NotInState, "PREPARE can be executed once")
	}
	if err := s.admitNamed(d.text); err != nil {
		return outcome{}, err
	}
	d.query.told = true // whoever names a statement counts on its columns
	s.named[name] = &named{query: d.query, class: d.query.class, sql: d.query.sql, text: d.text, made: time.Now()}
	d.query = nil
	return outcome{tag: "PREPARE", affected: -1}, nil
}

// What PREPARE may leave in a session.
const (
	namedMax       = 10_000
	namedTextBytes = 64 << 20
)

// admitNamed refuses a statement more than a session may have prepared.
func (s *Session) admitNamed(text string) error {
	bytes := len(text)
	for _, n := range s.named {
		bytes += len(n.text)
	}
	if len(s.named) < namedMax && bytes <= namedTextBytes {
		return nil
	}
	return sqlerr.New(sqlerr.ProgramLimit, "the session has too many prepared statements: %d, with texts of %d bytes", len(s.named), bytes).
		WithHint("There may be %d with texts of %d bytes. DEALLOCATE some.", namedMax, namedTextBytes)
}

// nameBytesMax is how long the name of a savepoint, a cursor or a prepared statement may be.
const nameBytesMax = 1 << 10

// admitName refuses a longer name: it would be kept with what it names.
func admitName(c sqlfront.Class) error {
	switch c.Kind {
	case sqlfront.ClassSavepoint, sqlfront.ClassDeclare, sqlfront.ClassPrepare:
		if len(c.Name) > nameBytesMax {
			return sqlerr.New(sqlerr.ProgramLimit, "the name of a savepoint, a cursor or a prepared statement has %d bytes: there may be %d", len(c.Name), nameBytesMax)
		}
	}
	return nil
}

func (s *Session) mustBeNew(name string) error {
	if s.statementNamed(name) != nil {
		return sqlerr.New(sqlerr.DuplicatePrepared, "prepared statement %q already exists", name)
	}
	return nil
}

// duckPreparation is PREPARE of a statement whose parameters have names, which
// DuckDB keeps.
type duckPreparation struct {
	statement
	session *Session
	class   sqlfront.Class
	text    string
}

func (d *duckPreparation) execute(ctx context.Context, args []Arg) (outcome, error) {
	if err := d.session.mustBeNew(d.class.Name); err != nil {
		return outcome{}, err
	}
	out, err := d.statement.execute(ctx, args)
	if err == nil {
		d.session.named[d.class.Name] = &named{class: sqlfront.Classify(d.class.Body), sql: d.class.Body, text: d.text, made: time.Now()}
	}
	return out, err
}

// execution is EXECUTE: values makes the text of the arguments, which may have
// parameters of their own.
type execution struct {
	session *Session
	name    string
	query   *Prepared
	values  *Prepared // nil: no arguments
	count   int
	isText  []bool // arguments that are strings
}

func (s *Session) prepareExecute(ctx context.Context, p *Prepared) (statement, error) {
	c := p.class
	n := s.statementNamed(c.Name)
	switch {
	case n == nil:
		return nil, errNotNamed(c.Name)
	case !preparable[n.class.Kind]:
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "EXECUTE of prepared statement %q is not supported: it is no SELECT, INSERT, UPDATE, DELETE, MERGE or VALUES", c.Name).
			WithHint("Bind it by the messages of the protocol, by which it was prepared.")
	}
	if n.query == nil {
		stmt, err := s.prepareDuck(ctx, p)
		if d, ok := stmt.(*duckStatement); ok {
			d.class = n.class
		}
		return stmt, err
	}
	items := sqlfront.SplitList(c.Value)
	if err := checkArguments(len(n.query.Params()), items); err != nil {
		return nil, err
	}
	if err := n.query.rebind(ctx); err != nil {
		return nil, err
	}
	e := &execution{session: s, name: c.Name, query: n.query, count: len(items)}
	if len(items) == 0 {
		return e, nil
	}
	for i, t := range n.query.Params() {
		e.isText = append(e.isText, isTextLiteral(items[i]))
		if !e.isText[i] && t.IsNested() && !t.IsJSONList() {
			items[i] = argumentValue(items[i], t) // whose text is made where it is read
			continue
		}
		items[i] = argumentText(items[i], t)
	}
	values, err := s.prepareAs(ctx, "SELECT "+strings.Join(items, ", "), &Prepared{session: s, given: p.given, aside: true})
	if err != nil {
		place := *sqlerr.From(err)
		place.Offset = -1 // counts in a text of ours
		return nil, &place
	}
	e.values = values
	return e, nil
}

// isTextLiteral reports whether an argument is a string, in which a value may be as
// Postgres writes it.
func isTextLiteral(item string) bool {
	tokens, err := sqlfront.Tokens(item)
	return err == nil && len(tokens) == 1 && tokens[0].Kind == sqlfront.TokenString
}

// spellArgument gives DuckDB's spelling to the text of a value of a type.
func spellArgument(t rows.Type, text string) (string, error) {
	if t.ID != rows.List && t.ID != rows.Array {
		if spelled, ok := pgtext.Spell(t.ID, text); ok {
			text = spelled
		}
		return text, nil
	}
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return text, nil
	}
	list, ok := pgtext.SpellArray(rows.Varchar, text)
	if !ok {
		return "", sqlerr.New(sqlerr.InvalidText, "malformed array literal %q", text).WithHint("An array has one dimension and is written as {a,b,NULL}.")
	}
	return list, nil
}

// argumentText is the text of an argument of EXECUTE as the value of a parameter: a string
// is one as it stands, and another value becomes one of the type.
func argumentText(item string, t rows.Type) string {
	item = "(" + item + "\n)"
	if t == anyDigits || t.ID == rows.Varchar {
		return "CAST(" + item + " AS VARCHAR)"
	}
	return "CASE typeof(" + item + ") WHEN 'VARCHAR' THEN CAST(" + item + " AS VARCHAR) ELSE CAST(CAST(" + item + " AS " + t.String() + ") AS VARCHAR) END"
}

// argumentValue is an argument of EXECUTE as a value of the type of its parameter.
func argumentValue(item string, t rows.Type) string {
	if t == anyDigits {
		return "(" + item + "\n)"
	}
	return "CAST((" + item + "\n) AS " + t.String() + ")"
}

// namedArgument is the beginning of an argument that is given by name.
var namedArgument = regexp.MustCompile(`^\s*(\w+)\s*:=`)

// checkArguments reports arguments of EXECUTE that are missing or too many, as
// DuckDB does: parameters have numbers, so that none has a name that could be given.
func checkArguments(want int, items []string) error {
	given := 0
	var excess []string
	for _, item := range items {
		if m := namedArgument.FindStringSubmatch(item); m != nil {
			excess = append(excess, m[1])
			continue
		}
		if given++; given > want {
			excess = append(excess, strconv.Itoa(given))
		}
	}
	var missing []string
	for n := given + 1; n <= want; n++ {
		missing = append(missing, strconv.Itoa(n))
	}
	switch {
	case len(missing) > 0:
		return sqlerr.New(sqlerr.InvalidParameter, "Values were not provided for the following prepared statement parameters: %s", strings.Join(missing, ", "))
	case len(excess) > 0:
		return sqlerr.New(sqlerr.InvalidParameter, "Parameter argument/count mismatch, identifiers of the excess parameters: %s", strings.Join(excess, ", "))
	}
	return nil
}

func (e *execution) params() []rows.Type {
	if e.values == nil {
		return nil
	}
	return e.values.Params()
}

func (e *execution) columns() []rows.Column { return e.query.Columns() }

func (e *execution) close() error {
	if e.values == nil {
		return nil
	}
	return e.values.Close()
}

func (e *execution) execute(ctx context.Context, args []Arg) (outcome, error) {
	if n := e.session.statementNamed(e.name); n == nil || n.query != e.query {
		return outcome{}, errNotNamed(e.name)
	}
	bound, err := e.arguments(ctx, args)
	if err != nil {
		return outcome{}, err
	}
	if err := errors.Join(e.query.rebind(ctx), e.query.fit(ctx, bound)); err != nil {
		return outcome{}, err
	}
	e.session.redoArgs(e.query, bound)
	return e.query.stmt.execute(ctx, bound)
}

// arguments evaluates the arguments.
func (e *execution) arguments(ctx context.Context, args []Arg) (bound []Arg, err error) {
	if e.values == nil {
		return nil, nil
	}
	if err := e.values.rebind(ctx); err != nil {
		return nil, err
	}
	out, err := e.values.stmt.execute(ctx, args)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, out.cursor.Close()) }()
	b, err := out.cursor.Next(ctx)
	if err != nil {
		return nil, err
	}
	params := e.query.Params()
	for i := range e.count {
		v := &b.Cols[i]
		arg := Arg{Null: v.IsNull(0), Text: v.Str[0]}
		if e.isText[i] && !arg.Null {
			if arg.Text, err = spellArgument(params[i], arg.Text); err != nil {
				return nil, err
			}
		}
		bound = append(bound, arg)
	}
	return bound, nil
}

func (s *Session) prepareDeallocate(c sqlfront.Class) statement {
	if c.Object == "all" {
		return &utility{run: func(ctx context.Context) (string, error) { return "DEALLOCATE ALL", s.deallocateAll(ctx) }}
	}
	return &utility{run: func(ctx context.Context) (string, error) { return "DEALLOCATE", s.deallocate(ctx, c.Name) }}
}

func (s *Session) deallocate(ctx context.Context, name string) error {
	if n := s.named[name]; n != nil {
		delete(s.named, name)
		if n.query == nil {
			if err := s.detachOpen(ctx); err != nil {
				return err
			}
			return s.conn.Exec(ctx, "DEALLOCATE "+load.Quote(name))
		}
		return n.query.Close()
	}
	if s.statementNamed(name) == nil {
		return errNotNamed(name)
	}
	s.wire.Drop(name)
	return nil
}

// deallocateAll drops the statements of PREPARE and those named by messages.
func (s *Session) deallocateAll(ctx context.Context) error {
	var failed error
	for _, name := range slices.Sorted(maps.Keys(s.named)) {
		failed = errors.Join(failed, s.deallocate(ctx, name))
	}
	if s.wire != nil {
		s.wire.DropAll()
	}
	return failed
}
