package engine

import (
	"context"
	"testing"
	"time"
)

// endless runs for hours unless it is stopped.
const endless = "SELECT count(*) FROM range(1000000000000) r(i) WHERE i % 3 = 1"

// untilRunning returns when the session runs a statement.
func (s testSession) untilRunning() {
	for {
		s.cancelMu.Lock()
		n := len(s.running)
		s.cancelMu.Unlock()
		if n > 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func TestCancelOfARunningQuery(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("SET trireme.backend = 'duckdb'")
	for range 5 {
		ended, quiet := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(quiet) // the next statement is not this one's
			s.untilRunning()
			for { // Prepare may have been hit: the statement follows at once
				s.Cancel()
				select {
				case <-ended:
					return
				case <-time.After(2 * time.Millisecond):
				}
			}
		}()
		e := s.wantError(endless, "57014")
		close(ended)
		<-quiet
		if e.Message != "canceling statement due to user request" {
			t.Errorf("message %q", e.Message)
		}
	}
}

func TestCancelOfAnIdleSessionDoesNothing(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.Cancel()
	s.want("SELECT 1", "1")
}

func TestStatementTimeout(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("SET statement_timeout = '50ms'")
	e := s.wantError(endless, "57014")
	if e.Message != "canceling statement due to statement timeout" {
		t.Errorf("message %q", e.Message)
	}
	s.want("SELECT 1", "1")
	s.run("SET statement_timeout = 0")
	s.run("BEGIN")
	s.run("SET LOCAL statement_timeout = '50ms'")
	s.wantError(endless, "57014")
	s.wantStatus(TxFailed)
	s.run("ROLLBACK")
}

func TestContextOfTheCallerCancels(t *testing.T) {
	s := openSession(t, openEngine(t))
	p, err := s.Prepare(context.Background(), endless, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	res, err := p.Execute(ctx, nil)
	if err == nil {
		_, err = res.Next(ctx)
		if cerr := res.Close(); cerr != nil && err == nil {
			t.Error(cerr)
		}
	}
	if err == nil {
		t.Fatal("not cancelled")
	}
	s.want("SELECT 1", "1")
}
