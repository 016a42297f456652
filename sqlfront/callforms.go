package sqlfront

// callForm is a call of a function of Postgres in DuckDB's words: what stands before its arguments, between
// them, and behind.
type callForm struct{ before, between, after string }

// over is a form in which the arguments are the fields of pg, by which they may be used several times.
func over(expression string) callForm {
	return callForm{"list_transform([row(", ", ", ")], lambda pg: " + expression + ")[1]"}
}

// callForms are such calls by their names, lower case, and the number of arguments; 0: any.
var callForms = map[string]map[int]callForm{
	"btrim":           {1: {"trim(", "", ")"}, 2: {"trim(", ", ", ")"}},
	"lpad":            {2: {"lpad(", ", ", ", ' ')"}},
	"rpad":            {2: {"rpad(", ", ", ", ' ')"}},
	"every":           {1: {"bool_and(", "", ")"}},
	"length":          {1: {"octet_length(", "", ")"}},
	"date_bin":        {3: {"time_bucket(", ", ", ")"}},
	"num_nonnulls":    {0: {"(((", ") IS NOT NULL)::INTEGER + ((", ") IS NOT NULL)::INTEGER)"}},
	"num_nulls":       {0: {"(((", ") IS NULL)::INTEGER + ((", ") IS NULL)::INTEGER)"}},
	"regexp_count":    {2: {"CAST(len(regexp_extract_all(", ", ", ")) AS INTEGER)"}},
	"regexp_substr":   {2: over("CASE WHEN regexp_matches(pg[1], pg[2]) THEN regexp_extract(pg[1], pg[2]) END")},
	"array_positions": {2: over("list_transform(list_filter(range(1, len(pg[1]) + 1), lambda i: pg[1][i] IS NOT DISTINCT FROM pg[2]), lambda i: i::INTEGER)")},
	"array_replace":   {3: over("list_transform(pg[1], lambda e: CASE WHEN e IS NOT DISTINCT FROM pg[2] THEN pg[3] ELSE e END)")},
	"trim_array":      {2: over("list_slice(pg[1], 1, len(pg[1]) - pg[2])")},
	"string_to_array": {3: over("list_transform(string_split(pg[1], pg[2]), lambda e: CASE WHEN e IS DISTINCT FROM pg[3] THEN e END)")},
	// DuckDB's takes a separator that is a constant.
	"array_to_string": {3: over("substr(list_reduce(list_filter(list_transform(pg[1]::VARCHAR[], lambda e: coalesce(e, pg[3])), lambda e: e IS NOT NULL), " +
		"lambda x, y: x || pg[2] || y, ''), len(pg[2]) + 1)")},
	"width_bucket": {2: over("CAST(len(list_filter(pg[2], lambda e: e <= pg[1])) AS INTEGER)")},
}

// CallEdits write a call, whose name DuckDB does not know at an offset, or not with its arguments, in DuckDB's words; none:
// there is no such call.
func CallEdits(sql string, offset int) Edits {
	d, i := dialectAt(sql, offset)
	if d == nil {
		return nil
	}
	start := d.tokens[i].Start
	if d.word(i) == "pg_catalog" && d.word(i+1) == "." {
		i += 2
	}
	forms := callForms[d.word(i)]
	if forms == nil || d.word(i+1) != "(" || d.word(i+2) == ")" {
		return nil
	}
	closing := d.match(i + 1)
	if closing >= len(d.tokens) {
		return nil
	}
	form, ok := forms[d.countItems(i+1)]
	if !ok {
		if form, ok = forms[0]; !ok {
			return nil
		}
	}
	edits := Edits{{Start: start, End: d.tokens[i+1].End, Place: start, Text: form.before}}
	for k := i + 2; k < closing; k++ {
		switch d.word(k) {
		case "(", "[", "{":
			k = d.match(k)
		case ",":
			edits = append(edits, Edit{Start: d.tokens[k].Start, End: d.tokens[k].End, Place: d.tokens[k].Start, Text: form.between})
		}
	}
	end := d.tokens[closing]
	return append(edits, Edit{Start: end.Start, End: end.End, Place: end.Start, Text: form.after})
}
