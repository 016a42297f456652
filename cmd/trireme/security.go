package main

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/engine/roles"
	"github.com/trireme-db/trireme/internal/spill"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/pgwire"
)

// securityOptions are the flags of serve that say who may come in, and how far.
type securityOptions struct {
	auth           string
	insecureTrust  bool
	roles          string
	failuresMax    int
	startupTimeout time.Duration
	maxConnections int
	reserved       int
	maxMessage     int
	maxSpill       int
	maxDepth       int
	maxBlocks      int
	maxTokens      int
	maxLiteral     int
	allowFiles     []string

	tls         string
	tlsCert     string
	tlsKey      string
	tlsClientCA string
}

func (o *securityOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.auth, "auth", "trust", "authentication: trust (anyone who can connect), scram (password) or cert (client certificate)")
	f.BoolVar(&o.insecureTrust, "insecure-trust", false, "let --auth trust serve addresses that are not loopback")
	f.StringVar(&o.roles, "roles", "", "file of users and roles (default: the database file's name with .roles)")
	f.IntVar(&o.failuresMax, "auth-failures", 10, "failed authentications after which an address is refused for a minute (0: never)")
	f.DurationVar(&o.startupTimeout, "auth-timeout", 30*time.Second, "how long a client may take until it is authenticated")
	f.IntVar(&o.maxConnections, "max-connections", 1000, "sessions at one time")
	f.IntVar(&o.reserved, "reserved-connections", 3, "how many of the sessions are for members of trireme_admin")
	f.IntVar(&o.maxSpill, "max-spill", spill.DefaultBytes>>20, "most room in TMPDIR for rows that wait to be fetched, in MiB; a session has a quarter of it")
	f.IntVar(&o.maxMessage, "max-message", 64, "largest message of a client, in MiB")
	f.IntVar(&o.maxDepth, "max-expression-depth", 400, "how deep the expressions of a statement may be, a chain of operators counted by its length")
	f.IntVar(&o.maxBlocks, "max-blocks", 2000, "how often a statement may say SELECT, or UNION, INTERSECT and EXCEPT")
	f.IntVar(&o.maxTokens, "max-tokens", 1_000_000, "how many words, literals and signs a text of statements may have")
	f.IntVar(&o.maxLiteral, "max-literal", 32, "largest literal or name in a statement, in MiB")
	f.StringSliceVar(&o.allowFiles, "allow-files", nil, "directories whose files SQL may read and write (default: none)")
	f.StringVar(&o.tls, "tls", "", "TLS: off, allow (if the client asks) or required (default: allow with a certificate)")
	f.StringVar(&o.tlsCert, "tls-cert", "", "file of the server's certificate and those that vouch for it (PEM); read again on SIGHUP")
	f.StringVar(&o.tlsKey, "tls-key", "", "file of its private key (PEM)")
	f.StringVar(&o.tlsClientCA, "tls-client-ca", "", "file of the certificates that vouch for clients (PEM)")
}

// authMethods are the values of --auth.
var authMethods = map[string]pgwire.AuthMethod{"trust": pgwire.AuthTrust, "scram": pgwire.AuthSCRAM, "cert": pgwire.AuthCertificate}

// check refuses what cannot be meant, before anything is opened.
func (o *securityOptions) check(listen string) error {
	if _, ok := authMethods[o.auth]; !ok {
		return sqlerr.New(sqlerr.InvalidParameter, "unknown authentication method %q", o.auth).WithHint("The methods are trust, scram and cert.")
	}
	if o.auth == "trust" && !o.insecureTrust && !isLoopback(listen) {
		return sqlerr.New(sqlerr.InvalidParameter, "--auth trust lets everybody in who reaches %s, which is not a loopback address", listen).
			WithHint("Use --auth scram (make users with: trireme user add NAME), or say --insecure-trust if the network is closed.")
	}
	if o.auth == "cert" && (o.tlsClientCA == "" || o.tlsCert == "") {
		return sqlerr.New(sqlerr.InvalidParameter, "--auth cert needs --tls-cert, --tls-key and --tls-client-ca")
	}
	switch {
	case o.maxConnections < 1, o.reserved < 0, o.reserved >= o.maxConnections:
		return sqlerr.New(sqlerr.InvalidParameter, "--max-connections must be positive, and more than --reserved-connections (%d)", o.reserved)
	case o.maxSpill < 4:
		return sqlerr.New(sqlerr.InvalidParameter, "--max-spill must be at least 4")
	case o.maxMessage < 1 || o.maxMessage > 1024:
		return sqlerr.New(sqlerr.InvalidParameter, "--max-message must be from 1 to 1024 MiB")
	case o.maxDepth < 1 || o.maxDepth > engine.ExpressionDepthMax:
		return sqlerr.New(sqlerr.InvalidParameter, "--max-expression-depth must be from 1 to %d", engine.ExpressionDepthMax)
	case o.maxBlocks < 1:
		return sqlerr.New(sqlerr.InvalidParameter, "--max-blocks must be positive")
	case o.maxTokens < 1 || o.maxLiteral < 1:
		return sqlerr.New(sqlerr.InvalidParameter, "--max-tokens and --max-literal must be positive")
	case o.failuresMax < 0, o.startupTimeout <= 0:
		return sqlerr.New(sqlerr.InvalidParameter, "--auth-failures and --auth-timeout must not be negative")
	}
	return nil
}

// isLoopback reports whether only this machine reaches an address.
func isLoopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return false
	}
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback()
	}
	return strings.EqualFold(host, "localhost")
}

// rolesPath is the file of roles of a database, empty where there is none.
func rolesPath(flag, db string) string {
	switch {
	case flag != "":
		return flag
	case db == "" || db == ":memory:":
		return ""
	}
	return db + ".roles"
}

// closedFiles are the files of the server's that SQL must not reach, beside the database's.
func (o *securityOptions) closedFiles(rolesFile, configFile string) []string {
	files := []string{rolesFile, configFile, o.tlsCert, o.tlsKey, o.tlsClientCA}
	return slices.DeleteFunc(files, func(file string) bool { return file == "" })
}

// directories are those of --allow-files, absolute, without links and as they are spelled. None may
// hold the database or a closed file: SQL could read the roles and replace the database or the
// configuration.
func (o *securityOptions) directories(db string, closed []string) ([]string, error) {
	if db != ":memory:" {
		closed = append(closed, db)
	}
	closed = append(closed, targets(closed)...)
	var dirs []string
	for _, dir := range o.allowFiles {
		abs, err := resolved(dir)
		if err != nil {
			return nil, sqlerr.New(sqlerr.InvalidParameter, "--allow-files %s: %v", dir, err)
		}
		for _, file := range closed {
			parent, err := resolved(filepath.Dir(file))
			if err != nil {
				return nil, sqlerr.New(sqlerr.IOError, "%v", err)
			}
			if rel, err := filepath.Rel(abs, parent); err == nil && filepath.IsLocal(rel) {
				return nil, sqlerr.New(sqlerr.InvalidParameter, "--allow-files %s would open %s to SQL", dir, file).
					WithHint("Give a directory that holds neither the database nor its roles, keys and configuration, or move the roles with --roles.")
			}
		}
		spelled, err := filepath.Abs(dir)
		if err != nil {
			return nil, sqlerr.New(sqlerr.IOError, "%v", err)
		}
		dirs = append(dirs, abs, spelled) // a path may begin with either
	}
	slices.Sort(dirs)
	return slices.Compact(dirs), nil
}

// targets are the files behind those that are links.
func targets(files []string) []string {
	var list []string
	for _, file := range files {
		// A file that is not there yet is no link.
		if target, err := filepath.EvalSymlinks(file); err == nil && target != filepath.Clean(file) {
			list = append(list, target)
		}
	}
	return list
}

func resolved(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// wire makes the listener's options. Users are those of the store.
func (o *securityOptions) wire(store *roles.Store, certs *certificates, log *slog.Logger) (pgwire.Options, error) {
	opt := pgwire.Options{
		MaxConnections: o.maxConnections, ReservedConnections: o.reserved, MaxMessageBytes: o.maxMessage << 20,
		StartupTimeout: o.startupTimeout, Logger: log, Spill: spill.NewSpace(int64(o.maxSpill) << 20),
		Auth: pgwire.Auth{Method: authMethods[o.auth], FailuresMax: o.failuresMax},
	}
	opt.Auth.Admit = o.admit(store)
	opt.Auth.Verifier = func(user string) (pgwire.Verifier, error) {
		v, err := store.Verifier(user, time.Now())
		return pgwire.Verifier(v), err
	}
	mode, err := o.tlsMode()
	if err != nil {
		return opt, err
	}
	opt.TLS.Mode = mode
	if mode != pgwire.TLSOff {
		opt.TLS.Config = certs.config
	}
	return opt, nil
}

func (o *securityOptions) tlsMode() (pgwire.TLSMode, error) {
	mode := o.tls
	if mode == "" {
		mode = "off"
		if o.tlsCert != "" {
			mode = "allow"
		}
		if o.auth == "cert" {
			mode = "required"
		}
	}
	switch {
	case mode == "off" && o.auth == "cert":
		return 0, sqlerr.New(sqlerr.InvalidParameter, "--auth cert needs TLS")
	case mode == "off":
		return pgwire.TLSOff, nil
	case mode != "allow" && mode != "required":
		return 0, sqlerr.New(sqlerr.InvalidParameter, "unknown value %q of --tls", mode).WithHint("The values are off, allow and required.")
	case o.tlsCert == "" || o.tlsKey == "":
		return 0, sqlerr.New(sqlerr.InvalidParameter, "--tls %s needs --tls-cert and --tls-key", mode)
	case mode == "allow":
		return pgwire.TLSAllow, nil
	}
	return pgwire.TLSRequired, nil
}

// admit says who may log in once their name is proven. Under trust nothing is
// proven: a name that is no role's comes in with all rights, as it always did.
func (o *securityOptions) admit(store *roles.Store) func(user string) (bool, error) {
	return func(user string) (bool, error) {
		role, known, err := store.Get(user)
		switch {
		case err != nil:
			return false, err
		case !known && o.auth == "trust":
			return true, nil
		case !known:
			return false, sqlerr.New(sqlerr.InvalidAuthorization, "role \"%s\" does not exist", user)
		case !role.Login:
			return false, sqlerr.New(sqlerr.InvalidAuthorization, "role \"%s\" is not permitted to log in", user).
				WithHint("ALTER ROLE .. LOGIN permits it.")
		}
		rights, err := store.Rights(user)
		return rights.Admin, err
	}
}

// warnings are what an operator should hear at the start.
func (o *securityOptions) warnings(out io.Writer, store *roles.Store, listen string) error {
	if o.auth == "trust" {
		if o.insecureTrust && !isLoopback(listen) {
			fmt.Fprintf(out, "warning: everybody who reaches %s may do everything (--auth trust)\n", listen)
		}
		return nil
	}
	all, err := store.All()
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(all, func(r roles.Role) bool { return r.Login }) {
		fmt.Fprintf(out, "warning: nobody can log in yet; make a user with: trireme user add NAME --role %s%s\n", roles.Admin, rolesFlag(store.Path()))
	}
	if o.auth == "scram" && o.tlsCert == "" && !isLoopback(listen) {
		fmt.Fprintln(out, "warning: without --tls-cert everything but passwords is sent in clear")
	}
	return nil
}

func rolesFlag(path string) string {
	if path == "" {
		return ""
	}
	return " --roles " + path
}

// openRoles opens the store of roles of a server.
func (o *securityOptions) openRoles(db string) (*roles.Store, error) {
	path := rolesPath(o.roles, db)
	if path == "" && o.auth != "trust" {
		return nil, sqlerr.New(sqlerr.InvalidParameter, "--auth %s needs a file of roles, and a database in memory has none", o.auth).
			WithHint("Say --roles FILE, or --db FILE.")
	}
	store, err := roles.Open(path)
	if err != nil {
		return nil, err
	}
	return store, nil
}
