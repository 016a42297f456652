package activity

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// TextMaxBytes is how much of a statement's text is kept.
const TextMaxBytes = 4096

// firstOwnPID is the first process id of sessions that come with none; those of
// the wire begin at 1.
const firstOwnPID = 1 << 30

// Registry holds the sessions and the last statements of one engine. It is safe
// for concurrent use.
type Registry struct {
	observe func(*Record)
	nextID  atomic.Uint64

	mu       sync.Mutex
	sessions map[uint32]*Session
	byConn   map[uint64]*Session
	nextPID  uint32
	opened   uint64
	recent   []Record // a ring
	next     int      // where the next one goes
}

// NewRegistry keeps so many statements. observe is called with every statement
// that has ended, by the goroutine that ran it; nil: nobody asks.
func NewRegistry(statements int, observe func(*Record)) *Registry {
	if observe == nil {
		observe = func(*Record) {}
	}
	return &Registry{
		observe: observe, sessions: map[uint32]*Session{}, byConn: map[uint64]*Session{},
		nextPID: firstOwnPID, recent: make([]Record, 0, max(statements, 0)),
	}
}

// Open enters a session; a PID of 0 is replaced.
func (r *Registry) Open(who Identity, control Control) *Session {
	now := time.Now()
	s := &Session{registry: r, control: control}
	s.info = Info{Identity: who, Started: now, StateChanged: now, State: Idle}
	r.mu.Lock()
	defer r.mu.Unlock()
	if who.PID == 0 {
		s.info.PID = r.nextPID
		r.nextPID++
	}
	r.opened++
	r.sessions[s.info.PID] = s
	return s
}

// Sessions returns the sessions, ordered by process id.
func (r *Registry) Sessions() []Info {
	r.mu.Lock()
	all := make([]*Session, 0, len(r.sessions))
	for _, s := range r.sessions {
		all = append(all, s)
	}
	r.mu.Unlock()
	out := make([]Info, len(all))
	for i, s := range all {
		out[i] = s.Info()
	}
	slices.SortFunc(out, func(a, b Info) int { return int(a.PID) - int(b.PID) })
	return out
}

// Opened is the number of sessions that have been opened so far.
func (r *Registry) Opened() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.opened
}

// Session returns the session of a process id; nil: there is none.
func (r *Registry) Session(pid uint32) *Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sessions[pid]
}

// OnConn returns the session that owns a DuckDB connection; nil: none does.
func (r *Registry) OnConn(id uint64) *Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byConn[id]
}

// Recent returns the last statements, the latest first.
func (r *Registry) Recent() []Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]Record, 0, len(r.recent))
	for i := range r.recent {
		out = append(out, r.recent[(r.next-1-i+2*len(r.recent))%len(r.recent)])
	}
	return out
}

func (r *Registry) keep(rec *Record) {
	r.mu.Lock()
	switch {
	case cap(r.recent) == 0:
	case len(r.recent) < cap(r.recent):
		r.recent = append(r.recent, *rec)
		r.next = len(r.recent) % cap(r.recent)
	default:
		r.recent[r.next] = *rec
		r.next = (r.next + 1) % len(r.recent)
	}
	r.mu.Unlock()
	r.observe(rec)
}

func cutText(text string) string {
	if len(text) <= TextMaxBytes {
		return text
	}
	return strings.Clone(text[:TextMaxBytes]) // not the whole of it, which may be a message of megabytes
}
