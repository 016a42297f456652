package engine

import "testing"

// The words that ask for the time are what they are elsewhere in ON CONFLICT and in CHECK, too.
func TestClockWordsWhereColumnsAreNamed(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE uc (a INTEGER PRIMARY KEY, n INTEGER, at TIMESTAMPTZ, d DATE, ts TIMESTAMP, tz TIMETZ, tm TIME)")
	s.run("INSERT INTO uc VALUES (1, 1, NULL, NULL, NULL, NULL, NULL)")
	s.run("BEGIN")
	s.run("INSERT INTO uc (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET at = CURRENT_TIMESTAMP, d = current_date, ts = (LOCALTIMESTAMP), tz = CURRENT_TIME, tm = LOCALTIME")
	s.want("SELECT at = now(), d = current_date, ts = localtimestamp, tz = current_time, tm = localtime FROM uc", "1|1|1|1|1")
	s.wantTag("INSERT INTO uc (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET n = CASE WHEN uc.at <= CURRENT_TIMESTAMP THEN 7 ELSE 8 END WHERE uc.at >= CURRENT_TIMESTAMP", "INSERT 0 1")
	s.wantTag("INSERT INTO uc (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET n = 9 WHERE uc.at < CURRENT_TIMESTAMP RETURNING CURRENT_TIMESTAMP = at", "INSERT 0 0")
	s.want("SELECT n FROM uc", "7")
	s.run("COMMIT")
	s.run("CREATE TABLE cc (d DATE DEFAULT CURRENT_DATE CHECK (d <= CURRENT_DATE), at TIMESTAMPTZ, CHECK (at <= CURRENT_TIMESTAMP OR at > LOCALTIMESTAMP + INTERVAL '9 days'))")
	s.run("INSERT INTO cc (at) VALUES (now())")
	s.wantError("INSERT INTO cc VALUES (current_date + 3, NULL)", "23514")
	s.wantError("INSERT INTO cc (at) VALUES (now() + INTERVAL '1 day')", "23514")
}
