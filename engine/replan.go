package engine

import "fmt"

// surprise is a step whose result was far from the estimate.
type surprise struct {
	step      string
	estimated float64
	entries   int
}

// factor is how far off the estimate was.
func (s *surprise) factor() float64 { return qError(s.estimated, float64(s.entries)) }

// String says what was expected and what came.
func (s *surprise) String() string {
	return fmt.Sprintf("after step %s: estimated %.4g, true %d (%.2fx)", s.step, s.estimated, s.entries, s.factor())
}

func (s *surprise) document() map[string]any {
	return map[string]any{"after_step": s.step, "estimated_nnz": s.estimated, "nnz": s.entries, "q_error": s.factor()}
}

func (n *nativeRun) replan(int) (bool, error) { return false, nil }
