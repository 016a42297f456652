package sqlfront

import (
	"fmt"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// spellCopy writes a parsed COPY on one line.
func spellCopy(c *Copy) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s(%s)[%s] from=%t stdio=%t", strings.Join(c.Table, "/"), strings.Join(c.Columns, ","), c.Query, c.From, c.Stdio)
	for _, o := range c.Options {
		fmt.Fprintf(&b, " %s=%q", o.Name, o.Value)
		if o.List != nil {
			fmt.Fprint(&b, o.List)
		}
		if o.Star {
			b.WriteByte('*')
		}
	}
	if c.Where != "" {
		fmt.Fprintf(&b, " where=%s", c.Where)
	}
	return b.String()
}

func TestParseCopy(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{`copy t from stdin`, `t()[] from=true stdio=true`},
		{`COPY "S".t (a, "B c") TO STDOUT`, `S/t(a,B c)[] from=false stdio=true`},
		{`copy t to stdin;`, `t()[] from=false stdio=true`},
		{`copy (select ')', (1) /* ) */) /* ) */ to stdout`, `()[select ')', (1) /* ) */] from=false stdio=true`},
		{
			`copy t from stdin with (format csv, header, delimiter E'\t', null '', force_null (a, "B"), header_ match)`,
			`t()[] from=true stdio=true format="csv" header="" delimiter="\t" null="" force_null=""[a B] header_="match"`,
		},
		{`copy t to stdout (format 'csv', force_quote *, header off)`, `t()[] from=false stdio=true format="csv" force_quote=""* header="off"`},
		{
			`copy t from stdin csv header delimiter ',' quote as '''' escape $$x$$ null as 'n' encoding 'utf8' force not null a, b`,
			`t()[] from=true stdio=true format="csv" header="" delimiter="," quote="'" escape="x" null="n" encoding="utf8" force_not_null=""[a b]`,
		},
		{`copy t to stdout with csv force quote *`, `t()[] from=false stdio=true format="csv" force_quote=""*`},
		{`copy t from stdin with binary`, `t()[] from=true stdio=true format="binary"`},
		{`copy binary t from stdin`, `t()[] from=true stdio=true format="binary"`},
		{`copy t from stdin using delimiters '|'`, `t()[] from=true stdio=true delimiter="|"`},
		{`copy t from stdin (freeze) where a > 1 and b = 'x'`, `t()[] from=true stdio=true freeze="" where=a > 1 and b = 'x'`},
		{`copy t from stdin where a`, `t()[] from=true stdio=true where=a`},
		{`copy t to 'f.csv' (format csv, bogus 1)`, `t()[] from=false stdio=false format="csv" bogus="1"`},
		{`copy t from 'f.csv' where a > 1`, `t()[] from=true stdio=false where=a > 1`},
		{`copy t to 'f' (this ! that)`, `t()[] from=false stdio=false`},
	} {
		got, err := ParseCopy(c.sql)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		if s := spellCopy(got); s != c.want {
			t.Errorf("%s\n got  %s\n want %s", c.sql, s, c.want)
		}
	}
}

func TestParseCopyErrors(t *testing.T) {
	for _, c := range []struct {
		sql, want string
		offset    int
	}{
		{"copy t from stdin (", "syntax error at end of input", 19},
		{"copy t from stdin (format csv", "syntax error at end of input", 29},
		{"copy t stdin", `syntax error at or near "stdin"`, 7},
		{"copy (select 1) from stdin", `syntax error at or near "from"`, 16},
		{"copy () to stdout", `syntax error at or near ")"`, 6},
		{"copy (select 1 to stdout", `syntax error at end of input`, 24},
		{"copy t to stdout where a", "WHERE clause not allowed with COPY TO", 17},
		{"copy t from stdin delimiter ,", `syntax error at or near ","`, 28},
		{"copy t from stdin force a", `syntax error at or near "a"`, 24},
		{"copy t from stdin (null E'\\xff')", `syntax error at or near "E'\\xff'"`, 24},
		{"copy t from stdin nonsense", `syntax error at or near "nonsense"`, 18},
		{"copy t from stdin where", "syntax error at end of input", 23},
	} {
		_, err := ParseCopy(c.sql)
		if err == nil {
			t.Errorf("%s: no error", c.sql)
			continue
		}
		if e := sqlerr.From(err); e.Message != c.want || e.Offset != c.offset || e.Code != sqlerr.SyntaxError {
			t.Errorf("%s: %s at %d, want %s at %d", c.sql, e.Message, e.Offset, c.want, c.offset)
		}
	}
	if c, err := ParseCopy("copy from database a to b"); c != nil || err != nil {
		t.Errorf("COPY FROM DATABASE: %v, %v", c, err)
	}
}

func FuzzParseCopy(f *testing.F) {
	f.Add("copy t (a) from stdin (format csv, null E'\\t', force_null (a)) where a > 1")
	f.Add("copy (select 1) to stdout csv force quote * header")
	f.Fuzz(func(_ *testing.T, sql string) { _, _ = ParseCopy("copy " + sql) })
}
