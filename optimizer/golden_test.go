package optimizer_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/optimizer"
	"github.com/trireme-db/trireme/optimizer/logical"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// goldenSource holds the figures of a golden file: one line per tensor,
//
//	stats E nnz=10000 dims=1000,1000 distinct=900,900
//
// where distinct defaults to the dimensions.
type goldenSource map[string]stats.TensorStats

func (g goldenSource) Stats(a *einsum.Access) stats.TensorStats {
	t := g[a.Tensor]
	rest := stats.TensorStats{NNZ: t.NNZ}
	for m, arg := range a.Args {
		if arg.Const != nil {
			rest.NNZ /= max(t.Distinct[m], 1)
			continue
		}
		rest.Dims = append(rest.Dims, t.Dims[m])
		rest.Distinct = append(rest.Distinct, t.Distinct[m])
	}
	return rest
}

func (g goldenSource) read(t *testing.T, d *datadriven.TestData, line string) {
	fields := strings.Fields(line)
	s := stats.TensorStats{}
	for _, f := range fields[2:] {
		key, list, _ := strings.Cut(f, "=")
		var values []float64
		for _, v := range strings.Split(list, ",") {
			x, err := strconv.ParseFloat(v, 64)
			if err != nil {
				d.Fatalf(t, "%s: %v", line, err)
			}
			values = append(values, x)
		}
		switch key {
		case "nnz":
			s.NNZ = values[0]
		case "dims":
			s.Dims = values
		case "distinct":
			s.Distinct = values
		default:
			d.Fatalf(t, "unknown figure %s", key)
		}
	}
	if s.Distinct == nil {
		s.Distinct = s.Dims
	}
	g[fields[1]] = s
}

// TestGolden runs the files of testdata. "logical" and "physical" print a
// program's plan; "steps" prints the physical plan of the
// queries as they stand.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			src := goldenSource{}
			var text []string
			for _, line := range strings.Split(d.Input, "\n") {
				if strings.HasPrefix(line, "stats ") {
					src.read(t, d, line)
				} else {
					text = append(text, line)
				}
			}
			out, err := planText(d.Cmd, strings.Join(text, "\n"), src)
			if err != nil {
				return "error: " + err.Error()
			}
			// The inputs are above already.
			for strings.HasPrefix(out, "tensor ") {
				_, out, _ = strings.Cut(out, "\n")
			}
			return out
		})
	})
}

func planText(cmd, text string, src stats.Source) (string, error) {
	p, err := einsum.Parse(text)
	if err != nil {
		return "", err
	}
	if err := p.Check(); err != nil {
		return "", err
	}
	switch cmd {
	case "logical":
		lp, err := optimizer.Logical(p, src, optimizer.Options{})
		if err != nil {
			return "", err
		}
		return lp.String(), lp.Check()
	case "physical":
		_, pp, err := optimizer.Optimize(p, src, optimizer.Options{})
		if err != nil {
			return "", err
		}
		return pp.String(), pp.Check()
	case "steps":
		lp, err := logical.FromProgram(p).Estimate(src, stats.Uniform{})
		if err != nil {
			return "", err
		}
		pp, err := optimizer.Physical(lp, src, optimizer.Options{})
		if err != nil {
			return "", err
		}
		return pp.String(), pp.Check()
	}
	return "", fmt.Errorf("unknown command %s", cmd)
}
