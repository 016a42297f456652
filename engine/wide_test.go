package engine

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/trireme-db/trireme/engine/difftest"
)

var (
	wideQueries  = flag.Int("wide.queries", 4000, "random statements of the whole fragment that the differential test compares")
	boundQueries = flag.Int("bound.queries", 400, "random statements with bound constants that the differential test compares")
	wideSeed     = flag.Uint64("wide.seed", 1, "seed of the random statements of the whole fragment")
	wideFirst    = flag.Uint64("wide.first", 0, "number of the first random schema of the whole fragment, to go on or to repeat from")
	wideEvery    = flag.Int("wide.every", 10, "one of so many statements of the whole fragment is asked of all backends, the others of native alone; the interpreter is not asked: RandomQueries does")
	widePhase    = flag.Int("wide.phase", 20, "statements over a random schema before its data change; they change three times. A long run spends less of its time on loads with more")
	wideTime     = flag.Duration("wide.time", 0, "the run over the whole fragment ends after this long; 0: after wide.queries statements")
	wideBound    = flag.Int("wide.bound", 0, "share in percent of the statements of the whole fragment whose constants are bound as parameters")
	wideErrors   = flag.Int("wide.errors", 1, "mismatches after which the run over the whole fragment ends")
	wideWorkers  = flag.Int("wide.workers", 0, "engines that the run over the whole fragment uses at a time; 0: one per core")
	wideProgress = flag.Duration("wide.progress", 0, "how often the run over the whole fragment says how far it is; 0: never")
)

// Shares of the statements, in percent, that the tensor engine answers and that
// have rows.
const (
	wideAnsweredMin = 85
	wideNonEmptyMin = 35
)

// A run collects garbage rarely: its heap is small, and a quarter of its time went
// there.
const wideGCPercent = 800

// wideRenewed is how many schemas one engine serves: a run of hours then needs no
// more memory than one of minutes.
const wideRenewed = 20

// TestWideQueries compares generated statements of the whole fragment: rows,
// types, NULLs and the class of errors. The schemas of a seed are numbered; any
// worker takes the next one, and what it does there follows from its number alone.
func TestWideQueries(t *testing.T) { runWide(t, *wideQueries, *wideBound) }

// TestBoundQueries is TestWideQueries for statements of which constants are bound as
// parameters, of declared types and of types left open: they answer what DuckDB answers to
// the text with the constants.
func TestBoundQueries(t *testing.T) { runWide(t, *boundQueries, 100) }

func runWide(t *testing.T, queries, bound int) {
	defer debug.SetGCPercent(debug.SetGCPercent(wideGCPercent))
	run := &wideRun{count: newWideCount(), started: time.Now(), queries: queries, bound: bound}
	run.next.Store(*wideFirst)
	interrupted, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	run.interrupted = interrupted
	done := make(chan struct{})
	go run.progress(done)
	t.Run("workers", func(t *testing.T) {
		for w := range workersWanted() {
			t.Run(fmt.Sprint(w), func(t *testing.T) {
				t.Parallel()
				run.work(t)
			})
		}
	})
	close(done)
	t.Log(run.report())
	c := run.count
	switch {
	case interrupted.Err() != nil:
		t.Errorf("interrupted")
	case c.answered*100 < c.seen*wideAnsweredMin || c.nonEmpty*100 < c.seen*wideNonEmptyMin:
		t.Errorf("want %d%% answered and %d%% with rows", wideAnsweredMin, wideNonEmptyMin)
	}
}

func workersWanted() int {
	if *wideWorkers > 0 {
		return *wideWorkers
	}
	return runtime.GOMAXPROCS(0)
}

// wideRun is what the workers of a run share.
type wideRun struct {
	// queries is how many statements are compared, and bound the percentage of those
	// whose constants are bound.
	queries, bound int

	next        atomic.Uint64 // number of the next schema
	started     time.Time
	interrupted context.Context

	mu    sync.Mutex
	count *wideCount
}

// wideCount is what has been seen.
type wideCount struct {
	// seen counts statements, executed their executions that were compared: with
	// other parameters, by other backends, and again after a change of the data.
	seen, executed, answered, nonEmpty, wrong, changes int
	// avoided counts answers in place of an error that DuckDB's optimizer avoids as well.
	avoided int
	// optimizers counts errors that DuckDB's optimizer alone makes.
	optimizers int
	// taken and refused are by backend; timeouts are statements that a backend did
	// not finish.
	taken, refused, timeouts, reasons, errorClasses map[string]int
	// bound counts statements whose constants are bound, by how: with types declared or left
	// open, or why not.
	bound map[string]int
}

func newWideCount() *wideCount {
	return &wideCount{
		taken: map[string]int{}, refused: map[string]int{}, timeouts: map[string]int{}, reasons: map[string]int{}, errorClasses: map[string]int{}, bound: map[string]int{},
	}
}

func (c *wideCount) add(d *wideCount) {
	c.seen, c.executed, c.answered = c.seen+d.seen, c.executed+d.executed, c.answered+d.answered
	c.nonEmpty, c.wrong, c.changes, c.avoided = c.nonEmpty+d.nonEmpty, c.wrong+d.wrong, c.changes+d.changes, c.avoided+d.avoided
	c.optimizers += d.optimizers
	for to, from := range map[*map[string]int]map[string]int{
		&c.taken: d.taken, &c.refused: d.refused, &c.timeouts: d.timeouts, &c.reasons: d.reasons, &c.errorClasses: d.errorClasses,
		&c.bound: d.bound,
	} {
		for k, n := range maps.All(from) {
			(*to)[k] += n
		}
	}
}

// over reports whether the workers are to stop.
func (run *wideRun) over() bool {
	run.mu.Lock()
	defer run.mu.Unlock()
	return run.count.seen >= run.queries || run.count.wrong >= *wideErrors || run.interrupted.Err() != nil ||
		*wideTime > 0 && time.Since(run.started) > *wideTime
}

// work compares one schema after the other.
func (run *wideRun) work(t *testing.T) {
	var w *wideWorker
	defer func() {
		if w != nil {
			w.close()
		}
	}()
	for served := 0; !run.over(); served++ {
		if served%wideRenewed == 0 {
			if w != nil {
				w.close()
			}
			w = openWide(t)
		}
		n := run.next.Add(1) - 1
		count := newWideCount()
		rng := rand.New(rand.NewPCG(*wideSeed, n))
		schema, steps := difftest.GenerateSteps(rng, *widePhase)
		if err := bindSteps(rng, steps, run.bound); err != nil {
			t.Fatal(err)
		}
		for _, fault := range w.schema(schema, steps, count) {
			t.Errorf("seed %d schema %d %s", *wideSeed, n, fault)
		}
		run.mu.Lock()
		run.count.add(count)
		run.mu.Unlock()
	}
}

// report is what a run has done.
func (run *wideRun) report() string {
	run.mu.Lock()
	defer run.mu.Unlock()
	c, took := run.count, time.Since(run.started)
	lines := []string{
		run.line(),
		fmt.Sprintf("seed %d, schemas %d to %d, %v, %d changes of data; errors by class: %v, %d that DuckDB's optimizer avoids, and %d of its own", *wideSeed, *wideFirst, run.next.Load(), took.Round(time.Second), c.changes, c.errorClasses, c.avoided, c.optimizers),
	}
	if run.bound > 0 {
		lines = append(append(lines, "statements with bound constants:"), sortedCounts(c.bound)...)
	}
	return strings.Join(append(append(lines, "refusals of native:"), sortedCounts(c.reasons)...), "\n")
}

// line is how far a run is. The lock is held.
func (run *wideRun) line() string {
	c, seconds := run.count, time.Since(run.started).Seconds()
	return fmt.Sprintf("%d statements (%.0f/s), %d executions, native answered %d, %d with rows, %d wrong; taken %v, refused %v, timeouts %v",
		c.seen, float64(c.seen)/seconds, c.executed, c.answered, c.nonEmpty, c.wrong, c.taken, c.refused, c.timeouts)
}

// progress says how far the run is until it is done.
func (run *wideRun) progress(done chan struct{}) {
	if *wideProgress == 0 {
		return
	}
	ticker := time.NewTicker(*wideProgress)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
			run.mu.Lock()
			fmt.Println(run.line())
			run.mu.Unlock()
		}
	}
}
