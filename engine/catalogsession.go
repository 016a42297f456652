package engine

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trireme-db/trireme/engine/pgcatalog"
)

// readsViews are the relations whose queries read the catalog's database.
var readsViews = map[string]bool{"pg_locks": true, "pg_prepared_statements": true}

// sessionRelations are queries for the relations of Postgres' catalog whose rows the session
// knows and DuckDB does not.
var sessionRelations = map[string]func(*Session) string{
	"pg_settings": (*Session).settingsRelation, "pg_cursors": (*Session).cursorsRelation,
	"pg_prepared_statements": (*Session).preparedRelation, "pg_locks": (*Session).locksRelation,
}

// sessionRelation is the query for one of them.
func (s *Session) sessionRelation(name string) (string, bool) {
	if query := sessionRelations[name]; query != nil {
		return query(s), true
	}
	return "", false
}

// cursorsRelation lists the cursors of DECLARE.
func (s *Session) cursorsRelation() string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(s.cursors)) {
		c := s.cursors[name]
		list = append(list, valuesRow(quoteText(name), quoteText(c.text), strconv.FormatBool(c.declared.Hold),
			strconv.FormatBool(c.declared.Binary), strconv.FormatBool(c.declared.Scroll), timeLiteral(c.made)))
	}
	return valuesQuery(list, "name VARCHAR", "statement VARCHAR", "is_holdable BOOLEAN", "is_binary BOOLEAN", "is_scrollable BOOLEAN",
		"creation_time TIMESTAMPTZ")
}

// preparedRelation lists the statements of PREPARE and those that the client has named by
// messages.
func (s *Session) preparedRelation() string {
	var list []string
	for _, name := range s.statementNames() {
		n := s.statementNamed(name)
		types := "NULL"
		if n.query != nil {
			var names []string
			for _, t := range n.query.Params() {
				names = append(names, pgcatalog.Database+".pg.format_type("+pgcatalog.Database+".pg._type_oid("+quoteText(t.String())+"), -1, ['pg_catalog'])")
			}
			types = "[" + strings.Join(names, ", ") + "]"
		}
		list = append(list, valuesRow(quoteText(name), quoteText(n.text), timeLiteral(n.made), types, strconv.FormatBool(!n.byMessage), "0", "0"))
	}
	return valuesQuery(list, "name VARCHAR", "statement VARCHAR", "prepare_time TIMESTAMPTZ", "parameter_types VARCHAR[]", "from_sql BOOLEAN",
		"generic_plans BIGINT", "custom_plans BIGINT")
}

func timeLiteral(t time.Time) string {
	return quoteText(t.UTC().Format("2006-01-02 15:04:05.999999+00"))
}

func valuesRow(values ...string) string { return "(" + strings.Join(values, ", ") + ")" }

// valuesQuery is a query for rows, perhaps none, with columns of names and types.
func valuesQuery(list []string, columns ...string) string {
	items, names, nulls := make([]string, len(columns)), make([]string, len(columns)), make([]string, len(columns))
	for i, column := range columns {
		name, sqlType, _ := strings.Cut(column, " ")
		items[i], names[i], nulls[i] = name+"::"+sqlType+" AS "+name, name, "NULL"
	}
	where := ""
	if len(list) == 0 {
		list, where = []string{valuesRow(nulls...)}, " WHERE false"
	}
	return "SELECT " + strings.Join(items, ", ") + " FROM (VALUES " + strings.Join(list, ", ") + ") AS t(" + strings.Join(names, ", ") + ")" + where
}

// settingsRelation lists the settings that the session keeps.
func (s *Session) settingsRelation() string {
	names := slices.Sorted(maps.Keys(variables))
	list := make([]string, len(names))
	for i, name := range names {
		v := variables[name]
		context := "user"
		if v.fixed {
			context = "internal"
		}
		initial := s.settings.fallback(name)
		if name == "trireme.last_backend" { // is read, never set
			initial = s.show(name)
		}
		list[i] = "(" + strings.Join([]string{
			quoteText(v.name), quoteText(s.show(name)), quoteText(context), quoteText(initial),
		}, ", ") + ")"
	}
	return `SELECT name, setting, NULL::VARCHAR AS unit, 'Settings of the session' AS category, name AS short_desc, NULL::VARCHAR AS extra_desc,
 context, 'string' AS vartype, CASE WHEN setting = boot THEN 'default' ELSE 'session' END AS source, NULL::VARCHAR AS min_val, NULL::VARCHAR AS max_val,
 NULL::VARCHAR[] AS enumvals, boot AS boot_val, boot AS reset_val, NULL::VARCHAR AS sourcefile, NULL::INTEGER AS sourceline, false AS pending_restart
 FROM (VALUES ` + strings.Join(list, ", ") + `) AS t(name, setting, context, boot)`
}
