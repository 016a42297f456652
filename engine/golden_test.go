package engine

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// goldenRig is the session in which one file of plans runs.
type goldenRig struct {
	testSession
}

// volatile are the figures of EXPLAIN ANALYZE that differ between runs and
// machines.
var volatile = regexp.MustCompile(`[0-9.]+ ms|[0-9]+ bytes`)

func mask(text string) string {
	return volatile.ReplaceAllStringFunc(text, func(s string) string {
		return "_" + s[strings.IndexByte(s, ' '):]
	})
}

// TestGoldenPlans runs the files of testdata/plans: every stage that a
// statement goes through, from its program to its physical plan or SQL. The
// directives are
//
//	exec                    statements without output
//	query [backend=B]       the rows, one a line, and who answered
//	explain [backend=B]     EXPLAIN
//	analyze [backend=B]     EXPLAIN ANALYZE, times and bytes masked
//
// with backend native unless said otherwise. After a change of plans that is
// meant: go test ./engine -run TestGoldenPlans -rewrite.
func TestGoldenPlans(t *testing.T) {
	datadriven.Walk(t, "../testdata/plans", func(t *testing.T, path string) {
		g := &goldenRig{openSession(t, openEngine(t))}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			g.t = t
			backend := Native.String()
			d.MaybeScanArgs(t, "backend", &backend)
			g.run("SET trireme.backend = '" + backend + "'")
			return g.directive(d)
		})
	})
}

func (g *goldenRig) directive(d *datadriven.TestData) string {
	switch d.Cmd {
	case "exec":
		return g.exec(d.Input)
	case "query":
		return g.lines(d.Input) + "answered by " + g.LastBackend() + "\n"
	case "explain":
		return hideDuckPlan(mask(g.lines("EXPLAIN " + d.Input)))
	case "analyze":
		return hideDuckPlan(mask(g.lines("EXPLAIN ANALYZE " + d.Input)))
	default:
		d.Fatalf(g.t, "unknown directive %s", d.Cmd)
		return ""
	}
}

func (g *goldenRig) exec(script string) string {
	statements, err := g.Split(script)
	if err != nil {
		return errorLine(err)
	}
	for _, s := range statements {
		if _, _, err := g.try(s.Text); err != nil {
			return errorLine(err)
		}
	}
	return ""
}

// lines runs one statement and returns its rows, one a line.
func (g *goldenRig) lines(sql string) string {
	ctx := context.Background()
	p, err := g.Prepare(ctx, sql, nil)
	if err != nil {
		return errorLine(err)
	}
	defer func() {
		if err := p.Close(); err != nil {
			g.t.Error(err)
		}
	}()
	res, err := p.Execute(ctx, nil)
	if err != nil {
		return errorLine(err)
	}
	rows, err := readRows(res)
	if err != nil {
		return errorLine(err)
	}
	return strings.Join(rows, "\n") + "\n"
}

func errorLine(err error) string {
	var e *sqlerr.Error
	if errors.As(err, &e) {
		return fmt.Sprintf("error %s: %s\n", e.Code, e.Message)
	}
	return "error: " + err.Error() + "\n"
}

// hideDuckPlan leaves the reason why DuckDB answers and takes out its own plan,
// which is not ours to fix.
func hideDuckPlan(text string) string {
	if !strings.HasPrefix(text, "backend: duckdb ") {
		return text
	}
	head, _, _ := strings.Cut(text, "\n\n")
	return withoutFigures(head) + "\n"
}

// shownFigures are those of EXPLAIN's first line.
var shownFigures = regexp.MustCompile(`  \(cost=[0-9.]+ rows=[0-9]+ width=[0-9]+\)`)

// withoutFigures is a plan without them: of DuckDB's they are not ours to fix.
func withoutFigures(plan string) string { return shownFigures.ReplaceAllString(plan, "") }
