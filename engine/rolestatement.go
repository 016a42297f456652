package engine

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/trireme-db/trireme/engine/roles"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// Roles are the server's roles, those that exist from the start too.
func (e *Engine) Roles() ([]roles.Role, error) { return e.cfg.Roles.All() }

// HasRole reports whether a role was created.
func (e *Engine) HasRole(name string) (bool, error) {
	_, ok, err := e.cfg.Roles.Get(name)
	return ok, err
}

// prepareRole makes the statement for CREATE, ALTER and DROP ROLE, GRANT and
// REVOKE. Its effect is lasting at once: the store of roles knows no transactions.
func (s *Session) prepareRole(r *sqlfront.RoleStatement) (statement, error) {
	if r.Err != nil {
		return nil, r.Err
	}
	return &utility{run: func(context.Context) (string, error) {
		if s.tx.status == TxActive || s.block {
			return "", sqlerr.New(sqlerr.ActiveTransaction, "%s cannot run inside a transaction block", r.Tag).
				WithHint("Changes of roles are not rolled back. Send the statement alone.")
		}
		return r.Tag, s.runRole(r)
	}}, nil
}

func (s *Session) runRole(r *sqlfront.RoleStatement) error {
	names := make([]string, len(r.Roles))
	for i, n := range r.Roles {
		if names[i] = n.Name; n.Current {
			names[i] = s.user
		}
	}
	store := s.engine.cfg.Roles
	switch r.Verb {
	case sqlfront.RoleDrop:
		if slices.Contains(names, s.user) {
			return sqlerr.New(sqlerr.ObjectInUse, "current user cannot be dropped").WithHint("Connect as another administrator to drop %q.", s.user)
		}
		absent, err := store.Drop(names, r.IfExists)
		for _, name := range absent {
			s.warn("role \""+name+"\" does not exist, skipping", "00000")
		}
		return err
	case sqlfront.RoleGrant:
		return store.Grant(r.Groups, names)
	case sqlfront.RoleRevoke:
		return store.Revoke(r.Groups, names)
	}
	if r.Setting != nil {
		return s.runRoleSetting(names[0], r.Setting)
	}
	apply, err := roleOptions(r)
	if err != nil {
		return err
	}
	if r.Verb == sqlfront.RoleCreate {
		if names[0] == s.user { // let in without a password, and known to nobody; a role that may not log in would shut it out
			return sqlerr.New("42710", "role %q already exists", names[0]).WithHint("It is the session's own. `trireme user add` makes it one with a password.")
		}
		role := roles.Role{Name: names[0], MemberOf: r.Groups}
		apply(&role)
		if r.Superuser != nil && *r.Superuser {
			role.MemberOf = append(role.MemberOf, roles.Admin)
		}
		return store.Create(role)
	}
	if r.Superuser != nil && !*r.Superuser { // first: it is what may be refused
		if err := store.Revoke([]string{roles.Admin}, names); err != nil {
			return err
		}
	}
	if err := store.Alter(names[0], apply); err != nil || r.Superuser == nil || !*r.Superuser {
		return err
	}
	return store.Grant([]string{roles.Admin}, names)
}

// runRoleSetting changes what sessions of a role begin with: the settings that a client
// may give when it connects.
func (s *Session) runRoleSetting(role string, st *sqlfront.RoleSetting) error {
	if st.Name != "" {
		if err := checkStart(st); err != nil {
			return err
		}
	}
	return s.engine.cfg.Roles.Alter(role, func(r *roles.Role) {
		switch {
		case st.Name == "":
			r.Settings = nil
		case st.Reset:
			delete(r.Settings, st.Name)
		default:
			if r.Settings == nil {
				r.Settings = map[string]string{}
			}
			r.Settings[st.Name] = st.Value
		}
	})
}

// checkStart refuses settings that a session cannot begin with, and values that can be
// seen to be wrong; DuckDB looks at those of its own settings when a session begins.
func checkStart(st *sqlfront.RoleSetting) error {
	v, known := variables[st.Name]
	switch {
	case !known && (!strings.Contains(st.Name, ".") || strings.HasPrefix(st.Name, "trireme.")):
		return unknownSetting(st.Name)
	case !known || st.Reset:
		return nil
	case v.fixed:
		return errFixed(st.Name)
	case v.check != nil:
		_, err := v.check(st.Value)
		return err
	}
	return nil
}

// roleOptions makes the change that the options of CREATE and ALTER ROLE ask for.
func roleOptions(r *sqlfront.RoleStatement) (func(*roles.Role), error) {
	verifier := ""
	if r.Password != nil {
		v, err := roles.NewVerifier(*r.Password)
		if err != nil {
			return nil, err
		}
		verifier = v
	}
	var until *time.Time
	if r.ValidUntil != nil {
		t, err := parseValidUntil(*r.ValidUntil)
		if err != nil {
			return nil, err
		}
		until = t
	}
	return func(role *roles.Role) {
		if r.Login != nil {
			role.Login = *r.Login
		}
		if r.Password != nil || r.NoPassword {
			role.Verifier = verifier
		}
		if r.ValidUntil != nil {
			role.ValidUntil = until
		}
	}, nil
}

// parseValidUntil reads a time; infinity is nil.
func parseValidUntil(text string) (*time.Time, error) {
	if text == "infinity" {
		return nil, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05-07", "2006-01-02 15:04:05", "2006-01-02"} {
		if t, err := time.Parse(layout, text); err == nil {
			return &t, nil
		}
	}
	return nil, sqlerr.New("22007", "invalid time %q in VALID UNTIL", text).WithHint("Write it as 2030-12-31 or 2030-12-31 12:00:00+01, or infinity.")
}
