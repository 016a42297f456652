package engine

import (
	"context"
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// sessionSettings are DuckDB's settings that SET changes for one session only;
// SET of others changes them for all.
var sessionSettings = map[string]bool{
	"calendar": true, "timezone": true, "asof_loop_join_threshold": true, "binary_as_string": true, "deprecated_using_key_syntax": true,
	"disable_timestamptz_casts": true, "dynamic_or_filter_threshold": true, "enable_caching_operators": true,
	"explain_output": true, "ieee_floating_point_ops": true,
	"ignore_unknown_crs": true, "integer_division": true, "lambda_syntax": true, "late_materialization_max_rows": true,
	"merge_join_threshold": true, "nested_loop_join_threshold": true, "order_by_non_integer_literal": true, "ordered_aggregate_threshold": true,
	"perfect_ht_threshold": true, "pivot_filter_threshold": true, "pivot_limit": true, "prefer_range_joins": true, "preserve_identifier_case": true,
	"scalar_subquery_error_on_multiple_rows": true, "schema": true, "search_path": true,
}

// sharedUnlessSaid are those that a session can have for itself as well, for which DuckDB's SET
// and RESET must say SESSION. Here SET without more is of a session, as in Postgres.
var sharedUnlessSaid = map[string]bool{
	"default_collation": true, "default_null_order": true, "default_order": true, "null_order": true, "old_implicit_casting": true, "preserve_insertion_order": true,
}

// sayScope makes a SET or RESET of such a setting say that it is of the session.
func (p *Prepared) sayScope(ctx context.Context) error {
	if c := p.class; c.Kind != sqlfront.ClassSet && c.Kind != sqlfront.ClassReset || c.Scope != "" || !sharedUnlessSaid[strings.ToLower(c.Name)] {
		return nil
	}
	return p.edit(ctx, sqlfront.SessionEdits(p.sql))
}

// permitSetting refuses SET, RESET and PRAGMA of what concerns all sessions; that
// is for admins.
func (s *Session) permitSetting(c sqlfront.Class) error {
	name := strings.ToLower(c.Name)
	switch c.Kind {
	case sqlfront.ClassSet, sqlfront.ClassReset:
		if c.Scope == "variable" || c.Scope != "global" && (s.isOwn(name) || sessionSettings[name]) || c.Scope == "session" && sharedUnlessSaid[name] {
			return nil
		}
	case sqlfront.ClassPragma:
		if sessionSettings[name] {
			return nil
		}
	default:
		return nil
	}
	if c.Scope != "global" && !s.isDuckSetting(name) && !serverPragmas[name] {
		return nil // DuckDB has an error, or it is no setting
	}
	return s.denied("change \""+name+"\", which concerns all sessions", hintAdmin)
}

// mustBeSetting gives DuckDB's error for a setting that neither the session nor DuckDB
// has. Where the configuration is locked, DuckDB says that first.
func (s *Session) mustBeSetting(ctx context.Context, c sqlfront.Class) error {
	switch {
	case c.Kind != sqlfront.ClassSet && c.Kind != sqlfront.ClassReset || c.Scope == "variable" || c.Name == "":
		return nil
	case s.prepareSetting(c) != nil || s.isDuckSetting(strings.ToLower(c.Name)):
		return nil
	}
	_, err := s.Describe(ctx, "SELECT current_setting("+quoteText(c.Name)+")", nil)
	if err == nil {
		return nil
	}
	e := *sqlerr.From(err)
	e.Offset = -1 // counts in a text of ours
	return &e
}

// serverPragmas concern the whole server, or its console and files.
var serverPragmas = map[string]bool{
	"enable_profile": true, "enable_profiling": true, "disable_profile": true, "disable_profiling": true, "enable_checkpoint_on_shutdown": true,
	"disable_checkpoint_on_shutdown": true, "enable_logging": true, "disable_logging": true, "enable_object_cache": true, "disable_object_cache": true,
	"force_checkpoint": true, "enable_verification": true, "verify_external": true, "verify_fetch_row": true, "verify_parallelism": true,
	"verify_serializer": true, "all_profiling_output": true,
}
