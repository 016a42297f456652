package difftest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	runMutants   = flag.Bool("mutants", false, "build every mutant and require that the differential tests kill it")
	mutantFilter = flag.String("mutants.only", "", "regular expression of the mutants to run")
)

// fixedRun is what must kill a mutant: the tests of package engine that compare
// answers with DuckDB's, with the default seed, and those of table versions.
const fixedRun = "^(TestQuotient|TestAnswersFollow.*|TestCorpus|TestStatementsMoveVersions|" +
	"TestVersionsFollowTransactions|TestExplicitTransactionPinsItsSnapshot|TestPinPrecedesBinding|TestUnions|TestRecursions|" +
	"TestRecursionOverManyValues|TestEncodedTypes|TestKeysWithTimeZone|TestFilters|TestExpressions|TestDistinctAggregates|TestMoments|TestSpreads|TestStatementsTakeTheirPath|" +
	"TestHostedSelects|TestSumsOfInfiniteProducts|TestHostedParameters|TestHostedSnapshot|TestRandomQueries|TestWideQueries)$"

// mutantTimeout bounds one run of a mutant's tests. A mutant that does not end
// is not killed: it must be replaced by one that gives a wrong answer.
const mutantTimeout = 10 * time.Minute

const moduleRoot = "../.."

// mutant is one wrong edit of the source.
type mutant struct {
	name     string
	breaks   string // what is wrong, in a line
	file     string // relative to the module's root
	killedBy string // the test that is known to fail, run before all others
	old, new string
}

// parseMutant reads a mutant's file: lines "breaks: ..", "file: .." and "killed
// by: ..", the text to be replaced after a line "--- old" and its replacement
// after a line "--- new".
func parseMutant(name, text string) (mutant, error) {
	m := mutant{name: name}
	head, body, ok := strings.Cut(text, "--- old\n")
	if !ok {
		return m, fmt.Errorf("%s: no line --- old", name)
	}
	if m.old, m.new, ok = strings.Cut(body, "--- new\n"); !ok {
		return m, fmt.Errorf("%s: no line --- new", name)
	}
	for line := range strings.Lines(head) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "breaks":
			m.breaks = value
		case "file":
			m.file = value
		case "killed by":
			m.killedBy = value
		default:
			return m, fmt.Errorf("%s: unknown line %q", name, line)
		}
	}
	if m.breaks == "" || m.file == "" || m.killedBy == "" || m.old == "" || m.old == m.new {
		return m, fmt.Errorf("%s: incomplete", name)
	}
	return m, nil
}

func loadMutants(t *testing.T) []mutant {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(moduleRoot, "testdata", "mutants", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var out []mutant
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		m, err := parseMutant(strings.TrimSuffix(filepath.Base(f), ".txt"), string(text))
		if err != nil {
			t.Error(err)
			continue
		}
		out = append(out, m)
	}
	return out
}

// apply returns the mutated text of the mutant's file.
func (m *mutant) apply() (string, error) {
	text, err := os.ReadFile(filepath.Join(moduleRoot, m.file))
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(text), m.old); n != 1 {
		return "", fmt.Errorf("the old text occurs %d times in %s, want once", n, m.file)
	}
	mutated := strings.Replace(string(text), m.old, m.new, 1)
	_, err = parser.ParseFile(token.NewFileSet(), m.file, mutated, parser.SkipObjectResolution)
	return mutated, err
}

// TestMutantsApply keeps the mutants in step with the source.
func TestMutantsApply(t *testing.T) {
	mutants := loadMutants(t)
	if len(mutants) < 90 {
		t.Errorf("%d mutants, want at least 90", len(mutants))
	}
	for i := range mutants {
		if _, err := mutants[i].apply(); err != nil {
			t.Errorf("%s: %v", mutants[i].name, err)
		}
	}
	if t.Failed() {
		return
	}
	if _, err := combine(mutants); err != nil {
		t.Errorf("all mutants together: %v", err)
	}
}

// TestMutantsAreKilled builds the engine's tests with the mutants and requires that
// they fail for every one.
func TestMutantsAreKilled(t *testing.T) {
	if !*runMutants {
		t.Skip("takes minutes: make mutants")
	}
	only, err := regexp.Compile(*mutantFilter)
	if err != nil {
		t.Fatal(err)
	}
	mutants := slices.DeleteFunc(loadMutants(t), func(m mutant) bool { return !only.MatchString(m.name) })
	all, err := combine(mutants)
	if err != nil {
		t.Fatal(err)
	}
	together := &mutantRun{dir: t.TempDir()}
	if err := together.build(all.files); err != nil {
		t.Fatal(err)
	}
	if by, err := together.test("", fixedRun); err != nil || by != "" {
		t.Fatalf("the tests fail without a mutant: %s %v", by, err)
	}
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			run := together
			if slices.ContainsFunc(all.alone, func(a mutant) bool { return a.name == m.name }) {
				text, err := m.apply()
				if err != nil {
					t.Fatal(err)
				}
				run = &mutantRun{dir: t.TempDir()}
				if err := run.build(map[string]string{m.file: text}); err != nil {
					t.Fatal(err)
				}
			}
			run.kill(t, &m)
		})
	}
}

// kill runs a mutant until a test fails: first the one that is known to.
func (r *mutantRun) kill(t *testing.T, m *mutant) {
	t.Helper()
	by, err := r.test(m.name, testPattern(m.killedBy))
	if err == nil && by == "" {
		by, err = r.test(m.name, fixedRun)
	}
	switch {
	case err != nil:
		t.Error(err)
	case by == "":
		t.Errorf("survived: %s", m.breaks)
	default:
		t.Logf("killed by %s", by)
	}
	if by != m.killedBy && !strings.HasPrefix(by, m.killedBy+"/") {
		t.Errorf("%s should have failed", m.killedBy)
	}
}

// testPattern is the -test.run pattern of one test or subtest.
func testPattern(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// mutantRun is a test binary of package engine in a folder of its own.
type mutantRun struct{ dir string }

func (r *mutantRun) binary() string { return filepath.Join(r.dir, "engine.test") }

// build compiles the engine's tests with some files of the module, by their paths
// relative to its root, replaced or added.
func (r *mutantRun) build(files map[string]string) error {
	root, err := filepath.Abs(moduleRoot)
	if err != nil {
		return err
	}
	overlay, err := r.overlay(root, files)
	if err != nil {
		return err
	}
	cmd := exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-o", r.binary(), "-overlay", overlay, "./engine")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// overlay writes the files and the description that go build reads.
func (r *mutantRun) overlay(root string, files map[string]string) (string, error) {
	replace := map[string]string{}
	for file, text := range files {
		source := filepath.Join(r.dir, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(root, file)] = source
	}
	spec, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(r.dir, "overlay.json")
	return path, os.WriteFile(path, spec, 0o600)
}

// test runs the tests of a pattern with the mutant of a name ("": none) up to the
// first failure and returns the name of the test that failed, "" when all passed.
func (r *mutantRun) test(name, pattern string) (failed string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), mutantTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, r.binary(), "-test.run", pattern, "-test.failfast", "-test.v")
	cmd.Dir = filepath.Join(moduleRoot, "engine")
	cmd.Env = append(os.Environ(), mutantVariable+"="+name)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	if ctx.Err() != nil {
		return "", errors.New("the tests did not end in time")
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return "", err
	}
	return failure(out.String(), err != nil)
}

var (
	failedTest  = regexp.MustCompile(`(?m)^ *--- FAIL: (\S+)`)
	startedTest = regexp.MustCompile(`(?m)^=== RUN +(\S+)`)
)

// failure finds the first failed test without failed subtests in the output; a
// process that died was in the test that started last.
func failure(out string, failed bool) (string, error) {
	switch {
	case strings.Contains(out, "no tests to run"):
		return "", errors.New("no such test")
	case !failed:
		return "", nil
	}
	name := ""
	for _, m := range failedTest.FindAllStringSubmatch(out, -1) {
		if name == "" || strings.HasPrefix(m[1], name+"/") {
			name = m[1]
		}
	}
	if name != "" {
		return name, nil
	}
	if m := startedTest.FindAllStringSubmatch(out, -1); len(m) > 0 {
		return m[len(m)-1][1], nil
	}
	return "", fmt.Errorf("the tests did not run:\n%s", out)
}
