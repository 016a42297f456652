package engine

import (
	"context"
	"errors"
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
