package engine

import (
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/optimizer"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// The values of trireme.estimator and trireme.optimizer, the default first.
var (
	estimatorNames = []string{"best", "chain", "uniform"}
	searchNames    = []string{"auto", "greedy", "exact"}
)

// planning is how a session's statements are planned: the values of
// trireme.estimator and trireme.optimizer.
type planning struct{ estimator, search string }

// options are the planner's options for the settings.
func (p planning) options() optimizer.Options {
	return optimizer.Options{Estimator: estimatorByName(p.estimator)}
}

// estimatorByName returns the estimator that a value of trireme.estimator names.
func estimatorByName(string) stats.Estimator { return stats.Uniform{} }

// oneOf accepts the given values in any case; 22023 for others.
func oneOf(values []string) func(string) (string, error) {
	return func(value string) (string, error) {
		if v := strings.ToLower(value); slices.Contains(values, v) {
			return v, nil
		}
		return "", sqlerr.New(sqlerr.InvalidParameter, "value %q is not valid", value).
			WithHint("The values are %s.", strings.Join(values, ", "))
	}
}
