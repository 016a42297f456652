package rows

import "testing"

func TestNulls(t *testing.T) {
	v := &Vector{Type: Type{ID: BigInt}}
	const n = 130
	for i := range n {
		if v.IsNull(i) {
			t.Fatalf("row %d of a vector without NULLs is NULL", i)
		}
	}
	want := map[int]bool{0: true, 63: true, 64: true, 129: true}
	for i := range want {
		v.SetNull(i, n)
	}
	for i := range n {
		if v.IsNull(i) != want[i] {
			t.Errorf("row %d: %t", i, v.IsNull(i))
		}
	}
	if len(v.Nulls) != 3 {
		t.Errorf("%d words for %d rows", len(v.Nulls), n)
	}
}

func TestTypes(t *testing.T) {
	for _, c := range []struct {
		typ  Type
		text string
		phys Physical
	}{
		{Type{ID: Boolean}, "BOOLEAN", PhysInt64},
		{Type{ID: BigInt}, "BIGINT", PhysInt64},
		{Type{ID: UInteger}, "UINTEGER", PhysInt64},
		{Type{ID: UBigInt}, "UBIGINT", PhysInt128},
		{Type{ID: HugeInt}, "HUGEINT", PhysInt128},
		{Type{ID: UHugeInt}, "UHUGEINT", PhysString},
		{Type{ID: Decimal, Width: 18, Scale: 3}, "DECIMAL(18,3)", PhysInt64},
		{Type{ID: Decimal, Width: 19, Scale: 0}, "DECIMAL(19,0)", PhysInt128},
		{Type{ID: Float}, "FLOAT", PhysFloat64},
		{Type{ID: TimestampTZ}, "TIMESTAMP WITH TIME ZONE", PhysInt64},
		{Type{ID: TimeTZ}, "TIME WITH TIME ZONE", PhysString},
		{Type{ID: Interval}, "INTERVAL", PhysInterval},
		{Type{ID: SQLNull}, `"NULL"`, PhysInt64},
		{Type{ID: Enum, Name: "ENUM('a', 'b')"}, "ENUM('a', 'b')", PhysString},
		{Type{ID: List, Name: "INTEGER[]"}, "INTEGER[]", PhysString},
	} {
		if c.typ.String() != c.text || c.typ.Physical() != c.phys {
			t.Errorf("%s is printed %s, kept as %d", c.text, c.typ, c.typ.Physical())
		}
	}
}

// Every type that needs no name of its own has a spelling.
func TestEveryTypeHasAName(t *testing.T) {
	for id := Invalid; id <= Other; id++ {
		switch id {
		case Enum, List, Array, Struct, Other:
			continue
		}
		if s := (Type{ID: id, Width: 4, Scale: 1}).String(); s == "" {
			t.Errorf("type %d prints nothing", id)
		}
	}
}

func TestTypeClasses(t *testing.T) {
	for _, c := range []struct {
		id                    TypeID
		integer, exact, float bool
	}{
		{Boolean, false, false, false},
		{TinyInt, true, true, false},
		{UHugeInt, true, true, false},
		{Decimal, false, true, false},
		{Float, false, false, true},
		{Double, false, false, true},
		{Varchar, false, false, false},
	} {
		typ := Type{ID: c.id}
		if typ.IsInteger() != c.integer || typ.IsExact() != c.exact || typ.IsFloat() != c.float {
			t.Errorf("type %d: integer %t, exact %t, float %t", c.id, typ.IsInteger(), typ.IsExact(), typ.IsFloat())
		}
	}
}
