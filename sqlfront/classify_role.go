package sqlfront

import (
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// RoleVerb says what a statement does to roles.
type RoleVerb uint8

// The verbs of statements on roles.
const (
	RoleCreate RoleVerb = iota
	RoleAlter
	RoleDrop
	RoleGrant
	RoleRevoke
)

// RoleName names a role; Current: the session's own.
type RoleName struct {
	Name    string
	Current bool
}

// RoleStatement is CREATE, ALTER or DROP ROLE (or USER, or GROUP), or GRANT or
// REVOKE of roles. Options that were not given are nil.
type RoleStatement struct {
	Verb RoleVerb
	// Roles are created, altered or dropped, or get the membership.
	Roles []RoleName
	// Groups are the roles whose membership is granted, by IN ROLE too.
	Groups           []string
	IfExists         bool
	Login, Superuser *bool
	// Password is the text given; NoPassword: PASSWORD NULL.
	Password   *string
	NoPassword bool
	ValidUntil *string
	// Setting is what SET and RESET of ALTER ROLE change.
	Setting *RoleSetting
	// Tag is the command tag.
	Tag string
	// Err is what is wrong with the statement.
	Err error
}

// RoleSetting is a setting that sessions of a role begin with; Reset: no longer. An
// empty Name: all of them.
type RoleSetting struct {
	Name, Value string
	Reset       bool
}

// roleStatement reads what follows CREATE, ALTER, DROP, GRANT or REVOKE, if it
// is about roles.
func (s *scanner) roleStatement(w string) (Class, bool) {
	p := roleParser{scanner: s}
	switch w {
	case "grant":
		p.grant(RoleGrant, "GRANT ROLE", "to")
	case "revoke":
		p.grant(RoleRevoke, "REVOKE ROLE", "from")
	default:
		object := ""
		for _, o := range []string{"role", "user", "group"} {
			if s.isWord(o) {
				object = o
			}
		}
		if object == "" {
			return Class{}, false
		}
		s.advance()
		p.define(w, object)
	}
	if p.out.Err == nil && s.tok.kind != tokEOF {
		p.unexpected()
	}
	return Class{Kind: ClassRole, Role: &p.out}, true
}

// roleParser reads one statement; after an error it reads nothing more.
type roleParser struct {
	*scanner
	out RoleStatement
}

// unexpected says that the present token cannot stand here. It does not repeat
// literals, which may be passwords.
func (p *roleParser) unexpected() {
	switch p.tok.kind {
	case tokEOF:
		p.fail(sqlerr.SyntaxError, "syntax error at end of input")
	case tokString, tokSpecial:
		p.fail(sqlerr.SyntaxError, "syntax error at or near a string literal")
	default:
		p.fail(sqlerr.SyntaxError, "syntax error at or near \""+p.text()+"\"")
	}
}

func (p *roleParser) fail(code, message string) {
	if p.out.Err == nil {
		p.out.Err = sqlerr.At(code, p.tok.start, "%s", message)
	}
}

func (p *roleParser) failed() bool { return p.out.Err != nil }

// roleName takes one name.
func (p *roleParser) roleName() RoleName {
	switch {
	case p.isWord("current_user", "current_role", "session_user"):
		p.advance()
		if p.acceptPunct("(") && !p.acceptPunct(")") {
			p.unexpected()
		}
		return RoleName{Current: true}
	case p.tok.kind == tokWord:
		return RoleName{Name: p.word()}
	case p.tok.kind == tokQuoted:
		name := unquote(p.text())
		p.advance()
		return RoleName{Name: name}
	}
	p.unexpected()
	return RoleName{}
}

func (p *roleParser) roleNames() (names []RoleName) {
	for !p.failed() {
		names = append(names, p.roleName())
		if !p.acceptPunct(",") {
			break
		}
	}
	return names
}

// groups takes names of roles that are not the session's own.
func (p *roleParser) groups() (names []string) {
	start := p.tok
	for _, n := range p.roleNames() {
		if n.Current {
			p.tok = start
			p.unexpected()
		}
		names = append(names, n.Name)
	}
	return names
}

func (p *roleParser) define(verb, object string) {
	switch verb {
	case "create":
		p.out.Verb, p.out.Tag = RoleCreate, "CREATE ROLE"
		p.out.Roles = []RoleName{p.roleName()}
		p.accept("with")
		p.options()
		if login := object == "user"; login && p.out.Login == nil {
			p.out.Login = &login
		}
	case "alter":
		p.out.Verb, p.out.Tag = RoleAlter, "ALTER ROLE"
		p.out.Roles = []RoleName{p.roleName()}
		switch {
		case p.failed():
		case p.isWord("set", "reset"):
			p.setting()
		case p.isWord("in"):
			p.unsupported("ALTER "+object+" IN DATABASE is not supported", "There is one database: leave IN DATABASE out.")
		case p.isWord("rename", "add", "drop"):
			p.unsupported("ALTER "+object+" changes LOGIN, SUPERUSER, PASSWORD, VALID UNTIL and settings only", "GRANT and REVOKE change memberships.")
		default:
			p.accept("with")
			p.options()
		}
	default:
		p.out.Verb, p.out.Tag = RoleDrop, "DROP ROLE"
		p.out.IfExists = p.acceptAll("if", "exists")
		p.out.Roles = p.roleNames()
	}
}

func (p *roleParser) unsupported(message, hint string) {
	p.fail(sqlerr.FeatureNotSupported, message)
	p.out.Err = sqlerr.From(p.out.Err).WithHint("%s", hint)
}

// setting reads SET name = value, SET name TO DEFAULT, RESET name and RESET ALL.
func (p *roleParser) setting() {
	st := &RoleSetting{Reset: p.isWord("reset")}
	p.advance()
	if p.out.Roles[0].Name == "all" {
		p.unsupported("settings for all roles are not supported", "Set them for each role.")
		return
	}
	switch {
	case st.Reset && p.accept("all"):
	case p.acceptAll("time", "zone"):
		st.Name = "timezone"
	default:
		st.Name = fold(p.settingName())
		if st.Name == "" {
			p.unexpected()
			return
		}
	}
	p.out.Setting = st
	if st.Reset {
		return
	}
	switch {
	case p.isWord("from"):
		p.unsupported("SET .. FROM CURRENT is not supported", "Write the value.")
		return
	case p.tok.kind == tokOp && p.text() == "=":
		p.advance()
	case st.Name != "timezone" || p.isWord("to"):
		if !p.accept("to") {
			p.unexpected()
			return
		}
	}
	if p.tok.kind == tokEOF {
		p.unexpected()
		return
	}
	st.Reset = p.isWord("default")
	st.Value = p.settingValue()
}

// heldOptions are options that say what is the case for every role here.
var heldOptions = []string{"nocreatedb", "nocreaterole", "inherit", "noreplication", "nobypassrls"}

// options reads the options of CREATE and ALTER ROLE.
func (p *roleParser) options() {
	yes, no := true, false
	for !p.failed() && p.tok.kind != tokEOF {
		switch {
		case p.accept("login"):
			p.out.Login = &yes
		case p.accept("nologin"):
			p.out.Login = &no
		case p.accept("superuser"):
			p.out.Superuser = &yes
		case p.accept("nosuperuser"):
			p.out.Superuser = &no
		case p.accept(heldOptions...):
		case p.isWord("password", "encrypted"):
			p.password()
		case p.acceptAll("valid", "until"):
			p.out.ValidUntil = p.literal()
		case p.out.Verb == RoleCreate && (p.acceptAll("in", "role") || p.acceptAll("in", "group")):
			p.out.Groups = append(p.out.Groups, p.groups()...)
		case p.isWord("createdb", "createrole", "noinherit", "replication", "bypassrls", "connection", "admin", "role", "user", "sysid"):
			p.fail(sqlerr.FeatureNotSupported, "role option "+fold(p.text())+" is not supported")
		default:
			p.unexpected()
		}
	}
}

func (p *roleParser) password() {
	p.accept("encrypted")
	if !p.accept("password") {
		p.unexpected()
		return
	}
	if p.accept("null") {
		p.out.Password, p.out.NoPassword = nil, true
		return
	}
	p.out.Password, p.out.NoPassword = p.literal(), false
}

// literal takes one plain string.
func (p *roleParser) literal() *string {
	if p.tok.kind != tokString {
		if p.tok.kind == tokSpecial {
			p.fail(sqlerr.FeatureNotSupported, "only a plain string literal can stand here")
		}
		p.unexpected()
		return nil
	}
	text := unquote(p.text())
	p.advance()
	return &text
}

// grant reads GRANT and REVOKE of roles. There are no privileges on objects.
func (p *roleParser) grant(verb RoleVerb, tag, before string) {
	p.out.Verb, p.out.Tag = verb, tag
	start := p.tok
	if p.isWord("select", "insert", "update", "delete", "truncate", "references", "trigger", "all", "usage", "create", "connect", "execute", "temp", "temporary") {
		p.privileges(start)
		return
	}
	p.out.Groups = p.groups()
	if p.isWord("on") {
		p.privileges(start)
		return
	}
	if !p.failed() && !p.accept(before) {
		p.unexpected()
		return
	}
	p.out.Roles = p.roleNames()
	if !p.failed() && p.isWord("with", "granted", "cascade") {
		p.unsupported("only members of the role trireme_admin grant roles: WITH ADMIN OPTION, GRANTED BY and CASCADE are not supported",
			"GRANT trireme_admin TO a role lets it grant all roles.")
	}
}

func (p *roleParser) privileges(start token) {
	p.tok = start
	p.fail(sqlerr.FeatureNotSupported, "there are no privileges on tables and other objects")
	p.out.Err = sqlerr.From(p.out.Err).WithHint("%s", hintPrivileges)
}
