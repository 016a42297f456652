package engine

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/trireme-db/trireme/engine/difftest"
	"github.com/trireme-db/trireme/internal/load"
)

// The search for a smaller case is bounded in time and in steps.
const (
	shrinkTime  = time.Minute
	shrinkSteps = 2000
)

// shrinkCase is a statement over tables whose rows are texts.
type shrinkCase struct {
	types  string
	tables []shrinkTable
	query  difftest.Query
}

type shrinkTable struct {
	name, create string
	rows         []string // as in VALUES
}

func (c *shrinkCase) script() []string {
	out := []string{c.types}
	for _, t := range c.tables {
		out = append(out, t.create)
		if len(t.rows) > 0 {
			out = append(out, fmt.Sprintf("INSERT INTO %s VALUES %s", load.Quote(t.name), strings.Join(t.rows, ", ")))
		}
	}
	return out
}

// shrunk is a smaller case that fails on a new engine, as text: rows, tables and
// words of the statement are left out as long as the backends and the oracle,
// which has to accept it, do not agree. What is left out may make an answer
// undetermined: the text helps to find a fault and is no proof of one.
func (w *wideWorker) shrunk(types string, q difftest.Query) string {
	c := &shrinkCase{types: types, query: q}
	if err := w.readTables(c); err != nil {
		return fmt.Sprintf("-- cannot be made smaller: %v", err)
	}
	s := &shrinker{w: openWide(w.t), until: time.Now().Add(shrinkTime), steps: shrinkSteps}
	s.w.waits(shrinkTime / 10)
	defer s.w.close()
	if !s.fails(c) {
		return "-- the statement alone over this data does not fail: it takes what ran before, on the same worker"
	}
	for before := ""; before != fmt.Sprint(c); {
		before = fmt.Sprint(c)
		s.withoutTables(c)
		s.withoutRows(c)
		s.withoutWords(c)
	}
	return fmt.Sprintf("-- smaller:\n%s;\n%s", strings.Join(c.script(), ";\n"), queryText(c.query))
}

// readTables takes the tables as the oracle has them now.
func (w *wideWorker) readTables(c *shrinkCase) error {
	tables, err := w.want("SELECT table_name, sql FROM duckdb_tables() WHERE NOT temporary ORDER BY table_name", nil)
	if err != nil {
		return err
	}
	for _, row := range tables.Rows {
		t := shrinkTable{name: row[0].(string), create: strings.TrimSuffix(row[1].(string), ";")}
		lines, err := w.want("SELECT CAST(COLUMNS(*) AS VARCHAR) FROM "+load.Quote(t.name), nil)
		if err != nil {
			return err
		}
		for _, line := range lines.Rows {
			cells := make([]string, len(line))
			for i, cell := range line {
				cells[i] = "NULL"
				if text, ok := cell.(string); ok {
					cells[i] = "'" + strings.ReplaceAll(text, "'", "''") + "'"
				}
			}
			t.rows = append(t.rows, "("+strings.Join(cells, ", ")+")")
		}
		c.tables = append(c.tables, t)
	}
	return nil
}

type shrinker struct {
	w     *wideWorker
	until time.Time
	steps int // that are left
}

// fails reports whether the backends and the oracle disagree on the case.
func (s *shrinker) fails(c *shrinkCase) bool {
	if s.steps--; s.steps < 0 || time.Now().After(s.until) {
		return false
	}
	w := s.w
	w.count = newWideCount()
	w.dropTables()
	w.script(strings.Join(c.script(), ";\n"))
	w.count.seen = 0 // a multiple of any share: all backends are asked
	err := w.query(c.query, false)
	return err != nil && !errors.Is(err, errNoStatement)
}

func (s *shrinker) withoutTables(c *shrinkCase) {
	for i := len(c.tables) - 1; i >= 0; i-- {
		saved := c.tables
		if strings.Contains(c.query.SQL, saved[i].name) {
			continue
		}
		c.tables = slices.Delete(slices.Clone(saved), i, i+1)
		if !s.fails(c) {
			c.tables = saved
		}
	}
}

func (s *shrinker) withoutRows(c *shrinkCase) {
	for n := range c.tables {
		t := &c.tables[n]
		for i := len(t.rows) - 1; i >= 0; i-- {
			saved := t.rows
			t.rows = slices.Delete(slices.Clone(saved), i, i+1)
			if !s.fails(c) {
				t.rows = saved
			}
		}
	}
}

var shrinkWord = regexp.MustCompile(`'(?:[^']|'')*'(?:::\w+)?|[\w.$]+|\s+|[^\w\s]`)

// withoutWords leaves out runs of words with as many parentheses opened as
// closed, long runs first.
func (s *shrinker) withoutWords(c *shrinkCase) {
	if len(c.query.Written) > 0 {
		return // the written texts have to lose the same words
	}
	words := shrinkWord.FindAllString(c.query.SQL, -1)
	for size := len(words) / 2; size > 0; size = size * 2 / 3 {
		for at := 0; at+size <= len(words); {
			saved := c.query.SQL
			rest := slices.Concat(words[:at], words[at+size:])
			c.query.SQL = strings.Join(rest, "")
			if balanced(words[at:at+size]) && s.fails(c) {
				words = rest
				continue
			}
			c.query.SQL = saved
			at++
		}
	}
}

// balanced reports whether a run of words may be left out: its parentheses are
// pairs, it is more than space, parameters stay, and a LIMIT does not lose its order.
func balanced(words []string) bool {
	depth := 0
	text := strings.Join(words, "")
	for _, w := range words {
		if w[0] == '$' {
			return false
		}
		switch w {
		case "(":
			depth++
		case ")":
			depth--
		}
		if depth < 0 {
			return false
		}
	}
	return depth == 0 && strings.TrimSpace(text) != "" && (!strings.Contains(text, "ORDER") || strings.Contains(text, "LIMIT"))
}
