package engine

import (
	"cmp"
	"encoding/json"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/roles"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// ownerRole owns everything; ownerOID is the number of Postgres' first role.
const (
	ownerRole = "trireme"
	ownerOID  = 10
)

// Numbers of other roles follow from their names.
const (
	firstRoleOID = 16384
	roleOIDs     = 1<<31 - 1 - firstRoleOID
)

// roleEntry is a role as Postgres' catalog shows it.
type roleEntry struct {
	roles.Role
	oid    int64
	rights roles.Rights
}

// superuser reports whether the role may do everything.
func (r *roleEntry) superuser() bool { return r.rights.Admin && !r.rights.ReadOnly }

// settingsText is a JSON list of name=value, in order; nil: there are none.
func (r *roleEntry) settingsText() any {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(r.Settings)) {
		list = append(list, name+"="+r.Settings[name])
	}
	if list == nil {
		return nil
	}
	text, _ := json.Marshal(list) // strings never fail
	return string(text)
}

// roleEntries are the roles, and those whose names sessions have without there being
// such a role, who have all rights.
type roleEntries []roleEntry

// roleEntries reads the roles of now.
func (e *Engine) roleEntries() (roleEntries, error) {
	all, err := e.cfg.Roles.All()
	if err != nil {
		return nil, err
	}
	var list roleEntries
	for _, r := range all {
		rights := roles.Rights{Admin: r.Name == roles.Admin, ReadOnly: r.Name == roles.ReadOnly}
		if rights == (roles.Rights{}) {
			if rights, err = e.cfg.Roles.Rights(r.Name); err != nil {
				continue // dropped meanwhile
			}
		}
		list = append(list, roleEntry{Role: r, rights: rights})
	}
	believe := func(name string, login bool) {
		if name != "" && list.named(name) == nil {
			list = append(list, roleEntry{Role: roles.Role{Name: name, Login: login}, rights: roles.Rights{Admin: true}})
		}
	}
	for _, s := range e.activity.Sessions() {
		if s.Believed {
			believe(s.User, true)
		}
	}
	believe(ownerRole, false)
	slices.SortFunc(list, func(a, b roleEntry) int { return cmp.Compare(a.Name, b.Name) })
	list.number()
	return list, nil
}

// number gives each role its number; of two names with one number the first has it.
func (l roleEntries) number() {
	taken := map[int64]bool{}
	for i := range l {
		h := fnv.New64a()
		_, _ = h.Write([]byte(l[i].Name)) // never fails
		oid := int64(firstRoleOID + h.Sum64()%roleOIDs)
		for taken[oid] {
			oid++
		}
		if l[i].Name == ownerRole {
			oid = ownerOID
		}
		l[i].oid, taken[oid] = oid, true
	}
}

func (l roleEntries) named(name string) *roleEntry {
	for i := range l {
		if l[i].Name == name {
			return &l[i]
		}
	}
	return nil
}

// find returns the role of a name or of a number; nil: there is none.
func (l roleEntries) find(text string) *roleEntry {
	if r := l.named(text); r != nil {
		return r
	}
	for i := range l {
		if strconv.FormatInt(l[i].oid, 10) == text {
			return &l[i]
		}
	}
	return nil
}

// must is find of a role that there has to be.
func (l roleEntries) must(text string) (*roleEntry, error) {
	if r := l.find(text); r != nil {
		return r, nil
	}
	return nil, sqlerr.New(sqlerr.UndefinedObject, "role %q does not exist", text)
}

// reaches reports whether a role is another one or a member of it, directly or through
// others.
func (l roleEntries) reaches(from *roleEntry, to string) bool {
	seen := map[string]bool{from.Name: true} // a file written by hand may have cycles
	for queue := []string{from.Name}; len(queue) > 0; queue = queue[1:] {
		if queue[0] == to {
			return true
		}
		if r := l.named(queue[0]); r != nil {
			for _, next := range r.MemberOf {
				if !seen[next] {
					seen[next] = true
					queue = append(queue, next)
				}
			}
		}
	}
	return false
}

// roleTables are the roles and their memberships, of which the views of Postgres'
// catalog are made.
func (e *Engine) roleTables() []duckbackend.TableFunction {
	return []duckbackend.TableFunction{
		failingTable("trireme_roles", []rows.Column{
			systemColumn("oid", rows.BigInt), systemColumn("rolname", rows.Varchar), systemColumn("superuser", rows.Varchar),
			systemColumn("canlogin", rows.Varchar), systemColumn("validuntil", rows.TimestampTZ), systemColumn("current", rows.Varchar),
			systemColumn("settings", rows.Varchar),
		}, func(uint64) ([]roleEntry, error) { return e.roleEntries() }, func(conn uint64, r roleEntry) []any {
			until := any(nil)
			if r.ValidUntil != nil {
				until = *r.ValidUntil
			}
			return []any{r.oid, r.Name, strconv.FormatBool(r.superuser()), strconv.FormatBool(r.Login), until, strconv.FormatBool(r.Name == e.userOn(conn)), r.settingsText()}
		}),
		failingTable("trireme_memberships", []rows.Column{systemColumn("roleid", rows.BigInt), systemColumn("member", rows.BigInt)},
			func(uint64) ([][2]int64, error) { return e.memberships() },
			func(_ uint64, m [2]int64) []any { return []any{m[0], m[1]} }),
	}
}

// memberships are the numbers of groups and of their direct members.
func (e *Engine) memberships() ([][2]int64, error) {
	list, err := e.roleEntries()
	var out [][2]int64
	for _, r := range list {
		for _, group := range r.MemberOf {
			if g := list.named(group); g != nil {
				out = append(out, [2]int64{g.oid, r.oid})
			}
		}
	}
	return out, err
}

// userOn is the user of the session of a connection.
func (e *Engine) userOn(conn uint64) string {
	if s := e.activity.OnConn(conn); s != nil && s.Info().User != "" {
		return s.Info().User
	}
	return ownerRole
}

// roleFunctions answer questions about roles; a role is a name or a number.
func (e *Engine) roleFunctions() []duckbackend.TextFunction {
	ask := func(name string, args int, answer func(l roleEntries, user *roleEntry, args []string) (string, bool, error)) duckbackend.TextFunction {
		return duckbackend.TextFunction{Name: name, Args: args, Call: func(conn uint64, args []string) (string, bool, error) {
			list, err := e.roleEntries()
			if err != nil {
				return "", false, err
			}
			user, err := list.must(e.userOn(conn))
			if err != nil {
				return "", false, err
			}
			return answer(list, user, args)
		}}
	}
	return []duckbackend.TextFunction{
		ask("trireme_role_oid", 1, func(l roleEntries, _ *roleEntry, args []string) (string, bool, error) {
			r := l.find(args[0])
			if r == nil {
				return "", false, nil
			}
			return strconv.FormatInt(r.oid, 10), true, nil
		}),
		ask("trireme_role_name", 1, func(l roleEntries, _ *roleEntry, args []string) (string, bool, error) {
			r := l.find(args[0])
			if r == nil {
				return "", false, nil
			}
			return r.Name, true, nil
		}),
		ask("trireme_may", 2, func(_ roleEntries, user *roleEntry, args []string) (string, bool, error) {
			return user.mayAny(args[0], args[1])
		}),
		ask("trireme_role_may", 3, func(l roleEntries, _ *roleEntry, args []string) (string, bool, error) {
			if args[0] == "public" {
				return (&roleEntry{}).mayAny(args[1], args[2])
			}
			r, err := l.must(args[0])
			if err != nil {
				return "", false, err
			}
			return r.mayAny(args[1], args[2])
		}),
		ask("trireme_has_role", 2, func(l roleEntries, user *roleEntry, args []string) (string, bool, error) {
			return l.hasRole(user, args[0], args[1])
		}),
		ask("trireme_role_has_role", 3, func(l roleEntries, _ *roleEntry, args []string) (string, bool, error) {
			r, err := l.must(args[0])
			if err != nil {
				return "", false, err
			}
			return l.hasRole(r, args[1], args[2])
		}),
	}
}

// privileges are those of each kind of object, with what a role needs for them.
var privileges = map[string]map[string]func(*roleEntry) bool{
	"table": {
		"select": anyRole, "insert": writing, "update": writing, "delete": writing, "truncate": writing, "references": writing, "trigger": writing,
	},
	"column":     {"select": anyRole, "insert": writing, "update": writing, "references": writing},
	"sequence":   {"select": anyRole, "usage": writing, "update": writing},
	"schema":     {"usage": anyRole, "create": writing},
	"database":   {"connect": anyRole, "create": writing, "temporary": writing, "temp": writing},
	"function":   {"execute": anyRole},
	"usage":      {"usage": anyRole}, // of languages, types, servers
	"tablespace": {"create": writing},
	"parameter":  {"set": anyRole, "alter system": (*roleEntry).superuser},
}

func anyRole(*roleEntry) bool { return true }

func writing(r *roleEntry) bool { return !r.rights.ReadOnly && r.Name != "" }

// mayAny answers whether the role has one of the privileges of a list. Nobody but a
// superuser grants any.
func (r *roleEntry) mayAny(kind, list string) (string, bool, error) {
	any := false
	for privilege := range strings.SplitSeq(list, ",") {
		name := strings.ToLower(strings.TrimSpace(privilege))
		name, granting := strings.CutSuffix(name, " with grant option")
		needs := privileges[kind][name]
		if needs == nil {
			return "", false, errPrivilege(privilege)
		}
		any = any || needs(r) && (!granting || r.superuser())
	}
	return strconv.FormatBool(any), true, nil
}

func errPrivilege(name string) error {
	return sqlerr.New(sqlerr.InvalidParameter, "unrecognized privilege type: %q", strings.TrimSpace(name))
}

// hasRole answers whether a role is a member of another one; superusers are of all.
func (l roleEntries) hasRole(r *roleEntry, of, list string) (string, bool, error) {
	group, err := l.must(of)
	if err != nil {
		return "", false, err
	}
	any := false
	for privilege := range strings.SplitSeq(list, ",") {
		switch strings.ToLower(strings.TrimSpace(privilege)) {
		case "member", "usage", "set":
			any = any || r.superuser() || l.reaches(r, group.Name)
		case "member with admin option", "member with grant option", "usage with admin option", "usage with grant option":
			any = any || r.superuser()
		default:
			return "", false, errPrivilege(privilege)
		}
	}
	return strconv.FormatBool(any), true, nil
}
