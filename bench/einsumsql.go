package bench

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/bench/pairwise"
	"github.com/trireme-db/trireme/optimizer/network"
)

// einsumSQL speaks of a network's tensors as tables t0, t1, .. with the columns c0, c1,
// .. of coordinates and v of values, one table for each distinct tensor.
type einsumSQL struct {
	c      *einsumCase
	tables []string // by tensor
	create []string // statements that make the tables
}

// rowsPerInsert is the number of rows of a statement that fills a table.
const rowsPerInsert = 2000

func newEinsumSQL(c *einsumCase) *einsumSQL {
	s := &einsumSQL{c: c}
	made := map[*pairwise.Tensor]string{}
	for _, t := range c.tensors {
		if made[t] == "" {
			made[t] = fmt.Sprintf("t%d", len(made))
			s.table(made[t], t)
		}
		s.tables = append(s.tables, made[t])
	}
	return s
}

func (s *einsumSQL) table(name string, t *pairwise.Tensor) {
	var columns []string
	for k := range t.Indices {
		columns = append(columns, fmt.Sprintf("c%d INTEGER", k))
	}
	s.create = append(s.create, fmt.Sprintf("CREATE TABLE %s (%s)", name, strings.Join(append(columns, "v DOUBLE"), ", ")))
	for from := 0; from < len(t.Values); from += rowsPerInsert {
		var b strings.Builder
		fmt.Fprintf(&b, "INSERT INTO %s VALUES ", name)
		for e := from; e < min(from+rowsPerInsert, len(t.Values)); e++ {
			if e > from {
				b.WriteString(", ")
			}
			b.WriteString("(")
			for k := range t.Indices {
				fmt.Fprintf(&b, "%d, ", t.Coords[k][e])
			}
			fmt.Fprintf(&b, "%v::DOUBLE)", t.Values[e])
		}
		s.create = append(s.create, b.String())
	}
}

// source is a table, or a step, as part of a join: its columns by index.
type source struct {
	table   string
	columns map[int32]string
	indices []int32
}

func (s *einsumSQL) tensor(i int) source {
	out := source{table: s.tables[i], columns: map[int32]string{}, indices: s.c.tensors[i].Indices}
	for k, x := range out.indices {
		out.columns[x] = fmt.Sprintf("c%d", k)
	}
	return out
}

// product is the SELECT of a sum of products: tables in FROM, the result's indices in
// SELECT and GROUP BY, the sum of the product, and common indices equated in WHERE.
func product(from []source, output []int32, name func(x int32) string) string {
	var tables, factors, where, columns, groups []string
	first := map[int32]string{}
	for i, f := range from {
		tables = append(tables, fmt.Sprintf("%s f%d", f.table, i))
		factors = append(factors, fmt.Sprintf("f%d.v", i))
		for _, x := range f.indices {
			column := fmt.Sprintf("f%d.%s", i, f.columns[x])
			if first[x] == "" {
				first[x] = column
				continue
			}
			where = append(where, first[x]+" = "+column)
		}
	}
	for _, x := range output {
		columns = append(columns, first[x]+" AS "+name(x))
		groups = append(groups, first[x])
	}
	value := strings.Join(factors, " * ")
	sums := len(first) > len(output)
	if sums {
		value = "SUM(" + value + ")"
	}
	sql := "SELECT " + strings.Join(append(columns, value+" AS v"), ", ") + " FROM " + strings.Join(tables, ", ")
	if len(where) > 0 {
		sql += " WHERE " + strings.Join(where, " AND ")
	}
	if sums && len(groups) > 0 {
		sql += " GROUP BY " + strings.Join(groups, ", ")
	}
	return sql
}

func columnOf(x int32) string { return fmt.Sprintf("x%d", x) }

// flat is the whole network as one SELECT.
func (s *einsumSQL) flat() string {
	var from []source
	for i := range s.c.tensors {
		from = append(from, s.tensor(i))
	}
	return product(from, s.c.output, columnOf)
}

// decomposed is a common table expression for each step of a path, materialised: DuckDB
// pushes filters into those that are only fenced by their GROUP BY, level by level, in a
// time that is exponential in their depth. Thirty tensors then take more than ten seconds
// to plan.
func (s *einsumSQL) decomposed(path *network.Path) string {
	var nodes []source
	for i := range s.c.tensors {
		nodes = append(nodes, s.tensor(i))
	}
	var steps []string
	for i, step := range path.Steps {
		var from []source
		for _, a := range step.Args {
			from = append(from, nodes[a])
		}
		sql := product(from, step.Indices, columnOf)
		made := source{table: fmt.Sprintf("s%d", i), columns: map[int32]string{}, indices: step.Indices}
		for _, x := range step.Indices {
			made.columns[x] = columnOf(x)
		}
		nodes = append(nodes, made)
		steps = append(steps, made.table+" AS MATERIALIZED ("+sql+")")
	}
	last := nodes[len(nodes)-1]
	columns := []string{}
	for _, x := range s.c.output {
		columns = append(columns, last.columns[x])
	}
	return "WITH " + strings.Join(steps, ",\n") + "\nSELECT " + strings.Join(append(columns, "v"), ", ") + " FROM " + last.table
}

// expression is the network in the notation of package einsum/expr.
func (c *einsumCase) expression() string {
	var b strings.Builder
	write := func(indices []int32) {
		for _, x := range indices {
			fmt.Fprintf(&b, "[x%d]", x)
		}
	}
	for i, t := range c.tensors {
		if i > 0 {
			b.WriteString(",")
		}
		write(t.Indices)
	}
	b.WriteString("->")
	write(c.output)
	return b.String()
}

// indices counts the indices of a network.
func (c *einsumCase) indices() int {
	var all []int32
	for _, t := range c.tensors {
		all = append(all, t.Indices...)
	}
	slices.Sort(all)
	return len(slices.Compact(all))
}
