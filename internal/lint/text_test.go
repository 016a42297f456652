package lint

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// textSuffixes are the kinds of files whose text people read.
var textSuffixes = []string{".go", ".md", ".sql", ".yml", ".yaml", ".mod", ".txt", ".slt", ".txtar", ".sh", "Makefile", ".ci/run"}

// linesMax is the longest a Go file may be; generated files (z*.go) are exempt.
const linesMax = 800

// textRule is a pattern and what a match of it is.
type textRule struct {
	what    string
	pattern *regexp.Regexp
}

// textRules are patterns no text file may contain. They are written so that
// they do not match themselves.
var textRules = []textRule{
	{"path of a machine", regexp.MustCompile("(?:^|[\\s\"'`(=:])/(?:home|root|Users|work)/\\w")},
	{"marker for later", regexp.MustCompile(`\b(?:TO[D]O|FIX[M]E|HA[C]K)\b`)},
	// Numbers of four digits and more are those of other projects' trackers.
	{"number of a local issue", regexp.MustCompile(`(?i)\bissues? (?:show )?\d{1,3}\b`)},
	{"temporary folder", regexp.MustCompile(`/tm[p]/(?:team|bash_jobs)`)},
}

func isText(name string) bool {
	return slices.ContainsFunc(textSuffixes, func(suffix string) bool {
		return strings.HasSuffix(filepath.ToSlash(name), suffix)
	})
}

func TestTextRules(t *testing.T) {
	for _, name := range projectFiles(t) {
		if !isText(name) {
			continue
		}
		for number, line := range strings.Split(readFile(t, name), "\n") {
			for _, rule := range textRules {
				if found := rule.pattern.FindString(line); found != "" {
					t.Errorf("%s:%d: %s: %q", name, number+1, rule.what, found)
				}
			}
		}
	}
}

func TestTextRulesCatch(t *testing.T) {
	offending := []string{
		"read /ho" + "me/someone/file", "see \"/wo" + "rk/main\"", "// TO" + "DO: later", "as issue" + " 12 says",
	}
	for _, line := range offending {
		caught := slices.ContainsFunc(textRules, func(r textRule) bool { return r.pattern.MatchString(line) })
		if !caught {
			t.Errorf("no rule catches %q", line)
		}
	}
}

func TestFilesAreShort(t *testing.T) {
	for _, name := range projectFiles(t) {
		generated := strings.HasPrefix(filepath.Base(name), "z")
		if !strings.HasSuffix(name, ".go") || generated {
			continue
		}
		if lines := strings.Count(readFile(t, name), "\n"); lines > linesMax {
			t.Errorf("%s has %d lines, more than %d: is it one subject?", name, lines, linesMax)
		}
	}
}
