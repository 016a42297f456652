package rows

import "testing"

func TestWithLists(t *testing.T) {
	for _, c := range []struct{ of, want Type }{
		{Type{ID: Integer}, Type{ID: Integer}},
		{Type{ID: Decimal, Width: 5, Scale: 2}, Type{ID: Decimal, Width: 5, Scale: 2}},
		{Type{ID: Array, Name: "VARCHAR[2]"}, Type{ID: List, Name: "VARCHAR[]"}},
		{Type{ID: Array, Name: "VARCHAR[2][]"}, Type{ID: List, Name: "VARCHAR[][]"}},
		{Type{ID: List, Name: "VARCHAR[][12]"}, Type{ID: List, Name: "VARCHAR[][]"}},
		{Type{ID: Struct, Name: `STRUCT("a[2]" INTEGER[3], "q""[4]" ENUM('x[5]', 'it''s[6]')[7])`}, Type{ID: Struct, Name: `STRUCT("a[2]" INTEGER[], "q""[4]" ENUM('x[5]', 'it''s[6]')[])`}},
		{Type{ID: Other, Name: "MAP(VARCHAR, INTEGER[2])"}, Type{ID: Other, Name: "MAP(VARCHAR, INTEGER[])"}},
	} {
		if got := c.of.WithLists(); got != c.want {
			t.Errorf("%v: %v, want %v", c.of, got, c.want)
		}
	}
}

func TestTextLosesValue(t *testing.T) {
	for _, c := range []struct {
		of   Type
		want bool
	}{
		{Type{ID: JSON}, false},
		{Type{ID: Varchar}, false},
		{Type{ID: List, Name: "VARCHAR[]"}, false},
		{Type{ID: List, Name: "JSON[]"}, true},
		{Type{ID: Array, Name: "JSON[2]"}, true},
		{Type{ID: Other, Name: "UNION(num INTEGER)"}, true},
		{Type{ID: Other, Name: "VARIANT"}, true},
		{Type{ID: Struct, Name: "STRUCT(u UNION(a INTEGER, b VARCHAR))"}, true},
		{Type{ID: Struct, Name: `STRUCT("JSON" VARCHAR, v_variant ENUM('UNION(', 'b'))`}, false},
		{Type{ID: Struct, Name: "STRUCT(j JSON)"}, true},
	} {
		if got := c.of.TextLosesValue(); got != c.want {
			t.Errorf("%v: %v", c.of, got)
		}
	}
}
