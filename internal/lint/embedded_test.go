package lint

import (
	"encoding/csv"
	"io"
	"slices"
	"testing"

	"github.com/trireme-db/trireme/testdata"
)

// The package testdata has no tests of its own, since `go test ./...` skips
// folders of that name.
func TestDebianFiles(t *testing.T) {
	tests := []struct {
		name   string
		open   func() io.ReadCloser
		header []string
		rows   int
	}{
		{"packages", testdata.DebianPackages, []string{"name", "section", "priority", "installed_kb", "source"}, 63436},
		{"depends", testdata.DebianDepends, []string{"package", "dependency", "kind"}, 299335},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stream := tt.open()
			records, err := csv.NewReader(stream).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			if err := stream.Close(); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(records[0], tt.header) {
				t.Errorf("header %v, want %v", records[0], tt.header)
			}
			if got := len(records) - 1; got != tt.rows {
				t.Errorf("%d rows, want %d", got, tt.rows)
			}
		})
	}
}
