package duckbackend

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
)

// DuckDB joins two relations at a time and knows nothing of how the columns of a
// cyclic pattern depend on each other: in a step of many operands it picks joins
// whose results are thousands of times too large. Two measures help. Operands are
// restricted first, which makes every order good enough where labels are
// selective, and cyclic steps are joined in our order.

// restrict replaces required operands by the rows of them that can join with
// operands known to be few: tensors at constants, loads with a predicate, earlier
// steps over such, and then with operands restricted before. This is the forward
// pass of a full reducer (Yannakakis 1981), continued through cycles, where it
// reduces without being complete. The filtering operands stay in the join.
//
// Condition: the step is an inner join of its required operands, so a row that
// has no partner in one of them is in no row of the join. It is not valid for an
// operand that may be absent: with R = sum(i) A(i)*if0(B(i),1), restricting A to B
// would lose the i that B lacks.
//
// With two operands, or where one has all indices of the others, the join costs
// no more than the restriction.
func (s *stepSQL) restrict() {
	if !s.multiway() {
		return
	}
	var done, reach uint64 // operands that restrict; their indices
	for o, op := range s.operands {
		if s.given(o) && op.filtered {
			done |= 1 << o
			reach |= s.body.Operands[o].Set
		}
	}
	for {
		best, most := -1, 0
		for o, op := range s.body.Operands {
			if n := bits.OnesCount64(op.Set & reach); s.given(o) && done>>o&1 == 0 && n > most {
				best, most = o, n
			}
		}
		if best < 0 {
			return
		}
		s.operands[best].relation = s.restricted(best, done)
		done |= 1 << best
		reach |= s.body.Operands[best].Set
	}
}

// multiway reports whether at least three operands are required, of which two
// have indices that no other one covers.
func (s *stepSQL) multiway() bool {
	required, maximal := 0, 0
	for o, op := range s.body.Operands {
		if !s.given(o) {
			continue
		}
		required++
		covered := false
		for p, other := range s.body.Operands {
			if p != o && s.given(p) && op.Set&^other.Set == 0 && (op.Set != other.Set || p < o) {
				covered = true
			}
		}
		if !covered {
			maximal++
		}
	}
	return required >= 3 && maximal >= 2
}

// restricted returns operand o restricted by operands in done.
func (s *stepSQL) restricted(o int, done uint64) *relation {
	base := s.operands[o].relation
	text := "SELECT a.*\nFROM " + load.Quote(base.name) + " AS a"
	needs := []*relation{base}
	seen := map[string]bool{}
	for _, p := range s.filters(o, done) {
		join := s.semiJoin(o, p, "b")
		if seen[join] {
			continue // T(i) restricts E(i,j) and E(i,k) alike
		}
		seen[join] = true
		text += s.semiJoin(o, p, "b"+strconv.Itoa(len(seen)))
		needs = append(needs, s.operands[p].relation)
	}
	if r, ok := s.d.derived[text]; ok {
		return r
	}
	for _, n := range needs {
		n.shared = true
	}
	r := &relation{
		name: unused(base.name, s.d.names), keys: base.keys, types: base.types, nullable: base.nullable,
		leaves: base.leaves, used: base.used, filtered: true, text: text, needs: needs,
	}
	s.d.derived[text] = r
	return r
}

// filters chooses from done what restricts operand o: all operands that have no
// other index, those that share several, which say more than one for each, and
// for each index still left the narrowest one that has it.
func (s *stepSQL) filters(o int, done uint64) []int {
	set := s.body.Operands[o].Set
	var out []int
	var covered uint64
	take := func(p int, shared uint64) {
		out = append(out, p)
		covered |= shared
		done &^= 1 << p
	}
	for p, other := range s.body.Operands {
		shared := other.Set & set
		if done>>p&1 != 0 && shared != 0 && (other.Set&^set == 0 || bits.OnesCount64(shared) > 1) {
			take(p, shared)
		}
	}
	for {
		narrowest := -1
		for p, other := range s.body.Operands {
			if done>>p&1 != 0 && other.Set&set&^covered != 0 &&
				(narrowest < 0 || bits.OnesCount64(other.Set) < bits.OnesCount64(s.body.Operands[narrowest].Set)) {
				narrowest = p
			}
		}
		if narrowest < 0 {
			return out
		}
		take(narrowest, s.body.Operands[narrowest].Set&set)
	}
}

// semiJoin renders the clause that keeps the rows of operand o, called a, with a
// partner in operand p.
func (s *stepSQL) semiJoin(o, p int, alias string) string {
	var conds []string
	for m, x := range s.operands[o].idxs {
		if n := slices.Index(s.operands[p].idxs, x); n >= 0 {
			conds = append(conds, alias+"."+s.operands[p].keys[n]+s.equal(x)+"a."+s.operands[o].keys[m])
		}
	}
	return "\nSEMI JOIN " + load.Quote(s.operands[p].name) + " AS " + alias + " ON " + strings.Join(conds, " AND ")
}

// cyclic reports whether the required operands form a cycle: whether anything is
// left of them when indices of one operand and operands covered by another one
// are removed again and again (Graham; Yu and Ozsoyoglu).
func (s *stepSQL) cyclic() bool {
	var sets []uint64
	for o, op := range s.body.Operands {
		if s.given(o) {
			sets = append(sets, op.Set)
		}
	}
	for changed := true; changed && len(sets) > 1; {
		changed = false
		var once, more uint64
		for _, set := range sets {
			more |= once & set
			once |= set
		}
		for i := 0; i < len(sets); i++ {
			set := sets[i] & more
			changed = changed || set != sets[i]
			sets[i] = set
		}
		for i := 0; i < len(sets); i++ {
			if coveredByOther(sets, i) {
				sets = slices.Delete(sets, i, i+1)
				changed = true
				i--
			}
		}
	}
	return len(sets) > 1
}

func coveredByOther(sets []uint64, i int) bool {
	for j, other := range sets {
		if j != i && sets[i]&^other == 0 {
			return true
		}
	}
	return false
}

// nextInOrder returns the operand to be joined next: first those that bring no
// new index, which only take rows away; else of those that bring fewest the one
// after which most others bring none. It starts at an earlier step's table, and
// prefers restricted operands.
func (s *stepSQL) nextInOrder(placed []bool) int {
	var have uint64
	started := false
	for o, op := range s.body.Operands {
		if placed[o] {
			have |= op.Set
			started = true
		}
	}
	best := -1
	var most []int
	for o, op := range s.body.Operands {
		if placed[o] || !s.given(o) {
			continue
		}
		if started && op.Set&^have == 0 {
			return o
		}
		connected, closed := 0, 0
		if op.Set&have != 0 {
			connected = 1
		}
		for p, other := range s.body.Operands {
			if s.given(p) && !placed[p] && other.Set&^(have|op.Set) == 0 {
				closed++
			}
		}
		score := []int{connected, -bits.OnesCount64(op.Set &^ have), closed, s.fewness(o)}
		if !started {
			score = []int{s.fewness(o), closed}
		}
		if best < 0 || slices.Compare(score, most) > 0 {
			best, most = o, score
		}
	}
	return best
}

// fewness ranks operands by how few rows they are likely to have.
func (s *stepSQL) fewness(o int) int {
	r := s.operands[o].relation
	switch {
	case !r.filtered:
		return 0
	case r.spec == nil && r.text == "":
		return 2
	default:
		return 1
	}
}
