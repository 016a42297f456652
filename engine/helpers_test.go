package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

func openEngine(t testing.TB) *Engine {
	t.Helper()
	return openConfig(t, Config{Version: "test"})
}

func openConfig(t testing.TB, cfg Config) *Engine {
	t.Helper()
	cfg.FirstPatience = cmp.Or(cfg.FirstPatience, time.Hour)
	e, err := Open(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		wantIdle(t, e)
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// wantIdle checks that no statement holds memory or tensors.
func wantIdle(t testing.TB, e *Engine) {
	t.Helper()
	r, ok := e.tensor.(*route)
	if !ok {
		return // a scripted route holds nothing
	}
	if held := r.memory.held.Load(); held != 0 {
		t.Errorf("%d bytes are held by nobody", held)
	}
	if n := r.tensors.InUse(); n != 0 {
		t.Errorf("%d tensors are in use by nobody", n)
	}
}

// testSession is a session whose statements are given and answered as text.
type testSession struct {
	*Session
	t testing.TB
}

func openSession(t testing.TB, e *Engine) testSession {
	t.Helper()
	return openUser(t, e, "u")
}

func openUser(t testing.TB, e *Engine, user string) testSession {
	t.Helper()
	return openWith(t, e, SessionOptions{User: user})
}

func openWith(t testing.TB, e *Engine, opt SessionOptions) testSession {
	t.Helper()
	s, err := e.NewSession(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return testSession{s, t}
}

// try runs a statement and returns its rows, columns by "|" and rows by ";",
// and its tag.
func (s testSession) try(sql string, args ...string) (text, tag string, err error) {
	ctx := context.Background()
	p, err := s.Prepare(ctx, sql, nil)
	if err != nil {
		return "", "", err
	}
	defer func() {
		if cerr := p.Close(); err == nil {
			err = cerr
		}
	}()
	values := make([]Arg, len(args))
	for i, a := range args {
		values[i] = Arg{Text: a}
	}
	res, err := p.Execute(ctx, values)
	if err != nil {
		return "", "", err
	}
	text, err = readAll(res)
	if err == nil {
		words, n := res.Tag()
		tag = words
		if n >= 0 {
			tag = fmt.Sprint(words, " ", n)
		}
	}
	return text, tag, err
}

func readAll(res *Result) (text string, err error) {
	lines, err := readRows(res)
	return strings.Join(lines, ";"), err
}

// readRows reads a result to its end, a row per string, and closes it.
func readRows(res *Result) (lines []string, err error) {
	defer func() {
		if cerr := res.Close(); err == nil {
			err = cerr
		}
	}()
	for {
		b, err := res.Next(context.Background())
		if err != nil || b == nil {
			return lines, err
		}
		for i := range b.N {
			cells := make([]string, len(b.Cols))
			for c := range b.Cols {
				cells[c] = cell(&b.Cols[c], i)
			}
			lines = append(lines, strings.Join(cells, "|"))
		}
	}
}

func cell(v *rows.Vector, i int) string {
	switch {
	case v.IsNull(i):
		return "NULL"
	case v.Type.Physical() == rows.PhysInt64:
		return fmt.Sprint(v.I64[i])
	case v.Type.Physical() == rows.PhysInt128:
		return v.I128[i].String()
	case v.Type.Physical() == rows.PhysFloat64:
		return fmt.Sprint(v.F64[i])
	case v.Type.Physical() == rows.PhysString:
		return v.Str[i]
	default:
		return fmt.Sprint(v.Ivl[i])
	}
}

func (s testSession) run(sql string, args ...string) string {
	s.t.Helper()
	text, _, err := s.try(sql, args...)
	if err != nil {
		s.t.Fatalf("%s: %v", sql, err)
	}
	return text
}

// choosesNative lets auto ask the tensor engine whatever the size of the tables.
func (s testSession) choosesNative() { s.engine.tensor.(*route).rule.small = math.Inf(1) }

func (s testSession) want(sql, want string) {
	s.t.Helper()
	if got := s.run(sql); got != want {
		s.t.Errorf("%s: %q, want %q", sql, got, want)
	}
}

func (s testSession) wantTag(sql, want string, args ...string) {
	s.t.Helper()
	_, tag, err := s.try(sql, args...)
	if err != nil || tag != want {
		s.t.Errorf("%s: tag %q, want %q, error %v", sql, tag, want, err)
	}
}

func (s testSession) wantError(sql, code string) *sqlerr.Error {
	s.t.Helper()
	_, _, err := s.try(sql)
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Code != code {
		s.t.Fatalf("%s: error %v, want SQLSTATE %s", sql, err, code)
	}
	return e
}

func (s testSession) wantStatus(status TxStatus) {
	s.t.Helper()
	if got := s.TxStatus(); got != status {
		s.t.Errorf("transaction state %c, want %c", got, status)
	}
}
