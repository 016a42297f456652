package duckbackend

import (
	"encoding/json"
	"slices"
	"strings"
)

// DuckDB's operators are part of a prepared statement's plan. Its join by two ranges
// (1.5.6) takes its conditions out of the plan when it is executed: the second execution
// reads conditions that are not there, which is an internal error and the end of the database.
// A statement with such a join is prepared before every execution.

// usedUp says whether a plan can be executed once only.
type usedUp uint8

const (
	unknownUse usedUp = iota
	manyTimes
	once
)

// usedUpOperator is the name of the join in DuckDB's plans.
const usedUpOperator = "IE_JOIN"

// fresh makes the statement ready for another execution; it runs inside the connection's
// operation.
func (s *Stmt) fresh(args []Arg) error {
	if !s.executed || s.handle.Ptr == nil {
		return nil
	}
	if s.use == unknownUse {
		s.use = s.planUse(args)
	}
	if s.use == manyTimes {
		return nil
	}
	s.destroy()
	s.types = nil
	if err := s.prepare(s.sql); err != nil {
		return err
	}
	return s.castColumns()
}

// planUse looks at the statement's plan. One that DuckDB does not show is taken to be
// used up.
func (s *Stmt) planUse(args []Arg) usedUp {
	switch s.desc.Kind {
	case KindSelect, KindInsert, KindUpdate, KindDelete, KindMerge:
	case KindExplain, KindCreate, KindCopy, KindExecute, KindOther:
		return once
	default:
		return manyTimes
	}
	plan := &Stmt{conn: s.conn}
	defer plan.destroy()
	if plan.prepare("EXPLAIN (FORMAT JSON) "+s.sql) != nil || plan.bind(args) != nil {
		return once
	}
	cur := &Cursor{conn: s.conn, kind: KindExplain}
	defer cur.release()
	if plan.start(cur) != nil || cur.open(nil) != nil {
		return once
	}
	var text strings.Builder
	for {
		b, err := cur.fetch()
		if err != nil {
			return once
		}
		if b == nil {
			break
		}
		for i := range b.N {
			text.WriteString(b.Cols[len(b.Cols)-1].Str[i])
		}
	}
	var operators []operator
	if json.Unmarshal([]byte(text.String()), &operators) != nil || slices.ContainsFunc(operators, operator.isUsedUp) {
		return once
	}
	return manyTimes
}

// operator is one of DuckDB's EXPLAIN (FORMAT JSON).
type operator struct {
	Name     string     `json:"name"`
	Children []operator `json:"children"`
}

func (o operator) isUsedUp() bool {
	return strings.TrimSpace(o.Name) == usedUpOperator || slices.ContainsFunc(o.Children, operator.isUsedUp)
}
