package paramtypes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// Database is what is asked of DuckDB. Errors of type *sqlerr.Error are DuckDB's for a
// text; others are fatal.
type Database interface {
	// SerializeSQL returns the syntax tree of a SELECT, DeserializeSQL the SQL of one.
	SerializeSQL(ctx context.Context, sql string) (string, error)
	DeserializeSQL(ctx context.Context, tree string) (string, error)
	// Infer returns the types that DuckDB gives the parameters of a statement, none
	// where it does not know them all, and those of the result's columns.
	Infer(ctx context.Context, sql string) (params []rows.Type, columns []rows.Column, err error)
	// Function says what functions of a name take.
	Function(ctx context.Context, name string) (sqlfront.Function, error)
}

// Given is what is known of the parameters before, by their numbers. Invalid: nothing.
type Given struct {
	// Declared types stay.
	Declared []rows.Type
	// Suggested are the types of parameters that nothing else decides.
	Suggested []rows.Type
}

// First is what is given of the first n parameters; it does not hold the rest in memory.
func (g Given) First(n int) Given {
	if len(g.Declared) > n {
		g.Declared = slices.Clone(g.Declared[:n])
	}
	if len(g.Suggested) > n {
		g.Suggested = slices.Clone(g.Suggested[:n])
	}
	return g
}

// Resolve returns the types of the n parameters of a statement. A DECIMAL without width
// is a number with as many digits as the value has. The error for a parameter whose type
// cannot be told is 42P18, for one that is assigned to columns of different types 42P08.
func Resolve(ctx context.Context, db Database, sql string, n int, given Given) ([]rows.Type, error) {
	r := &resolver{ctx: ctx, db: db, known: map[int]rows.Type{}, types: map[string]told{}, undecided: map[int]string{}, assigned: map[int]rows.Type{}}
	for i, t := range given.Declared {
		if t.ID != rows.Invalid {
			r.known[i+1] = t
		}
	}
	if err := r.read(sqlfront.Forms(sql)); err != nil {
		return nil, err
	}
	if err := r.run(); err != nil {
		return nil, err
	}
	out := make([]rows.Type, n)
	for i := range out {
		t, ok := r.known[i+1]
		if !ok && i < len(given.Suggested) {
			t = given.Suggested[i]
		}
		if why := r.undecided[i+1]; t.ID == rows.Invalid && why != "" {
			return nil, errUndetermined(i+1, why)
		}
		if t.ID == rows.Invalid {
			t.ID = rows.Varchar
		}
		out[i] = t
	}
	return out, nil
}

// errUndetermined is Postgres' error.
func errUndetermined(n int, why string) error {
	return sqlerr.New(sqlerr.IndeterminateType, "could not determine data type of parameter $%d", n).
		WithHint("It is an argument of %s, which takes several types. Say which one it has: $%d::type.", why, n)
}

type resolver struct {
	ctx   context.Context
	db    Database
	forms []*form
	sites []placed // in the order of the statement
	// sources are the sites within common table expressions and derived tables, from one
	// to before another, of which what follows may read columns.
	sources [][2]int
	known   map[int]rows.Type // of parameters
	// types are what DuckDB has told of expressions, by their keys.
	types map[string]told
	// undecided are parameters for which no text will do, and of what they are arguments.
	undecided map[int]string
	// assigned are the types of the columns that parameters are assigned to.
	assigned map[int]rows.Type
	scopes   int   // counted
	macros   int   // that have been expanded
	failed   error // of the walk; nil: it has not
}

// told is the type that DuckDB has told of an expression; Invalid or of NULL: it has none.
type told struct {
	typ rows.Type
	// known is how many parameters had types then; open: others of the form had none.
	known int
	open  bool
}

// isType reports whether DuckDB has told a type.
func (t told) isType() bool { return t.typ.ID != rows.Invalid && t.typ.ID != rows.SQLNull }

// note keeps what DuckDB tells of the expression with a key of a form.
func (r *resolver) note(key string, f *form, t rows.Type) {
	r.types[key] = told{typ: t, known: len(r.known), open: r.open(f.tree)}
}

// formOf is the form in which the expression with a key stands.
func (r *resolver) formOf(key string) *form {
	name, _, _ := strings.Cut(key, " ")
	i, err := strconv.Atoi(name)
	if err != nil {
		panic(err) // keys begin with the number of their form
	}
	return r.forms[i-1]
}

// form is a part of a statement.
type form struct {
	tree   node
	offset int // of its text in the statement; -1: it is not there
}

// node is an object of a syntax tree.
type node = map[string]any

// site is a place in which parameters take types from what stands beside them.
type site interface {
	// settle gives types to parameters, if what they depend on is known; last: there
	// will be no more than is known now. It reports whether it is done. Expressions
	// that it must know the types of go to ask.
	settle(r *resolver, last bool, ask asked) (done bool, err error)
}

// placed is a site with its place among all.
type placed struct {
	site
	at int
}

func (r *resolver) add(s site) { r.sites = append(r.sites, placed{s, len(r.sites)}) }

// source notes that the sites from begin on are of what is read.
func (r *resolver) source(begin int) {
	if len(r.sites) > begin {
		r.sources = append(r.sources, [2]int{begin, len(r.sites)})
	}
}

// asked are the expressions whose types are to be asked for, by their keys.
type asked map[string]node

// read makes the trees of forms and finds their sites. A form that DuckDB has no tree of
// has none: its parameters have the types that DuckDB infers.
func (r *resolver) read(forms []sqlfront.Form) error {
	for _, f := range forms {
		tree, err := r.tree(f.SQL)
		if err != nil {
			return err
		}
		if tree == nil {
			continue
		}
		var into []rows.Type
		if f.Target != "" {
			_, columns, err := r.db.Infer(r.ctx, f.Target)
			if fatal(err) != nil {
				return err
			}
			for _, c := range columns {
				into = append(into, c.Type)
			}
		}
		r.forms = append(r.forms, &form{tree, f.Offset})
		w := &walker{r: r, form: strconv.Itoa(len(r.forms))}
		w.query(object(object(list(tree["statements"])[0])["node"]), into)
		if r.failed != nil {
			return r.failed
		}
	}
	return nil
}

// fatal is an error that is not DuckDB's for a text.
func fatal(err error) error {
	var e *sqlerr.Error
	if errors.As(err, &e) && e.Code != sqlerr.QueryCanceled {
		return nil
	}
	return err
}

// run settles the sites. Those come last of which neither what they have beside them nor
// another place of their parameters says a type.
func (r *resolver) run() error {
	open := r.sites // of all, in the order of the statement
	for len(open) > 0 {
		if r.ctx.Err() != nil { // one round of many sites is short, and there may be as many rounds
			return context.Cause(r.ctx)
		}
		ask := asked{}
		rest, err := r.settle(open, false, ask)
		if err != nil {
			return err
		}
		if len(rest) == len(open) && len(ask) == 0 {
			if rest, err = r.decide(open, ask); err != nil {
				return err
			}
		}
		if err := r.tell(ask); err != nil {
			return err
		}
		open = rest
	}
	return nil
}

// settle returns the sites that are not done. Nothing is asked about what reads columns of which
// the types are not settled.
func (r *resolver) settle(open []placed, last bool, ask asked) (rest []placed, err error) {
	end := r.readable(open)
	for _, s := range open {
		may := ask
		if s.at >= end {
			may = asked{}
		}
		done, err := s.settle(r, last, may)
		if err != nil {
			return nil, err
		}
		if !done {
			rest = append(rest, s)
		}
	}
	return rest, nil
}

// readable is the end of the sites before which all that is read is settled.
func (r *resolver) readable(open []placed) int {
	end := len(r.sites)
	for _, source := range r.sources {
		if slices.ContainsFunc(open, func(s placed) bool { return source[0] <= s.at && s.at < source[1] }) {
			end = min(end, source[1])
		}
	}
	return end
}

// decide settles the first site that can be without more being known.
func (r *resolver) decide(open []placed, ask asked) (rest []placed, err error) {
	for i, s := range open {
		done, err := s.settle(r, true, ask)
		if err != nil {
			return nil, err
		}
		if done {
			return slices.Delete(slices.Clone(open), i, i+1), nil
		}
		if len(ask) > 0 {
			return open, nil
		}
	}
	return nil, nil
}

// set gives a parameter its type, unless it has one.
func (r *resolver) set(n int, t rows.Type) {
	if _, ok := r.known[n]; ok || t.ID == rows.Invalid || t.ID == rows.SQLNull {
		return
	}
	if t.ID == rows.Decimal {
		t = rows.Type{ID: rows.Decimal}
	}
	r.known[n] = t
}

// tell asks DuckDB for the types of expressions: for all at once, and where that does not
// bind for each.
func (r *resolver) tell(ask asked) error {
	if len(ask) == 0 {
		return nil
	}
	keys := slices.Sorted(maps.Keys(ask))
	if known, err := r.probe(keys); known || err != nil {
		return err
	}
	if err := r.wrong(); err != nil {
		return err
	}
	for _, key := range keys {
		known := false
		if len(keys) > 1 {
			var err error
			if known, err = r.probe([]string{key}); err != nil {
				return err
			}
		}
		if !known {
			t, err := r.castType(ask[key])
			if err != nil {
				return err
			}
			r.note(key, r.formOf(key), t)
		}
	}
	return nil
}

// castType is the type of an expression that is a CAST, which has it wherever it stands: an
// argument of a function in FROM does not bind as a probe. Invalid: it is not a CAST.
func (r *resolver) castType(e node) (rows.Type, error) {
	if text(e, "class") != "CAST" {
		return rows.Type{}, nil
	}
	tree, err := r.tree("SELECT NULL")
	if err != nil || tree == nil {
		return rows.Type{}, err
	}
	cast := (&emitter{r: r}).node(e).(node)
	cast["child"] = nullConstant()
	object(object(list(tree["statements"])[0])["node"])["select_list"] = []any{cast}
	data, err := json.Marshal(tree)
	if err != nil {
		return rows.Type{}, err
	}
	sql, err := r.db.DeserializeSQL(r.ctx, string(data))
	if err != nil {
		return rows.Type{}, fatal(err)
	}
	_, columns, err := r.db.Infer(r.ctx, sql)
	if err != nil || len(columns) != 1 {
		return rows.Type{}, fatal(err)
	}
	return columns[0].Type, nil
}

// wrong is DuckDB's error for a name in the statement, which is the user's mistake.
func (r *resolver) wrong() error {
	for _, f := range r.forms {
		text, err := r.probed(f, nil, allCalls)
		if err == nil {
			_, _, err = r.db.Infer(r.ctx, text)
		}
		var e *sqlerr.Error
		switch {
		case fatal(err) != nil:
			return err
		case errors.As(err, &e) && (e.Code == sqlerr.UndefinedColumn || e.Code == sqlerr.UndefinedTable || e.Code == sqlerr.AmbiguousColumn):
			placed := *e // counted in a text of ours
			if placed.Offset = placeOf(f.tree, e.Message); placed.Offset >= 0 && f.offset >= 0 {
				placed.Offset += f.offset
			} else {
				placed.Offset = -1
			}
			return &placed
		}
	}
	return nil
}

// placeOf is the place of the first name of a tree that a message has in quotes; -1: there
// is none.
func placeOf(v any, message string) int {
	switch v := v.(type) {
	case []any:
		for _, child := range v {
			if at := placeOf(child, message); at >= 0 {
				return at
			}
		}
	case node:
		names := append(list(v["column_names"]), v["table_name"])
		last := len(names) - 1
		if v["class"] == "COLUMN_REF" {
			last--
		}
		if name, _ := names[max(0, last)].(string); name != "" && strings.Contains(message, `"`+name+`"`) || name != "" && strings.Contains(message, " "+name+" ") {
			if at, err := strconv.Atoi(fmt.Sprint(v["query_location"])); err == nil {
				return at
			}
		}
		for _, field := range slices.Sorted(maps.Keys(v)) {
			if at := placeOf(v[field], message); at >= 0 {
				return at
			}
		}
	}
	return -1
}

// probe asks for the expressions that have the keys, which differ by their forms.
func (r *resolver) probe(keys []string) (known bool, err error) {
	byForm := map[*form][]string{}
	for _, key := range keys {
		f := r.formOf(key)
		byForm[f] = append(byForm[f], key)
	}
	for f, keys := range byForm {
		var types []rows.Type
		for _, without := range []calls{noCalls, operators, allCalls} {
			text, err := r.probed(f, keys, without)
			if err == nil {
				types, _, err = r.db.Infer(r.ctx, text)
			}
			if fatal(err) != nil {
				return false, err
			}
			if len(types) == len(keys) {
				break
			}
		}
		if len(types) != len(keys) {
			return false, nil
		}
		for i, key := range keys {
			r.note(key, f, types[i])
		}
	}
	return true, nil
}
