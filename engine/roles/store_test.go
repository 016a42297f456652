package roles

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

func open(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Errorf("error %v, want SQLSTATE %s", err, code)
	}
}

func verifier(t *testing.T, password string) string {
	t.Helper()
	v, err := NewVerifier(password)
	must(t, err)
	return v
}

func TestAnotherProcessSeesChangesAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.roles")
	a, b := open(t, path), open(t, path)
	must(t, a.Create(Role{Name: "root", Login: true, Verifier: verifier(t, "secret"), MemberOf: []string{Admin}}))
	must(t, a.Create(Role{Name: "ann", Login: true, Verifier: verifier(t, "secret"), MemberOf: []string{Admin}}))
	r, err := b.Rights("ann")
	must(t, err)
	if !r.Admin || r.ReadOnly {
		t.Errorf("%+v", r)
	}
	must(t, b.Revoke([]string{Admin}, []string{"ann"}))
	must(t, b.Grant([]string{ReadOnly}, []string{"ann"}))
	if r, err = a.Rights("ann"); err != nil || r.Admin || !r.ReadOnly {
		t.Errorf("%+v, %v", r, err)
	}
	_, err = b.Drop([]string{"ann"}, false)
	must(t, err)
	_, err = a.Rights("ann")
	wantCode(t, err, "28000")
}

func TestOnlyTheOwnerReadsTheFileAndNoPasswordIsInIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.roles")
	must(t, open(t, path).Create(Role{Name: "ann", Verifier: verifier(t, "open sesame")}))
	info, err := os.Stat(path)
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	data, err := os.ReadFile(path)
	must(t, err)
	if bytes.Contains(data, []byte("sesame")) {
		t.Errorf("%s", data)
	}
}

func TestManyWritersLoseNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.roles")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s, err := Open(path)
			if err == nil {
				err = s.Create(Role{Name: fmt.Sprint("user", i)})
			}
			if err != nil {
				t.Error(err)
			}
		}()
	}
	wg.Wait()
	all, err := open(t, path).All()
	must(t, err)
	if len(all) != 8+len(builtin) {
		t.Errorf("%d roles", len(all))
	}
}

func TestAFileThatCannotBeReadGivesNoRight(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.roles")
	s := open(t, path)
	must(t, s.Create(Role{Name: "ann", MemberOf: []string{Admin}}))
	must(t, os.WriteFile(path, []byte("{"), 0o600))
	_, err := s.Rights("ann")
	wantCode(t, err, "XX001")
	_, err = s.Verifier("ann", time.Now())
	wantCode(t, err, "XX001")
	_, err = Open(path)
	wantCode(t, err, "XX001")
	must(t, os.Remove(path))
	_, err = s.Rights("ann")
	wantCode(t, err, "28000")
}

func TestMembershipsReachThroughGroupsAndHaveNoCycle(t *testing.T) {
	s := open(t, "")
	for _, name := range []string{"staff", "interns", "ann"} {
		must(t, s.Create(Role{Name: name}))
	}
	must(t, s.Grant([]string{"interns"}, []string{"ann"}))
	must(t, s.Grant([]string{"staff"}, []string{"interns"}))
	must(t, s.Grant([]string{ReadOnly}, []string{"staff"}))
	if r, err := s.Rights("ann"); err != nil || !r.ReadOnly {
		t.Errorf("%+v, %v", r, err)
	}
	wantCode(t, s.Grant([]string{"ann"}, []string{"staff"}), "0LP01")
	wantCode(t, s.Grant([]string{"ann"}, []string{"ann"}), "0LP01")
	wantCode(t, s.Grant([]string{"nobody"}, []string{"ann"}), "42704")
	wantCode(t, s.Grant([]string{"ann"}, []string{Admin}), "42939")
	_, err := s.Drop([]string{"interns"}, false)
	must(t, err)
	if r, err := s.Rights("ann"); err != nil || r.ReadOnly {
		t.Errorf("after the group was dropped: %+v, %v", r, err)
	}
}

func TestNamesAndMissingRoles(t *testing.T) {
	s := open(t, "")
	must(t, s.Create(Role{Name: "ann"}))
	wantCode(t, s.Create(Role{Name: "ann"}), "42710")
	wantCode(t, s.Create(Role{Name: "trireme_x"}), "42939")
	wantCode(t, s.Create(Role{Name: "PG_x"}), "42939")
	wantCode(t, s.Create(Role{Name: ""}), "22023")
	wantCode(t, s.Create(Role{Name: strings.Repeat("x", 64)}), "22023")
	wantCode(t, s.Create(Role{Name: "bob", MemberOf: []string{"nobody"}}), "42704")
	if _, ok, err := s.Get("bob"); ok || err != nil {
		t.Errorf("half a role: %v, %v", ok, err)
	}
	wantCode(t, s.Alter("bob", func(*Role) {}), "42704")
	_, err := s.Drop([]string{"ann", "bob"}, false)
	wantCode(t, err, "42704")
	if _, ok, err := s.Get("ann"); !ok || err != nil {
		t.Errorf("half a drop: %v, %v", ok, err)
	}
	absent, err := s.Drop([]string{"ann", "bob"}, true)
	if err != nil || len(absent) != 1 || absent[0] != "bob" {
		t.Errorf("%v, %v", absent, err)
	}
}

func TestVerifiers(t *testing.T) {
	text := verifier(t, "pass")
	v, err := ParseVerifier(text)
	must(t, err)
	if v.String() != text || verifier(t, text) != text {
		t.Errorf("%s is not kept as it is", text)
	}
	if verifier(t, "pass") == text {
		t.Error("two verifiers of one password have one salt")
	}
	for _, bad := range []string{"", "SCRAM-SHA-256$4096:a$b:c", "SCRAM-SHA-256$0:" + text[19:], text + "=", "md5" + strings.Repeat("a", 32)} {
		if _, err := ParseVerifier(bad); err == nil {
			t.Errorf("%q is taken for a verifier", bad)
		}
	}
	_, err = NewVerifier("")
	wantCode(t, err, "22023")
	_, err = NewVerifier("md5" + strings.Repeat("a", 32))
	wantCode(t, err, "0A000")
}

func TestVerifierNeverSaysWhetherARoleExists(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.roles")
	s := open(t, path)
	past := time.Now().Add(-time.Hour)
	must(t, s.Create(Role{Name: "ann", Verifier: verifier(t, "pass"), ValidUntil: &past}))
	must(t, s.Create(Role{Name: "bob"}))
	for _, name := range []string{"ann", "bob", "nobody", ReadOnly} {
		v, err := s.Verifier(name, time.Now())
		must(t, err)
		again, err := open(t, path).Verifier(name, time.Now())
		must(t, err)
		if v.String() != again.String() {
			t.Errorf("%s: the answer changes from one start to the next", name)
		}
		if _, err := ParseVerifier(v.String()); err != nil || v.Iterations != iterations || len(v.Salt) != saltBytes {
			t.Errorf("%s: %+v does not look like one that was made", name, v)
		}
	}
	v, err := s.Verifier("ann", past.Add(-time.Minute))
	role, _, _ := s.Get("ann")
	if err != nil || v.String() != role.Verifier {
		t.Errorf("before it expires: %v, %v", v, err)
	}
}

// A change leaves somebody who can log in and manage roles, where there is one before.
func TestTheLastAdministratorStays(t *testing.T) {
	s := open(t, "")
	must(t, s.Create(Role{Name: "bob", Login: true}))
	must(t, s.Create(Role{Name: "cert", Login: true, MemberOf: []string{Admin}}))
	must(t, s.Create(Role{Name: "owners", MemberOf: []string{Admin}}))
	must(t, s.Create(Role{Name: "root", Login: true, Verifier: verifier(t, "x"), MemberOf: []string{"owners"}}))
	past := time.Now().Add(-time.Hour)
	lose := map[string]func() error{
		"drop":        func() error { _, err := s.Drop([]string{"root", "cert"}, false); return err },
		"drop group":  func() error { _, err := s.Drop([]string{"owners", "cert"}, false); return err },
		"revoke":      func() error { return s.Revoke([]string{Admin}, []string{"owners"}) },
		"read only":   func() error { return s.Grant([]string{ReadOnly}, []string{"root"}) },
		"login":       func() error { return s.Alter("root", func(r *Role) { r.Login = false }) },
		"password":    func() error { return s.Alter("root", func(r *Role) { r.Verifier = "" }) },
		"valid until": func() error { return s.Alter("root", func(r *Role) { r.ValidUntil = &past }) },
	}
	for name, f := range lose {
		if err := f(); err == nil {
			t.Error(name)
		} else {
			wantCode(t, err, "55006")
		}
	}
	must(t, s.Create(Role{Name: "next", Login: true, Verifier: verifier(t, "x"), MemberOf: []string{Admin}}))
	must(t, lose["drop"]())
	wantCode(t, s.Revoke([]string{Admin}, []string{"next"}), "55006")
	must(t, s.Alter("next", func(r *Role) { r.Verifier = verifier(t, "y") }))
}
