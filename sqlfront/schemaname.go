package sqlfront

import "strings"

// sequenceCalls are functions whose argument is the name of a sequence.
var sequenceCalls = map[string]bool{"nextval": true, "currval": true, "setval": true}

// SchemaEdits writes another name of a schema where a text names it: before the name of an
// object, also in the text that names a sequence. A text in which the name stands for
// something else, such as an alias, stays as it is.
func SchemaEdits(sql, from, to string) Edits {
	tokens, err := Tokens(sql)
	if err != nil {
		return nil
	}
	f := &typeFinder{src: sql, tokens: tokens}
	var edits Edits
	for i, t := range tokens {
		switch t.Kind {
		case TokenWord, TokenQuoted:
			if !strings.EqualFold(strings.Trim(f.word(i), `"`), from) || f.word(i-1) == "." && f.word(i-3) == "." {
				continue
			}
			switch {
			case f.word(i+1) == ".":
				edits = append(edits, Edit{Start: t.Start, End: t.End, Text: to, Place: t.Start})
			case f.word(i-1) != "." && !namesSchema[f.word(i-1)]:
				return nil
			}
		case TokenString:
			if f.word(i-1) == "(" && sequenceCalls[f.word(i-2)] {
				if schema, rest, ok := strings.Cut(sql[t.Start+1:t.End], "."); ok && strings.EqualFold(strings.Trim(schema, `"`), from) {
					edits = append(edits, Edit{Start: t.Start, End: t.End, Text: "'" + to + "." + rest, Place: t.Start})
				}
			}
		}
	}
	return edits
}

// namesSchema are words that the name of a schema follows.
var namesSchema = map[string]bool{"schema": true, "exists": true, "=": true, "to": true, ",": true, "set": true}
