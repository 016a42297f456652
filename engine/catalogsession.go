package engine

import (
	"maps"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/engine/pgcatalog"
)

// sessionRelation is a query for a relation of Postgres' catalog whose rows the
// session knows and DuckDB does not.
func (s *Session) sessionRelation(name string) (string, bool) {
	switch name {
	case "pg_settings":
		return s.settingsRelation(), true
	case "pg_roles", "pg_authid":
		return s.rolesRelation("rolname", "rolsuper", "rolinherit", "rolcreaterole", "rolcreatedb", "rolcanlogin", "rolreplication", "rolbypassrls"), true
	case "pg_user", "pg_shadow":
		return s.usersRelation(), true
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

// ownerRole owns everything; its number is that of Postgres' first role.
const ownerRole = "trireme"

// roleNames are the owner and the user.
func (s *Session) roleNames() string {
	list := "(10::BIGINT, " + quoteText(ownerRole) + ")"
	if s.user != ownerRole && s.user != "" {
		list += ", (16384 + " + pgcatalog.Database + ".pg._number(" + quoteText("u."+s.user) + "), " + quoteText(s.user) + ")"
	}
	return "(VALUES " + list + ") AS t(oid, rolname)"
}

// rolesRelation has the columns of pg_roles; rights are those that everybody has.
func (s *Session) rolesRelation(name string, rights ...string) string {
	return "SELECT " + name + ", true AS " + strings.Join(rights, ", true AS ") +
		", -1::INTEGER AS rolconnlimit, '********' AS rolpassword, NULL::TIMESTAMPTZ AS rolvaliduntil, NULL::VARCHAR[] AS rolconfig, oid FROM " + s.roleNames()
}

func (s *Session) usersRelation() string {
	return "SELECT rolname AS usename, oid AS usesysid, true AS usecreatedb, true AS usesuper, true AS userepl, true AS usebypassrls," +
		" '********' AS passwd, NULL::TIMESTAMPTZ AS valuntil, NULL::VARCHAR[] AS useconfig FROM " + s.roleNames()
}
