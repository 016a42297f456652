package activity

import (
	"sync"
	"time"
)

// State is what a session does, in the words of pg_stat_activity.
type State string

// The states.
const (
	Active        State = "active"
	Idle          State = "idle"
	InTransaction State = "idle in transaction"
	InFailed      State = "idle in transaction (aborted)"
)

// Control is how a session is influenced from outside.
type Control struct {
	// Admin reports whether the session may see and stop those of other users now; nil:
	// it may not. It is called from any goroutine.
	Admin func() bool
	// Cancel stops the running statement, Terminate ends the session; nil: it cannot
	// be ended.
	Cancel, Terminate func()
}

// Info describes a session at one moment. The zero time means never.
type Info struct {
	Identity
	Started      time.Time
	Transaction  time.Time // when the open transaction began
	Query        time.Time // when the running, or last, statement began
	StateChanged time.Time
	State        State
	Text         string // of the running, or last, statement
	Backend      string // that answers it, or did
	Statement    uint64 // its number
}

// Session is the notes on one session.
type Session struct {
	registry *Registry
	control  Control

	mu     sync.Mutex
	info   Info
	connID uint64
	closed bool
	again  time.Time // when the statement began that is done again; zero: none is
}

// Info returns a copy of the notes.
func (s *Session) Info() Info {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info
}

// DoAgain notes that what the session does now is a statement that began at another time; zero: it is
// the running one.
func (s *Session) DoAgain(began time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.again = began
}

// Began is when the statement began that is done, or done again.
func (s *Session) Began() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.again.IsZero() {
		return s.again
	}
	return s.info.Query
}

// UseConn says which DuckDB connection is the session's from now on.
func (s *Session) UseConn(id uint64) {
	r := s.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byConn[s.connID] == s {
		delete(r.byConn, s.connID)
	}
	if s.closed {
		return
	}
	s.connID = id
	r.byConn[id] = s
}

// Close takes the session out of the registry.
func (s *Session) Close() {
	r := s.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	s.closed = true
	if r.sessions[s.info.PID] == s {
		delete(r.sessions, s.info.PID)
	}
	if r.byConn[s.connID] == s {
		delete(r.byConn, s.connID)
	}
}

// Begin notes that a statement starts.
func (s *Session) Begin(text, kind, application string, now time.Time) *Statement {
	st := &Statement{id: s.registry.nextID.Add(1), session: s, text: cutText(text), kind: kind, started: now}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.info.Application = cutText(application)
	s.info.Text, s.info.Statement, s.info.Query, s.info.Backend = st.text, st.id, now, ""
	s.setState(Active, now)
	st.who = s.info.Identity
	return st
}

// Rest notes what the session is in when nothing runs, and since when a
// transaction is open.
func (s *Session) Rest(state State) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case state == Idle:
		s.info.Transaction = time.Time{}
	case s.info.Transaction.IsZero():
		s.info.Transaction = s.info.Query
	}
	s.setState(state, now)
}

func (s *Session) setState(state State, now time.Time) {
	if s.info.State != state {
		s.info.State, s.info.StateChanged = state, now
	}
	if state == Active && s.info.Transaction.IsZero() {
		s.info.Transaction = now
	}
}

func (s *Session) setBackend(backend string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.info.Backend = backend
}

// MayStop reports whether the session may see and stop another one.
func (s *Session) MayStop(other *Session) bool {
	return s.isAdmin() || s.Info().User == other.Info().User
}

// Sees reports whether the session may read the statements of a user.
func (s *Session) Sees(user string) bool { return s.isAdmin() || s.Info().User == user }

func (s *Session) isAdmin() bool { return s.control.Admin != nil && s.control.Admin() }

// Cancel stops the running statement of the session, if any.
func (s *Session) Cancel() {
	if s.control.Cancel != nil {
		s.control.Cancel()
	}
}

// Terminate ends the session, and reports whether that is possible.
func (s *Session) Terminate() bool {
	if s.control.Terminate == nil {
		return false
	}
	s.control.Terminate()
	return true
}
