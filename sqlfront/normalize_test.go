package sqlfront

import "testing"

func TestNormalize(t *testing.T) {
	for _, tt := range []struct{ sql, want string }{
		{"SELECT  a,b\nFROM t -- why\nWHERE x = 'it''s' AND y=-1.5e3", "SELECT a,b FROM t WHERE x = ? AND y=-?"},
		{`SELECT "A b" FROM t LIMIT $1`, `SELECT "A b" FROM t LIMIT $1`},
		{"SELECT $$text$$, E'\\'', x'00' /* c */ ", "SELECT ?, ?, ?"},
		{"SELECT 'open", "SELECT ?"},
		{"", ""},
	} {
		if got := Normalize(tt.sql); got != tt.want {
			t.Errorf("Normalize(%q) = %q, want %q", tt.sql, got, tt.want)
		}
	}
}

func TestRedactMessage(t *testing.T) {
	if got := RedactMessage("SELECT nope", "no column nope"); got != "no column nope" {
		t.Errorf("an innocent message became %q", got)
	}
	const text = "CREATE ROLE a PASSWORD 'hunter2' x"
	if got := RedactMessage(text, "syntax error at 'hunter2'"); got != "(not shown: the statement carries a secret)" {
		t.Errorf("the message %q is shown", got)
	}
}
