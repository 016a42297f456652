package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/trireme-db/trireme/internal/slt"
)

var (
	sltPublicDir   = flag.String("slt.dir", "", "run all files of the sqllogictest format in this folder")
	sltWorkDir     = flag.String("slt.workdir", "", "folder in which the server runs, for relative paths (default: slt.dir)")
	sltDialect     = flag.String("slt.dialect", "duckdb", "dialect of the files: duckdb or sqlite")
	sltBackend     = flag.String("slt.backend", "auto", "backend that is asked for")
	sltSetup       = flag.String("slt.setup", "", "statement that every connection begins with")
	sltOutput      = flag.String("slt.output", "", "file for the table, besides the test's output")
	sltFileTimeout = flag.Duration("slt.timeout", 30*time.Second, "how long one file may take")
	sltEvery       = flag.Int("slt.every", 1, "run one file of so many")
	sltParallel    = flag.Int("slt.parallel", 2, "files at a time")
)

// sltReasons is how many reasons the table lists.
const sltReasons = 60

// ownProcess runs each server as a process of its own, so that one that crashes
// ends one file.
type ownProcess struct {
	dir  string // where it runs; its files are open
	temp string // open too, where the database is in memory
	cmd  *exec.Cmd
	gone chan error
}

func (s *ownProcess) Start(_ context.Context, path string) (string, error) {
	if err := s.Stop(); err != nil {
		return "", err
	}
	args := []string{"serve", "--listen", "127.0.0.1:0", "--threads", "2", "--memory-limit", "2GB", "--drain", "1s", "--allow-files", s.dir}
	if path == "" {
		args = append(args, "--allow-files", s.temp)
	} else { // which may not lie in a directory that is open
		args = append(args, "--db", path)
	}
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env, cmd.Dir = append(os.Environ(), asCommand+"=1"), s.dir
	output, err := cmd.StderrPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	r := bufio.NewReader(output)
	line, err := r.ReadString('\n')
	_, rest, ok := strings.Cut(line, "listening on ")
	if !ok {
		more, _ := io.ReadAll(r)
		return "", errors.Join(fmt.Errorf("the server said %q%s", line, more), err, cmd.Wait())
	}
	s.cmd, s.gone = cmd, make(chan error, 1)
	go func() {
		_, _ = io.Copy(io.Discard, r)
		s.gone <- cmd.Wait()
	}()
	return strings.Fields(rest)[0], nil
}

// Stop ends the server, by force if it does not follow.
func (s *ownProcess) Stop() error {
	if s.cmd == nil {
		return nil
	}
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // it may have crashed
	select {
	case <-s.gone:
	case <-time.After(5 * time.Second):
		_ = s.cmd.Process.Kill()
		<-s.gone
	}
	s.cmd = nil
	return nil
}

// TestPublicSuites runs a folder of files that are not ours and prints a table;
// what fails there does not fail the test. The files are named by flags, so that
// an ordinary run skips it: make slt-public DIR=... .
func TestPublicSuites(t *testing.T) {
	if *sltPublicDir == "" {
		t.Skip("no folder is given with -slt.dir")
	}
	dialect, err := slt.ParseDialect(*sltDialect)
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	err = filepath.WalkDir(*sltPublicDir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".test") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	report := slt.NewReport()
	var mu sync.Mutex
	var workers sync.WaitGroup
	next := make(chan string)
	for range *sltParallel {
		workers.Go(func() {
			for file := range next {
				o := runPublic(t, file, dialect)
				name, err := filepath.Rel(*sltPublicDir, file)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				report.Add(filepath.ToSlash(name), o)
				for _, f := range o.Failures {
					t.Logf("%s:%d: %s\n%s", name, f.Line, f.Reason, f.SQL)
				}
				mu.Unlock()
			}
		})
	}
	for i, file := range files {
		if i%*sltEvery == 0 {
			next <- file
		}
	}
	close(next)
	workers.Wait()
	var table strings.Builder
	if err := report.Write(&table, sltReasons); err != nil {
		t.Fatal(err)
	}
	fmt.Print(table.String())
	if *sltOutput != "" {
		if err := os.WriteFile(*sltOutput, []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func runPublic(t *testing.T, file string, dialect slt.Dialect) slt.Outcome {
	t.Helper()
	failed := func(err error) slt.Outcome {
		return slt.Outcome{Failures: []slt.Failure{{Reason: err.Error()}}}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return failed(err)
	}
	records, err := slt.Parse(file, string(text), dialect)
	if err != nil {
		return failed(fmt.Errorf("unreadable: %w", err))
	}
	temp, err := os.MkdirTemp("", "slt")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(temp) }()
	work := *sltWorkDir
	if work == "" {
		work = *sltPublicDir
	}
	server := &ownProcess{dir: work, temp: temp}
	defer func() { _ = server.Stop() }()
	ctx, cancel := context.WithTimeout(t.Context(), *sltFileTimeout)
	defer cancel()
	opts := slt.Options{
		Dialect: dialect, Backend: *sltBackend, TempDir: temp, WorkDir: work, ToleranceRel: 0.01,
		StopAtFirst: true, SkipInternals: true, Answerers: true,
	}
	if *sltSetup != "" {
		opts.Setup = []string{*sltSetup}
	}
	o, err := slt.Run(ctx, server, records, opts)
	switch {
	case ctx.Err() != nil:
		return failed(fmt.Errorf("takes longer than %s", *sltFileTimeout))
	case err != nil:
		return failed(err)
	}
	return o
}
