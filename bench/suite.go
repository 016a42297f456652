package bench

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Suite is a set of cases over data sets.
type Suite struct {
	Name string
	// About is a sentence on what the suite is, for the results page.
	About string
	Data  []Dataset
	Cases []Case
	// Timeout is for one execution where neither case nor Config has a shorter one.
	Timeout time.Duration
	// Target is how many times faster than DuckDB native is meant to be in the median
	// case; 0: none.
	Target float64
	// Brief: the table shows the suite's summary and the extreme cases only.
	Brief bool
}

// Dataset is tables; each data set has a database of its own, in memory.
type Dataset struct {
	Name string
	// Load creates the tables. Errors name the file that is missing or malformed.
	Load func(ctx context.Context, db *Database) error
}

// Case is one SELECT.
type Case struct {
	Name string
	Data string // name of a Dataset
	SQL  string
	// About is a sentence on what is computed.
	About string
	// Want is the text of the answer's only cell; empty: not known beforehand.
	Want string
	// Baseline is SQL with the same answer that DuckDB is measured with where it
	// does not end SQL in time; BaselineName is the case that it is from.
	Baseline, BaselineName string
	// Timeout is for one execution; 0: the suite's.
	Timeout time.Duration
	// Target is how many times faster than DuckDB native is meant to be; 0: none.
	Target float64
	// Cause says why native is slower than DuckDB, where it is known to be.
	Cause string
	// Cold names a table: the case measures how long it takes to build the tensor
	// of it, as the time of SQL in a new database less that of a second execution.
	Cold string
}

// keep leaves only the cases that are named, in the suite's order, and the data
// sets that they use. No names: all.
func (s *Suite) keep(names []string) error {
	for _, name := range names {
		if !slices.ContainsFunc(s.Cases, func(c Case) bool { return c.Name == name }) {
			return sqlerr.New(sqlerr.InvalidParameter, "suite %s has no case %q", s.Name, name).
				WithHint("Its cases are %s.", strings.Join(s.caseNames(), ", "))
		}
	}
	if len(names) > 0 {
		s.Cases = slices.DeleteFunc(slices.Clone(s.Cases), func(c Case) bool { return !slices.Contains(names, c.Name) })
	}
	s.Data = slices.DeleteFunc(slices.Clone(s.Data), func(d Dataset) bool {
		return !slices.ContainsFunc(s.Cases, func(c Case) bool { return c.Data == d.Name })
	})
	return nil
}

func (s *Suite) caseNames() []string {
	var names []string
	for _, c := range s.Cases {
		names = append(names, c.Name)
	}
	return names
}

// of returns the cases over a data set.
func (s *Suite) of(d Dataset) []Case {
	var cases []Case
	for _, c := range s.Cases {
		if c.Data == d.Name {
			cases = append(cases, c)
		}
	}
	return cases
}
