package engine

import (
	"context"
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// roleSettings are the names of what SET ROLE and SET SESSION AUTHORIZATION set.
var roleSettings = map[string]string{
	"role": "ROLE", "authorization": "SESSION AUTHORIZATION", "session_authorization": "SESSION AUTHORIZATION",
}

// prepareSetRole makes SET and RESET of the role: a session keeps the one that has
// connected.
func (s *Session) prepareSetRole(c sqlfront.Class, what string) statement {
	tag := "SET"
	if c.Kind == sqlfront.ClassReset {
		tag = "RESET"
	}
	return &utility{keeps: true, run: func(context.Context) (string, error) {
		if c.Kind == sqlfront.ClassReset {
			return tag, nil
		}
		return tag, s.keepRole(c.Value, what)
	}}
}

// keepRole refuses every role but the session's own.
func (s *Session) keepRole(name, what string) error {
	folded := strings.ToLower(name)
	if folded == "default" || folded == "none" && what == "ROLE" || name == s.user || folded == s.user {
		return nil
	}
	list, err := s.engine.roleEntries()
	if err != nil {
		return err
	}
	if list.named(name) == nil && list.named(folded) == nil {
		return sqlerr.New(sqlerr.InvalidParameter, "role %q does not exist", name)
	}
	return sqlerr.New(sqlerr.FeatureNotSupported, "SET %s to another role is not supported", what).
		WithHint("A session has the rights of the role that has connected. Connect as %q.", name)
}
