package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

var (
	crashRounds = flag.Int("crash.rounds", 3, "how often TestCrash kills the server")
	crashSeed   = flag.Uint64("crash.seed", 1, "of the moments at which it does")
)

// crashWriters write at the same time, each its own rows.
const crashWriters = 4

// crashWriter writes rows (writer, n) for n = 1, 2, ...: one into each of two
// tables, in one transaction.
type crashWriter struct {
	id           int
	tried, acked int
}

// write goes on until the server is gone.
func (w *crashWriter) write(ctx context.Context, address string) {
	conn, err := pgx.Connect(ctx, "postgres://trireme@"+address+"/trireme?sslmode=disable")
	if err != nil {
		return
	}
	defer conn.Close(ctx)
	for {
		w.tried++
		batch := fmt.Sprintf("BEGIN; INSERT INTO a VALUES (%d, %d); INSERT INTO b VALUES (%d, %d); COMMIT", w.id, w.tried, w.id, w.tried)
		if _, err := conn.Exec(ctx, batch); err != nil {
			return // the moment of the crash: whether it was written is to be seen
		}
		w.acked = w.tried
	}
}

// load writes, reads on tensors and checkpoints until the server is killed.
func crashLoad(t *testing.T, s *server, writers []*crashWriter, after time.Duration) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var busy sync.WaitGroup
	for _, w := range writers {
		busy.Go(func() { w.write(ctx, s.address) })
	}
	for _, sql := range []string{"CHECKPOINT", "SELECT count(*) FROM a JOIN b ON a.writer = b.writer AND a.n = b.n"} {
		busy.Go(func() {
			conn, err := pgx.Connect(ctx, "postgres://trireme@"+s.address+"/trireme?sslmode=disable")
			if err != nil {
				return
			}
			defer conn.Close(ctx)
			for err == nil {
				_, err = conn.Exec(ctx, sql)
			}
		})
	}
	time.Sleep(after)
	if err := s.cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	<-s.finished
	_ = s.cmd.Wait() // it was killed
	busy.Wait()
}

// verify checks that what was acknowledged is there, that nothing is there that
// nobody wrote, that transactions are whole, and that the first query is right on
// every backend.
func crashVerify(t *testing.T, s *server, writers []*crashWriter) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, "postgres://trireme@"+s.address+"/trireme?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	total := int64(0)
	var first int64
	if err := conn.QueryRow(ctx, "SELECT count(*) FROM a JOIN b ON a.writer = b.writer AND a.n = b.n").Scan(&first); err != nil {
		t.Fatalf("the first query: %v", err)
	}
	for _, w := range writers {
		for _, table := range []string{"a", "b"} {
			var n, distinct, most int
			err := conn.QueryRow(ctx, "SELECT count(*), count(DISTINCT n), coalesce(max(n), 0) FROM "+table+" WHERE writer = $1", w.id).Scan(&n, &distinct, &most)
			if err != nil {
				t.Fatal(err)
			}
			if n != distinct || n != most || n < w.acked || n > w.tried {
				t.Fatalf("writer %d: table %s has %d rows, %d distinct, up to %d; %d were acknowledged of %d", w.id, table, n, distinct, most, w.acked, w.tried)
			}
			if table == "a" {
				total += int64(n)
				w.acked, w.tried = n, n // go on from here
			} else if n != w.acked {
				t.Fatalf("writer %d: half a transaction: %d rows in a, %d in b", w.id, w.acked, n)
			}
		}
	}
	for _, backend := range []string{"native", "decomposed", "duckdb"} {
		var n int64
		if _, err := conn.Exec(ctx, "SET trireme.backend = '"+backend+"'"); err != nil {
			t.Fatal(err)
		}
		if err := conn.QueryRow(ctx, "SELECT count(*) FROM a JOIN b ON a.writer = b.writer AND a.n = b.n").Scan(&n); err != nil || n != total || first != total {
			t.Fatalf("%s counts %d pairs, the first query %d, there are %d: %v", backend, n, first, total, err)
		}
	}
}

// The server is killed under load, again and again, on one file.
func TestCrash(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	if _, err := trireme(t, "", "query", "--db", path, "CREATE TABLE a (writer INTEGER, n INTEGER); CREATE TABLE b (writer INTEGER, n INTEGER)"); err != nil {
		t.Fatal(err)
	}
	var writers []*crashWriter
	for i := range crashWriters {
		writers = append(writers, &crashWriter{id: i})
	}
	random := rand.New(rand.NewPCG(*crashSeed, 0))
	for round := range *crashRounds {
		s := startServer(t, "--db", path)
		if round > 0 {
			crashVerify(t, s, writers)
		}
		crashLoad(t, s, writers, time.Duration(100+random.IntN(900))*time.Millisecond)
	}
	crashVerify(t, startServer(t, "--db", path), writers)
	for _, w := range writers {
		t.Logf("writer %d: %d transactions after %d crashes", w.id, w.acked, *crashRounds)
	}
}

// CHECKPOINT runs while others read and write, and fails none of them.
func TestOnlineCheckpoint(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s := startServer(t, "--db", filepath.Join(t.TempDir(), "a.db"))
	setup := connect(t, s.address)
	if _, err := setup.Exec(ctx, "CREATE TABLE a (x INTEGER)"); err != nil {
		t.Fatal(err)
	}
	const times = 50
	failed := make(chan error, 3)
	for _, sql := range []string{"INSERT INTO a VALUES (1)", "SELECT count(*) FROM a p JOIN a q ON p.x = q.x", "CHECKPOINT"} {
		conn := connect(t, s.address)
		go func() {
			var err error
			for i := 0; i < times && err == nil; i++ {
				if _, err = conn.Exec(ctx, sql); err != nil {
					err = fmt.Errorf("%s: %w", sql, err)
				}
			}
			failed <- err
		}()
	}
	for range 3 {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	var n int
	if err := setup.QueryRow(ctx, "SELECT count(*) FROM a").Scan(&n); err != nil || n != times {
		t.Errorf("%d rows, %v", n, err)
	}
}
