package engine

import (
	"context"
	"testing"
)

// openKeyed has tables with primary keys.
func openKeyed(t *testing.T) testSession {
	s := openSession(t, openEngine(t))
	s.choosesNative()
	for _, sql := range []string{
		"CREATE TABLE a (id INTEGER PRIMARY KEY, n VARCHAR, m INTEGER)",
		"CREATE TABLE b (id INTEGER PRIMARY KEY, aid INTEGER, v INTEGER)",
		"INSERT INTO a VALUES (1, 'x', 5), (2, 'y', 6), (3, 'x', 5)",
		"INSERT INTO b VALUES (1, 1, 10), (2, 1, 20), (3, 2, 30), (4, NULL, 1)",
		"CREATE TABLE l (la INTEGER, lb INTEGER, d VARCHAR, PRIMARY KEY (la, lb))",
		"INSERT INTO l VALUES (1, 1, 'p'), (1, 2, 'q'), (2, 1, 'r')",
		"CREATE TABLE p (id INTEGER PRIMARY KEY, la INTEGER, lb INTEGER)",
		"INSERT INTO p VALUES (1, 1, 1), (2, 1, 2), (3, 1, 2)",
		"CREATE VIEW va AS SELECT id, n FROM a",
		"CREATE TABLE ug (id INTEGER NOT NULL UNIQUE, n VARCHAR)",
	} {
		s.run(sql)
	}
	return s
}

// The primary key of a table among the groups determines its columns. The answers are
// those of Postgres 15.
func TestPrimaryKeyDeterminesColumns(t *testing.T) {
	s := openKeyed(t)
	for _, c := range []struct{ sql, want string }{
		{"select a.n, count(b.id) from a left join b on b.aid=a.id group by a.id order by a.id", "x|2;y|1;x|0"},
		{"select a.id as k, a.n, count(*) from a join b on b.aid=a.id group by k order by 1", "1|x|2;2|y|1"},
		{"select a.id, a.n, count(*) from a join b on b.aid=a.id group by 1 order by 1", "1|x|2;2|y|1"},
		{"select a.*, count(*) from a join b on b.aid=a.id group by a.id order by a.id", "1|x|5|2;2|y|6|1"},
		{"select upper(a.n) || a.m::text, sum(b.v) from a join b on b.aid=a.id group by a.id having a.m > 4 order by a.n, a.id", "X5|30;Y6|30"},
		{"select x.n, y.n, count(*) from a x join a y on x.m = y.m group by x.id, y.id order by x.id, y.id", "x|x|1;x|x|1;y|y|1;x|x|1;x|x|1"},
		{"select d, count(*) from l join p using (la, lb) group by la, lb order by d", "p|1;q|2"},
		{"select d, count(*) from l join p using (la, lb) group by l.lb, l.la order by d", "p|1;q|2"},
		{"select a.n from a left join b using (id) group by id order by 1", "x;x;y"},
		{"select b.v from a right join b using (id) group by id order by 1", "1;10;20;30"},
		{"select b.v from a join b using (id) group by b.id order by 1", "10;20;30"},
		{"select n, count(*) from a join b on a.id=b.aid group by a.id, rollup(b.v) order by 1,2", "x|1;x|1;x|2;y|1;y|1"},
		{"select n, count(*) from a group by grouping sets ((id)) order by 1", "x|1;x|1;y|1"},
		{"select n, count(*) from a group by grouping sets ((id),(id,m)) order by 1", "x|1;x|1;x|1;x|1;y|1;y|1"},
		{"select (select count(*) from b where b.aid = a.id and a.n = 'x') from a group by a.id order by a.id", "2;0;0"},
		{"select (select a.n), count(*) from a group by a.id order by a.id", "x|1;y|1;x|1"},
		{"with c as (select a.n, count(*) as k from a join b on b.aid=a.id group by a.id) select * from c order by 1", "x|2;y|1"},
		{"select * from (select a.n, count(*) k from a join b on b.aid=a.id group by a.id) q order by 1", "x|2;y|1"},
		{"select t.y, count(*) from a as t(x,y) group by x order by 1", "x|1;x|1;y|1"},
		{"select main.a.n, count(*) from main.a group by main.a.id order by 1", "x|1;x|1;y|1"},
		{"select distinct a.n from a join b on b.aid=a.id group by a.id order by a.n", "x;y"},
		{"select n, row_number() over (order by n, m) from a group by id order by 2", "x|1;x|2;y|3"},
		{"select count(*) from a group by id having n = 'x'", "1;1"},
		{"select n from a group by id union all select n from a group by id order by 1", "x;x;x;x;y;y"},
		{"select a.n as id, count(*) from a group by id order by 1", "x|1;x|1;y|1"},
		{"select é.n, count(*) \"ü\", 'ß' from a é group by é.id order by 1", "x|1|ß;x|1|ß;y|1|ß"},
		{"select a.n, b.v, count(*) from a left join b on b.aid=a.id group by a.id, b.id order by 1,2", "x|10|1;x|20|1;x|NULL|1;y|30|1"},
		{"select exists(select 1 from b where b.aid=a.id and b.v > a.m) from a group by a.id order by a.id", "1;1;0"},
		{"select case when a.m > 5 then a.n end, count(*) filter (where b.v > a.m) from a left join b on b.aid=a.id group by a.id order by a.id", "NULL|2;y|1;NULL|0"},
	} {
		s.run("SET trireme.backend = 'auto'")
		s.want(c.sql, c.want)
		s.run("SET trireme.backend = 'duckdb'")
		s.want(c.sql, c.want)
	}
}

// What a primary key does not determine, as in Postgres, is an error at the same place.
func TestPrimaryKeyDoesNotDetermine(t *testing.T) {
	s := openKeyed(t)
	for _, c := range []struct {
		sql    string
		offset int
	}{
		{"select x.n, y.n, count(*) from a x join a y on x.m = y.m group by x.id order by x.id", 12},
		{"select d, count(*) from l group by la", 7},                                       // half of a key
		{"select n, count(*) from va group by id", 7},                                      // a view
		{"select n, count(*) from ug group by id", 7},                                      // a UNIQUE constraint
		{"select n, count(*) from (select * from a) a group by id", 7},                     // a derived table
		{"with a as (select 1 as id, 'q' as n) select n, count(*) from a group by id", 44}, // another table of the name
		{"select a.n, b.v from a join b using (id) group by id order by 1", 12},            // id is a's
		{"select b.v from a left join b using (id) group by id order by 1", 7},
		{"select a.n from a right join b using (id) group by id order by 1", 7},
		{"select a.n from a full join b using (id) group by id order by 1", 7},
		{"select a.n from a natural join b group by b.id order by 1", 7},
		{"select n, count(*) from a group by rollup(id)", 7}, // the total has no key
		{"select n, id+1 from a group by id+1", 7},
		{"select b.v, a.n, count(*) from a left join b on b.aid=a.id group by a.id", 7},
	} {
		if e := s.wantError(c.sql, "42803"); e.Offset != c.offset {
			t.Errorf("%s: the error is at %d, want %d", c.sql, e.Offset, c.offset)
		}
	}
}

// The tensor engine and the decomposed SQL group by such columns.
func TestPrimaryKeyDeterminesOnTensors(t *testing.T) {
	s := openKeyed(t)
	for _, backend := range []string{"native", "decomposed", "duckdb"} {
		s.run("SET trireme.backend = '" + backend + "'")
		s.want("select a.n, count(b.id) from a left join b on b.aid=a.id group by a.id order by a.id", "x|2;y|1;x|0")
		s.want("select a.id, a.m + 1, sum(b.v) from a join b on b.aid=a.id group by 1 having a.n = 'x' order by a.m", "1|6|30")
		s.want("SHOW trireme.last_backend", backend)
	}
}

// Statements that have a query in them are read in the same way.
func TestPrimaryKeyDeterminesInStatements(t *testing.T) {
	s := openKeyed(t)
	const counts = "select a.n, count(b.id) c from a left join b on b.aid=a.id group by a.id"
	s.run("CREATE VIEW v AS " + counts)
	s.want("SELECT * FROM v ORDER BY ALL", "x|0;x|2;y|1")
	s.run("CREATE TABLE made AS " + counts)
	s.want("SELECT * FROM made ORDER BY ALL", "x|0;x|2;y|1")
	s.run("INSERT INTO made " + counts + " RETURNING n")
	s.want("SELECT count(*) FROM made", "6")
	s.run("WITH w AS (SELECT 100 AS k) INSERT INTO ug SELECT id + k, n FROM a, w GROUP BY id, k")
	s.want("SELECT * FROM ug ORDER BY ALL", "101|x;102|y;103|x")
	s.run("UPDATE ug SET n = q.n || 'z' FROM (SELECT id, n FROM a GROUP BY id) q WHERE q.id + 100 = ug.id")
	s.run("DELETE FROM ug USING (SELECT id, n FROM a GROUP BY id) q WHERE q.id + 100 = ug.id AND q.n = 'x'")
	s.want("SELECT * FROM ug ORDER BY ALL", "102|yz")
	s.run("PREPARE q AS " + counts + " ORDER BY a.id")
	s.want("EXECUTE q", "x|2;y|1;x|0")
	s.run("BEGIN")
	s.run("DECLARE d CURSOR FOR " + counts + " ORDER BY a.id")
	s.want("FETCH ALL FROM d", "x|2;y|1;x|0")
	s.run("COMMIT")
	s.run("EXPLAIN " + counts)
	s.run("CREATE TEMP TABLE tmp (id INTEGER PRIMARY KEY, n VARCHAR)")
	s.run("INSERT INTO tmp VALUES (1, 'x')")
	s.want("SELECT n, count(*) FROM tmp GROUP BY id", "x|1")
	for _, sql := range []string{
		"select a.n, count(b.id) + $1 from a left join b on b.aid=a.id where b.v > $2 group by a.id order by a.id",
		"select a.n, count(b.id) + ? from a left join b on b.aid=a.id where b.v > ? group by a.id order by a.id",
	} {
		if got := s.run(sql, "10", "15"); got != "x|11;y|11" {
			t.Errorf("%s: %q", sql, got)
		}
	}
}

// A prepared statement asks for the key again when the catalog has changed.
func TestPrimaryKeyOfPrepared(t *testing.T) {
	s := openKeyed(t)
	ctx := context.Background()
	p, err := s.Prepare(ctx, "select a.n, count(*) from a group by a.id order by a.id", nil)
	if err != nil {
		t.Fatal(err)
	}
	execute := func() (string, error) {
		res, err := p.Execute(ctx, nil)
		if err != nil {
			return "", err
		}
		return readAll(res)
	}
	if got, err := execute(); got != "x|1;y|1;x|1" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	s.run("DROP TABLE a CASCADE")
	s.run("CREATE TABLE a (id INTEGER, n VARCHAR, m INTEGER)")
	s.run("INSERT INTO a VALUES (1, 'x', 5), (1, 'z', 5)")
	if got, err := execute(); err == nil {
		t.Errorf("answered %q without a key", got)
	}
	s.run("ALTER TABLE a ADD PRIMARY KEY (id, n)")
	if got, err := execute(); err == nil {
		t.Errorf("answered %q with half of a key", got)
	}
	s.run("DELETE FROM a WHERE n = 'z'")
	s.run("DROP TABLE a CASCADE")
	s.run("CREATE TABLE a (id INTEGER PRIMARY KEY, n VARCHAR, m INTEGER)")
	s.run("INSERT INTO a VALUES (7, 'w', 5)")
	if got, err := execute(); got != "w|1" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
