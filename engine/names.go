package engine

import (
	"strings"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// splitNames cuts a comma-separated list of identifiers, quoted by " or ' or
// plain, and removes the quotes.
func splitNames(list string) ([]string, error) {
	var names []string
	for _, item := range splitOutsideQuotes(list, ',') {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		name, err := unquoteName(item)
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// parsePath reads DuckDB's search path: "catalog.schema,catalog.schema".
func parsePath(list string) ([]catalog.Schema, error) {
	var path []catalog.Schema
	for _, item := range splitOutsideQuotes(list, ',') {
		parts := splitOutsideQuotes(strings.TrimSpace(item), '.')
		for i := range parts {
			name, err := unquoteName(parts[i])
			if err != nil {
				return nil, err
			}
			parts[i] = name
		}
		switch len(parts) {
		case 1:
			path = append(path, catalog.Schema{Catalog: duckbackend.CatalogName, Name: parts[0]})
		default:
			path = append(path, catalog.Schema{Catalog: parts[0], Name: parts[1]})
		}
	}
	return path, nil
}

func splitOutsideQuotes(text string, separator rune) []string {
	var parts []string
	start := 0
	var quote rune
	for i, r := range text {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case r == separator:
			parts = append(parts, text[start:i])
			start = i + 1
		}
	}
	return append(parts, text[start:])
}

func unquoteName(item string) (string, error) {
	if q := item[:min(1, len(item))]; q != `"` && q != "'" {
		return item, nil
	}
	quote := item[:1]
	if len(item) < 2 || item[len(item)-1:] != quote {
		return "", sqlerr.New(sqlerr.InvalidParameter, "invalid list syntax: %s", item)
	}
	return strings.ReplaceAll(item[1:len(item)-1], quote+quote, quote), nil
}

// quoteIfNeeded quotes a name that is more than lower-case letters, digits and
// underscores.
func quoteIfNeeded(name string) string {
	for i, r := range name {
		plain := r == '_' || r >= 'a' && r <= 'z' || i > 0 && r >= '0' && r <= '9'
		if !plain {
			return load.Quote(name)
		}
	}
	return name
}
