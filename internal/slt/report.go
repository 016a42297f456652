package slt

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Report collects the outcomes of many files into a table per folder.
type Report struct {
	folders  map[string]*folder
	reasons  map[string]*reason
	answered map[string]int // queries by who answered
	refused  int            // statements that a forced backend did not take
}

// folder is a line of the table.
type folder struct{ passed, failed, skipped int }

// reason is why files failed or were skipped.
type reason struct {
	files   int
	example string // the first file, with a line
}

// NewReport returns an empty Report.
func NewReport() *Report {
	return &Report{folders: map[string]*folder{}, reasons: map[string]*reason{}, answered: map[string]int{}}
}

// Add counts one file by the first folder of its name, which is relative and
// has slashes.
func (r *Report) Add(name string, o Outcome) {
	first, _, below := strings.Cut(name, "/")
	if !below {
		first = "."
	}
	f := r.folders[first]
	if f == nil {
		f = &folder{}
		r.folders[first] = f
	}
	for by, n := range o.Answered {
		r.answered[by] += n
	}
	r.refused += len(o.Refusals)
	switch {
	case len(o.Failures) > 0:
		f.failed++
		failure := o.Failures[0]
		r.because("failed: "+failure.Reason, fmt.Sprintf("%s:%d", name, failure.Line))
	case o.Skipped != "":
		f.skipped++
		r.because("skipped: "+o.Skipped, name)
	default:
		f.passed++
	}
}

// particulars are the parts of a reason that differ from file to file.
var particulars = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'[^']*'|[0-9]+`)

// reasonMax is how many bytes of a reason are kept.
const reasonMax = 110

func (r *Report) because(text, example string) {
	text, _, _ = strings.Cut(text, "\n")
	text = particulars.ReplaceAllString(text, "_")
	if len(text) > reasonMax {
		text = strings.ToValidUTF8(text[:reasonMax], "") + "..."
	}
	if seen := r.reasons[text]; seen != nil {
		seen.files++
		return
	}
	r.reasons[text] = &reason{1, example}
}

// Write prints the table and the most frequent reasons as Markdown.
func (r *Report) Write(w io.Writer, reasonsMax int) error {
	var b strings.Builder
	b.WriteString("| folder | passed | failed | skipped |\n|---|---:|---:|---:|\n")
	var all folder
	for _, name := range slices.Sorted(maps.Keys(r.folders)) {
		f := r.folders[name]
		fmt.Fprintf(&b, "| %s | %d | %d | %d |\n", path.Clean(name), f.passed, f.failed, f.skipped)
		all.passed, all.failed, all.skipped = all.passed+f.passed, all.failed+f.failed, all.skipped+f.skipped
	}
	fmt.Fprintf(&b, "| **all** | %d | %d | %d |\n", all.passed, all.failed, all.skipped)
	for _, by := range slices.Sorted(maps.Keys(r.answered)) {
		fmt.Fprintf(&b, "\nQueries that held, answered by %s: %d.", by, r.answered[by])
	}
	if r.refused > 0 {
		fmt.Fprintf(&b, "\nStatements that the forced backend did not take: %d.", r.refused)
	}
	b.WriteString("\n\n| files | first reason | for example |\n|---:|---|---|\n")
	texts := slices.SortedFunc(maps.Keys(r.reasons), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.reasons[b].files, r.reasons[a].files), strings.Compare(a, b))
	})
	for i, text := range texts {
		if i == reasonsMax {
			fmt.Fprintf(&b, "| | %d more reasons | |\n", len(texts)-i)
			break
		}
		seen := r.reasons[text]
		fmt.Fprintf(&b, "| %d | %s | %s |\n", seen.files, strings.ReplaceAll(text, "|", `\|`), seen.example)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
