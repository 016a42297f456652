package engine

import (
	"time"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// IdleLimit is how long the client may be silent from now on, and the error that
// ends the connection then; 0: for ever. ready says that the client has been told that all
// it sent is answered: before, only its transaction has a limit.
func (s *Session) IdleLimit(ready bool) (limit time.Duration, err error) {
	switch {
	case !ready:
	case s.TxStatus() == TxIdle:
		limit, err = s.settings.idle, sqlerr.New(sqlerr.IdleSessionTimeout, "terminating connection due to idle-session timeout")
	default:
		limit = s.settings.idleInTransaction
		err = sqlerr.New(sqlerr.IdleInTransactionTimeout, "terminating connection due to idle-in-transaction timeout")
	}
	if rest, limited := s.transactionRest(); limited && (limit == 0 || rest < limit) {
		return rest, errTransactionTimeout()
	}
	return limit, err
}

// transactionRest is how long the transaction may still take, more than 0 in any case.
func (s *Session) transactionRest() (rest time.Duration, limited bool) {
	if s.settings.transaction == 0 || s.tx.status == TxIdle {
		return 0, false
	}
	return max(1, s.settings.transaction-time.Since(s.tx.began)), true
}

func errTransactionTimeout() *sqlerr.Error {
	return sqlerr.New(sqlerr.TransactionTimeout, "terminating connection due to transaction timeout")
}
