package fibers

import (
	"sync"
	"sync/atomic"
)

// inParallel calls work with the items 0..n-1, ascending, on at most workers
// goroutines, the caller's among them. After an error no further item is begun,
// and the error is returned. A panic in work is raised again in the caller.
func inParallel(workers, n int, work func(item int) error) error {
	workers = min(workers, n)
	if workers < 2 {
		for item := range n {
			if err := work(item); err != nil {
				return err
			}
		}
		return nil
	}
	var p pieces
	var wg sync.WaitGroup
	for range workers - 1 {
		wg.Go(func() { p.run(n, work) })
	}
	p.run(n, work)
	wg.Wait()
	if p.panicked != nil {
		panic(p.panicked)
	}
	return p.err
}

// pieces is what the goroutines of inParallel share.
type pieces struct {
	next, stop atomic.Int64

	mu       sync.Mutex
	err      error
	panicked any
}

func (p *pieces) run(n int, work func(item int) error) {
	defer func() {
		if r := recover(); r != nil {
			p.end(nil, r)
		}
	}()
	for p.stop.Load() == 0 {
		item := int(p.next.Add(1)) - 1
		if item >= n {
			return
		}
		if err := work(item); err != nil {
			p.end(err, nil)
		}
	}
}

// end records the first failure and lets nobody begin another item.
func (p *pieces) end(err error, panicked any) {
	p.stop.Store(1)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
	}
	if p.panicked == nil {
		p.panicked = panicked
	}
}

// cut returns where piece i of n items cut into so many pieces begins.
func cut(n, pieces, i int) int { return int(int64(n) * int64(i) / int64(pieces)) }

// piecesOf is the number of pieces, of checkEvery items or a little more, that
// n items are cut into; the context is looked at before each.
func piecesOf(n int) int { return max(n/checkEvery, 1) }
