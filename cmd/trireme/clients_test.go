package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Each client goes through the same steps on a server of its own process: those
// of Go here, the others as programs of testdata/clients. What they passed is
// kept in testdata/clients/matrix.json, of which README shows the table.
var rewriteClients = flag.Bool("clients.rewrite", false, "write what the clients passed, and README's table of it")

const (
	clientsFolder = "../../testdata/clients"
	clientsMatrix = clientsFolder + "/matrix.json"
	clientsBegin  = "<!-- clients -->\n"
	clientsEnd    = "<!-- end of clients -->\n"
	toolsBegin    = "<!-- tools -->\n"
	toolsEnd      = "<!-- end of tools -->\n"
)

// clientSteps are the columns of the table.
var clientSteps = []struct{ name, title string }{
	{"connect", "connect"},
	{"create", "create"},
	{"load", "load"},
	{"copy", "COPY"},
	{"tensors", "tensors"},
	{"prepared", "parameters by type"},
	{"stream", "1M rows streamed"},
	{"cancel", "cancel, timeout"},
	{"errors", "errors, transactions"},
	{"metadata", "metadata"},
}

// clientReport is what a client is and which steps it passed. A tool has steps of its own.
type clientReport struct {
	Client  string   `json:"client"`
	Version string   `json:"version"`
	Tool    bool     `json:"tool,omitempty"`
	Steps   []string `json:"steps"`
}

// clientRun is a client of the matrix. Its run calls report for each step.
type clientRun struct {
	name   string
	tool   bool
	steps  []string          // that it must pass
	skips  map[string]string // steps that it does not pass, and why
	absent func() string     // what is missing on this machine, or ""
	// parts: the machine has it, in the release that so many parts of its version name; 0:
	// it is pinned to its version.
	parts int
	run   func(ctx context.Context, t *testing.T, at clientServer, report func(step, failure string)) (version string)
}

// clientServer is where a client connects and the schema that is its own.
type clientServer struct{ address, schema string }

// clientPrograms are the clients that are programs of testdata/clients.
func clientPrograms() []clientRun {
	cache, err := os.UserCacheDir()
	if err != nil {
		panic(err)
	}
	cache = filepath.Join(cache, "trireme", "clients")
	python := filepath.Join(cache, "python", "bin", "python")
	modules, jar := filepath.Join(cache, "node", "node_modules"), filepath.Join(cache, "jdbc", "postgresql.jar")
	pythonRun := func(name, file string) clientRun {
		return clientProgram(name, []string{python}, python, "-B", filepath.Join(clientsFolder, "python", file))
	}
	pythonTool := func(name, file string, steps ...string) clientRun {
		c := pythonRun(name, file)
		c.tool, c.steps = true, steps
		return c
	}
	nodeTool := func(name, file string) clientRun {
		c := clientProgram(name, []string{"node", modules}, "env", "NODE_PATH="+modules, "node", filepath.Join(clientsFolder, "node", file))
		c.tool, c.steps = true, mapperSteps
		return c
	}
	gorm := clientProgram("GORM", []string{filepath.Join(cache, "gorm", "gorm")}, filepath.Join(cache, "gorm", "gorm"))
	gorm.tool, gorm.steps = true, mapperSteps
	typeORM := nodeTool("TypeORM", "typeorm.js")
	sqlx := clientProgram("sqlx", []string{filepath.Join(cache, "sqlx", "debug", "with-sqlx")}, filepath.Join(cache, "sqlx", "debug", "with-sqlx"))
	sqlx.tool, sqlx.steps = true, mapperSteps
	rails := clientProgram("Rails' Active Record", []string{"ruby"}, "ruby", filepath.Join(clientsFolder, "ruby", "rails.rb"))
	rails.tool, rails.steps, rails.parts = true, mapperSteps, 2
	absentRuby := rails.absent
	rails.absent = func() string {
		if missing := absentRuby(); missing != "" || exec.Command("ruby", "-e", "require 'active_record'; require 'pg'").Run() != nil {
			return cmp.Or(missing, "ruby-activerecord or ruby-pg")
		}
		return ""
	}
	terminal := clientProgram("psql", []string{"psql", "bash"}, "bash", filepath.Join(clientsFolder, "psql", "matrix.sh"))
	terminal.parts = 1
	alchemy := pythonRun("SQLAlchemy", "with_sqlalchemy.py")
	alchemy.skips["copy"] = "it has none of its own: the driver has"
	odbc := clientProgram("psqlODBC", []string{python, "odbcinst"}, python, "-B", filepath.Join(clientsFolder, "python", "with_odbc.py"))
	odbc.tool, odbc.parts, odbc.steps = true, 2, []string{"connect", "catalog", "write", "read", "transactions"}
	pgDump := clientProgram("pg_dump", []string{"pg_dump", "pg_restore", "bash"}, "bash", filepath.Join(clientsFolder, "dump", "matrix.sh"))
	pgDump.tool, pgDump.parts, pgDump.steps = true, 1, []string{"plain", "restore", "parts", "inserts", "table", "custom", "elsewhere"}
	fdw := clientProgram("postgres_fdw", []string{"psql", "bash"}, "bash", filepath.Join(clientsFolder, "fdw", "matrix.sh"))
	fdw.tool, fdw.parts, fdw.steps = true, 1, []string{"connect", "import", "read", "write", "analyze", "transactions"}
	for _, c := range []*clientRun{&pgDump, &fdw} { // beside a server of PostgreSQL's
		absent := c.absent
		c.absent = func() string {
			if found, err := filepath.Glob("/usr/share/postgresql/*/extension/postgres_fdw.control"); err != nil || len(found) == 0 {
				return "PostgreSQL's server"
			}
			return absent()
		}
	}
	return []clientRun{
		terminal,
		pythonRun("psycopg", "with_psycopg.py"),
		pythonRun("psycopg2", "with_psycopg2.py"),
		alchemy,
		clientProgram("node-postgres", []string{"node", modules}, "env", "NODE_PATH="+modules, "node", filepath.Join(clientsFolder, "node", "matrix.js")),
		// With this heap a million rows could not be held.
		clientProgram("JDBC", []string{"java", "javac", jar}, "java", "-Xmx40m", "-cp", jar, filepath.Join(clientsFolder, "jdbc", "Matrix.java")),
		nodeTool("Sequelize", "sequelize.js"),
		nodeTool("Knex", "knex.js"),
		typeORM,
		nodeTool("postgres.js", "postgresjs.js"),
		gorm,
		sqlx,
		rails,
		pythonTool("dbt", "with_dbt.py", "seed", "models", "incremental", "snapshot", "test", "docs", "build"),
		pythonRun("asyncpg", "with_asyncpg.py"),
		pythonTool("Alembic", "with_alembic.py", "create", "autogenerate", "upgrade", "operations", "downgrade"),
		pythonTool("Django", "with_django.py", "migrate", "schema", "crud", "queries", "documents", "savepoints", "auth", "inspectdb"),
		pythonTool("ADBC, polars", "with_adbc.py", "connect", "ingest", "query", "metadata", "frames"),
		pythonTool("ibis", "with_ibis.py", "connect", "load", "query", "tables"),
		odbc,
		pgDump,
		fdw,
		pythonTool("time filters of Superset and Metabase", "with_filters.py", "connect", "grains", "filters"),
	}
}

// mapperSteps are those of mappers of objects: they make and alter tables, write and read
// objects, nest transactions, and ask what there is.
var mapperSteps = []string{"connect", "migrate", "write", "read", "transactions", "metadata"}

// stepNames are the steps of every client.
func stepNames() []string {
	names := make([]string, len(clientSteps))
	for i, step := range clientSteps {
		names[i] = step.name
	}
	return names
}

// clientProgram is a program that gets host, port and schema as arguments and
// prints lines of JSON: its name and version, then each step.
func clientProgram(name string, needs []string, command ...string) clientRun {
	c := clientRun{name: name, steps: stepNames(), skips: map[string]string{}}
	c.absent = func() string {
		for _, need := range needs {
			_, err := os.Stat(need)
			if !filepath.IsAbs(need) {
				_, err = exec.LookPath(need)
			}
			if err != nil {
				return need
			}
		}
		return ""
	}
	c.run = func(ctx context.Context, t *testing.T, at clientServer, report func(step, failure string)) string {
		host, port, err := net.SplitHostPort(at.address)
		if err != nil {
			t.Fatal(err)
		}
		var complaints bytes.Buffer
		cmd := exec.CommandContext(ctx, command[0], slices.Concat(command[1:], []string{host, port, at.schema})...)
		cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
		cmd.Stderr = &complaints
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, complaints.String())
		}
		return readClientReport(t, out, report)
	}
	return c
}

func readClientReport(t *testing.T, out []byte, report func(step, failure string)) (version string) {
	t.Helper()
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		var line struct{ Version, Step, Error string }
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Errorf("the client printed %q: %v", lines.Text(), err)
		}
		if line.Version != "" {
			version = line.Version
		}
		if line.Step != "" {
			report(line.Step, line.Error)
		}
	}
	if err := lines.Err(); err != nil {
		t.Error(err)
	}
	return version
}

// TestClientMatrix takes every client that is installed through its steps. On a
// machine of continuous integration all must be, in the versions of the table:
// testdata/clients/install.
func TestClientMatrix(t *testing.T) {
	server := startServer(t)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	kept := readMatrix(t)
	for i, c := range append(clientPrograms(), goClients()...) {
		t.Run(c.name, func(t *testing.T) {
			if missing := c.absent(); missing != "" {
				if os.Getenv("CI") != "" {
					t.Fatalf("%s is not installed: run testdata/clients/install", missing)
				}
				t.Skipf("%s is not installed: run testdata/clients/install", missing)
			}
			seen := clientReport{Client: c.name, Tool: c.tool}
			seen.Version = c.run(ctx, t, clientServer{server.address, fmt.Sprintf("client%d", i)}, func(step, failure string) {
				if why, known := c.skips[step]; known && failure != "" {
					t.Logf("%s: %s: %s", step, why, failure)
					return
				}
				if failure != "" {
					t.Errorf("%s: %s", step, failure)
					return
				}
				seen.Steps = append(seen.Steps, step)
			})
			seen.Version = inRelease(seen.Version, c.parts)
			checkClient(t, c, seen)
			kept = compareClient(t, c, kept, seen)
		})
	}
	if *rewriteClients && !t.Failed() {
		writeMatrix(t, kept)
	}
}

// inRelease are the first parts of a version; 0: all.
func inRelease(version string, parts int) string {
	all := strings.Split(version, ".")
	if parts == 0 || parts > len(all) {
		return version
	}
	return strings.Join(all[:parts], ".")
}

// checkClient requires that every step was passed but for those that the client has not.
func checkClient(t *testing.T, c clientRun, seen clientReport) {
	t.Helper()
	for _, step := range c.steps {
		switch _, skipped := c.skips[step]; {
		case skipped && slices.Contains(seen.Steps, step):
			t.Errorf("%s passes, and is said not to", step)
		case !skipped && !slices.Contains(seen.Steps, step):
			t.Errorf("%s was not passed", step)
		}
	}
}

// compareClient compares what was seen with what is kept of the client.
func compareClient(t *testing.T, c clientRun, kept []clientReport, seen clientReport) []clientReport {
	t.Helper()
	at := slices.IndexFunc(kept, func(r clientReport) bool { return r.Client == seen.Client })
	switch {
	case *rewriteClients && at < 0:
		return append(kept, seen)
	case *rewriteClients:
		kept[at] = seen
		return kept
	case at < 0:
		t.Errorf("%s does not know %s; run make clients", clientsMatrix, seen.Client)
		return kept
	}
	want := kept[at]
	if c.parts > 0 && os.Getenv("CI") == "" && want.Version != seen.Version {
		t.Logf("this machine has %s %s, the table says %s", c.name, seen.Version, want.Version)
		want.Version = seen.Version
	}
	if want.Version != seen.Version || !slices.Equal(want.Steps, seen.Steps) {
		t.Errorf("%s says %+v, seen was %+v; run make clients", clientsMatrix, want, seen)
	}
	return kept
}

func readMatrix(t *testing.T) []clientReport {
	t.Helper()
	raw, err := os.ReadFile(clientsMatrix)
	if errors.Is(err, os.ErrNotExist) && *rewriteClients {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var kept []clientReport
	if err := json.Unmarshal(raw, &kept); err != nil {
		t.Fatalf("%s: %v", clientsMatrix, err)
	}
	return kept
}

// writeMatrix writes what is kept, and README's table of it.
func writeMatrix(t *testing.T, kept []clientReport) {
	t.Helper()
	var text bytes.Buffer
	for i, r := range kept {
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "%s%s", []string{"[\n", ",\n"}[min(i, 1)], line)
	}
	text.WriteString("\n]\n")
	readme := readReadme(t)
	readme = strings.Replace(readme, between(t, readme, clientsBegin, clientsEnd), matrixTable(kept), 1)
	readme = strings.Replace(readme, between(t, readme, toolsBegin, toolsEnd), toolsTable(kept), 1)
	for file, content := range map[string]string{clientsMatrix: text.String(), "../../README.md": readme} {
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// matrixTable is README's table: a row per client, a column per step.
func matrixTable(kept []clientReport) string {
	var b strings.Builder
	b.WriteString("| client |")
	for _, step := range clientSteps {
		b.WriteString(" " + step.title + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(clientSteps)) + "\n")
	for _, r := range kept {
		if r.Tool {
			continue
		}
		fmt.Fprintf(&b, "| %s %s |", r.Client, r.Version)
		for _, step := range clientSteps {
			mark := "-"
			if slices.Contains(r.Steps, step.name) {
				mark = "yes"
			}
			b.WriteString(" " + mark + " |")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// toolsTable is README's table of tools: what each does here.
func toolsTable(kept []clientReport) string {
	var b strings.Builder
	b.WriteString("| tool | does |\n|---|---|\n")
	for _, r := range kept {
		if r.Tool {
			fmt.Fprintf(&b, "| %s %s | %s |\n", r.Client, r.Version, strings.Join(r.Steps, ", "))
		}
	}
	return b.String()
}

func readReadme(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// between is the text between two marks of README.
func between(t *testing.T, readme, begin, end string) string {
	t.Helper()
	_, after, begins := strings.Cut(readme, begin)
	table, _, ends := strings.Cut(after, end)
	if !begins || !ends {
		t.Fatalf("README has no marks %q and %q", begin, end)
	}
	return table
}

// README's tables are those of what the clients passed.
func TestReadmeClients(t *testing.T) {
	readme, kept := readReadme(t), readMatrix(t)
	var names []string
	for _, c := range append(clientPrograms(), goClients()...) {
		names = append(names, c.name)
	}
	for _, r := range kept {
		if !slices.Contains(names, r.Client) {
			t.Errorf("%s knows %s, which is not run any more; take its line out", clientsMatrix, r.Client)
		}
	}
	for _, c := range []struct{ got, want string }{
		{between(t, readme, clientsBegin, clientsEnd), matrixTable(kept)}, {between(t, readme, toolsBegin, toolsEnd), toolsTable(kept)},
	} {
		if c.got != c.want {
			t.Errorf("README's table of clients is\n%s\nthe kept results make it\n%s\nrun make clients", c.got, c.want)
		}
	}
}
