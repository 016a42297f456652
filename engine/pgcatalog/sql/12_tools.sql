-- What tools ask for beside the catalog: counters that nobody counts here, and nothing
-- of what there is none of.
CREATE VIEW trireme_pg.pg.pg_stat_activity AS
SELECT d.oid AS datid, a.datname, a.pid, NULL::INTEGER AS leader_pid, r.oid AS usesysid, a.usename, a.application_name, a.client_addr,
  NULL::VARCHAR AS client_hostname, a.client_port, a.backend_start, a.xact_start, a.query_start, a.state_change, a.wait_event_type, a.wait_event,
  a.state, NULL::BIGINT AS backend_xid, NULL::BIGINT AS backend_xmin, a.query_id, a.query, a.backend_type, a.backend
FROM pg_stat_activity() a
LEFT JOIN trireme_pg.pg.pg_database d ON d.datname = a.datname
LEFT JOIN trireme_pg.pg.pg_roles r ON r.rolname = a.usename;
CREATE VIEW trireme_pg.pg.pg_statio_all_tables AS
SELECT oid AS relid, nspname AS schemaname, relname, 0::BIGINT AS heap_blks_read, 0::BIGINT AS heap_blks_hit, 0::BIGINT AS idx_blks_read,
  0::BIGINT AS idx_blks_hit, 0::BIGINT AS toast_blks_read, 0::BIGINT AS toast_blks_hit, 0::BIGINT AS tidx_blks_read, 0::BIGINT AS tidx_blks_hit
FROM trireme_pg.pg._relation WHERE relkind = 'r';
CREATE VIEW trireme_pg.pg.pg_statio_user_tables AS
SELECT * FROM trireme_pg.pg.pg_statio_all_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema');
CREATE VIEW trireme_pg.pg.pg_stat_all_indexes AS
SELECT i.indrelid AS relid, i.indexrelid, r.nspname AS schemaname, r.table_name AS relname, r.relname AS indexrelname, 0::BIGINT AS idx_scan,
  0::BIGINT AS idx_tup_read, 0::BIGINT AS idx_tup_fetch
FROM trireme_pg.pg.pg_index i JOIN trireme_pg.pg._relation r ON r.oid = i.indexrelid;
CREATE VIEW trireme_pg.pg.pg_stat_user_indexes AS SELECT * FROM trireme_pg.pg.pg_stat_all_indexes;
CREATE VIEW trireme_pg.pg.pg_statio_all_indexes AS
SELECT relid, indexrelid, schemaname, relname, indexrelname, 0::BIGINT AS idx_blks_read, 0::BIGINT AS idx_blks_hit FROM trireme_pg.pg.pg_stat_all_indexes;
CREATE VIEW trireme_pg.pg.pg_statio_user_indexes AS SELECT * FROM trireme_pg.pg.pg_statio_all_indexes;
CREATE VIEW trireme_pg.pg.pg_statio_all_sequences AS
SELECT oid AS relid, nspname AS schemaname, relname, 0::BIGINT AS blks_read, 0::BIGINT AS blks_hit FROM trireme_pg.pg._relation WHERE relkind = 'S';
CREATE VIEW trireme_pg.pg.pg_statio_user_sequences AS SELECT * FROM trireme_pg.pg.pg_statio_all_sequences;
CREATE TABLE trireme_pg.pg.pg_stat_user_functions(funcid UINTEGER, schemaname VARCHAR, funcname VARCHAR, calls BIGINT, total_time DOUBLE, self_time DOUBLE);
CREATE TABLE trireme_pg.pg.pg_stat_subscription(subid UINTEGER, subname VARCHAR, pid INTEGER, relid UINTEGER, received_lsn VARCHAR, last_msg_send_time TIMESTAMPTZ, last_msg_receipt_time TIMESTAMPTZ, latest_end_lsn VARCHAR, latest_end_time TIMESTAMPTZ);
CREATE MACRO trireme_pg.pg.pg_available_extensions() AS TABLE SELECT name, default_version, comment FROM trireme_pg.pg.pg_available_extensions;

-- aclexplode in a select list, where its rows are composite values.
CREATE MACRO trireme_pg.pg._aclexplode(acl) AS unnest(CASE WHEN acl::VARCHAR IS NOT NULL THEN [] END::STRUCT(grantor UINTEGER, grantee UINTEGER, privilege_type VARCHAR, is_grantable BOOLEAN)[]);
CREATE MACRO trireme_pg.pg.bpchar(value) AS value::VARCHAR;
-- The part of a text that a pattern, or its first group, matches.
CREATE MACRO trireme_pg.pg._substring(value, pattern) AS CASE WHEN regexp_matches(value::VARCHAR, pattern) THEN regexp_extract(value::VARCHAR, pattern) END;
CREATE MACRO trireme_pg.pg._subgroup(value, pattern) AS CASE WHEN regexp_matches(value::VARCHAR, pattern) THEN regexp_extract(value::VARCHAR, pattern, 1) END;
CREATE MACRO trireme_pg.pg._encode(data, format) AS CASE format WHEN 'hex' THEN lower(hex(data)) WHEN 'base64' THEN to_base64(data) ELSE data::VARCHAR END;
-- The names of the types of a list.
CREATE MACRO trireme_pg.pg._type_names(types) AS (
  SELECT list_transform(tn_types, lambda e: tn_names[e]) FROM (SELECT types AS tn_types) tn_q, (SELECT map_from_entries(list((oid, sqlname))) AS tn_names FROM trireme_pg.pg._type) tn_r);
CREATE MACRO trireme_pg.pg.oidvectortypes(types) AS array_to_string(trireme_pg.pg._type_names(types), ', ');
CREATE VIEW trireme_pg.pg.pg_rewrite AS
SELECT trireme_pg.pg._rule_oid(oid) AS oid, '_RETURN' AS rulename, oid AS ev_class, '1' AS ev_type, 'O' AS ev_enabled,
  true AS is_instead, '<>' AS ev_qual, NULL::VARCHAR AS ev_action
FROM trireme_pg.pg._relation WHERE relkind = 'v' AND database_name <> 'trireme_pg';

-- The relations with the words for what they are.
CREATE VIEW trireme_pg.pg._kind AS
SELECT *, CASE relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' WHEN 'i' THEN 'index' ELSE 'sequence' END AS kind FROM trireme_pg.pg._relation;

-- What objects are called, of the catalogs whose objects depend on others. Before the
-- name of relation, or of a part of it, stands head; short is the name of what is none.
CREATE VIEW trireme_pg.pg._identity AS
SELECT 1259 AS classid, oid AS objid, 0 AS objsubid, kind, nspname AS schema_name, ident AS name, full_ident AS identity, kind || ' ' AS head,
  oid AS relation, NULL::VARCHAR AS short
FROM trireme_pg.pg._kind
UNION ALL
SELECT 1259, r.oid, c.column_index, r.kind || ' column', r.nspname, r.ident, r.full_ident || '.' || trireme_pg.pg._ident(c.column_name),
  'column ' || trireme_pg.pg._ident(c.column_name) || ' of ' || r.kind || ' ', r.oid, NULL
FROM trireme_pg.pg._column c JOIN trireme_pg.pg._kind r ON r.oid = c.attrelid
UNION ALL
SELECT 1247, oid, 0, 'type', nspname, trireme_pg.pg._ident(typname), CASE nspname WHEN 'pg_catalog' THEN '' ELSE trireme_pg.pg._ident(nspname) || '.' END || sqlname,
  'type ', NULL, sqlname
FROM trireme_pg.pg._type
UNION ALL
SELECT 2615, oid, 0, 'schema', NULL, trireme_pg.pg._ident(nspname), trireme_pg.pg._ident(nspname), 'schema ', NULL, trireme_pg.pg._ident(nspname)
FROM trireme_pg.pg._nsp
UNION ALL
SELECT 2606, c.oid, 0, 'table constraint', r.nspname, NULL, trireme_pg.pg._ident(c.conname) || ' on ' || r.full_ident,
  'constraint ' || trireme_pg.pg._ident(c.conname) || ' on table ', r.oid, NULL
FROM trireme_pg.pg.pg_constraint c JOIN trireme_pg.pg._relation r ON r.oid = c.conrelid
UNION ALL
SELECT 2604, d.oid, 0, 'default value', NULL, NULL, 'for ' || r.full_ident || '.' || trireme_pg.pg._ident(c.column_name),
  'default value for column ' || trireme_pg.pg._ident(c.column_name) || ' of table ', r.oid, NULL
FROM trireme_pg.pg.pg_attrdef d JOIN trireme_pg.pg._column c ON c.attrelid = d.adrelid AND c.column_index = d.adnum
JOIN trireme_pg.pg._relation r ON r.oid = d.adrelid;

CREATE MACRO trireme_pg.pg.pg_identify_object(class, object, part) AS (
  SELECT {'type': io_q.io_kind, 'schema': io_q.io_schema, 'name': io_q.io_name, 'identity': io_q.io_identity}
  FROM (SELECT classid AS io_class, objid AS io_object, objsubid AS io_part, kind AS io_kind, schema_name AS io_schema, name AS io_name, identity AS io_identity
    FROM trireme_pg.pg._identity) io_q
  WHERE io_q.io_class = class::BIGINT AND io_q.io_object = object::BIGINT AND io_q.io_part = part::BIGINT);

CREATE MACRO trireme_pg.pg.pg_describe_object(class, object, part, path) AS (
  SELECT do_q.do_head || CASE WHEN do_q.do_relation IS NOT NULL THEN trireme_pg.pg._relation_name(do_q.do_relation, path)
    WHEN do_q.do_schema IS NULL OR list_contains(path, do_q.do_schema) THEN do_q.do_short ELSE do_q.do_identity END
  FROM (SELECT classid AS do_class, objid AS do_object, objsubid AS do_part, head AS do_head, relation AS do_relation, schema_name AS do_schema, short AS do_short,
    identity AS do_identity FROM trireme_pg.pg._identity) do_q
  WHERE do_q.do_class = class::BIGINT AND do_q.do_object = object::BIGINT AND do_q.do_part = part::BIGINT);

CREATE TABLE trireme_pg.info.routine_privileges(grantor VARCHAR, grantee VARCHAR, specific_catalog VARCHAR, specific_schema VARCHAR, specific_name VARCHAR, routine_catalog VARCHAR, routine_schema VARCHAR, routine_name VARCHAR, privilege_type VARCHAR, is_grantable VARCHAR);
