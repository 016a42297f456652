package engine

import (
	"strings"

	"github.com/trireme-db/trireme/internal/copyfmt"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// fileOptions are options of Postgres's that DuckDB has no like of for files, and
// what to do instead.
var fileOptions = map[string]string{
	"on_error":      "Use DuckDB's option IGNORE_ERRORS true.",
	"freeze":        "Leave it out: rows are visible at commit anyway.",
	"force_null":    "Use DuckDB's option NULLSTR, or COPY FROM STDIN.",
	"default":       "Use COPY FROM STDIN.",
	"log_verbosity": "Leave it out.",
}

// copyFileOptions refuses what DuckDB would misread or not name, of COPY from and
// to files.
func copyFileOptions(parsed *sqlfront.Copy) error {
	if parsed.Where != "" {
		return sqlerr.At(sqlerr.FeatureNotSupported, parsed.WhereOffset, "WHERE is only available with COPY FROM STDIN").
			WithHint("Use INSERT INTO .. SELECT .. FROM read_csv('file') WHERE ..")
	}
	for _, o := range parsed.Options {
		format := strings.ToLower(o.Value)
		switch {
		case fileOptions[o.Name] != "":
			return sqlerr.At(sqlerr.FeatureNotSupported, o.Offset, "option %q is not available for files", o.Name).WithHint("%s", fileOptions[o.Name])
		case o.Name == "format" && (format == "text" || format == "binary"):
			return sqlerr.At(sqlerr.FeatureNotSupported, o.Offset, "COPY format %q is not available for files", o.Value).
				WithHint(`Files are read and written by DuckDB: use FORMAT csv, parquet or json, or psql's \copy.`)
		case o.Name == "header" && strings.EqualFold(o.Value, "match"):
			return sqlerr.At(sqlerr.FeatureNotSupported, o.Offset, `HEADER MATCH is not available for files`).
				WithHint("Use HEADER true, or COPY FROM STDIN.")
		}
	}
	return nil
}

// csvOptions are the options of Postgres's that DuckDB knows for CSV files, and what
// they are where they are not given.
var csvOptions = map[string]string{
	"format": "", "header": "false", "delimiter": "','", "quote": `'"'`, "escape": "", "null": "''", "force_quote": "", "force_not_null": "", "encoding": "",
}

// asPostgresCSV gives COPY of a file with FORMAT csv, and no option that is DuckDB's
// alone, Postgres' meaning: what is not said is Postgres' default and nothing that DuckDB
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
