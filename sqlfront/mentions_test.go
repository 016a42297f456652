package sqlfront

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestMentions(t *testing.T) {
	for sql, want := range map[string]string{
		`UPDATE t SET v = Random() + "Now"(), w = 'uuid()' -- f()`: `now,random|now,random,set,t,update,uuid(),v,w`,
		`CREATE TABLE u AS SELECT 1`:                               `|as,create,select,table,u as`,
		`CREATE TABLE u (g INTEGER AS (1))`:                        `as,u|as,create,g,integer,table,u`,
		`UPDATE t SET v = DEFAULT`:                                 `|default,set,t,update,v default`,
		"FROM 'Out', E'\\x6fne', $$two$$, $q$Three$q$":             `|from,one,out,three,two`,
		"FROM 'se' -- '\n\n'cret', E'a'\n'\\x62\\'', b -- '":       `|ab',b,from,secret`,
		"FROM 'a' /* \n */ 'b' 'c'":                                `|a,b,c,from`,
		`UPDATE t SET v = 'unterminated`:                           `|set,t,update,v`,
	} {
		m := MentionsOf(sql)
		got := strings.Join(slices.Sorted(maps.Keys(m.Calls)), ",") + "|" + strings.Join(slices.Sorted(maps.Keys(m.Names)), ",")
		if m.As {
			got += " as"
		}
		if m.Default {
			got += " default"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
}

func TestReplaces(t *testing.T) {
	for sql, want := range map[string]bool{
		"INSERT INTO t VALUES (1)": false, "INSERT OR REPLACE INTO t VALUES (1)": true, "INSERT OR IGNORE INTO t VALUES (1)": false,
		"INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING": false, "INSERT INTO t VALUES (1) ON CONFLICT (k) do /* x */ update SET v = 1": true,
		"INSERT INTO t VALUES ('or replace', 'do update')": false, "INSERT INTO t SELECT do, or FROM s": false,
	} {
		if got := Replaces(sql); got != want {
			t.Errorf("%s: %t", sql, got)
		}
	}
}

func TestMentionsOfSamples(t *testing.T) {
	for sql, want := range map[string]bool{
		"SELECT * FROM t USING SAMPLE 5": true, "SELECT * FROM t TABLESAMPLE reservoir(5)": true, "SELECT sample FROM t": false, `SELECT "tablesample" FROM sample`: false,
		"DELETE FROM t USING sample": true, // a table of the name is not told apart
	} {
		if got := MentionsOf(sql).Sample; got != want {
			t.Errorf("%s: %v", sql, got)
		}
	}
}

func TestGeneratedColumns(t *testing.T) {
	got := GeneratedColumns(`CREATE TABLE g(k INTEGER DEFAULT(nextval('q')), x DOUBLE GENERATED ALWAYS AS(random()), "generated" INTEGER GENERATED ALWAYS AS (CAST((k + 1) AS INTEGER)))`)
	if want := []string{"(random())", "(CAST((k + 1) AS INTEGER))"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
