package bench

import (
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"
)

// readCases reads the cases of a folder of SQL files, in order of their names.
// The comment at the head of a file describes the case; its lines of the form
// "-- key: value" are
//
//	data: NAME       the data set (required)
//	baseline: NAME   the case whose SQL DuckDB gets when it runs into the timeout
//	timeout: 100s    for one execution
//	cold: TABLE      measure the building of that table's tensor
//	target: 20x      how many times faster than DuckDB native is meant to be
//	cause: TEXT      why native is slower than DuckDB, where it is; a further line
//	                 with this key goes on where the one before it ends
func readCases(files fs.FS) ([]Case, error) {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return nil, err
	}
	var cases []Case
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		c, err := parseCase(strings.TrimSuffix(path.Base(name), ".sql"), string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		cases = append(cases, c)
	}
	return cases, resolveBaselines(cases)
}

// parseCase reads one file.
func parseCase(name, text string) (Case, error) {
	c := Case{Name: name}
	var about []string
	rest := text
	for {
		line, after, _ := strings.Cut(rest, "\n")
		comment, ok := strings.CutPrefix(strings.TrimSpace(line), "--")
		if !ok {
			break
		}
		rest = after
		comment = strings.TrimSpace(comment)
		key, value, isKey := strings.Cut(comment, ": ")
		if !isKey || strings.Contains(key, " ") {
			about = append(about, comment)
			continue
		}
		if err := c.set(key, strings.TrimSpace(value)); err != nil {
			return Case{}, err
		}
	}
	c.About, c.SQL = strings.Join(about, " "), strings.TrimRight(strings.TrimSpace(rest), ";")
	switch {
	case c.SQL == "":
		return Case{}, fmt.Errorf("no statement after the comment")
	case c.Data == "":
		return Case{}, fmt.Errorf(`no line "-- data: NAME"`)
	}
	return c, nil
}

func (c *Case) set(key, value string) (err error) {
	switch key {
	case "data":
		c.Data = value
	case "baseline":
		c.BaselineName = value
	case "cold":
		c.Cold = value
	case "cause":
		c.Cause = strings.TrimSpace(c.Cause + " " + value)
	case "target":
		number, ok := strings.CutSuffix(value, "x")
		if c.Target, err = strconv.ParseFloat(number, 64); err != nil || !ok || c.Target <= 0 {
			err = fmt.Errorf("target %q is not of the form 20x", value)
		}
	case "timeout":
		if c.Timeout, err = time.ParseDuration(value); err == nil && c.Timeout <= 0 {
			err = fmt.Errorf("timeout %s", value)
		}
	default:
		err = fmt.Errorf("unknown key %q in the comment", key)
	}
	return err
}

// resolveBaselines gives cases with a baseline its SQL.
func resolveBaselines(cases []Case) error {
	byName := map[string]*Case{}
	for i := range cases {
		byName[cases[i].Name] = &cases[i]
	}
	for i := range cases {
		c := &cases[i]
		if c.BaselineName == "" {
			continue
		}
		base, ok := byName[c.BaselineName]
		if !ok || base.Data != c.Data {
			return fmt.Errorf("case %s: no case %q over the same data", c.Name, c.BaselineName)
		}
		c.Baseline = base.SQL
	}
	return nil
}
