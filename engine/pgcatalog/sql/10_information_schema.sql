-- information_schema as Postgres has it: its types, its names of types. The catalog
-- is the served database.
CREATE VIEW trireme_pg.info.information_schema_catalog_name AS SELECT 'trireme' AS catalog_name;

CREATE VIEW trireme_pg.info.schemata AS
SELECT 'trireme' AS catalog_name, nspname AS schema_name, 'trireme' AS schema_owner, NULL::VARCHAR AS default_character_set_catalog,
  NULL::VARCHAR AS default_character_set_schema, NULL::VARCHAR AS default_character_set_name, NULL::VARCHAR AS sql_path
FROM trireme_pg.pg._nsp;

CREATE VIEW trireme_pg.info.tables AS
SELECT 'trireme' AS table_catalog, nspname AS table_schema, relname AS table_name,
  CASE WHEN relkind = 'v' THEN 'VIEW' WHEN database_name = 'temp' THEN 'LOCAL TEMPORARY' ELSE 'BASE TABLE' END AS table_type,
  NULL::VARCHAR AS self_referencing_column_name, NULL::VARCHAR AS reference_generation, NULL::VARCHAR AS user_defined_type_catalog,
  NULL::VARCHAR AS user_defined_type_schema, NULL::VARCHAR AS user_defined_type_name,
  CASE WHEN relkind = 'r' THEN 'YES' ELSE 'NO' END AS is_insertable_into, 'NO' AS is_typed, NULL::VARCHAR AS commit_action
FROM trireme_pg.pg._relation WHERE relkind IN ('r', 'v');

CREATE VIEW trireme_pg.info.columns AS
SELECT 'trireme' AS table_catalog, c.nspname AS table_schema, c.table_name, c.column_name, c.column_index::INTEGER AS ordinal_position,
  CASE WHEN NOT c.is_generated THEN trireme_expression_text(c.column_default, 'public') END AS column_default, CASE WHEN c.is_nullable THEN 'YES' ELSE 'NO' END AS is_nullable,
  CASE t.typcategory WHEN 'A' THEN 'ARRAY' WHEN 'E' THEN 'USER-DEFINED' ELSE t.sqlname END AS data_type,
  CASE WHEN t.oid IN (1042, 1043) AND c.type_mod > 4 THEN c.type_mod - 4 WHEN t.oid IN (1560, 1562) AND c.type_mod > 0 THEN c.type_mod END::INTEGER AS character_maximum_length,
  CASE WHEN t.oid IN (25, 1042, 1043) THEN CASE WHEN c.type_mod > 4 THEN 4 * (c.type_mod - 4) ELSE 1073741824 END END::INTEGER AS character_octet_length,
  CASE t.oid WHEN 21 THEN 16 WHEN 23 THEN 32 WHEN 20 THEN 64 WHEN 700 THEN 24 WHEN 701 THEN 53
    WHEN 1700 THEN CASE WHEN c.type_mod > 0 THEN (c.type_mod - 4) >> 16 END END::INTEGER AS numeric_precision,
  CASE WHEN t.oid IN (20, 21, 23, 700, 701) THEN 2 WHEN t.oid = 1700 THEN 10 END::INTEGER AS numeric_precision_radix,
  CASE WHEN t.oid IN (20, 21, 23) THEN 0 WHEN t.oid = 1700 AND c.type_mod > 0 THEN (c.type_mod - 4) & 65535 END::INTEGER AS numeric_scale,
  CASE WHEN t.oid = 1082 THEN 0 WHEN t.typcategory IN ('D', 'T') THEN CASE WHEN c.type_mod >= 0 THEN c.type_mod ELSE 6 END END::INTEGER AS datetime_precision, NULL::VARCHAR AS interval_type,
  NULL::INTEGER AS interval_precision, NULL::VARCHAR AS character_set_catalog, NULL::VARCHAR AS character_set_schema,
  NULL::VARCHAR AS character_set_name, NULL::VARCHAR AS collation_catalog, NULL::VARCHAR AS collation_schema, NULL::VARCHAR AS collation_name,
  NULL::VARCHAR AS domain_catalog, NULL::VARCHAR AS domain_schema, NULL::VARCHAR AS domain_name, 'trireme' AS udt_catalog, t.nspname AS udt_schema,
  t.typname AS udt_name, NULL::VARCHAR AS scope_catalog, NULL::VARCHAR AS scope_schema, NULL::VARCHAR AS scope_name,
  NULL::INTEGER AS maximum_cardinality, c.column_index::VARCHAR AS dtd_identifier, 'NO' AS is_self_referencing, 'NO' AS is_identity,
  NULL::VARCHAR AS identity_generation, NULL::VARCHAR AS identity_start, NULL::VARCHAR AS identity_increment, NULL::VARCHAR AS identity_maximum,
  NULL::VARCHAR AS identity_minimum, 'NO' AS identity_cycle, CASE WHEN c.is_generated THEN 'ALWAYS' ELSE 'NEVER' END AS is_generated,
  CASE WHEN c.is_generated THEN trireme_expression_text(c.column_default, 'public') END AS generation_expression, CASE WHEN c.relkind = 'r' THEN 'YES' ELSE 'NO' END AS is_updatable
FROM (
  SELECT c.*, r.nspname, r.relkind
  FROM trireme_pg.pg._column c JOIN trireme_pg.pg._relation r ON r.oid = c.attrelid
) c
JOIN trireme_pg.pg._type t ON t.oid = c.type_oid;

CREATE VIEW trireme_pg.info.views AS
SELECT 'trireme' AS table_catalog, nspname AS table_schema, relname AS table_name, trireme_view_text(trireme_pg.pg._view_body(sql), schema_name, 'public') AS view_definition,
  'NONE' AS check_option, 'NO' AS is_updatable, 'NO' AS is_insertable_into, 'NO' AS is_trigger_updatable, 'NO' AS is_trigger_deletable,
  'NO' AS is_trigger_insertable_into
FROM trireme_pg.pg._relation WHERE relkind = 'v';

CREATE VIEW trireme_pg.info.sequences AS
SELECT 'trireme' AS sequence_catalog, schemaname AS sequence_schema, sequencename AS sequence_name, data_type, 64::INTEGER AS numeric_precision,
  2::INTEGER AS numeric_precision_radix, 0::INTEGER AS numeric_scale, start_value::VARCHAR AS start_value, min_value::VARCHAR AS minimum_value,
  max_value::VARCHAR AS maximum_value, increment_by::VARCHAR AS "increment", CASE WHEN cycle THEN 'YES' ELSE 'NO' END AS cycle_option
FROM trireme_pg.pg.pg_sequences;

CREATE VIEW trireme_pg.info.table_constraints AS
SELECT 'trireme' AS constraint_catalog, n.nspname AS constraint_schema, c.constraint_name, 'trireme' AS table_catalog, n.nspname AS table_schema,
  c.table_name, c.constraint_type, 'NO' AS is_deferrable, 'NO' AS initially_deferred, 'YES' AS enforced, 'YES' AS nulls_distinct
FROM trireme_pg.pg._constraint c JOIN trireme_pg.pg._nsp n ON n.oid = c.relnamespace;

CREATE VIEW trireme_pg.info.key_column_usage AS
SELECT 'trireme' AS constraint_catalog, c.nspname AS constraint_schema, c.constraint_name, 'trireme' AS table_catalog, c.nspname AS table_schema,
  c.table_name, c.column_name, c.n::INTEGER AS ordinal_position, CASE WHEN c.constraint_type = 'FOREIGN KEY' THEN c.n END::INTEGER AS position_in_unique_constraint
FROM (
  SELECT s.nspname, c.constraint_name, c.constraint_type, c.table_name, unnest(c.constraint_column_names) AS column_name,
    generate_subscripts(c.constraint_column_names, 1) AS n
  FROM trireme_pg.pg._constraint c JOIN trireme_pg.pg._nsp s ON s.oid = c.relnamespace WHERE c.contype IN ('p', 'u', 'f')
) c;

CREATE VIEW trireme_pg.info.referential_constraints AS
SELECT 'trireme' AS constraint_catalog, n.nspname AS constraint_schema, c.conname AS constraint_name, 'trireme' AS unique_constraint_catalog,
  n.nspname AS unique_constraint_schema, i.relname AS unique_constraint_name, 'NONE' AS match_option, 'NO ACTION' AS update_rule, 'NO ACTION' AS delete_rule
FROM trireme_pg.pg.pg_constraint c JOIN trireme_pg.pg._nsp n ON n.oid = c.connamespace
LEFT JOIN trireme_pg.pg._relation i ON i.oid = c.conindid WHERE c.contype = 'f';

CREATE VIEW trireme_pg.info.constraint_column_usage AS
SELECT 'trireme' AS table_catalog, n.nspname AS table_schema, c.t AS table_name, c.column_name, 'trireme' AS constraint_catalog,
  n.nspname AS constraint_schema, c.constraint_name
FROM (
  SELECT relnamespace, constraint_name, CASE contype WHEN 'f' THEN referenced_table ELSE table_name END AS t,
    unnest(CASE contype WHEN 'f' THEN referenced_column_names ELSE constraint_column_names END) AS column_name
  FROM trireme_pg.pg._constraint
) c JOIN trireme_pg.pg._nsp n ON n.oid = c.relnamespace;

CREATE VIEW trireme_pg.info.constraint_table_usage AS
SELECT DISTINCT table_catalog, table_schema, table_name, constraint_catalog, constraint_schema, constraint_name
FROM trireme_pg.info.constraint_column_usage;

CREATE VIEW trireme_pg.info.check_constraints AS
SELECT 'trireme' AS constraint_catalog, n.nspname AS constraint_schema, c.constraint_name, trireme_expression_text(c.expression, 'public') AS check_clause
FROM trireme_pg.pg._constraint c JOIN trireme_pg.pg._nsp n ON n.oid = c.relnamespace WHERE c.contype = 'c';

CREATE VIEW trireme_pg.info.routines AS
SELECT 'trireme' AS specific_catalog, n.nspname AS specific_schema, p.proname || '_' || p.oid AS specific_name, 'trireme' AS routine_catalog,
  n.nspname AS routine_schema, p.proname AS routine_name, 'FUNCTION' AS routine_type, t.sqlname AS data_type, t.nspname AS type_udt_schema,
  t.typname AS type_udt_name, NULL::INTEGER AS character_maximum_length, NULL::INTEGER AS numeric_precision, NULL::INTEGER AS numeric_scale,
  CASE WHEN p.prolang = 14 THEN 'SQL' ELSE 'EXTERNAL' END AS routine_body,
  CASE WHEN p.prolang = 14 THEN p.prosrc END AS routine_definition, CASE WHEN p.prolang = 14 THEN 'SQL' ELSE 'INTERNAL' END AS external_language,
  CASE WHEN p.provolatile = 'i' THEN 'YES' ELSE 'NO' END AS is_deterministic, 'MODIFIES' AS sql_data_access, 'INVOKER' AS security_type
FROM trireme_pg.pg.pg_proc p JOIN trireme_pg.pg._nsp n ON n.oid = p.pronamespace JOIN trireme_pg.pg._type t ON t.oid = p.prorettype
WHERE p.prokind = 'f';

CREATE VIEW trireme_pg.info.parameters AS
SELECT 'trireme' AS specific_catalog, p.nspname AS specific_schema, p.specific_name, p.n::INTEGER AS ordinal_position, 'IN' AS parameter_mode,
  'NO' AS is_result, 'NO' AS as_locator, p.parameter_name, t.sqlname AS data_type, t.nspname AS udt_schema, t.typname AS udt_name
FROM (
  SELECT n.nspname, p.proname || '_' || p.oid AS specific_name, unnest(p.proargnames) AS parameter_name, unnest(p.proargtypes) AS type_oid,
    generate_subscripts(p.proargnames, 1) AS n
  FROM trireme_pg.pg.pg_proc p JOIN trireme_pg.pg._nsp n ON n.oid = p.pronamespace
) p JOIN trireme_pg.pg._type t ON t.oid = p.type_oid;

CREATE VIEW trireme_pg.info.character_sets AS
SELECT NULL::VARCHAR AS character_set_catalog, NULL::VARCHAR AS character_set_schema, 'UTF8' AS character_set_name, 'UCS' AS character_repertoire,
  'UTF8' AS form_of_use, 'trireme' AS default_collate_catalog, 'pg_catalog' AS default_collate_schema, 'C' AS default_collate_name;

CREATE VIEW trireme_pg.info.collations AS
SELECT 'trireme' AS collation_catalog, 'pg_catalog' AS collation_schema, collname AS collation_name, 'NO PAD' AS pad_attribute
FROM trireme_pg.pg.pg_collation WHERE collname <> 'default';

CREATE VIEW trireme_pg.info.enabled_roles AS
SELECT rolname AS role_name FROM trireme_roles() WHERE trireme_has_role(rolname, 'USAGE')::BOOLEAN;
CREATE VIEW trireme_pg.info.applicable_roles AS
SELECT m.rolname AS grantee, g.rolname AS role_name, 'NO' AS is_grantable
FROM trireme_memberships() JOIN trireme_roles() AS g ON g.oid = roleid JOIN trireme_roles() AS m ON m.oid = member
WHERE trireme_has_role(m.rolname, 'USAGE')::BOOLEAN;
CREATE VIEW trireme_pg.info.administrable_role_authorizations AS SELECT * FROM trireme_pg.info.applicable_roles WHERE is_grantable = 'YES';

CREATE VIEW trireme_pg.info.table_privileges AS
SELECT 'trireme' AS grantor, 'trireme' AS grantee, 'trireme' AS table_catalog, table_schema, table_name, p.privilege_type, 'YES' AS is_grantable,
  CASE p.privilege_type WHEN 'SELECT' THEN 'YES' ELSE 'NO' END AS with_hierarchy
FROM trireme_pg.info.tables, (VALUES ('INSERT'), ('SELECT'), ('UPDATE'), ('DELETE'), ('TRUNCATE'), ('REFERENCES')) AS p(privilege_type);

CREATE VIEW trireme_pg.info.role_table_grants AS SELECT * FROM trireme_pg.info.table_privileges;

CREATE TABLE trireme_pg.info.domains(domain_catalog VARCHAR, domain_schema VARCHAR, domain_name VARCHAR, data_type VARCHAR, domain_default VARCHAR, udt_schema VARCHAR, udt_name VARCHAR);
CREATE TABLE trireme_pg.info.domain_constraints(constraint_catalog VARCHAR, constraint_schema VARCHAR, constraint_name VARCHAR, domain_catalog VARCHAR, domain_schema VARCHAR, domain_name VARCHAR, is_deferrable VARCHAR, initially_deferred VARCHAR);
CREATE TABLE trireme_pg.info.element_types(object_catalog VARCHAR, object_schema VARCHAR, object_name VARCHAR, object_type VARCHAR, collection_type_identifier VARCHAR, data_type VARCHAR, udt_schema VARCHAR, udt_name VARCHAR);
CREATE TABLE trireme_pg.info.triggers(trigger_catalog VARCHAR, trigger_schema VARCHAR, trigger_name VARCHAR, event_manipulation VARCHAR, event_object_catalog VARCHAR, event_object_schema VARCHAR, event_object_table VARCHAR, action_order INTEGER, action_condition VARCHAR, action_statement VARCHAR, action_orientation VARCHAR, action_timing VARCHAR);
CREATE TABLE trireme_pg.info.user_defined_types(user_defined_type_catalog VARCHAR, user_defined_type_schema VARCHAR, user_defined_type_name VARCHAR, user_defined_type_category VARCHAR, is_instantiable VARCHAR, is_final VARCHAR);
CREATE TABLE trireme_pg.info.view_table_usage(view_catalog VARCHAR, view_schema VARCHAR, view_name VARCHAR, table_catalog VARCHAR, table_schema VARCHAR, table_name VARCHAR);
CREATE TABLE trireme_pg.info.view_column_usage(view_catalog VARCHAR, view_schema VARCHAR, view_name VARCHAR, table_catalog VARCHAR, table_schema VARCHAR, table_name VARCHAR, column_name VARCHAR);
CREATE TABLE trireme_pg.info.column_privileges(grantor VARCHAR, grantee VARCHAR, table_catalog VARCHAR, table_schema VARCHAR, table_name VARCHAR, column_name VARCHAR, privilege_type VARCHAR, is_grantable VARCHAR);
