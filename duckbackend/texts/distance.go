package texts

import "github.com/trireme-db/trireme/internal/sqlerr"

// TextMax is how many bytes the shorter of two texts may have between which a distance is
// counted: there are numbers for each of them.
const TextMax = 4 << 20

func tooLong(function string) error {
	return sqlerr.New(sqlerr.ProgramLimit, "%s takes two texts of which one has at most %d MiB", function, TextMax>>20).
		WithHint("Compare parts of them.")
}

// Levenshtein is how many bytes have to be added, removed or replaced to make one text of
// the other. Texts that are both longer than TextMax are error 54000.
func Levenshtein(stop *Stop, a, b []byte) (int64, error) {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(b) > TextMax {
		return 0, tooLong("levenshtein")
	}
	row := make([]uint32, len(b)+1) // from the first i bytes of a to those of b
	for j := range row {
		row[j] = uint32(j)
	}
	count := steps{stop, askEvery}
	for i := range a {
		if err := count.take(len(b)); err != nil {
			return 0, err
		}
		diagonal := row[0]
		row[0] = uint32(i + 1)
		for j, c := range b {
			above := row[j+1]
			cost := diagonal
			if c != a[i] {
				cost = 1 + min(diagonal, above, row[j])
			}
			diagonal, row[j+1] = above, cost
		}
	}
	return int64(row[len(b)]), nil
}

// Damerau is Levenshtein where two bytes that stand side by side may also change places,
// after which bytes may come between them. It keeps two rows and, for each column, one
// number of an older row, after Zhao and Sahni.
func Damerau(stop *Stop, a, b []byte) (int64, error) {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(b) > TextMax {
		return 0, tooLong("damerau_levenshtein")
	}
	d := newDamerau(len(a), len(b))
	count := steps{stop, askEvery}
	for i := range a {
		if err := count.take(len(b)); err != nil {
			return 0, err
		}
		d.row(i+1, a[i], b)
		d.last[a[i]] = int64(i + 1)
	}
	return d.now[len(b)], nil
}

// damerau has the rows of the matrix of Damerau.
type damerau struct {
	now, before []int64 // of the first i bytes, and of i-1
	// at[j] is of the row before the last in which byte j of b was met, and column j-2.
	at   []int64
	last [256]int64 // the row in which a byte was met last; 0: none
	none int64      // more than any distance
}

func newDamerau(a, b int) *damerau {
	d := &damerau{now: make([]int64, b+1), before: make([]int64, b+1), at: make([]int64, b+1), none: int64(max(a, b)) + 1}
	for j := range d.now {
		d.now[j], d.before[j], d.at[j] = int64(j), d.none, d.none
	}
	return d
}

// row makes row i, of the byte c.
func (d *damerau) row(i int, c byte, b []byte) {
	d.now, d.before = d.before, d.now
	older := d.now[0] // of row i-2, column j-1; the row is overwritten
	d.now[0] = int64(i)
	met, beside := 0, d.none // the column in which c was met last; of row i-2, column met-1
	for j := 1; j <= len(b); j++ {
		cost := min(d.now[j-1], d.before[j]) + 1
		older2 := d.now[j] // of row i-2, column j
		if b[j-1] == c {
			cost = min(cost, d.before[j-1])
			met, beside = j, older
			d.at[j] = d.oldest(j)
		} else {
			cost = min(cost, d.before[j-1]+1)
			switch k := d.last[b[j-1]]; {
			case k == 0 || met == 0:
			case j-met == 1:
				cost = min(cost, d.at[j]+int64(i)-k)
			case int64(i)-k == 1:
				cost = min(cost, beside+int64(j-met))
			}
		}
		older, d.now[j] = older2, cost
	}
}

// oldest is of row i-1, column j-2.
func (d *damerau) oldest(j int) int64 {
	if j < 2 {
		return d.none
	}
	return d.before[j-2]
}
