package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

var (
	loadTime    = flag.Duration("load", 6*time.Second, "how long the load test runs")
	loadClients = flag.Int("load.clients", 200, "connections of the load test")
)

const (
	loadAccounts = 400
	loadBalance  = 1000
	// loadWide is the number of rows of the large result.
	loadWide = 50_000
	// loadMemory is the server's --memory-limit, loadResident the most that the process
	// may ever have resident: beside the limit the program itself, the sessions, and
	// what the allocators keep.
	loadMemory   = "512MB"
	loadResident = 1 << 30
)

// load is a server under load, a process of its own, and what must hold of it.
//
//	account  amounts move between rows; in every snapshot their sum is the same
//	edge     complete graphs of 4 vertices, 12 rows by one COPY each, come and go
//	         whole: 24 triangles each
//	wide     does not change
//	ownN     rows k, loadValue(k) that only client N writes
type load struct {
	*server
	db     string
	end    time.Time
	failed atomic.Bool
	graphs atomic.Int64
	mu     sync.Mutex
	counts map[string]int // how often each thing was done
}

// loadValue is the value that stands beside a key.
func loadValue(k int64) int64 { return k * 7919 % 1_000_003 }

func (l *load) note(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts[what]++
}

// footprint is what a server holds while nobody is connected.
type footprint struct{ goroutines, sockets, files, residentMB int }

// footprint reads the server's from its metrics and from /proc.
func (l *load) footprint(t *testing.T) footprint {
	t.Helper()
	_, body := l.get(t, "/metrics")
	found := regexp.MustCompile(`(?m)^go_goroutines (\d+)$`).FindStringSubmatch(body)
	if found == nil {
		t.Fatal("the metrics do not tell the number of goroutines")
	}
	f := footprint{goroutines: loadNumber(t, found[1]), residentMB: int(l.resident(t, "VmRSS") >> 20)}
	dir := fmt.Sprintf("/proc/%d/fd", l.cmd.Process.Pid)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		target, err := os.Readlink(filepath.Join(dir, e.Name()))
		switch {
		case err != nil: // closed since
		case strings.HasPrefix(target, "socket:"):
			f.sockets++
		default:
			f.files++
		}
	}
	return f
}

func loadNumber(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// loadClient is one client and what it knows.
type loadClient struct {
	*load
	wireClient
	number  int
	rng     *rand.Rand
	backend string
	// The rows of its own table have the keys from first to last.
	first, last int64
	own         []int64 // its graphs
	graph       int64   // last made
}

func (c *loadClient) table() string { return fmt.Sprintf("own%d", c.number) }

// open connects.
func (c *loadClient) open() error {
	conn, err := pgx.Connect(context.Background(), "postgres://trireme@"+c.address+"/trireme?sslmode=disable")
	c.wireClient, c.backend = wireClient{conn}, "auto"
	return err
}

// run does one thing after another until the time is over or something is wrong.
func (c *loadClient) run(t *testing.T) {
	operations := c.operations()
	for time.Now().Before(c.end) && !c.failed.Load() {
		operation := operations[c.rng.IntN(len(operations))]
		if err := errors.Join(c.use("auto"), operation.do()); err != nil {
			c.failed.Store(true)
			t.Errorf("client %d, %s under %s: %v", c.number, operation.what, c.backend, err)
			return
		}
		c.note(operation.what)
	}
	if err := c.conn.Close(context.Background()); err != nil {
		t.Errorf("client %d: %v", c.number, err)
	}
}

// TestLoad is what a server goes through with many clients that read on tensors,
// write, copy in and out, read from cursors, cancel, run out of time and vanish.
// Every answer is checked while they do, and everything at rest in the end, where
// nothing of the clients may be left. For two minutes:
// go test ./cmd/trireme -run '^TestLoad$' -v -load 2m.
func TestLoad(t *testing.T) {
	l := newLoad(t)
	clients := make([]*loadClient, *loadClients)
	for i := range clients {
		clients[i] = &loadClient{load: l, number: i, rng: rand.New(rand.NewPCG(11, uint64(i)))}
	}
	// Once with everything before the measure: what is made once and kept is there.
	l.allAtOnce(t, clients[:1], time.Second)
	before := l.footprint(t)
	l.allAtOnce(t, clients, *loadTime)
	if t.Failed() {
		return
	}
	l.gone(t, before)
	l.atRest(t, clients)
	for _, what := range slices.Sorted(maps.Keys(l.counts)) {
		t.Logf("%6d x %s", l.counts[what], what)
	}
	highest := l.resident(t, "VmHWM")
	t.Logf("at most %d MiB resident", highest>>20)
	if highest > loadResident {
		t.Errorf("%d bytes were resident, more than %d", highest, loadResident)
	}
	l.stop(t, clients)
}

// newLoad starts the server and makes the tables.
func newLoad(t *testing.T) *load {
	t.Helper()
	db := filepath.Join(t.TempDir(), "load.db")
	l := &load{
		server: startServer(t, "--db", db, "--http", "127.0.0.1:0", "--http-pprof", "--memory-limit", loadMemory),
		db:     db, counts: map[string]int{},
	}
	setup := connect(t, l.address)
	mustExec(t, setup, "CREATE TABLE branch AS SELECT i AS id FROM range(4) r(i)")
	mustExec(t, setup, fmt.Sprintf("CREATE TABLE account AS SELECT i AS id, i %% 4 AS branch, %d AS balance FROM range(%d) r(i)", loadBalance, loadAccounts))
	mustExec(t, setup, "CREATE TABLE edge (src BIGINT, dst BIGINT, batch BIGINT)")
	mustExec(t, setup, fmt.Sprintf("CREATE TABLE wide AS SELECT i AS k, i * 7919 %% 1000003 AS v FROM range(%d) r(i)", loadWide))
	for i := range *loadClients {
		mustExec(t, setup, fmt.Sprintf("CREATE TABLE own%d (k BIGINT, v BIGINT)", i))
	}
	return l
}

// allAtOnce runs clients for a time, and until each has ended what it does.
func (l *load) allAtOnce(t *testing.T, clients []*loadClient, howLong time.Duration) {
	t.Helper()
	for _, c := range clients {
		if err := c.open(); err != nil {
			t.Fatal(err)
		}
	}
	l.end = time.Now().Add(howLong)
	var all sync.WaitGroup
	for _, c := range clients {
		all.Go(func() { c.run(t) })
	}
	all.Wait()
}

// gone waits until the server holds what it held before the clients came.
func (l *load) gone(t *testing.T, before footprint) {
	t.Helper()
	const patience = 30 * time.Second
	var now footprint
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		now = l.footprint(t)
		if now.goroutines <= before.goroutines && now.sockets <= before.sockets && now.files <= before.files {
			t.Logf("before %+v, afterwards %+v", before, now)
			return
		}
	}
	_, stacks := l.get(t, "/debug/pprof/goroutine?debug=1")
	t.Errorf("before the load the server held %+v, afterwards %+v\n%s", before, now, stacks)
}

// atRest checks all tables on every backend; none may refuse.
func (l *load) atRest(t *testing.T, clients []*loadClient) {
	t.Helper()
	c := wireClient{connect(t, l.address)}
	for _, backend := range []string{"native", "decomposed", "duckdb", "auto"} {
		if _, err := c.query("SET trireme.backend = '" + backend + "'"); err != nil {
			t.Fatal(err)
		}
		for sql, want := range map[string]string{
			balanceSQL:   fmt.Sprintf("[[%d %d]]", loadAccounts*loadBalance, loadAccounts),
			trianglesSQL: fmt.Sprintf("[[%d]]", 24*l.graphs.Load()),
		} {
			if out, err := c.query(sql); err != nil || fmt.Sprint(out) != want {
				t.Errorf("at rest, %s: %s: %v, want %s, error %v", backend, sql, out, want, err)
			}
		}
	}
	for _, client := range clients {
		client.wireClient = c
		if err := client.checkOwn(); err != nil {
			t.Errorf("at rest, client %d: %v", client.number, err)
		}
	}
}

// stop ends the server as an operator does, and reads what it has left.
func (l *load) stop(t *testing.T, clients []*loadClient) {
	t.Helper()
	if err := l.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-l.finished
	if err := l.cmd.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
	var sum, want int64
	counted := make([]string, len(clients))
	for i, c := range clients {
		counted[i] = "SELECT k, v FROM " + c.table()
		want += c.sum()
	}
	out, err := trireme(t, "", "query", "--db", l.db, "--format", "csv", "SELECT coalesce(sum(v), 0)::BIGINT AS s FROM ("+strings.Join(counted, " UNION ALL ")+")")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscanf(out, "s\n%d\n", &sum); err != nil || sum != want {
		t.Errorf("the file has %s, want %d: %v", out, want, err)
	}
}
