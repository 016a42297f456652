package engine

import (
	"maps"
	"slices"
	"strings"
)

// sessionRelation is a query for a relation of Postgres' catalog whose rows the
// session knows and DuckDB does not.
func (s *Session) sessionRelation(name string) (string, bool) {
	if name == "pg_settings" {
		return s.settingsRelation(), true
	}
	return "", false
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
