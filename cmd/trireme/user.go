package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/trireme-db/trireme/engine/roles"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// userOptions are the flags of trireme user.
type userOptions struct {
	db, roles    string
	passwordFile string
	noPassword   bool
	memberOf     []string
}

func newUser() *cobra.Command {
	var o userOptions
	cmd := &cobra.Command{
		Use:   "user",
		Short: "Make and change the users of a server; it may be running",
		Long:  "Make and change the users of a server, which may be running. TRIREME_DB and TRIREME_ROLES name it as they do for serve.",
	}
	f := cmd.PersistentFlags()
	cmd.PersistentPreRunE = func(*cobra.Command, []string) error {
		_, err := environmentConfig(f, os.Environ())
		return err
	}
	f.StringVar(&o.db, "db", "", "database file, whose roles are in the file of its name with .roles")
	f.StringVar(&o.roles, "roles", "", "file of users and roles, if it is another")
	cmd.AddCommand(o.add(), o.list(), o.drop(), o.password())
	return cmd
}

func (o *userOptions) open() (*roles.Store, error) {
	path := rolesPath(o.roles, o.db)
	if path == "" {
		return nil, sqlerr.New(sqlerr.InvalidParameter, "which server's users?").WithHint("Say --db FILE or --roles FILE, or set TRIREME_DB.")
	}
	return roles.Open(path)
}

func (o *userOptions) add() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "add NAME",
		Short: "Add a user; the password is asked for, or read from standard input",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := o.open()
			if err != nil {
				return err
			}
			role := roles.Role{Name: args[0], Login: true, MemberOf: o.memberOf}
			if !o.noPassword {
				if role.Verifier, err = o.readPassword(cmd); err != nil {
					return err
				}
			}
			return store.Create(role)
		},
	}
	o.addPasswordFlag(cmd)
	cmd.Flags().BoolVar(&o.noPassword, "no-password", false, "a user without a password, for --auth cert or trust")
	cmd.Flags().StringSliceVar(&o.memberOf, "role", nil, "roles to be a member of: "+roles.Admin+", "+roles.ReadOnly+", or others")
	return cmd
}

func (o *userOptions) password() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "password NAME",
		Short: "Change a user's password",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := o.open()
			if err != nil {
				return err
			}
			verifier, err := o.readPassword(cmd)
			if err != nil {
				return err
			}
			return store.Alter(args[0], func(r *roles.Role) { r.Verifier = verifier })
		},
	}
	o.addPasswordFlag(cmd)
	return cmd
}

func (o *userOptions) addPasswordFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.passwordFile, "password-file", "", "file whose first line is the password")
}

func (o *userOptions) drop() *cobra.Command {
	return &cobra.Command{
		Use:   "drop NAME",
		Short: "Drop a user",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			store, err := o.open()
			if err != nil {
				return err
			}
			_, err = store.Drop(args, false)
			return err
		},
	}
}

func (o *userOptions) list() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List users and roles",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := o.open()
			if err != nil {
				return err
			}
			all, err := store.All()
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 2, ' ', 0)
			fmt.Fprintln(w, "name\tlogin\tpassword\tmember of")
			for _, r := range all {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.Name, yesNo(r.Login), yesNo(r.Verifier != ""), strings.Join(r.MemberOf, ", "))
			}
			return w.Flush()
		},
	}
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// readPassword returns the verifier of a password from the file, the terminal,
// or standard input. It never comes from the arguments, which others can see.
func (o *userOptions) readPassword(cmd *cobra.Command) (string, error) {
	password, err := o.passwordText(cmd)
	if err != nil {
		return "", err
	}
	return roles.NewVerifier(password)
}

func (o *userOptions) passwordText(cmd *cobra.Command) (string, error) {
	if o.passwordFile != "" {
		f, err := os.Open(o.passwordFile)
		if err != nil {
			return "", sqlerr.New(sqlerr.IOError, "%v", err)
		}
		line, err := firstLine(f)
		return line, errors.Join(err, f.Close())
	}
	in, isFile := cmd.InOrStdin().(*os.File)
	if !isFile || !term.IsTerminal(int(in.Fd())) {
		return firstLine(cmd.InOrStdin())
	}
	ask := func(prompt string) (string, error) {
		fmt.Fprint(cmd.ErrOrStderr(), prompt)
		text, err := term.ReadPassword(int(in.Fd()))
		fmt.Fprintln(cmd.ErrOrStderr())
		return string(text), err
	}
	first, err := ask("Password: ")
	if err != nil {
		return "", err
	}
	again, err := ask("Once more: ")
	if err == nil && first != again {
		err = sqlerr.New(sqlerr.InvalidParameter, "the two passwords differ")
	}
	return first, err
}

// firstLine reads a line without its end.
func firstLine(r io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(r, 64<<10)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return strings.TrimRight(line, "\r\n"), nil
}
