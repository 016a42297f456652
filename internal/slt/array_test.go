package slt

import (
	"testing"

	"github.com/jackc/pgx/v5/pgtype"
)

func TestLists(t *testing.T) {
	for _, c := range []struct {
		oid        uint32
		text, want string
	}{
		{pgtype.Int4ArrayOID, "{}", "[]"},
		{pgtype.Int4ArrayOID, "{1,NULL,-3}", "[1, NULL, -3]"},
		{pgtype.BoolArrayOID, "{t,f}", "[true, false]"},
		{pgtype.Float8ArrayOID, "{1,NaN,-Infinity}", "[1.0, nan, -inf]"},
		{pgtype.TextArrayOID, `{"a,b","c\"d",NULL,"NULL","",it's,"back\\slash"}`, `['a,b', 'c"d', NULL, 'NULL', '', 'it\'s', back\slash]`},
		{pgtype.DateArrayOID, `{"0044-03-15 BC",2020-01-02}`, "['0044-03-15 (BC)', 2020-01-02]"},
		{pgtype.TimestampArrayOID, `{"2020-01-01 00:00:00"}`, "['2020-01-01 00:00:00']"},
	} {
		if got := duckText(c.text, c.oid); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}
