// Package grouping finds the columns that a primary key among the groups determines: where
// GROUP BY names the whole primary key of a table, the other columns of the table have one
// value in each group, and Postgres lets them be used outside of aggregates. DuckDB does
// not, but groups by them as well, which makes the same groups: rows that an outer join
// pads have NULL in the key and in all of the columns.
//
// In: a statement that DuckDB has refused. Out: edits that put the columns into GROUP BY.
// It walks DuckDB's syntax trees of the statement's queries (sqlfront.Queries). What a name
// means is decided as in Postgres; in doubt there is no edit, and DuckDB's error stands.
package grouping
