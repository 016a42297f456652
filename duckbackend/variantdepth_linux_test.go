//go:build !duckdb_use_lib

package duckbackend

import (
	"fmt"
	"strings"
	"testing"
)

// However a VARIANT comes to nest, it nests at most 1000 deep, and can be read and compared then.
func TestDepthOfVariants(t *testing.T) {
	c := openConn(t, openMemory(t))
	nested := func(more string, n int) string {
		return fmt.Sprintf("WITH RECURSIVE t(d, v) AS (SELECT 1, [1]::VARIANT UNION ALL SELECT d + 1, (%s)::VARIANT FROM t WHERE d < %d) ", more, n)
	}
	for _, more := range []string{"[v]", "{'a': v}", "{'a': 1, 'b': v}", "[v, NULL]", "[NULL, 'a long text that is not in its place'::VARIANT, v]", "map([1], [v])"} {
		wantCode(t, runs(ctx, c, nested(more, 1001)+"SELECT d FROM t"), "54001")
	}
	mustExec(t, c, "CREATE TABLE deepest AS "+nested("[v]", 1000)+"SELECT v FROM t WHERE d = 1000")
	for _, value := range []string{"v = v", "length(v::VARCHAR) = 2001", "length(v::JSON::VARCHAR) = 2001"} {
		if got := strings.TrimSpace(query(t, c, "SELECT count(*) FROM deepest WHERE "+value)); got != "1" {
			t.Errorf("%s: %s", value, got)
		}
	}
	for _, value := range []string{"[v, v]::VARIANT", "{'a': {'b': v}}::VARIANT", "TRY([v]::VARIANT)", "TRY_CAST([v] AS VARIANT)"} {
		wantCode(t, runs(ctx, c, "SELECT "+value+" FROM deepest"), "54001")
	}
	// Many values are not a depth.
	mustExec(t, c, "SELECT range(100000)::VARIANT, list_transform(range(5000), lambda x: [x, x])::VARIANT, ('[' || repeat('[],', 5000) || '[]]')::JSON::VARIANT")
	mustExec(t, c, "SELECT j::JSON::VARIANT FROM (SELECT repeat('[', 1000) || repeat(']', 1000) AS j FROM range(3000)) s")
}
