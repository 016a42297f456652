package sqlfront

import (
	"slices"
	"strings"
)

// hidden stands in a text for what must not be read.
const hidden = "'<hidden>'"

// Redact returns a text as it may be written to logs and shown to others: without
// passwords, keys of secrets and what else grants access. Whoever keeps or shows
// the text of a statement passes it through Redact first. It never fails; where
// the text cannot be read as SQL, the rest of it is hidden.
func Redact(sql string) string {
	r := redactor{src: sql}
	l := lexer{src: sql}
	for {
		t, err := l.next()
		if err != nil {
			r.hideFrom(t.start)
			return r.end(len(sql))
		}
		if t.kind == tokEOF {
			return r.end(len(sql))
		}
		r.tokens = append(r.tokens, t)
		if t.kind == tokPunct && sql[t.start] == ';' {
			r.statement(t.end)
		}
	}
}

// redactor collects the tokens of one statement at a time and copies what may
// be shown.
type redactor struct {
	src    string
	out    strings.Builder
	copied int // bytes of src that are in out, or hidden
	tokens []token
}

// end finishes the last statement.
func (r *redactor) end(at int) string {
	r.statement(at)
	if r.copied == 0 && r.out.Len() == 0 {
		return r.src
	}
	if r.copied < at {
		r.out.WriteString(r.src[r.copied:at])
	}
	return r.out.String()
}

// hide replaces src[start:end].
func (r *redactor) hide(start, end int) {
	if start < r.copied {
		return
	}
	r.out.WriteString(r.src[r.copied:start])
	r.out.WriteString(hidden)
	r.copied = end
}

// hideFrom hides everything that begins at or after an offset, and what the
// statement before it has to hide.
func (r *redactor) hideFrom(start int) {
	if n := len(r.tokens); n > 0 {
		start = max(start, r.tokens[n-1].end)
	}
	r.statement(start)
	r.hide(max(start, r.copied), len(r.src))
}

// statement hides what the statement collected so far, which ends before an offset,
// must not show.
func (r *redactor) statement(end int) {
	tokens := r.tokens
	r.tokens = nil
	if i := r.definesSecret(tokens); i >= 0 {
		r.hide(tokens[i].start, end)
		return
	}
	if i := r.definesRole(tokens); i >= 0 {
		r.options(tokens[i:], end)
		return
	}
	if i := r.setsSecret(tokens); i >= 0 {
		r.hide(tokens[i].start, tokens[len(tokens)-1].end)
		return
	}
	speaks := r.speaksOfSecrets(tokens)
	for i, t := range tokens {
		switch {
		case t.kind == tokString || t.kind == tokSpecial:
			if speaks || r.namesUser(t) {
				r.hide(t.start, t.end)
			}
		case i > 0 && t.kind != tokPunct && t.kind != tokOp && r.attaches(tokens[:i]) && isSecretName(r.word(tokens[i-1])):
			r.hide(t.start, t.end)
		}
	}
}

// namesUser reports whether a string is an address with a user, and perhaps a
// password, in it.
func (r *redactor) namesUser(t token) bool {
	_, rest, isAddress := strings.Cut(r.src[t.start:t.end], "://")
	host, _, _ := strings.Cut(rest, "/")
	return isAddress && strings.Contains(host, "@")
}

// attaches reports whether a statement's tokens so far begin with ATTACH, or have it
// in them.
func (r *redactor) attaches(tokens []token) bool {
	return slices.ContainsFunc(tokens, func(t token) bool { return r.word(t) == "attach" })
}

// roleWords are the words of CREATE and ALTER ROLE that are no names and no values.
// After those with true comes a name that may be shown.
var roleWords = map[string]bool{
	"if": false, "not": false, "exists": false, "with": false, "superuser": false, "nosuperuser": false, "createdb": false, "nocreatedb": false,
	"createrole": false, "nocreaterole": false, "createuser": false, "nocreateuser": false, "inherit": false, "noinherit": false, "login": false, "nologin": false,
	"replication": false, "noreplication": false, "bypassrls": false, "nobypassrls": false, "connection": false, "limit": false, "encrypted": false,
	"unencrypted": false, "password": false, "null": false, "valid": false, "until": false, "sysid": false, "all": false, "add": false, "drop": false,
	"in": true, "role": true, "user": true, "group": true, "admin": true, "database": true, "rename": true, "to": true, "set": true, "reset": true,
}

// definesRole finds CREATE or ALTER of a role, wherever it stands, and returns the
// first token after the role's name, -1 if there is none.
func (r *redactor) definesRole(tokens []token) int {
	for i := 1; i < len(tokens); i++ {
		verb, object := r.word(tokens[i-1]), r.word(tokens[i])
		if (verb == "create" || verb == "alter") && (object == "role" || object == "user" || object == "group") {
			return min(i+2, len(tokens)-1)
		}
	}
	return -1
}

// options hides of what follows a role's name all that is not known to be a word of
// such statements or another role's name: a password may be mistyped, and so may be
// the word before it. Comments are hidden too.
func (r *redactor) options(tokens []token, end int) {
	named, shown := false, false // a name may come, and has just been
	for i, t := range tokens {
		word := r.word(t)
		after, known := roleWords[word]
		switch {
		case known && t.kind == tokWord:
			named, shown = after, false
		case t.kind == tokPunct || t.kind == tokOp && t.end == t.start+1:
			named = named || shown && r.src[t.start] == ','
		case named && word != "" && !isSecretName(word):
			named, shown = false, true
		default:
			r.hide(t.start, t.end)
			named, shown = false, false
		}
		next := end
		if i+1 < len(tokens) {
			next = tokens[i+1].start
		}
		if strings.TrimSpace(r.src[t.end:next]) != "" {
			r.hide(t.end, next)
		}
	}
}

// word is a token's name or word, folded; "" if it is neither.
func (r *redactor) word(t token) string {
	switch text := r.src[t.start:t.end]; t.kind {
	case tokWord:
		return fold(text)
	case tokQuoted:
		return fold(unquote(text))
	}
	return ""
}

// definesSecret finds CREATE [..] SECRET, wherever it stands, and returns the
// token at which its options begin, -1 if there is none.
func (r *redactor) definesSecret(tokens []token) int {
	seen := false // CREATE and what may follow it, up to here
	for i, t := range tokens {
		switch r.word(t) {
		case "create":
			seen = true
		case "or", "replace", "temp", "temporary", "persistent":
		case "secret":
			if seen {
				return min(i+1, len(tokens)-1)
			}
		default:
			seen = false
		}
	}
	return -1
}

// setsSecret finds SET or PRAGMA with a name that speaks of secrets, wherever it
// stands, and returns the token after the name, -1 if there is none.
func (r *redactor) setsSecret(tokens []token) int {
	for i, t := range tokens {
		if w := r.word(t); w != "set" && w != "pragma" {
			continue
		}
		for j := i + 1; j < len(tokens) && j <= i+4; j++ { // a scope, parts of a name
			if isSecretName(r.word(tokens[j])) && j+1 < len(tokens) {
				return j + 1
			}
		}
	}
	return -1
}

// secretParts are parts of names of settings whose values are secrets.
var secretParts = []string{"password", "secret", "token", "access_key", "credential", "parquet_key", "encryption"}

func isSecretName(name string) bool {
	for _, part := range secretParts {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// speaksOfSecrets reports whether literals of the statement may be secrets: it
// has a word such as PASSWORD, or attaches something that may need one.
func (r *redactor) speaksOfSecrets(tokens []token) bool {
	for _, t := range tokens {
		if w := r.word(t); w == "attach" || isSecretName(w) {
			return true
		}
		if t.kind == tokString || t.kind == tokSpecial {
			if strings.Contains(r.src[t.start:t.end], "SCRAM-SHA-256$") {
				return true
			}
		}
	}
	return false
}
