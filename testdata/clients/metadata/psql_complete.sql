SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'S', 'v', 'm', 'f', 'p') AND (c.relname) LIKE 's%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 's%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'S', 'v', 'm', 'f', 'p') AND (c.relname) LIKE '%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE '%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT c.relname, n.nspname FROM pg_catalog.pg_class c, pg_catalog.pg_namespace n WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'S', 'v', 'm', 'f', 'p') AND (c.relname) LIKE '%' AND n.nspname = 'public'
LIMIT 1000;
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'S', 'v', 'm', 'f', 'p') AND (c.relname) LIKE 'Ol%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'Ol%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'f', 'v', 'p') AND (c.relname) LIKE 'h%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'h%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT a.attname, NULL::pg_catalog.text FROM pg_catalog.pg_attribute a, pg_catalog.pg_class c WHERE c.oid = a.attrelid and a.attnum > 0 and not a.attisdropped AND (a.attname) LIKE '%' AND c.relname = 'ship' AND pg_catalog.pg_table_is_visible(c.oid)
LIMIT 1000;
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'f', 'v', 'p') AND (c.relname) LIKE 'sh%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'sh%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'f', 'v', 'p') AND (c.relname) LIKE 'b%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'b%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'p') AND (c.relname) LIKE '%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE '%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind IN ('v') AND (c.relname) LIKE '%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE '%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind IN ('S') AND (c.relname) LIKE '%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE '%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind IN ('i', 'I') AND (c.relname) LIKE '%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE '%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT nspname FROM pg_catalog.pg_namespace  WHERE nspname LIKE '%'
LIMIT 1000;
SELECT p.proname, NULL::pg_catalog.text FROM pg_catalog.pg_proc p WHERE p.prokind != 'p' AND (p.proname) LIKE 'to\_h%' AND pg_catalog.pg_function_is_visible(p.oid)
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE '%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT p.proname, NULL::pg_catalog.text FROM pg_catalog.pg_proc p WHERE p.prokind != 'p' AND (p.proname) LIKE 'tons%' AND pg_catalog.pg_function_is_visible(p.oid)
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'tons%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT t.typname, NULL::pg_catalog.text FROM pg_catalog.pg_type t WHERE (t.typrelid = 0  OR (SELECT c.relkind = 'c'     FROM pg_catalog.pg_class c WHERE c.oid = t.typrelid)) AND t.typname !~ '^_' AND (t.typname) LIKE '%' AND pg_catalog.pg_type_is_visible(t.oid)
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE '%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT rolname    FROM pg_catalog.pg_roles   WHERE rolname LIKE '%'
LIMIT 1000;
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'p') AND (c.relname) LIKE 'sh%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'sh%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT con.conname, NULL::pg_catalog.text FROM pg_catalog.pg_constraint con, pg_catalog.pg_class c1 WHERE con.conrelid=c1.oid AND (con.conname) LIKE '%' AND c1.relname = 'ship' AND pg_catalog.pg_table_is_visible(c1.oid)
LIMIT 1000;
SELECT con.conname, NULL::pg_catalog.text FROM pg_catalog.pg_constraint con, pg_catalog.pg_class c1 WHERE con.conrelid=c1.oid AND (con.conname) LIKE 'ship\_%' AND c1.relname = 'ship' AND pg_catalog.pg_table_is_visible(c1.oid)
LIMIT 1000;
SELECT pg_catalog.lower(name) FROM pg_catalog.pg_settings  WHERE context IN ('user', 'superuser')    AND pg_catalog.lower(name) LIKE pg_catalog.lower('%')
LIMIT 1000;
SELECT pg_catalog.lower(name) FROM pg_catalog.pg_settings  WHERE context IN ('user', 'superuser')    AND pg_catalog.lower(name) LIKE pg_catalog.lower('da%')
LIMIT 1000;
SELECT pg_catalog.lower(name) FROM pg_catalog.pg_settings  WHERE context IN ('user', 'superuser')    AND pg_catalog.lower(name) LIKE pg_catalog.lower('timez%')
LIMIT 1000;
SELECT nspname FROM pg_catalog.pg_namespace  WHERE nspname LIKE '%' AND nspname NOT LIKE E'pg\\_toast%' AND nspname NOT LIKE E'pg\\_temp%'
LIMIT 1000;
SELECT pg_catalog.lower(name) FROM pg_catalog.pg_settings  WHERE pg_catalog.lower(name) LIKE pg_catalog.lower('%')
LIMIT 1000;
SELECT pg_catalog.lower(name) FROM pg_catalog.pg_settings  WHERE pg_catalog.lower(name) LIKE pg_catalog.lower('wor%')
LIMIT 1000;
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE (c.relname) LIKE '%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE '%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE (c.relname) LIKE 'sh%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'sh%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE (c.relname) LIKE 'ship%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'ship%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT p.proname, NULL::pg_catalog.text FROM pg_catalog.pg_proc p WHERE p.prokind != 'p' AND (p.proname) LIKE 'to%' AND pg_catalog.pg_function_is_visible(p.oid)
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'to%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT datname FROM pg_catalog.pg_database  WHERE datname LIKE '%'
LIMIT 1000;
SELECT p.proname, NULL::pg_catalog.text FROM pg_catalog.pg_proc p WHERE (p.proname) LIKE 'to\_h%' AND pg_catalog.pg_function_is_visible(p.oid)
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE '%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT extname    FROM pg_catalog.pg_extension   WHERE extname LIKE '%'
LIMIT 1000;
SELECT t.typname, NULL::pg_catalog.text FROM pg_catalog.pg_type t WHERE t.typtype = 'd' AND (t.typname) LIKE '%' AND pg_catalog.pg_type_is_visible(t.oid)
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE '%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT amname    FROM pg_catalog.pg_am   WHERE amname LIKE '%'
LIMIT 1000;
SELECT p.proname, NULL::pg_catalog.text FROM pg_catalog.pg_proc p WHERE p.prokind = 'a' AND (p.proname) LIKE 'cou%' AND pg_catalog.pg_function_is_visible(p.oid)
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'cou%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT p.proname, NULL::pg_catalog.text FROM pg_catalog.pg_proc p WHERE p.prokind = 'a' AND (p.proname) LIKE 'count%' AND pg_catalog.pg_function_is_visible(p.oid)
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE 'count%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind IN ('f') AND (c.relname) LIKE '%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE '%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'f', 'p') AND (c.relname) LIKE '%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE '%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'p', 'm', 'f') AND (c.relname) LIKE '%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE '%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'p', 'm') AND (c.relname) LIKE '%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE '%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT name    FROM pg_catalog.pg_prepared_statements   WHERE name LIKE '%'
LIMIT 1000;
SELECT name    FROM pg_catalog.pg_cursors   WHERE name LIKE '%'
LIMIT 1000;
SELECT p.proname, NULL::pg_catalog.text FROM pg_catalog.pg_proc p WHERE p.prokind = 'p' AND (p.proname) LIKE 'to\_h%' AND pg_catalog.pg_function_is_visible(p.oid)
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE '%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT name    FROM pg_catalog.pg_available_extensions   WHERE name LIKE '%' AND installed_version IS NULL
LIMIT 1000;
SELECT srvname    FROM pg_catalog.pg_foreign_server   WHERE srvname LIKE '%'
LIMIT 1000;
SELECT pg_catalog.quote_literal(enumlabel), NULL::pg_catalog.text FROM pg_catalog.pg_enum e, pg_catalog.pg_type t WHERE t.oid = e.enumtypid AND (pg_catalog.quote_literal(enumlabel)) LIKE '%' AND t.typname = 'rig' AND pg_catalog.pg_type_is_visible(t.oid)
LIMIT 1000;
SELECT e.enumlabel, NULL::pg_catalog.text FROM pg_catalog.pg_enum e, pg_catalog.pg_type t WHERE t.oid = e.enumtypid AND (e.enumlabel) LIKE '%' AND t.typname = 'rig' AND pg_catalog.pg_type_is_visible(t.oid)
LIMIT 1000;
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'p')  AND (c.relname) LIKE '%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE '%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind IN ('m') AND (c.relname) LIKE '%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE '%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT tgname FROM pg_catalog.pg_trigger WHERE tgname LIKE '%' AND NOT tgisinternal
LIMIT 1000;
SELECT polname    FROM pg_catalog.pg_policy   WHERE polname LIKE '%'
LIMIT 1000;
SELECT rulename FROM pg_catalog.pg_rules WHERE rulename LIKE '%'
LIMIT 1000;
SELECT pg_catalog.lower(name) FROM pg_catalog.pg_settings  WHERE context != 'internal'    AND pg_catalog.lower(name) LIKE pg_catalog.lower('%')
LIMIT 1000;
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind IN ('p') AND (c.relname) LIKE '%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE '%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT c.collname, NULL::pg_catalog.text FROM pg_catalog.pg_collation c WHERE c.collencoding IN (-1, pg_catalog.pg_char_to_encoding(pg_catalog.getdatabaseencoding())) AND (c.collname) LIKE '%' AND pg_catalog.pg_collation_is_visible(c.oid)
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE '%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT conname FROM pg_catalog.pg_conversion WHERE conname LIKE '%'
LIMIT 1000;
SELECT lanname   FROM pg_catalog.pg_language  WHERE lanname != 'internal'    AND lanname LIKE '%'
LIMIT 1000;
SELECT spcname FROM pg_catalog.pg_tablespace  WHERE spcname LIKE '%'
LIMIT 1000;
SELECT spcname FROM pg_catalog.pg_tablespace  WHERE spcname LIKE 'pg\_%'
LIMIT 1000;
SELECT fdwname    FROM pg_catalog.pg_foreign_data_wrapper   WHERE fdwname LIKE '%'
LIMIT 1000;
SELECT evtname    FROM pg_catalog.pg_event_trigger   WHERE evtname LIKE '%'
LIMIT 1000;
SELECT s.stxname, NULL::pg_catalog.text FROM pg_catalog.pg_statistic_ext s WHERE (s.stxname) LIKE '%' AND pg_catalog.pg_statistics_obj_is_visible(s.oid)
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE '%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT s.subname    FROM pg_catalog.pg_subscription s, pg_catalog.pg_database d   WHERE s.subname LIKE '%'     AND d.datname = pg_catalog.current_database()     AND s.subdbid = d.oid
LIMIT 1000;
SELECT pubname    FROM pg_catalog.pg_publication   WHERE pubname LIKE '%'
LIMIT 1000;
SELECT d.dictname, NULL::pg_catalog.text FROM pg_catalog.pg_ts_dict d WHERE (d.dictname) LIKE '%' AND pg_catalog.pg_ts_dict_is_visible(d.oid)
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE '%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT c.cfgname, NULL::pg_catalog.text FROM pg_catalog.pg_ts_config c WHERE (c.cfgname) LIKE '%' AND pg_catalog.pg_ts_config_is_visible(c.oid)
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE '%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT usename    FROM pg_catalog.pg_user_mappings   WHERE usename LIKE '%'
LIMIT 1000;
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c WHERE c.relkind IN ('p', 'I') AND (c.relname) LIKE '%' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname LIKE '%' AND n.nspname NOT LIKE E'pg\\_%'
LIMIT 1000;
SELECT p.proname, n.nspname FROM pg_catalog.pg_proc p, pg_catalog.pg_namespace n WHERE p.pronamespace = n.oid AND (p.proname) LIKE 'pg\_table\_is%' AND n.nspname = 'pg_catalog'
LIMIT 1000;
