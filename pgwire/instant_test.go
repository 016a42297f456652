package pgwire

import (
	"testing"
	"time"

	"github.com/trireme-db/trireme/internal/rows"
)

// A time with a zone is shown within a list as it is alone, and has its bits.
func TestTimesWithinLists(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Amsterdam")
	if err != nil {
		t.Fatal(err)
	}
	list := rows.Type{ID: rows.List, Name: "TIMESTAMP WITH TIME ZONE[]"}
	alone := rows.Type{ID: rows.TimestampTZ}
	for _, c := range []struct {
		text string
		at   int64
	}{
		{"1849-12-31 19:03:58-04:56:02", -3786825600000000},
		{"1849-12-31 19:03:58.000001-04:56:02", -3786825599999999},
		{"1970-01-01 00:00:00.5+00", 500000},
		{"1969-12-31 23:59:59.99+00", -10000},
		{"1970-01-01 05:30:00+05:30", 0},
		{"0001-12-31 (BC) 23:59:59+00", -62135596801000000},
		{"294247-01-10 04:00:54.775806+00", timestampInfinity - 1},
		{"infinity", timestampInfinity},
		{"-infinity", -timestampInfinity},
	} {
		vec := vecList(list.Name, "['"+c.text+"', NULL]")
		one := vecI(rows.TimestampTZ, c.at)
		style := textStyle{zone: zone}
		want := "{" + string(appendArrayElement(nil, string(encode(t, textAppender(alone, style), one, 0)))) + ",NULL}"
		if got := string(encode(t, textAppender(list, style), vec, 0)); got != want {
			t.Errorf("%s: %s, want %s", c.text, got, want)
		}
		const headBytes = 24
		got := encode(t, binaryAppender(list), vec, 0)
		if bits := string(got[headBytes : headBytes+8]); bits != string(encode(t, binaryAppender(alone), one, 0)) {
			t.Errorf("%s: %x", c.text, got)
		}
	}
	for _, text := range []string{"", "-", "1", "2001-01-01 00:00:00", "2001-01-01 00:00:00.5", "2001-01-01 00:00:00+", "2001-01-01 00:00:00+1x", "x-01-01 00:00:00+00", "2001-01-01 00:00:00+00 x"} {
		if at, ok := duckInstant(text); ok {
			t.Errorf("%q is %d", text, at)
		}
	}
}
