package sqlfront

import (
	"slices"
	"strings"
)

// hidden stands in a text for what must not be read.
const hidden = "'<hidden>'"

// Redact returns a text as it may be written to logs and shown to others: without
// passwords, keys of secrets and what else grants access. Whoever keeps or shows
// the text of a statement passes it through Redact first. It never fails.
//
// Of statements on roles and secrets what may be a secret is hidden. Another statement is shown as it is
// unless it names a secret anywhere, in its words, literals or comments: of what is made of names and
// literals, like queries, its literals and comments are hidden then, of a setting its value, and
// of all else everything behind the first word. What cannot be read as SQL is hidden.
func Redact(sql string) string {
	r := redactor{src: sql, secret: namesSecret(sql)}
	l := lexer{src: sql}
	for {
		t, err := l.next()
		if err != nil {
			return r.unread(t.start)
		}
		if t.kind == tokEOF {
			r.statement(len(sql), true)
			return r.text()
		}
		r.tokens = append(r.tokens, t)
		if t.kind == tokPunct && sql[t.start] == ';' {
			r.statement(t.end, true)
		}
	}
}

// RedactValues is Redact of a statement whose literals may be secrets, whatever it names.
func RedactValues(sql string) string {
	r := redactor{src: sql}
	r.literals(tokensOf(sql), 0, len(sql))
	return r.text()
}

// MayCarrySecret reports whether a text, which may have been redacted before, or the values of its
// parameters may be secrets that its errors and plans must not show.
func MayCarrySecret(sql string) bool {
	isParam := func(t token) bool { return t.kind == tokParam || t.kind == tokPunct && sql[t.start] == '?' }
	return Redact(sql) != sql || strings.Contains(sql, hidden) || namesSecret(sql) && slices.ContainsFunc(tokensOf(sql), isParam)
}

// redactor collects the tokens of one statement at a time and copies what may
// be shown.
type redactor struct {
	src    string
	secret bool // a secret is named anywhere in it
	out    strings.Builder
	copied int // bytes of src that are in out, or hidden
	begun  int // where the statement begins
	tokens []token
}

func (r *redactor) text() string {
	if r.copied == 0 && r.out.Len() == 0 {
		return r.src
	}
	return r.out.String() + r.src[r.copied:]
}

// hide replaces src[start:end].
func (r *redactor) hide(start, end int) {
	if start = max(start, r.copied); start >= end {
		return
	}
	r.out.WriteString(r.src[r.copied:start])
	r.out.WriteString(hidden)
	r.copied = end
}

// hideComment hides src[start:end], which stands between tokens, if it is not blank.
func (r *redactor) hideComment(start, end int) {
	if strings.TrimSpace(r.src[start:end]) != "" {
		r.hide(start, end)
	}
}

// unread ends a text of which what begins at start cannot be read.
func (r *redactor) unread(start int) string {
	start = max(start, r.begun)
	if n := len(r.tokens); n > 0 {
		start = max(start, r.tokens[n-1].end)
	}
	r.statement(len(r.src), false)
	if r.copied < len(r.src) {
		r.hide(max(start, r.copied), len(r.src))
	}
	return r.text()
}

// statement hides what the statement collected so far, which ends before an offset,
// must not show. read: its tokens are all there is.
func (r *redactor) statement(end int, read bool) {
	tokens, start := r.tokens, r.begun
	r.tokens, r.begun = nil, end
	if n := len(tokens); n > 0 && read && r.src[tokens[n-1].start:tokens[n-1].end] == ";" {
		tokens, end = tokens[:n-1], tokens[n-1].start
	}
	if i := r.definesSecret(tokens); i >= 0 {
		r.rest(tokens, i, start, end)
		return
	}
	if i := r.definesRole(tokens); i >= 0 {
		r.comments(tokens[:i+1], start)
		r.options(tokens[i:], end)
		return
	}
	text := r.src[start:end]
	c, named := Classify(text), namesSecret(text)
	switch readable := read && isReadable(c); {
	case readable && named || read && c.Kind == ClassAttach && !named:
		r.literals(tokens, start, end)
	case readable || !r.secret && !HasWord(text, "key"):
		r.addresses(tokens)
	case read && c.Kind == ClassSet:
		r.rest(tokens, r.valueOfSetting(tokens), start, end)
	default:
		r.rest(tokens, r.afterVerb(tokens), start, end)
	}
}

// rest hides everything from token i on, and the comments before it.
func (r *redactor) rest(tokens []token, i, start, end int) {
	if i >= len(tokens) {
		r.comments(tokens, start)
		if n := len(tokens); n > 0 {
			start = tokens[n-1].end
		}
		r.hideComment(start, end)
		return
	}
	r.comments(tokens[:i+1], start)
	r.hide(tokens[i].start, end)
}

// comments hides what stands before tokens and between them, from start on.
func (r *redactor) comments(tokens []token, start int) {
	for _, t := range tokens {
		r.hideComment(start, t.start)
		start = t.end
	}
}

// literals hides literals and comments, and the word that is given to the name of a secret as if it were one.
func (r *redactor) literals(tokens []token, start, end int) {
	at := start
	for i, t := range tokens {
		r.hideComment(at, t.start)
		at = t.end
		if isLiteralToken(t) || i > 1 && r.word(t) != "" && r.gives(tokens[i-1]) && isSecretName(r.word(tokens[i-2])) {
			r.hide(t.start, t.end)
		}
	}
	r.hideComment(at, end)
}

// gives reports whether a token stands between a name and its value.
func (r *redactor) gives(t token) bool {
	switch r.src[t.start:t.end] {
	case "=", ":", "=>", ":=":
		return true
	}
	return false
}

func isLiteralToken(t token) bool {
	return t.kind == tokString || t.kind == tokSpecial || t.kind == tokNumber
}

// addresses hides the addresses that name a user.
func (r *redactor) addresses(tokens []token) {
	for _, t := range tokens {
		if (t.kind == tokString || t.kind == tokSpecial) && r.namesUser(t) {
			r.hide(t.start, t.end)
		}
	}
}

// valueOfSetting is the token at which the value that SET gives begins.
func (r *redactor) valueOfSetting(tokens []token) int {
	for i, t := range tokens {
		if t.kind == tokOp || i > 1 && r.word(t) == "to" {
			return i + 1
		}
	}
	return r.afterVerb(tokens)
}

// afterVerb is the token behind the first word, which says what a statement does; 0: it says more.
func (r *redactor) afterVerb(tokens []token) int {
	if len(tokens) > 0 && tokens[0].kind == tokWord && !namesSecret(r.word(tokens[0])) {
		return 1
	}
	return 0
}

// readableKinds are the statements that are made of names and literals.
var readableKinds = map[ClassKind]bool{
	ClassSelect: true, ClassInsert: true, ClassUpdate: true, ClassDelete: true, ClassMerge: true, ClassDrop: true, ClassComment: true,
	ClassBegin: true, ClassCommit: true, ClassRollback: true, ClassSavepoint: true, ClassRelease: true, ClassRollbackTo: true, ClassShow: true, ClassReset: true,
	ClassExecute: true, ClassDeallocate: true, ClassFetch: true, ClassClose: true, ClassLock: true, ClassListen: true, ClassUnlisten: true, ClassVacuum: true, ClassAnalyze: true,
}

// readableObjects are the objects whose definitions are.
var readableObjects = map[string]bool{
	"table": true, "view": true, "index": true, "sequence": true, "schema": true, "type": true, "macro": true, "function": true,
}

// isReadable reports whether a statement is made of names and literals.
func isReadable(c Class) bool {
	switch {
	case c.Wrong != nil:
		return false
	case c.Kind == ClassCreate || c.Kind == ClassAlter:
		return readableObjects[c.Object]
	case c.Kind == ClassExplain || c.Kind == ClassPrepare || c.Kind == ClassDeclare:
		return isReadable(classifyInner(c.Body))
	}
	return readableKinds[c.Kind]
}

// namesUser reports whether a string is an address with a user, and perhaps a
// password, in it.
func (r *redactor) namesUser(t token) bool {
	_, rest, isAddress := strings.Cut(r.src[t.start:t.end], "://")
	host, _, _ := strings.Cut(rest, "/")
	return isAddress && strings.Contains(host, "@")
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
		r.hideComment(t.end, next)
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

// secretParts are parts of the names of what grants access, and of the verifiers of passwords. KEY alone is
// the name of many a column.
var secretParts = []string{
	"password", "passwd", "passphrase", "pwd", "secret", "token", "credential", "encryption",
	"access_key", "api_key", "apikey", "private_key", "parquet_key", "key_id", "scram-sha-256$",
}

// isSecretName reports whether a folded name is one of a secret.
func isSecretName(name string) bool {
	return slices.ContainsFunc(secretParts, func(part string) bool { return strings.Contains(name, part) })
}

// namesSecret reports whether the name of a secret stands anywhere in a text.
func namesSecret(text string) bool { return isSecretName(fold(text)) }
