package slt

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// keyDetail is the DETAIL of an error of a key.
var keyDetail = regexp.MustCompile(`(?s)^Key \((.*)\)=\((.*)\) (?:already exists|is not present in table|is still referenced from table)`)

// ViolationTexts are the texts that DuckDB has for an error of a constraint, of which the wire has Postgres'.
func ViolationTexts(e *pgconn.PgError) []string {
	var key, values string
	if m := keyDetail.FindStringSubmatch(e.Detail); m != nil {
		key, values = namedKey(m[1], m[2]), m[2]
	}
	switch {
	case e.Code == "23502" && e.ColumnName != "":
		return []string{fmt.Sprintf("NOT NULL constraint failed: %s.%s", e.TableName, e.ColumnName)}
	case e.Code == "23514" && e.ConstraintName != "":
		check := strings.TrimSuffix(strings.TrimPrefix(e.Detail, "The constraint is "), ".")
		return []string{fmt.Sprintf("CHECK constraint failed on table %s with expression %s", e.TableName, check)}
	case e.Code == "23505" && values != "":
		return []string{
			fmt.Sprintf("Duplicate key %q violates primary key constraint.", key), fmt.Sprintf("Duplicate key %q violates unique constraint.", key),
			fmt.Sprintf("PRIMARY KEY or UNIQUE constraint violation: duplicate key %q", values),
			fmt.Sprintf("Failed to commit: PRIMARY KEY or UNIQUE constraint violation: duplicate key %q", values),
		}
	case e.Code == "23505" && e.ConstraintName != "": // while it is made, or of values that cannot be told apart
		return []string{strings.TrimSuffix(e.Detail, ".")}
	case e.Code == "23503" && values != "" && strings.HasPrefix(e.Message, "insert"):
		return []string{fmt.Sprintf("Violates foreign key constraint because key %q does not exist in the referenced table", key)}
	case e.Code == "23503" && values != "":
		return []string{fmt.Sprintf("Violates foreign key constraint because key %q is still referenced by a foreign key in a different table. "+
			"If this is an unexpected constraint violation, please refer to our foreign key limitations in the documentation", key)}
	}
	return nil
}

// namedKey writes each value behind its name, where there are as many of both.
func namedKey(names, values string) string {
	ns, vs := strings.Split(names, ", "), strings.Split(values, ", ")
	if len(ns) != len(vs) {
		return names + ": " + values
	}
	for i, name := range ns {
		ns[i] = strings.Trim(name, `"`) + ": " + vs[i]
	}
	return strings.Join(ns, ", ")
}
