package coverage

import (
	"fmt"
	"slices"
	"strings"
)

// Entry says who answered a query.
type Entry struct {
	Name, Family string
	HeldOut      bool
	// Native: the forced native backend answered.
	Native bool
	// Auto is who answered under auto, at ScaleTest.
	Auto string
	// Reason is why native did not answer or, when it did, why auto left the query
	// to DuckDB; empty when neither.
	Reason string
}

const header = "query\tfamily\tsplit\tnative\tauto\treason"

// Format is the text of a coverage file: totals as comment lines, then a line per
// entry.
func Format(entries []Entry) string {
	var b strings.Builder
	b.WriteString("# Who answers the queries of the corpus; made by go test ./bench/coverage -rewrite. It may only improve.\n")
	for _, t := range Totals(entries) {
		fmt.Fprintf(&b, "# %s: native %d of %d (%d%%), under auto %d\n", t.Family, t.Native, t.Queries, 100*t.Native/t.Queries, t.Auto)
	}
	b.WriteString(header + "\n")
	for _, e := range entries {
		fmt.Fprintln(&b, strings.Join([]string{e.Name, e.Family, choose(e.HeldOut, "held-out", "tune"), choose(e.Native, "yes", "no"), e.Auto, e.Reason}, "\t"))
	}
	return b.String()
}

func choose(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}

// Parse reads a coverage file.
func Parse(text string) ([]Entry, error) {
	var out []Entry
	headed := false
	for number, line := range strings.Split(text, "\n") {
		switch {
		case line == "" || strings.HasPrefix(line, "# "):
			continue
		case !headed && line == header:
			headed = true
			continue
		}
		f := strings.Split(line, "\t")
		if !headed || len(f) != 6 {
			return nil, fmt.Errorf("coverage file, line %d: %q is no entry", number+1, line)
		}
		out = append(out, Entry{Name: f[0], Family: f[1], HeldOut: f[2] == "held-out", Native: f[3] == "yes", Auto: f[4], Reason: f[5]})
	}
	return out, nil
}

// Total counts the entries of a family.
type Total struct {
	Family  string // "all" for the last
	Queries int
	Native  int // answered by the forced native backend
	Auto    int // not left to DuckDB under auto
}

// Totals counts by family, in order of appearance, and all together at the end.
func Totals(entries []Entry) []Total {
	var out []Total
	all := Total{Family: "all"}
	for _, e := range entries {
		i := slices.IndexFunc(out, func(t Total) bool { return t.Family == e.Family })
		if i < 0 {
			i = len(out)
			out = append(out, Total{Family: e.Family})
		}
		for _, t := range []*Total{&out[i], &all} {
			t.Queries++
			if e.Native {
				t.Native++
			}
			if e.Auto != "duckdb" {
				t.Auto++
			}
		}
	}
	return append(out, all)
}

// Change is what became of queries between two coverage files.
type Change struct {
	// Lost were native before and are not now, or are gone.
	Lost []string
	// Won are native now and were not, or are new.
	Won []string
}

// Compare tells what changed; a query that is gone and was native is lost, so that
// the corpus cannot be thinned out in silence.
func Compare(before, now []Entry) Change {
	native := func(entries []Entry) map[string]bool {
		m := map[string]bool{}
		for _, e := range entries {
			if e.Native {
				m[e.Name] = true
			}
		}
		return m
	}
	had, has := native(before), native(now)
	var c Change
	for _, e := range before {
		if had[e.Name] && !has[e.Name] {
			c.Lost = append(c.Lost, e.Name)
		}
	}
	for _, e := range now {
		if has[e.Name] && !had[e.Name] {
			c.Won = append(c.Won, e.Name)
		}
	}
	return c
}

// Reason is why queries were not taken, and how many.
type Reason struct {
	Text    string
	Queries int
}

// Reasons counts the reasons of queries that native did not answer, the most
// frequent first.
func Reasons(entries []Entry) []Reason {
	var out []Reason
	for _, e := range entries {
		if e.Native {
			continue
		}
		i := slices.IndexFunc(out, func(r Reason) bool { return r.Text == e.Reason })
		if i < 0 {
			i = len(out)
			out = append(out, Reason{Text: e.Reason})
		}
		out[i].Queries++
	}
	slices.SortStableFunc(out, func(a, b Reason) int { return b.Queries - a.Queries })
	return out
}
