package engine

import (
	"regexp"
	"runtime"
	"strconv"
	"testing"
)

// TestThreads: trireme.threads is how many threads a tensor kernel runs on; the
// rows are the same, those of sums of floats to the last bit.
func TestThreads(t *testing.T) {
	e := openEngine(t)
	s := openSession(t, e)
	s.want("SHOW trireme.threads", strconv.Itoa(runtime.GOMAXPROCS(0)))
	s.run("CREATE TABLE edge AS SELECT a.range AS src, b.range AS dst, 1 / (1.0 + hash(a.range * 1000 + b.range) % 997)::DOUBLE AS w FROM range(200) a, range(200) b WHERE hash(a.range * 3000 + b.range) % 3 > 0")
	s.run("SET trireme.backend = 'native'")
	const triangles = "SELECT a.src, count(*), sum(a.w * b.w * c.w) FROM edge a JOIN edge b ON a.dst = b.src JOIN edge c ON b.dst = c.dst AND a.src = c.src GROUP BY a.src ORDER BY a.src"
	const total = "SELECT sum(a.w * b.w * c.w) FROM edge a JOIN edge b ON a.dst = b.src JOIN edge c ON b.dst = c.dst AND a.src = c.src"
	figures := regexp.MustCompile(`(\d+) thread\(s\), (\d+) morsel\(s\)`)
	want, morsels := [2]string{}, ""
	for _, threads := range []string{"1", "2", "7"} {
		s.run("SET trireme.threads = " + threads)
		for i, sql := range []string{triangles, total} {
			got := s.run(sql)
			if want[i] == "" {
				want[i] = got
			}
			if got != want[i] {
				t.Errorf("%s threads: other rows for %s", threads, sql)
			}
		}
		m := figures.FindStringSubmatch(s.run("EXPLAIN ANALYZE " + total))
		if m == nil || m[1] != threads || m[2] == "1" || morsels != "" && m[2] != morsels {
			t.Errorf("%s threads: ran on %v, before in %s morsels", threads, m, morsels)
		} else {
			morsels = m[2]
		}
	}
	s.run("RESET trireme.threads")
	s.want("SHOW trireme.threads", strconv.Itoa(runtime.GOMAXPROCS(0)))
	for _, value := range []string{"0", "-1", "many", "1025", "1.5"} {
		s.wantError("SET trireme.threads = '"+value+"'", "22023")
	}
}
