package duckbackend

import (
	"container/list"
	"time"
)

// A prepared statement holds its plan, with the constants that were computed for it, up to a hundred times
// its text, or a thousand. What the statements of a connection hold together is bounded. Those that
// have not been executed for longest give their plans up, and have new ones made when they are executed again.
//
// The operators of a plan keep what they have gathered until it is executed again: groups, sorted rows,
// windows. How much that is can be told when it is freed, so a plan goes after its first execution, and after every
// one that has lasted; one that has left little stays after the next ones.

const (
	// leftBytesMax is little.
	leftBytesMax = 1 << 20
	// lasted is from how long on an execution may have left more than the one that was measured. To plan takes a
	// part of it.
	lasted = 2 * time.Millisecond
	// planBytesMax is what the plans of a connection may hold.
	planBytesMax = 64 << 20
	// plansPart: where the plans of all connections hold more than this part of the memory limit,
	// each has only its share of it.
	plansPart = 4
)

// plans are those that the statements of a connection have; guarded by its use.
type plans struct {
	order list.List // of *Stmt, the one that was used last at the end
	bytes int64
}

// hold notes that a statement's plan holds so many bytes, and that it is in use now. Others give theirs up
// for it.
func (s *Stmt) hold(bytes int64) {
	s.release()
	c, bytes := s.conn, max(bytes, s.left)
	s.bytes, s.place = bytes, c.plans.order.PushBack(s)
	c.plans.bytes += bytes
	c.db.planBytes.Add(bytes)
	for c.db.plansExceed(c.plans.bytes) && c.plans.order.Len() > 1 {
		c.plans.order.Front().Value.(*Stmt).unplan()
	}
}

// unplan gives the plan up.
func (s *Stmt) unplan() {
	s.destroy()
	s.unplanned = true
}

// ended notes that an execution has ended, which took so long.
func (s *Stmt) ended(took time.Duration) {
	if s.handle.Ptr == nil || s.stays && took < lasted {
		return
	}
	freed, _ := measured(func() error { s.unplan(); return nil })
	s.left = -freed
	if s.stays = s.left <= leftBytesMax; !s.stays {
		s.left = 0 // it goes after every execution
	}
}

// release notes that a statement has no plan any more.
func (s *Stmt) release() {
	if s.place == nil {
		return
	}
	c := s.conn
	c.plans.order.Remove(s.place)
	c.plans.bytes -= s.bytes
	c.db.planBytes.Add(-s.bytes)
	s.place = nil
}

// plansExceed reports whether a connection whose plans hold so many bytes has to give some up.
func (db *DB) plansExceed(bytes int64) bool {
	most := db.memoryLimitBytes / plansPart
	if bytes > planBytesMax || db.planBytes.Load() <= most {
		return bytes > planBytesMax
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	return bytes > most/int64(max(1, len(db.conns)))
}
