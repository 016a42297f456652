package sqlfront

import (
	"fmt"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/rows"
)

func TestTextLiterals(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{`SELECT '\x00'::bytea, 'a'`, `\x00 BLOB; a untyped`},
		{`SELECT ('\x00') :: pg_catalog."bytea"`, `\x00 BLOB`},
		{`SELECT E'\\x00\'\n'::bytea[], cast('on' AS bool)`, "\\x00'\n BLOB list; on BOOLEAN"},
		{`SELECT $q$it's$q$::text, $$x$$`, `it's; x untyped`},
		{`SELECT date 'x', timestamp with time zone 'y', 'z'::timestamp(3) without time zone[]`, `x DATE; y TIMESTAMP WITH TIME ZONE; z TIMESTAMP list`},
		{`SELECT 'x'::blob, 'y'::int4[3], 'z'::double precision[], 'n'::numeric(3, 2)[]`, `x; y list; z list; n list`},
		{`SELECT f('a'), 'it''s' = x -- 'no'`, `a untyped; it's untyped`},
		{`SELECT 1 = ANY('{1}'), 1 <> all ('{2}')`, `{1} untyped; {2} untyped`},
		{`SELECT B'101', X'1F', U&'x', "y"`, ``},
		{`SELECT E'\101\x41\u0041\U00000041\q', E'\u00'`, `AAAAq untyped`},
	} {
		var got []string
		for _, l := range TextLiterals(c.sql) {
			s := l.Text
			if l.Type != rows.Invalid {
				s += " " + rows.Type{ID: l.Type}.String()
			}
			if l.List {
				s += " list"
			}
			if l.Untyped {
				s += " untyped"
			}
			if strings.TrimSpace(c.sql[l.Start:l.End]) != c.sql[l.Start:l.End] {
				s += fmt.Sprintf(" at %d", l.Start)
			}
			got = append(got, s)
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.sql, text, c.want)
		}
	}
}
