-- All types: Postgres', their arrays, and the user's enumerations.
CREATE VIEW trireme_pg.pg._type AS
SELECT oid::UINTEGER AS oid, typname, 'pg_catalog' AS nspname, typlen, typbyval, typtype, typcategory, typelem::UINTEGER AS typelem,
  typarray::UINTEGER AS typarray, typalign, typstorage, sqlname, CASE WHEN typcategory = 'S' THEN 100 ELSE 0 END::UINTEGER AS typcollation,
  NULL::VARCHAR[] AS labels, NULL AS comment
FROM trireme_pg.pg._base_type
UNION ALL
SELECT typarray::UINTEGER, '_' || typname, 'pg_catalog', -1, false, 'b', 'A', oid::UINTEGER, 0::UINTEGER, CASE typalign WHEN 'd' THEN 'd' ELSE 'i' END, 'x', sqlname || '[]',
  CASE WHEN typcategory = 'S' THEN 100 ELSE 0 END::UINTEGER, NULL, NULL
FROM trireme_pg.pg._base_type WHERE typarray <> 0
UNION ALL
SELECT (16384 + trireme_pg.pg._number('t.' || t.schema_name || '.' || t.type_name))::UINTEGER, t.type_name, n.nspname, 4, true, 'e', 'E', 0::UINTEGER, 0::UINTEGER, 'i', 'p',
  trireme_pg.pg._ident(t.type_name), 0::UINTEGER, t.labels, t.comment
FROM duckdb_types() t JOIN trireme_pg.pg._schema n ON n.database_name = t.database_name AND n.schema_name = t.schema_name
WHERE NOT t.internal AND t.logical_type = 'ENUM' AND t.database_name IN ('trireme', 'temp');
