-- Text to OID: what ::regclass and the like mean. An error begins with its SQLSTATE.
-- The name of a schema in lower case; pg_temp is the session's own of temporary objects.
CREATE MACRO trireme_pg.pg._schema_name(name) AS regexp_replace(lower(name), '^pg_temp$', 'pg_temp_1');

-- What a name of a relation stands for, with the text as it is for an error: a relation of
-- the schema that is named, or of the first in the path, and a table before an index. A
-- number is an OID, and pg_temp the session's own schema of that kind.
--
-- The argument stands here once, as in all macros that may get one which looks something
-- up: DuckDB plans what is in an argument as often as the body mentions it, and in macros
-- around macros these numbers multiply. A list of one element gives a value a name. The
-- error is raised outside of the subquery, which is evaluated for rows, too, that a CASE
-- around it leaves out. DuckDB does not describe a statement with len() of a list that has
-- a parameter in it.
CREATE MACRO trireme_pg.pg._named_relation(name, path) AS (
  SELECT {'name': any_value(fr_n.fr_text), 'oid': coalesce(TRY_CAST(any_value(fr_n.fr_text) AS BIGINT),
    arg_min(fr_q.fr_oid, CASE WHEN fr_n.fr_parts[-2] IS NOT NULL THEN 0 ELSE 2 * list_position(path, fr_q.fr_schema) END + fr_q.fr_index))}
  FROM (SELECT fr_t.fr_text, trireme_pg.pg._name_parts(fr_t.fr_text) AS fr_parts FROM (SELECT name::VARCHAR AS fr_text) fr_t) fr_n
  LEFT JOIN (SELECT oid AS fr_oid, lower_name AS fr_name, nspname AS fr_schema, (relkind = 'i')::INTEGER AS fr_index, relnamespace = 2200 AS fr_default FROM trireme_pg.pg._relation) fr_q
    ON fr_q.fr_name = lower(fr_n.fr_parts[-1])
    AND CASE WHEN fr_n.fr_parts[-2] IS NOT NULL THEN lower(fr_q.fr_schema) = trireme_pg.pg._schema_name(fr_n.fr_parts[-2]) OR fr_q.fr_default AND lower(fr_n.fr_parts[-2]) = 'main' ELSE list_contains(path, fr_q.fr_schema) END);

CREATE MACRO trireme_pg.pg.to_regclass(name, path) AS trireme_pg.pg._named_relation(name, path).oid;

CREATE MACRO trireme_pg.pg._regclass(name, path) AS list_transform([trireme_pg.pg._named_relation(name, path)], lambda fr_e:
  CASE WHEN fr_e.name IS NULL THEN NULL WHEN fr_e.name = '-' THEN 0 ELSE coalesce(fr_e.oid, error('42P01: relation "' || fr_e.name || '" does not exist')) END)[1];

CREATE MACRO trireme_pg.pg._relation_name(relation, path) AS (
  SELECT CASE WHEN list_filter(path, lambda e: list_contains(rn_q.rn_schemas, e))[1] = rn_q.rn_schema THEN rn_q.rn_name ELSE rn_q.rn_full END
  FROM (SELECT oid AS rn_oid, nspname AS rn_schema, namesakes AS rn_schemas, ident AS rn_name, full_ident AS rn_full FROM trireme_pg.pg._named) rn_q
  WHERE rn_q.rn_oid = relation);

-- The same of what is a number: of a column, for the most part.
CREATE MACRO trireme_pg.pg._regclass_oid(relation, path) AS relation::BIGINT;
CREATE MACRO trireme_pg.pg._regclass_oid_name(relation, path) AS CASE WHEN relation::BIGINT = 0 THEN '-' ELSE
  coalesce(trireme_pg.pg._relation_name(relation::BIGINT, path), relation::VARCHAR) END;

CREATE MACRO trireme_pg.pg._regclass_name(name, path) AS list_transform([(
  SELECT {'name': fr_q.fr_named.name, 'ident': trireme_pg.pg._regclass_oid_name(fr_q.fr_named.oid, path)}
  FROM (SELECT trireme_pg.pg._named_relation(name, path) AS fr_named) fr_q)], lambda fr_e:
  CASE WHEN fr_e.name IS NULL OR fr_e.name = '-' THEN fr_e.name ELSE coalesce(fr_e.ident, error('42P01: relation "' || fr_e.name || '" does not exist')) END)[1];

CREATE MACRO trireme_pg.pg._type_name(name) AS lower(trim(regexp_replace(regexp_replace(name, '\([^)]*\)', ''), '^\s*"?pg_catalog"?\.', '')));

-- What a name of a type stands for, as with relations.
CREATE MACRO trireme_pg.pg._named_type(name) AS (
  SELECT {'name': any_value(rt_n.rt_text), 'oid': coalesce(TRY_CAST(any_value(rt_n.rt_text) AS BIGINT), min(rt_q.rt_oid))}
  FROM (
    SELECT rt_t.rt_text, trireme_pg.pg._type_name(rt_t.rt_text) AS rt_plain, trireme_pg.pg._type_name(replace(rt_t.rt_text, '"', '')) AS rt_unquoted,
      CASE trireme_pg.pg._type_name(rt_t.rt_text) WHEN 'int' THEN 23 WHEN 'decimal' THEN 1700 WHEN 'float' THEN 701 WHEN 'string' THEN 25 WHEN 'blob' THEN 17
        WHEN 'timestamp' THEN 1114 WHEN 'time' THEN 1083 WHEN 'int[]' THEN 1007 END AS rt_known
    FROM (SELECT name::VARCHAR AS rt_text) rt_t
  ) rt_n
  LEFT JOIN (SELECT oid AS rt_oid, typname AS rt_name, sqlname AS rt_sqlname FROM trireme_pg.pg._type) rt_q
    ON rt_n.rt_plain IN (rt_q.rt_name, rt_q.rt_sqlname) OR lower(rt_q.rt_name) = rt_n.rt_unquoted OR rt_q.rt_oid = rt_n.rt_known);

CREATE MACRO trireme_pg.pg.to_regtype(name) AS trireme_pg.pg._named_type(name).oid;

CREATE MACRO trireme_pg.pg._regtype(name) AS list_transform([trireme_pg.pg._named_type(name)], lambda rt_e:
  CASE WHEN rt_e.name IS NULL THEN NULL WHEN rt_e.name = '-' THEN 0 ELSE coalesce(rt_e.oid, error('42704: type "' || rt_e.name || '" does not exist')) END)[1];

CREATE MACRO trireme_pg.pg.format_type(type_oid, type_mod, path) AS CASE WHEN type_oid::BIGINT IS NULL THEN NULL WHEN type_oid::BIGINT = 0 THEN '-' ELSE coalesce((
  SELECT CASE
    WHEN ft_q.ft_oid IN (1700, 1231) AND type_mod::INTEGER >= 4 THEN replace(ft_q.ft_name, 'numeric', 'numeric(' || ((type_mod::INTEGER - 4) >> 16) || ',' || ((type_mod::INTEGER - 4) & 65535) || ')')
    WHEN ft_q.ft_oid IN (1042, 1043) AND type_mod::INTEGER >= 4 THEN ft_q.ft_name || '(' || (type_mod::INTEGER - 4) || ')'
    WHEN ft_q.ft_oid = 1042 THEN 'bpchar'
    WHEN ft_q.ft_oid IN (1083, 1114, 1184, 1266) AND type_mod::INTEGER >= 0 THEN regexp_replace(ft_q.ft_name, '^(\w+)', '\1(' || type_mod::INTEGER || ')')
    WHEN ft_q.ft_oid IN (1560, 1562) AND type_mod::INTEGER > 0 THEN ft_q.ft_name || '(' || type_mod::INTEGER || ')'
    WHEN list_contains(path, ft_q.ft_schema) THEN ft_q.ft_name
    ELSE trireme_pg.pg._ident(ft_q.ft_schema) || '.' || ft_q.ft_name END
  FROM (SELECT oid AS ft_oid, sqlname AS ft_name, nspname AS ft_schema FROM trireme_pg.pg._type) ft_q
  WHERE ft_q.ft_oid = type_oid::BIGINT), '???') END;

CREATE MACRO trireme_pg.pg._regtype_name(name, path) AS list_transform([(
  SELECT {'name': rt_q.rt_named.name, 'ident': trireme_pg.pg.format_type(rt_q.rt_named.oid, -1, path)}
  FROM (SELECT trireme_pg.pg._named_type(name) AS rt_named) rt_q)], lambda rt_e:
  CASE WHEN rt_e.name IS NULL OR rt_e.name = '-' THEN rt_e.name ELSE coalesce(rt_e.ident, error('42704: type "' || rt_e.name || '" does not exist')) END)[1];
CREATE MACRO trireme_pg.pg._regtype_oid(type_oid) AS type_oid::BIGINT;
CREATE MACRO trireme_pg.pg._regtype_oid_name(type_oid, path) AS trireme_pg.pg.format_type(type_oid::BIGINT, -1, path);

CREATE MACRO trireme_pg.pg._named_schema(name) AS (
  SELECT {'name': any_value(sn_n.sn_text), 'oid': coalesce(TRY_CAST(any_value(sn_n.sn_text) AS BIGINT), min(sn_q.sn_oid))}
  FROM (SELECT sn_t.sn_text, lower(trireme_pg.pg._name_parts(sn_t.sn_text)[-1]) AS sn_lower FROM (SELECT name::VARCHAR AS sn_text) sn_t) sn_n
  LEFT JOIN (SELECT oid AS sn_oid, nspname AS sn_name FROM trireme_pg.pg._nsp) sn_q
    ON lower(sn_q.sn_name) = sn_n.sn_lower OR sn_q.sn_oid = 2200 AND sn_n.sn_lower = 'main');
CREATE MACRO trireme_pg.pg.to_regnamespace(name) AS trireme_pg.pg._named_schema(name).oid;
CREATE MACRO trireme_pg.pg._regnamespace(name) AS list_transform([trireme_pg.pg._named_schema(name)], lambda sn_e:
  CASE WHEN sn_e.name IS NOT NULL THEN coalesce(sn_e.oid, error('3F000: schema "' || sn_e.name || '" does not exist')) END)[1];
CREATE MACRO trireme_pg.pg._namespace_name(schema_oid) AS (
  SELECT so_q.so_name FROM (SELECT oid AS so_oid, trireme_pg.pg._ident(nspname) AS so_name FROM trireme_pg.pg._nsp) so_q
  WHERE so_q.so_oid = schema_oid);
CREATE MACRO trireme_pg.pg._regnamespace_oid(schema_oid) AS schema_oid::BIGINT;
CREATE MACRO trireme_pg.pg._regnamespace_oid_name(schema_oid) AS coalesce(trireme_pg.pg._namespace_name(schema_oid::BIGINT), schema_oid::VARCHAR);
CREATE MACRO trireme_pg.pg._regnamespace_name(name) AS list_transform([(
  SELECT {'name': sn_q.sn_named.name, 'ident': trireme_pg.pg._regnamespace_oid_name(sn_q.sn_named.oid)}
  FROM (SELECT trireme_pg.pg._named_schema(name) AS sn_named) sn_q)], lambda sn_e:
  CASE WHEN sn_e.name IS NOT NULL THEN coalesce(sn_e.ident, error('3F000: schema "' || sn_e.name || '" does not exist')) END)[1];

CREATE MACRO trireme_pg.pg.to_regrole(name) AS trireme_role_oid(name::VARCHAR)::BIGINT;
CREATE MACRO trireme_pg.pg._regrole(name) AS CASE WHEN name::VARCHAR IS NULL THEN NULL ELSE
  coalesce(trireme_pg.pg.to_regrole(name), error('42704: role "' || name::VARCHAR || '" does not exist')) END;
CREATE MACRO trireme_pg.pg._regrole_name(name) AS coalesce(trireme_role_name(name::VARCHAR),
  CASE WHEN TRY_CAST(name::VARCHAR AS BIGINT) IS NOT NULL THEN name::VARCHAR ELSE trireme_pg.pg._regrole(name)::VARCHAR END);
