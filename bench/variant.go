package bench

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/engine"
)

// Variant is one way to answer: a backend with a number of threads and, of
// native, other ways to plan.
type Variant struct {
	Backend engine.Backend
	Threads int
	// Estimator and Optimizer are values of trireme.estimator and trireme.optimizer;
	// empty: the default.
	Estimator, Optimizer string
}

// The words before settings in a variant's name.
const (
	estimatorWord = "estimator="
	optimizerWord = "optimizer="
)

// String is "native 1", "native 2 estimator=chain".
func (v Variant) String() string {
	text := fmt.Sprintf("%s %d", v.Backend, v.Threads)
	if v.Estimator != "" {
		text += " " + estimatorWord + v.Estimator
	}
	if v.Optimizer != "" {
		text += " " + optimizerWord + v.Optimizer
	}
	return text
}

// MarshalText makes a variant a JSON string.
func (v Variant) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads what MarshalText has written.
func (v *Variant) UnmarshalText(text []byte) (err error) {
	words := strings.Fields(string(text))
	if len(words) < 2 {
		return fmt.Errorf("variant %q is not a backend with a number of threads", text)
	}
	var out Variant
	if out.Backend, err = engine.ParseBackend(words[0]); err != nil {
		return err
	}
	if out.Threads, err = strconv.Atoi(words[1]); err != nil {
		return fmt.Errorf("variant %q: %w", text, err)
	}
	for _, word := range words[2:] {
		switch {
		case strings.HasPrefix(word, estimatorWord):
			out.Estimator = strings.TrimPrefix(word, estimatorWord)
		case strings.HasPrefix(word, optimizerWord):
			out.Optimizer = strings.TrimPrefix(word, optimizerWord)
		default:
			return fmt.Errorf("variant %q: unknown word %q", text, word)
		}
	}
	*v = out
	return nil
}

// plain reports whether everything but backend and threads is the default.
func (v Variant) plain() bool { return v == Variant{Backend: v.Backend, Threads: v.Threads} }

// is reports whether the variant is a backend as it is by default.
func (v Variant) is(b engine.Backend) bool { return v.plain() && v.Backend == b }

// settings are the statements that make a session answer in this way: the backend,
// the threads of the tensor engine and of DuckDB alike, and how plans are made.
func (v Variant) settings() string {
	set := func(name, value string) string {
		if value == "" {
			return fmt.Sprintf("RESET trireme.%s; ", name)
		}
		return fmt.Sprintf("SET trireme.%s = '%s'; ", name, strings.ReplaceAll(value, "'", "''"))
	}
	return set("backend", v.Backend.String()) + set("estimator", v.Estimator) + set("optimizer", v.Optimizer) +
		fmt.Sprintf("SET trireme.threads = %d; SET threads = %d", v.Threads, v.Threads)
}

// variants are the columns of the report: backends with threads, then native with
// other estimators and optimizers.
func (c *Config) variants() []Variant {
	var out []Variant
	native := false
	for _, b := range c.Backends {
		if b == engine.Native && c.Threads > 1 {
			out = append(out, Variant{Backend: b, Threads: 1})
		}
		out = append(out, Variant{Backend: b, Threads: c.Threads})
		native = native || b == engine.Native
	}
	if native {
		for _, name := range c.Estimators {
			out = append(out, Variant{Backend: engine.Native, Threads: c.Threads, Estimator: name})
		}
		for _, name := range c.Optimizers {
			out = append(out, Variant{Backend: engine.Native, Threads: c.Threads, Optimizer: name})
		}
	}
	return out
}
