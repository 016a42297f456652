-- The name of this database: the statements that make the copy have the copy's name
-- here. In columns it is always the one of the views.
CREATE MACRO trireme_pg.pg._here() AS rtrim('trireme_pg.', '.');

-- Objects of the served database and the session's temporary ones; system
-- catalogs are this database's own views. Clients know a session's schema of temporary
-- objects, and leave it out, by a number in its name. DuckDB's default schema, main, is
-- Postgres' public, unless a file has a schema of that name.
CREATE VIEW trireme_pg.pg._nsp AS
SELECT 11::UINTEGER AS oid, 'pg_catalog' AS nspname, 'trireme_pg' AS database_name, 'pg' AS schema_name, NULL AS comment
UNION ALL SELECT 13000::UINTEGER, 'information_schema', 'trireme_pg', 'info', NULL
UNION ALL SELECT 13001::UINTEGER, 'pg_temp_1', 'temp', 'main', NULL
UNION ALL
SELECT CASE schema_name WHEN 'main' THEN 2200 ELSE 16384 + trireme_pg.pg._number('n.' || schema_name) END::UINTEGER,
  CASE WHEN schema_name = 'main' AND NOT bool_or(lower(schema_name) = 'public') OVER () THEN 'public' ELSE schema_name END,
  database_name, schema_name, comment
FROM duckdb_schemas()
WHERE database_name = 'trireme' AND schema_name NOT IN ('pg_catalog', 'information_schema');

-- The user's enumerations, with DuckDB's spelling of the type.
CREATE VIEW trireme_pg.pg._enum AS
SELECT (16384 + trireme_pg.pg._number('t.' || t.schema_name || '.' || t.type_name))::UINTEGER AS oid, t.type_name, n.nspname, t.labels, t.comment,
  'ENUM(' || array_to_string(list_transform(t.labels, lambda e: trireme_pg.pg._literal(e)), ', ') || ')' AS data_type
FROM duckdb_types() t JOIN trireme_pg.pg._nsp n ON n.database_name = t.database_name AND n.schema_name = t.schema_name
WHERE NOT t.internal AND t.logical_type = 'ENUM' AND t.database_name IN ('trireme', 'temp');

CREATE TABLE trireme_pg.pg._system_oid AS
SELECT * FROM (VALUES
  ('pg_type', 1247), ('pg_attribute', 1249), ('pg_proc', 1255), ('pg_class', 1259), ('pg_authid', 1260),
  ('pg_auth_members', 1261), ('pg_database', 1262), ('pg_foreign_server', 1417), ('pg_user_mapping', 1418),
  ('pg_tablespace', 1213), ('pg_shdepend', 1214), ('pg_sequence', 2224), ('pg_foreign_data_wrapper', 2328),
  ('pg_shdescription', 2396), ('pg_aggregate', 2600), ('pg_am', 2601), ('pg_amop', 2602), ('pg_amproc', 2603),
  ('pg_attrdef', 2604), ('pg_cast', 2605), ('pg_constraint', 2606), ('pg_conversion', 2607), ('pg_depend', 2608),
  ('pg_description', 2609), ('pg_index', 2610), ('pg_inherits', 2611), ('pg_language', 2612),
  ('pg_namespace', 2615), ('pg_opclass', 2616), ('pg_operator', 2617), ('pg_rewrite', 2618), ('pg_statistic', 2619),
  ('pg_trigger', 2620), ('pg_opfamily', 2753), ('pg_db_role_setting', 2964), ('pg_extension', 3079),
  ('pg_foreign_table', 3118), ('pg_policy', 3256), ('pg_partitioned_table', 3350), ('pg_statistic_ext', 3381),
  ('pg_init_privs', 3394), ('pg_collation', 3456), ('pg_event_trigger', 3466), ('pg_enum', 3501), ('pg_range', 3541),
  ('pg_transform', 3576), ('pg_seclabel', 3596), ('pg_ts_dict', 3600), ('pg_ts_parser', 3601), ('pg_ts_config', 3602),
  ('pg_ts_template', 3764), ('pg_subscription', 6100), ('pg_publication', 6104), ('pg_publication_rel', 6106),
  ('pg_publication_namespace', 6237), ('pg_default_acl', 826)
) AS t(relname, oid);

-- Postgres' own relations. Which of them are tables is Postgres' matter, not ours.
CREATE VIEW trireme_pg.pg._system AS
SELECT e.schema_name, e.relname, CASE WHEN o.oid IS NULL THEN 'v' ELSE 'r' END AS relkind, e.relnatts, o.oid
FROM (
  SELECT database_name, schema_name, table_name AS relname, column_count AS relnatts FROM duckdb_tables()
  UNION ALL SELECT database_name, schema_name, view_name, column_count FROM duckdb_views() WHERE NOT internal
) e
LEFT JOIN trireme_pg.pg._system_oid o ON o.relname = e.relname
WHERE e.database_name = trireme_pg.pg._here() AND e.schema_name IN ('pg', 'info') AND e.relname NOT LIKE '\_%' ESCAPE '\';

-- The constraints of tables, but NOT NULL. DuckDB keeps no names of constraints: those that
-- were given, or had before the table was altered, are in a line of the table's comment, by
-- the constraint's text. The others have names as Postgres makes them, with the first number
-- that no other constraint of the table has. The text of a foreign key to its own table is
-- empty in DuckDB.
CREATE VIEW trireme_pg.pg._table_constraint AS
SELECT * EXCLUDE (given, base, taken, place), coalesce(given, list_filter(
  list_transform(range(place + coalesce(len(taken), 0)), lambda e: base || CASE e WHEN 0 THEN '' ELSE e::VARCHAR END), lambda e: NOT list_contains(coalesce(taken, []), e))[place]) AS constraint_name
FROM (
  SELECT *, list(given) FILTER (given IS NOT NULL) OVER (PARTITION BY database_name, schema_name, table_name) AS taken,
    row_number() OVER (PARTITION BY database_name, schema_name, table_name, base, given IS NULL ORDER BY constraint_index) AS place
  FROM (
    SELECT c.* EXCLUDE (constraint_name), trireme_pg.pg._given_names(t.comment)[c.constraint_text][
        row_number() OVER (PARTITION BY c.database_name, c.schema_name, c.table_name, c.constraint_text ORDER BY c.constraint_index)] AS given,
      c.table_name || CASE c.constraint_type WHEN 'PRIMARY KEY' THEN '_pkey' WHEN 'UNIQUE' THEN '_' || array_to_string(c.constraint_column_names, '_') || '_key'
        WHEN 'FOREIGN KEY' THEN '_' || array_to_string(c.constraint_column_names, '_') || '_fkey'
        ELSE CASE len(list_distinct(c.constraint_column_names)) WHEN 1 THEN '_' || c.constraint_column_names[1] ELSE '' END || '_check' END AS base
    FROM (
      SELECT * REPLACE (CASE constraint_text WHEN '' THEN 'FOREIGN KEY (' || trireme_pg.pg._ident_list(constraint_column_names) || ') REFERENCES '
        || trireme_pg.pg._ident(table_name) || '(' || trireme_pg.pg._ident_list(referenced_column_names) || ')' ELSE constraint_text END AS constraint_text) FROM duckdb_constraints()
    ) c
    JOIN duckdb_tables() t ON t.database_name = c.database_name AND t.schema_name = c.schema_name AND t.table_name = c.table_name
    WHERE c.constraint_type <> 'NOT NULL' AND c.database_name IN ('trireme', 'temp')
  )
);

-- A primary key or UNIQUE constraint has an index of its name, as in Postgres. The
-- comment of a SERIAL column's sequence, and of an index that is a constraint, is a mark,
-- not the user's.
CREATE VIEW trireme_pg.pg._entry AS
SELECT database_name, schema_name, table_name AS relname, 'r' AS relkind, table_name,
  column_count AS relnatts, check_constraint_count AS relchecks, index_count > 0 OR has_primary_key AS relhasindex, sql, trireme_pg.pg._user_comment(comment) AS comment
FROM duckdb_tables() WHERE database_name IN ('trireme', 'temp')
UNION ALL
SELECT database_name, schema_name, view_name, 'v', NULL, column_count, 0, false, sql, comment
FROM duckdb_views() WHERE NOT internal AND database_name IN ('trireme', 'temp')
UNION ALL
SELECT database_name, schema_name, index_name, 'i', table_name, len(expressions::VARCHAR[]), 0, false, sql, trireme_pg.pg._user_comment(comment)
FROM duckdb_indexes() WHERE database_name IN ('trireme', 'temp')
UNION ALL
SELECT database_name, schema_name, constraint_name, 'i', table_name, len(constraint_column_names), 0, false, NULL, NULL
FROM trireme_pg.pg._table_constraint WHERE constraint_type IN ('PRIMARY KEY', 'UNIQUE')
UNION ALL
SELECT database_name, schema_name, sequence_name, 'S', NULL, 3, 0, false, sql, trireme_pg.pg._user_comment(comment)
FROM duckdb_sequences() WHERE database_name IN ('trireme', 'temp')
UNION ALL
SELECT 'trireme_pg', schema_name, relname, relkind, NULL, relnatts, 0, false, NULL, NULL
FROM trireme_pg.pg._system;

-- An OID follows from the name, so that it is the same tomorrow and after ALTER
-- TABLE. Of names with equal numbers the later one in order takes the next number.
CREATE VIEW trireme_pg.pg._relation AS
SELECT coalesce(o.oid, 16384 + k.number + row_number() OVER (PARTITION BY k.number ORDER BY k.key) - 1)::UINTEGER AS oid,
  n.oid AS relnamespace, n.nspname, k.relname, k.relkind, k.database_name, k.schema_name, k.table_name,
  k.relnatts, k.relchecks, k.relhasindex, k.sql, k.comment, trireme_pg.pg._ident(k.relname) AS ident,
  trireme_pg.pg._ident(n.nspname) || '.' || trireme_pg.pg._ident(k.relname) AS full_ident, lower(k.relname) AS lower_name
FROM (
  SELECT *, CASE WHEN relkind IN ('i', 'S') THEN relkind ELSE 'r' END || '.' || database_name || '.' || schema_name || '.' || relname AS key,
    trireme_pg.pg._number(key) AS number
  FROM trireme_pg.pg._entry
) k
JOIN trireme_pg.pg._nsp n ON n.database_name = k.database_name AND n.schema_name = k.schema_name
LEFT JOIN trireme_pg.pg._system_oid o ON o.relname = k.relname AND k.database_name = 'trireme_pg';

-- The relations with the schemas that have one of the name, as lookups by name take it:
-- without upper case, an index apart from the others.
CREATE VIEW trireme_pg.pg._named AS
SELECT oid, nspname, ident, full_ident, list_sort(list(nspname) OVER (PARTITION BY lower_name, relkind = 'i')) AS namesakes
FROM trireme_pg.pg._relation;
