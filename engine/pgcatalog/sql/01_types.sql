-- Postgres' types with its OIDs. typcategory, typalign and the rest as in its catalog.
CREATE TABLE trireme_pg.pg._base_type AS
SELECT * FROM (VALUES
  (16, 'bool', 1, true, 'b', 'B', 0, 1000, 'c', 'p', 'boolean'),
  (17, 'bytea', -1, false, 'b', 'U', 0, 1001, 'i', 'x', 'bytea'),
  (18, 'char', 1, true, 'b', 'Z', 0, 1002, 'c', 'p', '"char"'),
  (19, 'name', 64, false, 'b', 'S', 18, 1003, 'c', 'p', 'name'),
  (20, 'int8', 8, true, 'b', 'N', 0, 1016, 'd', 'p', 'bigint'),
  (21, 'int2', 2, true, 'b', 'N', 0, 1005, 's', 'p', 'smallint'),
  (22, 'int2vector', -1, false, 'b', 'A', 21, 1006, 'i', 'p', 'int2vector'),
  (23, 'int4', 4, true, 'b', 'N', 0, 1007, 'i', 'p', 'integer'),
  (24, 'regproc', 4, true, 'b', 'N', 0, 1008, 'i', 'p', 'regproc'),
  (25, 'text', -1, false, 'b', 'S', 0, 1009, 'i', 'x', 'text'),
  (26, 'oid', 4, true, 'b', 'N', 0, 1028, 'i', 'p', 'oid'),
  (27, 'tid', 6, false, 'b', 'U', 0, 1010, 's', 'p', 'tid'),
  (28, 'xid', 4, true, 'b', 'U', 0, 1011, 'i', 'p', 'xid'),
  (29, 'cid', 4, true, 'b', 'U', 0, 1012, 'i', 'p', 'cid'),
  (30, 'oidvector', -1, false, 'b', 'A', 26, 1013, 'i', 'p', 'oidvector'),
  (114, 'json', -1, false, 'b', 'U', 0, 199, 'i', 'x', 'json'),
  (194, 'pg_node_tree', -1, false, 'b', 'Z', 0, 0, 'i', 'x', 'pg_node_tree'),
  (700, 'float4', 4, true, 'b', 'N', 0, 1021, 'i', 'p', 'real'),
  (701, 'float8', 8, true, 'b', 'N', 0, 1022, 'd', 'p', 'double precision'),
  (705, 'unknown', -2, false, 'p', 'X', 0, 0, 'c', 'p', 'unknown'),
  (1033, 'aclitem', 12, false, 'b', 'U', 0, 1034, 'i', 'p', 'aclitem'),
  (1042, 'bpchar', -1, false, 'b', 'S', 0, 1014, 'i', 'x', 'character'),
  (1043, 'varchar', -1, false, 'b', 'S', 0, 1015, 'i', 'x', 'character varying'),
  (1082, 'date', 4, true, 'b', 'D', 0, 1182, 'i', 'p', 'date'),
  (1083, 'time', 8, true, 'b', 'D', 0, 1183, 'd', 'p', 'time without time zone'),
  (1114, 'timestamp', 8, true, 'b', 'D', 0, 1115, 'd', 'p', 'timestamp without time zone'),
  (1184, 'timestamptz', 8, true, 'b', 'D', 0, 1185, 'd', 'p', 'timestamp with time zone'),
  (1186, 'interval', 16, false, 'b', 'T', 0, 1187, 'd', 'p', 'interval'),
  (1266, 'timetz', 12, false, 'b', 'D', 0, 1270, 'd', 'p', 'time with time zone'),
  (1560, 'bit', -1, false, 'b', 'V', 0, 1561, 'i', 'x', 'bit'),
  (1562, 'varbit', -1, false, 'b', 'V', 0, 1563, 'i', 'x', 'bit varying'),
  (1700, 'numeric', -1, false, 'b', 'N', 0, 1231, 'i', 'm', 'numeric'),
  (2202, 'regprocedure', 4, true, 'b', 'N', 0, 2207, 'i', 'p', 'regprocedure'),
  (2203, 'regoper', 4, true, 'b', 'N', 0, 2208, 'i', 'p', 'regoper'),
  (2205, 'regclass', 4, true, 'b', 'N', 0, 2210, 'i', 'p', 'regclass'),
  (2206, 'regtype', 4, true, 'b', 'N', 0, 2211, 'i', 'p', 'regtype'),
  (2249, 'record', -1, false, 'p', 'P', 0, 2287, 'd', 'x', 'record'),
  (2275, 'cstring', -2, false, 'p', 'P', 0, 1263, 'c', 'p', 'cstring'),
  (2276, 'any', 4, true, 'p', 'P', 0, 0, 'i', 'p', '"any"'),
  (2277, 'anyarray', -1, false, 'p', 'P', 0, 0, 'd', 'x', 'anyarray'),
  (2278, 'void', 4, true, 'p', 'P', 0, 0, 'i', 'p', 'void'),
  (2279, 'trigger', 4, true, 'p', 'P', 0, 0, 'i', 'p', 'trigger'),
  (2281, 'internal', 8, true, 'p', 'P', 0, 0, 'd', 'p', 'internal'),
  (2283, 'anyelement', 4, true, 'p', 'P', 0, 0, 'i', 'p', 'anyelement'),
  (2950, 'uuid', 16, false, 'b', 'U', 0, 2951, 'c', 'p', 'uuid'),
  (3802, 'jsonb', -1, false, 'b', 'U', 0, 3807, 'i', 'x', 'jsonb'),
  (3904, 'int4range', -1, false, 'r', 'R', 0, 3905, 'i', 'x', 'int4range'),
  (3906, 'numrange', -1, false, 'r', 'R', 0, 3907, 'i', 'x', 'numrange'),
  (3908, 'tsrange', -1, false, 'r', 'R', 0, 3909, 'd', 'x', 'tsrange'),
  (3910, 'tstzrange', -1, false, 'r', 'R', 0, 3911, 'd', 'x', 'tstzrange'),
  (3912, 'daterange', -1, false, 'r', 'R', 0, 3913, 'i', 'x', 'daterange'),
  (3926, 'int8range', -1, false, 'r', 'R', 0, 3927, 'd', 'x', 'int8range'),
  (4089, 'regnamespace', 4, true, 'b', 'N', 0, 4090, 'i', 'p', 'regnamespace'),
  (4096, 'regrole', 4, true, 'b', 'N', 0, 4097, 'i', 'p', 'regrole')
) AS t(oid, typname, typlen, typbyval, typtype, typcategory, typelem, typarray, typalign, typstorage, sqlname);

-- The element's type of DuckDB's spelling of a type, without the brackets of lists.
CREATE MACRO trireme_pg.pg._element(data_type) AS regexp_replace(data_type, '(\[\d*\])+$', '');

-- The type by which the wire describes values of a type of DuckDB; pgwire has the
-- same table.
CREATE MACRO trireme_pg.pg._element_oid(e) AS CASE e
  WHEN 'BOOLEAN' THEN 16 WHEN 'BLOB' THEN 17
  WHEN 'BIGINT' THEN 20 WHEN 'UINTEGER' THEN 20
  WHEN 'TINYINT' THEN 21 WHEN 'SMALLINT' THEN 21 WHEN 'UTINYINT' THEN 21
  WHEN 'INTEGER' THEN 23 WHEN 'USMALLINT' THEN 23
  WHEN 'HUGEINT' THEN 1700 WHEN 'UBIGINT' THEN 1700 WHEN 'UHUGEINT' THEN 1700
  WHEN 'FLOAT' THEN 700 WHEN 'DOUBLE' THEN 701 WHEN 'BIT' THEN 1562
  WHEN 'DATE' THEN 1082 WHEN 'TIME' THEN 1083 WHEN 'TIME WITH TIME ZONE' THEN 1266
  WHEN 'TIMESTAMP' THEN 1114 WHEN 'TIMESTAMP_S' THEN 1114 WHEN 'TIMESTAMP_MS' THEN 1114 WHEN 'TIMESTAMP_NS' THEN 1114
  WHEN 'TIMESTAMP WITH TIME ZONE' THEN 1184
  WHEN 'INTERVAL' THEN 1186 WHEN 'UUID' THEN 2950 WHEN 'JSON' THEN 114
  ELSE CASE WHEN e LIKE 'DECIMAL(%' THEN 1700 ELSE 25 END END;

-- Lists of lists and of what has no type in Postgres travel as text.
CREATE MACRO trireme_pg.pg._array_oid(data_type) AS CASE
  WHEN NOT regexp_full_match(data_type, '[A-Z_0-9 ]+(\([^\[\]]*\))?\[\d*\]') AND data_type NOT LIKE 'ENUM(%' THEN NULL
  WHEN regexp_matches(data_type, '^(STRUCT|MAP|UNION)\(|^(BLOB|TIMESTAMP_NS)\[|\]\[\d*\]$') THEN NULL
  WHEN trireme_pg.pg._element(data_type) = 'VARCHAR' OR data_type LIKE 'ENUM(%' THEN 1009
  ELSE CASE trireme_pg.pg._element_oid(trireme_pg.pg._element(data_type))
    WHEN 16 THEN 1000 WHEN 17 THEN 1001 WHEN 20 THEN 1016 WHEN 21 THEN 1005 WHEN 23 THEN 1007 WHEN 700 THEN 1021 WHEN 701 THEN 1022
    WHEN 1082 THEN 1182 WHEN 1083 THEN 1183 WHEN 1114 THEN 1115 WHEN 1184 THEN 1185 WHEN 1700 THEN 1231 WHEN 2950 THEN 2951 END END;

CREATE MACRO trireme_pg.pg._type_oid(data_type) AS CASE
  WHEN data_type IS NULL THEN NULL
  WHEN data_type LIKE '%]' THEN coalesce(trireme_pg.pg._array_oid(data_type), 25)
  ELSE trireme_pg.pg._element_oid(data_type) END::BIGINT;

CREATE MACRO trireme_pg.pg._type_mod(data_type) AS CASE
  WHEN data_type LIKE 'DECIMAL(%)' THEN
    (regexp_extract(data_type, '\((\d+),', 1)::INTEGER << 16 | regexp_extract(data_type, ',(\d+)\)', 1)::INTEGER) + 4
  ELSE -1 END::INTEGER;

-- A number from 0 to 2^31-16384 that the text determines.
CREATE MACRO trireme_pg.pg._number(key) AS (md5_number(key) % 2147467264)::BIGINT;

CREATE MACRO trireme_pg.pg.quote_ident(name) AS CASE
  WHEN regexp_full_match(name::VARCHAR, '[a-z_][a-z0-9_$]*')
    AND name::VARCHAR NOT IN (SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category <> 'unreserved') THEN name::VARCHAR
  ELSE '"' || replace(name::VARCHAR, '"', '""') || '"' END;

CREATE MACRO trireme_pg.pg.quote_literal(value) AS
  CASE WHEN contains(value::VARCHAR, '\') THEN ' E' ELSE '' END || '''' || replace(replace(value::VARCHAR, '\', '\\'), '''', '''''') || '''';

CREATE MACRO trireme_pg.pg.quote_nullable(value) AS coalesce(trireme_pg.pg.quote_literal(value), 'NULL');

-- The schemas that unqualified names are looked up in, in order.
CREATE MACRO trireme_pg.pg.current_schemas(implicit) AS
  CASE WHEN implicit THEN ['pg_catalog'] ELSE []::VARCHAR[] END || main.current_schemas(false);
