package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Every flag of a command may be given by an environment variable and in a file,
// too: --memory-limit is TRIREME_MEMORY_LIMIT and the key memory-limit. A flag goes
// before the variable, that before the file, and the file before the default.

const (
	configFlag = "config"
	printFlag  = "print-config"
	envPrefix  = "TRIREME_"
)

// configSource is where the value of a flag comes from.
type configSource string

const (
	fromFlag        configSource = "flag"
	fromEnvironment configSource = "environment"
	fromFile        configSource = "file"
	fromDefault     configSource = "default"
)

// config finds the values of a command's flags.
type config struct {
	flags   *pflag.FlagSet
	path    string // of the file; empty: there is none
	environ []string
	source  map[string]configSource // of every flag
}

// addConfigFlags adds the flags that configure where flags come from.
func addConfigFlags(cmd *cobra.Command) {
	cmd.Flags().String(configFlag, "", "YAML file with values of flags, such as memory-limit: 8GB")
	cmd.Flags().Bool(printFlag, false, "print the configuration in effect and where it comes from, and end")
}

// environmentConfig sets the flags that were not given from the environment.
func environmentConfig(flags *pflag.FlagSet, environ []string) (*config, error) {
	c := &config{flags: flags, environ: environ, source: map[string]configSource{}}
	flags.VisitAll(func(f *pflag.Flag) {
		c.source[f.Name] = fromDefault
		if f.Changed {
			c.source[f.Name] = fromFlag
		}
	})
	return c, c.readEnvironment()
}

// loadConfig sets the flags that were not given from the environment and the file.
func loadConfig(flags *pflag.FlagSet, environ []string) (*config, error) {
	c, err := environmentConfig(flags, environ)
	if err != nil {
		return nil, err
	}
	c.path = flags.Lookup(configFlag).Value.String()
	if c.path == "" {
		return c, nil
	}
	entries, err := c.readFile()
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if c.source[e.key] != fromDefault {
			continue
		}
		if err := setFlag(flags.Lookup(e.key), e.values); err != nil {
			return nil, e.failed(c.path, err)
		}
		c.source[e.key] = fromFile
	}
	return c, nil
}

func (c *config) readEnvironment() error {
	known := map[string]*pflag.Flag{}
	c.flags.VisitAll(func(f *pflag.Flag) { known[variableOf(f.Name)] = f })
	for _, v := range c.environ {
		name, value, _ := strings.Cut(v, "=")
		f := known[name]
		if f == nil || f.Name == printFlag || f.Name == "help" || c.source[f.Name] == fromFlag {
			continue
		}
		if err := setFlag(f, []string{value}); err != nil {
			return sqlerr.New(sqlerr.InvalidParameter, "environment variable %s: %v", name, err)
		}
		c.source[f.Name] = fromEnvironment
	}
	return nil
}

// variableOf is the environment variable of a flag.
func variableOf(flag string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// setFlag sets a flag from texts: several for a flag that is a list.
func setFlag(f *pflag.Flag, values []string) error {
	var err error
	switch list, ok := f.Value.(pflag.SliceValue); {
	case ok && len(values) != 1:
		err = list.Replace(values)
	case len(values) != 1:
		err = errors.New("a single value is expected, not a list")
	default:
		err = f.Value.Set(values[0])
	}
	if err != nil {
		return fmt.Errorf("invalid value %q: %w", strings.Join(values, ", "), err)
	}
	return nil
}

// fileEntry is a key of the file.
type fileEntry struct {
	key    string
	line   int
	values []string
}

func (e *fileEntry) failed(path string, err error) error {
	return sqlerr.New(sqlerr.InvalidParameter, "%s:%d: %s: %v", path, e.line, e.key, err)
}

// readFile reads the file: one mapping of names of flags to values or lists of
// them. Values are taken as they are written.
func (c *config) readFile() ([]fileEntry, error) {
	text, err := os.ReadFile(c.path)
	if err != nil {
		return nil, sqlerr.New(sqlerr.IOError, "cannot read the configuration: %v", err)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, sqlerr.New(sqlerr.InvalidParameter, "%s: %v", c.path, err).WithHint("The file is YAML: a line `key: value` per flag.")
	}
	if len(doc.Content) == 0 {
		return nil, nil // nothing but comments
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, sqlerr.New(sqlerr.InvalidParameter, "%s:%d: `key: value` is expected", c.path, root.Line)
	}
	var entries []fileEntry
	for i := 0; i+1 < len(root.Content); i += 2 {
		e := fileEntry{key: root.Content[i].Value, line: root.Content[i].Line}
		if err := c.checkKey(e, entries); err != nil {
			return nil, err
		}
		if e.values, err = valuesOf(root.Content[i+1]); err != nil {
			return nil, e.failed(c.path, err)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func (c *config) checkKey(e fileEntry, before []fileEntry) error {
	if slices.ContainsFunc(before, func(b fileEntry) bool { return b.key == e.key }) {
		return e.failed(c.path, errors.New("the key is there twice"))
	}
	if c.flags.Lookup(e.key) == nil || e.key == configFlag || e.key == printFlag || e.key == "help" {
		err := sqlerr.New(sqlerr.InvalidParameter, "%s:%d: unknown key %q", c.path, e.line, e.key)
		return err.WithHint("The keys are the names of the flags; trireme serve --print-config shows them all.")
	}
	return nil
}

func valuesOf(n *yaml.Node) ([]string, error) {
	switch n.Kind {
	case yaml.ScalarNode:
		return []string{n.Value}, nil
	case yaml.SequenceNode:
		values := []string{}
		for _, item := range n.Content {
			if item.Kind != yaml.ScalarNode {
				return nil, errors.New("a list of single values is expected")
			}
			values = append(values, item.Value)
		}
		return values, nil
	}
	return nil, errors.New("a value or a list is expected")
}

// print writes the configuration as a file that --config takes, with where each
// value comes from.
func (c *config) print(out io.Writer) error {
	doc := &yaml.Node{Kind: yaml.MappingNode}
	c.flags.VisitAll(func(f *pflag.Flag) {
		if f.Name == configFlag || f.Name == printFlag || f.Name == "help" {
			return
		}
		value := &yaml.Node{Kind: yaml.ScalarNode, Value: f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			value = &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
			for _, item := range list.GetSlice() {
				value.Content = append(value.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: item})
			}
		}
		if value.Kind == yaml.ScalarNode && (value.Value == "" || strings.HasPrefix(value.Value, ":")) {
			value.Style = yaml.DoubleQuotedStyle
		}
		value.LineComment = string(c.source[f.Name])
		doc.Content = append(doc.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: f.Name}, value)
	})
	enc := yaml.NewEncoder(out)
	if err := enc.Encode(doc); err != nil {
		return err
	}
	return enc.Close()
}
