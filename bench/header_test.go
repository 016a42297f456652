package bench

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func TestReadCases(t *testing.T) {
	cases, err := readCases(fstest.MapFS{
		"b.sql": {Data: []byte("-- Two lines: of\n-- text.\n-- data: g\n-- baseline: a\n-- timeout: 90s\nSELECT 2;\n")},
		"a.sql": {Data: []byte("-- data: g\n-- cold: t\nSELECT 1\n  -- within\n")},
		"c.txt": {Data: []byte("no case")},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []Case{
		{Name: "a", Data: "g", SQL: "SELECT 1\n  -- within", Cold: "t"},
		{Name: "b", Data: "g", SQL: "SELECT 2", About: "Two lines: of text.", BaselineName: "a", Baseline: "SELECT 1\n  -- within", Timeout: 90 * time.Second},
	}
	if len(cases) != 2 || cases[0] != want[0] || cases[1] != want[1] {
		t.Errorf("%+v", cases)
	}
}

func TestReadCasesErrors(t *testing.T) {
	for text, want := range map[string]string{
		"-- data: g\n":                           "no statement",
		"SELECT 1":                               "no line \"-- data: NAME\"",
		"-- data: g\n-- timeout: soon\nSELECT 1": "soon",
		"-- data: g\n-- timeout: 0s\nSELECT 1":   "timeout 0s",
		"-- data: g\n-- dtaa: g\nSELECT 1":       `unknown key "dtaa"`,
		"-- data: g\n-- baseline: z\nSELECT 1":   `no case "z"`,
	} {
		_, err := readCases(fstest.MapFS{"a.sql": {Data: []byte(text)}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}
