package engine

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// What runs on after its cancellation is abandoned, with the reason.
func TestRunThatDoesNotHeedIsAbandoned(t *testing.T) {
	e := openEngine(t)
	abandoned := make(chan error, 1)
	s, err := e.NewSession(context.Background(), SessionOptions{Abandon: func(err error) { abandoned <- err }})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	ended := s.startRun(context.Background())
	ended.watch()
	s.Cancel()
	ended.end() // in time
	stuck := s.startRun(context.Background())
	stuck.watch()
	s.Cancel()
	var sqlErr *sqlerr.Error
	if err := <-abandoned; !errors.As(err, &sqlErr) || sqlErr.Code != sqlerr.QueryCanceled || sqlErr.Detail == "" {
		t.Errorf("abandoned with %v", err)
	}
	stuck.end()
	if len(abandoned) != 0 {
		t.Errorf("a run that has ended was abandoned: %v", <-abandoned)
	}
}

// Where many statements share the cores each has more time to heed its cancellation.
func TestPatienceFollowsTheRuns(t *testing.T) {
	e := openEngine(t)
	s := openSession(t, e)
	if got := e.patience(); got != heedTime {
		t.Errorf("with nothing running: %v", got)
	}
	var runs []*run
	for range 4 * runtime.GOMAXPROCS(0) {
		runs = append(runs, s.startRun(context.Background()))
	}
	if got := e.patience(); got != 4*heedTime {
		t.Errorf("with four statements for each core: %v", got)
	}
	for _, r := range runs {
		r.end()
		r.end()
	}
	if got := e.patience(); got != heedTime {
		t.Errorf("when they have ended, twice: %v", got)
	}
}
