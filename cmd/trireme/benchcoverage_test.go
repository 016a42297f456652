package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/bench"
)

func TestBenchCoverage(t *testing.T) {
	document := filepath.Join(t.TempDir(), "report.json")
	args := []string{"bench", "coverage", "--scale", "1", "--runs", "1", "--cold-runs", "1", "--threads", "1", "--json", document, "--family", "ssb", "--only", "ssb_q1_1"}
	out, err := trireme(t, "", args...)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out, "auto, cold: ") || strings.Contains(out, "native, cold: ") {
		t.Errorf("not auto alone:\n%s", out)
	}
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	var report bench.CoverageReport
	if err := json.Unmarshal(text, &report); err != nil || len(report.Cases) != 1 || report.Cases[0].Name != "ssb_q1_1" || len(report.Cases[0].Measured) != 2 {
		t.Errorf("%v\n%s", err, text)
	}
	if _, err := trireme(t, "", append(args, "--split", "half")...); err == nil || !strings.Contains(err.Error(), `split "half"`) {
		t.Errorf("error %v", err)
	}
}
