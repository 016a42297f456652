package roles

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// The roles that exist from the start. Nobody can log in as one of them.
const (
	// Admin is the role whose members manage roles and the server.
	Admin = "trireme_admin"
	// ReadOnly is the role whose members change nothing.
	ReadOnly = "trireme_read_only"
)

var builtin = []string{Admin, ReadOnly}

// nameBytesMax is the longest name, as in Postgres.
const nameBytesMax = 63

// settingBytesMax is how many bytes the names and values of a role's settings may have:
// everybody may change their own, and the whole file is read after each change.
const settingBytesMax = 16 << 10

// Role is a user, or a group of users.
type Role struct {
	Name string `json:"name"`
	// Login: one can connect as this role.
	Login bool `json:"login,omitempty"`
	// Verifier is what a password is checked with, in the text form of Postgres;
	// empty: no password is right.
	Verifier string `json:"verifier,omitempty"`
	// ValidUntil is when the password stops working; nil: never.
	ValidUntil *time.Time `json:"valid_until,omitempty"`
	// MemberOf are the roles that this one is directly a member of.
	MemberOf []string `json:"member_of,omitempty"`
	// Settings are what sessions of this role begin with, by name.
	Settings map[string]string `json:"settings,omitempty"`
}

func (r *Role) clone() *Role {
	c := *r
	c.MemberOf, c.Settings = slices.Clone(r.MemberOf), maps.Clone(r.Settings)
	return &c
}

// Rights are what a role may do.
type Rights struct {
	// Admin: manage roles, change settings of the whole server.
	Admin bool
	// ReadOnly: change nothing, reach no file. It outweighs Admin.
	ReadOnly bool
}

// checkName refuses names that a new role cannot have.
func checkName(name string) error {
	folded := strings.ToLower(name)
	switch {
	case name == "":
		return sqlerr.New(sqlerr.InvalidParameter, "a role needs a name")
	case len(name) > nameBytesMax || strings.ContainsAny(name, "\x00\n\r"):
		return sqlerr.New(sqlerr.InvalidParameter, "the name of a role has at most %d bytes and is one line", nameBytesMax)
	case strings.HasPrefix(folded, "trireme_"), strings.HasPrefix(folded, "pg_"), folded == "public", folded == "none":
		return sqlerr.New("42939", "role name %q is reserved", name).WithHint("Names that begin with trireme_ or pg_ are the server's.")
	}
	return nil
}

// checkSettings refuses settings that are too large together.
func (r *Role) checkSettings() error {
	bytes := 0
	for name, value := range r.Settings {
		bytes += len(name) + len(value)
	}
	if bytes <= settingBytesMax {
		return nil
	}
	return sqlerr.New(sqlerr.ProgramLimit, "the settings of role %q would have more than %d KiB", r.Name, settingBytesMax>>10).
		WithHint("ALTER ROLE .. RESET those that are not needed.")
}

func errUnknown(name string) error {
	return sqlerr.New(sqlerr.UndefinedObject, "role %q does not exist", name)
}
