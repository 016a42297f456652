package engine

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// What a row costs, in nanoseconds of two threads. DuckDB's are per operator of
// its plan and estimated row. They are fitted to what trireme bench coverage
// --split tune measured: half of all statements lie between 0.5 and 1.6 times their
// time on DuckDB and between 0.6 and 1.6 times that of loading and executing
// natively. pace corrects them for the machine.
const (
	scanNs       = 2.0   // per column of a scan
	probeNs      = 5.0   // of a hash join's probe side
	buildNs      = 150.0 // of its build side
	joinedNs     = 4.0   // of its result
	pairNs       = 1.0   // of the pairs that a join without equality compares
	groupNs      = 30.0
	smallGroupNs = 6.0 // grouping by an array of all keys
	sortNs       = 60.0
	windowNs     = 150.0
	otherNs      = 0.5
	duckStartNs  = 5_000_000.0 // of any statement

	factsNs      = 37.0                  // native: statistics, per row and column of a table
	loadNumberNs = 50.0                  // making a tensor, per row that predicates keep and column
	loadTextNs   = 105.0                 // of a type that has a dictionary
	workNs       = 8.0                   // executing, per row of a tensor
	visitNs      = 2.4                   // and at most, per row of DuckDB's joins
	visitMax     = 5e7                   // of which native never has more: it aggregates before
	repeatNs     = 12.0                  // native: repeating a row that was counted, beside what DuckDB does with it
	conditionNs  = stats.ConditionNs / 2 // and per pair that a condition is evaluated for, on two threads
	nativeStart  = 20_000_000.0
	startRows    = 1_000_000.0 // rows of tensors from which a statement has all of nativeStart; with fewer it has a part
)

// planNode is an operator of DuckDB's EXPLAIN (FORMAT JSON).
type planNode struct {
	Name     string                     `json:"name"`
	Children []*planNode                `json:"children"`
	Extra    map[string]json.RawMessage `json:"extra_info"`
}

// parsePlan reads DuckDB's EXPLAIN (FORMAT JSON).
func parsePlan(text string) ([]*planNode, error) {
	var out []*planNode
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		return nil, sqlerr.Wrap(sqlerr.InternalError, err)
	}
	for _, n := range out {
		n.trim()
	}
	return out, nil
}

// trim removes the blanks with which DuckDB pads some names.
func (n *planNode) trim() {
	n.Name = strings.TrimSpace(n.Name)
	for _, c := range n.Children {
		c.trim()
	}
}

// strings are the values of a field, which is a text or a list of texts.
func (n *planNode) strings(field string) []string {
	var one string
	if json.Unmarshal(n.Extra[field], &one) == nil {
		return []string{one}
	}
	var list []string
	if json.Unmarshal(n.Extra[field], &list) == nil {
		return list
	}
	return nil
}

// rows is DuckDB's estimate of an operator's rows; where it gives none, those of
// the children, and 1 of an aggregate without groups.
func (n *planNode) rows() float64 {
	if s := n.strings("Estimated Cardinality"); len(s) == 1 {
		if f, err := strconv.ParseFloat(s[0], 64); err == nil {
			return f
		}
	}
	if n.Name == "UNGROUPED_AGGREGATE" {
		return 1
	}
	most := 0.0
	for _, c := range n.Children {
		most = max(most, c.rows())
	}
	return most
}

// gatheredRows is how many rows the outermost aggregations of a plan have.
func gatheredRows(plan []*planNode) (sum float64) {
	for _, n := range plan {
		if strings.HasSuffix(n.Name, "GROUP_BY") || strings.HasSuffix(n.Name, "AGGREGATE") {
			for _, c := range n.Children {
				sum += c.rows()
			}
			continue
		}
		sum += gatheredRows(n.Children)
	}
	return sum
}

// costing sums up what the operators of a plan cost.
type costing struct {
	tableRows func(name string) (float64, bool)
	// columnType is the type of a table's column; Invalid: not known.
	columnType func(table, column string) rows.Type
	// byParts: what DuckDB joins by any condition are joins of equalities to native.
	byParts  bool
	loads    []string // scans that have been counted for native
	joined   float64  // rows of all joins by equalities
	compared float64  // of those by orders: loops have bounds, but all of them are visited
	guarded  float64  // pairs that a condition is evaluated for
	kept     float64  // rows of all tensors
	out      estimate
}

// estimatePlan says what DuckDB's plan and native's loads cost, for a query whose joins by a
// disjunction native makes by parts or not. It takes what DuckDB estimates for granted.
func estimatePlan(plan []*planNode, byParts bool, tableRows func(string) (float64, bool), columnType func(table, column string) rows.Type) estimate {
	c := &costing{tableRows: tableRows, columnType: columnType, byParts: byParts}
	c.out.duck = duckStartNs
	for _, n := range plan {
		c.add(n)
	}
	c.out.work += nativeStart * min(1, c.kept/startRows)
	c.out.most = c.out.work + min(c.joined, visitMax)*visitNs + c.compared*visitNs + c.guarded*conditionNs
	return c.out
}

func (c *costing) add(n *planNode) {
	for _, child := range n.Children {
		c.add(child)
	}
	in := func(i int) float64 {
		if i < len(n.Children) {
			return n.Children[i].rows()
		}
		return 0
	}
	switch {
	case strings.HasSuffix(n.Name, "SCAN"):
		c.scan(n)
	case n.Name == "HASH_JOIN" || strings.HasSuffix(n.Name, "DELIM_JOIN"):
		c.out.duck += in(0)*probeNs + in(1)*buildNs + n.rows()*joinedNs
		c.joined += n.rows()
	case n.Name == "CROSS_PRODUCT":
		c.out.duck += max(in(0), 1)*max(in(1), 1)*pairNs + n.rows()*joinedNs
		c.joined += n.rows()
	case n.Name == "BLOCKWISE_NL_JOIN": // by any condition
		pairs := max(in(0), 1) * max(in(1), 1)
		c.out.duck += pairs*pairNs + n.rows()*joinedNs
		if c.byParts {
			c.joined += n.rows()
		} else {
			c.guarded += pairs
		}
	case strings.HasSuffix(n.Name, "JOIN"):
		c.out.duck += max(in(0), 1)*max(in(1), 1)*pairNs + n.rows()*joinedNs
		c.compared += n.rows()
	case n.Name == "PERFECT_HASH_GROUP_BY":
		c.out.duck += in(0) * smallGroupNs
	case strings.HasSuffix(n.Name, "GROUP_BY"):
		c.out.duck += in(0) * groupNs
	case n.Name == "ORDER_BY":
		c.out.duck += in(0) * sortNs
	case strings.HasSuffix(n.Name, "WINDOW"):
		c.out.duck += in(0) * windowNs
	default:
		c.out.duck += in(0) * otherNs
	}
}

// scan counts a scan for DuckDB, and for native unless the tensor is that of a
// scan before.
func (c *costing) scan(n *planNode) {
	kept := n.rows()
	table := n.strings("Table")
	columns := n.strings("Projections")
	filters := n.strings("Filters")
	if len(table) != 1 {
		c.out.duck += kept * otherNs
		return
	}
	all, ok := c.tableRows(table[0])
	all = max(all, kept)
	if !ok {
		all = kept
	}
	read := float64(len(columns) + len(filters))
	c.out.duck += all*scanNs*max(1, float64(len(filters))) + kept*scanNs*float64(len(columns))
	slices.Sort(columns)
	key := strings.Join(slices.Concat(table, []string{""}, columns, []string{""}, filters), "\x00")
	c.out.work += kept * workNs
	if slices.Contains(c.loads, key) {
		return
	}
	c.loads = append(c.loads, key)
	c.kept += kept
	c.out.load += all * factsNs * read
	for _, column := range columns {
		switch t := c.columnType(table[0], column); t.ID {
		case rows.Varchar, rows.Blob, rows.UUID, rows.Enum, rows.Interval:
			c.out.load += kept * loadTextNs
		default:
			c.out.load += kept * loadNumberNs
		}
	}
}
