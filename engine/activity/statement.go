package activity

import (
	"sync"
	"sync/atomic"
	"time"
)

// Phase is a part of a statement's time.
type Phase uint8

// The phases. Queue is waiting for a tensor that another session builds; Bind is
// parsing, describing and translating; Send is the time between the rows, in
// which they are encoded, written, and waited for by the client.
const (
	Queue Phase = iota
	Bind
	Plan
	Load
	Execute
	Send
	phaseCount
)

var phaseNames = [phaseCount]string{"queue", "bind", "plan", "load", "execute", "send"}

// String names the phase.
func (p Phase) String() string { return phaseNames[p] }

// Phases returns all of them, in the order in which they are run through.
func Phases() []Phase { return []Phase{Queue, Bind, Plan, Load, Execute, Send} }

// Identity is who a session is.
type Identity struct {
	PID            uint32
	User, Database string
	Application    string
	Remote         string // the client's address; empty in process
	Believed       bool   // there is no role of the user's name: it may do everything
}

// Record is a statement that has ended.
type Record struct {
	ID uint64
	Identity
	Text    string
	Kind    string // of statement: select, insert, copy, ...
	Backend string // who answered; "session" for what the session answers itself
	Reason  string // why DuckDB answered what might have run on tensors
	Started time.Time
	Took    time.Duration // all of it
	Phases  [phaseCount]time.Duration
	Rows    int64
	// Code is the SQLSTATE, "00000" without an error; Message is the error's.
	Code, Message string
}

// Phase is the time of one phase.
func (r *Record) Phase(p Phase) time.Duration { return r.Phases[p] }

// Statement is one that runs. Its methods may be called from several goroutines,
// and on nil, where nobody takes notes.
type Statement struct {
	id       uint64
	session  *Session
	who      Identity
	text     string
	kind     string
	started  time.Time
	phases   [phaseCount]atomic.Int64
	inEngine atomic.Int64
	once     sync.Once

	mu              sync.Mutex
	backend, reason string
}

// ID is the number of the statement.
func (s *Statement) ID() uint64 {
	if s == nil {
		return 0
	}
	return s.id
}

// Add counts time of a phase.
func (s *Statement) Add(p Phase, d time.Duration) {
	if s != nil {
		s.phases[p].Add(int64(d))
	}
}

// Work counts time in the engine, from which Execute and Send follow.
func (s *Statement) Work(d time.Duration) {
	if s != nil {
		s.inEngine.Add(int64(d))
	}
}

// Answered says who answers, and why it is not somebody else.
func (s *Statement) Answered(backend, reason string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	s.backend, s.reason = backend, cutText(reason)
	s.mu.Unlock()
	s.session.setBackend(backend)
}

// Because gives the reason where Answered did not know it.
func (s *Statement) Because(reason string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reason == "" {
		s.reason = cutText(reason)
	}
}

// End completes the statement, once: later calls return nil.
func (s *Statement) End(rowCount int64, code, message string) *Record {
	var r *Record
	if s != nil {
		s.once.Do(func() { r = s.record(rowCount, code, message) })
	}
	return r
}

func (s *Statement) record(rowCount int64, code, message string) *Record {
	r := &Record{
		ID: s.id, Identity: s.who, Text: s.text, Kind: s.kind, Started: s.started,
		Rows: rowCount, Code: code, Message: message,
	}
	s.mu.Lock()
	r.Backend, r.Reason = s.backend, s.reason
	s.mu.Unlock()
	if r.Backend == "" {
		r.Backend = SessionBackend
	}
	for p := range s.phases {
		r.Phases[p] = time.Duration(s.phases[p].Load())
	}
	wall, work := time.Since(s.started), time.Duration(s.inEngine.Load())
	r.Took = wall + r.Phases[Bind] // binding came before
	r.Phases[Execute] = max(0, work-r.Phases[Plan]-r.Phases[Load]-r.Phases[Queue])
	r.Phases[Send] = max(0, wall-work)
	s.session.registry.keep(r)
	return r
}

// SessionBackend is the backend of statements that the session answers itself.
const SessionBackend = "session"
