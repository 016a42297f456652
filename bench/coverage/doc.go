// Package coverage is a corpus of analytic queries as people write them, the
// data they run on, and the file that says which of them the tensor engine takes.
//
// In: queries/*.sql, a file per kind of dashboard or benchmark, and data/*.sql,
// which make tables of any size out of hashes. Out: Query, Script and, in
// COVERAGE.tsv, an Entry per query.
//
// Invariants:
//
//	C1. Every query is one statement that DuckDB answers; its rows depend on the
//	    data alone, and where its ORDER BY is said to be total also their order.
//	C2. Data depend on the name of the data set and the scale alone: on no random
//	    state, no order of execution, no machine.
//	C3. COVERAGE.tsv may only improve: a query that was answered by the native
//	    backend stays so, or the test fails.
//	C4. Which queries are held out follows from their names. They are not looked
//	    at when rules are tuned.
//
// Read query.go first, then file.go; coverage_test.go makes and checks the file.
package coverage
