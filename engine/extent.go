package engine

import (
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// bracketsMax is how deep brackets may stand in one another. DuckDB's parser takes a few
// more, and everything that reads a text may go as deep as they do.
const bracketsMax = 5000

// admitExtent refuses a statement that would take too long to understand: while DuckDB
// binds and optimizes, it heeds neither a timeout nor a limit of memory.
func (s *Session) admitExtent(st sqlfront.Statement) error {
	blocksMax := s.engine.cfg.BlocksMax
	switch {
	case st.Nesting > bracketsMax:
		return sqlerr.New(sqlerr.StatementTooComplex, "the statement is too complex: %d brackets are open at one place", st.Nesting).
			WithHint("The limit is %d.", bracketsMax)
	case blocksMax > 0 && st.Blocks > blocksMax:
		return sqlerr.New(sqlerr.StatementTooComplex, "the statement is too complex: it has %d SELECTs", st.Blocks).
			WithHint("The limit is %d (--max-blocks of the server). Keep parts of it in temporary tables.", blocksMax)
	}
	return nil
}
