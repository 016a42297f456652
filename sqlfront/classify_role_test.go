package sqlfront

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// show prints a statement on roles; an error as its code.
func (r *RoleStatement) show() string {
	var e *sqlerr.Error
	if errors.As(r.Err, &e) {
		return e.Code
	}
	out := r.Tag
	for _, n := range r.Roles {
		if n.Current {
			n.Name = "<current>"
		}
		out += " " + n.Name
	}
	if len(r.Groups) > 0 {
		out += " groups " + strings.Join(r.Groups, ",")
	}
	if r.Login != nil {
		out += fmt.Sprint(" login ", *r.Login)
	}
	if r.Superuser != nil {
		out += fmt.Sprint(" superuser ", *r.Superuser)
	}
	if r.Password != nil {
		out += " password " + *r.Password
	}
	if r.NoPassword {
		out += " no password"
	}
	if r.ValidUntil != nil {
		out += " until " + *r.ValidUntil
	}
	if r.IfExists {
		out += " if exists"
	}
	return out
}

func TestRoleStatements(t *testing.T) {
	for sql, want := range map[string]string{
		`CREATE ROLE Ann`:                                    "CREATE ROLE ann",
		`CREATE USER a PASSWORD 'x'`:                         "CREATE ROLE a login true password x",
		`CREATE USER a NOLOGIN`:                              "CREATE ROLE a login false",
		`ALTER USER a PASSWORD 'x'`:                          "ALTER ROLE a password x",
		`create user "Ann" with login password 'it''s'`:      "CREATE ROLE Ann login true password it's",
		`CREATE ROLE a ENCRYPTED PASSWORD 'x' NOSUPERUSER`:   "CREATE ROLE a superuser false password x",
		`CREATE ROLE a SUPERUSER NOCREATEDB INHERIT NOLOGIN`: "CREATE ROLE a login false superuser true",
		`CREATE ROLE a VALID UNTIL '2030-01-01' IN ROLE b,c`: "CREATE ROLE a groups b,c until 2030-01-01",
		`ALTER USER a PASSWORD NULL`:                         "ALTER ROLE a no password",
		`ALTER ROLE CURRENT_USER PASSWORD 'x'`:               "ALTER ROLE <current> password x",
		`DROP USER IF EXISTS a, b`:                           "DROP ROLE a b if exists",
		`GRANT trireme_read_only TO a, "B"`:                  "GRANT ROLE a B groups trireme_read_only",
		`REVOKE x FROM a`:                                    "REVOKE ROLE a groups x",
		`GRANT SELECT ON t TO a`:                             "0A000",
		`GRANT ALL PRIVILEGES ON DATABASE x TO a`:            "0A000",
		`GRANT a TO b WITH ADMIN OPTION`:                     "0A000",
		`ALTER ROLE a IN DATABASE d SET search_path = 'x'`:   "0A000",
		`ALTER ROLE ALL SET search_path = 'x'`:               "0A000",
		`ALTER ROLE a SET search_path FROM CURRENT`:          "0A000",
		`ALTER ROLE a SET search_path`:                       "42601",
		`ALTER ROLE a SET search_path =`:                     "42601",
		`ALTER ROLE a SET = 'x'`:                             "42601",
		`ALTER ROLE a RESET`:                                 "42601",
		`ALTER ROLE a RESET ALL x`:                           "42601",
		`ALTER ROLE a RESET b = 1`:                           "42601",
		`CREATE ROLE a CREATEROLE`:                           "0A000",
		`CREATE ROLE a PASSWORD $$x$$`:                       "0A000",
		`CREATE ROLE`:                                        "42601",
		`CREATE ROLE a PASSWORD`:                             "42601",
		`CREATE ROLE a PASSWORD x`:                           "42601",
		`CREATE ROLE a 'x'`:                                  "42601",
		`GRANT a b`:                                          "42601",
		`DROP ROLE a b`:                                      "42601",
	} {
		c := Classify(sql)
		if c.Kind != ClassRole {
			t.Errorf("%s is %v", sql, c.Kind)
		} else if got := c.Role.show(); got != want {
			t.Errorf("%s\n is %s\n not %s", sql, got, want)
		}
	}
	for _, sql := range []string{`CREATE TABLE role (x INTEGER)`, `DROP TABLE user`, `COMMENT ON TABLE t IS 'x'`, `SELECT 1`} {
		if c := Classify(sql); c.Kind == ClassRole {
			t.Errorf("%s is about roles", sql)
		}
	}
}

func TestErrorsOfRoleStatementsDoNotRepeatPasswords(t *testing.T) {
	for _, sql := range []string{`CREATE ROLE a 'Xyzzy'`, `CREATE ROLE a PASSWORD 'a' 'Xyzzy'`, `CREATE ROLE a PASSWORD E'Xyzzy'`, `ALTER ROLE a PASSWORD U&'Xyzzy'`} {
		if err := Classify(sql).Role.Err; err == nil || strings.Contains(err.Error(), "Xyzzy") {
			t.Errorf("%s: %v", sql, err)
		}
	}
}
