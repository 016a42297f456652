package roles

import (
	"slices"
	"time"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Create adds a role; it is a member of those in role.MemberOf.
func (s *Store) Create(role Role) error {
	if err := checkName(role.Name); err != nil {
		return err
	}
	return s.change(func(d *document) error {
		if d.exists(role.Name) {
			return sqlerr.New("42710", "role %q already exists", role.Name)
		}
		added := role.clone()
		added.MemberOf = nil
		d.Roles = append(d.Roles, added)
		for _, group := range role.MemberOf {
			if err := d.grant(group, role.Name); err != nil {
				return err
			}
		}
		return nil
	})
}

// Alter changes a role, but for its name and memberships.
func (s *Store) Alter(name string, apply func(r *Role)) error {
	return s.change(func(d *document) error {
		r := d.find(name)
		if r == nil {
			return cannotChange(name)
		}
		keep := r.clone()
		apply(r)
		r.Name, r.MemberOf = keep.Name, keep.MemberOf
		return r.checkSettings()
	})
}

func cannotChange(name string) error {
	if slices.Contains(builtin, name) {
		return sqlerr.New("42939", "role %q is the server's and cannot be changed", name)
	}
	return errUnknown(name)
}

// Drop removes roles, and what they are members of and who is a member of them;
// missing: those that do not exist are no error, and are returned.
func (s *Store) Drop(names []string, missing bool) (absent []string, err error) {
	err = s.change(func(d *document) error {
		absent = nil
		for _, name := range names {
			if d.find(name) == nil {
				if slices.Contains(builtin, name) || !missing {
					return cannotChange(name)
				}
				absent = append(absent, name)
				continue
			}
			d.Roles = slices.DeleteFunc(d.Roles, func(r *Role) bool { return r.Name == name })
			for _, r := range d.Roles {
				r.MemberOf = slices.DeleteFunc(r.MemberOf, func(group string) bool { return group == name })
			}
		}
		return nil
	})
	return absent, err
}

// Grant makes members of groups, all or none.
func (s *Store) Grant(groups, members []string) error {
	return s.change(func(d *document) error {
		for _, group := range groups {
			for _, member := range members {
				if err := d.grant(group, member); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func (d *document) grant(group, member string) error {
	if !d.exists(group) {
		return errUnknown(group)
	}
	r := d.find(member)
	if r == nil {
		return cannotChange(member)
	}
	if d.reaches(group, member) {
		return sqlerr.New("0LP01", "role %q is a member of role %q", group, member)
	}
	if !slices.Contains(r.MemberOf, group) {
		r.MemberOf = append(r.MemberOf, group)
	}
	return nil
}

// Revoke ends memberships; those that do not exist are no error, as in Postgres.
func (s *Store) Revoke(groups, members []string) error {
	return s.change(func(d *document) error {
		for _, group := range groups {
			if !d.exists(group) {
				return errUnknown(group)
			}
			for _, member := range members {
				r := d.find(member)
				if r == nil {
					return cannotChange(member)
				}
				r.MemberOf = slices.DeleteFunc(r.MemberOf, func(g string) bool { return g == group })
			}
		}
		return nil
	})
}

// keepsAdmins is the error where a change leaves nobody who can log in and manage roles, or nobody
// who has a password for it.
func keepsAdmins(before, after *document, now time.Time) error {
	for _, can := range []func(*Role) bool{
		func(r *Role) bool { return r.Login },
		func(r *Role) bool {
			return r.Login && r.Verifier != "" && (r.ValidUntil == nil || now.Before(*r.ValidUntil))
		},
	} {
		if before.hasAdmin(can) && !after.hasAdmin(can) {
			return sqlerr.New(sqlerr.ObjectInUse, "nobody would be left who can log in and manage roles").
				WithHint("Make another member of %s first: CREATE ROLE name LOGIN SUPERUSER PASSWORD '..', or trireme user add NAME --role %s.", Admin, Admin)
		}
	}
	return nil
}

// hasAdmin reports whether a role that fulfils something manages roles.
func (d *document) hasAdmin(can func(*Role) bool) bool {
	return slices.ContainsFunc(d.Roles, func(r *Role) bool { return can(r) && d.reaches(r.Name, Admin) && !d.reaches(r.Name, ReadOnly) })
}
