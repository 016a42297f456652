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
SELECT oid, type_name, nspname, 4, true, 'e', 'E', 0::UINTEGER, 0::UINTEGER, 'i', 'p', trireme_pg.pg._ident(type_name), 0::UINTEGER, labels, comment
FROM trireme_pg.pg._enum;
