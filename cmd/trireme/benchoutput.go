package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/trireme-db/trireme/bench"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// benchOutputs are the files that a run writes. They are opened before anything is
// measured, so that a name that cannot be written is known at once.
type benchOutputs struct {
	document, picture, page io.WriteCloser
	pictureName             string // as the page names it
}

func (o *benchOptions) openOutputs() (*benchOutputs, error) {
	out := &benchOutputs{document: nowhere{io.Discard}, picture: nowhere{io.Discard}, page: nowhere{io.Discard}}
	for _, f := range []struct {
		path string
		to   *io.WriteCloser
	}{{o.jsonPath, &out.document}, {o.plotPath, &out.picture}, {o.resultsPath, &out.page}} {
		if f.path == "" {
			continue
		}
		file, err := os.Create(f.path)
		if err != nil {
			return nil, errors.Join(sqlerr.Wrap(sqlerr.IOError, err), out.close())
		}
		*f.to = file
	}
	out.pictureName = nameFrom(o.resultsPath, o.plotPath)
	return out, nil
}

// nameFrom is the name of a file as a page in another names it; empty: there is none.
func nameFrom(page, file string) string {
	if page == "" || file == "" {
		return ""
	}
	if name, err := filepath.Rel(filepath.Dir(page), file); err == nil {
		return filepath.ToSlash(name)
	}
	return file // on another drive
}

// write writes results; document is what writes the JSON form.
func (out *benchOutputs) write(r *bench.Results, document func(io.Writer) error) error {
	_, pageErr := io.WriteString(out.page, r.Page(out.pictureName))
	_, pictureErr := io.WriteString(out.picture, r.Plot())
	return errors.Join(document(out.document), pageErr, pictureErr, out.close())
}

func (out *benchOutputs) close() error {
	return errors.Join(out.document.Close(), out.picture.Close(), out.page.Close())
}

// nowhere discards what is written.
type nowhere struct{ io.Writer }

func (nowhere) Close() error { return nil }
