CREATE MACRO trireme_pg.pg.to_regproc(name) AS coalesce(TRY_CAST(name::VARCHAR AS BIGINT), (
  SELECT min(rp_q.rp_oid) FROM (SELECT oid AS rp_oid, proname AS rp_name FROM trireme_pg.pg.pg_proc) rp_q
  WHERE lower(rp_q.rp_name) = trireme_pg.pg._name_parts(regexp_replace(name::VARCHAR, '\(.*$', ''))[-1]));
CREATE MACRO trireme_pg.pg.to_regprocedure(name) AS trireme_pg.pg.to_regproc(name);
CREATE MACRO trireme_pg.pg._regproc(name) AS CASE WHEN name::VARCHAR IS NULL THEN NULL WHEN name::VARCHAR = '-' THEN 0 ELSE
  coalesce(trireme_pg.pg.to_regproc(name), error('42883: function "' || name::VARCHAR || '" does not exist')) END;
CREATE MACRO trireme_pg.pg._regproc_name(name) AS coalesce((
  SELECT ro_q.ro_name FROM (SELECT oid AS ro_oid, proname AS ro_name FROM trireme_pg.pg.pg_proc) ro_q
  WHERE ro_q.ro_oid = TRY_CAST(name::VARCHAR AS BIGINT)), regexp_replace(name::VARCHAR, '^pg_catalog\.', ''));

CREATE MACRO trireme_pg.pg.pg_get_userbyid(role_oid) AS CASE role_oid::BIGINT WHEN 10 THEN 'trireme' ELSE
  coalesce(trireme_role_name(role_oid::VARCHAR), 'unknown (OID=' || role_oid::VARCHAR || ')') END;
CREATE MACRO trireme_pg.pg._expression(expression, path) AS CASE
  WHEN starts_with(expression, 'nextval(''') AND list_contains(path, trireme_pg.pg._name_parts(trireme_pg.pg._counts_by(expression))[-2])
  THEN regexp_replace(expression, '^nextval\(''("([^"]|"")*"|[^".'']*)\.', 'nextval(''') ELSE trireme_expression_text(expression, array_to_string(path, chr(10))) END;
CREATE MACRO trireme_pg.pg.pg_get_expr(expression, relation, path) AS CASE WHEN relation::VARCHAR IS NOT NULL THEN trireme_pg.pg._expression(expression, path) END,
(expression, relation, pretty, path) AS CASE WHEN relation::VARCHAR IS NOT NULL AND pretty::VARCHAR IS NOT NULL THEN trireme_pg.pg._expression(expression, path) END;
CREATE MACRO trireme_pg.pg._constraintdef(constraint_oid, path) AS (
  SELECT trireme_expression_text(cd_q.cd_text, array_to_string(path, chr(10))) || CASE WHEN cd_q.cd_schema IS NULL THEN '' WHEN list_contains(path, cd_q.cd_schema) THEN cd_q.cd_refers
    ELSE trireme_pg.pg._ident(cd_q.cd_schema) || '.' || cd_q.cd_refers END
  FROM (SELECT oid AS cd_oid, condef AS cd_text, refers_schema AS cd_schema, refers AS cd_refers FROM trireme_pg.pg._constraint_text) cd_q
  WHERE cd_q.cd_oid = constraint_oid);
CREATE MACRO trireme_pg.pg.pg_get_constraintdef(constraint_oid, path) AS trireme_pg.pg._constraintdef(constraint_oid, path),
(constraint_oid, pretty, path) AS CASE WHEN pretty::VARCHAR IS NOT NULL THEN trireme_pg.pg._constraintdef(constraint_oid, path) END;
CREATE MACRO trireme_pg.pg.pg_get_triggerdef(o) AS CASE WHEN o::VARCHAR IS NOT NULL THEN NULL::VARCHAR END, (o, pretty) AS CASE WHEN o::VARCHAR IS NOT NULL AND pretty::VARCHAR IS NOT NULL THEN NULL::VARCHAR END;
CREATE MACRO trireme_pg.pg.pg_get_ruledef(o) AS CASE WHEN o::VARCHAR IS NOT NULL THEN NULL::VARCHAR END, (o, pretty) AS CASE WHEN o::VARCHAR IS NOT NULL AND pretty::VARCHAR IS NOT NULL THEN NULL::VARCHAR END;
CREATE MACRO trireme_pg.pg.pg_get_partkeydef(o) AS CASE WHEN o::VARCHAR IS NOT NULL THEN NULL::VARCHAR END;
CREATE MACRO trireme_pg.pg.pg_get_partition_constraintdef(o) AS CASE WHEN o::VARCHAR IS NOT NULL THEN NULL::VARCHAR END;
CREATE MACRO trireme_pg.pg.pg_get_statisticsobjdef(o) AS CASE WHEN o::VARCHAR IS NOT NULL THEN NULL::VARCHAR END;
CREATE MACRO trireme_pg.pg.pg_get_statisticsobjdef_columns(o) AS CASE WHEN o::VARCHAR IS NOT NULL THEN NULL::VARCHAR END;
CREATE MACRO trireme_pg.pg.pg_get_function_sqlbody(o) AS CASE WHEN o::VARCHAR IS NOT NULL THEN NULL::VARCHAR END;
CREATE MACRO trireme_pg.pg.pg_get_function_arg_default(o, n) AS CASE WHEN o::VARCHAR IS NOT NULL AND n::VARCHAR IS NOT NULL THEN NULL::VARCHAR END;
CREATE MACRO trireme_pg.pg.pg_export_snapshot() AS error('0A000: snapshots are not exported: dump with one job');
CREATE VIEW trireme_pg.pg._function AS
SELECT p.oid AS pf_oid,
  array_to_string(list_transform(proargnames, lambda e, n: CASE WHEN prolang = 14 THEN e ELSE t.names[proargtypes[n]] END), ', ') AS pf_arguments,
  CASE WHEN proretset THEN 'SETOF record' ELSE t.names[prorettype] END AS pf_result,
  CASE WHEN prolang = 14 THEN 'CREATE OR REPLACE MACRO ' || trireme_pg.pg._ident(n.nspname) || '.' || trireme_pg.pg._ident(proname)
      || '(' || array_to_string(proargnames, ', ') || ') AS ' || CASE WHEN proretset THEN 'TABLE ' ELSE '' END || prosrc || chr(10)
    WHEN prokind = 'f' THEN 'CREATE OR REPLACE FUNCTION ' || trireme_pg.pg._ident(n.nspname) || '.' || trireme_pg.pg._ident(proname)
      || '(' || pf_arguments || ')' || chr(10) || ' RETURNS ' || pf_result || chr(10) || ' LANGUAGE internal' || chr(10)
      || CASE provolatile WHEN 'i' THEN ' IMMUTABLE' WHEN 's' THEN ' STABLE' ELSE '' END || ' PARALLEL SAFE' || chr(10)
      || 'AS $function$' || prosrc || '$function$' || chr(10) END AS pf_text,
  proname AS pf_name, n.nspname AS pf_schema
FROM trireme_pg.pg.pg_proc p JOIN trireme_pg.pg._nsp n ON n.oid = p.pronamespace,
  (SELECT map_from_entries(list((oid, sqlname))) AS names FROM trireme_pg.pg._type) t;
CREATE MACRO trireme_pg.pg.pg_get_function_arguments(function_oid) AS (
  SELECT pf_q.pf_arguments FROM trireme_pg.pg._function pf_q WHERE pf_q.pf_oid = function_oid);
CREATE MACRO trireme_pg.pg.pg_get_function_identity_arguments(function_oid) AS (
  SELECT pf_q.pf_arguments FROM trireme_pg.pg._function pf_q WHERE pf_q.pf_oid = function_oid);
CREATE MACRO trireme_pg.pg.pg_get_function_result(function_oid) AS (
  SELECT pf_q.pf_result FROM trireme_pg.pg._function pf_q WHERE pf_q.pf_oid = function_oid);
-- The error is no part of the subquery, which is asked of all rows: a condition before
-- it, such as prokind <> 'a', keeps aggregates from it as in Postgres.
CREATE MACRO trireme_pg.pg.pg_get_functiondef(function_oid) AS coalesce(
  (SELECT pf_q.pf_text FROM trireme_pg.pg._function pf_q WHERE pf_q.pf_oid = function_oid),
  error((SELECT '42809: "' || pf_q.pf_name || '" is an aggregate function' FROM trireme_pg.pg._function pf_q
    WHERE pf_q.pf_oid = function_oid AND pf_q.pf_text IS NULL)));
CREATE MACRO trireme_pg.pg.pg_get_serial_sequence(relation, name, path) AS (
  SELECT ss_q.ss_text FROM trireme_pg.pg._serial ss_q WHERE ss_q.ss_oid = trireme_pg.pg._regclass(relation, path) AND ss_q.ss_column = name);

CREATE MACRO trireme_pg.pg.pg_notify(channel, payload) AS
  error('0A000: NOTIFY is not supported: no session is told of another''s events' || left(channel || payload, 0));

CREATE MACRO trireme_pg.pg.pg_table_is_visible(relation, path) AS coalesce((
  SELECT list_filter(path, lambda e: list_contains(tv_q.tv_schemas, e))[1] = tv_q.tv_schema
  FROM (SELECT oid AS tv_oid, nspname AS tv_schema, namesakes AS tv_schemas FROM trireme_pg.pg._named) tv_q WHERE tv_q.tv_oid = relation), false);
CREATE MACRO trireme_pg.pg.pg_type_is_visible(type_oid, path) AS (
  SELECT list_contains(path, ty_q.ty_schema)
  FROM (SELECT oid AS ty_oid, nspname AS ty_schema FROM trireme_pg.pg._type) ty_q WHERE ty_q.ty_oid = type_oid);
CREATE MACRO trireme_pg.pg.pg_function_is_visible(function_oid, path) AS (
  SELECT list_contains(path, pf_q.pf_schema) FROM trireme_pg.pg._function pf_q WHERE pf_q.pf_oid = function_oid);
CREATE MACRO trireme_pg.pg.pg_operator_is_visible(o) AS CASE WHEN o::VARCHAR IS NOT NULL THEN true END;
CREATE MACRO trireme_pg.pg.pg_opclass_is_visible(o) AS CASE WHEN o::VARCHAR IS NOT NULL THEN true END;
CREATE MACRO trireme_pg.pg.pg_opfamily_is_visible(o) AS CASE WHEN o::VARCHAR IS NOT NULL THEN true END;
CREATE MACRO trireme_pg.pg.pg_collation_is_visible(o) AS CASE WHEN o::VARCHAR IS NOT NULL THEN true END;
CREATE MACRO trireme_pg.pg.pg_conversion_is_visible(o) AS CASE WHEN o::VARCHAR IS NOT NULL THEN true END;
CREATE MACRO trireme_pg.pg.pg_statistics_obj_is_visible(o) AS CASE WHEN o::VARCHAR IS NOT NULL THEN true END;
CREATE MACRO trireme_pg.pg.pg_ts_config_is_visible(o) AS CASE WHEN o::VARCHAR IS NOT NULL THEN true END;
CREATE MACRO trireme_pg.pg.pg_ts_dict_is_visible(o) AS CASE WHEN o::VARCHAR IS NOT NULL THEN true END;
CREATE MACRO trireme_pg.pg.pg_ts_parser_is_visible(o) AS CASE WHEN o::VARCHAR IS NOT NULL THEN true END;
CREATE MACRO trireme_pg.pg.pg_ts_template_is_visible(o) AS CASE WHEN o::VARCHAR IS NOT NULL THEN true END;

CREATE VIEW trireme_pg.pg._described AS
SELECT d.objoid AS od_oid, o.relname AS od_catalog, d.description AS od_text
FROM trireme_pg.pg.pg_description d JOIN trireme_pg.pg._system_oid o ON o.oid = d.classoid WHERE d.objsubid = 0;
CREATE MACRO trireme_pg.pg.obj_description(object_oid, path) AS (
  SELECT min(od_q.od_text) FROM trireme_pg.pg._described od_q WHERE od_q.od_oid = trireme_pg.pg._regclass(object_oid, path)),
(object_oid, catalog_name, path) AS (
  SELECT min(od_q.od_text) FROM trireme_pg.pg._described od_q
  WHERE od_q.od_oid = CASE catalog_name::VARCHAR WHEN 'pg_class' THEN trireme_pg.pg._regclass(object_oid, path) ELSE TRY_CAST(object_oid AS BIGINT) END AND od_q.od_catalog = catalog_name::VARCHAR);
CREATE MACRO trireme_pg.pg.col_description(relation, number, path) AS (
  SELECT min(co_q.co_text) FROM (SELECT attrelid AS co_oid, column_index AS co_number, comment AS co_text FROM trireme_pg.pg._column WHERE comment IS NOT NULL) co_q
  WHERE co_q.co_oid = trireme_pg.pg._regclass(relation, path) AND co_q.co_number = number);
CREATE MACRO trireme_pg.pg.shobj_description(object_oid, catalog_name) AS CASE WHEN object_oid::VARCHAR IS NOT NULL AND catalog_name::VARCHAR IS NOT NULL THEN NULL::VARCHAR END;

CREATE MACRO trireme_pg.pg.has_table_privilege(a, b, path) AS CASE WHEN trireme_pg.pg._regclass(a, path) IS NOT NULL THEN trireme_may('table', b::VARCHAR)::BOOLEAN END,
(a, b, c, path) AS CASE WHEN trireme_pg.pg._regclass(b, path) IS NOT NULL THEN trireme_role_may(a::VARCHAR, 'table', c::VARCHAR)::BOOLEAN END;
CREATE MACRO trireme_pg.pg.has_any_column_privilege(a, b, path) AS CASE WHEN trireme_pg.pg._regclass(a, path) IS NOT NULL THEN trireme_may('column', b::VARCHAR)::BOOLEAN END,
(a, b, c, path) AS CASE WHEN trireme_pg.pg._regclass(b, path) IS NOT NULL THEN trireme_role_may(a::VARCHAR, 'column', c::VARCHAR)::BOOLEAN END;
CREATE MACRO trireme_pg.pg.has_column_privilege(a, b, c) AS CASE WHEN a::VARCHAR IS NOT NULL AND b::VARCHAR IS NOT NULL THEN trireme_may('column', c::VARCHAR)::BOOLEAN END,
(a, b, c, d) AS CASE WHEN b::VARCHAR IS NOT NULL AND c::VARCHAR IS NOT NULL THEN trireme_role_may(a::VARCHAR, 'column', d::VARCHAR)::BOOLEAN END;
CREATE MACRO trireme_pg.pg.has_sequence_privilege(a, b) AS CASE WHEN a::VARCHAR IS NOT NULL THEN trireme_may('sequence', b::VARCHAR)::BOOLEAN END,
(a, b, c) AS CASE WHEN b::VARCHAR IS NOT NULL THEN trireme_role_may(a::VARCHAR, 'sequence', c::VARCHAR)::BOOLEAN END;
CREATE MACRO trireme_pg.pg.has_schema_privilege(a, b) AS CASE WHEN trireme_pg.pg._regnamespace(a) IS NOT NULL THEN trireme_may('schema', b::VARCHAR)::BOOLEAN END,
(a, b, c) AS CASE WHEN trireme_pg.pg._regnamespace(b) IS NOT NULL THEN trireme_role_may(a::VARCHAR, 'schema', c::VARCHAR)::BOOLEAN END;
CREATE MACRO trireme_pg.pg.has_database_privilege(a, b) AS CASE WHEN a::VARCHAR IS NOT NULL THEN trireme_may('database', b::VARCHAR)::BOOLEAN END,
(a, b, c) AS CASE WHEN b::VARCHAR IS NOT NULL THEN trireme_role_may(a::VARCHAR, 'database', c::VARCHAR)::BOOLEAN END;
CREATE MACRO trireme_pg.pg.has_function_privilege(a, b) AS CASE WHEN a::VARCHAR IS NOT NULL THEN trireme_may('function', b::VARCHAR)::BOOLEAN END,
(a, b, c) AS CASE WHEN b::VARCHAR IS NOT NULL THEN trireme_role_may(a::VARCHAR, 'function', c::VARCHAR)::BOOLEAN END;
CREATE MACRO trireme_pg.pg.has_language_privilege(a, b) AS CASE WHEN a::VARCHAR IS NOT NULL THEN trireme_may('usage', b::VARCHAR)::BOOLEAN END,
(a, b, c) AS CASE WHEN b::VARCHAR IS NOT NULL THEN trireme_role_may(a::VARCHAR, 'usage', c::VARCHAR)::BOOLEAN END;
CREATE MACRO trireme_pg.pg.has_type_privilege(a, b) AS CASE WHEN a::VARCHAR IS NOT NULL THEN trireme_may('usage', b::VARCHAR)::BOOLEAN END,
(a, b, c) AS CASE WHEN b::VARCHAR IS NOT NULL THEN trireme_role_may(a::VARCHAR, 'usage', c::VARCHAR)::BOOLEAN END;
CREATE MACRO trireme_pg.pg.has_tablespace_privilege(a, b) AS CASE WHEN a::VARCHAR IS NOT NULL THEN trireme_may('tablespace', b::VARCHAR)::BOOLEAN END,
(a, b, c) AS CASE WHEN b::VARCHAR IS NOT NULL THEN trireme_role_may(a::VARCHAR, 'tablespace', c::VARCHAR)::BOOLEAN END;
CREATE MACRO trireme_pg.pg.has_server_privilege(a, b) AS CASE WHEN a::VARCHAR IS NOT NULL THEN trireme_may('usage', b::VARCHAR)::BOOLEAN END,
(a, b, c) AS CASE WHEN b::VARCHAR IS NOT NULL THEN trireme_role_may(a::VARCHAR, 'usage', c::VARCHAR)::BOOLEAN END;
CREATE MACRO trireme_pg.pg.has_foreign_data_wrapper_privilege(a, b) AS CASE WHEN a::VARCHAR IS NOT NULL THEN trireme_may('usage', b::VARCHAR)::BOOLEAN END,
(a, b, c) AS CASE WHEN b::VARCHAR IS NOT NULL THEN trireme_role_may(a::VARCHAR, 'usage', c::VARCHAR)::BOOLEAN END;
CREATE MACRO trireme_pg.pg.has_parameter_privilege(a, b) AS CASE WHEN a::VARCHAR IS NOT NULL THEN trireme_may('parameter', b::VARCHAR)::BOOLEAN END,
(a, b, c) AS CASE WHEN b::VARCHAR IS NOT NULL THEN trireme_role_may(a::VARCHAR, 'parameter', c::VARCHAR)::BOOLEAN END;
CREATE MACRO trireme_pg.pg.pg_has_role(a, b) AS trireme_has_role(a::VARCHAR, b::VARCHAR)::BOOLEAN,
(a, b, c) AS trireme_role_has_role(a::VARCHAR, b::VARCHAR, c::VARCHAR)::BOOLEAN;
CREATE MACRO trireme_pg.pg.row_security_active(relation) AS CASE WHEN relation::VARCHAR IS NOT NULL THEN false END;

CREATE MACRO trireme_pg.pg.pg_size_pretty(bytes) AS CASE
  WHEN abs(bytes) < 10240 THEN bytes::BIGINT || ' bytes'
  WHEN abs(bytes) < 10485247 THEN round(bytes / 1024.0)::BIGINT || ' kB'
  WHEN abs(bytes) < 10736893952 THEN round(bytes / 1048576.0)::BIGINT || ' MB'
  WHEN abs(bytes) < 10994579406848 THEN round(bytes / 1073741824.0)::BIGINT || ' GB'
  ELSE round(bytes / 1099511627776.0)::BIGINT || ' TB' END;
-- DuckDB keeps no sizes of tables: the number of rows times the width of the
-- columns, 32 bytes where it varies.
CREATE VIEW trireme_pg.pg._size AS
SELECT r.oid AS sz_oid, (coalesce(any_value(r.reltuples), 0)::BIGINT * coalesce(sum(CASE WHEN t.typlen > 0 THEN t.typlen ELSE 32 END), 0))::BIGINT AS sz_bytes
FROM trireme_pg.pg.pg_class r
LEFT JOIN trireme_pg.pg._column c ON c.attrelid = r.oid LEFT JOIN trireme_pg.pg._base_type t ON t.oid = c.type_oid
WHERE r.relkind = 'r' GROUP BY r.oid;
CREATE MACRO trireme_pg.pg.pg_table_size(relation, path) AS coalesce((
  SELECT sz_q.sz_bytes FROM trireme_pg.pg._size sz_q WHERE sz_q.sz_oid = trireme_pg.pg._regclass(relation, path)), 0);
CREATE MACRO trireme_pg.pg.pg_relation_size(relation, path) AS trireme_pg.pg.pg_table_size(relation, path),
(relation, fork, path) AS CASE fork WHEN 'main' THEN trireme_pg.pg.pg_table_size(relation, path) ELSE 0 END;
CREATE MACRO trireme_pg.pg.pg_total_relation_size(relation, path) AS trireme_pg.pg.pg_table_size(relation, path);
CREATE MACRO trireme_pg.pg.pg_indexes_size(relation) AS CASE WHEN relation::VARCHAR IS NOT NULL THEN 0::BIGINT END;
CREATE MACRO trireme_pg.pg.pg_database_size(database) AS (
  SELECT db_q.db_bytes FROM (SELECT database_name AS db_name, block_size * used_blocks AS db_bytes FROM pragma_database_size()) db_q
  WHERE db_q.db_name = CASE database::VARCHAR WHEN '16384' THEN 'trireme' ELSE database::VARCHAR END);
CREATE MACRO trireme_pg.pg.pg_tablespace_size(o) AS CASE WHEN o::VARCHAR IS NOT NULL THEN NULL::BIGINT END;
CREATE MACRO trireme_pg.pg.pg_tablespace_location(o) AS CASE WHEN o::VARCHAR IS NOT NULL THEN '' END;
CREATE MACRO trireme_pg.pg.pg_relation_filenode(relation, path) AS trireme_pg.pg._regclass(relation, path);
CREATE MACRO trireme_pg.pg.pg_relation_is_publishable(relation) AS CASE WHEN relation::VARCHAR IS NOT NULL THEN false END;
CREATE MACRO trireme_pg.pg.pg_relation_is_updatable(relation, include_triggers) AS CASE WHEN include_triggers::VARCHAR IS NOT NULL THEN (
  SELECT CASE up_q.up_kind WHEN 'r' THEN 28 ELSE 0 END FROM (SELECT oid AS up_oid, relkind AS up_kind FROM trireme_pg.pg._relation) up_q WHERE up_q.up_oid = relation) END;
CREATE MACRO trireme_pg.pg.pg_column_is_updatable(relation, number, include_triggers) AS CASE WHEN number::VARCHAR IS NOT NULL AND include_triggers::VARCHAR IS NOT NULL THEN (
  SELECT up_q.up_kind = 'r' FROM (SELECT oid AS up_oid, relkind AS up_kind FROM trireme_pg.pg._relation) up_q WHERE up_q.up_oid = relation) END;
CREATE MACRO trireme_pg.pg.pg_index_column_has_property(index_oid, n, property) AS CASE WHEN index_oid::VARCHAR IS NOT NULL AND n::VARCHAR IS NOT NULL THEN property IN ('asc', 'orderable', 'search_array', 'search_nulls') END;
CREATE MACRO trireme_pg.pg.pg_sequence_last_value(sequence_oid, path) AS (
  SELECT sl_q.sl_value FROM (SELECT seqrelid AS sl_oid, last_value AS sl_value FROM trireme_pg.pg._sequence) sl_q WHERE sl_q.sl_oid = trireme_pg.pg._regclass(sequence_oid, path));

CREATE MACRO trireme_pg.pg._pg_expandarray(list) AS unnest(list_transform(list, lambda e, n: {'x': e, 'n': n::INTEGER}));
CREATE MACRO trireme_pg.pg.array_upper(list, dimension) AS CASE WHEN dimension = 1 THEN nullif(len(list), 0) END::INTEGER;
CREATE MACRO trireme_pg.pg.array_lower(list, dimension) AS CASE WHEN dimension = 1 AND len(list) > 0 THEN 1 END::INTEGER;
CREATE MACRO trireme_pg.pg.array_ndims(list) AS CASE WHEN len(list) > 0 THEN 1 END::INTEGER;
CREATE MACRO trireme_pg.pg.array_remove(list, value) AS list_filter(list, lambda e: e IS DISTINCT FROM value);
CREATE MACRO trireme_pg.pg._is_any(value, list) AS list_contains(list, value);
CREATE MACRO trireme_pg.pg.cardinality(list) AS len(list);
CREATE MACRO trireme_pg.pg._vector_subscripts(list, dimension) AS unnest(CASE WHEN dimension::VARCHAR IS NOT NULL THEN range(len(list)) END);
CREATE MACRO trireme_pg.pg._vector_upper(list, dimension) AS CASE WHEN dimension::VARCHAR IS NOT NULL THEN (len(list) - 1)::INTEGER END;
CREATE MACRO trireme_pg.pg._vector_lower(list, dimension) AS CASE WHEN list::VARCHAR IS NOT NULL AND dimension::VARCHAR IS NOT NULL THEN 0 END;
CREATE MACRO trireme_pg.pg.pg_is_in_recovery() AS false;
CREATE MACRO trireme_pg.pg.pg_is_wal_replay_paused() AS false;
CREATE MACRO trireme_pg.pg.pg_encoding_to_char(encoding) AS CASE encoding WHEN 6 THEN 'UTF8' WHEN 0 THEN 'SQL_ASCII' ELSE '' END;
CREATE MACRO trireme_pg.pg.pg_char_to_encoding(name) AS CASE WHEN upper(replace(name, '-', '')) = 'UTF8' THEN 6 ELSE -1 END;
CREATE MACRO trireme_pg.pg.pg_client_encoding() AS 'UTF8';
CREATE MACRO trireme_pg.pg.getdatabaseencoding() AS 'UTF8';
CREATE MACRO trireme_pg.pg.pg_my_temp_schema() AS 13001::BIGINT;
CREATE MACRO trireme_pg.pg.pg_is_other_temp_schema(o) AS CASE WHEN o::VARCHAR IS NOT NULL THEN false END;
CREATE MACRO trireme_pg.pg.inet_server_addr() AS NULL::VARCHAR;
CREATE MACRO trireme_pg.pg.inet_server_port() AS NULL::INTEGER;
CREATE MACRO trireme_pg.pg.inet_client_addr() AS NULL::VARCHAR;
CREATE MACRO trireme_pg.pg.inet_client_port() AS NULL::INTEGER;
CREATE MACRO trireme_pg.pg.txid_current() AS main.txid_current()::BIGINT;
CREATE MACRO trireme_pg.pg.pg_current_xact_id() AS main.txid_current()::BIGINT;
CREATE MACRO trireme_pg.pg.pg_collation_actual_version(o) AS CASE WHEN o::VARCHAR IS NOT NULL THEN NULL::VARCHAR END;
CREATE MACRO trireme_pg.pg.pg_stat_get_numscans(o) AS CASE WHEN o::VARCHAR IS NOT NULL THEN 0::BIGINT END;
CREATE MACRO trireme_pg.pg.acldefault(kind, owner) AS CASE WHEN kind::VARCHAR IS NOT NULL AND owner::VARCHAR IS NOT NULL THEN NULL::VARCHAR[] END;
CREATE MACRO trireme_pg.pg.pg_partition_root(relation) AS CASE WHEN relation::VARCHAR IS NOT NULL THEN NULL::BIGINT END;
CREATE MACRO trireme_pg.pg.pg_partition_tree(relation) AS TABLE
  SELECT NULL::UINTEGER AS relid, NULL::UINTEGER AS parentrelid, NULL::BOOLEAN AS isleaf, NULL::INTEGER AS level WHERE false;
CREATE MACRO trireme_pg.pg.pg_get_keywords() AS TABLE
  SELECT keyword_name AS word, CASE keyword_category WHEN 'reserved' THEN 'R' WHEN 'unreserved' THEN 'U' WHEN 'column_name' THEN 'C' ELSE 'T' END AS catcode,
    keyword_category AS catdesc FROM duckdb_keywords();
CREATE MACRO trireme_pg.pg.pg_options_to_table(options) AS TABLE
  SELECT split_part(o, '=', 1) AS option_name, substr(o, instr(o, '=') + 1) AS option_value FROM (SELECT unnest(options) AS o);
CREATE MACRO trireme_pg.pg.aclexplode(acl) AS TABLE
  SELECT NULL::UINTEGER AS grantor, NULL::UINTEGER AS grantee, NULL::VARCHAR AS privilege_type, NULL::BOOLEAN AS is_grantable WHERE false;
-- Nobody can take such a lock, so that none is held.
CREATE MACRO trireme_pg.pg.pg_advisory_unlock_all() AS NULL::VARCHAR;

CREATE MACRO trireme_pg.pg.parse_ident(name) AS trireme_pg.pg._name_parts(name::VARCHAR);
-- Of a time, in the patterns that tools ask for; others are an error.
CREATE MACRO trireme_pg.pg.to_char(value, pattern) AS CASE WHEN regexp_full_match(pattern::VARCHAR, '(YYYY|MM|DD|HH24|HH12|HH|AM|MI|SS|MS|US|TZ|Mon|Dy|[-:/., T])*')
  THEN strftime(value, replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(pattern,
    'YYYY', '%Y'), 'MM', '%m'), 'DD', '%d'), 'HH24', '%H'), 'HH12', '%I'), 'HH', '%I'), 'AM', '%p'), 'MI', '%M'), 'SS', '%S'), 'MS', '%g'), 'US', '%f'), 'TZ', '%Z'), 'Mon', '%b'), 'Dy', '%a'))
  ELSE error('0A000: to_char has no pattern "' || pattern || '": use strftime') END;
CREATE MACRO trireme_pg.pg.pg_blocking_pids(pid) AS CASE WHEN pid::VARCHAR IS NOT NULL THEN []::INTEGER[] END;
