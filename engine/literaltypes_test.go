package engine

import "testing"

// TestLiteralsOfTheirPlaces: clients that write values into the text as strings get the
// types that parameters would have there.
func TestLiteralsOfTheirPlaces(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE pf (id INTEGER, f DOUBLE, v DECIMAL(10,2), d DATE, ts TIMESTAMP, iv INTERVAL, s VARCHAR)")
	s.run("INSERT INTO pf VALUES (1, 2.0, 10, '2020-01-31', '2020-01-31 12:00:00', INTERVAL 1 DAY, 'x')")
	for _, backend := range []string{"auto", "duckdb"} {
		s.run("SET trireme.backend = '" + backend + "'")
		s.want("SELECT f * '2.5' FROM pf", "5")
		s.want("SELECT (v * '1.5')::VARCHAR, (v * '1.005')::VARCHAR FROM pf", "15.000|10.05000")
		s.want("SELECT id + '2', '2' * id FROM pf", "3|2")
		s.want("SELECT (ts + '1 day')::VARCHAR FROM pf", "2020-02-01 12:00:00")
		s.want("SELECT d - '2020-01-01' FROM pf", "30")
		s.want("SELECT (iv * '1.5')::VARCHAR FROM pf", "1 day 12:00:00")
		s.want("SELECT f * '2.5' || s || '\\x00' FROM pf WHERE s = 'x'", "5.0x\\x00")
		e := s.wantError("SELECT id + '2.5' FROM pf", "22P02")
		if e.Offset != 12 {
			t.Errorf("the error is at %d: %v", e.Offset, e)
		}
		s.wantError("SELECT '1' + '2'", "42725")
		s.wantError("SELECT d + '1' FROM pf", "42725")
	}
	s.run("UPDATE pf SET v = v * '1.1', f = f * '1.5'")
	s.want("SELECT v::VARCHAR, f FROM pf", "11.00|3")
}
