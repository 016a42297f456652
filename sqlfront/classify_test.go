package sqlfront

import (
	"fmt"
	"strings"
	"testing"
)

// brief writes a Class on one line, only what is set.
func brief(c Class) string {
	var b strings.Builder
	b.WriteString(c.Kind.String())
	add := func(set bool, format string, args ...any) {
		if set {
			b.WriteByte(' ')
			fmt.Fprintf(&b, format, args...)
		}
	}
	add(c.Name != "", "name=%s", c.Name)
	add(c.Kind == ClassSet, "value=%s", c.Value)
	add(c.Scope != "", "scope=%s", c.Scope)
	add(c.Body != "", "body=[%s]@%d", c.Body, c.Offset)
	add(c.Analyze, "analyze")
	add(c.JSON, "json")
	add(c.OtherFormat, "otherformat")
	add(c.NoAnalyze, "noanalyze")
	add(c.Replace, "replace")
	add(c.Cascades, "cascades")
	add(c.Temp, "temp")
	add(c.Object != "", "object=%s", c.Object)
	add(len(c.Target) > 0, "target=%s", strings.Join(c.Target, "/"))
	add(c.CopyFrom, "from")
	add(c.CopyStdio, "stdio")
	for _, w := range c.Writes {
		add(true, "writes=%s", strings.Join(w, "/"))
	}
	add(c.WritesUnknown, "unknown")
	add(c.Schema, "schema")
	if m := c.Modes; m != nil {
		add(m.Isolation != "", "isolation=%s", m.Isolation)
		add(m.ReadOnly != nil, "readonly=%v", m.ReadOnly != nil && *m.ReadOnly)
		add(m.Deferrable != nil, "deferrable=%v", m.Deferrable != nil && *m.Deferrable)
		add(m.Chain, "chain")
	}
	if u := c.Cursor; u != nil {
		add(u.Binary, "binary")
		add(u.Scroll, "scroll")
		add(u.NoScroll, "noscroll")
		add(u.Hold, "hold")
		add(u.All, "all")
		add(c.Kind == ClassFetch, "from=%d count=%d", u.From, u.Count)
		add(u.Move, "move")
	}
	add(len(c.Tables) > 0, "tables=%v", c.Tables)
	add(c.Wrong != nil, "wrong=%v", c.Wrong)
	return b.String()
}

func TestClassify(t *testing.T) {
	cases := []struct{ sql, want string }{
		{"", "empty"},
		{" -- x", "empty"},
		{"/* x */", "empty"},
		{"select 1", "select"},
		{"SELECT(1)", "select"},
		{"((select 1))", "select"},
		{"values (1)", "select"},
		{"from t", "select"},
		{"table t", "select"},
		{"with a as (select 1) select * from a", "select"},
		{"with a(x) as (select (1)), b as (select 2) insert into s.t select * from a", "insert target=s/t writes=s/t"},
		{"with a as (select 1) update t set x = 1", "update target=t writes=t"},
		{"with a as (delete from t returning x) select * from a", "select unknown"},
		{"insert into \"My T\" values (1)", "insert target=My T writes=My T"},
		{"insert or replace into a.b.c values (1)", "insert target=a/b/c writes=a/b/c"},
		{"update t as u set x = 1", "update target=t writes=t"},
		{"delete from t where x", "delete target=t writes=t"},
		{"truncate table t", "delete target=t writes=t"},
		{"merge into t using s on true when matched then delete", "merge target=t writes=t"},
		{"with a as (delete from u returning x) merge into t using a on true when matched then delete", "merge target=t writes=t unknown"},
		{"begin transaction read only", "begin readonly=true"},
		{"start transaction", "begin"},
		{"commit work", "commit"},
		{"end", "commit"},
		{"rollback", "rollback"},
		{"abort", "rollback"},
		{"savepoint a", "savepoint name=a"},
		{"release savepoint A", "release name=a"},
		{"rollback work to savepoint a", "rollback to name=a"},
		{"rollback to a", "rollback to name=a"},
		{"set x = 1", "set name=x value=1"},
		{"SET Trireme.Backend TO 'native'", "set name=trireme.backend value=native"},
		{"set session x to default", "set name=x value=default scope=session"},
		{"set local statement_timeout = '5s'", "set name=statement_timeout value=5s scope=local"},
		{"set session = 1", "set name=session value=1"},
		{"set time zone 'UTC'", "set name=timezone value=UTC"},
		{"set search_path = a, 'b'", "set name=search_path value=a, 'b'"},
		{"set transaction isolation level serializable", "set name=transaction value= isolation=serializable"},
		{"set session characteristics as transaction read only", "set name=transaction value= scope=session readonly=true"},
		{"show trireme.last_backend", "show name=trireme.last_backend"},
		{"show all", "show name=all"},
		{"SHOW TABLES", "show name=tables"},
		{"show tables from s", "show name=tables from s"},
		{"show transaction isolation level", "show name=transaction_isolation"},
		{"show time zone", "show name=timezone"},
		{"reset all", "reset name=all"},
		{"reset session x", "reset name=x scope=session"},
		{"reset time zone", "reset name=timezone"},
		{"reset transaction isolation level", "reset name=transaction_isolation"},
		{"explain select 1", "explain body=[select 1]@8"},
		{"explain analyze select 1 -- c", "explain body=[select 1]@16 analyze"},
		{"explain (analyze, format json) select 1", "explain body=[select 1]@31 analyze json"},
		{"explain (format 'json') select 1", "explain body=[select 1]@24 json"},
		{"explain (analyze false, costs off) select 1", "explain body=[select 1]@35 noanalyze"},
		{"explain (\"ANALYZE\") delete from t", "explain body=[delete from t]@20 analyze writes=t"},
		{"explain (analyze off) delete from t", "explain body=[delete from t]@22 noanalyze writes=t"},
		{"explain delete from t", "explain body=[delete from t]@8"},
		{"with values as (select 1) delete from t where v < 20", "delete target=t writes=t"},
		{"with recursive select(x) using key (x) as not materialized (select 1), 'update' as (select 2) (select 1)", "select"},
		{"with recursive as (select 1) insert into t from recursive", "insert target=t writes=t"},
		{"with a as (select update from insert) select 1", "select"},
		{"with a as (delete from t returning x) select 1", "select unknown"},
		{"with a select 1", "other unknown schema"},
		{"update only t set x = 1", "update target=t writes=t"},
		{"update only (s.t) set x = 1", "update target=s/t writes=s/t"},
		{"alter table if exists only t add column y int", "alter object=table target=t writes=t schema"},
		{"explain (format html) select 1", "explain body=[select 1]@22 otherformat"},
		{"explain (select 1)", "explain body=[(select 1)]@8"},
		{"explain analyze insert into t values (1)", "explain body=[insert into t values (1)]@16 analyze writes=t"},
		{"create table if not exists s.t(x int)", "create object=table target=s/t writes=s/t schema"},
		{"create or replace temp table t as select 1", "create replace temp object=table target=t writes=t schema"},
		{"create view v as select 1", "create object=view target=v writes=v schema"},
		{"create unique index i on s.t(x)", "create object=index target=i writes=s/t schema"},
		{"create index on t(x)", "create object=index writes=t schema"},
		{"create schema s", "create object=schema target=s schema"},
		{"drop table if exists t", "drop object=table target=t writes=t schema"},
		{"drop view v", "drop object=view target=v writes=v schema"},
		{"drop view v, s.w cascade;", "drop cascades object=view target=v writes=v writes=s/w schema"},
		{"drop view v and more", "drop object=view target=v writes=v unknown schema"},
		{"alter view v rename to w", "alter object=view target=v writes=v schema"},
		{"drop schema s, r cascade", "drop cascades object=schema target=s schema"},
		{"drop sequence q restrict", "drop object=sequence target=q schema"},
		{"drop macro table f", "drop object=macro target=f schema"},
		{"drop type t cascade", "drop cascades object=type target=t schema"},
		{"drop type", "drop object=type unknown schema"},
		{"drop index i", "drop object=index target=i schema"},
		{"drop database d", "drop object=database target=d unknown schema"},
		{"alter index i rename to j", "alter object=index target=i schema"},
		{"alter schema s rename to r", "alter object=schema target=s unknown schema"},
		{"alter sequence q owned by t.k", "alter object=sequence target=q schema"},
		{"create macro f(x) as x", "create object=macro target=f schema"},
		{"comment on index i is 'x'", "comment object=index target=i schema"},
		{"explain analyze drop schema s cascade", "explain body=[drop schema s cascade]@16 analyze unknown schema"},
		{"alter table t add column y int", "alter object=table target=t writes=t schema"},
		{"alter table s.t rename to u", "alter object=table target=s/t writes=s/t schema"},
		{"alter table s.t add c decimal(5, 2) default (1 + 2), rename to u", "alter object=table target=s/t writes=s/t schema"},
		{"alter table t rename x to y", "alter object=table target=t writes=t schema"},
		{"comment on table t is 'x'", "comment object=table target=t writes=t schema"},
		{"copy t from stdin", "copy target=t from stdio writes=t"},
		{"copy s.t (a, b) from 'f.csv' (header)", "copy target=s/t from writes=s/t"},
		{"copy t to stdout", "copy target=t stdio"},
		{"copy (select (1)) to 'f'", "copy body=[select (1)]@6"},
		{"copy from database a to b", "copy target=b from unknown schema"},
		{"prepare p(int) as select $1", "prepare name=p body=[select $1]@18"},
		{"begin work isolation level read committed, read write not deferrable", "begin isolation=read committed readonly=false deferrable=false"},
		{"begin isolation level chaos", `begin wrong=syntax error at or near "chaos"`},
		{"begin read only,", "begin readonly=true wrong=syntax error at end of input"},
		{"start", "begin wrong=syntax error at end of input"},
		{"commit and chain", "commit chain"},
		{"rollback work and no chain", "rollback"},
		{"commit and", `commit wrong=syntax error at or near "and"`},
		{"commit prepared 'x'", "two-phase"},
		{"prepare transaction 'x'", "two-phase"},
		{"prepare transaction as select 1", "prepare name=transaction body=[select 1]@23"},
		{"savepoint", "savepoint wrong=syntax error at end of input"},
		{"declare C cursor for select 1", "declare name=c body=[select 1]@21"},
		{`declare "C" binary insensitive no scroll cursor with hold for values (1)`, "declare name=C body=[values (1)]@62 binary noscroll hold"},
		{"declare c scroll cursor without hold for select 1", "declare name=c body=[select 1]@41 scroll"},
		{"declare c scroll no scroll cursor for select 1", "declare name=c body=[select 1]@38 scroll noscroll wrong=cannot specify both SCROLL and NO SCROLL"},
		{"declare c cursor for", "declare name=c wrong=syntax error at end of input"},
		{"fetch c", "fetch name=c from=0 count=1"},
		{"fetch next from c", "fetch name=c from=0 count=1"},
		{"fetch prior in c", "fetch name=c from=0 count=-1"},
		{"fetch first c", "fetch name=c from=1 count=1"},
		{"fetch last from c", "fetch name=c from=1 count=-1"},
		{"fetch absolute -3 from c", "fetch name=c from=1 count=-3"},
		{"fetch relative +3 c", "fetch name=c from=2 count=3"},
		{"fetch 10 from c", "fetch name=c from=0 count=10"},
		{"fetch -10 c", "fetch name=c from=0 count=-10"},
		{"fetch all from c", "fetch name=c all from=0 count=1"},
		{"fetch forward from c", "fetch name=c from=0 count=1"},
		{"fetch forward 5 c", "fetch name=c from=0 count=5"},
		{"fetch forward all in c", "fetch name=c all from=0 count=1"},
		{"fetch backward 5 from c", "fetch name=c from=0 count=-5"},
		{"fetch backward all from c", "fetch name=c all from=0 count=-1"},
		{"move forward 5 from c", "fetch name=c from=0 count=5 move"},
		{"fetch next", "fetch name=next from=0 count=1"},
		{"fetch 1.5 from c", `fetch from=0 count=0 wrong=syntax error at or near "1.5"`},
		{"fetch 99999999999999999999 from c", `fetch from=0 count=0 wrong=syntax error at or near "99999999999999999999"`},
		{"fetch next from c d", `fetch name=c from=0 count=1 wrong=syntax error at or near "d"`},
		{"close c", "close name=c"},
		{"close all", "close all"},
		{"lock table a, s.b in access share mode nowait", "lock tables=[[a] [s b]]"},
		{"listen x", "listen name=x"},
		{"unlisten *", "unlisten name=*"},
		{"notify x, 'payload'", "notify name=x"},
		{"discard temporary", "discard object=temp schema"},
		{"discard", "discard schema wrong=syntax error at end of input"},
		{`deallocate "all"`, "deallocate name=all"},
		{"prepare p (int, decimal(9, 2)) as select $1", "prepare name=p body=[select $1]@34"},
		{"execute p(1)", "execute name=p unknown schema"},
		{"deallocate prepare all", "deallocate object=all"},
		{"discard all", "discard object=all schema"},
		{"attach 'x' as y", "attach target=y unknown schema"},
		{"attach or replace database 'x' as y (type duckdb)", "attach replace target=y unknown schema"},
		{"attach if not exists 'x'", "attach unknown schema"},
		{"detach database if exists \"y\"", "detach target=y unknown schema"},
		{"alter database if exists y set alias to z", "alter object=database target=y unknown schema"},
		{"use s", "use schema"},
		{"call f()", "call name=f unknown schema"},
		{"call Pragma_Version()", "call name=pragma_version"},
		{"pragma x", "pragma name=x unknown schema"},
		{"pragma \"x\"", "pragma name=x unknown schema"},
		{"pragma database_size", "pragma name=database_size"},
		{"checkpoint", "checkpoint"},
		{"force checkpoint", "checkpoint"},
		{"force install x", "install"},
		{"vacuum", "vacuum"},
		{"analyze t", "analyze"},
		{"import database 'x'", "import unknown schema"},
		{"load x", "load schema"},
		{"install x", "install"},
		{"nonsense", "other unknown schema"},
		{"'x", "other unknown"},
		{"insert into", "insert unknown"},
	}
	for _, c := range cases {
		if got := brief(Classify(c.sql)); got != c.want {
			t.Errorf("Classify(%q)\n got %s\nwant %s", c.sql, got, c.want)
		}
	}
}
