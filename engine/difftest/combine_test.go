package difftest_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// mutantVariable names the mutant that a binary with many of them shows.
const mutantVariable = "TRIREME_MUTANT"

// combined are mutants of one build: a function with mutants asks first whether one
// of them is meant, and then calls a wrong copy of itself. Linking takes longer
// than most mutants live.
type combined struct {
	files map[string]string // text by path, relative to the module's root
	alone []mutant          // wrong outside of a function's body: they need builds of their own
}

// combine puts all mutants into the source.
func combine(mutants []mutant) (*combined, error) {
	byFile := map[string][]mutant{}
	for _, m := range mutants {
		byFile[m.file] = append(byFile[m.file], m)
	}
	out := &combined{files: map[string]string{}}
	for file, ms := range byFile {
		text, err := os.ReadFile(filepath.Join(moduleRoot, file))
		if err != nil {
			return nil, err
		}
		f, err := newMutatedFile(file, string(text))
		if err != nil {
			return nil, err
		}
		for _, m := range ms {
			if !f.add(&m) {
				out.alone = append(out.alone, m)
			}
		}
		if len(f.copies) == 0 {
			continue
		}
		out.files[file] = f.text()
		out.files[path.Join(path.Dir(file), "mutant_of_environment.go")] = fmt.Sprintf(
			"package %s\n\nimport \"os\"\n\nvar mutantOfEnvironment = os.Getenv(%q)\n", f.tree.Name.Name, mutantVariable)
	}
	for file, text := range out.files {
		if _, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// mutatedFile is a source file with what is put into it.
type mutatedFile struct {
	source string
	tree   *ast.File
	files  *token.FileSet
	calls  map[*ast.FuncDecl]string // what a function does first
	copies []string
}

func newMutatedFile(name, source string) (*mutatedFile, error) {
	f := &mutatedFile{source: source, files: token.NewFileSet(), calls: map[*ast.FuncDecl]string{}}
	var err error
	f.tree, err = parser.ParseFile(f.files, name, source, parser.SkipObjectResolution)
	return f, err
}

func (f *mutatedFile) offset(p token.Pos) int { return f.files.Position(p).Offset }

// add makes the wrong copy of the function that the mutant changes, and its call;
// false: the mutant changes something else, or more than one function.
func (f *mutatedFile) add(m *mutant) bool {
	from := strings.Index(f.source, m.old)
	for _, d := range f.tree.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil || from <= f.offset(fn.Body.Lbrace) || from+len(m.old) > f.offset(fn.Body.Rbrace) {
			continue
		}
		name := fn.Name.Name + "_" + m.name
		start := f.offset(fn.Pos())
		text := strings.Replace(f.source[start:f.offset(fn.End())], m.old, m.new, 1)
		at := f.offset(fn.Name.Pos()) - start
		f.copies = append(f.copies, text[:at]+name+text[at+len(fn.Name.Name):])
		call := callOf(fn, name)
		if fn.Type.Results != nil {
			call = "return " + call
		} else {
			call += "; return"
		}
		f.calls[fn] += fmt.Sprintf("if mutantOfEnvironment == %q { %s }; ", m.name, call)
		return true
	}
	return false
}

// text is the file with the calls and copies. Parameters without a name get one.
func (f *mutatedFile) text() string {
	var out strings.Builder
	last := 0
	write := func(at int, insert string, skip int) {
		out.WriteString(f.source[last:at])
		out.WriteString(insert)
		last = at + skip
	}
	for _, d := range f.tree.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || f.calls[fn] == "" {
			continue
		}
		eachParameter(fn, func(field *ast.Field, id *ast.Ident, name string) {
			switch {
			case id == nil:
				write(f.offset(field.Type.Pos()), name+" ", 0)
			case id.Name == "_":
				write(f.offset(id.Pos()), name, 1)
			}
		})
		write(f.offset(fn.Body.Lbrace)+1, " "+f.calls[fn], 0)
	}
	write(len(f.source), "\n"+strings.Join(f.copies, "\n\n")+"\n", 0)
	return out.String()
}

// callOf calls a function or method of another name with a function's parameters.
func callOf(fn *ast.FuncDecl, name string) string {
	var args []string
	receiver := ""
	eachParameter(fn, func(field *ast.Field, _ *ast.Ident, arg string) {
		if fn.Recv != nil && field == fn.Recv.List[0] {
			receiver = arg + "."
			return
		}
		if _, variadic := field.Type.(*ast.Ellipsis); variadic {
			arg += "..."
		}
		args = append(args, arg)
	})
	var types []string
	if fn.Type.TypeParams != nil {
		for _, field := range fn.Type.TypeParams.List {
			for _, id := range field.Names {
				types = append(types, id.Name)
			}
		}
		name += "[" + strings.Join(types, ", ") + "]"
	}
	return receiver + name + "(" + strings.Join(args, ", ") + ")"
}

// eachParameter visits the receiver and the parameters, each with its name or the
// one that it gets; id is nil where there is none.
func eachParameter(fn *ast.FuncDecl, visit func(field *ast.Field, id *ast.Ident, name string)) {
	fields := fn.Type.Params.List
	if fn.Recv != nil {
		fields = append(append([]*ast.Field{}, fn.Recv.List...), fields...)
	}
	for i, field := range fields {
		given := fmt.Sprintf("unnamed%d", i)
		if len(field.Names) == 0 {
			visit(field, nil, given)
		}
		for j, id := range field.Names {
			name := id.Name
			if name == "_" {
				name = fmt.Sprintf("%s_%d", given, j)
			}
			visit(field, id, name)
		}
	}
}
