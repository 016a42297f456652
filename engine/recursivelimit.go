package engine

import (
	"context"
	"encoding/json"

	"github.com/trireme-db/trireme/sqlfront"
)

// endsEarly reports whether a LIMIT outside of recursions may be met before all rows
// are there: DuckDB then makes no further step, so that a recursion without end ends.
// A SELECT that groups or sorts its rows needs all of them.
func (h *hosted) endsEarly(ctx context.Context) (bool, error) {
	body := h.cut.Body(nil)
	if h.duck.class.Kind == sqlfront.ClassSelect {
		body = h.duck.sql
	}
	text, err := h.session.SerializeSQL(ctx, body)
	if err != nil {
		return false, err
	}
	var tree any
	if err := json.Unmarshal([]byte(text), &tree); err != nil {
		return false, err
	}
	return h.limited(ctx, tree)
}

// limited is endsEarly for a part of DuckDB's tree.
func (h *hosted) limited(ctx context.Context, part any) (bool, error) {
	switch part := part.(type) {
	case []any:
		for _, p := range part {
			if yes, err := h.limited(ctx, p); yes || err != nil {
				return yes, err
			}
		}
	case map[string]any:
		if part["type"] == "RECURSIVE_CTE_NODE" {
			return false, nil
		}
		if limits(part) {
			if grouped, err := h.groups(ctx, part); !grouped || err != nil {
				return true, err
			}
		}
		for _, p := range part {
			if yes, err := h.limited(ctx, p); yes || err != nil {
				return yes, err
			}
		}
	}
	return false, nil
}

// limits reports whether a query has a LIMIT and no ORDER BY.
func limits(query map[string]any) bool {
	modifiers, _ := query["modifiers"].([]any)
	limit := false
	for _, m := range modifiers {
		m, _ := m.(map[string]any)
		switch m["type"] {
		case "LIMIT_MODIFIER":
			limit = true
		case "ORDER_MODIFIER":
			return false
		}
	}
	return limit
}

// groups reports whether a SELECT groups its rows.
func (h *hosted) groups(ctx context.Context, query map[string]any) (bool, error) {
	if keys, _ := query["group_expressions"].([]any); len(keys) > 0 {
		return true, nil
	}
	items, _ := query["select_list"].([]any)
	for _, item := range items {
		if call, _ := item.(map[string]any); call["class"] == "FUNCTION" {
			name, _ := call["function_name"].(string)
			f, err := h.session.catalogView().Function(ctx, name)
			if f.Aggregate || err != nil {
				return true, err
			}
		}
	}
	return false, nil
}
