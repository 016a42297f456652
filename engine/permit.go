package engine

import (
	"context"

	"github.com/trireme-db/trireme/engine/roles"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// insufficientPrivilege is the SQLSTATE of what a role may not do.
const insufficientPrivilege = "42501"

// rights are what the session may do now: they follow changes of its role.
func (s *Session) rights() (roles.Rights, error) {
	if s.role == "" {
		return roles.Rights{Admin: true}, nil
	}
	return s.engine.cfg.Roles.Rights(s.role)
}

// permit refuses a statement that the session may not run. It gives the clear
// error; behind it stand DuckDB's own walls: a confined instance, and read-only
// transactions for those who read only.
func (p *Prepared) permit(ctx context.Context) error {
	r, err := p.session.rights()
	if err != nil {
		return err
	}
	p.permitted = r
	if err := p.session.permitFunctions(ctx, p.sql, r); err != nil {
		return err
	}
	return p.session.permitStatement(ctx, p.class, p.sql, r, 0)
}

// permitAgain permits a prepared statement before it runs, if the session's
// rights are others than when it was prepared.
func (p *Prepared) permitAgain(ctx context.Context) error {
	r, err := p.session.rights()
	if err != nil || r == p.permitted {
		return err
	}
	return p.permit(ctx)
}

// nestingMax is how deep statements may stand in one another, as in EXPLAIN of
// PREPARE.
const nestingMax = 4

func (s *Session) permitStatement(ctx context.Context, c sqlfront.Class, sql string, r roles.Rights, depth int) error {
	if c.Kind == sqlfront.ClassRole {
		return s.permitRole(c.Role, r)
	}
	if r.Admin && !r.ReadOnly && !s.engine.cfg.Confined {
		return nil
	}
	if named := s.statementNamed(c.Name); named != nil && c.Kind == sqlfront.ClassExecute {
		if err := s.permitFunctions(ctx, named.sql, r); err != nil {
			return deniedAt(err, -1) // counts in another text
		}
		return s.permitStatement(ctx, named.class, named.sql, r, depth+1)
	}
	if !seesPaths(r) {
		if err := s.permitSetting(c); err != nil {
			return err
		}
		if err := s.permitPaths(c, sql); err != nil {
			return err
		}
		if c.Kind == sqlfront.ClassCheckpoint && firstWord(sql) == "FORCE" {
			return s.denied("run FORCE CHECKPOINT", hintAdmin)
		}
	}
	if s.engine.cfg.Confined {
		if err := s.permitFiles(ctx, c, sql); err != nil {
			return err
		}
		if err := s.mustBeSetting(ctx, c); err != nil {
			return err
		}
	}
	if r.ReadOnly {
		if err := s.permitReading(ctx, c, sql); err != nil {
			return err
		}
	}
	if c.Body == "" {
		return nil
	}
	if depth == nestingMax {
		return sqlerr.New(sqlerr.FeatureNotSupported, "statements are nested too deeply")
	}
	inner := sqlfront.Classify(c.Body)
	if inner.Kind == sqlfront.ClassRole {
		return sqlerr.New(sqlerr.FeatureNotSupported, "statements on roles cannot be prepared or explained")
	}
	return s.permitStatement(ctx, inner, c.Body, r, depth+1)
}

// permitRole: admins manage roles; everybody may change their own password, and what
// their own sessions begin with, which they may change when they connect as well.
func (s *Session) permitRole(st *sqlfront.RoleStatement, r roles.Rights) error {
	if r.Admin && !r.ReadOnly {
		return nil
	}
	own := st.Verb == sqlfront.RoleAlter && st.Err == nil && (st.Roles[0].Current || st.Roles[0].Name == s.role) &&
		(st.Setting != nil || st.Password != nil && st.Login == nil && st.Superuser == nil && st.ValidUntil == nil)
	if own {
		return nil
	}
	return s.denied("manage roles", hintAdmin)
}

func (s *Session) denied(what, hint string) error {
	return sqlerr.New(insufficientPrivilege, "permission denied: role \"%s\" may not %s", s.role, what).WithHint("%s", hint)
}

const hintAdmin = "Ask a member of the role trireme_admin."

const hintReadOnly = "The role is a member of trireme_read_only."

// readingKinds are the statements that change nothing but the session.
var readingKinds = map[sqlfront.ClassKind]bool{
	sqlfront.ClassEmpty: true, sqlfront.ClassSelect: true, sqlfront.ClassBegin: true, sqlfront.ClassCommit: true, sqlfront.ClassRollback: true,
	sqlfront.ClassSavepoint: true, sqlfront.ClassRelease: true, sqlfront.ClassRollbackTo: true, sqlfront.ClassSet: true,
	sqlfront.ClassShow: true, sqlfront.ClassReset: true, sqlfront.ClassExplain: true, sqlfront.ClassPrepare: true,
	sqlfront.ClassExecute: true, sqlfront.ClassDeallocate: true, sqlfront.ClassDiscard: true, sqlfront.ClassUse: true,
	sqlfront.ClassDeclare: true, sqlfront.ClassFetch: true, sqlfront.ClassClose: true, sqlfront.ClassConstraints: true,
}

// permitReading refuses what a member of trireme_read_only may not run.
func (s *Session) permitReading(ctx context.Context, c sqlfront.Class, sql string) error {
	reads := readingKinds[c.Kind]
	switch c.Kind {
	case sqlfront.ClassSelect:
		reads = !c.WritesUnknown && len(c.Writes) == 0
	case sqlfront.ClassDeclare:
		reads = c.Cursor == nil || !c.Cursor.Hold || s.tx.status == TxActive // else it would outlive every transaction
	case sqlfront.ClassCopy:
		reads = !c.CopyFrom && c.CopyStdio && !c.WritesUnknown
	case sqlfront.ClassPragma, sqlfront.ClassCall:
		reads = !c.WritesUnknown
	}
	if !reads {
		verb := firstWord(sql)
		if verb == "" {
			verb = "this statement"
		}
		return s.denied("run "+verb, hintReadOnly)
	}
	if text := s.readText(c, sql); text != "" && s.reachesFiles() {
		return s.permitSources(ctx, text)
	}
	return nil
}

// readText is the SELECT that a statement reads by; empty: none.
func (s *Session) readText(c sqlfront.Class, sql string) string {
	switch {
	case c.Kind == sqlfront.ClassCopy:
		return c.Body
	case c.Kind == sqlfront.ClassSet && c.Scope == "variable":
		return "SELECT " + c.Value
	case c.Kind == sqlfront.ClassShow && (s.prepareSetting(c) != nil || s.isDuckSetting(c.Name)):
		return ""
	case c.Kind == sqlfront.ClassShow, c.Kind == sqlfront.ClassSelect && describes[firstWord(sql)]:
		return "SELECT * FROM (" + sql + "\n)" // of the statement itself DuckDB has no tree
	case c.Kind == sqlfront.ClassSelect:
		return sql
	}
	return ""
}

// describes are the words that ask for the columns of a query.
var describes = map[string]bool{"DESCRIBE": true, "DESC": true, "SUMMARIZE": true}
