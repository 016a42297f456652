package main

import (
	"flag"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var rewritePsql = flag.Bool("psql.rewrite", false, "write what psql prints as the expected output")

// TestPsqlScripts feeds each script of testdata/clients/psql to the real psql
// on a server of its own, and compares all that it prints, errors in their
// place, with the script's .out file.
func TestPsqlScripts(t *testing.T) {
	psql, err := exec.LookPath("psql")
	if err != nil {
		t.Skip("psql is not installed")
	}
	scripts, err := filepath.Glob("../../testdata/clients/psql/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	if len(scripts) == 0 {
		t.Fatal("no scripts found")
	}
	for _, script := range scripts {
		t.Run(strings.TrimSuffix(filepath.Base(script), ".sql"), func(t *testing.T) {
			host, port, err := net.SplitHostPort(serve(t))
			if err != nil {
				t.Fatal(err)
			}
			input, err := os.Open(script)
			if err != nil {
				t.Fatal(err)
			}
			defer input.Close()
			// The script is standard input, so that errors name no path of this machine.
			cmd := exec.Command(psql, "-X", "-e", "-h", host, "-p", port, "-U", "trireme", "trireme")
			cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "PGCLIENTENCODING=UTF8")
			cmd.Stdin = input
			got, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("psql: %v\n%s", err, got)
			}
			comparePsql(t, strings.TrimSuffix(script, ".sql")+".out", string(got))
		})
	}
}

func comparePsql(t *testing.T, file, got string) {
	t.Helper()
	if *rewritePsql {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	wantLines, gotLines := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for i, line := range gotLines {
		if i >= len(wantLines) || line != wantLines[i] {
			t.Fatalf("%s:%d: psql prints\n%s\ninstead; in all:\n%s", file, i+1, line, got)
		}
	}
	if len(gotLines) < len(wantLines) {
		t.Fatalf("psql prints %d lines, want %d:\n%s", len(gotLines), len(wantLines), got)
	}
}
