-- Those of Postgres' own relations.
CREATE VIEW trireme_pg.pg._system_column AS
SELECT schema_name, table_name, column_name, column_index, replace(data_type, 'UINTEGER', 'OID') AS data_type,
  (SELECT any_value(t.oid) FROM trireme_pg.pg._text_type t WHERE t.data_type = c.data_type AND contains(t.columns, ' ' || c.column_name || ' '))::UINTEGER AS system_type
FROM duckdb_columns() c WHERE database_name = trireme_pg.pg._here() AND table_name NOT LIKE '\_%' ESCAPE '\';

-- The columns of tables and views with their numbers. DuckDB keeps the labels of an
-- enumeration with a column, not its name: of several with the same it is the first.
CREATE VIEW trireme_pg.pg._column AS
SELECT r.oid AS attrelid, c.*, coalesce(e.oid, c.system_type, trireme_pg.pg._length_oid(c.length), trireme_pg.pg._type_oid(c.data_type)) AS type_oid,
  coalesce(trireme_pg.pg._length_mod(c.length), trireme_pg.pg._type_mod(c.data_type)) AS type_mod,
  CASE WHEN c.column_default IS NOT NULL AND r.relkind = 'r' AND contains(r.sql, 'GENERATED ALWAYS AS') THEN regexp_matches(r.sql,
    '[(,] ?"?' || regexp_escape(replace(c.column_name, '"', '""')) || '"? [A-Z_]+[A-Z0-9_ (),\[\]]* GENERATED ALWAYS AS') ELSE false END AS is_generated
FROM (
  SELECT database_name, schema_name, table_name, column_name, column_index, trireme_pg.pg._user_comment(comment) AS comment,
    trireme_pg.pg._default(column_default) AS column_default,
    is_nullable, data_type, NULL::UINTEGER AS system_type,
    CASE WHEN data_type IN ('VARCHAR', 'BIT') OR starts_with(data_type, 'TIME') OR data_type = 'JSON' AND starts_with(comment, 'trireme: jsonb') THEN regexp_extract(comment, '^trireme: (\w+(\(\d+\))?)', 1) END AS length
  FROM duckdb_columns() WHERE database_name IN ('trireme', 'temp')
  UNION ALL
  SELECT 'trireme_pg', schema_name, table_name, column_name, column_index, NULL, NULL, true, data_type, system_type, NULL FROM trireme_pg.pg._system_column
) c
JOIN trireme_pg.pg._relation r ON r.database_name = c.database_name AND r.schema_name = c.schema_name
  AND r.relname = c.table_name AND r.relkind IN ('r', 'v')
LEFT JOIN (SELECT data_type, arg_min(oid, (nspname, type_name)) AS oid FROM trireme_pg.pg._enum GROUP BY data_type) e ON e.data_type = c.data_type;

-- The numbers of a table's columns by name.
CREATE VIEW trireme_pg.pg._numbers AS
SELECT database_name, schema_name, table_name, map_from_entries(list((column_name, column_index) ORDER BY column_index)) AS by_name
FROM duckdb_columns() WHERE database_name IN ('trireme', 'temp') GROUP BY ALL;

-- All indexes: each column a name in quotes where it needs them, or an expression
-- in parentheses.
CREATE VIEW trireme_pg.pg._index AS
SELECT i.database_name, i.schema_name, i.table_name, i.index_name, i.is_unique, false AS is_primary, i.columns,
  list_transform(i.columns, lambda e: coalesce(n.by_name[CASE WHEN e LIKE '"%"' THEN replace(e[2:-2], '""', '"') ELSE e END], 0)) AS numbers
FROM (
  SELECT *, list_transform(expressions::VARCHAR[], lambda e: CASE WHEN e LIKE '((%))' THEN e[2:-2]
    WHEN regexp_full_match(e, '"([^"]|"")*"') THEN trireme_pg.pg._ident(replace(e[2:-2], '""', '"')) ELSE e END) AS columns
  FROM duckdb_indexes() WHERE database_name IN ('trireme', 'temp')
) i
JOIN trireme_pg.pg._numbers n ON n.database_name = i.database_name AND n.schema_name = i.schema_name AND n.table_name = i.table_name
UNION ALL
SELECT c.database_name, c.schema_name, c.table_name, c.constraint_name, true, c.constraint_type = 'PRIMARY KEY',
  list_transform(c.constraint_column_names, lambda e: CASE WHEN regexp_full_match(e, '[a-z_][a-z0-9_$]*') THEN e ELSE '"' || replace(e, '"', '""') || '"' END),
  list_transform(c.constraint_column_names, lambda e: n.by_name[e])
FROM trireme_pg.pg._table_constraint c
JOIN trireme_pg.pg._numbers n ON n.database_name = c.database_name AND n.schema_name = c.schema_name AND n.table_name = c.table_name
WHERE c.constraint_type IN ('PRIMARY KEY', 'UNIQUE');

CREATE VIEW trireme_pg.pg.pg_index AS
SELECT r.oid AS indexrelid, t.oid AS indrelid, len(i.columns)::SMALLINT AS indnatts, len(i.columns)::SMALLINT AS indnkeyatts,
  i.is_unique AS indisunique, false AS indnullsnotdistinct, i.is_primary AS indisprimary, false AS indisexclusion, true AS indimmediate,
  false AS indisclustered, true AS indisvalid, false AS indcheckxmin, true AS indisready, true AS indislive, false AS indisreplident,
  i.numbers::SMALLINT[] AS indkey, list_transform(i.numbers, lambda e: 0)::UINTEGER[] AS indcollation,
  list_transform(i.numbers, lambda e: 0)::UINTEGER[] AS indclass, list_transform(i.numbers, lambda e: 0)::SMALLINT[] AS indoption,
  CASE WHEN list_contains(i.numbers, 0) THEN array_to_string(list_filter(i.columns, lambda e, n: i.numbers[n] = 0), ', ') END AS indexprs,
  NULL::VARCHAR AS indpred
FROM trireme_pg.pg._index i
JOIN trireme_pg.pg._relation r ON r.relkind = 'i' AND r.database_name = i.database_name AND r.schema_name = i.schema_name AND r.relname = i.index_name
  AND r.table_name = i.table_name
JOIN trireme_pg.pg._relation t ON t.relkind = 'r' AND t.database_name = i.database_name AND t.schema_name = i.schema_name AND t.relname = i.table_name;

-- UNIQUE constraints that ALTER TABLE has added are indexes.
CREATE VIEW trireme_pg.pg._declared AS
SELECT * FROM trireme_pg.pg._table_constraint
UNION ALL BY NAME
SELECT database_name, schema_name, table_name, index_oid AS constraint_index, 'UNIQUE' AS constraint_type, sql AS constraint_text,
  list_transform(expressions::VARCHAR[], lambda e: CASE WHEN e LIKE '"%"' THEN replace(e[2:-2], '""', '"') ELSE e END) AS constraint_column_names,
  index_name AS constraint_name
FROM duckdb_indexes() WHERE split_part(comment, chr(10), 1) = 'trireme: a constraint';

-- DuckDB has no foreign keys between schemas.
CREATE VIEW trireme_pg.pg._constraint AS
SELECT t.oid AS conrelid, t.relnamespace, t.nspname, c.*, n.by_name AS numbers, f.oid AS confrelid, fn.by_name AS confnumbers,
  CASE c.constraint_type WHEN 'PRIMARY KEY' THEN 'p' WHEN 'UNIQUE' THEN 'u' WHEN 'FOREIGN KEY' THEN 'f' ELSE 'c' END AS contype
FROM trireme_pg.pg._declared c
JOIN trireme_pg.pg._relation t ON t.relkind = 'r' AND t.database_name = c.database_name AND t.schema_name = c.schema_name AND t.relname = c.table_name
JOIN trireme_pg.pg._numbers n ON n.database_name = c.database_name AND n.schema_name = c.schema_name AND n.table_name = c.table_name
LEFT JOIN trireme_pg.pg._relation f ON f.relkind = 'r' AND f.database_name = c.database_name AND f.schema_name = c.schema_name AND f.relname = c.referenced_table
LEFT JOIN trireme_pg.pg._numbers fn ON fn.database_name = c.database_name AND fn.schema_name = c.schema_name AND fn.table_name = c.referenced_table;

CREATE VIEW trireme_pg.pg._constraint_key AS
SELECT c.*, trireme_pg.pg._number('c.' || c.conrelid || '.' || c.constraint_name || c.constraint_text) AS number,
  CASE WHEN contype IN ('p', 'u') THEN i.oid WHEN contype = 'f' THEN fi.indexrelid END AS conindid
FROM trireme_pg.pg._constraint c
LEFT JOIN trireme_pg.pg._relation i ON i.relkind = 'i' AND i.database_name = c.database_name AND i.schema_name = c.schema_name
  AND i.table_name = c.table_name AND i.relname = c.constraint_name
LEFT JOIN (
  SELECT indrelid, list_sort(indkey) AS keys, min(indexrelid) AS indexrelid FROM trireme_pg.pg.pg_index WHERE indisunique GROUP BY ALL
) fi ON fi.indrelid = c.confrelid AND fi.keys = list_sort(list_transform(c.referenced_column_names, lambda e: c.confnumbers[e])::SMALLINT[]);

CREATE VIEW trireme_pg.pg._constraint_text AS
SELECT (16384 + number + row_number() OVER (PARTITION BY number ORDER BY conrelid, constraint_index) - 1)::UINTEGER AS oid, constraint_name AS conname,
  relnamespace AS connamespace, contype, false AS condeferrable, false AS condeferred, true AS convalidated, conrelid, 0::UINTEGER AS contypid,
  coalesce(conindid, 0) AS conindid, 0::UINTEGER AS conparentid, coalesce(confrelid, 0) AS confrelid,
  CASE WHEN contype = 'f' THEN 'a' ELSE ' ' END AS confupdtype, CASE WHEN contype = 'f' THEN 'a' ELSE ' ' END AS confdeltype,
  CASE WHEN contype = 'f' THEN 's' ELSE ' ' END AS confmatchtype, true AS conislocal, 0::SMALLINT AS coninhcount, true AS connoinherit,
  list_transform(constraint_column_names, lambda e: numbers[e])::SMALLINT[] AS conkey,
  CASE WHEN contype = 'f' THEN list_transform(referenced_column_names, lambda e: confnumbers[e])::SMALLINT[] END AS confkey,
  NULL::UINTEGER[] AS conpfeqop, NULL::UINTEGER[] AS conppeqop, NULL::UINTEGER[] AS conffeqop, NULL::SMALLINT[] AS confdelsetcols,
  NULL::UINTEGER[] AS conexclop, CASE WHEN contype = 'c' THEN expression END AS conbin,
  CASE contype
    WHEN 'p' THEN 'PRIMARY KEY (' || trireme_pg.pg._ident_list(constraint_column_names) || ')'
    WHEN 'u' THEN 'UNIQUE (' || trireme_pg.pg._ident_list(constraint_column_names) || ')'
    WHEN 'f' THEN 'FOREIGN KEY (' || trireme_pg.pg._ident_list(constraint_column_names) || ') REFERENCES '
    ELSE 'CHECK (' || expression || ')' END AS condef,
  CASE WHEN contype = 'f' THEN nspname END AS refers_schema,
  CASE WHEN contype = 'f' THEN trireme_pg.pg._ident(referenced_table) || '(' || trireme_pg.pg._ident_list(referenced_column_names) || ')' END AS refers
FROM trireme_pg.pg._constraint_key;

CREATE VIEW trireme_pg.pg.pg_constraint AS SELECT * EXCLUDE (condef, refers_schema, refers) FROM trireme_pg.pg._constraint_text;
