package engine

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// What a row costs, in nanoseconds of two threads. DuckDB's are per operator of
// its plan and estimated row. They are orders of magnitude, compared with what
// trireme bench coverage --split tune measures; pace corrects them for the machine.
const (
	scanNs       = 1.0  // per column of a scan
	probeNs      = 8.0  // of a hash join's probe side
	buildNs      = 20.0 // of its build side
	joinedNs     = 6.0  // of its result
	pairNs       = 1.0  // of the pairs that a join without equality compares
	groupNs      = 20.0
	smallGroupNs = 4.0 // grouping by an array of all keys
	sortNs       = 60.0
	windowNs     = 150.0
	otherNs      = 1.0
	duckStartNs  = 500_000.0 // of any statement

	factsNs      = 4.0   // native: statistics, per row and column of a table
	loadNs       = 30.0  // making a tensor, per row that predicates keep
	loadNumberNs = 25.0  // and per column of it
	loadTextNs   = 150.0 // and per column of a type that has a dictionary
	workNs       = 8.0   // executing, per row of a tensor
	nativeStart  = 2_000_000.0
)

const (
	// multiplies is how many times the rows of its larger side a join has where its
	// rows are multiplied rather than looked up.
	multiplies = 2.0
	// skewTimes is how many times more rows such a join has than DuckDB's estimate,
	// which takes all values to be equally common. Patterns in the graphs of trireme
	// bench subgraph have 5 to 60 times more.
	skewTimes = 10.0
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

// costing sums up what the operators of a plan cost.
type costing struct {
	tableRows func(name string) (float64, bool)
	// columnType is the type of a table's column; Invalid: not known.
	columnType func(table, column string) rows.Type
	loads      []string // scans that have been counted for native
	skewNs     float64  // what joins that multiply rows cost beyond DuckDB's estimates
	out        estimate
}

// estimatePlan says what DuckDB's plan and native's loads cost. It takes what
// DuckDB estimates for granted, but for joins that multiply rows.
func estimatePlan(plan []*planNode, tableRows func(string) (float64, bool), columnType func(table, column string) rows.Type) estimate {
	c := &costing{tableRows: tableRows, columnType: columnType}
	c.out.plain, c.out.work = duckStartNs, nativeStart
	for _, n := range plan {
		c.add(n)
	}
	c.out.duck = c.out.plain + c.skewNs
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
		c.out.plain += in(0)*probeNs + in(1)*buildNs + n.rows()*joinedNs
		c.skewNs += c.multiplied(n) * joinedNs
	case strings.HasSuffix(n.Name, "JOIN") || n.Name == "CROSS_PRODUCT":
		c.out.plain += max(in(0), 1)*max(in(1), 1)*pairNs + n.rows()*joinedNs
	case n.Name == "PERFECT_HASH_GROUP_BY":
		c.out.plain += in(0) * smallGroupNs
	case strings.HasSuffix(n.Name, "GROUP_BY"):
		c.out.plain += in(0) * groupNs
	case n.Name == "ORDER_BY":
		c.out.plain += in(0) * sortNs
	case strings.HasSuffix(n.Name, "WINDOW"):
		c.out.plain += in(0) * windowNs
	default:
		c.out.plain += in(0) * otherNs
	}
}

// multiplied are the rows that a hash join is expected to have beyond DuckDB's
// estimate: none unless it multiplies.
func (c *costing) multiplied(n *planNode) float64 {
	larger := 1.0
	for _, child := range n.Children {
		larger = max(larger, child.rows())
	}
	if n.rows() <= multiplies*larger {
		return 0
	}
	return n.rows() * (skewTimes - 1)
}

// scan counts a scan for DuckDB, and for native unless the tensor is that of a
// scan before.
func (c *costing) scan(n *planNode) {
	kept := n.rows()
	table := n.strings("Table")
	columns := n.strings("Projections")
	filters := n.strings("Filters")
	if len(table) != 1 {
		c.out.plain += kept * otherNs
		return
	}
	all, ok := c.tableRows(table[0])
	all = max(all, kept)
	if !ok {
		all = kept
	}
	read := float64(len(columns) + len(filters))
	c.out.plain += all*scanNs*max(1, float64(len(filters))) + kept*scanNs*float64(len(columns))
	slices.Sort(columns)
	key := strings.Join(slices.Concat(table, []string{""}, columns, []string{""}, filters), "\x00")
	c.out.work += kept * workNs
	if slices.Contains(c.loads, key) {
		return
	}
	c.loads = append(c.loads, key)
	c.out.load += all*factsNs*read + kept*loadNs
	for _, column := range columns {
		switch t := c.columnType(table[0], column); t.ID {
		case rows.Varchar, rows.Blob, rows.UUID, rows.Enum, rows.Interval:
			c.out.load += kept * loadTextNs
		default:
			c.out.load += kept * loadNumberNs
		}
	}
}
