package duckbackend

import (
	"fmt"
	"strings"
	"testing"
)

// The texts of times within values are the times, in every zone: their zones' seconds are
// among them.
func TestZonesOfTimesInValues(t *testing.T) {
	c := openConn(t, openMemory(t))
	zones := strings.Fields(query(t, c, "SELECT name FROM pg_timezone_names() ORDER BY name"))
	if len(zones) < 100 {
		t.Fatalf("%d zones", len(zones))
	}
	for _, zone := range zones {
		if strings.ContainsAny(zone, "+") {
			continue // Etc/GMT+1 and the like: the zone has no past
		}
		mustExec(t, c, "SET TimeZone = "+quoteText(zone))
		text := strings.TrimSpace(query(t, c, "SELECT [TIMESTAMPTZ '1700-01-01 00:00:00+00', TIMESTAMPTZ '1905-06-01 00:00:00.5+00']"))
		back := query(t, c, "SELECT epoch_us(x) FROM (SELECT unnest("+quoteText(text)+"::TIMESTAMPTZ[])) t(x)")
		if want := "-8520336000000000\n-2038175999500000\n"; back != want {
			t.Errorf("%s: %s is %q, want %q", zone, text, back, want)
		}
	}
}

func TestTextsOfTimesInAnyValue(t *testing.T) {
	c := openConn(t, openMemory(t))
	mustExec(t, c, "CREATE MACRO printf(a, b) AS 'mine'; CREATE MACRO concat(a, b) AS 'mine'")
	const at = "TIMESTAMPTZ '1850-01-01 00:00:00+00'"
	const text = "1849-12-31 19:03:58-04:56"
	for _, form := range []string{
		"[%s, NULL]", "[[%s], NULL, []]", "array_value(%s, NULL)", "{'a': %s, 'b c': 1}", "row(%s, 2)", "MAP {%s: 'x,y'}", "MAP {'k': [%s]}",
		"{'m': MAP {1: %s}, 'n': NULL}", "[{'a': %s}, NULL, {'a': NULL}]", "union_value(a := %s)", "[union_value(a := %s)]",
		"{'u': union_value(a := %s)::UNION(b INTEGER, a TIMESTAMPTZ)}", "[3::UNION(b INTEGER, a TIMESTAMPTZ), %s]", "{'a''\"b': [%s]}",
		"array_value([%s], NULL)", "[row(%s, row(%[1]s))]",
	} {
		value := fmt.Sprintf(form, at)
		// DuckDB's text of the value in a zone of which the distance has no seconds.
		mustExec(t, c, "SET TimeZone = 'Asia/Tokyo'")
		plain := fmt.Sprintf(form, "TIMESTAMPTZ '2001-01-01 00:00:00+00'")
		list := func(value string) string { return strings.ReplaceAll(value, "array_value", "list_value") } // whose elements have quotes
		if got, want := query(t, c, "SELECT "+plain), query(t, c, "SELECT CAST("+list(plain)+" AS VARCHAR)"); got != want {
			t.Errorf("%s: %q, want %q", plain, got, want)
		}
		mustExec(t, c, "SET TimeZone = 'America/New_York'")
		want := strings.ReplaceAll(query(t, c, "SELECT CAST("+list(value)+" AS VARCHAR)"), text, text+":02")
		if got := query(t, c, "SELECT "+value); got != want || !strings.Contains(got, ":02") {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
	for _, value := range []string{
		"NULL::TIMESTAMPTZ[]", "NULL::MAP(TIMESTAMPTZ, INTEGER)", "NULL::STRUCT(a TIMESTAMPTZ)", "NULL::UNION(a TIMESTAMPTZ)", "[]::TIMESTAMPTZ[]",
		"MAP {}::MAP(TIMESTAMPTZ, INTEGER)", "[TIMESTAMPTZ 'infinity', TIMESTAMPTZ '-infinity']", "NULL::TIMESTAMPTZ::UNION(a TIMESTAMPTZ)",
		"[NULL::TIMESTAMPTZ::UNION(a TIMESTAMPTZ), NULL]",
	} {
		if got, want := query(t, c, "SELECT "+value+" FROM range(2)"), query(t, c, "SELECT CAST("+value+" AS VARCHAR) FROM range(2)"); got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
}
