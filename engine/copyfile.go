package engine

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/copyfmt"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// wireOptions are the options of Postgres' that DuckDB has no like of for files.
var wireOptions = map[string]bool{
	"on_error": true, "freeze": true, "force_null": true, "default": true, "log_verbosity": true,
}

// copiesFile reports whether a COPY of a file is one in Postgres' formats, which are ours to
// read and write: text, binary, and CSV without options that are DuckDB's alone. Where nobody
// reads and writes for the session, as the wire does, DuckDB has those CSV files whose options
// it knows.
func (s *Session) copiesFile(parsed *sqlfront.Copy) (bool, error) {
	format, only, known := "", (*copyfmt.RawOption)(nil), parsed.Unread == nil
	for i := range parsed.Options {
		o := &parsed.Options[i]
		_, duckKnows := csvOptions[o.Name]
		switch {
		case o.Name == "format":
			format = strings.ToLower(o.Value)
		case wireOptions[o.Name], o.Name == "header" && strings.EqualFold(o.Value, "match"):
			only = o
		case !duckKnows:
			known = false
		}
	}
	ours := format == "text" || format == "binary"
	if format == "csv" {
		ours = only != nil || parsed.Where != "" || hasOption(parsed.Options, "encoding") || s.wire != nil && known && isPlainFile(parsed)
	}
	switch {
	case ours && parsed.Unread != nil:
		return false, parsed.Unread
	case ours && !parsed.HasPath:
		return false, sqlerr.New(sqlerr.FeatureNotSupported, "COPY in this format takes only a plain string literal as a path")
	case !ours && only != nil:
		return false, needsFormat(only.Offset, fmt.Sprintf("option %q", only.Name))
	case !ours && parsed.Where != "":
		return false, needsFormat(parsed.WhereOffset, "WHERE")
	}
	return ours, nil
}

// isPlainFile reports whether a COPY names one file that is read or written as it is: a pattern
// names several, and a name's end says to DuckDB that a file is compressed.
func isPlainFile(c *sqlfront.Copy) bool {
	end := strings.ToLower(filepath.Ext(c.Path))
	return c.HasPath && end != ".gz" && end != ".zst" && !(c.From && strings.ContainsAny(c.Path, "*?["))
}

func hasOption(options []copyfmt.RawOption, name string) bool {
	return slices.ContainsFunc(options, func(o copyfmt.RawOption) bool { return o.Name == name })
}

func needsFormat(offset int, what string) error {
	return sqlerr.At(sqlerr.FeatureNotSupported, offset, "%s is only available with FORMAT text, csv or binary", what).
		WithHint("Without FORMAT a file is read as DuckDB reads it, which has no such option.")
}

// csvOptions are the options of Postgres's that DuckDB knows for CSV files, and what
// they are where they are not given.
var csvOptions = map[string]string{
	"format": "", "header": "false", "delimiter": "','", "quote": `'"'`, "escape": "", "null": "''", "force_quote": "", "force_not_null": "", "encoding": "",
}

// asPostgresCSV gives COPY of a file with FORMAT csv, and no option that is DuckDB's
// alone, Postgres' defaults where DuckDB reads or writes it: nothing that DuckDB
// finds by looking at the file, and a quoted text is no NULL. The other texts are
// DuckDB's to read as they are.
func asPostgresCSV(sql string, c *sqlfront.Copy) string {
	given := map[string]*copyfmt.RawOption{}
	for i := range c.Options {
		o := &c.Options[i]
		if _, known := csvOptions[o.Name]; !known {
			return sql
		}
		given[o.Name] = o
	}
	if format := given["format"]; format == nil || !strings.EqualFold(format.Value, "csv") {
		return sql
	}
	var list []string
	for _, o := range c.Options {
		list = append(list, optionSQL(&o))
	}
	for _, name := range []string{"header", "delimiter", "quote", "null"} {
		if given[name] == nil {
			list = append(list, name+" "+csvOptions[name])
		}
	}
	if given["escape"] == nil && given["quote"] == nil {
		list = append(list, `escape '"'`)
	}
	if c.From {
		list = append(list, "allow_quoted_nulls false")
	}
	start := strings.TrimRight(sql[:c.Options[0].Offset], " \t\r\n(")
	return start + " (" + strings.Join(list, ", ") + ")"
}

// optionSQL is an option in parentheses' syntax.
func optionSQL(o *copyfmt.RawOption) string {
	switch {
	case o.Star:
		return o.Name + " *"
	case len(o.List) > 0:
		return o.Name + " (" + quoteList(o.List) + ")"
	case o.Given:
		return o.Name + " " + quoteText(o.Value)
	default:
		return o.Name
	}
}
