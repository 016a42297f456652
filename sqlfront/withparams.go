package sqlfront

import (
	"strconv"
	"strings"
)

// WithParams writes values, as SQL, in place of the parameters $1, $2, .. of a text.
func WithParams(sql string, values []string) string {
	var b strings.Builder
	at := 0
	for _, t := range tokensOf(sql) {
		if t.kind != tokParam {
			continue
		}
		n, err := strconv.Atoi(strings.TrimPrefix(sql[t.start:t.end], "$"))
		if err != nil || n < 1 || n > len(values) {
			continue
		}
		b.WriteString(sql[at:t.start] + values[n-1])
		at = t.end
	}
	return b.String() + sql[at:]
}
