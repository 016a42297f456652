package expr

import (
	"errors"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text  string
		modes []int
		want  string
	}{
		{"ik,kj->ij", nil, "[i][k],[k][j]->[i][j]"},
		{" i k , k j -> i j ", nil, "[i][k],[k][j]->[i][j]"},
		{"ik,kj→ij", nil, "[i][k],[k][j]->[i][j]"},
		{"αβ,βж->αж", nil, "[α][β],[β][ж]->[α][ж]"},
		{"e\u0301k,k->e\u0301", nil, "[e\u0301][k],[k]->[e\u0301]"},
		{"iI,I->i", nil, "[i][I],[I]->[i]"},
		// Without an arrow: indices that occur once, by name.
		{"ba", nil, "[b][a]->[a][b]"},
		{"kj,ik", nil, "[k][j],[i][k]->[i][j]"},
		{"ii", nil, "[i][i]->"},
		{"i,i", nil, "[i],[i]->"},
		{"", nil, "->"},
		{",", nil, ",->"},
		{",i", nil, ",[i]->[i]"},
		// Names.
		{"row col, col out -> row out", nil, "[row][col],[col][out]->[row][out]"},
		{"row col, col", nil, "[row][col],[col]->[row]"},
		{"x_1 y, y -> x_1", nil, "[x_1][y],[y]->[x_1]"},
		{"[row]k,k[col]->[row][col]", nil, "[row][k],[k][col]->[row][col]"},
		{"[ row ],[row]->", nil, "[row],[row]->"},
		{"[i][k],[k][j]->[i][j]", nil, "[i][k],[k][j]->[i][j]"},
		// Ellipses.
		{"...i,i->...", []int{3, 1}, "[d2][d1][i],[i]->[d2][d1]"},
		{"i...,...->i...", []int{3, 1}, "[i][d2][d1],[d1]->[i][d2][d1]"},
		{"...", []int{2}, "[d2][d1]->[d2][d1]"},
		{"...i", []int{1}, "[i]->[i]"},
		{"...ii", []int{3}, "[d1][i][i]->[d1]"},
		{"batch ... k, k -> ...", []int{3, 1}, "[batch][d1][k],[k]->[d1]"},
	} {
		e, err := Parse(c.text, c.modes)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := e.String(); got != c.want {
			t.Errorf("%q is %s, want %s", c.text, got, c.want)
		}
		again, err := Parse(e.String(), nil)
		if err != nil || again.String() != e.String() {
			t.Errorf("%q does not read its own text %s: %v", c.text, e, err)
		}
	}
}

// TestParseErrors: every error is at the character that is wrong, marked by ^ here.
func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		text    string // ^ stands before the character
		modes   []int
		message string
	}{
		{"ik,kj->i^z", nil, "in no term"},
		{"ik,kj->i^i", nil, "twice in the output"},
		{"i^1,1j->ij", nil, "unexpected character '1'"},
		{"ik^;kj", nil, "unexpected character ';'"},
		{"ik^-kj", nil, "unexpected character '-'"},
		{"ik,kj-^>ij->", nil, ""},
		{"i->i^->i", nil, "second arrow"},
		{"i->i^,i", nil, "one output"},
		{"i,^j->ij", []int{1}, "2 terms, but 1 operand"},
		{"ij^->ij", []int{2, 2}, "1 term, but 2 operands"},
		{"ij^", []int{2, 2}, "1 term, but 2 operands"},
		{"ij^k->i", []int{2}, "3 indices, operand 1 has 2 modes"},
		{"ik,^kj->ij", []int{2, 3}, "2 indices, operand 2 has 3 modes"},
		{"i^..j", nil, "unexpected character '.'"},
		{"...i^...", []int{3}, "second ellipsis"},
		{"^...i", nil, "modes are known"},
		{"^[row", nil, "not closed"},
		{"[^]i", nil, "unexpected character ']'"},
		{"[a^-b]", nil, "unexpected character '-'"},
		{"ж^€", nil, "unexpected character '€'"},
		{"i^\xff", nil, "UTF-8"},
		{"row col, co^-l", nil, "unexpected character '-'"},
	} {
		text := strings.Replace(c.text, "^", "", 1)
		at := strings.Index(c.text, "^")
		if c.message == "" {
			text, at = "ik,kj-ij", 5
		}
		_, err := Parse(text, c.modes)
		var e *sqlerr.Error
		if !errors.As(err, &e) {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if e.Code != sqlerr.SyntaxError || e.Offset != at || !strings.Contains(e.Message, c.message) {
			t.Errorf("%q: %s at %d: %s; want %q at %d", text, e.Code, e.Offset, e.Message, c.message, at)
		}
	}
}

func TestSemiringNames(t *testing.T) {
	for s := SumProduct; s <= Count; s++ {
		if got, err := SemiringByName(strings.ToUpper(s.String())); err != nil || got != s {
			t.Errorf("%s: %s, %v", s, got, err)
		}
	}
	var e *sqlerr.Error
	if _, err := SemiringByName("max_times"); !errors.As(err, &e) || e.Code != sqlerr.InvalidParameter || !strings.Contains(e.Hint, "max_plus") {
		t.Errorf("max_times: %v", err)
	}
}

// TestLong: an expression of thousands of operands.
func TestLong(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("[x" + itoa(i) + "][x" + itoa(i+1) + "]")
	}
	e, err := Parse(b.String()+"->", nil)
	if err != nil || len(e.Terms) != 5000 || len(e.Names) != 5001 {
		t.Fatal(err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("ik,kj->ij")
	f.Add("row col, [col]... -> ")
	f.Fuzz(func(t *testing.T, text string) {
		e, err := Parse(text, nil)
		var se *sqlerr.Error
		if err != nil {
			if !errors.As(err, &se) || se.Offset < 0 || se.Offset > len(text) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		again, err := Parse(e.String(), nil)
		if err != nil || again.String() != e.String() {
			t.Fatalf("%q is %s, which is %v, %v", text, e, again, err)
		}
	})
}
