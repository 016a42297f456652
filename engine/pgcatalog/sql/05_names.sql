-- Text to OID: what ::regclass and the like mean. An error begins with its SQLSTATE.
CREATE MACRO trireme_pg.pg._name_parts(name) AS
  list_transform(regexp_extract_all(name, '"(?:[^"]|"")*"|[^."]+'), lambda e: CASE WHEN e LIKE '"%"' THEN replace(e[2:-2], '""', '"') ELSE lower(trim(e)) END);

-- DuckDB does not describe a statement with len() of a list that has a parameter in it.
CREATE MACRO trireme_pg.pg._find_relation(parts) AS (
  SELECT fr_q.fr_oid FROM (
    SELECT oid AS fr_oid, relname AS fr_name, nspname AS fr_schema, relkind AS fr_kind FROM trireme_pg.pg._relation
  ) fr_q
  WHERE lower(fr_q.fr_name) = lower(parts[-1])
    AND (CASE WHEN parts[-2] IS NOT NULL THEN lower(fr_q.fr_schema) = lower(parts[-2])
      ELSE fr_q.fr_schema IN ('pg_temp', 'pg_catalog') OR list_contains(main.current_schemas(false), fr_q.fr_schema) END)
  ORDER BY fr_q.fr_schema <> 'pg_temp', fr_q.fr_schema <> 'pg_catalog', list_position(main.current_schemas(false), fr_q.fr_schema), fr_q.fr_kind = 'i' LIMIT 1);

CREATE MACRO trireme_pg.pg.to_regclass(name) AS
  coalesce(TRY_CAST(name::VARCHAR AS BIGINT), trireme_pg.pg._find_relation(trireme_pg.pg._name_parts(name::VARCHAR)));

CREATE MACRO trireme_pg.pg._regclass(name) AS CASE WHEN name::VARCHAR IS NULL THEN NULL WHEN name::VARCHAR = '-' THEN 0 ELSE
  coalesce(trireme_pg.pg.to_regclass(name), error('42P01: relation "' || name::VARCHAR || '" does not exist')) END;

CREATE MACRO trireme_pg.pg._regclass_name(name) AS CASE WHEN trireme_pg.pg._regclass(name) = 0 THEN '-' ELSE coalesce((
  SELECT rn_q.rn_text FROM (
    SELECT oid AS rn_oid, CASE WHEN list_contains(['pg_catalog', 'pg_temp'] || main.current_schemas(false), nspname) THEN '' ELSE trireme_pg.pg._ident_list([nspname]) || '.' END
      || trireme_pg.pg._ident_list([relname]) AS rn_text
    FROM trireme_pg.pg._relation
  ) rn_q WHERE rn_q.rn_oid = trireme_pg.pg._regclass(name)), name::VARCHAR) END;

CREATE MACRO trireme_pg.pg._type_name(name) AS lower(trim(regexp_replace(regexp_replace(name, '\([^)]*\)', ''), '^\s*"?pg_catalog"?\.', '')));

CREATE MACRO trireme_pg.pg.to_regtype(name) AS coalesce(TRY_CAST(name::VARCHAR AS BIGINT), (
  SELECT rt_q.rt_oid FROM (SELECT oid AS rt_oid, typname AS rt_name, sqlname AS rt_sqlname FROM trireme_pg.pg._type) rt_q
  WHERE trireme_pg.pg._type_name(name::VARCHAR) IN (rt_q.rt_name, rt_q.rt_sqlname)
    OR lower(rt_q.rt_name) = trireme_pg.pg._type_name(replace(name::VARCHAR, '"', ''))
    OR rt_q.rt_oid = CASE trireme_pg.pg._type_name(name::VARCHAR) WHEN 'int' THEN 23 WHEN 'decimal' THEN 1700 WHEN 'float' THEN 701 WHEN 'string' THEN 25 WHEN 'blob' THEN 17
      WHEN 'timestamp' THEN 1114 WHEN 'time' THEN 1083 WHEN 'int[]' THEN 1007 END
  ORDER BY rt_q.rt_oid LIMIT 1));

CREATE MACRO trireme_pg.pg._regtype(name) AS CASE WHEN name::VARCHAR IS NULL THEN NULL WHEN name::VARCHAR = '-' THEN 0 ELSE
  coalesce(trireme_pg.pg.to_regtype(name), error('42704: type "' || name::VARCHAR || '" does not exist')) END;

CREATE MACRO trireme_pg.pg.format_type(type_oid, type_mod) AS CASE WHEN type_oid::BIGINT IS NULL THEN NULL WHEN type_oid::BIGINT = 0 THEN '-' ELSE coalesce((
  SELECT CASE
    WHEN ft_q.ft_oid IN (1700, 1231) AND type_mod::INTEGER >= 4 THEN replace(ft_q.ft_name, 'numeric', 'numeric(' || ((type_mod::INTEGER - 4) >> 16) || ',' || ((type_mod::INTEGER - 4) & 65535) || ')')
    WHEN ft_q.ft_oid IN (1042, 1043) AND type_mod::INTEGER >= 4 THEN ft_q.ft_name || '(' || (type_mod::INTEGER - 4) || ')'
    WHEN ft_q.ft_oid = 1042 THEN 'bpchar'
    ELSE ft_q.ft_schema || ft_q.ft_name END
  FROM (
    SELECT oid AS ft_oid, sqlname AS ft_name,
      CASE WHEN nspname = 'pg_catalog' OR list_contains(main.current_schemas(false), nspname) THEN '' ELSE trireme_pg.pg._ident_list([nspname]) || '.' END AS ft_schema
    FROM trireme_pg.pg._type
  ) ft_q WHERE ft_q.ft_oid = type_oid::BIGINT), '???') END;

CREATE MACRO trireme_pg.pg._regtype_name(name) AS trireme_pg.pg.format_type(trireme_pg.pg._regtype(name), -1);

CREATE MACRO trireme_pg.pg.to_regnamespace(name) AS coalesce(TRY_CAST(name::VARCHAR AS BIGINT), (
  SELECT sn_q.sn_oid FROM (SELECT oid AS sn_oid, nspname AS sn_name FROM trireme_pg.pg._schema) sn_q
  WHERE lower(sn_q.sn_name) = lower(trireme_pg.pg._name_parts(name::VARCHAR)[-1])));
CREATE MACRO trireme_pg.pg._regnamespace(name) AS CASE WHEN name::VARCHAR IS NULL THEN NULL ELSE
  coalesce(trireme_pg.pg.to_regnamespace(name), error('3F000: schema "' || name::VARCHAR || '" does not exist')) END;
CREATE MACRO trireme_pg.pg._regnamespace_name(name) AS coalesce((
  SELECT so_q.so_name FROM (SELECT oid AS so_oid, trireme_pg.pg._ident_list([nspname]) AS so_name FROM trireme_pg.pg._schema) so_q
  WHERE so_q.so_oid = trireme_pg.pg._regnamespace(name)), name::VARCHAR);

CREATE MACRO trireme_pg.pg.to_regrole(name) AS trireme_role_oid(name::VARCHAR)::BIGINT;
CREATE MACRO trireme_pg.pg._regrole(name) AS CASE WHEN name::VARCHAR IS NULL THEN NULL ELSE
  coalesce(trireme_pg.pg.to_regrole(name), error('42704: role "' || name::VARCHAR || '" does not exist')) END;
CREATE MACRO trireme_pg.pg._regrole_name(name) AS coalesce(trireme_role_name(name::VARCHAR),
  CASE WHEN TRY_CAST(name::VARCHAR AS BIGINT) IS NOT NULL THEN name::VARCHAR ELSE trireme_pg.pg._regrole(name)::VARCHAR END);
CREATE MACRO trireme_pg.pg._base_name(type_oid) AS (
  SELECT bn_q.bn_name FROM (SELECT oid AS bn_oid, sqlname AS bn_name FROM trireme_pg.pg._type) bn_q WHERE bn_q.bn_oid = type_oid);
