-- A view is a rule of its relation in Postgres, by which tools find views.
CREATE MACRO trireme_pg.pg._rule_oid(view_oid) AS (16384 + trireme_pg.pg._number('w.' || view_oid))::UINTEGER;

-- The SELECT of CREATE VIEW name (columns) AS SELECT.
CREATE MACRO trireme_pg.pg._view_body(sql) AS
  regexp_replace(regexp_replace(sql, '^CREATE\s+(TEMP(ORARY)?\s+)?VIEW\s+("([^"]|"")*"|[^\s"(.]+)(\.("([^"]|"")*"|[^\s"(.]+))*\s*(\(("([^"]|"")*"|[^")])*\))?\s+AS\s+', ' ', 'is'), ';?\s*$', ';');

-- Parameters that the answer does not depend on are asked for NULL, as Postgres does
-- of all, since one that is not used has no type in a prepared statement.
--
-- A macro's argument is put into its body as text: in a subquery the names of
-- columns must be none that a caller may use, hence their prefixes.
CREATE MACRO trireme_pg.pg._viewdef(relation, path) AS (
  SELECT vd_q.vd_text FROM (SELECT oid AS vd_oid, trireme_view_text(trireme_pg.pg._view_body(sql), schema_name, array_to_string(path, chr(10))) AS vd_text FROM trireme_pg.pg._relation WHERE relkind = 'v') vd_q
  WHERE vd_q.vd_oid = trireme_pg.pg._regclass(relation, path));

CREATE MACRO trireme_pg.pg.pg_get_viewdef(relation, path) AS trireme_pg.pg._viewdef(relation, path),
(relation, pretty, path) AS CASE WHEN pretty::VARCHAR IS NOT NULL THEN trireme_pg.pg._viewdef(relation, path) END;

CREATE VIEW trireme_pg.pg._index_text AS
SELECT r.oid AS id_oid, i.columns AS id_columns,
  'CREATE ' || CASE WHEN i.is_unique THEN 'UNIQUE ' ELSE '' END || 'INDEX ' || trireme_pg.pg._ident(i.index_name) || ' ON '
    || trireme_pg.pg._ident(r.nspname) || '.' || trireme_pg.pg._ident(i.table_name) || ' USING btree (' || array_to_string(i.columns, ', ') || ')' AS id_text
FROM trireme_pg.pg._index i
JOIN trireme_pg.pg._relation r ON r.relkind = 'i' AND r.database_name = i.database_name AND r.schema_name = i.schema_name
  AND r.relname = i.index_name AND r.table_name = i.table_name;

CREATE MACRO trireme_pg.pg.pg_get_indexdef(index_oid) AS (
  SELECT id_q.id_text FROM trireme_pg.pg._index_text id_q WHERE id_q.id_oid = index_oid),
(index_oid, n, pretty) AS CASE WHEN pretty::VARCHAR IS NOT NULL THEN (
  SELECT CASE WHEN n = 0 THEN id_q.id_text ELSE id_q.id_columns[n] END FROM trireme_pg.pg._index_text id_q WHERE id_q.id_oid = index_oid) END;
