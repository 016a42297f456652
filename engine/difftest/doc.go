// Package difftest is the material of the differential test: the corpus of
// hand-written statements, a generator of random schemas and statements, and
// the comparison of two results. It runs nothing; the tests of the packages
// that do hand it what the backends answered.
//
// In: testdata/corpus, or a random source. Out: statements with what is
// expected of them, and an error that shows the first difference of two tables.
//
// Invariants:
//
//	D1. Every statement runs on DuckDB with its optimizer disabled, but for
//	    those that expect an error, which fail there.
//	D2. An answer is determined by the statement up to the order of rows, and
//	    with Ordered including it. Sums over DOUBLE are exact in any order, but
//	    where ToleranceAbs is not 0: measures are multiples of 1/4 below 2^6, a term
//	    has at most three factors, and at most 2^25 rows are joined.
//	D3. The same seed gives the same schemas and statements.
//
// Read next: corpus.go, generate.go, compare.go.
package difftest
