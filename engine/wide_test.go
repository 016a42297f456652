package engine

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/trireme-db/trireme/engine/difftest"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

var (
	wideQueries = flag.Int("wide.queries", 500, "random statements of the whole fragment that the differential test compares")
	wideSeed    = flag.Uint64("wide.seed", 1, "seed of the random statements of the whole fragment")
	wideEvery   = flag.Int("wide.every", 10, "one of so many statements of the whole fragment is asked of all backends, the others of native alone")
	wideTime    = flag.Duration("wide.time", 0, "the run over the whole fragment ends after this long; 0: after wide.queries statements")
	wideErrors  = flag.Int("wide.errors", 1, "mismatches after which the run over the whole fragment ends")
)

// TestWideQueries compares generated statements of the whole fragment: rows,
// types, NULLs and the class of errors.
func TestWideQueries(t *testing.T) {
	r := newRig(t)
	count := &wideCount{reasons: map[string]int{}, errorClasses: map[string]int{}}
	started := time.Now()
	for n := uint64(0); count.seen < *wideQueries && (*wideTime == 0 || time.Since(started) < *wideTime); n++ {
		schema, queries := difftest.GenerateWide(rand.New(rand.NewPCG(*wideSeed, n)))
		r.dropTables()
		r.script(strings.Join(schema, ";\n"))
		for i, q := range queries {
			count.seen++
			if err := r.wideQuery(q, count); err != nil {
				t.Errorf("seed %d schema %d statement %d: %v\n%s;\n%s;", *wideSeed, n, i, err, strings.Join(schema, ";\n"), q.SQL)
				if count.wrong++; count.wrong >= *wideErrors {
					return
				}
			}
		}
	}
	t.Logf("%d statements in %v, native answered %d, %d with rows; errors by class: %v; refusals:\n%s", count.seen, time.Since(started).Round(time.Second),
		count.answered, count.nonEmpty, count.errorClasses, strings.Join(sortedCounts(count.reasons), "\n"))
	if count.answered*100 < count.seen*wideAnsweredMin || count.nonEmpty*100 < count.seen*wideNonEmptyMin {
		t.Errorf("want %d%% answered and %d%% with rows", wideAnsweredMin, wideNonEmptyMin)
	}
}

// Shares of the statements, in percent, that the tensor engine answers and that
// have rows.
const (
	wideAnsweredMin = 85
	wideNonEmptyMin = 35
)

// wideCount is what a run has seen.
type wideCount struct {
	seen, answered, nonEmpty, wrong int
	reasons, errorClasses           map[string]int
}

// wideQuery compares one statement's answer, or error.
func (r *rig) wideQuery(q difftest.Query, count *wideCount) error {
	want, err := r.want(q.SQL, nil)
	if err != nil {
		return r.wideError(q, sqlerr.From(err), count)
	}
	for i, s := range settings4 {
		if i > 0 && count.seen%*wideEvery > 0 {
			continue
		}
		r.set(s)
		got, err := r.run(q.SQL, nil)
		if reason, no := refusal(err); no {
			if s.backend == Native {
				count.reasons[reason]++
				return nil
			}
			return fmt.Errorf("%s refused what native answered: %w", s.name, err)
		}
		if err == nil {
			err = difftest.Compare(want, got, difftest.CompareOptions{ToleranceAbs: q.ToleranceAbs, EqualIntervals: true})
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	count.answered++
	if len(want.Rows) > 0 {
		count.nonEmpty++
	}
	return nil
}

// wideError wants the class of the oracle's error, or a refusal.
func (r *rig) wideError(q difftest.Query, want *sqlerr.Error, count *wideCount) error {
	count.errorClasses[want.Code[:2]]++
	if want.Code == sqlerr.InternalError {
		return nil
	}
	if want.Code[:2] == "42" || want.Code[:2] == "0A" {
		return fmt.Errorf("the generator's statement is none: %w", want)
	}
	for _, s := range settings4 {
		r.set(s)
		_, err := r.run(q.SQL, nil)
		if _, no := refusal(err); no {
			continue
		}
		if err == nil || sqlerr.From(err).Code[:2] != want.Code[:2] {
			return fmt.Errorf("%s says %s, DuckDB %w", s.name, fmt.Sprint(err), want)
		}
	}
	return nil
}
