// Package bench measures Trireme beside DuckDB: the same SQL text on several
// backends of one process, in turn, with every answer checked.
//
// In: a Suite (data sets, cases, answers where they are known) and a Config.
// Out: a Report, printed as a table for people and as JSON with every run.
//
// Invariants:
//
//	B1. A case is SQL that all backends get as it stands. Only a case with a
//	    baseline may give DuckDB another text, after its own has run into the
//	    timeout, and the report says so.
//	B2. The variants of a case (a backend with a number of threads; native with
//	    other estimators and optimizers) run in turn within every round, so that
//	    drift of the machine hits all alike.
//	B3. A time is from the text to the last row. Plans are warm: those of native and
//	    decomposed are in the cache of plans, and texts of the tensor fragment are
//	    kept bound; DuckDB has no such cache, and its clock starts when it has
//	    prepared the statement. Planning is reported apart. With Config.PlanAnew every execution
//	    plans, within its time, on all sides. Reading tables into tensors is not in it: the first execution of every
//	    variant, on tables that look changed to it, is kept apart as its cold time.
//	    One execution after it is for memory, and not timed.
//	B4. Every answer is compared, with the expected one or with DuckDB's; one that
//	    differs is in Report.Wrong, and Report.Err is an error.
//	B5. A timeout is counted, never averaged in: the variant has no median, and
//	    the speed-up over it is a lower bound.
//
//	B6. DuckDB has its default settings but for the optimizer common_subplan,
//	    which gives wrong answers.
//
// A suite is one file (kernels.go, subgraph.go) that fills in a Suite; its cases
// are SQL files whose comments have keys (header.go: data, timeout, baseline,
// target, cause). run.go and measure.go run any suite, report.go holds what was
// measured, table.go prints it. all.go names the versions of suites that are run
// together; results.go keeps their reports as one document, from which page.go
// writes RESULTS.md and plot.go the picture. Read suite.go first, then run.go.
//
// The corpus of package coverage is measured by coverage.go in another way: what
// auto does beside DuckDB, in the first execution after the tables have changed
// and in later ones, with plans kept as sessions keep them.
package bench
