package copyfmt

import (
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Format is a format of COPY.
type Format uint8

// The formats.
const (
	Text Format = iota
	CSV
	Binary
)

// Header says what the first line is.
type Header uint8

// What the first line is: data; names that nobody reads; names that must match.
const (
	NoHeader Header = iota
	HasHeader
	MatchHeader
)

// ColumnSet is a list of column names in an option, or all columns.
type ColumnSet struct {
	All   bool
	Names []string
}

func (s ColumnSet) given() bool { return s.All || len(s.Names) > 0 }

// Options are the options of a COPY with their defaults filled in.
type Options struct {
	Format        Format
	Delimiter     byte
	Null          string
	Default       string // of COPY FROM, with HasDefault
	HasDefault    bool
	Header        Header
	Quote, Escape byte
	ForceQuote    ColumnSet
	ForceNotNull  ColumnSet
	ForceNull     ColumnSet
	Encoding      string // as written; "": the client's
	// IgnoreErrors: rows with a value that does not fit its column are left out.
	IgnoreErrors bool
}

// RawOption is an option as written.
type RawOption struct {
	Name   string // lower case
	Value  string
	Given  bool     // a value was given
	List   []string // a parenthesised list of names
	Star   bool     // the value was *
	Offset int      // of the name, in the statement
}

// codeInvalidColumn is the SQLSTATE for a column that is not copied.
const codeInvalidColumn = "42P10"

// optionReader collects what options say before they are checked against one another.
type optionReader struct {
	opt       Options
	seen      map[string]bool
	delimiter *string
	null      *string
	quote     *string
	escape    *string
}

// ParseOptions checks options as Postgres does, with its SQLSTATEs; from: COPY FROM.
func ParseOptions(raw []RawOption, from bool) (Options, error) {
	r := &optionReader{seen: map[string]bool{}}
	for i := range raw {
		o := &raw[i]
		if r.seen[o.Name] {
			return Options{}, sqlerr.At(sqlerr.SyntaxError, o.Offset, "conflicting or redundant options")
		}
		r.seen[o.Name] = true
		if err := r.read(o, from); err != nil {
			return Options{}, err
		}
	}
	if r.opt.Format == Binary {
		return r.opt, r.checkBinary()
	}
	if err := r.fill(); err != nil {
		return Options{}, err
	}
	return r.opt, r.checkForces(from)
}

// read takes one option.
func (r *optionReader) read(o *RawOption, from bool) error {
	switch o.Name {
	case "format":
		return r.format(o)
	case "freeze": // rows are visible at commit, frozen or not
		_, err := boolean(o)
		return err
	case "delimiter", "delim":
		r.seen["delimiter"], r.seen["delim"] = true, true
		return textValue(o, &r.delimiter)
	case "null":
		return textValue(o, &r.null)
	case "quote":
		return textValue(o, &r.quote)
	case "escape":
		return textValue(o, &r.escape)
	case "default":
		var s *string
		if err := textValue(o, &s); err != nil {
			return err
		}
		r.opt.Default, r.opt.HasDefault = *s, true
		if !from {
			return unsupported("COPY DEFAULT only available using COPY FROM")
		}
		return nil
	case "header":
		return r.header(o, from)
	case "force_quote":
		return columnList(o, &r.opt.ForceQuote)
	case "force_not_null":
		return columnList(o, &r.opt.ForceNotNull)
	case "force_null":
		return columnList(o, &r.opt.ForceNull)
	case "encoding":
		return r.encoding(o)
	case "on_error":
		return r.onError(o, from)
	case "log_verbosity":
		switch strings.ToLower(o.Value) {
		case "default", "verbose", "silent":
			return nil
		}
		return sqlerr.At(sqlerr.InvalidParameter, o.Offset, "COPY LOG_VERBOSITY %q not recognized", o.Value)
	default:
		return sqlerr.At(sqlerr.SyntaxError, o.Offset, "option %q not recognized", o.Name).
			WithHint("The options of COPY from STDIN and to STDOUT are FORMAT, DELIMITER, NULL, DEFAULT, HEADER, QUOTE, ESCAPE, " +
				"FORCE_QUOTE, FORCE_NOT_NULL, FORCE_NULL, ENCODING, FREEZE and ON_ERROR.")
	}
}

func (r *optionReader) format(o *RawOption) error {
	switch strings.ToLower(o.Value) {
	case "text":
		r.opt.Format = Text
	case "csv":
		r.opt.Format = CSV
	case "binary":
		r.opt.Format = Binary
	case "parquet", "json":
		return sqlerr.At(sqlerr.FeatureNotSupported, o.Offset, "COPY format %q is only available for files", o.Value).
			WithHint("Use FORMAT text, csv or binary for STDIN and STDOUT, or name a file on the server.")
	default:
		return sqlerr.At(sqlerr.InvalidParameter, o.Offset, "COPY format %q not recognized", o.Value)
	}
	return nil
}

func (r *optionReader) header(o *RawOption, from bool) error {
	if strings.EqualFold(o.Value, "match") {
		if !from {
			return sqlerr.At(sqlerr.SyntaxError, o.Offset, `cannot use "match" with HEADER in COPY TO`)
		}
		r.opt.Header = MatchHeader
		return nil
	}
	on, err := boolean(o)
	if err != nil {
		return sqlerr.At(sqlerr.SyntaxError, o.Offset, `header requires a Boolean value or "match"`)
	}
	if on {
		r.opt.Header = HasHeader
	}
	return nil
}

func (r *optionReader) encoding(o *RawOption) error {
	if _, err := encodingOf(o.Value); err != nil {
		return err
	}
	r.opt.Encoding = o.Value
	return nil
}

func (r *optionReader) onError(o *RawOption, from bool) error {
	if !from {
		return sqlerr.At(sqlerr.SyntaxError, o.Offset, "COPY ON_ERROR cannot be used with COPY TO")
	}
	switch strings.ToLower(o.Value) {
	case "stop":
	case "ignore":
		r.opt.IgnoreErrors = true
	default:
		return sqlerr.At(sqlerr.InvalidParameter, o.Offset, "COPY ON_ERROR %q not recognized", o.Value)
	}
	return nil
}

// boolean reads a Boolean value; none means true.
func boolean(o *RawOption) (bool, error) {
	if !o.Given {
		return true, nil
	}
	switch strings.ToLower(o.Value) {
	case "true", "on", "1":
		return true, nil
	case "false", "off", "0":
		return false, nil
	}
	return false, sqlerr.At(sqlerr.SyntaxError, o.Offset, "%s requires a Boolean value", o.Name)
}

func textValue(o *RawOption, to **string) error {
	if !o.Given || o.Star || o.List != nil {
		return sqlerr.At(sqlerr.SyntaxError, o.Offset, "%s requires a parameter", o.Name)
	}
	*to = &o.Value
	return nil
}

func columnList(o *RawOption, to *ColumnSet) error {
	if !o.Star && len(o.List) == 0 {
		return sqlerr.At(sqlerr.InvalidParameter, o.Offset, "argument to option %q must be a list of column names", o.Name)
	}
	*to = ColumnSet{All: o.Star, Names: o.List}
	return nil
}

func unsupported(format string, args ...any) error {
	return sqlerr.New(sqlerr.FeatureNotSupported, format, args...)
}

func invalid(format string, args ...any) error {
	return sqlerr.New(sqlerr.InvalidParameter, format, args...)
}

// checkBinary refuses what the binary format has no use for.
func (r *optionReader) checkBinary() error {
	syntax := func(what string) error {
		return sqlerr.New(sqlerr.SyntaxError, "cannot specify %s in BINARY mode", what)
	}
	switch {
	case r.delimiter != nil:
		return syntax("DELIMITER")
	case r.null != nil:
		return syntax("NULL")
	case r.opt.HasDefault:
		return syntax("DEFAULT")
	case r.opt.Header != NoHeader:
		return unsupported("cannot specify HEADER in BINARY mode")
	case r.opt.IgnoreErrors:
		return sqlerr.New(sqlerr.SyntaxError, "only ON_ERROR STOP is allowed in BINARY mode")
	}
	return r.checkCSVOnly()
}

// checkCSVOnly refuses the options of CSV for other formats.
func (r *optionReader) checkCSVOnly() error {
	switch {
	case r.quote != nil:
		return unsupported("COPY quote available only in CSV mode")
	case r.escape != nil:
		return unsupported("COPY escape available only in CSV mode")
	case r.opt.ForceQuote.given():
		return unsupported("COPY force quote available only in CSV mode")
	case r.opt.ForceNotNull.given():
		return unsupported("COPY force not null available only in CSV mode")
	case r.opt.ForceNull.given():
		return unsupported("COPY force null available only in CSV mode")
	}
	return nil
}

// fill sets the defaults of text and CSV and checks the characters against one another.
func (r *optionReader) fill() error {
	o := &r.opt
	o.Delimiter, o.Null = '\t', `\N`
	if o.Format == CSV {
		o.Delimiter, o.Null, o.Quote, o.Escape = ',', "", '"', '"'
	} else if err := r.checkCSVOnly(); err != nil {
		return err
	}
	if err := oneByte("delimiter", r.delimiter, &o.Delimiter); err != nil {
		return err
	}
	if r.null != nil {
		o.Null = *r.null
	}
	switch {
	case o.Delimiter == '\n' || o.Delimiter == '\r':
		return invalid("COPY delimiter cannot be newline or carriage return")
	case strings.ContainsAny(o.Null, "\r\n"):
		return invalid("COPY null representation cannot use newline or carriage return")
	case o.HasDefault && strings.ContainsAny(o.Default, "\r\n"):
		return invalid("COPY default representation cannot use newline or carriage return")
	case o.Format == Text && strings.IndexByte(`\.abcdefghijklmnopqrstuvwxyz0123456789`, o.Delimiter) >= 0:
		return invalid("COPY delimiter cannot be %q", string(rune(o.Delimiter)))
	}
	if err := r.fillQuotes(); err != nil {
		return err
	}
	switch {
	case strings.IndexByte(o.Null, o.Delimiter) >= 0:
		return unsupported("COPY delimiter must not appear in the NULL specification")
	case o.Format == CSV && strings.IndexByte(o.Null, o.Quote) >= 0:
		return unsupported("CSV quote character must not appear in the NULL specification")
	case o.HasDefault && strings.IndexByte(o.Default, o.Delimiter) >= 0:
		return unsupported("COPY delimiter must not appear in the DEFAULT specification")
	case o.HasDefault && o.Format == CSV && strings.IndexByte(o.Default, o.Quote) >= 0:
		return unsupported("CSV quote character must not appear in the DEFAULT specification")
	case o.HasDefault && o.Default == o.Null:
		return invalid("NULL specification and DEFAULT specification cannot be the same")
	}
	return nil
}

func (r *optionReader) fillQuotes() error {
	o := &r.opt
	if o.Format != CSV {
		return nil
	}
	if err := oneByte("quote", r.quote, &o.Quote); err != nil {
		return err
	}
	o.Escape = o.Quote
	if err := oneByte("escape", r.escape, &o.Escape); err != nil {
		return err
	}
	if o.Delimiter == o.Quote {
		return invalid("COPY delimiter and quote must be different")
	}
	return nil
}

// oneByte sets to from an option that must be one byte.
func oneByte(name string, value *string, to *byte) error {
	if value == nil {
		return nil
	}
	if len(*value) != 1 {
		return unsupported("COPY %s must be a single one-byte character", name)
	}
	*to = (*value)[0]
	return nil
}

func (r *optionReader) checkForces(from bool) error {
	switch {
	case r.opt.ForceQuote.given() && from:
		return unsupported("COPY force quote only available using COPY TO")
	case r.opt.ForceNotNull.given() && !from:
		return unsupported("COPY force not null only available using COPY FROM")
	case r.opt.ForceNull.given() && !from:
		return unsupported("COPY force null only available using COPY FROM")
	}
	return nil
}

// Check refuses lists of columns that name one that is not copied.
func (o *Options) Check(columns []string) error {
	for _, l := range []struct {
		name string
		set  ColumnSet
	}{{"FORCE_QUOTE", o.ForceQuote}, {"FORCE_NOT_NULL", o.ForceNotNull}, {"FORCE_NULL", o.ForceNull}} {
		for _, name := range l.set.Names {
			if indexFold(columns, name) < 0 {
				return sqlerr.New(codeInvalidColumn, "%s column %q not referenced by COPY", l.name, name)
			}
		}
	}
	return nil
}

// flags says for each column whether it is in the set.
func (s ColumnSet) flags(columns []string) []bool {
	out := make([]bool, len(columns))
	for i := range out {
		out[i] = s.All
	}
	for _, name := range s.Names {
		if i := indexFold(columns, name); i >= 0 {
			out[i] = true
		}
	}
	return out
}

func indexFold(columns []string, name string) int {
	for i, c := range columns {
		if strings.EqualFold(c, name) {
			return i
		}
	}
	return -1
}
