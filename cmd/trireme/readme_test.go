package main

import (
	"encoding/csv"
	"os"
	"strings"
	"testing"
)

// readmeBlock returns the fenced block after the comment <!-- name -->.
func readmeBlock(t *testing.T, readme, name string) string {
	t.Helper()
	_, after, ok := strings.Cut(readme, "<!-- "+name+" -->\n```")
	if !ok {
		t.Fatalf("README has no block %q", name)
	}
	_, after, _ = strings.Cut(after, "\n")
	block, _, ok := strings.Cut(after, "\n```")
	if !ok {
		t.Fatalf("block %q of README does not end", name)
	}
	return block
}

// lastColumn reads the lines of a one-column CSV after its header.
func lastColumn(t *testing.T, text string) string {
	t.Helper()
	_, text, _ = strings.Cut(text, "QUERY PLAN\n")
	r := csv.NewReader(strings.NewReader(strings.ReplaceAll(text, "\n\n", "\n\"\"\n")))
	r.FieldsPerRecord = 1
	records, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, rec := range records {
		lines = append(lines, rec[0])
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// TestReadme runs the README's query and compares what the README shows of
// every stage with what the commands print.
func TestReadme(t *testing.T) {
	raw, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(raw)
	setup, query := readmeBlock(t, readme, "setup"), readmeBlock(t, readme, "query")

	answer, err := trireme(t, setup+"\n"+query, "query", "--backend", "native", "-")
	if err != nil {
		t.Fatal(err)
	}
	if want := readmeBlock(t, readme, "answer"); !strings.HasSuffix(strings.TrimRight(answer, "\n"), want) {
		t.Errorf("the answer is\n%s\nREADME shows\n%s", answer, want)
	}
	for _, backend := range []string{"native", "decomposed"} {
		out, err := trireme(t, setup+"\nEXPLAIN "+query, "query", "--backend", backend, "--format", "csv", "-")
		if err != nil {
			t.Fatal(err)
		}
		plan := lastColumn(t, out)
		if backend == "decomposed" {
			plan = plan[strings.Index(plan, "DECOMPOSED SQL"):]
		}
		if want := readmeBlock(t, readme, "explain "+backend); plan != want {
			t.Errorf("EXPLAIN on %s is\n%s\nREADME shows\n%s", backend, plan, want)
		}
	}
}

// TestReadmeTensor runs the README's programs and compares the answers.
func TestReadmeTensor(t *testing.T) {
	raw, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	statements, want := readmeBlock(t, string(raw), "tensor"), readmeBlock(t, string(raw), "tensor answers")
	for _, backend := range []string{"native", "decomposed", "auto"} {
		answer, err := trireme(t, statements, "query", "--backend", backend, "-")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(strings.TrimRight(answer, "\n"), want) {
			t.Errorf("the answer on %s is\n%s\nREADME shows\n%s", backend, answer, want)
		}
	}
}
