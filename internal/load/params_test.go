package load

import "testing"

func TestUsesParams(t *testing.T) {
	tests := map[string]bool{
		"":                               false,
		`("a" = 1)`:                      false,
		`("a" = $1)`:                     true,
		`("a" = '$1')`:                   false,
		`("price $1" > 2)`:               false,
		`("a" = 'it''s $1') AND "b" = 2`: false,
		`('it''s' = "x") OR "b" = $12`:   true,
	}
	for sql, want := range tests {
		if got := UsesParams(sql); got != want {
			t.Errorf("%s: %v", sql, got)
		}
	}
	spec := &Spec{Keys: []Key{{Expr: `("a" + $2)`}}}
	if !spec.UsesParams() {
		t.Error("a key's parameter is missed")
	}
}

func TestQuote(t *testing.T) {
	table := Table{Catalog: "c", Schema: `s"x`, Name: "t.u"}
	if got, want := table.SQL(), `"c"."s""x"."t.u"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
