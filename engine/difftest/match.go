package difftest

import "sort"

// sameRows reports whether two tables of equal columns have the same rows as
// multisets: whether their rows can be paired so that exact cells are equal and floats
// differ by the tolerance at most. Sorting finds such pairs unless several floats of
// rows that are otherwise equal lie within the tolerance of each other; there it is a
// matching in a bipartite graph.
func sameRows(want, got Table, toleranceAbs float64) bool {
	exact, float := columnsByKind(want)
	wantRows, gotRows := sortedRows(want, exact, float), sortedRows(got, exact, float)
	for from := 0; from < len(wantRows); {
		to := from + 1
		for to < len(wantRows) && compareExact(wantRows[from], wantRows[to], exact) == 0 {
			to++
		}
		m := matching{want: wantRows[from:to], got: gotRows[from:to], toleranceAbs: toleranceAbs}
		if !m.inOrder() && (len(float) < 2 || !m.complete(float[0])) {
			return false
		}
		from = to
	}
	return true
}

// columnsByKind are the columns that are compared exactly and those of floats.
func columnsByKind(t Table) (exact, float []int) {
	for i, column := range t.Columns {
		if column.Type.IsFloat() {
			float = append(float, i)
		} else {
			exact = append(exact, i)
		}
	}
	return exact, float
}

// sortedRows orders rows by their exact cells first and by float cells last.
func sortedRows(t Table, exact, float []int) [][]Cell {
	sorted := append([][]Cell(nil), t.Rows...)
	sort.SliceStable(sorted, func(i, j int) bool {
		if order := compareExact(sorted[i], sorted[j], exact); order != 0 {
			return order < 0
		}
		for _, c := range float {
			if order := compareFloat(sorted[i][c], sorted[j][c]); order != 0 {
				return order < 0
			}
		}
		return false
	})
	return sorted
}

func compareExact(a, b []Cell, exact []int) int {
	for _, c := range exact {
		switch a, b := cellText(a[c]), cellText(b[c]); {
		case a < b:
			return -1
		case a > b:
			return 1
		}
	}
	return 0
}

// matching pairs as many rows of two sorted lists, whose exact cells are all equal.
type matching struct {
	want, got    [][]Cell
	toleranceAbs float64
	first        int   // the float column by which they are sorted first
	pairOf       []int // of a row of got, the row of want; -1: none
}

// inOrder reports whether the i-th rows are pairs.
func (m *matching) inOrder() bool {
	for i := range m.want {
		if !sameRow(m.want[i], m.got[i], m.toleranceAbs) {
			return false
		}
	}
	return true
}

// complete reports whether all rows can be paired, by augmenting paths: in time of
// the rows times the pairs within the tolerance.
func (m *matching) complete(first int) bool {
	m.first = first
	m.pairOf = make([]int, len(m.got))
	for i := range m.pairOf {
		m.pairOf[i] = -1
	}
	for i := range m.want {
		if !m.augment(i, make(map[int]bool)) {
			return false
		}
	}
	return true
}

// augment pairs a row of want, moving others to other pairs; seen are the rows of got
// that were tried.
func (m *matching) augment(i int, seen map[int]bool) bool {
	for j := m.candidate(i); j < len(m.got) && sameOrBefore(m.got[j][m.first], m.want[i][m.first], m.toleranceAbs); j++ {
		if seen[j] || !sameRow(m.want[i], m.got[j], m.toleranceAbs) {
			continue
		}
		seen[j] = true
		if m.pairOf[j] < 0 || m.augment(m.pairOf[j], seen) {
			m.pairOf[j] = i
			return true
		}
	}
	return false
}

// candidate is the first row of got whose first float may be that of a row of want.
func (m *matching) candidate(i int) int {
	return sort.Search(len(m.got), func(j int) bool {
		return sameCell(m.want[i][m.first], m.got[j][m.first], m.toleranceAbs) || compareFloat(m.got[j][m.first], m.want[i][m.first]) > 0
	})
}

// sameOrBefore reports whether a float is another within the tolerance, or sorts before it.
func sameOrBefore(got, want Cell, toleranceAbs float64) bool {
	return sameCell(want, got, toleranceAbs) || compareFloat(got, want) < 0
}
