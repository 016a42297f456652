package engine

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Sessions move money between the same accounts at the same time, each with a savepoint to
// which it returns after an error. What is committed is there once, whatever is repeated.
func TestSavepointTransfersAtOnce(t *testing.T) {
	const sessions, transfers, accounts = 4, 8, 3
	e := openEngine(t)
	s := openSession(t, e)
	s.run("CREATE TABLE account (id INTEGER PRIMARY KEY, sum INTEGER)")
	s.run(fmt.Sprintf("INSERT INTO account SELECT i, 100 FROM range(%d) r(i)", accounts))
	s.run("CREATE TABLE moved (id SERIAL PRIMARY KEY, session INTEGER)")
	var wait sync.WaitGroup
	for n := range sessions {
		mine := openSession(t, e)
		wait.Go(func() {
			for i := 0; i < transfers; {
				from := (n + i) % accounts
				done, err := transfer(mine, n, from, (from+1)%accounts)
				if err != nil {
					t.Error(err)
					return
				}
				if done {
					i++
				}
			}
		})
	}
	wait.Wait()
	s.want("SELECT sum(sum), count(*) FROM account", fmt.Sprintf("%d|%d", 100*accounts, accounts))
	s.want("SELECT count(*), count(DISTINCT id) FROM moved", fmt.Sprintf("%d|%d", sessions*transfers, sessions*transfers))
	s.want("SELECT session FROM moved GROUP BY session HAVING count(*) <> 8", "")
}

// transfer moves 1; false: it has to be repeated.
func transfer(s testSession, session, from, to int) (done bool, err error) {
	for _, step := range []struct{ sql, code string }{
		{"BEGIN", ""},
		{fmt.Sprintf("UPDATE account SET sum = sum - 1 WHERE id = %d", from), ""},
		{fmt.Sprintf("INSERT INTO moved (session) VALUES (%d)", session), ""},
		{"SAVEPOINT a", ""},
		{"UPDATE account SET sum = sum + 1000", "?"},
		{"INSERT INTO account VALUES (0, 0)", "?"},
		{"ROLLBACK TO a", ""},
		{fmt.Sprintf("UPDATE account SET sum = sum + 1 WHERE id = %d", to), ""},
		{"COMMIT", ""},
	} {
		_, tag, err := s.try(step.sql)
		var failed *sqlerr.Error
		switch {
		case err == nil && step.sql == "COMMIT":
			return tag == "COMMIT", nil
		case err == nil, step.code == "?":
		case errors.As(err, &failed) && failed.Code == sqlerr.SerializationFailure:
			if s.TxStatus() != TxIdle {
				_, _, err = s.try("ROLLBACK")
				return false, err
			}
			return false, nil
		default:
			return false, fmt.Errorf("%s: %w", step.sql, err)
		}
	}
	return false, nil
}
