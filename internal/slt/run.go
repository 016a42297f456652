package slt

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Options say how files are run.
type Options struct {
	Dialect Dialect
	// Backend is what trireme.backend is set to; "": the server's own choice.
	Backend string
	// Setup is run on every connection before anything else.
	Setup []string
	// TempDir replaces __TEST_DIR__, WorkDir __WORKING_DIRECTORY__ and the start of
	// relative paths; WorkDir is where the server runs.
	TempDir, WorkDir string
	// ToleranceRel is how far FLOAT and DOUBLE may be from what is wanted.
	ToleranceRel float64
	// StopAtFirst ends a file at its first failure, as DuckDB's runner does.
	StopAtFirst bool
	// Answerers asks after every query who has answered it.
	Answerers bool
	// SkipInternals leaves out what is about DuckDB's own execution: the pragmas
	// that make it check itself, which change settings, and with settings changed
	// all statements go to DuckDB; and queries for its plans, where a server of ours
	// shows its own.
	SkipInternals bool
	// Trace is told of every query before it is sent; nil: nobody.
	Trace func(line int, sql string)
}

// Failure is a record that did not hold.
type Failure struct {
	Line   int
	SQL    string
	Reason string
}

// Refusal is a statement that a forced backend did not take.
type Refusal struct {
	Line   int
	Reason string
}

// Outcome is what a run of a file gave.
type Outcome struct {
	// Skipped is why the file does not apply here; "": it was run.
	Skipped string
	Passed  int // records that held
	// Answered counts queries that held by the backend that answered.
	Answered map[string]int
	Failures []Failure
	Refusals []Refusal
}

// OK reports whether the file was run to its end without a failure.
func (o *Outcome) OK() bool { return o.Skipped == "" && len(o.Failures) == 0 }

// Run runs the records of one file on a server, which it starts and leaves
// running. An error is a server that cannot be started; all else is in the Outcome.
func Run(ctx context.Context, server Server, records []Record, opts Options) (Outcome, error) {
	r := &run{
		server: server, opts: opts, ignored: []string{"HTTP", "Unable to connect"},
		vars: map[string]string{}, labels: map[string]string{}, named: map[string]*conn{},
		outcome: Outcome{Answered: map[string]int{}},
	}
	r.check = checker{dialect: opts.Dialect, toleranceRel: opts.ToleranceRel, expand: r.expand, labels: r.label}
	err := r.open(ctx, "")
	if err == nil {
		err = r.block(ctx, &scope{}, records)
	}
	r.closeAll()
	var skip errSkip
	switch {
	case errors.As(err, &skip):
		r.outcome.Skipped, err = string(skip), nil
	case errors.Is(err, errStop):
		err = nil
	}
	return r.outcome, err
}

// errStop ends a file whose failure has been recorded.
var errStop = errors.New("the file ends here")

// run is one run of a file.
type run struct {
	server  Server
	opts    Options
	check   checker
	address string
	path    string // of the open database; "": in memory
	main    *conn
	named   map[string]*conn
	ignored []string // parts of error texts on which a file is given up
	vars    map[string]string

	mu      sync.Mutex // of labels and outcome
	labels  map[string]string
	outcome Outcome
}

// scope is the loop iteration in which a record runs.
type scope struct {
	names, values []string
	conn          *conn // of a concurrent loop; nil: the file's
}

func (s *scope) with(r *Record, value string, c *conn) (*scope, error) {
	names, values := strings.Split(r.Variable, ","), []string{value}
	if len(names) > 1 {
		values = strings.Split(value, ",")
	}
	if len(names) != len(values) {
		return nil, fmt.Errorf("%q has %d values for the %d variables %s", value, len(values), len(names), r.Variable)
	}
	next := &scope{slices.Concat(s.names, names), slices.Concat(s.values, values), s.conn}
	if c != nil {
		next.conn = c
	}
	return next, nil
}

// expand replaces the loop's variables.
func (s *scope) expand(text string) string {
	for i, name := range s.names {
		text = strings.ReplaceAll(text, "${"+name+"}", s.values[i])
		text = strings.ReplaceAll(text, "{"+name+"}", s.values[i])
	}
	return text
}

// holds evaluates the conditions of a record.
func (s *scope) holds(conditions []Condition) (bool, error) {
	for i := range conditions {
		c := &conditions[i]
		at := slices.Index(s.names, c.Variable)
		if at < 0 {
			return false, fmt.Errorf("no loop has the variable %s", c.Variable)
		}
		holds, err := c.holds(s.values[at])
		if err != nil || holds == c.Skip {
			return false, err
		}
	}
	return true, nil
}

// expand replaces the names of folders and the variables of require-env.
func (r *run) expand(text string) string {
	for _, name := range slices.Sorted(maps.Keys(r.vars)) {
		text = strings.ReplaceAll(text, "${"+name+"}", r.vars[name])
		text = strings.ReplaceAll(text, "{"+name+"}", r.vars[name])
	}
	return strings.NewReplacer("__TEST_DIR__", r.opts.TempDir, "{TEST_DIR}", r.opts.TempDir, "{TEMP_DIR}", r.opts.TempDir,
		"__WORKING_DIRECTORY__", r.opts.WorkDir, "{UUID}", "5c1f0a52-7d2c-4f5e-9a51-2f3b8a1d6e70",
		"{DATA_DIR}", filepath.Join(r.opts.WorkDir, "data"), "{TEST_NAME}", "slt", "{BASE_TEST_NAME}", "slt").Replace(text)
}

func (r *run) label(label, hash string) (first string, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first, known = r.labels[label]
	if !known {
		r.labels[label] = hash
	}
	return first, known
}

// block runs records in order. errContinue ends the iteration of a loop.
func (r *run) block(ctx context.Context, s *scope, records []Record) error {
	for i := range records {
		record := &records[i]
		holds, err := s.holds(record.Conditions)
		if err == nil && holds {
			err = r.record(ctx, s, record)
		}
		if err == nil || errors.Is(err, errContinue) || isFinal(err) {
			if err != nil {
				return err
			}
			continue
		}
		if stop := r.fail(record, s.expand(record.SQL), err); stop != nil {
			return stop
		}
	}
	return nil
}

var errContinue = errors.New("the iteration ends here")

func isFinal(err error) bool {
	var skip errSkip
	return errors.As(err, &skip) || errors.Is(err, errStop)
}

// fail records a failure, and ends the file where it makes no sense to go on.
func (r *run) fail(record *Record, sql string, err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcome.Failures = append(r.outcome.Failures, Failure{record.Line, sql, err.Error()})
	if r.opts.StopAtFirst || r.main == nil || r.main.pg.IsClosed() {
		return errStop
	}
	return nil
}

func (r *run) record(ctx context.Context, s *scope, record *Record) error {
	switch record.Kind {
	case Statement:
		return r.statement(ctx, s, record)
	case Query:
		return r.query(ctx, s, record)
	case Loop:
		return r.loop(ctx, s, record)
	case Continue:
		return errContinue
	default:
		return r.control(ctx, s, record)
	}
}

func (r *run) loop(ctx context.Context, s *scope, record *Record) error {
	if record.Concurrent {
		return r.concurrent(ctx, s, record)
	}
	for _, value := range record.Values {
		inner, err := s.with(record, r.expand(value), nil)
		if err != nil {
			return err
		}
		if err := r.block(ctx, inner, record.Body); err != nil && !errors.Is(err, errContinue) {
			return err
		}
	}
	return nil
}

// concurrent runs all iterations at once, each on a connection of its own.
func (r *run) concurrent(ctx context.Context, s *scope, record *Record) error {
	ended := make(chan error, len(record.Values))
	for _, value := range record.Values {
		go func() { ended <- r.iteration(ctx, s, record, value) }()
	}
	var all []error
	for range record.Values {
		all = append(all, <-ended)
	}
	return errors.Join(all...)
}

func (r *run) iteration(ctx context.Context, s *scope, record *Record, value string) (err error) {
	c, err := dial(ctx, r.address, r.setup())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	inner, err := s.with(record, r.expand(value), c)
	if err != nil {
		return err
	}
	err = r.block(ctx, inner, record.Body)
	if errors.Is(err, errContinue) {
		return nil
	}
	return err
}

// connection is the one a record names.
func (r *run) connection(ctx context.Context, s *scope, record *Record) (*conn, error) {
	if record.Connection == "" {
		if s.conn != nil {
			return s.conn, nil
		}
		return r.main, nil
	}
	if c, ok := r.named[record.Connection]; ok {
		return c, nil
	}
	c, err := dial(ctx, r.address, r.setup())
	if err != nil {
		return nil, err
	}
	r.named[record.Connection] = c
	return c, nil
}

// verification matches the pragmas that SkipInternals leaves out, plans the queries.
var (
	verification = regexp.MustCompile(`(?i)^\s*(pragma\s+(enable|disable)_verification|pragma\s+verify_\w+|set\s+verify_\w+\s*=.*)\s*;?\s*$`)
	plans        = regexp.MustCompile(`(?i)^\s*explain\b`)
)

func (r *run) statement(ctx context.Context, s *scope, record *Record) error {
	sql := r.expand(s.expand(record.SQL))
	if r.opts.SkipInternals && verification.MatchString(sql) {
		return nil
	}
	c, err := r.connection(ctx, s, record)
	if err != nil {
		return err
	}
	r.trace(record, sql)
	_, err = c.exec(ctx, sql)
	if reason, refused := refusal(err); refused {
		r.refuse(record, reason)
		_, err = r.onDuckDB(ctx, c, sql)
	}
	switch {
	case err == nil && record.Expect == Fails:
		return errors.New("the statement succeeds, an error is wanted")
	case err == nil || record.Expect == Debug:
		r.pass("")
		return nil
	case record.Expect == OK:
		return r.unexpected(err)
	}
	if err := r.check.checkError(strings.Join(s.expandAll(record.Want), "\n"), err); err != nil {
		return err
	}
	r.pass("")
	return nil
}

func (s *scope) expandAll(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = s.expand(l)
	}
	return out
}

// unexpected gives a file up where an error says that it cannot run here.
func (r *run) unexpected(err error) error {
	for _, part := range r.ignored {
		if strings.Contains(err.Error(), part) {
			return errSkip("error with " + part)
		}
	}
	return err
}

// onDuckDB runs a statement that the forced backend has refused.
func (r *run) onDuckDB(ctx context.Context, c *conn, sql string) (Result, error) {
	if _, err := c.exec(ctx, "SET trireme.backend = 'duckdb'"); err != nil {
		return Result{}, err
	}
	result, err := c.exec(ctx, sql)
	_, back := c.exec(ctx, "SET trireme.backend = '"+r.opts.Backend+"'")
	return result, errors.Join(err, back)
}

func (r *run) query(ctx context.Context, s *scope, record *Record) error {
	sql := r.expand(s.expand(record.SQL))
	if r.opts.SkipInternals && plans.MatchString(sql) {
		return nil
	}
	c, err := r.connection(ctx, s, record)
	if err != nil {
		return err
	}
	r.trace(record, sql)
	var got Result
	if record.Params != nil {
		got, err = c.execParams(ctx, sql, s.expandAll(record.Params))
	} else {
		got, err = c.exec(ctx, sql)
	}
	if reason, refused := refusal(err); refused {
		r.refuse(record, reason)
		return nil
	}
	if err != nil {
		return r.unexpected(err)
	}
	by := ""
	if r.opts.Answerers {
		last, err := c.exec(ctx, "SHOW trireme.last_backend")
		if err != nil {
			return err
		}
		by = last.Rows[0][0].Text
	}
	expanded := *record
	expanded.Want = s.expandAll(record.Want)
	if err := r.check.result(&expanded, got); err != nil {
		if by != "" {
			err = fmt.Errorf("answered by %s: %w", by, err)
		}
		return err
	}
	r.pass(by)
	return nil
}

func (r *run) trace(record *Record, sql string) {
	if r.opts.Trace != nil {
		r.opts.Trace(record.Line, sql)
	}
}

func (r *run) pass(by string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcome.Passed++
	if by != "" {
		r.outcome.Answered[by]++
	}
}

func (r *run) refuse(record *Record, reason string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcome.Refusals = append(r.outcome.Refusals, Refusal{record.Line, reason})
}
