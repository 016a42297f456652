package exec

import "github.com/trireme-db/trireme/fibers/kernel"

// anyBatch is the size of the first batch in which a loop that stops at its first
// cell looks for it; each further one is twice as long. By BenchmarkBreak 16, 64
// and 256 differ by less than the noise.
const anyBatch = 64

// certain reports whether one cell of the loop is as good as all: no leaf reads
// more of them than that there is one.
func (f *fastLoop) certain() bool {
	if f.union != nil {
		return false // nor is every cell of it one of the structure
	}
	for _, leaf := range f.leaves {
		switch leaf.(type) {
		case fastPresence, *fastConst:
		default:
			return false
		}
	}
	return f.key.Shape == kernel.Reduce
}

// runAny runs the loop up to the first batch that has a cell.
func (f *fastLoop) runAny(e *env) {
	lead, from, to := f.start(e)
	if from >= to {
		return
	}
	f.lead = lead
	masked := f.outer != nil && f.outer(e)
	for size := int32(anyBatch); from < to; size = min(2*size, kernel.BatchMax) {
		f.at = from
		n := min(to-from, size)
		if !e.burn(int(n)) {
			return
		}
		f.selectBatch(e, n)
		if f.count(e, masked); f.found > 0 || masked && f.masked > 0 {
			f.found = min(f.found, 1)
			break
		}
		from += n
	}
	f.finish(e)
}
