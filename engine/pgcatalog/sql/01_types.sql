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
CREATE MACRO trireme_pg.pg._element_oid(e) AS coalesce(MAP {
  'BOOLEAN': 16, 'BLOB': 17, 'BIGINT': 20, 'UINTEGER': 20, 'OID': 26, 'TINYINT': 21, 'SMALLINT': 21, 'UTINYINT': 21, 'INTEGER': 23, 'USMALLINT': 23,
  'HUGEINT': 1700, 'UBIGINT': 1700, 'UHUGEINT': 1700, 'FLOAT': 700, 'DOUBLE': 701, 'BIT': 1562,
  'DATE': 1082, 'TIME': 1083, 'TIME WITH TIME ZONE': 1266,
  'TIMESTAMP': 1114, 'TIMESTAMP_S': 1114, 'TIMESTAMP_MS': 1114, 'TIMESTAMP_NS': 1114, 'TIMESTAMP WITH TIME ZONE': 1184,
  'INTERVAL': 1186, 'UUID': 2950, 'JSON': 114}[e],
  CASE WHEN e LIKE 'DECIMAL(%' THEN 1700 ELSE 25 END);

-- Lists of lists and of what has no type in Postgres travel as text.
CREATE MACRO trireme_pg.pg._array_oid(data_type) AS CASE
  WHEN NOT regexp_full_match(data_type, '[A-Z_0-9 ]+(\([^\[\]]*\))?\[\d*\]') AND data_type NOT LIKE 'ENUM(%' THEN NULL
  WHEN regexp_matches(data_type, '^(STRUCT|MAP|UNION)\(|\]\[\d*\]$') THEN NULL
  WHEN trireme_pg.pg._element(data_type) = 'VARCHAR' OR data_type LIKE 'ENUM(%' THEN 1009
  ELSE MAP {16: 1000, 17: 1001, 20: 1016, 21: 1005, 23: 1007, 26: 1028, 114: 199, 700: 1021, 701: 1022, 1082: 1182, 1083: 1183, 1114: 1115, 1184: 1185,
    1186: 1187, 1266: 1270, 1562: 1563, 1700: 1231, 2950: 2951}[trireme_pg.pg._element_oid(trireme_pg.pg._element(data_type))] END;

CREATE MACRO trireme_pg.pg._type_oid(data_type) AS CASE
  WHEN data_type IS NULL THEN NULL
  WHEN data_type LIKE '%]' THEN coalesce(trireme_pg.pg._array_oid(data_type), 25)
  ELSE trireme_pg.pg._element_oid(data_type) END::UINTEGER;

-- NUMERIC without a precision is DECIMAL(38,10). An integer that Postgres lacks is a
-- NUMERIC of as many digits as DuckDB has of those.
CREATE MACRO trireme_pg.pg._type_mod(data_type) AS CASE
  WHEN data_type = 'DECIMAL(38,10)' THEN -1
  WHEN data_type = 'TIMESTAMP_S' THEN 0
  WHEN data_type = 'TIMESTAMP_MS' THEN 3
  WHEN data_type = 'UBIGINT' THEN (20 << 16) + 4
  WHEN data_type IN ('HUGEINT', 'UHUGEINT') THEN (38 << 16) + 4
  WHEN data_type LIKE 'DECIMAL(%)' THEN
    (regexp_extract(data_type, '\((\d+),', 1)::INTEGER << 16 | regexp_extract(data_type, ',(\d+)\)', 1)::INTEGER) + 4
  ELSE -1 END::INTEGER;

-- A number from 0 to 2^31-16384 that the text determines.
CREATE MACRO trireme_pg.pg._number(key) AS (md5_number(key) % 2147467264)::BIGINT;

-- The words that are no names without quotes, which duckdb_keywords() has too: as one
-- text, since a list of as many is made anew by every statement that mentions it.
CREATE MACRO trireme_pg.pg._is_keyword(name) AS contains(' all analyse analyze and anti any array as asc asof asymmetric at authorization between bigint binary bit boolean both by case cast char '
    || 'character check coalesce collate collation column columns concurrently constraint create cross dec decimal default deferrable desc describe '
    || 'distinct do else end except exists extract false fetch float for foreign freeze from full generated glob group grouping grouping_id having '
    || 'ilike in initially inner inout int integer intersect interval into is isnull join lambda lateral leading left like limit map national '
    || 'natural nchar none not notnull null nullif numeric offset on only or order out outer overlaps overlay pivot pivot_longer pivot_wider placing '
    || 'position positional precision primary qualify real references returning right row select semi setof show similar smallint some struct '
    || 'substring summarize symmetric table tablesample then time timestamp to trailing treat trim true try_cast union unique unpack unpivot using '
    || 'values varchar variadic verbose when where window with xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi '
    || 'xmlroot xmlserialize xmltable ', ' ' || name || ' ');

CREATE MACRO trireme_pg.pg._ident(name) AS CASE
  WHEN regexp_full_match(name, '[a-z_][a-z0-9_$]*') AND NOT trireme_pg.pg._is_keyword(name) THEN name
  ELSE '"' || replace(name, '"', '""') || '"' END;

CREATE MACRO trireme_pg.pg._ident_list(names) AS array_to_string(list_transform(names, lambda e: trireme_pg.pg._ident(e)), ', ');

CREATE MACRO trireme_pg.pg.quote_ident(name) AS trireme_pg.pg._ident(name::VARCHAR);

-- A text as DuckDB writes it in the spelling of a type.
CREATE MACRO trireme_pg.pg._literal(e) AS '''' || replace(e, '''', '''''') || '''';

CREATE MACRO trireme_pg.pg.quote_literal(value) AS
  CASE WHEN contains(value::VARCHAR, '\') THEN ' E' ELSE '' END || '''' || replace(replace(value::VARCHAR, '\', '\\'), '''', '''''') || '''';

CREATE MACRO trireme_pg.pg.quote_nullable(value) AS coalesce(trireme_pg.pg.quote_literal(value), 'NULL');

-- path is the session's search path, as the rewriting puts it in: the temporary
-- schema, pg_catalog, then what the session has set. DuckDB's own function for it
-- would make every statement be planned again when it is executed.
CREATE MACRO trireme_pg.pg.current_schemas(implicit, path) AS CASE WHEN implicit THEN path[2:] ELSE path[3:] END;

-- Postgres' types of the columns of its catalog, where they are not those in which DuckDB's
-- values travel: a type with names of columns, which mean the same in every relation.
CREATE TABLE trireme_pg.pg._column_type AS
SELECT * FROM (VALUES
  ('amname attname collname conname datname dictname cfgname prsname tmplname evtevent evtname extname fdwname srvname lanname nspname oprname opcname opfname', 'name'),
  ('polname proname pubname rolname rulename relname spcname stxname subname tgname typname usename slot_name plugin schemaname tablename tableowner viewname viewowner', 'name'),
  ('indexname tablespace matviewname matviewowner sequencename sequenceowner policyname indexrelname funcname groname tgoldtable tgnewtable owner database enumlabel', 'name'),
  ('subslotname table_catalog table_schema table_name column_name udt_catalog udt_schema udt_name constraint_catalog constraint_schema constraint_name', 'name'),
  ('specific_catalog specific_schema specific_name routine_catalog routine_schema routine_name schema_name catalog_name schema_owner sequence_catalog sequence_schema sequence_name', 'name'),
  ('domain_catalog domain_schema domain_name unique_constraint_catalog unique_constraint_schema unique_constraint_name view_catalog view_schema view_name grantor grantee', 'name'),
  ('role_name trigger_catalog trigger_schema trigger_name object_catalog object_schema object_name event_object_catalog event_object_schema event_object_table', 'name'),
  ('collation_catalog collation_schema collation_name character_set_catalog character_set_schema character_set_name type_udt_catalog type_udt_schema type_udt_name parameter_name', 'name'),
  ('relpersistence relkind relreplident typtype typcategory typalign typstorage typdelim attalign attstorage attcompression attidentity attgenerated contype', 'char'),
  ('confupdtype confdeltype confmatchtype deptype prokind provolatile proparallel amtype collprovider datlocprovider castcontext castmethod aggkind amoppurpose oprkind', 'char'),
  ('polcmd partstrat tgenabled evtenabled ev_type ev_enabled defaclobjtype privtype subtwophasestate', 'char'),
  ('adbin conbin indexprs indpred relpartbound typdefaultbin ev_qual ev_action polqual polwithcheck proargdefaults partexprs prqual prosqlbody stxexprs tgqual', 'pg_node_tree'),
  ('typinput typoutput typreceive typsend typmodin typmodout typanalyze typsubscript amhandler rngcanonical rngsubdiff', 'regproc'),
  ('indkey indoption stxkeys tgattr partattrs prattrs', 'int2vector'),
  ('indclass indcollation proargtypes partclass partcollation', 'oidvector'),
  ('relacl attacl nspacl datacl typacl proacl lanacl spcacl fdwacl srvacl defaclacl paracl initprivs lomacl', 'aclitem[]')
) AS t(columns, typname);

CREATE VIEW trireme_pg.pg._text_type AS
SELECT ' ' || c.columns || ' ' AS columns, b.oid, b.data_type
FROM trireme_pg.pg._column_type c
JOIN (VALUES ('name', 19, 'VARCHAR'), ('char', 18, 'VARCHAR'), ('pg_node_tree', 194, 'VARCHAR'), ('regproc', 24, 'VARCHAR'), ('int2vector', 22, 'SMALLINT[]'),
  ('oidvector', 30, 'UINTEGER[]'), ('aclitem[]', 1034, 'VARCHAR[]')) AS b(typname, oid, data_type) ON b.typname = c.typname;

-- The functions that read and write a type begin with this, and have numbers that follow
-- from their names.
CREATE MACRO trireme_pg.pg._io(oid, typname, typtype, typcategory) AS CASE
  WHEN typcategory = 'A' AND oid NOT IN (22, 30) THEN 'array_' WHEN typtype = 'e' THEN 'enum_' WHEN typtype = 'r' THEN 'range_'
  WHEN typname IN ('date', 'time', 'timestamp', 'timestamptz', 'timetz', 'interval', 'numeric', 'uuid', 'json', 'jsonb', 'bit', 'varbit', 'record', 'any', 'anyarray',
    'anyelement', 'void', 'cstring', 'pg_node_tree', 'trigger', 'internal') THEN typname || '_'
  ELSE typname END;
CREATE MACRO trireme_pg.pg._is_binary(oid) AS oid NOT IN (1033, 2276, 2279, 2281, 2283);
CREATE MACRO trireme_pg.pg._io_oid(name) AS CASE name WHEN '-' THEN 0 ELSE 16384 + trireme_pg.pg._number('io.' || name) END;

-- The parts of a name, without quotes.
CREATE MACRO trireme_pg.pg._name_parts(name) AS
  list_transform(regexp_extract_all(name, '"(?:[^"]|"")*"|[^."\s][^."]*'), lambda e: CASE WHEN e LIKE '"%"' THEN replace(e[2:-2], '""', '"') ELSE lower(trim(e)) END);

-- A default as Postgres writes it: the name of a sequence is a regclass, and the default
-- schema is not mentioned.
CREATE MACRO trireme_pg.pg._dotted(parts) AS array_to_string(list_transform(parts, lambda e: trireme_pg.pg._ident(e)), '.');
CREATE MACRO trireme_pg.pg._sequence_text(parts) AS trireme_pg.pg._dotted(CASE WHEN len(parts) > 1 AND parts[-2] = 'main' THEN parts[-1:] ELSE parts END);
-- The name that a default of nextval counts by, and such a call up to the end of the name.
CREATE MACRO trireme_pg.pg._counts_by(expression) AS replace(regexp_extract(expression, '^nextval\(''((?:[^'']|'''')*)''', 1), '''''', '''');
CREATE MACRO trireme_pg.pg._nextval(name) AS 'nextval(''' || replace(name, '''', '''''') || '''';
CREATE MACRO trireme_pg.pg._default(expression) AS CASE
  WHEN starts_with(expression, 'nextval(''') THEN trireme_pg.pg._nextval(trireme_pg.pg._sequence_text(trireme_pg.pg._name_parts(trireme_pg.pg._counts_by(expression)))) || '::regclass)'
  ELSE expression END;

-- What DuckDB does not keep is in the first line of a comment: the length of a text or the
-- digits of a second, 'trireme: varchar(40)', and the names of a table's constraints, as JSON, by their texts.
CREATE MACRO trireme_pg.pg._user_comment(comment) AS CASE WHEN starts_with(comment, 'trireme: ')
  THEN nullif(regexp_replace(comment, '^[^\n]*\n?', ''), '') ELSE comment END;
CREATE MACRO trireme_pg.pg._given_names(comment) AS CASE WHEN starts_with(comment, 'trireme: {')
  THEN TRY_CAST(TRY_CAST(regexp_extract(comment, '^trireme: ([^\n]*)', 1) AS JSON) AS MAP(VARCHAR, VARCHAR[])) END;
CREATE MACRO trireme_pg.pg._length_oid(length) AS MAP {'varchar': 1043, 'bpchar': 1042, 'jsonb': 3802, 'timestamp': 1114, 'timestamptz': 1184, 'time': 1083, 'timetz': 1266,
  'bit': 1560, 'varbit': 1562}[split_part(length, '(', 1)]::UINTEGER;
CREATE MACRO trireme_pg.pg._length_mod(length) AS TRY_CAST(regexp_extract(length, '\((\d+)\)', 1) AS INTEGER) + CASE WHEN contains(length, 'char') THEN 4 ELSE 0 END;
