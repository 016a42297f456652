CREATE VIEW trireme_pg.pg.pg_namespace AS
SELECT oid, nspname, 10::UINTEGER AS nspowner, NULL::VARCHAR[] AS nspacl FROM trireme_pg.pg._nsp;

CREATE VIEW trireme_pg.pg._class AS
SELECT database_name, schema_name, oid, relname, relnamespace, CASE WHEN relkind IN ('r', 'v') THEN oid ELSE 0 END::UINTEGER AS reltype, 0::UINTEGER AS reloftype, 10::UINTEGER AS relowner,
  CASE relkind WHEN 'r' THEN 2 WHEN 'i' THEN 403 ELSE 0 END::UINTEGER AS relam,
  CASE relkind WHEN 'v' THEN 0 ELSE oid END AS relfilenode, 0::UINTEGER AS reltablespace,
  0::INTEGER AS relpages, 0::FLOAT AS reltuples,
  0::INTEGER AS relallvisible, 0::UINTEGER AS reltoastrelid, relhasindex, false AS relisshared,
  CASE database_name WHEN 'temp' THEN 't' ELSE 'p' END AS relpersistence, relkind,
  relnatts::SMALLINT AS relnatts,
  relchecks::SMALLINT AS relchecks, relkind = 'v' AS relhasrules,
  relkind = 'r' AND (database_name, schema_name, relname) IN (
    SELECT (database_name, schema_name, unnest([table_name, referenced_table])) FROM duckdb_constraints() WHERE constraint_type = 'FOREIGN KEY') AS relhastriggers, false AS relhassubclass,
  false AS relrowsecurity, false AS relforcerowsecurity, true AS relispopulated,
  CASE WHEN relkind = 'r' THEN 'd' ELSE 'n' END AS relreplident, false AS relispartition, 0::UINTEGER AS relrewrite,
  0::BIGINT AS relfrozenxid, 0::BIGINT AS relminmxid, NULL::VARCHAR[] AS relacl, NULL::VARCHAR[] AS reloptions,
  NULL::VARCHAR AS relpartbound
FROM trireme_pg.pg._relation r;

-- pg_class for statements that do not ask for numbers of rows.
CREATE VIEW trireme_pg.pg._uncounted_class AS SELECT * EXCLUDE (database_name, schema_name) FROM trireme_pg.pg._class;

-- Numbers of rows change without DDL: they are read anew.
CREATE VIEW trireme_pg.pg.pg_class AS
SELECT c.* EXCLUDE (database_name, schema_name) REPLACE (
  CASE relkind WHEN 'r' THEN (coalesce(t.estimated_size, 0) + 1023) // 1024 ELSE 0 END::INTEGER AS relpages,
  CASE relkind WHEN 'r' THEN coalesce(t.estimated_size, 0) WHEN 'S' THEN 1 ELSE 0 END::FLOAT AS reltuples)
FROM trireme_pg.pg._class c
LEFT JOIN (SELECT database_name, schema_name, table_name, estimated_size FROM duckdb_tables() WHERE database_name IN ('trireme', 'temp')) t
  ON c.relkind = 'r' AND t.database_name = c.database_name AND t.schema_name = c.schema_name AND t.table_name = c.relname;

-- Columns of relations, then those of indexes.
CREATE VIEW trireme_pg.pg.pg_attribute AS
SELECT a.attrelid, a.attname, a.atttypid, CASE WHEN a.attnum > 0 THEN -1 ELSE 0 END::INTEGER AS attstattarget, t.typlen::SMALLINT AS attlen,
  a.attnum::SMALLINT AS attnum, CASE WHEN t.typcategory = 'A' THEN 1 ELSE 0 END::INTEGER AS attndims, -1::INTEGER AS attcacheoff, a.atttypmod,
  t.typbyval AS attbyval, t.typalign AS attalign, t.typstorage AS attstorage, '' AS attcompression, a.attnotnull, a.atthasdef,
  false AS atthasmissing, '' AS attidentity, CASE WHEN a.is_generated THEN 's' ELSE '' END AS attgenerated, false AS attisdropped,
  true AS attislocal, 0::INTEGER AS attinhcount, t.typcollation AS attcollation, NULL::VARCHAR[] AS attacl, NULL::VARCHAR[] AS attoptions,
  NULL::VARCHAR[] AS attfdwoptions, NULL::VARCHAR AS attmissingval
FROM (
  SELECT attrelid, column_name AS attname, type_oid AS atttypid, column_index AS attnum, type_mod AS atttypmod, NOT is_nullable AS attnotnull, column_default IS NOT NULL AS atthasdef, is_generated
  FROM trireme_pg.pg._column
  UNION ALL
  SELECT i.indexrelid, CASE WHEN i.key = 0 THEN 'expr' || CASE i.n WHEN 1 THEN '' ELSE (i.n - 1)::VARCHAR END ELSE c.column_name END,
    coalesce(c.type_oid, 25), i.n, coalesce(c.type_mod, -1), false, false, false
  FROM (SELECT indexrelid, indrelid, unnest(indkey) AS key, generate_subscripts(indkey, 1) AS n FROM trireme_pg.pg.pg_index) i
  LEFT JOIN trireme_pg.pg._column c ON c.attrelid = i.indrelid AND c.column_index = i.key
) a
JOIN trireme_pg.pg._type t ON t.oid = a.atttypid;

-- Only a default of nextval says which sequence a column counts by. Of several with its name it is
-- the one in the table's database, as DuckDB finds it.
CREATE VIEW trireme_pg.pg._serial AS
SELECT attrelid AS ss_oid, column_name AS ss_column, column_index::INTEGER AS ss_number,
  arg_min(text, place) AS ss_text, arg_min(sequence, place) AS ss_sequence
FROM (
  SELECT c.attrelid, c.column_name, c.column_index, trireme_pg.pg._ident(s.nspname) || '.' || trireme_pg.pg._ident(s.relname) AS text, s.oid AS sequence,
    [(s.database_name <> c.database_name)::VARCHAR, (s.schema_name <> c.schema_name)::VARCHAR, s.full_ident] AS place
  FROM (
    SELECT attrelid, column_name, column_index, database_name, schema_name, trireme_pg.pg._name_parts(trireme_pg.pg._counts_by(column_default)) AS parts
    FROM trireme_pg.pg._column WHERE column_default LIKE 'nextval(%'
  ) c
  JOIN trireme_pg.pg._relation s ON s.relkind = 'S' AND lower(s.relname) = lower(c.parts[-1])
  WHERE CASE WHEN len(c.parts) > 1 THEN lower(c.parts[-2]) IN (lower(s.nspname), lower(s.schema_name)) ELSE s.schema_name IN (c.schema_name, 'main') END
    AND (len(c.parts) < 3 OR lower(c.parts[-3]) = lower(s.database_name))
)
GROUP BY attrelid, column_name, column_index;

-- The column that a sequence belongs to is in its comment, with the sequence's start, which DuckDB
-- forgets.
CREATE MACRO trireme_pg.pg._owner(comment) AS TRY_CAST(TRY_CAST(regexp_extract(comment, '^trireme: of (\[.*\]) from ', 1) AS JSON) AS VARCHAR[]);
CREATE MACRO trireme_pg.pg._start(comment, start) AS coalesce(TRY_CAST(regexp_extract(comment, '^trireme: of \[.*\] from (-?\d+)', 1) AS BIGINT), start);
CREATE VIEW trireme_pg.pg._owned AS
SELECT s.oid AS sequence, c.attrelid, c.column_index::INTEGER AS attnum
FROM (SELECT database_name, schema_name, sequence_name, trireme_pg.pg._owner(comment) AS owner FROM duckdb_sequences()) q
JOIN trireme_pg.pg._relation s ON s.relkind = 'S' AND s.database_name = q.database_name AND s.schema_name = q.schema_name AND s.relname = q.sequence_name
JOIN trireme_pg.pg._column c ON c.database_name = q.database_name AND lower(c.schema_name) = lower(q.owner[1]) AND lower(c.table_name) = lower(q.owner[2])
  AND lower(c.column_name) = lower(q.owner[3]);

-- A default has its sequence in full: pg_get_expr leaves out what the path finds.
CREATE VIEW trireme_pg.pg.pg_attrdef AS
SELECT (trireme_pg.pg._number('d.' || attrelid || '.' || column_index) + 16384)::UINTEGER AS oid, attrelid AS adrelid, column_index::SMALLINT AS adnum,
  CASE WHEN is_generated THEN regexp_replace(column_default, '^CAST\((.*) AS "?[A-Z0-9_(), ]+"?\)$', '\1')
    WHEN s.ss_text IS NOT NULL THEN trireme_pg.pg._nextval(s.ss_text) || regexp_replace(column_default, '^nextval\(''(?:[^'']|'''')*''', '') ELSE column_default END AS adbin
FROM trireme_pg.pg._column c LEFT JOIN trireme_pg.pg._serial s ON s.ss_oid = c.attrelid AND s.ss_number = c.column_index WHERE column_default IS NOT NULL;

CREATE VIEW trireme_pg.pg.pg_type AS
SELECT t.oid, t.typname, n.oid AS typnamespace, 10::UINTEGER AS typowner, t.typlen::SMALLINT AS typlen, t.typbyval, t.typtype, t.typcategory,
  t.oid IN (16, 25, 26, 701, 869, 1184, 1186, 1562) AS typispreferred, true AS typisdefined, ',' AS typdelim, 0::UINTEGER AS typrelid,
  CASE WHEN t.typcategory = 'A' AND t.oid NOT IN (22, 30) THEN 'array_subscript_handler' ELSE '-' END AS typsubscript,
  t.typelem::UINTEGER AS typelem, t.typarray::UINTEGER AS typarray, t.io || 'in' AS typinput, t.io || 'out' AS typoutput,
  CASE WHEN t.is_binary THEN t.io || 'recv' ELSE '-' END AS typreceive, CASE WHEN t.is_binary THEN t.io || 'send' ELSE '-' END AS typsend,
  '-' AS typmodin, '-' AS typmodout, '-' AS typanalyze, t.typalign, t.typstorage, false AS typnotnull, 0::UINTEGER AS typbasetype,
  -1::INTEGER AS typtypmod, 0::INTEGER AS typndims, t.typcollation, NULL::VARCHAR AS typdefaultbin, NULL::VARCHAR AS typdefault,
  NULL::VARCHAR[] AS typacl
FROM (
  SELECT *, trireme_pg.pg._io(oid, typname, typtype, typcategory) AS io, trireme_pg.pg._is_binary(oid) AS is_binary
  FROM trireme_pg.pg._type
) t
JOIN trireme_pg.pg.pg_namespace n ON n.nspname = t.nspname;

CREATE VIEW trireme_pg.pg.pg_enum AS
SELECT (trireme_pg.pg._number('e.' || oid || '.' || n) + 16384)::UINTEGER AS oid, oid AS enumtypid, n::FLOAT AS enumsortorder, label AS enumlabel
FROM (SELECT oid, unnest(labels) AS label, generate_subscripts(labels, 1) AS n FROM trireme_pg.pg._type WHERE typtype = 'e');

CREATE VIEW trireme_pg.pg.pg_range AS
SELECT * FROM (VALUES
  (3904::UINTEGER, 23::UINTEGER, 4451::UINTEGER, 0::UINTEGER, 1978::UINTEGER, '-', '-'), (3906, 1700, 4532, 0, 3125, '-', '-'), (3908, 1114, 4533, 0, 3128, '-', '-'),
  (3910, 1184, 4534, 0, 3127, '-', '-'), (3912, 1082, 4535, 0, 3122, '-', '-'), (3926, 20, 4536, 0, 3124, '-', '-')
) AS t(rngtypid, rngsubtype, rngmultitypid, rngcollation, rngsubopc, rngcanonical, rngsubdiff);

-- The next number of a sequence is the start in its text, which is all that DuckDB keeps: its last
-- value is another one after the database has been opened, but where a cycle has just ended.
CREATE MACRO trireme_pg.pg._next_number(text) AS regexp_extract(text, ' START (-?\d+) (NO )?CYCLE;$', 1)::HUGEINT;
CREATE MACRO trireme_pg.pg._last_number(text, last, step, low, high) AS CASE WHEN last IS NOT NULL AND trireme_pg.pg._next_number(text) - step BETWEEN low AND high
  THEN (trireme_pg.pg._next_number(text) - step)::BIGINT ELSE last END;

CREATE VIEW trireme_pg.pg._sequence AS
SELECT r.oid AS seqrelid, 20::UINTEGER AS seqtypid, trireme_pg.pg._start(s.comment, s.start_value) AS seqstart, s.increment_by AS seqincrement, s.max_value AS seqmax,
  s.min_value AS seqmin, 1::BIGINT AS seqcache, s.cycle AS seqcycle, trireme_pg.pg._last_number(s.sql, s.last_value, s.increment_by, s.min_value, s.max_value) AS last_value
FROM duckdb_sequences() s
JOIN trireme_pg.pg._relation r ON r.relkind = 'S' AND r.database_name = s.database_name AND r.schema_name = s.schema_name AND r.relname = s.sequence_name;

CREATE VIEW trireme_pg.pg.pg_sequence AS SELECT * EXCLUDE (last_value) FROM trireme_pg.pg._sequence;

CREATE VIEW trireme_pg.pg.pg_sequences AS
SELECT n.nspname AS schemaname, c.relname AS sequencename, 'trireme' AS sequenceowner, 'bigint' AS data_type, s.seqstart AS start_value,
  s.seqmin AS min_value, s.seqmax AS max_value, s.seqincrement AS increment_by, s.seqcycle AS cycle, s.seqcache AS cache_size, s.last_value
FROM trireme_pg.pg._sequence s JOIN trireme_pg.pg._class c ON c.oid = s.seqrelid JOIN trireme_pg.pg.pg_namespace n ON n.oid = c.relnamespace;

-- DuckDB's functions stand in pg_catalog; macros take and give values of any type. The
-- search path is no argument for users.
CREATE VIEW trireme_pg.pg._proc AS
SELECT (16384 + number + row_number() OVER (PARTITION BY number ORDER BY key) - 1)::UINTEGER AS oid, function_name AS proname,
  CASE f.database_name WHEN 'trireme' THEN coalesce(n.oid, 2200) WHEN 'temp' THEN 13001 ELSE 11 END::UINTEGER AS pronamespace, 10::UINTEGER AS proowner,
  CASE WHEN function_type LIKE '%macro' THEN 14 ELSE 12 END::UINTEGER AS prolang, 1::FLOAT AS procost, CASE WHEN proretset THEN 1000 ELSE 0 END::FLOAT AS prorows,
  CASE WHEN varargs IS NULL THEN 0 ELSE 2276 END::UINTEGER AS provariadic, 0::UINTEGER AS prosupport,
  CASE function_type WHEN 'aggregate' THEN 'a' ELSE 'f' END AS prokind, false AS prosecdef, false AS proleakproof, false AS proisstrict,
  proretset, CASE stability WHEN 'CONSISTENT' THEN 'i' WHEN 'CONSISTENT_WITHIN_QUERY' THEN 's' ELSE 'v' END AS provolatile, 's' AS proparallel,
  len(parameters)::SMALLINT AS pronargs, 0::SMALLINT AS pronargdefaults,
  CASE WHEN proretset THEN 2249 WHEN return_type IS NULL THEN 2283 ELSE trireme_pg.pg._type_oid(return_type) END::UINTEGER AS prorettype,
  list_transform(parameter_types, lambda e: CASE WHEN e IS NULL OR e = 'ANY' OR e LIKE 'T%' AND len(e) <= 2 THEN 2283 ELSE trireme_pg.pg._type_oid(e) END)::UINTEGER[] AS proargtypes,
  NULL::UINTEGER[] AS proallargtypes, NULL::VARCHAR[] AS proargmodes, parameters AS proargnames, NULL::VARCHAR AS proargdefaults,
  NULL::UINTEGER[] AS protrftypes, coalesce(macro_definition, function_name) AS prosrc, NULL::VARCHAR AS probin, NULL::VARCHAR AS prosqlbody,
  NULL::VARCHAR[] AS proconfig, NULL::VARCHAR[] AS proacl, f.comment AS description
FROM (
  SELECT * EXCLUDE (parameters, parameter_types), concat_ws('.', database_name, schema_name, function_name, parameters::VARCHAR, parameter_types::VARCHAR) AS key,
    CASE WHEN ours AND parameters[-1] = 'path' THEN parameters[:-2] ELSE parameters END AS parameters,
    CASE WHEN ours AND parameters[-1] = 'path' THEN parameter_types[:-2] ELSE parameter_types END AS parameter_types,
    trireme_pg.pg._number('f.' || key) AS number, function_type IN ('table', 'table_macro') AS proretset
  FROM (
    SELECT * REPLACE (
      CASE WHEN ours THEN 'trireme_pg' ELSE database_name END AS database_name,
      CASE WHEN ours THEN replace(macro_definition, trireme_pg.pg._here() || '.pg.', 'pg_catalog.') ELSE macro_definition END AS macro_definition)
    FROM (SELECT *, database_name = trireme_pg.pg._here() AS ours FROM duckdb_functions())
    WHERE function_type IN ('scalar', 'aggregate', 'table', 'macro', 'table_macro') AND function_name NOT LIKE '\_%' ESCAPE '\'
      AND (database_name IN ('system', 'trireme', 'temp') OR ours AND schema_name = 'pg') AND regexp_matches(function_name, '^\w+$')
  )
) f
LEFT JOIN trireme_pg.pg._nsp n ON n.database_name = f.database_name AND n.schema_name = f.schema_name;

-- With the functions of types, of which nobody calls one: they take and give what only
-- they know.
CREATE VIEW trireme_pg.pg.pg_proc AS
SELECT * EXCLUDE (description) FROM trireme_pg.pg._proc
UNION ALL BY NAME
SELECT trireme_pg.pg._io_oid(proname)::UINTEGER AS oid, proname, 11::UINTEGER AS pronamespace, 10::UINTEGER AS proowner, 12::UINTEGER AS prolang,
  1::FLOAT AS procost, 0::FLOAT AS prorows, 0::UINTEGER AS provariadic, 0::UINTEGER AS prosupport, 'f' AS prokind, false AS prosecdef, false AS proleakproof,
  true AS proisstrict, false AS proretset, 's' AS provolatile, 's' AS proparallel, 1::SMALLINT AS pronargs, 0::SMALLINT AS pronargdefaults,
  2281::UINTEGER AS prorettype, [2281]::UINTEGER[] AS proargtypes, ['value'] AS proargnames, proname AS prosrc
FROM (
  SELECT DISTINCT unnest([typinput, typoutput, typreceive, typsend]) AS proname FROM trireme_pg.pg.pg_type
) WHERE proname <> '-';

CREATE VIEW trireme_pg.pg.pg_description AS
SELECT oid AS objoid, 1259::UINTEGER AS classoid, 0::INTEGER AS objsubid, comment AS description FROM trireme_pg.pg._relation WHERE comment IS NOT NULL
UNION ALL SELECT attrelid, 1259::UINTEGER, column_index, comment FROM trireme_pg.pg._column WHERE comment IS NOT NULL
UNION ALL SELECT oid, 2615::UINTEGER, 0, CASE oid WHEN 2200 THEN 'standard public schema' ELSE comment END FROM trireme_pg.pg._nsp WHERE comment IS NOT NULL OR oid = 2200
UNION ALL SELECT oid, 1247::UINTEGER, 0, comment FROM trireme_pg.pg._type WHERE comment IS NOT NULL
UNION ALL SELECT oid, 1255::UINTEGER, 0, description FROM trireme_pg.pg._proc WHERE description IS NOT NULL AND prolang = 14;

-- The served database has the first number of a user's object: tools hide what has a lesser one.
CREATE VIEW trireme_pg.pg.pg_database AS
SELECT CASE database_name WHEN 'trireme' THEN 16384 ELSE 16385 + trireme_pg.pg._number('b.' || database_name) END::UINTEGER AS oid, database_name AS datname,
  10::UINTEGER AS datdba, 6::INTEGER AS encoding, 'c' AS datlocprovider, false AS datistemplate, database_name = 'trireme' AS datallowconn,
  -1::INTEGER AS datconnlimit, 0::BIGINT AS datfrozenxid, 0::BIGINT AS datminmxid, 1663::UINTEGER AS dattablespace, 'C' AS datcollate, 'C' AS datctype,
  NULL::VARCHAR AS daticulocale, NULL::VARCHAR AS datcollversion, NULL::VARCHAR[] AS datacl
FROM duckdb_databases() WHERE NOT internal AND database_name <> 'memory' AND database_name NOT LIKE 'trireme\_pg%' ESCAPE '\';

CREATE VIEW trireme_pg.pg.pg_tablespace AS
SELECT oid::UINTEGER AS oid, spcname, 10::UINTEGER AS spcowner, NULL::VARCHAR[] AS spcacl, NULL::VARCHAR[] AS spcoptions
FROM (VALUES (1663, 'pg_default'), (1664, 'pg_global')) AS t(oid, spcname);

CREATE VIEW trireme_pg.pg.pg_am AS
SELECT oid::UINTEGER AS oid, amname, amhandler, amtype FROM (VALUES (2, 'heap', 'heap_tableam_handler', 't'), (403, 'btree', 'bthandler', 'i')) AS t(oid, amname, amhandler, amtype);

CREATE VIEW trireme_pg.pg.pg_language AS
SELECT oid::UINTEGER AS oid, lanname, 10::UINTEGER AS lanowner, false AS lanispl, lanpltrusted, 0::UINTEGER AS lanplcallfoid, 0::UINTEGER AS laninline,
  0::UINTEGER AS lanvalidator, NULL::VARCHAR[] AS lanacl
FROM (VALUES (12, 'internal', false), (14, 'sql', true)) AS t(oid, lanname, lanpltrusted);

CREATE VIEW trireme_pg.pg.pg_collation AS
SELECT oid::UINTEGER AS oid, collname, 11::UINTEGER AS collnamespace, 10::UINTEGER AS collowner, provider AS collprovider, true AS collisdeterministic,
  -1::INTEGER AS collencoding, locale AS collcollate, locale AS collctype, NULL::VARCHAR AS colliculocale, NULL::VARCHAR AS collversion
FROM (VALUES (100, 'default', 'd', NULL), (950, 'C', 'c', 'C'), (951, 'POSIX', 'c', 'POSIX')) AS t(oid, collname, provider, locale);

CREATE VIEW trireme_pg.pg.pg_depend AS
SELECT 2604::UINTEGER AS classid, d.oid AS objid, 0::INTEGER AS objsubid, 1259::UINTEGER AS refclassid, d.adrelid AS refobjid, d.adnum::INTEGER AS refobjsubid, 'a' AS deptype
FROM trireme_pg.pg.pg_attrdef d
UNION ALL SELECT 1259::UINTEGER, indexrelid, 0, 1259::UINTEGER, indrelid, 0, 'a' FROM trireme_pg.pg.pg_index
UNION ALL SELECT 2606::UINTEGER, oid, 0, 1259::UINTEGER, conrelid, 0, 'a' FROM trireme_pg.pg.pg_constraint
-- A sequence goes with its column, whose default needs it.
UNION ALL SELECT 1259::UINTEGER, sequence, 0, 1259::UINTEGER, attrelid, attnum, 'a' FROM trireme_pg.pg._owned
UNION ALL SELECT 2604::UINTEGER, d.oid, 0, 1259::UINTEGER, s.ss_sequence, 0, 'n' FROM trireme_pg.pg._serial s JOIN trireme_pg.pg.pg_attrdef d ON d.adrelid = s.ss_oid AND d.adnum = s.ss_number
-- A view's rule needs what the view reads.
UNION ALL SELECT 2618::UINTEGER, w.oid, 0, 1259::UINTEGER, r.oid, 0, 'n'
FROM (
  SELECT trireme_pg.pg._rule_oid(oid) AS oid, unnest(string_split(trireme_view_tables(trireme_pg.pg._view_body(sql), schema_name), chr(10))) AS name
  FROM trireme_pg.pg._relation WHERE relkind = 'v' AND database_name <> 'trireme_pg'
) w JOIN trireme_pg.pg._relation r ON r.relkind IN ('r', 'v') AND r.database_name <> 'trireme_pg' AND w.name = lower(r.schema_name) || '.' || r.lower_name;

CREATE VIEW trireme_pg.pg.pg_tables AS
SELECT n.nspname AS schemaname, c.relname AS tablename, 'trireme' AS tableowner, NULL::VARCHAR AS tablespace, c.relhasindex AS hasindexes,
  c.relhasrules AS hasrules, c.relhastriggers AS hastriggers, c.relrowsecurity AS rowsecurity
FROM trireme_pg.pg._class c JOIN trireme_pg.pg.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r';

CREATE VIEW trireme_pg.pg.pg_views AS
SELECT nspname AS schemaname, relname AS viewname, 'trireme' AS viewowner, trireme_view_text(trireme_pg.pg._view_body(sql), schema_name, 'public') AS definition
FROM trireme_pg.pg._relation WHERE relkind = 'v';

CREATE VIEW trireme_pg.pg.pg_indexes AS
SELECT r.nspname AS schemaname, r.table_name AS tablename, r.relname AS indexname, NULL::VARCHAR AS tablespace, d.id_text AS indexdef
FROM trireme_pg.pg._relation r JOIN trireme_pg.pg._index_text d ON d.id_oid = r.oid;

CREATE VIEW trireme_pg.pg.pg_stat_all_tables AS
SELECT c.oid AS relid, n.nspname AS schemaname, c.relname, 0::BIGINT AS seq_scan, 0::BIGINT AS seq_tup_read, 0::BIGINT AS idx_scan, 0::BIGINT AS idx_tup_fetch,
  0::BIGINT AS n_tup_ins, 0::BIGINT AS n_tup_upd, 0::BIGINT AS n_tup_del, 0::BIGINT AS n_tup_hot_upd, c.reltuples::BIGINT AS n_live_tup,
  0::BIGINT AS n_dead_tup, 0::BIGINT AS n_mod_since_analyze, 0::BIGINT AS n_ins_since_vacuum, NULL::TIMESTAMPTZ AS last_vacuum,
  NULL::TIMESTAMPTZ AS last_autovacuum, NULL::TIMESTAMPTZ AS last_analyze, NULL::TIMESTAMPTZ AS last_autoanalyze, 0::BIGINT AS vacuum_count,
  0::BIGINT AS autovacuum_count, 0::BIGINT AS analyze_count, 0::BIGINT AS autoanalyze_count
FROM trireme_pg.pg.pg_class c JOIN trireme_pg.pg.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r';

CREATE VIEW trireme_pg.pg.pg_stat_user_tables AS
SELECT * FROM trireme_pg.pg.pg_stat_all_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema');

CREATE VIEW trireme_pg.pg.pg_timezone_names AS SELECT * FROM pg_timezone_names();

CREATE VIEW trireme_pg.pg.pg_stat_database AS
SELECT oid AS datid, datname, 0::INTEGER AS numbackends, 0::BIGINT AS xact_commit, 0::BIGINT AS xact_rollback, 0::BIGINT AS blks_read, 0::BIGINT AS blks_hit,
  0::BIGINT AS tup_returned, 0::BIGINT AS tup_fetched, 0::BIGINT AS tup_inserted, 0::BIGINT AS tup_updated, 0::BIGINT AS tup_deleted,
  0::BIGINT AS conflicts, 0::BIGINT AS temp_files, 0::BIGINT AS temp_bytes, 0::BIGINT AS deadlocks, NULL::TIMESTAMPTZ AS stats_reset
FROM trireme_pg.pg.pg_database;
