package duckbackend

// What DuckDB knows of the data is part of a prepared statement's plan: which values columns
// have, and whether there are NULLs. It makes another plan where the data has changed by the
// time of the execution (again_linux.c).

// fresh makes the statement ready for an execution; it runs inside the connection's
// operation. Where that fails, the next execution tries again.
func (s *Stmt) fresh() error {
	planned := s.handle.Ptr != nil
	if s.unplanned || planned && (!replans || s.once && s.executed) {
		return s.prepare(s.sql)
	}
	if planned {
		s.hold(s.bytes)
	}
	return nil
}
