-- connect
SELECT current_schema(),session_user;
SHOW search_path;
SELECT version();
-- databases
SELECT db.oid,db.* FROM pg_catalog.pg_database db WHERE datallowconn AND NOT datistemplate OR db.datname = 'trireme' ORDER BY db.datname;
-- schemas
SELECT n.oid,n.*,d.description FROM pg_catalog.pg_namespace n
LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=n.oid AND d.objsubid=0 AND d.classoid='pg_namespace'::regclass
 ORDER BY nspname;
-- data types
SELECT t.oid,t.*,c.relkind,format_type(nullif(t.typbasetype, 0), t.typtypmod) as base_type_name, d.description
FROM pg_catalog.pg_type t
LEFT OUTER JOIN pg_catalog.pg_type et ON et.oid=t.typelem
LEFT OUTER JOIN pg_catalog.pg_class c ON c.oid=t.typrelid
LEFT OUTER JOIN pg_catalog.pg_description d ON t.oid=d.objoid
WHERE t.typname IS NOT NULL AND (c.relkind IS NULL OR c.relkind = 'c') AND (et.typcategory IS NULL OR et.typcategory <> 'C')
ORDER BY t.oid;
-- values of an enum
SELECT e.enumlabel FROM pg_catalog.pg_enum e WHERE e.enumtypid=(SELECT oid FROM pg_catalog.pg_type WHERE typname = 'rig') ORDER BY e.enumsortorder;
-- tables of a schema
SELECT c.oid,c.*,d.description,pg_catalog.pg_get_expr(c.relpartbound, c.oid) as partition_expr, pg_catalog.pg_get_partkeydef(c.oid) as partition_key
FROM pg_catalog.pg_class c
LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=c.oid AND d.objsubid=0 AND d.classoid='pg_class'::regclass
WHERE c.relnamespace=2200 AND c.relkind not in ('i','I','c') ORDER BY c.relname;
-- columns
SELECT c.relname,a.*,pg_catalog.pg_get_expr(ad.adbin, ad.adrelid, true) as def_value,dsc.description,dep.objid
FROM pg_catalog.pg_attribute a
INNER JOIN pg_catalog.pg_class c ON (a.attrelid=c.oid)
LEFT OUTER JOIN pg_catalog.pg_attrdef ad ON (a.attrelid=ad.adrelid AND a.attnum = ad.adnum)
LEFT OUTER JOIN pg_catalog.pg_description dsc ON (c.oid=dsc.objoid AND a.attnum = dsc.objsubid)
LEFT OUTER JOIN pg_depend dep on dep.refobjid = a.attrelid AND dep.deptype = 'i' and dep.refobjsubid = a.attnum and dep.classid = dep.refclassid
WHERE NOT a.attisdropped AND c.oid={{ship}} ORDER BY a.attnum;
-- constraints
SELECT c.oid,c.*,t.relname as tabrelname,rt.relnamespace as refnamespace,d.description, case when c.contype='c' then "substring"(pg_get_constraintdef(c.oid), 7) else null end consrc_copy
FROM pg_catalog.pg_constraint c
INNER JOIN pg_catalog.pg_class t ON t.oid=c.conrelid
LEFT OUTER JOIN pg_catalog.pg_class rt ON rt.oid=c.confrelid
LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=c.oid AND d.objsubid=0 AND d.classoid='pg_constraint'::regclass
WHERE t.relnamespace=2200
ORDER BY c.oid;
-- indexes
SELECT i.*,i.indkey as keys,c.relname,c.relnamespace,c.relam,c.reltablespace,tc.relname as tabrelname,dsc.description,pg_catalog.pg_get_expr(i.indpred, i.indrelid) as pred_expr,pg_catalog.pg_get_expr(i.indexprs, i.indrelid, true) as expr,pg_catalog.pg_relation_size(i.indexrelid) as index_rel_size,pg_catalog.pg_stat_get_numscans(i.indexrelid) as index_num_scans
FROM pg_catalog.pg_index i
INNER JOIN pg_catalog.pg_class c ON c.oid=i.indexrelid
INNER JOIN pg_catalog.pg_class tc ON tc.oid=i.indrelid
LEFT OUTER JOIN pg_catalog.pg_description dsc ON i.indexrelid=dsc.objoid
WHERE i.indrelid={{ship}} ORDER BY tabrelname, c.relname;
-- references to a table
SELECT DISTINCT c.conrelid::regclass::text, c.conname FROM pg_catalog.pg_constraint c WHERE c.confrelid={{harbour}} AND c.contype='f' ORDER BY 2;
-- sequences
SELECT * from pg_catalog.pg_sequences WHERE schemaname='main' AND sequencename='tickets';
-- functions
SELECT p.oid as poid,p.proname,p.prokind,p.proargnames,pg_catalog.pg_get_function_identity_arguments(p.oid) as args,d.description
FROM pg_catalog.pg_proc p
LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=p.oid
WHERE p.pronamespace=2200
ORDER BY p.proname;
-- text of a view
SELECT pg_get_viewdef({{fleet}}, true);
-- sizes
select c.oid,pg_catalog.pg_total_relation_size(c.oid) >= 0 as total_rel_size,pg_catalog.pg_relation_size(c.oid) >= 0 as rel_size
FROM pg_class c
WHERE c.relnamespace=2200 ORDER BY c.relname;
-- roles
SELECT a.oid,a.*,pd.description FROM pg_catalog.pg_roles a
left join pg_catalog.pg_shdescription pd on a.oid = pd.objoid
ORDER BY a.rolname;
-- settings, extensions, tablespaces, languages, access methods
select count(*) > 20 as many from pg_catalog.pg_settings;
SELECT e.oid, cfg.tbls, n.nspname as schema_name, e.* FROM pg_catalog.pg_extension e
join pg_namespace n on n.oid =e.extnamespace
left join (
 select ARRAY_AGG(ns.nspname || '.' ||  cls.relname) tbls, oid_ext
 from (select unnest(e1.extconfig) oid , e1.oid oid_ext from pg_catalog.pg_extension e1) c
 join pg_catalog.pg_class cls on cls.oid = c.oid
 join pg_catalog.pg_namespace ns on ns.oid = cls.relnamespace
 group by oid_ext
) cfg on cfg.oid_ext = e.oid
ORDER BY e.oid;
SELECT t.oid,t.*,pg_catalog.pg_tablespace_location(t.oid) loc FROM pg_catalog.pg_tablespace t ORDER BY t.oid;
SELECT l.oid,l.* FROM pg_catalog.pg_language l ORDER BY l.oid;
SELECT am.oid,am.* FROM pg_catalog.pg_am am ORDER BY am.oid;
SELECT c.oid,c.* FROM pg_catalog.pg_collation c WHERE c.collname = 'C' ORDER BY c.oid;
-- privileges of a table
SELECT * FROM information_schema.table_privileges WHERE table_catalog='trireme' AND table_schema='main' AND table_name='ship' ORDER BY privilege_type;
SELECT has_table_privilege('"main"."ship"', 'SELECT'), has_schema_privilege('main', 'CREATE'), has_database_privilege('trireme', 'CONNECT');
-- sessions
SELECT sa.datname, sa.usename, sa.state FROM pg_catalog.pg_stat_activity sa WHERE sa.pid = pg_backend_pid();
-- triggers, rules, policies, locks
SELECT x.oid,x.*,p.pronamespace as func_schema_id,d.description FROM pg_catalog.pg_trigger x
LEFT OUTER JOIN pg_catalog.pg_proc p ON p.oid=x.tgfoid
LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=x.oid AND d.objsubid=0
WHERE x.tgrelid={{ship}} AND NOT x.tgisinternal;
SELECT r.oid,r.* FROM pg_catalog.pg_rewrite r WHERE r.ev_class={{ship}} AND r.rulename <> '_RETURN'::name;
SELECT * FROM pg_catalog.pg_policies WHERE schemaname = 'main' AND tablename = 'ship';
SELECT i.*,c.relnamespace FROM pg_catalog.pg_inherits i,pg_catalog.pg_class c WHERE i.inhrelid={{ship}} AND c.oid=i.inhparent ORDER BY i.inhseqno;
