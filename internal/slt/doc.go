// Package slt reads and runs files of the sqllogictest format against a server
// of the Postgres wire protocol: statements that must succeed or fail, and
// queries with the rows they must return. It knows the format's original
// dialect, SQLite's, and the one DuckDB made of it.
//
// What goes in: the text of a file, and a Server. What comes out: an Outcome,
// which says how many records held, which did not and why, and who answered.
//
// What the dialects share: "statement ok|error", "query TYPES [SORT] [LABEL]"
// with the rows after "----", one value or one row of values between tabs a
// line, or "N values hashing to MD5"; skipif, onlyif, hash-threshold, halt.
// DuckDB adds the text of the error that is expected (also as <REGEX>: and
// <!REGEX>:), "statement maybe", named connections, loop, foreach and their
// concurrent forms with {variables}, conditions on them, continue, require,
// require-env, test-env, load, restart, reconnect, mode, set, reset, sleep,
// unzip, include and tags.
//
// One record is ours: "params V ;; V" before a query gives the values of
// $1, $2, ... as SQL literals; the query then uses the extended protocol.
//
// Invariants:
//
//	S1. A record that cannot be read is an error of the file, never skipped.
//	S2. A server that is forced to one backend may refuse a statement for that
//	    backend's sake; it is counted as refused and run once more on DuckDB if
//	    it was a statement, so that what follows finds its effects.
//	S3. Values of exact types are compared exactly; a FLOAT or DOUBLE may differ
//	    by Options.ToleranceRel.
//	S4. Rewrite asks its oracle, never a Server.
//
// Read next: parse.go, run.go, compare.go, rewrite.go.
package slt
