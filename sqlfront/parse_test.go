package sqlfront

import (
	"sync"
	"testing"
)

// TestParseConcurrently: parsers are shared and reused, trees are not.
func TestParseConcurrently(t *testing.T) {
	texts := corpus(t, "accept")
	want := make([]string, len(texts))
	trees := make([]*selectNode, len(texts))
	for i, text := range texts {
		sel, reason := parsed(text)
		if reason != "" {
			t.Fatalf("%s: %s", text, reason)
		}
		trees[i], want[i] = sel, printSelect(sel)
	}
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := range texts {
				i := (k*7 + worker) % len(texts)
				if sel, _ := parsed(texts[i]); sel == nil || printSelect(sel) != want[i] {
					t.Errorf("%s: another tree when parsed concurrently", texts[i])
				}
			}
		}()
	}
	wg.Wait()
	for i, sel := range trees {
		if printSelect(sel) != want[i] {
			t.Errorf("%s: the tree has changed after its parser was reused", texts[i])
		}
	}
}
