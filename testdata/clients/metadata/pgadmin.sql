SELECT
    db.oid as did, db.datname, db.datallowconn,
    pg_encoding_to_char(db.encoding) AS serverencoding,
    has_database_privilege(db.oid, 'CREATE') as cancreate,
    datistemplate
FROM
    pg_catalog.pg_database db
WHERE db.datname = current_database();
SELECT
            roles.oid as id, roles.rolname as name,
            roles.rolsuper as is_superuser,
            CASE WHEN roles.rolsuper THEN true ELSE roles.rolcreaterole END as
            can_create_role,
            CASE WHEN roles.rolsuper THEN true
            ELSE roles.rolcreatedb END as can_create_db,
            CASE WHEN 'pg_signal_backend'=ANY(ARRAY(WITH RECURSIVE cte AS (
            SELECT pg_roles.oid,pg_roles.rolname FROM pg_catalog.pg_roles
                WHERE pg_roles.oid = roles.oid
            UNION ALL
            SELECT m.roleid,pgr.rolname FROM cte cte_1
                JOIN pg_catalog.pg_auth_members m ON m.member = cte_1.oid
                JOIN pg_catalog.pg_roles pgr ON pgr.oid = m.roleid)
            SELECT rolname  FROM cte)) THEN True
            ELSE False END as can_signal_backend
        FROM
            pg_catalog.pg_roles as roles
        WHERE
            rolname = current_user;
SELECT CASE WHEN usesuper
       THEN pg_catalog.pg_is_in_recovery()
       ELSE FALSE
       END as inrecovery,
       CASE WHEN usesuper AND pg_catalog.pg_is_in_recovery()
       THEN pg_is_wal_replay_paused()
       ELSE FALSE
       END as isreplaypaused
FROM pg_catalog.pg_user WHERE usename=current_user;
SELECT CASE
    WHEN (SELECT count(extname) FROM pg_catalog.pg_extension WHERE extname='bdr') > 0
    THEN 'pgd'
    WHEN (SELECT COUNT(*) FROM pg_catalog.pg_replication_slots) > 0
    THEN 'log'
    ELSE NULL
END as type;
SELECT
    db.oid as did, db.datname as name, ta.spcname as spcname, db.datallowconn,
    db.datistemplate AS is_template,
    pg_catalog.has_database_privilege(db.oid, 'CREATE') as cancreate, datdba as owner,
    descr.description
FROM
    pg_catalog.pg_database db
    LEFT OUTER JOIN pg_catalog.pg_tablespace ta ON db.dattablespace = ta.oid
    LEFT OUTER JOIN pg_catalog.pg_shdescription descr ON (
        db.oid=descr.objoid AND descr.classoid='pg_database'::regclass
    )
WHERE         db.oid > 16383::OID OR db.datname IN ('postgres', 'edb')
ORDER BY datname;
SELECT 1;
SELECT
    has_table_privilege(
      'pgagent.pga_job', 'INSERT, SELECT, UPDATE'
    ) has_priviledge
WHERE EXISTS(
    SELECT has_schema_privilege('pgagent', 'USAGE')
    WHERE EXISTS(
        SELECT cl.oid FROM pg_catalog.pg_class cl
        LEFT JOIN pg_catalog.pg_namespace ns ON ns.oid=relnamespace
        WHERE relname='pga_job' AND nspname='pgagent'
    )
);
SELECT
    db.oid AS did, db.oid, db.datname AS name, db.dattablespace AS spcoid,
    spcname, datallowconn, pg_catalog.pg_encoding_to_char(encoding) AS encoding,
    pg_catalog.pg_get_userbyid(datdba) AS datowner,
    (select pg_catalog.current_setting('lc_collate')) as datcollate,
    (select pg_catalog.current_setting('lc_ctype')) as datctype,
    CASE WHEN datlocprovider = 'i' THEN 'icu' ELSE 'libc' END datlocaleprovider,
    daticulocale, datcollversion,
    datconnlimit,
    pg_catalog.has_database_privilege(db.oid, 'CREATE') AS cancreate,
    pg_catalog.current_setting('default_tablespace') AS default_tablespace,
    descr.description AS comments, db.datistemplate AS is_template,
        '' AS tblacl,
        '' AS seqacl,
        '' AS funcacl,
    pg_catalog.array_to_string(datacl::text[], ', ') AS acl
FROM pg_catalog.pg_database db
    LEFT OUTER JOIN pg_catalog.pg_tablespace ta ON db.dattablespace=ta.OID
    LEFT OUTER JOIN pg_catalog.pg_shdescription descr ON (
        db.oid=descr.objoid AND descr.classoid='pg_database'::regclass
    )
WHERE
    db.oid > 16383::OID OR db.datname IN ('postgres', 'edb')
ORDER BY datname;
SELECT * FROM
(SELECT pg_catalog.pg_encoding_to_char(s.i) AS encoding
FROM (SELECT pg_catalog.generate_series(0, 100, 1) as i) s) a
WHERE encoding != '' ORDER BY encoding;
SELECT pg_catalog.current_setting('lc_ctype') as cname
UNION
SELECT pg_catalog.current_setting('lc_collate') as cname;
SELECT colliculocale from pg_catalog.pg_collation where collprovider = 'i';
SELECT name, vartype, min_val, max_val, enumvals
FROM pg_catalog.pg_show_all_settings() WHERE context in ('user', 'superuser');
SELECT
    db.oid AS did, db.oid, db.datname AS name, db.dattablespace AS spcoid,
    spcname, datallowconn, pg_catalog.pg_encoding_to_char(encoding) AS encoding,
    pg_catalog.pg_get_userbyid(datdba) AS datowner,
    (select pg_catalog.current_setting('lc_collate')) as datcollate,
    (select pg_catalog.current_setting('lc_ctype')) as datctype,
    CASE WHEN datlocprovider = 'i' THEN 'icu' ELSE 'libc' END datlocaleprovider,
    daticulocale, datcollversion,
    datconnlimit,
    pg_catalog.has_database_privilege(db.oid, 'CREATE') AS cancreate,
    pg_catalog.current_setting('default_tablespace') AS default_tablespace,
    descr.description AS comments, db.datistemplate AS is_template,
        '' AS tblacl,
        '' AS seqacl,
        '' AS funcacl,
    pg_catalog.array_to_string(datacl::text[], ', ') AS acl
FROM pg_catalog.pg_database db
    LEFT OUTER JOIN pg_catalog.pg_tablespace ta ON db.dattablespace=ta.OID
    LEFT OUTER JOIN pg_catalog.pg_shdescription descr ON (
        db.oid=descr.objoid AND descr.classoid='pg_database'::regclass
    )
WHERE
    db.oid = 16384::OID
ORDER BY datname;
SELECT
    'datacl' AS deftype, COALESCE(gt.rolname, 'PUBLIC') AS grantee,
    g.rolname AS grantor, pg_catalog.array_agg(privilege_type) AS privileges,
    pg_catalog.array_agg(is_grantable) AS grantable
FROM
    (SELECT
        d.grantee, d.grantor, d.is_grantable,
        CASE d.privilege_type
        WHEN 'CONNECT' THEN 'c'
        WHEN 'CREATE' THEN 'C'
        WHEN 'DELETE' THEN 'd'
        WHEN 'EXECUTE' THEN 'X'
        WHEN 'INSERT' THEN 'a'
        WHEN 'MAINTAIN' THEN 'm'
        WHEN 'REFERENCES' THEN 'x'
        WHEN 'SELECT' THEN 'r'
        WHEN 'TEMPORARY' THEN 'T'
        WHEN 'TRIGGER' THEN 't'
        WHEN 'TRUNCATE' THEN 'D'
        WHEN 'UPDATE' THEN 'w'
        WHEN 'USAGE' THEN 'U'
        ELSE 'UNKNOWN'
        END AS privilege_type
    FROM
        (SELECT
            (d).grantee AS grantee, (d).grantor AS grantor,
            (d).is_grantable AS is_grantable,
            (d).privilege_type AS privilege_type
        FROM
            (SELECT pg_catalog.aclexplode(db.datacl) AS d FROM pg_catalog.pg_database db
            WHERE db.oid = 16384::OID) a
        ) d
    ) d
    LEFT JOIN pg_catalog.pg_roles g ON (d.grantor = g.oid)
    LEFT JOIN pg_catalog.pg_roles gt ON (d.grantee = gt.oid)
GROUP BY g.rolname, gt.rolname
ORDER BY grantee;
SELECT
    rl.*, r.rolname AS user_name, db.datname as db_name
FROM pg_catalog.pg_db_role_setting AS rl
    LEFT JOIN pg_catalog.pg_roles AS r ON rl.setrole = r.oid
    LEFT JOIN pg_catalog.pg_database AS db ON rl.setdatabase = db.oid
WHERE setdatabase = 16384;
SELECT
    db.oid as did, db.datname as name, ta.spcname as spcname, db.datallowconn,
    db.datistemplate AS is_template,
    pg_catalog.has_database_privilege(db.oid, 'CREATE') as cancreate, datdba as owner,
    descr.description
FROM
    pg_catalog.pg_database db
    LEFT OUTER JOIN pg_catalog.pg_tablespace ta ON db.dattablespace = ta.oid
    LEFT OUTER JOIN pg_catalog.pg_shdescription descr ON (
        db.oid=descr.objoid AND descr.classoid='pg_database'::regclass
    )
WHERE db.oid = 16384::OID
ORDER BY datname;
SELECT rolname AS refname, refclassid, deptype
FROM pg_catalog.pg_shdepend dep
LEFT JOIN pg_catalog.pg_roles r ON refclassid=1260 AND refobjid=r.oid
WHERE dep.objid=16384::oid
 AND dep.dbid = (SELECT oid FROM pg_catalog.pg_database WHERE datname = 'trireme')
ORDER BY 1;
SELECT COUNT(*) FROM pg_catalog.pg_extension WHERE extname IN (
                'edb_job_scheduler', 'dbms_scheduler');
SELECT
	r.oid, r.*,
	pg_catalog.shobj_description(r.oid, 'pg_authid') AS description,
	ARRAY(
		SELECT
			CASE WHEN am.admin_option THEN '1' ELSE '0' END || rm.rolname
		FROM
			(SELECT * FROM pg_catalog.pg_auth_members WHERE member = r.oid) am
			LEFT JOIN pg_catalog.pg_roles rm ON (rm.oid = am.roleid)
		ORDER BY rm.rolname
	) AS rolmembership,
	(SELECT pg_catalog.array_agg(provider || '=' || label) FROM pg_catalog.pg_shseclabel sl1 WHERE sl1.objoid=r.oid) AS seclabels
	FROM
	pg_catalog.pg_roles r
ORDER BY r.rolcanlogin, r.rolname;
SELECT
    r.oid, r.rolname, r.rolcanlogin, r.rolsuper, d.description
FROM pg_catalog.pg_roles r
    LEFT JOIN pg_catalog.pg_shdescription d
    ON d.objoid = r.oid AND d.classoid = 'pg_catalog.pg_authid'::regclass
ORDER BY r.rolcanlogin, r.rolname;
SELECT
name, vartype, min_val, max_val, enumvals
FROM
(
SELECT
    'role'::text AS name, 'string'::text AS vartype,
    NULL AS min_val, NULL AS max_val, NULL::text[] AS enumvals
UNION ALL
SELECT
    name, vartype, min_val::numeric AS min_val, max_val::numeric AS max_val,
    enumvals
FROM
    pg_show_all_settings()
WHERE
    context in ('user', 'superuser')
) a;
SELECT
    pg_catalog.split_part(rolconfig, '=', 1) AS name, pg_catalog.replace(rolconfig, pg_catalog.split_part(rolconfig, '=', 1) || '=', '') AS value, NULL::text AS database
FROM
    (SELECT
            pg_catalog.unnest(rolconfig) AS rolconfig, rolcanlogin, rolname
    FROM
        pg_catalog.pg_roles
    WHERE
        oid=931849080::OID
    ) r
UNION ALL
SELECT
    pg_catalog.split_part(rolconfig, '=', 1) AS name, pg_catalog.replace(rolconfig, pg_catalog.split_part(rolconfig, '=', 1) || '=', '') AS value, datname AS database
FROM
    (SELECT
        d.datname, pg_catalog.unnest(c.setconfig) AS rolconfig
    FROM
        (SELECT *
        FROM pg_catalog.pg_db_role_setting dr
        WHERE
            dr.setrole=931849080::OID AND dr.setdatabase!=0
        ) c
        LEFT JOIN pg_catalog.pg_database d ON (d.oid = c.setdatabase)
    ) a;
SELECT
    r.oid, r.rolname, r.rolcanlogin, r.rolsuper, d.description
FROM pg_catalog.pg_roles r
    LEFT JOIN pg_catalog.pg_shdescription d
    ON d.objoid = r.oid AND d.classoid = 'pg_catalog.pg_authid'::regclass
WHERE r.oid = 931849080::oid
ORDER BY r.rolcanlogin, r.rolname;
SELECT 'd' as type, datname,
    datallowconn AND pg_catalog.has_database_privilege(datname, 'CONNECT') AS datallowconn,
    datdba
FROM pg_catalog.pg_database db
UNION
SELECT 'M', spcname, null, null
    FROM pg_catalog.pg_tablespace where spcowner=931849080::oid
ORDER BY 1, 2;
SELECT
    ts.oid, spcname AS name, spcoptions, pg_catalog.pg_get_userbyid(spcowner) as spcuser,
    pg_catalog.pg_tablespace_location(ts.oid) AS spclocation,
    pg_catalog.array_to_string(spcacl::text[], ', ') as acl,
    pg_catalog.shobj_description(oid, 'pg_tablespace') AS description,
    (SELECT
        pg_catalog.array_agg(provider || '=' || label)
    FROM pg_catalog.pg_shseclabel sl1
    WHERE sl1.objoid=ts.oid) AS seclabels
FROM
    pg_catalog.pg_tablespace ts
ORDER BY name;
SELECT
    ts.oid AS oid, spcname AS name, spcowner as owner,
    pg_catalog.shobj_description(oid, 'pg_tablespace') AS description
FROM
    pg_catalog.pg_tablespace ts
ORDER BY name;
SELECT ts.spcname AS "Name",
    pg_catalog.pg_tablespace_size(ts.oid) AS "Size"
FROM
    pg_catalog.pg_tablespace ts;
SELECT name, vartype, min_val, max_val, enumvals
FROM pg_catalog.pg_show_all_settings()
WHERE name IN ('seq_page_cost', 'random_page_cost', 'effective_io_concurrency');
SELECT
    ts.oid, spcname AS name, spcoptions, pg_catalog.pg_get_userbyid(spcowner) as spcuser,
    pg_catalog.pg_tablespace_location(ts.oid) AS spclocation,
    pg_catalog.array_to_string(spcacl::text[], ', ') as acl,
    pg_catalog.shobj_description(oid, 'pg_tablespace') AS description,
    (SELECT
        pg_catalog.array_agg(provider || '=' || label)
    FROM pg_catalog.pg_shseclabel sl1
    WHERE sl1.objoid=ts.oid) AS seclabels
FROM
    pg_catalog.pg_tablespace ts
WHERE ts.oid=1663::OID
ORDER BY name;
SELECT 'spcacl' as deftype, COALESCE(gt.rolname, 'PUBLIC') grantee, g.rolname grantor,
    pg_catalog.array_agg(privilege_type) as privileges, pg_catalog.array_agg(is_grantable) as grantable
FROM
  (SELECT
    d.grantee, d.grantor, d.is_grantable,
    CASE d.privilege_type
    WHEN 'CREATE' THEN 'C'
    ELSE 'UNKNOWN'
    END AS privilege_type
  FROM
    (SELECT ts.spcacl
        FROM pg_catalog.pg_tablespace ts
                WHERE ts.oid=1663::OID
            ) acl,
    (SELECT (d).grantee AS grantee, (d).grantor AS grantor, (d).is_grantable
        AS is_grantable, (d).privilege_type AS privilege_type FROM (SELECT
        pg_catalog.aclexplode(ts.spcacl) as d FROM pg_catalog.pg_tablespace ts
                WHERE ts.oid=1663::OID
                ) a) d
    ) d
  LEFT JOIN pg_catalog.pg_roles g ON (d.grantor = g.oid)
  LEFT JOIN pg_catalog.pg_roles gt ON (d.grantee = gt.oid)
GROUP BY g.rolname, gt.rolname
ORDER BY grantee;
SELECT
    ts.oid AS oid, spcname AS name, spcowner as owner,
    pg_catalog.shobj_description(oid, 'pg_tablespace') AS description
FROM
    pg_catalog.pg_tablespace ts
WHERE
    ts.oid=1663::OID
ORDER BY name;
SELECT pg_catalog.pg_tablespace_size(1663::OID) AS "Size";
SELECT datname,
    datallowconn AND pg_catalog.has_database_privilege(datname, 'CONNECT') AS datallowconn,
    dattablespace
FROM pg_catalog.pg_database db
ORDER BY datname;
SELECT e.oid, e.evtname AS name,
    pg_catalog.obj_description(e.oid, 'pg_event_trigger') AS comment
FROM pg_catalog.pg_event_trigger e
ORDER BY e.evtname;
SELECT pg_catalog.quote_ident(nspname) || '.' || pg_catalog.quote_ident(proname) AS tfname
FROM pg_catalog.pg_proc p, pg_catalog.pg_namespace n, pg_catalog.pg_language l
WHERE p.pronamespace = n.oid AND p.prolang = l.oid AND p.pronargs = 0 AND l.lanname != 'sql' AND prorettype::regtype::text = 'event_trigger'
ORDER BY nspname ASC, proname ASC;
SELECT
    x.oid, pg_catalog.pg_get_userbyid(extowner) AS owner,
    x.extname AS name, n.nspname AS schema,
    x.extrelocatable AS relocatable, x.extversion AS version,
    e.comment
FROM
    pg_catalog.pg_extension x
    LEFT JOIN pg_catalog.pg_namespace n ON x.extnamespace=n.oid
    JOIN pg_catalog.pg_available_extensions() e ON x.extname=e.name ORDER BY x.extname;
SELECT
    a.name, a.installed_version,
    pg_catalog.array_agg(av.version) as version,
    pg_catalog.array_agg(av.schema) as schema,
    pg_catalog.array_agg(av.superuser) as superuser,
    pg_catalog.array_agg(av.relocatable) as relocatable
FROM
    pg_catalog.pg_available_extensions a
    LEFT JOIN pg_catalog.pg_available_extension_versions av ON (a.name = av.name)
GROUP BY a.name, a.installed_version
ORDER BY a.name;
SELECT nspname, proname as fdwhan,
       pg_catalog.quote_ident(nspname)||'.'||pg_catalog.quote_ident(proname) AS schema_prefix_fdw_hand
FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace nsp ON nsp.oid=pronamespace
WHERE pronargs=0 AND prorettype=3115;
SELECT nspname, proname as fdwvalue,
       pg_catalog.quote_ident(nspname)||'.'||pg_catalog.quote_ident(proname) AS schema_prefix_fdw_val
FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace nsp ON nsp.oid=pronamespace
WHERE proargtypes[0]=1009 AND proargtypes[1]=26;
SELECT
    CASE WHEN nspname != 'pg_catalog' THEN pg_catalog.quote_ident(nspname) || '.' || pg_catalog.quote_ident(proname)
    ELSE pg_catalog.quote_ident(proname)
    END AS label,
    CASE
    WHEN prorettype = 2280 THEN 'handler'
    WHEN proargtypes[0] = 2281 THEN 'inline'
    ELSE 'validator'
    END AS prop_type
FROM
    pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace nsp ON nsp.oid=pronamespace
WHERE
    prorettype=2280 OR
    (prorettype=2278 AND proargtypes[0]=26) OR
    (prorettype=2278 AND proargtypes[0]=2281);
SELECT c.oid AS oid, c.pubname AS name,
pubinsert AS evnt_insert, pubupdate AS evnt_update, pubdelete AS evnt_delete, pubtruncate AS evnt_truncate,
puballtables AS all_table,
pubviaroot AS publish_via_partition_root,
pga.rolname AS pubowner FROM pg_catalog.pg_publication c
JOIN pg_catalog.pg_roles pga ON c.pubowner= pga.oid;
SELECT oid , pubname AS name
FROM pg_catalog.pg_publication;
SELECT oid, sub.subname AS name FROM pg_catalog.pg_subscription sub
WHERE
    sub.subdbid = 16384;
SELECT
    stat.subname AS "Subscription name",
    stat.latest_end_time AS "Latest end time",
    stat.latest_end_lsn AS "Latest end lsn",
    stat.last_msg_receipt_time AS "Last message receipt",
    stat.last_msg_send_time AS "Last message send time"
FROM pg_catalog.pg_stat_subscription stat
LEFT JOIN pg_catalog.pg_subscription sub ON sub.subname = stat.subname
    WHERE sub.subdbid = 16384;
SELECT
    'nspacl' as deftype, COALESCE(gt.rolname, 'PUBLIC') AS grantee,
    g.rolname AS grantor, pg_catalog.array_agg(b.privilege_type) AS privileges,
    pg_catalog.array_agg(b.is_grantable) AS grantable
FROM
    (SELECT
        (d).grantee AS grantee, (d).grantor AS grantor,
        (d).is_grantable AS is_grantable,
        CASE (d).privilege_type
        WHEN 'CREATE' THEN 'C'
        WHEN 'USAGE' THEN 'U'
        ELSE 'UNKNOWN - ' || (d).privilege_type
        END AS privilege_type
    FROM
        (SELECT pg_catalog.aclexplode(nsp.nspacl) as d
        FROM pg_catalog.pg_namespace nsp
        WHERE nsp.oid = 2101174166::OID
        ) a
    ) b
    LEFT JOIN pg_catalog.pg_roles g ON (b.grantor = g.oid)
    LEFT JOIN pg_catalog.pg_roles gt ON (b.grantee = gt.oid)
GROUP BY g.rolname, gt.rolname
ORDER BY grantee;
SELECT aggfnoid::oid as oid,
  proname || '(' || COALESCE(pg_catalog.pg_get_function_arguments(aggfnoid::oid), '') || ')' AS name,
  pg_catalog.pg_get_userbyid(proowner) AS owner,
  description
FROM pg_catalog.pg_aggregate ag
  LEFT OUTER JOIN pg_catalog.pg_proc pr ON pr.oid = ag.aggfnoid
  LEFT OUTER JOIN pg_catalog.pg_type tt on tt.oid=aggtranstype
  LEFT OUTER JOIN pg_catalog.pg_type tf on tf.oid=prorettype
  LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=aggfnoid::oid AND des.classoid='pg_aggregate'::regclass)
  WHERE pronamespace = 2200::oid
ORDER BY name;
SELECT c.oid, c.collname AS name, des.description
FROM pg_catalog.pg_collation c
    LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=c.oid AND des.classoid='pg_collation'::regclass)
WHERE c.collnamespace = 2200::oid
ORDER BY c.collname;
SELECT --nspname, collname,
    CASE WHEN length(nspname::text) > 0 AND length(collname::text) > 0  THEN
        pg_catalog.concat(pg_catalog.quote_ident(nspname), '.', pg_catalog.quote_ident(collname))
    ELSE '' END AS copy_collation
FROM pg_catalog.pg_collation c, pg_catalog.pg_namespace n
WHERE c.collnamespace=n.oid
ORDER BY nspname, collname;
SELECT
    d.oid, d.typname as name, pg_catalog.pg_get_userbyid(d.typowner) as owner,
    bn.nspname as basensp, des.description
FROM
    pg_catalog.pg_type d
JOIN
    pg_catalog.pg_type b ON b.oid = d.typbasetype
JOIN
    pg_catalog.pg_namespace bn ON bn.oid=d.typnamespace
LEFT OUTER JOIN
    pg_catalog.pg_description des ON (des.objoid=d.oid AND des.classoid='pg_type'::regclass)
WHERE
    d.typnamespace = 2200::oid
ORDER BY
    d.typname;
SELECT --nspname, collname,
    CASE WHEN length(nspname::text) > 0 AND length(collname::text) > 0  THEN
    pg_catalog.concat(nspname, '."', collname,'"')
    ELSE '' END AS copy_collation
FROM
    pg_catalog.pg_collation c, pg_catalog.pg_namespace n
WHERE
    c.collnamespace=n.oid
ORDER BY
    nspname, collname;
SELECT
    cfg.oid, cfgname as name, des.description
FROM
    pg_catalog.pg_ts_config cfg
    LEFT OUTER JOIN pg_catalog.pg_description des
    ON (des.objoid=cfg.oid AND des.classoid='pg_ts_config'::regclass)
WHERE
    cfg.cfgnamespace = 2200::OID
ORDER BY name;
SELECT
    prsname,
    nspname,
    n.oid as schemaoid
FROM
    pg_catalog.pg_ts_parser
    JOIN pg_catalog.pg_namespace n
    ON n.oid=prsnamespace
ORDER BY
    prsname;
SELECT
    cfg.oid,
    cfgname,
    nspname,
    n.oid as schemaoid
FROM
    pg_catalog.pg_ts_config cfg
    JOIN pg_catalog.pg_namespace n
    ON n.oid=cfgnamespace
ORDER BY
    nspname,
    cfgname;
SELECT
	CASE WHEN (pg_ns.nspname != 'pg_catalog') THEN
        pg_catalog.CONCAT(pg_ns.nspname, '.', pg_td.dictname)
    ELSE pg_td.dictname END AS dictname
FROM pg_catalog.pg_ts_dict pg_td
LEFT OUTER JOIN pg_catalog.pg_namespace pg_ns
ON pg_td.dictnamespace = pg_ns.oid;
SELECT
    dict.oid, dictname as name,
    dictnamespace as schema,
    des.description
FROM
    pg_catalog.pg_ts_dict dict
    LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=dict.oid AND des.classoid='pg_ts_dict'::regclass)
WHERE
    dict.dictnamespace = 2200::OID
ORDER BY name;
SELECT
    tmplname,
    nspname,
    n.oid as schemaoid
FROM
    pg_catalog.pg_ts_template JOIN pg_catalog.pg_namespace n ON n.oid=tmplnamespace
ORDER BY
    tmplname;
SELECT
    prs.oid,
    prs.prsname as name,
    prs.prsstart,
    prs.prstoken,
    prs.prsend,
    prs.prslextype,
    prs.prsheadline,
    description,
    prs.prsnamespace AS schema
FROM
    pg_catalog.pg_ts_parser prs
    LEFT OUTER JOIN pg_catalog.pg_description des
ON
    (
    des.objoid=prs.oid
    AND des.classoid='pg_ts_parser'::regclass
    )
WHERE
    prs.prsnamespace = 2200::OID
ORDER BY prs.prsname;
SELECT
    prs.oid, prsname as name, prs.prsnamespace AS schema, des.description
FROM
    pg_catalog.pg_ts_parser prs
    LEFT OUTER JOIN pg_catalog.pg_description des
ON
    (
    des.objoid=prs.oid
    AND des.classoid='pg_ts_parser'::regclass
    )
WHERE
    prs.prsnamespace = 2200::OID
ORDER BY name;
SELECT
    proname, nspname
FROM
    pg_catalog.pg_proc JOIN pg_catalog.pg_namespace n ON n.oid=pronamespace
WHERE
    proargtypes='2281 23'
ORDER BY proname;
SELECT
    proname, nspname
FROM
    pg_catalog.pg_proc JOIN pg_catalog.pg_namespace n ON n.oid=pronamespace
WHERE
    prorettype=2278 and proargtypes='2281'
ORDER BY
    proname;
SELECT
    tmpl.oid,
    tmpl.tmplname as name,
    tmpl.tmplinit,
    tmpl.tmpllexize,
    description,
    tmpl.tmplnamespace AS schema
FROM
    pg_catalog.pg_ts_template tmpl
    LEFT OUTER JOIN pg_catalog.pg_description des
ON
    (
    des.objoid=tmpl.oid
    AND des.classoid='pg_ts_template'::regclass
    )
WHERE
    tmpl.tmplnamespace = 2200::OID
ORDER BY
    tmpl.tmplname;
SELECT
    tmpl.oid, tmplname as name, tmpl.tmplnamespace AS schema, des.description
FROM
    pg_catalog.pg_ts_template tmpl
    LEFT OUTER JOIN pg_catalog.pg_description des
ON
    (
    des.objoid=tmpl.oid
    AND des.classoid='pg_ts_template'::regclass
    )
WHERE
    tmpl.tmplnamespace = 2200::OID
ORDER BY name;
SELECT
    srvname
FROM
    pg_catalog.pg_foreign_server
ORDER
    BY srvname;
SELECT
    c.oid AS value, pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(c.relname) as label
FROM
    pg_catalog.pg_class c, pg_catalog.pg_namespace n
WHERE
    c.relnamespace=n.oid AND c.relkind IN ('r', 'f')
AND n.nspname NOT LIKE 'pg\_%' AND n.nspname NOT IN ('information_schema')
ORDER BY
    n.nspname, c.relname;
SELECT
    pr.oid, pr.proname || '(' || COALESCE(pg_catalog.pg_get_function_identity_arguments(pr.oid), '') || ')' as name,
    lanname, pg_catalog.pg_get_userbyid(proowner) as funcowner, description
FROM
    pg_catalog.pg_proc pr
JOIN
    pg_catalog.pg_type typ ON typ.oid=prorettype
JOIN
    pg_catalog.pg_language lng ON lng.oid=prolang
LEFT OUTER JOIN
    pg_catalog.pg_description des ON (des.objoid=pr.oid AND des.classoid='pg_proc'::regclass)
WHERE
   pr.prokind IN ('f', 'w')
    AND pronamespace = 2200::oid
    AND typname NOT IN ('trigger', 'event_trigger')
ORDER BY
    proname;
SELECT nsp.nspname FROM pg_catalog.pg_namespace nsp WHERE nsp.oid = 2200;
SELECT
    funcname AS "Name",
    calls AS "Number of calls",
    total_time AS "Total time",
    self_time AS "Self time"
FROM
    pg_catalog.pg_stat_user_functions
WHERE
    schemaname = 'public'
    AND funcid IN (
        SELECT p.oid
        FROM
            pg_catalog.pg_proc p
        JOIN
            pg_catalog.pg_type typ ON typ.oid=p.prorettype
        WHERE
            p.prokind IN ('f', 'w')
            AND typname NOT IN ('trigger', 'event_trigger')
    )
ORDER BY funcname;
SELECT
    lanname as label, lanname as value
FROM
    pg_catalog.pg_language;
SELECT pg_catalog.quote_ident(nspname) || '.' || pg_catalog.quote_ident(proname) AS sfunctions
FROM pg_catalog.pg_proc p, pg_catalog.pg_namespace n, pg_catalog.pg_language l
WHERE p.pronamespace = n.oid
AND p.prolang = l.oid
AND p.prorettype = 'internal'::regtype::oid
AND pg_catalog.array_to_string(p.proargtypes, ',') = 'internal'::regtype::oid::text
AND (l.lanname = 'internal' or l.lanname = 'c' )
--     -- If Show SystemObjects is not true
 	AND (nspname NOT LIKE 'pg\_%' AND nspname NOT in ('information_schema'))
ORDER BY nspname ASC, proname ASC;
SELECT
    COALESCE(gt.rolname, 'PUBLIC') AS grantee,
    g.rolname AS grantor, pg_catalog.array_agg(privilege_type) AS privileges,
    pg_catalog.array_agg(is_grantable) AS grantable
FROM
    (SELECT
        d.grantee, d.grantor, d.is_grantable,
        CASE d.privilege_type
        WHEN 'CONNECT' THEN 'c'
        WHEN 'CREATE' THEN 'C'
        WHEN 'DELETE' THEN 'd'
        WHEN 'EXECUTE' THEN 'X'
        WHEN 'INSERT' THEN 'a'
        WHEN 'REFERENCES' THEN 'x'
        WHEN 'SELECT' THEN 'r'
        WHEN 'TEMPORARY' THEN 'T'
        WHEN 'TRIGGER' THEN 't'
        WHEN 'TRUNCATE' THEN 'D'
        WHEN 'UPDATE' THEN 'w'
        WHEN 'USAGE' THEN 'U'
        ELSE 'UNKNOWN'
        END AS privilege_type
    FROM
        (SELECT
            (d).grantee AS grantee, (d).grantor AS grantor,
            (d).is_grantable AS is_grantable,
            (d).privilege_type AS privilege_type
        FROM
            (SELECT pg_catalog.aclexplode(db.proacl) AS d FROM pg_catalog.pg_proc db
            WHERE db.oid = 1921879852::OID) a ORDER BY privilege_type
        ) d
    ) d
    LEFT JOIN pg_catalog.pg_roles g ON (d.grantor = g.oid)
    LEFT JOIN pg_catalog.pg_roles gt ON (d.grantee = gt.oid)
GROUP BY g.rolname, gt.rolname
ORDER BY grantee;
SELECT
    pr.oid, pr.proname || '(' || COALESCE(pg_catalog.pg_get_function_identity_arguments(pr.oid), '') || ')' as name,
    lanname, pg_catalog.pg_get_userbyid(proowner) as funcowner, description
FROM
    pg_catalog.pg_proc pr
JOIN
    pg_catalog.pg_type typ ON typ.oid=prorettype
JOIN
    pg_catalog.pg_language lng ON lng.oid=prolang
LEFT OUTER JOIN
    pg_catalog.pg_description des ON (des.objoid=pr.oid AND des.classoid='pg_proc'::regclass)
WHERE
   pr.prokind IN ('f', 'w')
    AND pr.oid = 1921879852
    AND pronamespace = 2200::oid
    AND typname NOT IN ('trigger', 'event_trigger')
ORDER BY
    proname;
SELECT
    nspname
FROM
    pg_catalog.pg_namespace
WHERE
    oid = 2200::oid;
SELECT
    pg_catalog.pg_get_functiondef(1921879852::oid) AS func_def,
    COALESCE(pg_catalog.pg_get_function_identity_arguments(pr.oid), '') as
    func_with_identity_arguments,
    nspname,
    pr.proname as proname,
    COALESCE(pg_catalog.pg_get_function_arguments(pr.oid), '') as func_args
FROM
    pg_catalog.pg_proc pr
JOIN
    pg_catalog.pg_namespace nsp ON nsp.oid=pr.pronamespace
WHERE
    pr.prokind IN ('f', 'w')
    AND pronamespace = 2200::oid
    AND pr.oid = 1921879852::oid;
SELECT
    calls AS "Number of calls",
    total_time AS "Total time",
    self_time AS "Self time"
FROM
    pg_catalog.pg_stat_user_functions
WHERE
    funcid = 1921879852::OID;
SELECT
    pr.oid,
    CASE WHEN
        pg_catalog.pg_get_function_identity_arguments(pr.oid) <> ''
    THEN
        pr.proname || '(' || pg_catalog.pg_get_function_identity_arguments(pr.oid) || ')'
    ELSE
        pr.proname::text
    END AS name,
    lanname, pg_catalog.pg_get_userbyid(proowner) AS funcowner, description
FROM
    pg_catalog.pg_proc pr
JOIN
    pg_catalog.pg_type typ ON typ.oid=prorettype
JOIN
    pg_catalog.pg_language lng ON lng.oid=prolang
LEFT OUTER JOIN
    pg_catalog.pg_description des ON (des.objoid=pr.oid AND des.classoid='pg_proc'::regclass)
WHERE
    pr.prokind = 'p'::char
    AND pronamespace = 2200::oid
    AND typname NOT IN ('trigger', 'event_trigger')
ORDER BY
    proname;
SELECT
    funcname AS "Name",
    calls AS "Number of calls",
    total_time AS "Total time",
    self_time AS "Self time"
FROM
    pg_catalog.pg_stat_user_functions
WHERE
    schemaname = 'public'
    AND funcid IN (
        SELECT p.oid
        FROM
            pg_catalog.pg_proc p
        JOIN
            pg_catalog.pg_type typ ON typ.oid=p.prorettype
        WHERE
            p.prokind = 'p'::char
            AND typname NOT IN ('trigger', 'event_trigger')
    )
ORDER BY funcname;
SELECT
    pr.oid, pr.proname || '()' as name,
    lanname, pg_catalog.pg_get_userbyid(proowner) as funcowner, description
FROM
    pg_catalog.pg_proc pr
JOIN
    pg_catalog.pg_type typ ON typ.oid=prorettype
JOIN
    pg_catalog.pg_language lng ON lng.oid=prolang
LEFT OUTER JOIN
    pg_catalog.pg_description des ON (des.objoid=pr.oid AND des.classoid='pg_proc'::regclass)
WHERE
    pr.prokind IN ('f', 'w')
    AND pronamespace = 2200::oid
    AND typname IN ('trigger', 'event_trigger')
    AND lanname NOT IN ('edbspl', 'sql', 'internal')
ORDER BY
    proname;
SELECT
    funcname AS "Name",
    calls AS "Number of calls",
    total_time AS "Total time",
    self_time AS "Self time"
FROM
    pg_catalog.pg_stat_user_functions
WHERE
    schemaname = 'public'
    AND funcid IN (
        SELECT p.oid
        FROM
            pg_catalog.pg_proc p
        JOIN
            pg_catalog.pg_type typ ON typ.oid=p.prorettype
        WHERE
            p.prokind IN ('f', 'w')
            AND typname = 'trigger'
    )
ORDER BY funcname;
-- Fetches access methods
SELECT oid, amname
FROM pg_catalog.pg_am WHERE amtype = 't';
SELECT
    c.oid,
    c.relname AS name,
    description AS comment
FROM pg_catalog.pg_class c
LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=c.oid and des.objsubid=0 AND des.classoid='pg_class'::regclass)
WHERE
  c.relkind = 'm'
    AND c.relnamespace = 2200::oid
ORDER BY
    c.relname;
SELECT
    st.relname AS "View Name",
    pg_catalog.pg_relation_size(st.relid)
        + CASE WHEN cl.reltoastrelid = 0 THEN 0 ELSE pg_catalog.pg_relation_size(cl.reltoastrelid)
        + COALESCE((SELECT SUM(pg_catalog.pg_relation_size(indexrelid))
                        FROM pg_catalog.pg_index WHERE indrelid=cl.reltoastrelid)::int8, 0) END
        + COALESCE((SELECT SUM(pg_catalog.pg_relation_size(indexrelid))
                        FROM pg_catalog.pg_index WHERE indrelid=st.relid)::int8, 0) AS "Total Size",
    n_tup_ins AS "Tuples inserted",
    n_tup_upd AS "Tuples updated",
    n_tup_del AS "Tuples deleted",
    n_tup_hot_upd AS "Tuples HOT updated",
    n_live_tup AS "Live tuples",
    n_dead_tup AS "Dead tuples",
    last_vacuum AS "Last vacuum",
    last_autovacuum AS "Last autovacuum",
    last_analyze AS "Last analyze",
    last_autoanalyze AS "Last autoanalyze",
    vacuum_count AS "Vacuum counter",
    autovacuum_count AS "Autovacuum counter",
    analyze_count AS "Analyze counter",
    autoanalyze_count AS "Autoanalyze counter"
FROM
    pg_catalog.pg_stat_all_tables st
JOIN
    pg_catalog.pg_class cl on cl.oid=st.relid and cl.relkind = 'm'
WHERE
    schemaname = 'public'
ORDER BY st.relname;
SELECT name, setting::numeric AS setting FROM pg_catalog.pg_show_all_settings() WHERE name IN('autovacuum_vacuum_threshold','autovacuum_analyze_threshold','autovacuum_vacuum_scale_factor','autovacuum_analyze_scale_factor','autovacuum_vacuum_cost_delay','autovacuum_vacuum_cost_limit','autovacuum_freeze_max_age','vacuum_freeze_min_age','vacuum_freeze_table_age') ORDER BY name;
SELECT name, setting::numeric AS setting FROM pg_catalog.pg_show_all_settings() WHERE name IN('autovacuum_vacuum_threshold','autovacuum_vacuum_scale_factor','autovacuum_vacuum_cost_delay','autovacuum_vacuum_cost_limit','autovacuum_freeze_max_age','vacuum_freeze_min_age','vacuum_freeze_table_age') ORDER BY name;
SELECT
    c.oid,
    c.xmin,
    c.relkind,
    description AS comment,
    (CASE WHEN length(spc.spcname::text) > 0 THEN spc.spcname ELSE 'pg_default' END) as spcname,
    c.relname AS name,
    c.reltablespace AS spcoid,
    nsp.nspname AS schema,
    c.relispopulated AS ispopulated,
    pg_catalog.pg_get_userbyid(c.relowner) AS owner,
    pg_catalog.array_to_string(c.relacl::text[], ', ') AS acl,
    pg_catalog.pg_get_viewdef(c.oid, true) AS definition,
            CASE WHEN {{fleet}} <= 16383 THEN True ELSE False END AS system_view,
        (SELECT
        pg_catalog.array_agg(provider || '=' || label)
     FROM
        pg_catalog.pg_seclabels sl1
     WHERE
        sl1.objoid=c.oid AND sl1.objsubid=0
    ) AS seclabels,
    substring(pg_catalog.array_to_string(c.reloptions, ',')
        FROM 'check_option=([a-z]*)') AS check_option,
    (substring(pg_catalog.array_to_string(c.reloptions, ',')
        FROM 'security_barrier=([a-z|0-9]*)'))::boolean AS security_barrier,
    (substring(pg_catalog.array_to_string(c.reloptions, ',')
        FROM 'security_invoker=([a-z|0-9]*)'))::boolean AS security_invoker
FROM pg_catalog.pg_class c
LEFT OUTER JOIN pg_catalog.pg_namespace nsp on nsp.oid = c.relnamespace
LEFT OUTER JOIN pg_catalog.pg_tablespace spc on spc.oid=c.reltablespace
LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=c.oid and des.objsubid=0 AND des.classoid='pg_class'::regclass)
    WHERE ((c.relhasrules AND (EXISTS (
        SELECT
            r.rulename
        FROM
            pg_catalog.pg_rewrite r
        WHERE
            ((r.ev_class = c.oid)
                AND (bpchar(r.ev_type) = '1'::bpchar)) )))
            AND (c.relkind = 'v'::char)
          )
    AND c.oid = {{fleet}}::oid;
SELECT
    'datacl' as deftype,
    COALESCE(gt.rolname, 'PUBLIC') grantee,
    g.rolname grantor,
    pg_catalog.array_agg(privilege_type) as privileges,
    pg_catalog.array_agg(is_grantable) as grantable
FROM
    (SELECT
        d.grantee, d.grantor, d.is_grantable,
        CASE d.privilege_type
        WHEN 'DELETE' THEN 'd'
        WHEN 'INSERT' THEN 'a'
        WHEN 'MAINTAIN' THEN 'm'
        WHEN 'REFERENCES' THEN 'x'
        WHEN 'SELECT' THEN 'r'
        WHEN 'TRIGGER' THEN 't'
        WHEN 'UPDATE' THEN 'w'
        WHEN 'TRUNCATE' THEN 'D'
        ELSE 'UNKNOWN'
        END AS privilege_type
    FROM
        (SELECT
            relacl
         FROM
            pg_catalog.pg_class cl
         LEFT OUTER JOIN pg_catalog.pg_shdescription descr ON
            (cl.oid=descr.objoid AND descr.classoid='pg_class'::regclass)
         WHERE
            cl.oid = {{fleet}}::OID AND relkind = 'v'
        ) acl,
        pg_catalog.aclexplode(relacl) d
    ) d
LEFT JOIN pg_catalog.pg_roles g ON (d.grantor = g.oid)
LEFT JOIN pg_catalog.pg_roles gt ON (d.grantee = gt.oid)
GROUP BY
    g.rolname,
    gt.rolname
ORDER BY grantee;
SELECT
    CASE WHEN c.relkind = 'm' THEN True ELSE False END As m_view
FROM
    pg_catalog.pg_class c
WHERE
    c.oid = {{fleet}}::oid;
SELECT
    CASE WHEN c.relkind = 'm' THEN False ELSE True END As m_view
FROM
    pg_catalog.pg_class c
WHERE
    c.oid = {{fleet}}::oid;
SELECT
    c.oid,
    c.relname AS name,
    description AS comment
FROM pg_catalog.pg_class c
LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=c.oid and des.objsubid=0 AND des.classoid='pg_class'::regclass)
WHERE
  c.relkind = 'v'
    AND c.oid = {{fleet}}::oid;
SELECT
    rw.oid AS oid,
    rw.rulename AS name,
    rw.ev_type,
    rw.is_instead,
    relname AS view,
    CASE WHEN relkind = 'r' THEN TRUE ELSE FALSE END AS parentistable,
    nspname AS schema,
    description AS comment,
        CASE WHEN rw.rulename = '_RETURN' THEN True ELSE False END AS system_rule,
    CASE WHEN rw.ev_enabled != 'D' THEN True ELSE False END AS enabled,
    rw.ev_enabled AS is_enable_rule,
    pg_catalog.pg_get_ruledef(rw.oid) AS definition
FROM
    pg_catalog.pg_rewrite rw
JOIN pg_catalog.pg_class cl ON cl.oid=rw.ev_class
JOIN pg_catalog.pg_namespace nsp ON nsp.oid=cl.relnamespace
LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=rw.oid AND des.classoid='pg_rewrite'::regclass)
WHERE
        ev_class = {{fleet}}
  ORDER BY
    rw.rulename;
SELECT t.oid,t.tgname AS name, t.xmin, t.tgenabled AS is_enable_trigger, t.*, relname, CASE WHEN relkind = 'r' THEN TRUE ELSE FALSE END AS parentistable,
    nspname, des.description, l.lanname, p.proname AS tfunction,
    COALESCE(pg_catalog.substring(pg_catalog.pg_get_triggerdef(t.oid, true), 'WHEN (.*) EXECUTE (PROCEDURE|FUNCTION)'),
    pg_catalog.substring(pg_catalog.pg_get_triggerdef(t.oid, true), 'WHEN (.*)  \$trigger')) AS whenclause,
    -- We need to convert tgargs column bytea datatype to array datatype
    (pg_catalog.string_to_array(encode(tgargs, 'escape'), E'\\000')::text[])[1:tgnargs] AS custom_tgargs,
    (CASE WHEN tgconstraint != 0::OID THEN true ElSE false END) AS is_constraint_trigger,
    tgoldtable,
    tgnewtable
FROM pg_catalog.pg_trigger t
    JOIN pg_catalog.pg_class cl ON cl.oid=tgrelid
    JOIN pg_catalog.pg_namespace na ON na.oid=relnamespace
    LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=t.oid AND des.classoid='pg_trigger'::regclass)
    LEFT OUTER JOIN pg_catalog.pg_proc p ON p.oid=t.tgfoid
    LEFT OUTER JOIN pg_catalog.pg_language l ON l.oid=p.prolang
WHERE NOT tgisinternal
    AND tgrelid = {{fleet}}::OID
ORDER BY tgname;
SELECT DISTINCT ON (cls.relname)
  cls.oid,
  cls.relname AS name,
  idx.indrelid,
  idx.indkey,
  idx.indisclustered,
  idx.indisvalid,
  idx.indisunique,
  idx.indisprimary,
  n.nspname,
  idx.indnatts,
  COALESCE(cls.reltablespace, 0) AS spcoid,
  idx.indnullsnotdistinct,
  COALESCE(
    CASE
          WHEN (cls.reltablespace <> 0 OR cls.relkind = 'I') THEN ta.spcname
          ELSE (
              SELECT sp.spcname
              FROM pg_catalog.pg_database dtb
              JOIN pg_catalog.pg_tablespace sp ON dtb.dattablespace = sp.oid
              WHERE dtb.oid = 16384::oid
              LIMIT 1
          )
      END, 'pg_default'
  ) AS spcname,
  con.conname,
  tab.relname AS tabname,
  idx.indclass,
  con.oid AS conoid,
  CASE
      WHEN con.contype IN ('p', 'u', 'x') THEN desp.description
      ELSE des.description
  END AS description,
  (
      SELECT array_agg(DISTINCT e.extname)
      FROM pg_catalog.pg_depend d
      JOIN pg_catalog.pg_extension e ON d.refobjid = e.oid
      WHERE d.objid = cls.oid
  ) AS dependsonextensions,
  pg_catalog.pg_get_expr(idx.indpred, idx.indrelid, true) AS indconstraint,
  con.contype,
  con.condeferrable,
  con.condeferred,
  am.amname,
  EXISTS (
      SELECT 1 FROM pg_catalog.pg_inherits inh WHERE inh.inhrelid = cls.oid
  ) AS is_inherited,
  -- Options (with defaults per index type)
    substring(array_to_string(cls.reloptions, ',') FROM 'fillfactor=([0-9]*)')::int AS fillfactor,
    substring(array_to_string(cls.reloptions, ',') FROM 'deduplicate_items=([a-z]*)')::boolean AS deduplicate_items,
    substring(array_to_string(cls.reloptions, ',') FROM 'gin_pending_list_limit=([0-9]*)')::int AS gin_pending_list_limit,
    substring(array_to_string(cls.reloptions, ',') FROM 'pages_per_range=([0-9]*)')::int AS pages_per_range,
    substring(array_to_string(cls.reloptions, ',') FROM 'buffering=([a-z]*)') AS buffering,
    substring(array_to_string(cls.reloptions, ',') FROM 'fastupdate=([a-z]*)')::boolean AS fastupdate,
    substring(array_to_string(cls.reloptions, ',') FROM 'autosummarize=([a-z]*)')::boolean AS autosummarize,
    substring(array_to_string(cls.reloptions, ',') FROM 'lists=([0-9]*)')::int AS lists
    FROM pg_catalog.pg_index idx
    JOIN pg_catalog.pg_class cls ON cls.oid = idx.indexrelid
    JOIN pg_catalog.pg_class tab ON tab.oid = idx.indrelid
    LEFT JOIN pg_catalog.pg_tablespace ta ON ta.oid = cls.reltablespace
    JOIN pg_catalog.pg_namespace n ON n.oid = tab.relnamespace
    JOIN pg_catalog.pg_am am ON am.oid = cls.relam
    LEFT JOIN pg_catalog.pg_depend dep ON dep.classid = cls.tableoid
        AND dep.objid = cls.oid
        AND dep.refobjsubid = 0
        AND dep.refclassid = (SELECT oid FROM pg_catalog.pg_class WHERE relname = 'pg_constraint')
        AND dep.deptype = 'i'
    LEFT JOIN pg_catalog.pg_constraint con ON con.tableoid = dep.refclassid AND con.oid = dep.refobjid
    LEFT JOIN pg_catalog.pg_description des ON des.objoid = cls.oid AND des.classoid = 'pg_class'::regclass
    LEFT JOIN pg_catalog.pg_description desp ON desp.objoid = con.oid AND desp.objsubid = 0 AND desp.classoid = 'pg_constraint'::regclass
WHERE idx.indrelid = {{fleet}}::OID
        AND con.conname IS NULL
        ORDER BY cls.relname;
WITH INH_TABLES AS
    (SELECT
     at.attname AS name, ph.inhparent AS inheritedid, ph.inhseqno,
     pg_catalog.concat(nmsp_parent.nspname, '.',parent.relname ) AS inheritedfrom
    FROM
        pg_catalog.pg_attribute at
    JOIN
        pg_catalog.pg_inherits ph ON ph.inhparent = at.attrelid AND ph.inhrelid = 33896::oid
    JOIN
        pg_catalog.pg_class parent ON ph.inhparent  = parent.oid
    JOIN
        pg_catalog.pg_namespace nmsp_parent ON nmsp_parent.oid  = parent.relnamespace
    GROUP BY at.attname, ph.inhparent, ph.inhseqno, inheritedfrom
    ORDER BY at.attname, ph.inhparent, ph.inhseqno, inheritedfrom
    )
SELECT DISTINCT ON (att.attnum) att.attname as name, att.atttypid, att.attlen, att.attnum, att.attndims,
		att.atttypmod, att.attacl, att.attnotnull, att.attoptions, att.attfdwoptions, att.attstattarget,
		att.attstorage, att.attidentity,
		pg_catalog.pg_get_expr(def.adbin, def.adrelid) AS defval,
		pg_catalog.format_type(ty.oid,NULL) AS typname,
        pg_catalog.format_type(ty.oid,att.atttypmod) AS displaytypname,
		pg_catalog.format_type(ty.oid,att.atttypmod) AS cltype,
		inh.inheritedfrom,
		inh.inheritedid,
        CASE WHEN ty.typelem > 0 THEN ty.typelem ELSE ty.oid END as elemoid,
		(SELECT nspname FROM pg_catalog.pg_namespace WHERE oid = ty.typnamespace) as typnspname,
        ty.typstorage AS defaultstorage,
		description, pi.indkey,
	(SELECT count(1) FROM pg_catalog.pg_type t2 WHERE t2.typname=ty.typname) > 1 AS isdup,
	CASE WHEN length(coll.collname::text) > 0 AND length(nspc.nspname::text) > 0  THEN
	  pg_catalog.concat(pg_catalog.quote_ident(nspc.nspname),'.',pg_catalog.quote_ident(coll.collname))
	ELSE '' END AS collspcname,
	EXISTS(SELECT 1 FROM pg_catalog.pg_constraint WHERE conrelid=att.attrelid AND contype='f' AND att.attnum=ANY(conkey)) As is_fk,
	(SELECT pg_catalog.array_agg(provider || '=' || label) FROM pg_catalog.pg_seclabels sl1 WHERE sl1.objoid=att.attrelid AND sl1.objsubid=att.attnum) AS seclabels,
	(CASE WHEN (att.attnum < 1) THEN true ElSE false END) AS is_sys_column,
	(CASE WHEN (att.attidentity in ('a', 'd')) THEN 'i' WHEN (att.attgenerated in ('s')) THEN 'g' ELSE 'n' END) AS colconstype,
	(CASE WHEN (att.attgenerated in ('s')) THEN pg_catalog.pg_get_expr(def.adbin, def.adrelid) END) AS genexpr, tab.relname as relname,
	(CASE WHEN tab.relkind = 'v' THEN true ELSE false END) AS is_view_only,
	(CASE WHEN att.attcompression = 'p' THEN 'pglz' WHEN att.attcompression = 'l' THEN 'lz4' END) AS attcompression,
	(SELECT dsd.refobjid
	 FROM pg_catalog.pg_depend dsd
	   JOIN pg_catalog.pg_class dsc ON dsd.refclassid='pg_catalog.pg_class'::regclass
	     AND dsd.refobjid=dsc.oid AND dsc.relkind='S'
	 WHERE dsd.classid='pg_catalog.pg_attrdef'::regclass
	   AND dsd.objid=def.oid AND dsd.deptype='n'
	 ORDER BY dsd.refobjid
	 LIMIT 1) AS defseqrelid,
	seq.*
FROM pg_catalog.pg_attribute att
  JOIN pg_catalog.pg_type ty ON ty.oid=atttypid
  LEFT OUTER JOIN pg_catalog.pg_attrdef def ON adrelid=att.attrelid AND adnum=att.attnum
  LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=att.attrelid AND des.objsubid=att.attnum AND des.classoid='pg_class'::regclass)
  LEFT OUTER JOIN (pg_catalog.pg_depend dep JOIN pg_catalog.pg_class cs ON dep.classid='pg_class'::regclass AND dep.objid=cs.oid AND cs.relkind='S') ON dep.refobjid=att.attrelid AND dep.refobjsubid=att.attnum
  LEFT OUTER JOIN pg_catalog.pg_index pi ON pi.indrelid=att.attrelid AND indisprimary
  LEFT OUTER JOIN pg_catalog.pg_collation coll ON att.attcollation=coll.oid
  LEFT OUTER JOIN pg_catalog.pg_namespace nspc ON coll.collnamespace=nspc.oid
  LEFT OUTER JOIN pg_catalog.pg_sequence seq ON cs.oid=seq.seqrelid
  LEFT OUTER JOIN pg_catalog.pg_class tab on tab.oid = att.attrelid
  LEFT OUTER join INH_TABLES as INH ON att.attname = INH.name
WHERE att.attrelid = {{fleet}}::oid
    AND att.attnum > 0
    AND att.attisdropped IS FALSE
    ORDER BY att.attnum;
SELECT
    CASE WHEN att.attname IS NOT NULL AND ref.relname IS NOT NULL THEN ref.relname || '.' || att.attname
       ELSE ref.relname
    END AS refname,
    d2.refclassid, d1.deptype AS deptype
FROM pg_catalog.pg_depend d1
    LEFT JOIN pg_catalog.pg_depend d2 ON d1.objid=d2.objid AND d1.refobjid != d2.refobjid
    LEFT JOIN pg_catalog.pg_class ref ON ref.oid = d2.refobjid
    LEFT JOIN pg_catalog.pg_attribute att ON d2.refobjid=att.attrelid AND d2.refobjsubid=att.attnum
WHERE d1.classid=(SELECT oid FROM pg_catalog.pg_class WHERE relname='pg_attrdef')
    AND d2.refobjid NOT IN (SELECT d3.refobjid FROM pg_catalog.pg_depend d3 WHERE d3.objid=d1.refobjid)
    AND d1.refobjid={{tickets}}::oid;
SELECT cl.oid as oid, relname as name, relnamespace as schema, description as comment
FROM pg_catalog.pg_class cl
LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=cl.oid
    AND des.classoid='pg_class'::regclass)
WHERE
    relkind = 'S'
    AND relnamespace = 2200::oid
ORDER BY relname;
SELECT
    relname AS "Name",
    blks_read AS "Blocks read",
    blks_hit AS "Blocks hit"
FROM
    pg_catalog.pg_statio_all_sequences
WHERE
    schemaname = 'public'
ORDER BY relname;
SELECT
    cl.oid as oid,
    cl.relname as name,
    nsp.nspname as schema,
    pg_catalog.pg_get_userbyid(cl.relowner) AS seqowner,
    description as comment,
    pg_catalog.array_to_string(cl.relacl::text[], ', ') as acl,
    (SELECT pg_catalog.array_agg(provider || '=' || label) FROM pg_catalog.pg_seclabels sl1 WHERE sl1.objoid=cl.oid) AS securities,
    depcl.relname AS owned_table,
    att.attname AS owned_column,
    (CASE WHEN cl.relpersistence = 'u' THEN true ELSE false END) AS relpersistence
FROM pg_catalog.pg_class cl
    LEFT OUTER JOIN pg_catalog.pg_namespace nsp ON cl.relnamespace = nsp.oid
    LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=cl.oid
        AND des.classoid='pg_class'::regclass)
	LEFT OUTER JOIN pg_catalog.pg_depend dep ON (dep.objid=cl.oid and deptype = 'a')
	LEFT JOIN pg_catalog.pg_attribute att ON dep.refobjid=att.attrelid AND dep.refobjsubid=att.attnum
	LEFT JOIN pg_catalog.pg_class depcl ON depcl.oid = att.attrelid
WHERE cl.relkind = 'S' AND cl.relnamespace  = 2200::oid
AND cl.oid = {{tickets}}::oid ORDER BY cl.relname;
SELECT
    last_value,
    seqmin AS min_value,
    seqmax AS max_value,
    seqstart AS start_value,
    seqcache AS cache_value,
    seqcycle AS is_cycled,
    seqincrement AS increment_by,
    is_called
FROM pg_catalog.pg_sequence, main.tickets
WHERE seqrelid = {{tickets}};
SELECT 'relacl' as deftype, COALESCE(gt.rolname, 'PUBLIC') grantee, g.rolname grantor, pg_catalog.array_agg(privilege_type) as privileges, pg_catalog.array_agg(is_grantable) as grantable
FROM
    (SELECT
        d.grantee, d.grantor, d.is_grantable,
        CASE d.privilege_type
        WHEN 'CONNECT' THEN 'c'
        WHEN 'CREATE' THEN 'C'
        WHEN 'DELETE' THEN 'd'
        WHEN 'EXECUTE' THEN 'X'
        WHEN 'INSERT' THEN 'a'
        WHEN 'REFERENCES' THEN 'x'
        WHEN 'SELECT' THEN 'r'
        WHEN 'TEMPORARY' THEN 'T'
        WHEN 'TRIGGER' THEN 't'
        WHEN 'TRUNCATE' THEN 'D'
        WHEN 'UPDATE' THEN 'w'
        WHEN 'USAGE' THEN 'U'
        ELSE 'UNKNOWN'
        END AS privilege_type
    FROM
        pg_catalog.aclexplode((SELECT relacl
            FROM pg_catalog.pg_class cl
            LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=cl.oid AND des.classoid='pg_class'::regclass)
            WHERE relkind = 'S' AND relnamespace  = 2200::oid
            AND cl.oid = {{tickets}}::oid )) d
        ) d
    LEFT JOIN pg_catalog.pg_roles g ON (d.grantor = g.oid)
    LEFT JOIN pg_catalog.pg_roles gt ON (d.grantee = gt.oid)
GROUP BY g.rolname, gt.rolname
ORDER BY grantee;
SELECT cl.oid as oid, relname as name, relnamespace as schema, description as comment
FROM pg_catalog.pg_class cl
LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=cl.oid
    AND des.classoid='pg_class'::regclass)
WHERE
    relkind = 'S'
    AND relnamespace = 2200::oid
    AND cl.oid = {{tickets}}::oid
ORDER BY relname;
SELECT
    blks_read AS "Blocks read",
    blks_hit AS "Blocks hit"
FROM
    pg_catalog.pg_statio_all_sequences
WHERE
    relid = {{tickets}}::OID;
SELECT t.oid, t.typname AS name, des.description, ra.rngmultitypid as rngmultirangetype
FROM pg_catalog.pg_type t
    LEFT OUTER JOIN pg_catalog.pg_type e ON e.oid=t.typelem
    LEFT OUTER JOIN pg_catalog.pg_range ra ON ra.rngtypid=t.oid
    LEFT OUTER JOIN pg_catalog.pg_class ct ON ct.oid=t.typrelid AND ct.relkind <> 'c'
    LEFT OUTER JOIN pg_catalog.pg_namespace nsp ON nsp.oid = t.typnamespace
    LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=t.oid AND des.classoid='pg_type'::regclass)
WHERE t.typtype != 'd' AND t.typname NOT LIKE E'\\_%' AND t.typnamespace = 2200::oid
    AND ct.oid is NULL
ORDER BY t.typname;
SELECT DISTINCT typ.typname AS stype,
    (CASE WHEN typ.typcollation > 0 THEN true ELSE false END) AS is_collate
FROM pg_catalog.pg_opclass opc
    JOIN pg_catalog.pg_type typ ON opc.opcintype = typ.oid
WHERE opc.opcmethod = 403
ORDER BY 1;
SELECT --nspname, collname,
    CASE WHEN length(nspname::text) > 0 AND length(collname::text) > 0  THEN
        pg_catalog.concat(pg_catalog.quote_ident(nspname), '.', pg_catalog.quote_ident(collname))
    ELSE '' END AS collation
FROM pg_catalog.pg_collation c, pg_catalog.pg_namespace n
WHERE c.collnamespace=n.oid
ORDER BY nspname, collname;
SELECT proname, nspname,
    CASE WHEN length(nspname::text) > 0 and length(proname::text) > 0  THEN
        pg_catalog.concat(pg_catalog.quote_ident(nspname), '.', pg_catalog.quote_ident(proname))
    WHEN length(proname::text) > 0 THEN
        pg_catalog.quote_ident(proname)
    ELSE '' END AS func
FROM (
    SELECT proname, nspname, max(proargtypes[0]) AS arg0, max(proargtypes[1]) AS arg1
FROM pg_catalog.pg_proc p
    JOIN pg_catalog.pg_namespace n ON n.oid=pronamespace
GROUP BY proname, nspname
HAVING count(proname) = 1) AS uniquefunc
WHERE arg0 <> 0 AND (arg1 IS NULL OR arg1 <> 0);
SELECT proname, nspname,
    CASE WHEN length(nspname::text) > 0 AND length(proname::text) > 0  THEN
        pg_catalog.concat(pg_catalog.quote_ident(nspname), '.', pg_catalog.quote_ident(proname))
    ELSE '' END AS func
FROM pg_catalog.pg_proc p
    JOIN pg_catalog.pg_namespace n ON n.oid=pronamespace
WHERE prorettype=(SELECT oid FROM pg_catalog.pg_type WHERE typname='int4')
    AND proargtypes[0]=(SELECT oid FROM pg_catalog.pg_type WHERE typname='_cstring')
    AND proargtypes[1] IS NULL
ORDER BY nspname, proname;
SELECT 'typacl' as deftype, COALESCE(gt.rolname, 'PUBLIC') grantee, g.rolname grantor, pg_catalog.array_agg(privilege_type) as privileges, pg_catalog.array_agg(is_grantable) as grantable
FROM
    (SELECT
        d.grantee, d.grantor, d.is_grantable,
        CASE d.privilege_type
        WHEN 'USAGE' THEN 'U'
        ELSE 'UNKNOWN'
        END AS privilege_type
    FROM
        (SELECT t.typacl
            FROM pg_catalog.pg_type t
            LEFT OUTER JOIN pg_catalog.pg_type e ON e.oid=t.typelem
            LEFT OUTER JOIN pg_catalog.pg_class ct ON ct.oid=t.typrelid AND ct.relkind <> 'c'
            LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=t.oid AND des.classoid='pg_type'::regclass)
            WHERE t.typtype != 'd' AND t.typname NOT LIKE E'\\_%' AND t.typnamespace = 2200::oid
                        AND t.oid = 1173861191::oid
                    ) acl,
        (SELECT (d).grantee AS grantee, (d).grantor AS grantor, (d).is_grantable
            AS is_grantable, (d).privilege_type AS privilege_type FROM (SELECT
            pg_catalog.aclexplode(t.typacl) as d FROM pg_catalog.pg_type t WHERE t.oid = 1173861191::oid) a ORDER BY privilege_type) d
        ) d
    LEFT JOIN pg_catalog.pg_roles g ON (d.grantor = g.oid)
    LEFT JOIN pg_catalog.pg_roles gt ON (d.grantee = gt.oid)
GROUP BY g.rolname, gt.rolname
ORDER BY grantee;
SELECT enumlabel
FROM pg_catalog.pg_enum
    WHERE enumtypid=1173861191::oid
    ORDER by enumsortorder;
SELECT t.oid, t.typname AS name, des.description, ra.rngmultitypid as rngmultirangetype
FROM pg_catalog.pg_type t
    LEFT OUTER JOIN pg_catalog.pg_type e ON e.oid=t.typelem
    LEFT OUTER JOIN pg_catalog.pg_range ra ON ra.rngtypid=t.oid
    LEFT OUTER JOIN pg_catalog.pg_class ct ON ct.oid=t.typrelid AND ct.relkind <> 'c'
    LEFT OUTER JOIN pg_catalog.pg_namespace nsp ON nsp.oid = t.typnamespace
    LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=t.oid AND des.classoid='pg_type'::regclass)
WHERE t.typtype != 'd' AND t.typname NOT LIKE E'\\_%' AND t.typnamespace = 2200::oid
    AND t.oid = 1173861191::oid
    AND ct.oid is NULL
ORDER BY t.typname;
SELECT rolname AS refname, refclassid, deptype
FROM pg_catalog.pg_shdepend dep
LEFT JOIN pg_catalog.pg_roles r ON refclassid=1260 AND refobjid=r.oid
WHERE (dep.objid=1173861191::oid OR dep.objid=(select typrelid             from pg_catalog.pg_type where oid = 1173861191::oid))
 AND dep.dbid = (SELECT oid FROM pg_catalog.pg_database WHERE datname = 'trireme')
ORDER BY 1;
SELECT
    st.relname AS "Table name",
    pg_catalog.pg_relation_size(st.relid)
        + CASE WHEN cl.reltoastrelid = 0 THEN 0 ELSE pg_catalog.pg_relation_size(cl.reltoastrelid)
        + COALESCE((SELECT SUM(pg_catalog.pg_relation_size(indexrelid))
                        FROM pg_catalog.pg_index WHERE indrelid=cl.reltoastrelid)::int8, 0) END
        + COALESCE((SELECT SUM(pg_catalog.pg_relation_size(indexrelid))
                        FROM pg_catalog.pg_index WHERE indrelid=st.relid)::int8, 0) AS "Total Size",
    n_tup_ins AS "Tuples inserted",
    n_tup_upd AS "Tuples updated",
    n_tup_del AS "Tuples deleted",
    n_tup_hot_upd AS "Tuples HOT updated",
    n_live_tup AS "Live tuples",
    n_dead_tup AS "Dead tuples",
    last_vacuum AS "Last vacuum",
    last_autovacuum AS "Last autovacuum",
    last_analyze AS "Last analyze",
    last_autoanalyze AS "Last autoanalyze",
    vacuum_count AS "Vacuum counter",
    autovacuum_count AS "Autovacuum counter",
    analyze_count AS "Analyze counter",
    autoanalyze_count AS "Autoanalyze counter"
FROM
    pg_catalog.pg_stat_all_tables st
JOIN
    pg_catalog.pg_class cl on cl.oid=st.relid and cl.relkind IN ('r','s','t','p')
WHERE
    schemaname = 'public'
ORDER BY st.relname;
SELECT c.oid,
  pg_catalog.quote_ident(n.nspname)||'.'||pg_catalog.quote_ident(c.relname) AS typname
  FROM pg_catalog.pg_namespace n, pg_catalog.pg_class c
WHERE c.relkind = 'c' AND c.relnamespace=n.oid
AND n.nspname NOT LIKE 'pg\_%' AND n.nspname NOT IN ('information_schema')
ORDER BY typname;
SELECT c.oid, c.relname , nspname,
CASE WHEN nspname NOT LIKE 'pg\_%' THEN
 pg_catalog.quote_ident(nspname)||'.'||pg_catalog.quote_ident(c.relname)
ELSE pg_catalog.quote_ident(c.relname)
END AS inherits
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n
ON n.oid=c.relnamespace
WHERE relkind='r' AND NOT relispartition
AND n.nspname NOT LIKE 'pg\_%' AND n.nspname NOT IN ('information_schema')
ORDER BY relnamespace, c.relname;
SELECT c.oid, pg_catalog.quote_ident(n.nspname)||'.'||pg_catalog.quote_ident(c.relname) AS like_relation
FROM pg_catalog.pg_class c, pg_catalog.pg_namespace n
WHERE c.relnamespace=n.oid
    AND c.relkind IN ('r', 'v', 'f')
AND n.nspname NOT LIKE 'pg\_%' AND n.nspname NOT IN ('information_schema')
ORDER BY 1;
SELECT cl.oid as value, pg_catalog.quote_ident(nspname)||'.'||pg_catalog.quote_ident(relname) AS label
FROM pg_catalog.pg_namespace nsp, pg_catalog.pg_class cl
WHERE relnamespace=nsp.oid AND relkind in ('r', 'p')
   AND nsp.nspname NOT LIKE E'pg\_temp\_%'
      AND (nsp.nspname NOT LIKE 'pg\_%' AND nsp.nspname NOT in ('information_schema'))
   ORDER BY nspname, relname;
SELECT amname
FROM pg_catalog.pg_am
WHERE EXISTS (SELECT 1
              FROM pg_catalog.pg_proc
              WHERE oid=amhandler)
ORDER BY amname;
SELECT DISTINCT op.oprname as oprname
FROM pg_catalog.pg_operator op
WHERE oprcom > 0;
SELECT opcname,  opcmethod
FROM pg_catalog.pg_opclass
    ORDER BY 1;
SELECT 'relacl' as deftype, COALESCE(gt.rolname, 'PUBLIC') grantee, g.rolname grantor,
    pg_catalog.array_agg(privilege_type) as privileges, pg_catalog.array_agg(is_grantable) as grantable
FROM
  (SELECT
    d.grantee, d.grantor, d.is_grantable,
    CASE d.privilege_type
		WHEN 'CONNECT' THEN 'c'
		WHEN 'CREATE' THEN 'C'
		WHEN 'DELETE' THEN 'd'
		WHEN 'EXECUTE' THEN 'X'
		WHEN 'INSERT' THEN 'a'
		WHEN 'MAINTAIN' THEN 'm'
		WHEN 'REFERENCES' THEN 'x'
		WHEN 'SELECT' THEN 'r'
		WHEN 'TEMPORARY' THEN 'T'
		WHEN 'TRIGGER' THEN 't'
		WHEN 'TRUNCATE' THEN 'D'
		WHEN 'UPDATE' THEN 'w'
		WHEN 'USAGE' THEN 'U'
		ELSE 'UNKNOWN'
	END AS privilege_type
  FROM
    (SELECT rel.relacl
        FROM pg_catalog.pg_class rel
          LEFT OUTER JOIN pg_catalog.pg_tablespace spc on spc.oid=rel.reltablespace
          LEFT OUTER JOIN pg_catalog.pg_constraint con ON con.conrelid=rel.oid AND con.contype='p'
          LEFT OUTER JOIN pg_catalog.pg_class tst ON tst.oid = rel.reltoastrelid
          LEFT JOIN pg_catalog.pg_type typ ON rel.reloftype=typ.oid
        WHERE rel.relkind IN ('r','s','t','p') AND rel.relnamespace = 2200::oid
            AND rel.oid = {{berth}}::oid
    ) acl,
    (SELECT (d).grantee AS grantee, (d).grantor AS grantor, (d).is_grantable
        AS is_grantable, (d).privilege_type AS privilege_type FROM (SELECT
        aclexplode(rel.relacl) as d
        FROM pg_catalog.pg_class rel
          LEFT OUTER JOIN pg_catalog.pg_tablespace spc on spc.oid=rel.reltablespace
          LEFT OUTER JOIN pg_catalog.pg_constraint con ON con.conrelid=rel.oid AND con.contype='p'
          LEFT OUTER JOIN pg_catalog.pg_class tst ON tst.oid = rel.reltoastrelid
          LEFT JOIN pg_catalog.pg_type typ ON rel.reloftype=typ.oid
        WHERE rel.relkind IN ('r','s','t','p') AND rel.relnamespace = 2200::oid
            AND rel.oid = {{berth}}::oid
        ) a ORDER BY privilege_type) d
    ) d
  LEFT JOIN pg_catalog.pg_roles g ON (d.grantor = g.oid)
  LEFT JOIN pg_catalog.pg_roles gt ON (d.grantee = gt.oid)
GROUP BY g.rolname, gt.rolname
ORDER BY grantee;
SELECT t.main_oid, pg_catalog.ARRAY_AGG(t.typname) as edit_types
FROM
(SELECT pc.castsource AS main_oid, pg_catalog.format_type(tt.oid,NULL) AS typname
FROM pg_catalog.pg_type tt
    JOIN pg_catalog.pg_cast pc ON tt.oid=pc.casttarget
    WHERE pc.castsource IN (23,700)
    AND pc.castcontext IN ('i', 'a')
UNION
SELECT tt.typbasetype AS main_oid, pg_catalog.format_type(tt.oid,NULL) AS typname
FROM pg_catalog.pg_type tt
WHERE tt.typbasetype  IN (23,700)
) t
GROUP BY t.main_oid;
SELECT 'attacl' as deftype,
    COALESCE(gt.rolname, 'PUBLIC') grantee,
    g.rolname grantor,
    pg_catalog.array_agg(privilege_type order by privilege_type) as privileges,
    pg_catalog.array_agg(is_grantable) as grantable
FROM
  (SELECT
    d.grantee, d.grantor, d.is_grantable,
    CASE d.privilege_type
        WHEN 'CONNECT' THEN 'c'
        WHEN 'CREATE' THEN 'C'
        WHEN 'DELETE' THEN 'd'
        WHEN 'EXECUTE' THEN 'X'
        WHEN 'INSERT' THEN 'a'
        WHEN 'REFERENCES' THEN 'x'
        WHEN 'SELECT' THEN 'r'
        WHEN 'TEMPORARY' THEN 'T'
        WHEN 'TRIGGER' THEN 't'
        WHEN 'TRUNCATE' THEN 'D'
        WHEN 'UPDATE' THEN 'w'
        WHEN 'USAGE' THEN 'U'
        ELSE 'UNKNOWN'
    END AS privilege_type
  FROM
    (SELECT attacl
        FROM pg_catalog.pg_attribute att
        WHERE att.attrelid = {{berth}}::oid
        AND att.attnum = 1::int
    ) acl,
    (SELECT (d).grantee AS grantee, (d).grantor AS grantor, (d).is_grantable
        AS is_grantable, (d).privilege_type AS privilege_type FROM (SELECT
        pg_catalog.aclexplode(attacl) as d FROM pg_catalog.pg_attribute att
        WHERE att.attrelid = {{berth}}::oid
        AND att.attnum = 1::int) a) d
    ) d
  LEFT JOIN pg_catalog.pg_roles g ON (d.grantor = g.oid)
  LEFT JOIN pg_catalog.pg_roles gt ON (d.grantee = gt.oid)
GROUP BY g.rolname, gt.rolname
ORDER BY grantee;
SELECT cls.oid,
    cls.relname as name,
    indnkeyatts as col_count,
    indnullsnotdistinct,
    CASE WHEN length(spcname::text) > 0 THEN spcname ELSE
        (SELECT sp.spcname FROM pg_catalog.pg_database dtb
        JOIN pg_catalog.pg_tablespace sp ON dtb.dattablespace=sp.oid
        WHERE dtb.oid = 16384::oid)
    END as spcname,
    CASE contype
        WHEN 'p' THEN desp.description
        WHEN 'u' THEN desp.description
        WHEN 'x' THEN desp.description
        ELSE des.description
    END AS comment,
    condeferrable,
    condeferred,
    conislocal,
    substring(pg_catalog.array_to_string(cls.reloptions, ',') from 'fillfactor=([0-9]*)') AS fillfactor
FROM pg_catalog.pg_index idx
JOIN pg_catalog.pg_class cls ON cls.oid=indexrelid
LEFT OUTER JOIN pg_catalog.pg_tablespace ta on ta.oid=cls.reltablespace
LEFT JOIN pg_catalog.pg_depend dep ON (dep.classid = cls.tableoid AND dep.objid = cls.oid AND dep.refobjsubid = '0' AND dep.refclassid=(SELECT oid FROM pg_catalog.pg_class WHERE relname='pg_constraint') AND dep.deptype='i')
LEFT OUTER JOIN pg_catalog.pg_constraint con ON (con.tableoid = dep.refclassid AND con.oid = dep.refobjid)
LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=cls.oid AND des.classoid='pg_class'::regclass)
LEFT OUTER JOIN pg_catalog.pg_description desp ON (desp.objoid=con.oid AND desp.objsubid = 0 AND desp.classoid='pg_constraint'::regclass)
WHERE indrelid = {{berth}}::oid
AND contype='p'
ORDER BY cls.relname;
SELECT ct.oid,
      conname as name,
      condeferrable,
      condeferred,
      confupdtype,
      confdeltype,
      CASE confmatchtype
        WHEN 's' THEN FALSE
        WHEN 'f' THEN TRUE
      END AS confmatchtype,
      conkey,
      confkey,
      confrelid,
      nl.nspname as fknsp,
      cl.relname as fktab,
      nr.oid as refnspoid,
      nr.nspname as refnsp,
      cr.relname as reftab,
      description as comment,
      convalidated,
      conislocal
FROM pg_catalog.pg_constraint ct
JOIN pg_catalog.pg_class cl ON cl.oid=conrelid
JOIN pg_catalog.pg_namespace nl ON nl.oid=cl.relnamespace
JOIN pg_catalog.pg_class cr ON cr.oid=confrelid
JOIN pg_catalog.pg_namespace nr ON nr.oid=cr.relnamespace
LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=ct.oid AND des.classoid='pg_constraint'::regclass)
WHERE contype='f' AND
conrelid = {{berth}}::oid
ORDER BY conname;
SELECT a1.attname as conattname,
    a2.attname as confattname
FROM pg_catalog.pg_attribute a1,
    pg_catalog.pg_attribute a2
WHERE a1.attrelid={{berth}}::oid
    AND a1.attnum=1
    AND a2.attrelid={{harbour}}::oid
    AND a2.attnum=1;
SELECT nsp.nspname AS schema,
    rel.relname AS table
FROM
    pg_catalog.pg_class rel
JOIN pg_catalog.pg_namespace nsp
ON rel.relnamespace = nsp.oid::oid
WHERE rel.oid = {{harbour}}::oid;
SELECT   cls.oid, cls.relname as idxname, indnatts as col_count
  FROM pg_catalog.pg_index idx
  JOIN pg_catalog.pg_class cls ON cls.oid=indexrelid
  LEFT JOIN pg_catalog.pg_depend dep ON (dep.classid = cls.tableoid AND dep.objid = cls.oid AND dep.refobjsubid = '0' AND dep.refclassid=(SELECT oid FROM pg_catalog.pg_class WHERE relname='pg_constraint') AND dep.deptype='i')
  LEFT OUTER JOIN pg_catalog.pg_constraint con ON (con.tableoid = dep.refclassid AND con.oid = dep.refobjid)
WHERE idx.indrelid = {{berth}}::oid
    AND con.contype='p'
UNION
SELECT  cls.oid, cls.relname as idxname, indnatts
    FROM pg_catalog.pg_index idx
    JOIN pg_catalog.pg_class cls ON cls.oid=indexrelid
    LEFT JOIN pg_catalog.pg_depend dep ON (dep.classid = cls.tableoid AND dep.objid = cls.oid AND dep.refobjsubid = '0' AND dep.refclassid=(SELECT oid FROM pg_catalog.pg_class WHERE relname='pg_constraint') AND dep.deptype='i')
    LEFT OUTER JOIN pg_catalog.pg_constraint con ON (con.tableoid = dep.refclassid AND con.oid = dep.refobjid)
WHERE idx.indrelid = {{berth}}::oid
    AND con.contype='x'
UNION
SELECT  cls.oid, cls.relname as idxname, indnatts
    FROM pg_catalog.pg_index idx
    JOIN pg_catalog.pg_class cls ON cls.oid=indexrelid
    LEFT JOIN pg_catalog.pg_depend dep ON (dep.classid = cls.tableoid AND dep.objid = cls.oid AND dep.refobjsubid = '0' AND dep.refclassid=(SELECT oid FROM pg_catalog.pg_class WHERE relname='pg_constraint') AND dep.deptype='i')
    LEFT OUTER JOIN pg_catalog.pg_constraint con ON (con.tableoid = dep.refclassid AND con.oid = dep.refobjid)
WHERE idx.indrelid = {{berth}}::oid
    AND con.contype='u'
UNION
SELECT  cls.oid, cls.relname as idxname, indnatts
    FROM pg_catalog.pg_index idx
    JOIN pg_catalog.pg_class cls ON cls.oid=indexrelid
    LEFT JOIN pg_catalog.pg_depend dep ON (dep.classid = cls.tableoid AND dep.objid = cls.oid AND dep.refobjsubid = '0' AND dep.refclassid=(SELECT oid FROM pg_catalog.pg_class WHERE relname='pg_constraint') AND dep.deptype='i')
    LEFT OUTER JOIN pg_catalog.pg_constraint con ON (con.tableoid = dep.refclassid AND con.oid = dep.refobjid)
WHERE idx.indrelid = {{berth}}::oid
   AND conname IS NULL;
SELECT  pg_catalog.pg_get_indexdef(1634901993 , 1 , true) AS column
UNION SELECT  pg_catalog.pg_get_indexdef(1634901993, 2, true) AS column;
SELECT c.oid, conname as name, relname, nspname, description as comment,
       pg_catalog.pg_get_expr(conbin, conrelid, true) as consrc,
       connoinherit, NOT convalidated as convalidated, conislocal
    FROM pg_catalog.pg_constraint c
    JOIN pg_catalog.pg_class cl ON cl.oid=conrelid
    JOIN pg_catalog.pg_namespace nl ON nl.oid=relnamespace
LEFT OUTER JOIN
    pg_catalog.pg_description des ON (des.objoid=c.oid AND
                           des.classoid='pg_constraint'::regclass)
WHERE contype = 'c'
    AND conrelid = {{berth}}::oid;
SELECT cls.oid,
    cls.relname as name,
    indnkeyatts as col_count,
    amname,
    CASE WHEN length(spcname::text) > 0 THEN spcname ELSE
        (SELECT sp.spcname FROM pg_catalog.pg_database dtb
        JOIN pg_catalog.pg_tablespace sp ON dtb.dattablespace=sp.oid
        WHERE dtb.oid = 16384::oid)
    END as spcname,
    CASE contype
        WHEN 'p' THEN desp.description
        WHEN 'u' THEN desp.description
        WHEN 'x' THEN desp.description
        ELSE des.description
    END AS comment,
    condeferrable,
    condeferred,
    substring(pg_catalog.array_to_string(cls.reloptions, ',') from 'fillfactor=([0-9]*)') AS fillfactor,
    pg_catalog.pg_get_expr(idx.indpred, idx.indrelid, true) AS indconstraint
FROM pg_catalog.pg_index idx
JOIN pg_catalog.pg_class cls ON cls.oid=indexrelid
LEFT OUTER JOIN pg_catalog.pg_tablespace ta on ta.oid=cls.reltablespace
JOIN pg_catalog.pg_am am ON am.oid=cls.relam
LEFT JOIN pg_catalog.pg_depend dep ON (dep.classid = cls.tableoid AND dep.objid = cls.oid AND dep.refobjsubid = '0' AND dep.refclassid=(SELECT oid FROM pg_catalog.pg_class WHERE relname='pg_constraint') AND dep.deptype='i')
LEFT OUTER JOIN pg_catalog.pg_constraint con ON (con.tableoid = dep.refclassid AND con.oid = dep.refobjid)
LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=cls.oid AND des.classoid='pg_class'::regclass)
LEFT OUTER JOIN pg_catalog.pg_description desp ON (desp.objoid=con.oid AND desp.objsubid = 0 AND desp.classoid='pg_constraint'::regclass)
WHERE indrelid = {{berth}}::oid
AND contype='x'
ORDER BY cls.relname;
SELECT
    CASE WHEN c.relkind = 'p' THEN True ELSE False END As ptable
FROM
    pg_catalog.pg_class c
WHERE
    c.oid = {{berth}}::oid;
-- pg_get_indexdef did not support INCLUDE columns
SELECT a.attname as colname
FROM (
    SELECT
      i.indnkeyatts,
      i.indrelid,
      pg_catalog.unnest(indkey) AS table_colnum,
      pg_catalog.unnest(ARRAY(SELECT pg_catalog.generate_series(1, i.indnatts) AS n)) attnum
    FROM
      pg_catalog.pg_index i
    WHERE i.indexrelid = 1634901993::OID
) i JOIN pg_catalog.pg_attribute a
ON (a.attrelid = i.indrelid AND i.table_colnum = a.attnum)
WHERE i.attnum > i.indnkeyatts
ORDER BY i.attnum;
SELECT
    pl.oid AS oid,
    pl.polname AS name
FROM
    pg_catalog.pg_policy pl
WHERE
    pl.polrelid	 = {{berth}}
ORDER BY
    pl.polname;
SELECT t.oid, t.tgname as name, t.tgenabled AS is_enable_trigger, des.description
FROM pg_catalog.pg_trigger t
    LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=t.oid AND des.classoid='pg_trigger'::regclass)
WHERE NOT tgisinternal
    AND tgrelid = {{berth}}::OID
    ORDER BY tgname;
SELECT
    rw.oid AS oid,
    rw.rulename AS name,
    CASE WHEN rw.ev_enabled != 'D' THEN True ELSE False END AS enabled,
    rw.ev_enabled AS is_enable_rule,
    description AS comment
FROM
    pg_catalog.pg_rewrite rw
    LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=rw.oid AND des.classoid='pg_rewrite'::regclass)
WHERE
    rw.ev_class = {{berth}}
ORDER BY
    rw.rulename;
SELECT CASE WHEN (SELECT(count(extname) > 0) AS is_pgstattuple
            FROM pg_catalog.pg_extension WHERE extname = 'pgstattuple')
        THEN (SELECT pg_catalog.has_table_privilege(current_user, {{berth}},
            'SELECT')) ELSE FALSE END;
SELECT
    rel.relname AS name
FROM
    pg_catalog.pg_class rel
WHERE
    rel.relkind IN ('r','s','t','p')
    AND rel.relnamespace = 2200::oid
    AND rel.oid = {{berth}}::oid;
SELECT
    seq_scan AS "Sequential scans",
    seq_tup_read AS "Sequential tuples read",
    idx_scan AS "Index scans",
    idx_tup_fetch AS "Index tuples fetched",
    n_tup_ins AS "Tuples inserted",
    n_tup_upd AS "Tuples updated",
    n_tup_del AS "Tuples deleted",
    n_tup_hot_upd AS "Tuples HOT updated",
    n_live_tup AS "Live tuples",
    n_dead_tup AS "Dead tuples",
    heap_blks_read AS "Heap blocks read",
    heap_blks_hit AS "Heap blocks hit",
    idx_blks_read AS "Index blocks read",
    idx_blks_hit AS "Index blocks hit",
    toast_blks_read AS "Toast blocks read",
    toast_blks_hit AS "Toast blocks hit",
    tidx_blks_read AS "Toast index blocks read",
    tidx_blks_hit AS "Toast index blocks hit",
    last_vacuum AS "Last vacuum",
    last_autovacuum AS "Last autovacuum",
    last_analyze AS "Last analyze",
    last_autoanalyze AS "Last autoanalyze",
    pg_catalog.pg_relation_size(stat.relid) AS "Table size",
    CASE WHEN cl.reltoastrelid = 0 THEN NULL ELSE pg_catalog.pg_size_pretty(pg_catalog.pg_relation_size(cl.reltoastrelid)
        + COALESCE((SELECT SUM(pg_catalog.pg_relation_size(indexrelid))
                        FROM pg_catalog.pg_index WHERE indrelid=cl.reltoastrelid)::int8, 0))
        END AS "Toast table size",
    COALESCE((SELECT SUM(pg_catalog.pg_relation_size(indexrelid))
                                FROM pg_catalog.pg_index WHERE indrelid=stat.relid)::int8, 0)
        AS "Indexes size"
FROM
    pg_catalog.pg_stat_all_tables stat
JOIN
    pg_catalog.pg_statio_all_tables statio ON stat.relid = statio.relid
JOIN
    pg_catalog.pg_class cl ON cl.oid=stat.relid
WHERE
    stat.relid = {{berth}}::oid;
SELECT
    ref.relname AS refname, d2.refclassid, dep.deptype AS deptype
FROM pg_catalog.pg_depend dep
    LEFT JOIN pg_catalog.pg_depend d2 ON dep.objid=d2.objid AND dep.refobjid != d2.refobjid
    LEFT JOIN pg_catalog.pg_class ref ON ref.oid=d2.refobjid
    LEFT JOIN pg_catalog.pg_attribute att ON d2.refclassid=att.attrelid AND d2.refobjsubid=att.attnum
    WHERE dep.refobjid={{berth}}::OID AND
    dep.classid=(SELECT oid FROM pg_catalog.pg_class WHERE relname='pg_attrdef') AND
    dep.refobjid NOT IN (SELECT d3.refobjid FROM pg_catalog.pg_depend d3 WHERE d3.objid=d2.refobjid);
SELECT oid, pg_catalog.quote_ident(nspname)||'.'||pg_catalog.quote_ident(relname) AS table_name FROM
(SELECT
	r.oid, r.relname, n.nspname, pg_catalog.array_agg(a.attname) attnames, pg_catalog.array_agg(a.atttypid) atttypes
FROM
	(SELECT oid, relname, relnamespace FROM pg_catalog.pg_class
	  WHERE relkind in ('r', 'p') AND NOT relispartition) r
    JOIN (SELECT oid AS nspoid, nspname FROM
          pg_catalog.pg_namespace WHERE nspname NOT LIKE 'pg\_%') n
          ON (r.relnamespace = n.nspoid)
    JOIN (SELECT attrelid, attname, atttypid FROM
          pg_catalog.pg_attribute WHERE attnum > 0 ORDER BY attrelid, attnum) a
          ON (r.oid = a.attrelid)
GROUP BY r.oid, r.relname, r.relnamespace, n.nspname) all_tables
JOIN
(SELECT
	attrelid, pg_catalog.array_agg(attname) attnames, pg_catalog.array_agg(atttypid) atttypes
FROM
	(SELECT * FROM pg_catalog.pg_attribute
	  WHERE attrelid = {{berth}} AND attnum > 0
	  ORDER BY attrelid, attnum) attributes
GROUP BY attrelid) current_table ON current_table.attrelid != all_tables.oid
  AND current_table.attnames = all_tables.attnames
  AND current_table.atttypes = all_tables.atttypes;
SELECT
    c.relnamespace as scid, nsp.nspname as nspname
FROM
    pg_catalog.pg_class c
LEFT JOIN pg_catalog.pg_namespace nsp ON nsp.oid = c.relnamespace
WHERE
    c.oid = {{berth}}::oid;
SELECT t.main_oid, pg_catalog.ARRAY_AGG(t.typname) as edit_types
FROM
(SELECT pc.castsource AS main_oid, pg_catalog.format_type(tt.oid,NULL) AS typname
FROM pg_catalog.pg_type tt
    JOIN pg_catalog.pg_cast pc ON tt.oid=pc.casttarget
    WHERE pc.castsource IN (23,25,1700)
    AND pc.castcontext IN ('i', 'a')
UNION
SELECT tt.typbasetype AS main_oid, pg_catalog.format_type(tt.oid,NULL) AS typname
FROM pg_catalog.pg_type tt
WHERE tt.typbasetype  IN (23,25,1700)
) t
GROUP BY t.main_oid;
SELECT t.main_oid, pg_catalog.ARRAY_AGG(t.typname) as edit_types
FROM
(SELECT pc.castsource AS main_oid, pg_catalog.format_type(tt.oid,NULL) AS typname
FROM pg_catalog.pg_type tt
    JOIN pg_catalog.pg_cast pc ON tt.oid=pc.casttarget
    WHERE pc.castsource IN (20,25,23,1082,1184,1007,701,17,16)
    AND pc.castcontext IN ('i', 'a')
UNION
SELECT tt.typbasetype AS main_oid, pg_catalog.format_type(tt.oid,NULL) AS typname
FROM pg_catalog.pg_type tt
WHERE tt.typbasetype  IN (20,25,23,1082,1184,1007,701,17,16)
) t
GROUP BY t.main_oid;
SELECT  pg_catalog.pg_get_indexdef(9765800 , 1 , true) AS column;
SELECT nsp.nspname AS schema ,rel.relname AS table
FROM pg_catalog.pg_class rel
    JOIN pg_catalog.pg_namespace nsp
    ON rel.relnamespace = nsp.oid::oid
    WHERE rel.oid = {{berth}}::oid;
SELECT pg_catalog.array_to_string(pg_catalog.array_agg(inhrelname), ', ') inhrelname, attrname
FROM
 (SELECT
   inhparent::regclass AS inhrelname,
   a.attname AS attrname
  FROM pg_catalog.pg_inherits i
  LEFT JOIN pg_catalog.pg_attribute a ON
   (attrelid = inhparent AND attnum > 0)
  WHERE inhrelid = {{berth}}::oid
  ORDER BY inhseqno
 ) a
GROUP BY attrname;
SELECT tt.oid, pg_catalog.format_type(tt.oid,NULL) AS typname
FROM pg_catalog.pg_type tt
    JOIN pg_catalog.pg_cast pc ON tt.oid=pc.casttarget
    WHERE pc.castsource= 23
    AND pc.castcontext IN ('i', 'a')
UNION
SELECT tt.oid, pg_catalog.format_type(tt.oid,NULL) AS typname
FROM pg_catalog.pg_type tt
WHERE tt.typbasetype = 23;
SELECT DISTINCT att.attname as name, att.attnum as OID, pg_catalog.format_type(ty.oid,NULL) AS datatype,
pg_catalog.format_type(ty.oid,att.atttypmod) AS displaytypname,
att.attnotnull as not_null,
CASE WHEN att.atthasdef OR att.attidentity != '' OR ty.typdefault IS NOT NULL THEN True
ELSE False END as has_default_val, des.description, seq.seqtypid
FROM pg_catalog.pg_attribute att
    JOIN pg_catalog.pg_type ty ON ty.oid=atttypid
    JOIN pg_catalog.pg_namespace tn ON tn.oid=ty.typnamespace
    JOIN pg_catalog.pg_class cl ON cl.oid=att.attrelid
    JOIN pg_catalog.pg_namespace na ON na.oid=cl.relnamespace
    LEFT OUTER JOIN pg_catalog.pg_type et ON et.oid=ty.typelem
    LEFT OUTER JOIN pg_catalog.pg_attrdef def ON adrelid=att.attrelid AND adnum=att.attnum
    LEFT OUTER JOIN (pg_catalog.pg_depend JOIN pg_catalog.pg_class cs ON classid='pg_class'::regclass AND objid=cs.oid AND cs.relkind='S') ON refobjid=att.attrelid AND refobjsubid=att.attnum
    LEFT OUTER JOIN pg_catalog.pg_namespace ns ON ns.oid=cs.relnamespace
    LEFT OUTER JOIN pg_catalog.pg_index pi ON pi.indrelid=att.attrelid AND indisprimary
    LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=att.attrelid AND des.objsubid=att.attnum AND des.classoid='pg_class'::regclass)
    LEFT OUTER JOIN pg_catalog.pg_sequence seq ON cs.oid=seq.seqrelid
WHERE
    att.attrelid = {{berth}}::oid
    AND att.attnum > 0
    AND att.attisdropped IS FALSE
ORDER BY att.attnum;
SELECT DISTINCT att.attname as name, att.attnum as OID, pg_catalog.format_type(ty.oid,NULL) AS datatype,
pg_catalog.format_type(ty.oid,att.atttypmod) AS displaytypname,
att.attnotnull as not_null,
CASE WHEN att.atthasdef OR att.attidentity != '' OR ty.typdefault IS NOT NULL THEN True
ELSE False END as has_default_val, des.description, seq.seqtypid
FROM pg_catalog.pg_attribute att
    JOIN pg_catalog.pg_type ty ON ty.oid=atttypid
    JOIN pg_catalog.pg_namespace tn ON tn.oid=ty.typnamespace
    JOIN pg_catalog.pg_class cl ON cl.oid=att.attrelid
    JOIN pg_catalog.pg_namespace na ON na.oid=cl.relnamespace
    LEFT OUTER JOIN pg_catalog.pg_type et ON et.oid=ty.typelem
    LEFT OUTER JOIN pg_catalog.pg_attrdef def ON adrelid=att.attrelid AND adnum=att.attnum
    LEFT OUTER JOIN (pg_catalog.pg_depend JOIN pg_catalog.pg_class cs ON classid='pg_class'::regclass AND objid=cs.oid AND cs.relkind='S') ON refobjid=att.attrelid AND refobjsubid=att.attnum
    LEFT OUTER JOIN pg_catalog.pg_namespace ns ON ns.oid=cs.relnamespace
    LEFT OUTER JOIN pg_catalog.pg_index pi ON pi.indrelid=att.attrelid AND indisprimary
    LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=att.attrelid AND des.objsubid=att.attnum AND des.classoid='pg_class'::regclass)
    LEFT OUTER JOIN pg_catalog.pg_sequence seq ON cs.oid=seq.seqrelid
WHERE
    att.attrelid = {{berth}}::oid
    AND att.attnum = '1'
    AND att.attnum > 0
    AND att.attisdropped IS FALSE
ORDER BY att.attnum;
SELECT
    null_frac AS "Null fraction",
    avg_width AS "Average width",
    n_distinct AS "Distinct values",
    most_common_vals AS "Most common values",
    most_common_freqs AS "Most common frequencies",
    histogram_bounds AS "Histogram bounds",
    correlation AS "Correlation",
    most_common_elems AS "Most common elements",
    most_common_elem_freqs AS "Most common elements frequencies",
    elem_count_histogram AS "Histogram element count"
FROM
    pg_catalog.pg_stats
WHERE
    schemaname = 'public'
    AND tablename = 'berth'
    AND attname = 'harbour';
SELECT c.oid, conname as name,
    NOT convalidated as convalidated, conislocal, description as comment
    FROM pg_catalog.pg_constraint c
LEFT OUTER JOIN
    pg_catalog.pg_description des ON (des.objoid=c.oid AND
                           des.classoid='pg_constraint'::regclass)
WHERE contype = 'c'
    AND conrelid = {{berth}}::oid;
SELECT conindid as oid,
    conname as name,
    NOT convalidated as convalidated,
    desp.description AS comment
FROM pg_catalog.pg_constraint ct
LEFT OUTER JOIN pg_catalog.pg_description desp ON (desp.objoid=ct.oid AND desp.objsubid = 0 AND desp.classoid='pg_constraint'::regclass)
WHERE contype='x' AND
    conrelid = {{berth}}::oid
ORDER BY conname;
SELECT ct.oid,
    conname as name,
    NOT convalidated as convalidated,
    description as comment
FROM pg_catalog.pg_constraint ct
LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=ct.oid AND des.classoid='pg_constraint'::regclass)
WHERE contype='f' AND
    conrelid = {{berth}}::oid
ORDER BY conname;
SELECT ct.oid,
      conname as name,
      condeferrable,
      condeferred,
      confupdtype,
      confdeltype,
      CASE confmatchtype
        WHEN 's' THEN FALSE
        WHEN 'f' THEN TRUE
      END AS confmatchtype,
      conkey,
      confkey,
      confrelid,
      nl.nspname as fknsp,
      cl.relname as fktab,
      nr.oid as refnspoid,
      nr.nspname as refnsp,
      cr.relname as reftab,
      description as comment,
      convalidated,
      conislocal
FROM pg_catalog.pg_constraint ct
JOIN pg_catalog.pg_class cl ON cl.oid=conrelid
JOIN pg_catalog.pg_namespace nl ON nl.oid=cl.relnamespace
JOIN pg_catalog.pg_class cr ON cr.oid=confrelid
JOIN pg_catalog.pg_namespace nr ON nr.oid=cr.relnamespace
LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=ct.oid AND des.classoid='pg_constraint'::regclass)
WHERE contype='f' AND
conrelid = {{berth}}::oid
AND ct.oid = 501083656::oid
ORDER BY conname;
SELECT cls.oid, cls.relname as name,
    CASE contype
        WHEN 'p' THEN desp.description
        WHEN 'u' THEN desp.description
        WHEN 'x' THEN desp.description
        ELSE des.description
    END AS comment
FROM pg_catalog.pg_index idx
JOIN pg_catalog.pg_class cls ON cls.oid=indexrelid
LEFT JOIN pg_catalog.pg_depend dep ON (dep.classid = cls.tableoid AND
                            dep.objid = cls.oid AND
                            dep.refobjsubid = '0' AND
                            dep.refclassid=(SELECT oid
                                            FROM pg_catalog.pg_class
                                            WHERE relname='pg_constraint') AND
                            dep.deptype='i')
LEFT OUTER JOIN pg_catalog.pg_constraint con ON (con.tableoid = dep.refclassid AND
                                      con.oid = dep.refobjid)
LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=cls.oid AND des.classoid='pg_class'::regclass)
LEFT OUTER JOIN pg_catalog.pg_description desp ON (desp.objoid=con.oid AND desp.objsubid = 0 AND desp.classoid='pg_constraint'::regclass)
WHERE indrelid = {{berth}}::oid
AND contype='p';
SELECT
    indexrelname AS "Index name",
    pg_catalog.pg_relation_size(indexrelid) AS "Size",
    idx_scan AS "Index scans",
    idx_tup_read AS "Index tuples read",
    idx_tup_fetch AS "Index tuples fetched"
FROM
    pg_catalog.pg_stat_all_indexes stat
    JOIN pg_catalog.pg_class cls ON cls.oid=indexrelid
    LEFT JOIN pg_catalog.pg_depend dep ON (dep.classid = cls.tableoid AND dep.objid = cls.oid AND dep.refobjsubid = '0'
        AND dep.refclassid=(SELECT oid FROM pg_catalog.pg_class WHERE relname='pg_constraint'))
    LEFT OUTER JOIN pg_catalog.pg_constraint con ON (con.tableoid = dep.refclassid AND con.oid = dep.refobjid)
WHERE
    schemaname = 'public'
    AND stat.relname = 'berth'
    AND (con.contype IS NULL OR con.contype = 'p')
ORDER BY indexrelname;
SELECT --nspname, collname,
	CASE WHEN length(nspname::text) > 0 AND length(collname::text) > 0  THEN
	  pg_catalog.concat(quote_ident(nspname), '.', pg_catalog.quote_ident(collname))
	ELSE '' END AS collation
FROM pg_catalog.pg_collation c, pg_catalog.pg_namespace n
    WHERE c.collnamespace=n.oid
    ORDER BY nspname, collname;
-- Fetches access methods
SELECT oid, amname
FROM pg_catalog.pg_am;
SELECT opcname,  opcmethod
FROM pg_catalog.pg_opclass
    WHERE opcmethod = 2::OID
    AND NOT opcdefault
    ORDER BY 1;
SELECT
    idx_scan AS "Index scans",
    idx_tup_read AS "Index tuples read",
    idx_tup_fetch AS "Index tuples fetched",
    idx_blks_read AS "Index blocks read",
    idx_blks_hit AS "Index blocks hit",
    pg_catalog.pg_relation_size(1634901993::OID) AS "Index size"
FROM
    pg_catalog.pg_stat_all_indexes stat
    JOIN pg_catalog.pg_statio_all_indexes statio ON stat.indexrelid = statio.indexrelid
    JOIN pg_catalog.pg_class cl ON cl.oid=stat.indexrelid
    WHERE stat.indexrelid = 1634901993::OID;
SELECT pg_catalog.quote_ident(nspname) || '.' || pg_catalog.quote_ident(proname) AS tfunctions
FROM pg_catalog.pg_proc p, pg_catalog.pg_namespace n, pg_catalog.pg_language l
    WHERE p.pronamespace = n.oid
    AND p.prolang = l.oid
    -- PGOID_TYPE_TRIGGER = 2279
    AND prorettype = 2279
    -- If Show SystemObjects is not true
        AND (nspname NOT LIKE 'pg\_%' AND nspname NOT in ('information_schema'))
        -- Find function for specific OID
        ORDER BY nspname ASC, proname ASC;
SELECT c.oid, conname as name, relname, nspname, description as comment,
       pg_catalog.pg_get_expr(conbin, conrelid, true) as consrc,
       connoinherit, NOT convalidated as convalidated, conislocal
    FROM pg_catalog.pg_constraint c
    JOIN pg_catalog.pg_class cl ON cl.oid=conrelid
    JOIN pg_catalog.pg_namespace nl ON nl.oid=relnamespace
LEFT OUTER JOIN
    pg_catalog.pg_description des ON (des.objoid=c.oid AND
                           des.classoid='pg_constraint'::regclass)
WHERE contype = 'c'
    AND conrelid = {{harbour}}::oid
    AND c.oid = 854349182::oid;
SELECT c.oid, conname as name,
    NOT convalidated as convalidated, conislocal, description as comment
    FROM pg_catalog.pg_constraint c
LEFT OUTER JOIN
    pg_catalog.pg_description des ON (des.objoid=c.oid AND
                           des.classoid='pg_constraint'::regclass)
WHERE contype = 'c'
    AND conrelid = {{harbour}}::oid
    AND c.oid = 854349182::oid;
SELECT COUNT(*)::text FROM "Old Docks"."Crane";
/*pga4dash*/
SELECT
    pid,
    locktype,
    datname,
    relation::regclass,
    page,
    tuple,
    virtualxid
    transactionid,
    classid::regclass,
    objid,
    objsubid,
    virtualtransaction,
    mode,
    granted,
    fastpath
FROM
    pg_catalog.pg_locks l
    LEFT OUTER JOIN pg_catalog.pg_database d ON (l.database = d.oid)
ORDER BY
    pid, locktype;
/*pga4dash*/
SELECT
    gid,
    database,
    owner,
    transaction,
    pg_catalog.to_char(prepared, 'YYYY-MM-DD HH24:MI:SS TZ') AS prepared
FROM
    pg_catalog.pg_prepared_xacts
ORDER BY
    gid, database, owner;
/*pga4dash*/
SELECT
    pid,
    locktype,
    datname,
    relation::regclass,
    page,
    tuple,
    virtualxid
    transactionid,
    classid::regclass,
    objid,
    objsubid,
    virtualtransaction,
    mode,
    granted,
    fastpath
FROM
    pg_catalog.pg_locks l
    LEFT OUTER JOIN pg_catalog.pg_database d ON (l.database = d.oid)
WHERE
    datname = (SELECT datname FROM pg_catalog.pg_database WHERE oid = 16384)ORDER BY
    pid, locktype;
/*pga4dash*/
SELECT
    gid,
    database,
    owner,
    transaction,
    pg_catalog.to_char(prepared, 'YYYY-MM-DD HH24:MI:SS TZ') AS prepared
FROM
    pg_catalog.pg_prepared_xacts
WHERE
    database = (SELECT datname FROM pg_catalog.pg_database WHERE oid = 16384)ORDER BY
    gid, database, owner;
/*pga4dash*/
SELECT
    name,
    category,
    setting,
    unit,
    short_desc
FROM
    pg_catalog.pg_show_all_settings()
ORDER BY
    category;
select * from pg_catalog.pg_stat_replication;
select * from pg_catalog.pg_replication_slots;
SELECT n.nspname, r.relname
FROM pg_catalog.pg_class r
    LEFT JOIN pg_catalog.pg_namespace n ON (r.relnamespace = n.oid)
WHERE r.oid = {{ship}};
SELECT at.attname, at.attnum, ty.typname
FROM pg_catalog.pg_attribute at LEFT JOIN pg_catalog.pg_type ty ON (ty.oid = at.atttypid)
JOIN pg_catalog.pg_class as cl ON cl.oid=AT.attrelid
JOIN pg_catalog.pg_namespace as nsp ON nsp.oid=cl.relnamespace
WHERE
    cl.relname = 'ship' AND nsp.nspname='public' AND
attnum = ANY (
(SELECT con.conkey FROM pg_catalog.pg_class rel LEFT OUTER JOIN pg_catalog.pg_constraint con ON con.conrelid=rel.oid
JOIN pg_catalog.pg_namespace as nsp ON nsp.oid=REL.relnamespace
AND con.contype='p' WHERE rel.relkind IN ('r','s','t', 'p') AND
    rel.relname = 'ship' AND nsp.nspname='public'
)::oid[]);
SELECT DISTINCT att.attname as name, att.attnum as OID, pg_catalog.format_type(ty.oid,NULL) AS datatype,
pg_catalog.format_type(ty.oid,att.atttypmod) AS displaytypname,
att.attnotnull as not_null,
CASE WHEN att.atthasdef OR att.attidentity != '' OR ty.typdefault IS NOT NULL THEN True
ELSE False END as has_default_val, des.description, seq.seqtypid
FROM pg_catalog.pg_attribute att
    JOIN pg_catalog.pg_type ty ON ty.oid=atttypid
    JOIN pg_catalog.pg_namespace tn ON tn.oid=ty.typnamespace
    JOIN pg_catalog.pg_class cl ON cl.oid=att.attrelid
    JOIN pg_catalog.pg_namespace na ON na.oid=cl.relnamespace
    LEFT OUTER JOIN pg_catalog.pg_type et ON et.oid=ty.typelem
    LEFT OUTER JOIN pg_catalog.pg_attrdef def ON adrelid=att.attrelid AND adnum=att.attnum
    LEFT OUTER JOIN (pg_catalog.pg_depend JOIN pg_catalog.pg_class cs ON classid='pg_class'::regclass AND objid=cs.oid AND cs.relkind='S') ON refobjid=att.attrelid AND refobjsubid=att.attnum
    LEFT OUTER JOIN pg_catalog.pg_namespace ns ON ns.oid=cs.relnamespace
    LEFT OUTER JOIN pg_catalog.pg_index pi ON pi.indrelid=att.attrelid AND indisprimary
    LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=att.attrelid AND des.objsubid=att.attnum AND des.classoid='pg_class'::regclass)
    LEFT OUTER JOIN pg_catalog.pg_sequence seq ON cs.oid=seq.seqrelid
WHERE
    cl.relname= 'ship' and na.nspname='public'
    AND att.attnum > 0
    AND att.attisdropped IS FALSE
ORDER BY att.attnum;
SELECT * FROM pg_catalog.unnest(current_schemas(true)) AS schema;
SELECT nspname AS schema FROM pg_catalog.pg_namespace ORDER BY 1;
SELECT upper(word) as word FROM pg_get_keywords();
SELECT  n.nspname schema_name,
    c.relname object_name
FROM pg_catalog.pg_class c
    LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = ANY(array['r', 'p']) and n.nspname IN ('pg_catalog','public')
    ORDER BY 1,2;
SELECT  nsp.nspname schema_name,
        cls.relname table_name,
        att.attname column_name,
        att.atttypid::regtype::text type_name,
        att.atthasdef AS has_default,
        pg_get_expr(def.adbin, def.adrelid) as default
FROM    pg_catalog.pg_attribute att
        INNER JOIN pg_catalog.pg_class cls
            ON att.attrelid = cls.oid
        INNER JOIN pg_catalog.pg_namespace nsp
            ON cls.relnamespace = nsp.oid
        LEFT OUTER JOIN pg_catalog.pg_attrdef def
            ON def.adrelid = att.attrelid
            AND def.adnum = att.attnum
WHERE   nsp.nspname IN ('pg_catalog','public')
        AND cls.relkind = ANY(array['r', 'p'])
        AND NOT att.attisdropped
        AND att.attnum  > 0
ORDER BY 1, 2, att.attnum;
SELECT  n.nspname schema_name,
    c.relname object_name
FROM pg_catalog.pg_class c
    LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = ANY(array['r', 'p']) and n.nspname IN ('s')
    ORDER BY 1,2;
SELECT  nsp.nspname schema_name,
        cls.relname table_name,
        att.attname column_name,
        att.atttypid::regtype::text type_name,
        att.atthasdef AS has_default,
        pg_get_expr(def.adbin, def.adrelid) as default
FROM    pg_catalog.pg_attribute att
        INNER JOIN pg_catalog.pg_class cls
            ON att.attrelid = cls.oid
        INNER JOIN pg_catalog.pg_namespace nsp
            ON cls.relnamespace = nsp.oid
        LEFT OUTER JOIN pg_catalog.pg_attrdef def
            ON def.adrelid = att.attrelid
            AND def.adnum = att.attnum
WHERE   nsp.nspname IN ('public')
        AND cls.relkind = ANY(array['r', 'p'])
        AND NOT att.attisdropped
        AND att.attnum  > 0
ORDER BY 1, 2, att.attnum;
SELECT
    db.oid as did, db.datname, db.datallowconn,
    pg_catalog.pg_encoding_to_char(db.encoding) AS serverencoding,
    pg_catalog.has_database_privilege(db.oid, 'CREATE') as cancreate,
    datistemplate
FROM
    pg_catalog.pg_database db
WHERE db.oid = 16384;
SELECT COUNT(1) FROM information_schema.table_privileges  WHERE table_name = 'pg_subscription' AND privilege_type = 'SELECT';
SELECT obj_type, obj_name,
    pg_catalog.REPLACE(obj_path, '/'||sn.schema_name||'/', '/'||CASE sn.schema_name
    WHEN 'pg_catalog' THEN 'PostgreSQL Catalog (pg_catalog)'
    WHEN 'pgagent' THEN 'pgAgent Job Scheduler (pgagent)'
    WHEN 'information_schema' THEN 'ANSI (information_schema)'
    ELSE sn.schema_name
    END||'/') AS obj_path,
    schema_name, show_node, other_info,
    CASE
        WHEN sn.schema_name IN ('pg_catalog', 'pgagent', 'information_schema') THEN
            CASE WHEN CASE
    WHEN sn.schema_name = ANY('{information_schema}')
        THEN false
    ELSE true END THEN 'D' ELSE 'O' END
        ELSE 'N'
    END AS catalog_level
FROM (
    SELECT
    CASE
        WHEN c.relkind = 'S' THEN 'sequence'
        WHEN c.relkind = 'v' THEN 'view'
        WHEN c.relkind = 'm' THEN 'mview'
        ELSE 'should not happen'
    END::text AS obj_type, c.relname AS obj_name,
    ':schema.'|| n.oid || ':/' || n.nspname || '/' ||
    CASE
        WHEN c.relkind = 'S' THEN ':sequence.'
        WHEN c.relkind = 'v' THEN ':view.'
        WHEN c.relkind = 'm' THEN ':mview.'
        ELSE 'should not happen'
    END || c.oid ||':/' || c.relname AS obj_path, n.nspname AS schema_name,
    CASE
        WHEN c.relkind = 'S' THEN True
        WHEN c.relkind = 'v' THEN True
        WHEN c.relkind = 'm' THEN True
        ELSE False
    END AS show_node, NULL AS other_info
    FROM pg_catalog.pg_class c
    LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind in ('S','v','m')
        AND CASE WHEN c.relkind in ('S', 'm') THEN CASE
    WHEN n.nspname = ANY('{information_schema}')
        THEN false
    ELSE true END ELSE true END
    UNION
    SELECT CASE WHEN c.relispartition THEN 'partition' ELSE 'table' END::text AS obj_type, c.relname AS obj_name,
    ':schema.'|| n.oid || ':/' || n.nspname || '/' || (
		WITH RECURSIVE table_path_data as (
			select c.oid as oid, 0 as height, c.relkind,
				CASE c.relispartition WHEN true THEN ':partition.' ELSE ':table.' END || c.oid || ':/' || c.relname as path
			union
			select rel.oid, pt.height+1 as height, rel.relkind,
				CASE rel.relispartition WHEN true THEN ':partition.' ELSE ':table.' END
				|| rel.oid || ':/' || rel.relname || '/' || pt.path as path
			from pg_catalog.pg_class rel JOIN pg_catalog.pg_namespace nsp ON rel.relnamespace = nsp.oid
			join pg_catalog.pg_inherits inh ON inh.inhparent = rel.oid
			join table_path_data pt ON inh.inhrelid = pt.oid
		)
		select CASE WHEN relkind = 'p' THEN path ELSE ':table.' || c.oid || ':/' || c.relname END AS path
		from table_path_data order by height desc limit 1
	) obj_path, n.nspname AS schema_name,
	CASE WHEN c.relispartition THEN True
	    ELSE True END AS show_node,
    NULL AS other_info
    FROM pg_catalog.pg_class c
    LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind in ('p','r','t')
        AND CASE WHEN c.relispartition THEN CASE
    WHEN n.nspname = ANY('{information_schema}')
        THEN false
    ELSE true END ELSE true END
    UNION
    SELECT 'index'::text AS obj_type, cls.relname AS obj_name, ':schema.'|| n.oid || ':/' || n.nspname || '/' ||
        case
            when tab.relkind = 'm' then ':mview.' || tab.oid || ':' || '/' || tab.relname
            WHEN tab.relkind in ('r', 't', 'p') THEN
                (
                    WITH RECURSIVE table_path_data as (
                        select tab.oid as oid, 0 as height, tab.relkind,
                            CASE tab.relispartition WHEN true THEN ':partition.' ELSE ':table.' END || tab.oid || ':/' || tab.relname as path
                        union
                        select rel.oid, pt.height+1 as height, rel.relkind,
                            CASE rel.relispartition WHEN true THEN ':partition.' ELSE ':table.' END
                            || rel.oid || ':/' || rel.relname || '/' || pt.path as path
                        from pg_catalog.pg_class rel JOIN pg_catalog.pg_namespace nsp ON rel.relnamespace = nsp.oid
                        join pg_catalog.pg_inherits inh ON inh.inhparent = rel.oid
                        join table_path_data pt ON inh.inhrelid = pt.oid
                    )
                    select CASE WHEN relkind = 'p' THEN path ELSE ':table.' || tab.oid || ':/' || tab.relname END AS path
                    from table_path_data order by height desc limit 1
               )
        end
        || '/:index.'|| cls.oid ||':/' || cls.relname AS obj_path, n.nspname AS schema_name,
    True AS show_node, NULL AS other_info
    FROM pg_catalog.pg_index idx
    JOIN pg_catalog.pg_class cls ON cls.oid=indexrelid
    JOIN pg_catalog.pg_class tab ON tab.oid=indrelid
    JOIN pg_catalog.pg_namespace n ON n.oid=tab.relnamespace
    LEFT JOIN pg_catalog.pg_depend dep ON (dep.classid = cls.tableoid AND dep.objid = cls.oid AND dep.refobjsubid = '0' AND dep.refclassid='pg_catalog.pg_constraint'::regclass AND dep.deptype='i')
    LEFT OUTER JOIN pg_catalog.pg_constraint con ON (con.tableoid = dep.refclassid AND con.oid = dep.refobjid)
    LEFT OUTER JOIN pg_catalog.pg_description des ON des.objoid=cls.oid
    LEFT OUTER JOIN pg_catalog.pg_description desp ON (desp.objoid=con.oid AND desp.objsubid = 0)
    WHERE contype IS NULL
    AND CASE
    WHEN n.nspname = ANY('{information_schema}')
        THEN false
    ELSE true END
    UNION
    SELECT
        CASE
            WHEN t.typname IN ('trigger', 'event_trigger') THEN 'trigger_function'
            WHEN p.prokind = 'p' THEN 'procedure'
            ELSE 'function'
        END::text AS obj_type, p.proname AS obj_name,
        ':schema.'|| n.oid || ':/' || n.nspname || '/' ||
        CASE
            WHEN t.typname IN ('trigger', 'event_trigger') THEN ':trigger_function.'
            WHEN p.prokind = 'p' THEN ':procedure.'
            ELSE ':function.'
        END || p.oid ||':/' || p.proname AS obj_path, n.nspname AS schema_name,
        CASE
            WHEN t.typname IN ('trigger', 'event_trigger') THEN True
            WHEN p.prokind = 'p' THEN True
            ELSE True
        END AS show_node,
        pg_catalog.pg_get_function_identity_arguments(p.oid) AS other_info
    from pg_catalog.pg_proc p join pg_catalog.pg_namespace n
    on p.pronamespace = n.oid join pg_catalog.pg_type t
    on p.prorettype = t.oid join pg_catalog.pg_language lng
    ON lng.oid=p.prolang
    WHERE p.prokind IN ('f', 'w', 'p')
    AND CASE
        WHEN t.typname IN ('trigger', 'event_trigger') THEN lng.lanname NOT IN ('edbspl', 'sql', 'internal')
        ELSE true
        END
    AND (CASE
    WHEN n.nspname = ANY('{information_schema}')
        THEN false
    ELSE true END) AND p.prokind != 'a'
    UNION
    select 'event_trigger'::text AS obj_type, evtname AS obj_name, ':event_trigger.'||oid||':/' || evtname AS obj_path, ''::text AS schema_name,
    True AS show_node, NULL AS other_info from pg_catalog.pg_event_trigger
    UNION
    select 'schema'::text AS obj_type, n.nspname AS obj_name,
    ':schema.'||n.oid||':/' || n.nspname as obj_path, n.nspname AS schema_name,
    True AS show_node, NULL AS other_info from pg_catalog.pg_namespace n
    where CASE
    WHEN n.nspname = ANY('{information_schema}')
        THEN false
    ELSE true END
    UNION
    select 'column'::text AS obj_type, a.attname AS obj_name,
    ':schema.'||n.oid||':/' || n.nspname || '/' ||
    case
        WHEN t.relkind in ('r', 't', 'p') THEN ':table.'
        WHEN t.relkind = 'v' THEN ':view.'
        WHEN t.relkind = 'm' THEN ':mview.'
        else 'should not happen'
    end || t.oid || ':/' || t.relname || '/:column.'|| a.attnum ||':/' || a.attname AS obj_path, n.nspname AS schema_name,
    True AS show_node, NULL AS other_info
    from pg_catalog.pg_attribute a
    inner join pg_catalog.pg_class t on a.attrelid = t.oid and t.relkind in ('r','t','p','v','m')
    left join pg_catalog.pg_namespace n on t.relnamespace = n.oid where a.attnum > 0
    and not t.relispartition
    UNION
    SELECT
    CASE
        WHEN c.contype = 'c' THEN  'check_constraint'
        WHEN c.contype = 'f' THEN  'foreign_key'
        WHEN c.contype = 'p' THEN  'primary_key'
        WHEN c.contype = 'u' THEN  'unique_constraint'
        WHEN c.contype = 'x' THEN  'exclusion_constraint'
    END::text AS obj_type,
    case when tf.relname is null then c.conname else c.conname || ' -> ' || tf.relname end AS obj_name,
    ':schema.'||n.oid||':/' || n.nspname||'/'||
    (
		WITH RECURSIVE table_path_data as (
			select t.oid as oid, 0 as height, t.relkind,
				CASE t.relispartition WHEN true THEN ':partition.' ELSE ':table.' END || t.oid || ':/' || t.relname as path
			union
			select rel.oid, pt.height+1 as height, rel.relkind,
				CASE rel.relispartition WHEN true THEN ':partition.' ELSE ':table.' END
				|| rel.oid || ':/' || rel.relname || '/' || pt.path as path
			from pg_catalog.pg_class rel JOIN pg_catalog.pg_namespace nsp ON rel.relnamespace = nsp.oid
			join pg_catalog.pg_inherits inh ON inh.inhparent = rel.oid
			join table_path_data pt ON inh.inhrelid = pt.oid
		)
		select CASE WHEN relkind = 'p' THEN path ELSE ':table.' || t.oid || ':/' || t.relname END AS path
		from table_path_data order by height desc limit 1
	) ||
    CASE
        WHEN c.contype = 'c' THEN  '/:check_constraint.' ||c.oid
        WHEN c.contype = 'f' THEN  '/:foreign_key.' ||c.oid
        WHEN c.contype = 'p' THEN  '/:primary_key.' ||c.conindid
        WHEN c.contype = 'u' THEN  '/:unique_constraint.' ||c.conindid
        WHEN c.contype = 'x' THEN  '/:exclusion_constraint.' ||c.conindid
    END ||':/'|| case when tf.relname is null then c.conname else c.conname || ' -> ' || tf.relname end AS obj_path, n.nspname AS schema_name,
    True AS show_node, NULL AS other_info
    from pg_catalog.pg_constraint c
    left join pg_catalog.pg_class t on c.conrelid = t.oid
    left join pg_catalog.pg_class tf on c.confrelid = tf.oid
    left join pg_catalog.pg_namespace n on t.relnamespace = n.oid
    where c.contypid = 0
        AND c.contype IN  ('c', 'f', 'p', 'u', 'x')
        AND CASE
    WHEN n.nspname = ANY('{information_schema}')
        THEN false
    ELSE true END
    UNION
    select 'rule'::text AS obj_type, r.rulename AS obj_name, ':schema.'||n.oid||':/' || n.nspname|| '/' ||
            case
                when t.relkind = 'v' then ':view.' || t.oid || ':' || '/' || t.relname
                WHEN t.relkind in ('r', 't', 'p') THEN
                    (
                        WITH RECURSIVE table_path_data as (
                            select t.oid as oid, 0 as height, t.relkind,
                                CASE t.relispartition WHEN true THEN ':partition.' ELSE ':table.' END || t.oid || ':/' || t.relname as path
                            union
                            select rel.oid, pt.height+1 as height, rel.relkind,
                                CASE rel.relispartition WHEN true THEN ':partition.' ELSE ':table.' END
                                || rel.oid || ':/' || rel.relname || '/' || pt.path as path
                            from pg_catalog.pg_class rel JOIN pg_catalog.pg_namespace nsp ON rel.relnamespace = nsp.oid
                            join pg_catalog.pg_inherits inh ON inh.inhparent = rel.oid
                            join table_path_data pt ON inh.inhrelid = pt.oid
                        )
                        select CASE WHEN relkind = 'p' THEN path ELSE ':table.' || t.oid || ':/' || t.relname END AS path
                        from table_path_data order by height desc limit 1
                    )
            end
            ||'/:rule.'||r.oid||':/'|| r.rulename AS obj_path,
            n.nspname AS schema_name,
            True AS show_node, NULL AS other_info
            from pg_catalog.pg_rewrite r
    inner join pg_catalog.pg_class t on r.ev_class = t.oid and t.relkind in ('r','t','p','v')
    left join pg_catalog.pg_namespace n on t.relnamespace = n.oid
    where CASE
    WHEN n.nspname = ANY('{information_schema}')
        THEN false
    ELSE true END
    UNION
    select 'trigger'::text AS obj_type, tr.tgname AS obj_name, ':schema.'||n.oid||':/' || n.nspname|| '/' ||
        case
            when t.relkind = 'v' then ':view.' || t.oid || ':' || '/' || t.relname
            WHEN t.relkind in ('r', 't', 'p') THEN
            (
                WITH RECURSIVE table_path_data as (
                    select t.oid as oid, 0 as height, t.relkind,
                        CASE t.relispartition WHEN true THEN ':partition.' ELSE ':table.' END || t.oid || ':/' || t.relname as path
                    union
                    select rel.oid, pt.height+1 as height, rel.relkind,
                        CASE rel.relispartition WHEN true THEN ':partition.' ELSE ':table.' END
                        || rel.oid || ':/' || rel.relname || '/' || pt.path as path
                    from pg_catalog.pg_class rel JOIN pg_catalog.pg_namespace nsp ON rel.relnamespace = nsp.oid
                    join pg_catalog.pg_inherits inh ON inh.inhparent = rel.oid
                    join table_path_data pt ON inh.inhrelid = pt.oid
                )
                select CASE WHEN relkind = 'p' THEN path ELSE ':table.' || t.oid || ':/' || t.relname END AS path
                from table_path_data order by height desc limit 1
            )
        end || '/:trigger.'|| tr.oid || ':/' || tr.tgname AS obj_path, n.nspname AS schema_name,
        True AS show_node, NULL AS other_info
        from pg_catalog.pg_trigger tr
    inner join pg_catalog.pg_class t on tr.tgrelid = t.oid and t.relkind in ('r', 't', 'p', 'v')
    left join pg_catalog.pg_namespace n on t.relnamespace = n.oid
    where tr.tgisinternal = false
    and CASE
    WHEN n.nspname = ANY('{information_schema}')
        THEN false
    ELSE true END
    UNION
    SELECT 'type'::text AS obj_type, t.typname AS obj_name, ':schema.'||n.oid||':/' || n.nspname ||
        '/:type.'|| t.oid ||':/' || t.typname AS obj_path, n.nspname AS schema_name,
        True AS show_node, NULL AS other_info
    FROM pg_catalog.pg_type t
    LEFT OUTER JOIN pg_catalog.pg_type e ON e.oid=t.typelem
    LEFT OUTER JOIN pg_catalog.pg_class ct ON ct.oid=t.typrelid AND ct.relkind <> 'c'
    LEFT OUTER JOIN pg_catalog.pg_namespace n on t.typnamespace = n.oid
    WHERE t.typtype != 'd' AND t.typname NOT LIKE E'\\_%'
            AND ct.oid is NULL
        AND CASE
    WHEN n.nspname = ANY('{information_schema}')
        THEN false
    ELSE true END
    UNION
    SELECT 'cast'::text AS obj_type, pg_catalog.format_type(st.oid,NULL) ||'->'|| pg_catalog.format_type(tt.oid,tt.typtypmod) AS obj_name,
    ':cast.'||ca.oid||':/' || pg_catalog.format_type(st.oid,NULL) ||'->'|| pg_catalog.format_type(tt.oid,tt.typtypmod) AS obj_path, ''::text AS schema_name,
    True AS show_node, NULL AS other_info
    FROM pg_catalog.pg_cast ca
    JOIN pg_catalog.pg_type st ON st.oid=castsource
    JOIN pg_catalog.pg_type tt ON tt.oid=casttarget
        WHERE ca.oid > 16383::OID
        UNION
    SELECT 'publication'::text AS obj_type, pubname AS obj_name, ':publication.'||pub.oid||':/' || pubname AS obj_path, ''::text AS schema_name,
    True AS show_node, NULL AS other_info
    FROM pg_catalog.pg_publication pub
    UNION
    SELECT 'subscription'::text AS obj_type, subname AS obj_name, ':subscription.'||pub.oid||':/' || subname AS obj_path, ''::text AS schema_name,
    True AS show_node, NULL AS other_info
    FROM pg_catalog.pg_subscription pub
    UNION
    SELECT 'language'::text AS obj_type, lanname AS obj_name, ':language.'||lan.oid||':/' || lanname AS obj_path, ''::text AS schema_name,
    True AS show_node, NULL AS other_info
    FROM pg_catalog.pg_language lan
    WHERE lanispl IS TRUE
    UNION
    SELECT 'fts_configuration'::text AS obj_type, cfg.cfgname AS obj_name, ':schema.'||n.oid||':/' || n.nspname || '/:fts_configuration.'||cfg.oid||':/' || cfg.cfgname AS obj_path, n.nspname AS schema_name,
    True AS show_node, NULL AS other_info
    FROM pg_catalog.pg_ts_config cfg
    left join pg_catalog.pg_namespace n on cfg.cfgnamespace = n.oid
    WHERE CASE
    WHEN n.nspname = ANY('{information_schema}')
        THEN false
    ELSE true END
    UNION
    SELECT 'fts_dictionary' AS obj_type, dict.dictname AS obj_name, ':schema.'||ns.oid||':/' || ns.nspname || '/:fts_dictionary.'||dict.oid||':/' || dict.dictname AS obj_path, ns.nspname AS schema_name,
    True AS show_node, NULL AS other_info
    FROM pg_catalog.pg_ts_dict dict
    left join pg_catalog.pg_namespace ns on dict.dictnamespace = ns.oid
    WHERE CASE
    WHEN ns.nspname = ANY('{information_schema}')
        THEN false
    ELSE true END
    UNION
    SELECT 'fts_parser' AS obj_type, prs.prsname AS obj_name, ':schema.'||ns.oid||':/' || ns.nspname || '/:fts_parser.'||prs.oid||':/' || prs.prsname AS obj_path, ns.nspname AS schema_name,
    True AS show_node, NULL AS other_info
    FROM pg_catalog.pg_ts_parser prs
    left join pg_catalog.pg_namespace ns on prs.prsnamespace = ns.oid
    WHERE CASE
    WHEN ns.nspname = ANY('{information_schema}')
        THEN false
    ELSE true END
    UNION
    SELECT 'fts_template' AS obj_type, tmpl.tmplname AS obj_name, ':schema.'||ns.oid||':/' || ns.nspname || '/:fts_template.'||tmpl.oid||':/' || tmpl.tmplname AS obj_path, ns.nspname AS schema_name,
    True AS show_node, NULL AS other_info
    FROM pg_catalog.pg_ts_template tmpl
    left join pg_catalog.pg_namespace ns on tmpl.tmplnamespace = ns.oid
    AND CASE
    WHEN ns.nspname = ANY('{information_schema}')
        THEN false
    ELSE true END
    UNION
    select 'domain' AS obj_type, t.typname AS obj_name, ':schema.'||n.oid||':/' || n.nspname || '/:domain.'||t.oid||':/' || t.typname AS obj_path, n.nspname AS schema_name,
    True AS show_node, NULL AS other_info
    from pg_catalog.pg_type t
    inner join pg_catalog.pg_namespace n on t.typnamespace = n.oid
    where t.typtype = 'd'
    AND CASE
    WHEN n.nspname = ANY('{information_schema}')
        THEN false
    ELSE true END
    UNION
    SELECT 'domain_constraints' AS obj_type,
        c.conname AS obj_name, ':schema.'||n.oid||':/' || n.nspname || '/:domain.'||t.oid||':/' || t.typname || '/:domain_constraints.'||c.oid||':/' || c.conname AS obj_path,
        n.nspname AS schema_name,
        True AS show_node, NULL AS other_info
    FROM pg_catalog.pg_constraint c JOIN pg_catalog.pg_type t
    ON t.oid=contypid JOIN pg_catalog.pg_namespace n
    ON n.oid=t.typnamespace
    WHERE t.typtype = 'd'
    AND CASE
    WHEN n.nspname = ANY('{information_schema}')
        THEN false
    ELSE true END
    UNION
    select 'foreign_data_wrapper' AS obj_type, fdwname AS obj_name, ':foreign_data_wrapper.'||oid||':/' || fdwname AS obj_path, ''::text AS schema_name,
    True AS show_node, NULL AS other_info
    from pg_catalog.pg_foreign_data_wrapper
    UNION
    select 'foreign_server' AS obj_type, sr.srvname AS obj_name, ':foreign_data_wrapper.'||fdw.oid||':/' || fdw.fdwname || '/:foreign_server.'||sr.oid||':/' || sr.srvname AS obj_path, ''::text AS schema_name,
    True AS show_node, NULL AS other_info
    from pg_catalog.pg_foreign_server sr
    inner join pg_catalog.pg_foreign_data_wrapper fdw on sr.srvfdw = fdw.oid
    UNION
    select 'user_mapping' AS obj_type, um.usename AS obj_name, ':foreign_data_wrapper.'||fdw.oid||':/' || fdw.fdwname || '/:foreign_server.'||sr.oid||':/' || sr.srvname || '/:user_mapping.'||um.umid||':/' || um.usename AS obj_path, ''::text AS schema_name,
    True AS show_node, NULL AS other_info
    from pg_catalog.pg_user_mappings um
    inner join pg_catalog.pg_foreign_server sr on um.srvid = sr.oid
    inner join pg_catalog.pg_foreign_data_wrapper fdw on sr.srvfdw = fdw.oid
    UNION
    select 'foreign_table' AS obj_type, c.relname AS obj_name, ':schema.'||ns.oid||':/' || ns.nspname || '/:foreign_table.'||c.oid||':/' || c.relname AS obj_path, ns.nspname AS schema_name,
    True AS show_node, NULL AS other_info
    from pg_catalog.pg_foreign_table ft
    inner join pg_catalog.pg_class c on ft.ftrelid = c.oid
    inner join pg_catalog.pg_namespace ns on c.relnamespace = ns.oid
    AND CASE
    WHEN ns.nspname = ANY('{information_schema}')
        THEN false
    ELSE true END
    UNION
    select 'extension' AS obj_type, x.extname AS obj_name, ':extension.'||x.oid||':/' || x.extname AS obj_path, ''::text AS schema_name,
    True AS show_node, NULL AS other_info
    FROM pg_catalog.pg_extension x
    JOIN pg_catalog.pg_namespace n on x.extnamespace=n.oid
    join pg_catalog.pg_available_extensions() e ON x.extname=e.name
    UNION
    SELECT 'collation' AS obj_type, c.collname AS obj_name, ':schema.'||n.oid||':/' || n.nspname || '/:collation.'||c.oid||':/' || c.collname AS obj_path, n.nspname AS schema_name,
    True AS show_node, NULL AS other_info
    FROM pg_catalog.pg_collation c
    JOIN pg_catalog.pg_namespace n ON n.oid=c.collnamespace
    WHERE CASE
    WHEN n.nspname = ANY('{information_schema}')
        THEN false
    ELSE true END
    UNION
    select 'row_security_policy'::text AS obj_type, pl.polname AS obj_name, ':schema.'||n.oid||':/' || n.nspname|| '/' ||
            case
                WHEN t.relkind in ('r', 't', 'p') THEN
                    (
                        WITH RECURSIVE table_path_data as (
                            select t.oid as oid, 0 as height, t.relkind,
                                CASE t.relispartition WHEN true THEN ':partition.' ELSE ':table.' END || t.oid || ':/' || t.relname as path
                            union
                            select rel.oid, pt.height+1 as height, rel.relkind,
                                CASE rel.relispartition WHEN true THEN ':partition.' ELSE ':table.' END
                                || rel.oid || ':/' || rel.relname || '/' || pt.path as path
                            from pg_catalog.pg_class rel JOIN pg_catalog.pg_namespace nsp ON rel.relnamespace = nsp.oid
                            join pg_catalog.pg_inherits inh ON inh.inhparent = rel.oid
                            join table_path_data pt ON inh.inhrelid = pt.oid
                        )
                        select CASE WHEN relkind = 'p' THEN path ELSE ':table.' || t.oid || ':/' || t.relname END AS path
                        from table_path_data order by height desc limit 1
                    )
            end
            ||'/:row_security_policy.'|| pl.oid ||':/'|| pl.polname AS obj_path, n.nspname AS schema_name,
            True AS show_node, NULL AS other_info
            FROM pg_catalog.pg_policy pl
    JOIN pg_catalog.pg_class t on pl.polrelid = t.oid and t.relkind in ('r','t','p')
    JOIN pg_catalog.pg_policies rw ON (pl.polname=rw.policyname AND t.relname=rw.tablename)
    JOIN pg_catalog.pg_namespace n on t.relnamespace = n.oid
    where CASE
    WHEN n.nspname = ANY('{information_schema}')
        THEN false
    ELSE true END
    UNION
    SELECT 'aggregate' AS obj_type, pr.proname AS obj_name,
    ':schema.'|| ns.oid || ':/' || ns.nspname || '/' || ':aggregate.' || ag.aggfnoid::oid ||':/' || pr.proname AS obj_path,
    ns.nspname AS schema_name,
    True AS show_node, pg_catalog.pg_get_function_arguments(aggfnoid::oid) AS other_info
    FROM pg_catalog.pg_aggregate ag
    LEFT OUTER JOIN pg_catalog.pg_proc pr ON pr.oid = ag.aggfnoid
    LEFT OUTER JOIN pg_catalog.pg_namespace ns ON ns.oid=pr.pronamespace
    WHERE (CASE
    WHEN ns.nspname = ANY('{information_schema}')
        THEN false
    ELSE true END)
    UNION
    SELECT 'operator' AS obj_type, op.oprname AS obj_name,
    ':schema.'|| ns.oid || ':/' || ns.nspname || '/' || ':operator.' || op.oid::oid ||':/' || op.oprname AS obj_path,
    ns.nspname AS schema_name,
    True AS show_node,
    CASE WHEN lt.typname IS NOT NULL AND rt.typname IS NOT NULL THEN
		pg_catalog.format_type(lt.oid, NULL) || ', ' || pg_catalog.format_type(rt.oid, NULL)
	 WHEN lt.typname IS NULL AND rt.typname IS NOT NULL THEN
	    pg_catalog.format_type(rt.oid, NULL)
	 WHEN lt.typname IS NOT NULL AND rt.typname IS NULL THEN
	    pg_catalog.format_type(lt.oid, NULL)
	 ELSE '' END AS other_info
    FROM pg_catalog.pg_operator op
    LEFT OUTER JOIN pg_catalog.pg_namespace ns ON ns.oid=op.oprnamespace
    LEFT OUTER JOIN pg_catalog.pg_type lt ON lt.oid=op.oprleft
    LEFT OUTER JOIN pg_catalog.pg_type rt ON rt.oid=op.oprright
    WHERE (CASE
    WHEN ns.nspname = ANY('{information_schema}')
        THEN false
    ELSE true END)
) sn
where lower(sn.obj_name) like '%shi%'
AND NOT (sn.schema_name IN ('pg_catalog', 'pgagent', 'information_schema'))
AND (sn.schema_name IS NOT NULL AND sn.schema_name NOT LIKE 'pg\_%')
ORDER BY 1, 2, 3;
SELECT
    pr.oid,
    pg_catalog.pg_get_function_identity_arguments(pr.oid) AS proargs,
    pr.proname AS name,
    nsp.nspname AS nspname,
    'Function' AS object_type,
    'icon-function' AS icon
FROM
    pg_catalog.pg_proc pr
JOIN pg_catalog.pg_namespace nsp ON nsp.oid=pr.pronamespace
JOIN pg_catalog.pg_type typ ON typ.oid=prorettype
JOIN pg_catalog.pg_namespace typns ON typns.oid=typ.typnamespace
JOIN pg_catalog.pg_language lng ON lng.oid=prolang
LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=pr.oid AND des.classoid='pg_proc'::regclass)
WHERE
    pronamespace = 2200::oid
    AND typname NOT IN ('trigger', 'event_trigger')
    AND pr.prokind = 'f'
ORDER BY
    proname;
SELECT
    pr.oid,
    pg_catalog.pg_get_function_identity_arguments(pr.oid) AS proargs,
    pr.proname AS name,
    nsp.nspname AS nspname,
    'Trigger Function' AS object_type,
    'icon-trigger_function' AS icon
FROM
    pg_catalog.pg_proc pr
JOIN pg_catalog.pg_namespace nsp ON nsp.oid=pr.pronamespace
JOIN pg_catalog.pg_type typ ON typ.oid=prorettype
JOIN pg_catalog.pg_namespace typns ON typns.oid=typ.typnamespace
JOIN pg_catalog.pg_language lng ON lng.oid=prolang
LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=pr.oid AND des.classoid='pg_proc'::regclass)
WHERE
    pronamespace = 2200::oid
    AND typname  IN ('trigger', 'event_trigger')
    AND pr.prokind = 'f'
ORDER BY
    proname;
SELECT
    cl.relname AS name,
    nsp.nspname AS nspname,
    'Sequence' AS object_type,
    'icon-sequence' AS icon
FROM
    pg_catalog.pg_class cl
JOIN pg_catalog.pg_namespace nsp ON nsp.oid=cl.relnamespace
LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=cl.oid AND des.classoid='pg_class'::regclass)
WHERE
    relkind = 'S' AND relnamespace  = 2200::oid
ORDER BY
    cl.relname;
SELECT
    rel.relname AS name,
    nsp.nspname AS nspname,
    'Table' AS object_type,
    CASE WHEN (rel.relkind = 'p' OR rel.relispartition) THEN 'icon-partition' ELSE 'icon-table' END AS icon
FROM
    pg_catalog.pg_class rel
JOIN pg_catalog.pg_namespace nsp ON nsp.oid=rel.relnamespace
LEFT OUTER JOIN pg_catalog.pg_tablespace spc ON spc.oid=rel.reltablespace
LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=rel.oid AND des.objsubid=0 AND des.classoid='pg_class'::regclass)
LEFT OUTER JOIN pg_catalog.pg_constraint con ON con.conrelid=rel.oid AND con.contype='p'
LEFT OUTER JOIN pg_catalog.pg_class tst ON tst.oid = rel.reltoastrelid
LEFT JOIN pg_catalog.pg_type typ ON rel.reloftype=typ.oid
WHERE
    rel.relkind IN ('r','s','t','p') AND rel.relnamespace = 2200::oid
ORDER BY
    rel.relname;
SELECT
    c.relname AS name,
    nsp.nspname AS nspname,
    'View' AS object_type,
    'icon-view' AS icon
FROM
    pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace nsp ON nsp.oid=c.relnamespace
LEFT OUTER JOIN pg_catalog.pg_tablespace spc ON spc.oid=c.reltablespace
LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=c.oid and des.objsubid=0 AND des.classoid='pg_class'::regclass)
LEFT OUTER JOIN pg_catalog.pg_class tst ON tst.oid = c.reltoastrelid
WHERE
    ((c.relhasrules AND (EXISTS (
      SELECT
          r.rulename
      FROM
          pg_catalog.pg_rewrite r
      WHERE
          ((r.ev_class = c.oid)
          AND (bpchar(r.ev_type) = '1'::bpchar))
      ))
     ) AND (c.relkind = 'v'::char)
    )
    AND c.relnamespace = 2200::oid
ORDER BY
    c.relname;
SELECT
    rel.relname AS name,
    nsp.nspname AS nspname,
    'Foreign Table' AS object_type,
    'icon-coll-foreign_table' AS icon
FROM
    pg_catalog.pg_class rel
JOIN pg_catalog.pg_namespace nsp ON nsp.oid=rel.relnamespace
WHERE
    rel.relkind IN ('f') AND rel.relnamespace = 2200::oid
ORDER BY
    rel.relname;
