package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestConfigPrecedence(t *testing.T) {
	path := makeFile(t, "t.yaml", "# a comment\nlog-level: error\nthreads: 3\ndrain: 7s\nmemory-limit: 1GB\n")
	t.Setenv("TRIREME_LOG_LEVEL", "warn")
	t.Setenv("TRIREME_THREADS", "4")
	out, err := trireme(t, "", "serve", "--config", path, "--print-config", "--threads", "5")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"threads: 5 # flag", "log-level: warn # environment", "drain: 7s # file", "memory-limit: 1GB # file", "backend: auto # default", "db: \":memory:\" # default"} {
		if !strings.Contains(out, want+"\n") {
			t.Errorf("no line %q in\n%s", want, out)
		}
	}
	// What is printed is a configuration that means the same.
	again, err := trireme(t, "", "serve", "--config", makeFile(t, "again.yaml", out), "--print-config", "--threads", "5", "--log-level", "warn")
	if err != nil || !strings.Contains(again, "drain: 7s # file\n") {
		t.Errorf("%v\n%s", err, again)
	}
}

func TestConfigErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"threads: 1\nnope: 2\n", `t.yaml:2: unknown key "nope"`},
		{"threads: 1\n\nthreads: 2\n", "t.yaml:3: threads: the key is there twice"},
		{"threads: many\n", `t.yaml:1: threads: invalid value "many"`},
		{"threads: [1, 2]\n", "t.yaml:1: threads: invalid value"},
		{"threads: {a: 1}\n", "t.yaml:1: threads: a value or a list is expected"},
		{"- a\n", "t.yaml:1: `key: value` is expected"},
		{"a: b: c\n", "t.yaml: yaml"},
		{"config: x\n", "unknown key"},
	} {
		_, err := trireme(t, "", "serve", "--config", makeFile(t, "t.yaml", tt.text), "--print-config")
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: error %v, want %q", tt.text, err, tt.want)
		}
	}
	if _, err := trireme(t, "", "serve", "--config", filepath.Join(t.TempDir(), "none"), "--print-config"); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a file that is not there: %v", err)
	}
	t.Setenv("TRIREME_DRAIN", "soon")
	if _, err := trireme(t, "", "serve", "--print-config"); err == nil || !strings.Contains(err.Error(), "environment variable TRIREME_DRAIN") {
		t.Errorf("a bad variable: %v", err)
	}
}

func TestReload(t *testing.T) {
	path := makeFile(t, "t.yaml", "log-level: info\nthreads: 1\n")
	s := startServer(t, "--config", path)
	conn := connect(t, s.address)
	hangup := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	hangup("log-level: debug\nslow-query: 1ns\nthreads: 2\n")
	s.wait(t, "configuration reloaded")
	if line := s.find("the new value takes effect when the server is started again"); line == nil || line["key"] != "threads" {
		t.Errorf("of threads the log says %v", line)
	}
	if err := conn.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "SELECT 4711"); err != nil {
		t.Fatal(err)
	}
	s.wait(t, "slow statement")
	hangup("log-level: loud\nslow-query: 1h\n")
	s.wait(t, "the value is not taken")
	hangup("nonsense\n")
	s.wait(t, "the configuration is not reloaded")
	if _, err := conn.Exec(t.Context(), "SELECT 1"); err != nil {
		t.Fatal(err)
	}
	s.wait(t, "statement") // the level is debug still
}
